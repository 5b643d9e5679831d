#!/bin/bash
# Builds and boots every commit of the two series: scripts/series.sh [COMMIT…]
#
# A COMMIT is a line of patches/series, or a part of one that no other has; without any
# it goes through all, in their order. Each is built twice, with scripts/series.config: "off"
# without the project's options, "on" with those that the commit has. Both are booted in
# QEMU, run the KUnit suites that are built in, and trace something. So a commit fails
#
#   - when it can't be configured or built, or the compiler, kernel-doc, objtool or
#     modpost warns, at W=1, of what they do not warn of in Debian's untouched source;
#   - when a suite fails or does not run to its end, when the kernel's log has a splat,
#     or when the first process does not get to its end in VM_TIMEOUT seconds.
#
# The first that fails ends it: its name and its log are the last line. What passed is
# remembered in build/series/passed, by the content of the files from which the kernel is
# made, its configuration and what is tried here; so the next run goes on behind it, and a
# commit that changes no such file passes as the one before did. There is one build folder
# for each of both kernels, in which a step compiles only what the commit changes.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/commits.sh
. "$(dirname "${BASH_SOURCE[0]}")/commits.sh"
KSYM_NAME=series

tree=$KSYM_BUILD/linux-series
state=$KSYM_BUILD/series
logs=$KSYM_LOGS/series
limit=${VM_TIMEOUT:-300}
jobs=${JOBS:-$(nproc)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repo=$work/repo
# What is built of these is no kernel.
no_kernel=(':!Documentation' ':!tools/testing' ':!tools/ksymwatch' ':!MAINTAINERS')

# Prints the project's options. The last is for the debug kernel only, elsewhere.
own_options() {
	option_lines "$KSYM_ROOT/Kconfig.fragment"
	echo CONFIG_DEBUG_HW_BREAKPOINT=y
}

# Prints the request for the configuration of the kernel $2, off or on, of the commit $1.
request() {
	local line name
	cat "$KSYM_ROOT/scripts/series.config"
	[[ $2 == on ]] || return 0
	while IFS= read -r line; do
		name=${line#CONFIG_}
		! git_in "$repo" grep -qE "^(menu)?config ${name%%=*}$" "$1" -- '*Kconfig*' || printf '%s\n' "$line"
	done < <(own_options)
}

# Prints the key under which it is remembered what came of the commit $1 with the request
# $2. The rest are the functions of this script that had to do with it.
key_of() {
	local commit=$1 request=$2
	shift 2
	{
		git_in "$repo" diff --raw --no-abbrev base "$commit" -- . "${no_kernel[@]}"
		cat "$request"
		stat -c '%s %Y' "$KSYM_SOURCE_TARBALL"
		declare -f kernel_make make_config "$@"
		gcc --version
	} | sha256sum | cut -d' ' -f1
}

has_passed() { [[ -f $state/passed ]] && grep -q "^$1 " "$state/passed"; }

# Prints the names of all files that a commit has, or had.
all_files() { git_in "$repo" log --format= --name-only --no-renames main | sort -u; }

# Makes sure that the tree is Debian's source but for files that a commit has: another
# series may have been tried in it.
clean_tree() {
	local laid=$tree/.ksym-laid
	unpack_source "$tree"
	all_files >"$work/all"
	if [[ -f $laid ]]; then
		comm -23 "$laid" "$work/all" >"$work/stale"
		(cd "$tree" && xargs -r -d '\n' rm -f <"$work/stale")
		[[ ! -s $work/stale ]] || unpack_pristine "$tree" <"$work/stale"
		sort -u "$laid" "$work/all" >"$laid.new"
	else
		cp "$work/all" "$laid.new"
	fi
	mv "$laid.new" "$laid"
}

# Makes the tree the commit $1. Only what differs is written, so that make compiles just
# that.
check_out() {
	local at=$work/at
	rm -rf "$at"
	mkdir "$at"
	git_in "$repo" archive "$1" | tar -xf - -C "$at"
	(cd "$at" && find . -type f -printf '%P\n') | sort >"$work/has"
	comm -23 "$work/all" "$work/has" | (cd "$tree" && xargs -r -d '\n' rm -f)
	rsync -rlp --checksum "$at/" "$tree/"
}

# Fails with the end of the log $2 and what it says $1.
failed() {
	{ grep -nE 'error|Error|warning:|undefined reference|\*\*\*|not ok' "$2" || tail -n 20 "$2"; } | tail -n 20 | tr -d '\r' >&2
	die "$1; log: ${2#"$KSYM_ROOT"/}"
}

# Configures the folder $1 as the file $2 asks, if it is not yet. The configuration is
# made anew when a Kconfig file changed.
configure() {
	local how=$1 request=$2 hash
	hash=$({ cat "$request"; find "$work/at" -name 'Kconfig*' -print0 | sort -z | xargs -0 -r sha256sum | sed "s,$work,,"; } | sha256sum)
	[[ ! -f $tree/$how/.config || ! -f $tree/$how/.ksym-config || $(<"$tree/$how/.ksym-config") != "$hash" ]] || return 0
	# What the one kernel has compiled, the other need not, but for what the options change.
	if [[ ! -d $tree/$how && -d $tree/off ]]; then
		rm -rf "$tree/$how.new"
		cp -a "$tree/off" "$tree/$how.new"
		mv "$tree/$how.new" "$tree/$how"
	fi
	mkdir -p "$tree/$how"
	# That our options override tinyconfig is what they are for.
	make_config series "$request" O="$how" 2>&1 | { grep -v 'warning: override:' || true; } || return 1
	check_config "$tree/$how/.config" "$KSYM_ROOT/scripts/series.config" 2>&1 || return 1
	printf '%s\n' "$hash" >"$tree/$how/.ksym-config"
}

# Builds the kernel in the folder $1. No other build runs meanwhile.
build() { (lock_builds && kernel_make series O="$1" W=1 -j"$jobs" bzImage modules); }

# Prints what the log $1 of a build warns of, without line numbers and offsets, so that
# the same warning of a later commit is found again.
warnings_of() {
	grep -hE '(warning|WARNING): ' "$1" |
		sed -E -e 's,^(\.\./)+,,' -e 's/^([^ :]+)(:[0-9]+)+: /\1: /' -e 's/\+0x[0-9a-f]+//g' | sort -u || true
}

# Makes the root of the machine: busybox and the first process.
make_initrd() {
	local root=$work/root
	mkdir -p "$root"/{bin,dev,proc,sys}
	cp "$(command -v busybox)" "$root/bin/"
	cat >"$root/init" <<-'END'
		#!/bin/busybox sh
		PATH=/bin
		/bin/busybox --install -s /bin
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t tracefs tracefs /sys/kernel/tracing
		cd /sys/kernel/tracing
		echo 1 >events/sched/sched_process_fork/enable
		echo function >current_tracer
		ls /proc >/dev/null
		echo nop >current_tracer
		ls /proc >/dev/null
		echo 0 >events/sched/sched_process_fork/enable
		if grep -q 'sched_process_fork: comm=init' trace; then echo "series: traced"; fi
		echo "series: the first process ends"
		sync
		reboot -f
	END
	chmod +x "$root/init"
	(cd "$root" && find . -mindepth 1 | cpio -o -H newc -R 0:0 --quiet) >"$work/initrd"
}

# Boots the kernel in the folder $1; what it writes goes to the file $2. One thread of
# QEMU runs all CPUs: it is faster so, and with a thread a CPU it crashes at times.
boot() {
	timeout -k 5 "$limit" qemu-system-x86_64 -accel tcg,thread=single -cpu qemu64,+rdrand \
		-smp 4,sockets=4 -m 512M -nodefaults -display none -nic none -no-reboot -no-user-config \
		-kernel "$tree/$1/arch/x86/boot/bzImage" -initrd "$work/initrd" \
		-append 'console=ttyS0,115200 earlyprintk=ttyS0,115200 panic=-1 rdinit=/init norandmaps nowatchdog no_timer_check kunit.enable=1' \
		-serial "file:$2" </dev/null
}

# Looks at what a kernel wrote into the file $1, and fails with the first thing that is
# not as it should be. The suites and their number are told at the left edge.
judge() {
	local log=$1 plan passed
	tr -d '\r' <"$log" >"$work/console"
	"$KSYM_ROOT/scripts/splats.sh" "$work/console" >/dev/null || { echo 'has a splat in its log'; return; }
	! grep -qE '^ *not ok ' "$work/console" || { echo 'fails in KUnit'; return; }
	plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$work/console")
	passed=$(grep -cE '^ok [0-9]+ ' "$work/console" || true)
	[[ -n $plan && $plan == "$passed" ]] || { echo "runs ${passed:-no} of ${plan:-its} KUnit suites"; return; }
	grep -qx 'series: the first process ends' "$work/console" || { echo 'does not get through its first process'; return; }
	grep -qx 'series: traced' "$work/console" || echo 'traces nothing'
}

# Builds Debian's source, to know what is warned of in it. This is the only time that all
# is compiled.
learn_warnings() {
	local key log=$logs/base.log
	request base off >"$work/request"
	known=$state/known-$(key_of base "$work/request" build warnings_of)
	[[ ! -f $known ]] || return 0
	say "building Debian's source first, for the warnings that are not ours"
	check_out base
	rm -rf "$tree/off"
	configure off "$work/request" >"$log" 2>&1 || failed "Debian's source can't be configured" "$log"
	build off >>"$log" 2>&1 || failed "Debian's source does not build" "$log"
	warnings_of "$log" >"$known.new"
	mv "$known.new" "$known"
}

# Tries the kernel $2, off or on, of the commit $1, whose name is $3.
try_kernel() {
	local commit=$1 how=$2 name=$3 key log said began=$SECONDS built
	request "$commit" "$how" >"$work/request"
	if [[ $how == on ]] && cmp -s "$work/request" "$KSYM_ROOT/scripts/series.config"; then
		say "  $how: has no options yet"
		return
	fi
	key=$(key_of "$commit" "$work/request" build warnings_of make_initrd boot judge)
	if has_passed "$key"; then
		say "  $how: passed before"
		return
	fi
	fresh=1
	log=$logs/$(tr -c 'A-Za-z0-9\n' '-' <<<"${name%.patch}").$how
	check_out "$commit"
	configure "$how" "$work/request" >"$log.build" 2>&1 || failed "$name, $how: can't be configured" "$log.build"
	if [[ $how == on && $commit == "$last" ]]; then
		check_config "$tree/on/.config" "$work/request" || die "$name, the last, can't have all options on"
	fi
	build "$how" >>"$log.build" 2>&1 || failed "$name, $how: does not build" "$log.build"
	warnings_of "$log.build" | comm -23 - "$known" >"$work/new"
	if [[ -s $work/new ]]; then
		head -n 20 "$work/new" >&2
		die "$name, $how: has $(wc -l <"$work/new") new warnings; log: ${log#"$KSYM_ROOT"/}.build"
	fi
	built=$((SECONDS - began))
	began=$SECONDS
	: >"$log.boot"
	boot "$how" "$log.boot" >"$work/qemu" 2>&1 8>&- || cat "$work/qemu" >>"$log.boot"
	said=$(judge "$log.boot")
	[[ -z $said ]] || failed "$name, $how: $said" "$log.boot"
	printf '%s %s, %s\n' "$key" "$name" "$how" >>"$state/passed"
	say "  $how: built in $built s, booted in $((SECONDS - began)) s, $(grep -c '^ok ' "$work/console") suites"
}

# Prints the line of patches/series that $1 means.
line_of() {
	local -a found
	mapfile -t found < <(series_lines | grep -Fx -- "$1" || series_lines | grep -F -- "$1")
	((${#found[@]} != 0)) || die "there is no commit '$1' in patches/series"
	((${#found[@]} == 1)) || die "'$1' is in several lines of patches/series: ${found[*]}"
	printf '%s\n' "${found[0]}"
}

wanted=()
for name in "$@"; do
	line=$(line_of "$name")
	wanted+=("$line")
done
[[ -f $KSYM_SOURCE_TARBALL ]] || "$KSYM_ROOT/scripts/setup.sh"
mkdir -p "$state" "$logs"
# Two of these would move the tree away under each other.
exec 8>"$state/.lock"
flock -n 8 || die 'make check-series runs already'
make_commits "$repo"
make_initrd
clean_tree
last=$(git_in "$repo" rev-parse main)
missing=$(comm -23 <(own_options | sort) <(request main on | sort))
[[ -z $missing ]] || die "no commit has the options: ${missing//$'\n'/ }"
learn_warnings
number=0 tried=0 fresh=0 built_anew=0
total=$(wc -l <"$repo/.git/lines")
while read -r commit line <&3; do
	number=$((number + 1))
	if ((${#wanted[@]})) && [[ " ${wanted[*]} " != *" $line "* ]]; then continue; fi
	say "$number of $total, $line"
	fresh=0
	try_kernel "$commit" off "$line"
	try_kernel "$commit" on "$line"
	tried=$((tried + 1)) built_anew=$((built_anew + fresh))
done 3<"$repo/.git/lines"
say "$tried of $total commits build and boot, $built_anew of them tried now"
