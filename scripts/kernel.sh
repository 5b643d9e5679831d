#!/bin/bash
# Builds the kernel of one flavour: scripts/kernel.sh [FLAVOUR]
#
#   ksym      the overlay and the patches on Debian's source (the default)
#   debug     the same with the kernel's own checkers on (scripts/debug.config)
#   pristine  Debian's source alone, with the same configuration, to compare with
#   fixes     Debian's source with the patches of the series "fixes", likewise
#   stock     Debian's own kernel for virtual machines, as it is: only unpacked
#
# Each flavour has a source tree of its own, build/linux-FLAVOUR, and is built
# inside of it: so every path that the compiler sees is relative, and ccache
# finds its objects again when the same is built in another clone. A hash over
# all inputs lets a build with nothing changed return at once.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=kernel

flavour=${1:-ksym}
check_flavour "$flavour"
tree=$KSYM_BUILD/linux-$flavour
stamp=$KSYM_BUILD/stamp/kernel-$flavour
log=$KSYM_LOGS/kernel-$flavour.log
jobs=${JOBS:-$(nproc)}

# How scripts/apply.sh makes this flavour of Debian's source.
case $flavour in
pristine) action= ;;
fixes) action=fixes ;;
*) action=apply ;;
esac

# The files that decide the configuration, relative to the root.
config_inputs() {
	echo scripts/base.config
	[[ $flavour != debug ]] || echo scripts/debug.config
	[[ $action != apply ]] || echo Kconfig.fragment
}

# The files that are laid over the source, relative to the root.
source_inputs() {
	case $action in
	apply)
		overlay_files
		series_patches | sed 's,^,patches/,'
		;;
	fixes) fixes_patches | sed 's,^,patches/,' ;;
	esac
}

# Everything that can change the result: our files, the source and the tools.
inputs_hash() {
	{
		{
			config_inputs
			source_inputs
		} | hash_files
		stat -c '%s %Y' "$KSYM_SOURCE_TARBALL"
		declare -f kernel_make
		gcc --version
		pahole --version
	} | sha256sum | cut -d' ' -f1
}

# Makes .config from tinyconfig and our fragments, only when one of them or a
# Kconfig file changed: a .config of the same content keeps its time, so that
# nothing is rebuilt for it.
configure() {
	local request=$KSYM_BUILD/config-$flavour hash file
	hash=$({
		config_inputs | hash_files
		source_inputs | sed -nE '\,/Kconfig|^patches/,p' | hash_files
	} | sha256sum)
	[[ ! -f $tree/.config || ! -f $tree/.ksym-config || $(<"$tree/.ksym-config") != "$hash" ]] || return 0
	{
		config_inputs | while IFS= read -r file; do
			# Before a patch brings in the tracer's own Kconfig, its options can't be
			# asked for.
			[[ $file != Kconfig.fragment ]] || grep -q ksym/Kconfig "$tree/kernel/trace/Kconfig" || continue
			cat "$KSYM_ROOT/$file"
		done
	} >"$request"
	make_config "$flavour" "$request" >>"$log" 2>&1 ||
		{ tail -n 20 "$log" >&2; die "the configuration of flavour $flavour failed"; }
	check_config "$tree/.config" "$request" ||
		die "the configuration of flavour $flavour is not what was asked for"
	printf '%s\n' "$hash" >"$tree/.ksym-config"
}

# Shows that a long build moves: a line now and then with what was compiled so
# far. It ends by itself when the file that $1 names is gone, or this script.
progress() {
	local alive=$1 started=$SECONDS next=20
	while [[ -e $alive ]] && kill -0 $$; do
		sleep 1
		if ((SECONDS - started >= next)); then
			say "$((SECONDS - started)) s, $(grep -cE '^  (CC|AS|LD|AR|HOSTCC)' "$log") steps: $(tail -n 1 "$log" | tr -s ' ')"
			next=$((next + 20))
		fi
	done
}

build() {
	local status=0
	alive=$KSYM_BUILD/.building-$flavour.$$
	: >"$alive"
	trap 'rm -f "$alive"' EXIT
	progress "$alive" &
	kernel_make "$flavour" -j"$jobs" bzImage modules >>"$log" 2>&1 || status=$?
	rm -f "$alive"
	wait $! || true
	if ((status)); then
		grep -nE 'error|Error|undefined reference|\*\*\*' "$log" | tail -n 40 >&2 || true
		die "the build of flavour $flavour failed; the whole log is $log"
	fi
}

