#!/bin/bash
# Builds and boots every commit of the series of BASE: scripts/series.sh [COMMIT…]
#
# A COMMIT is a line of patches/series, or a unique part of one. Without arguments all
# commits are tried in order. Each is built twice, with scripts/series.config and
# scripts/series-BASE.config: "off" without the project's options, "on" with those that the
# commit has. Both kernels are booted in QEMU, where they run the built-in KUnit suites and
# trace something. A commit fails if
#
#   - it cannot be configured or built, or the compiler, kernel-doc, objtool or modpost
#     print a warning, at W=1, that they do not print for Debian's source;
#   - a suite fails or does not run to its end, the log has a splat, or the first process
#     does not end within VM_TIMEOUT seconds.
#
# The first failure ends the run; the last line has the commit and the log. Commits that
# passed are recorded in ~/.cache/ksym, by a hash of the kernel's files, its configuration
# and the functions of this script. So the next run, in any clone, continues after them, and
# a commit that changes no file of the kernel passes like the one before it.
# Each of the two kernels has its build folder, in which only what a commit changes is
# compiled. While one is built, the one before is booted. A kernel that a commit does not
# change is not booted again.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/commits.sh
. "$(dirname "${BASH_SOURCE[0]}")/commits.sh"
KSYM_NAME=series

tree=$KSYM_BUILD/linux-series
logs=$KSYM_LOGS/series
limit=${VM_TIMEOUT:-300}
jobs=${JOBS:-$(nproc)}
work=$(mktemp -d)
booting='' booting_key=''
declare -A booted=() # off or on → the hash of the kernel that was booted last
# A machine that still runs when the script ends is waited for.
trap 'wait; rm -rf "$work"' EXIT
repo=$work/repo
# The kernel is not built from these.
no_kernel=(':!Documentation' ':!tools/testing' ':!tools/ksymwatch' ':!MAINTAINERS')

# Prints the project's options.
own_options() {
	option_lines "$KSYM_ROOT/Kconfig.fragment"
	echo CONFIG_DEBUG_HW_BREAKPOINT=y
}