# Prints what apt would give for the package $1: the field $2.
candidate_field() { apt-cache show --no-all-versions "$1" 2>/dev/null | sed -n "s/^$2: //p"; }

has_stock() {
	[[ -f $tree/arch/x86/boot/bzImage && -f $stamp ]] && say "flavour stock is up to date"
}

# Unpacks the image that Debian's metapackage names, where a build would have put it. It
# is not installed: that would give this machine another kernel to boot. What is there
# stays, whatever is newer by now.
unpack_stock() {
	local package version
	has_stock && return
	lock_builds
	# What was waited for may have unpacked it.
	has_stock && return
	package=$(candidate_field "$KSYM_STOCK_PACKAGE" Depends)
	# Where setup had nothing to install, apt may never have asked its servers.
	if [[ -z $package && $(id -u) == 0 ]]; then
		apt-get update -q >&2
		package=$(candidate_field "$KSYM_STOCK_PACKAGE" Depends)
	fi
	package=${package%% *} version=$(candidate_field "$KSYM_STOCK_PACKAGE" Version)
	[[ -n $package ]] || die "apt knows no $KSYM_STOCK_PACKAGE: make setup sees to that"
	warn_version "$KSYM_STOCK_PACKAGE" "$version"
	mkdir -p "$(dirname "$stamp")" "$KSYM_LOGS"
	rm -rf "$stamp" "$tree" "$tree.new"
	mkdir -p "$tree.new/arch/x86/boot"
	# Only root's apt minds that its own user may not write here, and goes on.
	(cd "$tree.new" && apt-get download -q -o APT::Sandbox::User=root "$package=$version") >"$log" 2>&1 ||
		{ tail -n 5 "$log" >&2; die "$package could not be downloaded"; }
	dpkg-deb -x "$tree.new/"*.deb "$tree.new"
	rm "$tree.new/"*.deb
	mv "$tree.new/boot/vmlinuz-"* "$tree.new/arch/x86/boot/bzImage"
	mv "$tree.new" "$tree"
	printf '%s\n' "$version" >"$stamp"
	say "flavour stock is $package $version"
}

if [[ $flavour == stock ]]; then
	unpack_stock
	exit 0
fi

[[ -f $KSYM_SOURCE_TARBALL ]] || "$KSYM_ROOT/scripts/setup.sh" demo
hash=$(inputs_hash)
up_to_date() { [[ -f $stamp && $(<"$stamp") == "$hash" && -f $tree/arch/x86/boot/bzImage ]]; }
up_to_date && { say "flavour $flavour is up to date"; exit 0; }

mkdir -p "$KSYM_LOGS" "$(dirname "$stamp")"
lock_builds
# What was waited for may have built this very kernel.
hash=$(inputs_hash)
up_to_date && { say "flavour $flavour is up to date"; exit 0; }

warn_source_version
started=$SECONDS
rm -f "$stamp"
: >"$log"
# A tree takes 1.6 GB, less for other flavours than ksym, and 0.4 GB more during a build.
room=700
[[ -d $tree ]] || room=2000
need_room "building flavour $flavour" $room
unpack_source "$tree"
if [[ -n $action ]]; then
	# What was changed in there by hand is no source: the next build overwrites it.
	FORCE=1 "$KSYM_ROOT/scripts/apply.sh" "$action" "$tree" >>"$log" 2>&1 ||
		{ tail -n 30 "$log" >&2; die "the project could not be laid over ${tree#"$KSYM_ROOT"/}"; }
fi
configure
say "building flavour $flavour with $jobs jobs (log: ${log#"$KSYM_ROOT"/})"
build
# These are large. make never reads the first ones again. It reads vmlinux.o only where
# nothing has to be linked, which saves half a minute in the tree that is built most.
rm -f "$tree"/.tmp_vmlinux*
[[ $flavour == ksym ]] || rm -f "$tree/vmlinux.o"
# Had a file changed while it was being built, the stamp of now would hide it;
# so the hash is the one from before.
printf '%s\n' "$hash" >"$stamp"
# That our fragments override tinyconfig is what they are for.
grep 'warning:' "$log" | grep -v 'warning: override:' | sort -u | head -n 20 >&2 || true
say "flavour $flavour built in $((SECONDS - started)) s"