# Prints the requested options of the kernel $2, off or on, of the commit $1. The commits behind
# the last one that changes KVM are built without it.
request() {
	local line name
	config_files series | print_files
	if [[ -n $kvm_until ]] && git_in "$repo" merge-base --is-ancestor "$1" "$kvm_until"; then
		config_files kvm | print_files
	fi
	[[ $2 == on ]] || return 0
	while IFS= read -r line; do
		name=${line#CONFIG_}
		! git_in "$repo" grep -qE "^(menu)?config ${name%%=*}$" "$1" -- '*Kconfig*' || printf '%s\n' "$line"
	done < <(own_options)
}

# Prints the key that records that the commit $1 passed with the request $2. The other
# arguments are the functions of this script that were used.
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

# Prints the names of all files that are in any commit.
all_files() { git_in "$repo" log --format= --name-only --no-renames main | sort -u; }

# Restores Debian's source in the tree, except for files that a commit has: another series
# may have been tried in it.
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

# Checks out the commit $1 in the tree. Only files that differ are written, so that make
# compiles only these.
check_out() {
	local at=$work/at
	rm -rf "$at"
	mkdir "$at"
	git_in "$repo" archive "$1" | tar -xf - -C "$at"
	(cd "$at" && find . -type f -printf '%P\n') | sort >"$work/has"
	comm -23 "$work/all" "$work/has" | (cd "$tree" && xargs -r -d '\n' rm -f)
	rsync -rlp --checksum "$at/" "$tree/"
}

# Configures the folder $1 with the options in the file $2, if they or a Kconfig file
# changed.
configure() {
	local how=$1 request=$2 hash
	hash=$({ cat "$request"; find "$work/at" -name 'Kconfig*' -print0 | sort -z | xargs -0 -r sha256sum | sed "s,$work,,"; } | sha256sum)
	[[ ! -f $tree/$how/.config || ! -f $tree/$how/.ksym-config || $(<"$tree/$how/.ksym-config") != "$hash" ]] || return 0
	# Only the objects that the options change differ.
	if [[ ! -d $tree/$how && -d $tree/off ]]; then
		rm -rf "$tree/$how.new"
		cp -a "$tree/off" "$tree/$how.new"
		mv "$tree/$how.new" "$tree/$how"
	fi
	mkdir -p "$tree/$how"
	# Our options override tinyconfig on purpose.
	make_config series "$request" O="$how" 2>&1 | { grep -v 'warning: override:' || true; } || return 1
	check_config "$tree/$how/.config" "$work/off" 2>&1 || return 1
	printf '%s\n' "$hash" >"$tree/$how/.ksym-config"
}

# Builds the kernel in the folder $1, under the lock for builds. W=1 would have kernel-doc read
# each file that is compiled, which takes 7.3 a fifth of a build: see check_docs().
build() { (lock_builds && kernel_make series O="$1" W=1 cmd_checkdoc= -j"$jobs" bzImage modules); }

# Runs kernel-doc on the C files and headers among the files "$@" that the tree has. What it says
# depends on these files only. The Makefile names the program since it is written in Python.
check_docs() {
	local program file
	# shellcheck disable=SC2016  # make reads $(srctree)
	program=$(sed -n 's,^KERNELDOC *= *$(srctree)/,,p' "$tree/Makefile")
	cd "$tree" || return
	for file; do
		[[ $file != *.[ch] || ! -f $file ]] || "${program:-scripts/kernel-doc}" -none "$file" || return
	done
}

# Prints the warnings in the log $1 of a build, without line numbers and offsets, so that
# the same warning of a later commit is recognised. kernel-doc of 7.3 writes "Warning: FILE:LINE TEXT".
warnings_of() {
	grep -hE '(warning|Warning|WARNING): ' "$1" |
		sed -E -e 's,^(\.\./)+,,' -e 's/^((Warning: )?[^ :]+)(:[0-9]+)+:? /\1: /' -e 's/\+0x[0-9a-f]+//g' | sort -u || true
}

# Makes the root file system of the machine: busybox and the first process.
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

# Boots the kernel in the folder $1 and writes its console to the file $2. QEMU runs all
# CPUs in one thread: that is faster, and with a thread per CPU it sometimes crashes.
boot() {
	timeout -k 5 "$limit" qemu-system-x86_64 -accel tcg,thread=single -cpu qemu64,+rdrand \
		-smp 4,sockets=4 -m 512M -nodefaults -display none -nic none -no-reboot -no-user-config \
		-kernel "$tree/$1/arch/x86/boot/bzImage" -initrd "$work/initrd" \
		-append 'console=ttyS0,115200 earlyprintk=ttyS0,115200 panic=-1 rdinit=/init norandmaps nowatchdog no_timer_check kunit.enable=1' \
		-serial "file:$2" </dev/null
}

# Prints the first fault in the console log $1 and fails if there is one. The results of
# the suites and their number are not indented.
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

# Builds Debian's source to learn its warnings. This is the only full build.
learn_warnings() {
	local log=$logs/base.log
	local -a files
	request base off | tee "$work/off" >"$work/request"
	mapfile -t files <"$work/all"
	known=$KSYM_SOURCE_CACHE/known-$(key_of base "$work/request" build check_docs warnings_of)
	[[ ! -f $known ]] || return 0
	say "building Debian's source first, for its warnings"
	check_out base
	rm -rf "$tree/off"
	configure off "$work/request" >"$log" 2>&1 || die_of_log "Debian's source can't be configured" "$log"
	build off >>"$log" 2>&1 || die_of_log "Debian's source does not build" "$log"
	(check_docs "${files[@]}") >>"$log" 2>&1 || die_of_log 'kernel-doc does not run' "$log"
	mkdir -p "$KSYM_SOURCE_CACHE"
	warnings_of "$log" >"$known.new"
	mv "$known.new" "$known"
}

# Boots the kernel $1, off or on, of the commit $2, with logs $3.*, and records its key $4. It
# was built in $5 seconds.
try_boot() {
	local how=$1 name=$2 log=$3 key=$4 built=$5 said began=$SECONDS
	: >"$log.boot"
	boot "$how" "$log.boot" >"$work/qemu" 2>&1 8>&- || cat "$work/qemu" >>"$log.boot"
	said=$(judge "$log.boot")
	[[ -z $said ]] || die_of_log "$name, $how: $said" "$log.boot"
	record_passed "$key" "$name, $how"
	say "  $name, $how: built in $built s, booted in $((SECONDS - began)) s, $(grep -c '^ok ' "$work/console") suites"
}

# Waits for the kernel that is being booted. If it has a fault, the script ends.
wait_for_boot() {
	[[ -z $booting ]] || wait "$booting" || exit 1
	booting='' booting_key=''
}

# Tries the kernel $2, off or on, of the commit $1, whose name is $3.
try_kernel() {
	local commit=$1 how=$2 name=$3 key log began=$SECONDS built image
	local -a files
	request "$commit" off >"$work/off"
	request "$commit" "$how" >"$work/request"
	if [[ $how == on ]] && cmp -s "$work/request" "$work/off"; then
		say "  $how: has no options yet"
		return
	fi
	key=$(key_of "$commit" "$work/request" build check_docs warnings_of make_initrd boot judge)
	[[ $key != "$booting_key" ]] || wait_for_boot
	if has_passed "$key"; then
		say "  $how: passed before"
		return
	fi
	fresh=1
	log=$logs/$(tr -c 'A-Za-z0-9\n' '-' <<<"${name%.patch}").$how
	check_out "$commit"
	configure "$how" "$work/request" >"$log.build" 2>&1 || die_of_log "$name, $how: can't be configured" "$log.build"
	if [[ $how == on && $commit == "$last" ]]; then
		check_config "$tree/on/.config" "$work/request" || die "$name, the last commit, cannot enable all options"
	fi
	build "$how" >>"$log.build" 2>&1 || die_of_log "$name, $how: does not build" "$log.build"
	# It says the same of the files of the kernel "on".
	if [[ $how == off ]]; then
		mapfile -t files < <(git_in "$repo" diff --name-only --diff-filter=d "$commit^" "$commit" -- "${no_kernel[@]}")
		(check_docs "${files[@]}") >>"$log.build" 2>&1 || die_of_log "$name, $how: kernel-doc does not run" "$log.build"
	fi
	warnings_of "$log.build" | comm -23 - "$known" >"$work/new"
	if [[ -s $work/new ]]; then
		head -n 20 "$work/new" >&2
		die "$name, $how: has $(wc -l <"$work/new") new warnings; log: ${log#"$KSYM_ROOT"/}.build"
	fi
	built=$((SECONDS - began))
	wait_for_boot
	image=$(sha256sum <"$tree/$how/arch/x86/boot/bzImage")
	if [[ ${booted[$how]:-} == "$image" ]]; then
		record_passed "$key" "$name, $how"
		say "  $name, $how: built in $built s, the same kernel as with the commit before"
		return
	fi
	booted[$how]=$image booting_key=$key
	try_boot "$how" "$name" "$log" "$key" "$built" &
	booting=$!
}

# Prints the line of patches/series that $1 is a part of.
line_of() {
	local -a found
	mapfile -t found < <(series_lines | grep -Fx -- "$1" || series_lines | grep -F -- "$1")
	((${#found[@]} != 0)) || die "patches/series has no commit '$1'"
	((${#found[@]} == 1)) || die "'$1' is ambiguous in patches/series: ${found[*]}"
	printf '%s\n' "${found[0]}"
}

wanted=()
for name in "$@"; do
	line=$(line_of "$name")
	wanted+=("$line")
done
need_source
mkdir -p "$logs"
# Two runs would change the same tree.
exec 8>"$logs/.lock"
flock -n 8 || die 'make check-series is running already'
make_commits "$repo"
kvm_until=$(git_in "$repo" log -1 --format=%H base..main -- arch/x86/kvm)
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
wait_for_boot
say "$tried of $total commits build and boot, $built_anew of them built now"
