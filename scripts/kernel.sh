#!/bin/bash
# Builds the kernel of one flavour: scripts/kernel.sh [--if-missing] [FLAVOUR]
#
#   ksym      the overlay and the patches on Debian's source (the default)
#   debug     the same with the kernel's own checkers on (scripts/debug.config)
#   kcsan     the same with the detector of data races on, for our files (scripts/kcsan.config)
#   pristine  Debian's source alone, for comparison
#   fixes     Debian's source with the series "fixes", on 6.12 also "backports", for comparison
#   stock     Debian's own kernel for virtual machines, unpacked and not built, of the base;
#             stock61 is the one of 6.1, stock73 of 7.3
#
# BASE is the series of the source, 6.12 or 7.3. Each flavour is built inside its own source
# tree, linux-FLAVOUR in build/ or, for 7.3, in build/7.3. So all paths that the compiler
# sees are relative, and ccache hits for another clone too. If the hash of all inputs is that
# of the last build, nothing is done; with --if-missing, a kernel that was built is kept
# even if they changed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=kernel

if_missing=no
[[ ${1:-} != --if-missing ]] || { if_missing=yes; shift; }
flavour=${1:-ksym}
check_flavour "$flavour"
tree=$KSYM_BUILD/linux-$flavour
stamp=$KSYM_BUILD/stamp/kernel-$flavour
log=$KSYM_LOGS/kernel-$flavour.log
jobs=${JOBS:-$(nproc)}
[[ $if_missing == no || ! -f $tree/arch/x86/boot/bzImage ]] || exit 0

# The action of scripts/apply.sh that turns Debian's source into this flavour.
case $flavour in
pristine) action= ;;
fixes) action=fixes ;;
*) action=apply ;;
esac

# Prints the files that determine the configuration, relative to the root.
config_inputs() {
	config_files base
	case $flavour in
	ksym) ;;
	debug | kcsan) config_files "$flavour" ;;
	*) config_files no-debug-info ;;
	esac
	[[ $action != apply ]] || echo Kconfig.fragment
}

# Prints the files that are applied to the source, relative to the root.
source_inputs() {
	case $action in
	apply)
		overlay_files
		series_patches | files_of_patches
		;;
	fixes) fixes_patches | files_of_patches ;;
	esac
}

# Prints a hash of everything that can change the result: our files, the source, the tools.
inputs_hash() {
	{
		{
			config_inputs
			source_inputs
		} | hash_files
		stat -c '%s %Y' "$KSYM_SOURCE_TARBALL"
		declare -f kernel_make kcsan_options
		gcc --version
		pahole --version
	} | sha256sum | cut -d' ' -f1
}

# Writes .config from tinyconfig and our fragments if one of them or a Kconfig file
# changed. An unchanged .config keeps its time, so that nothing is rebuilt.
configure() {
	local request=$KSYM_BUILD/config-$flavour hash
	hash=$({
		config_inputs | hash_files
		source_inputs | sed -nE '\,/Kconfig|^patches/,p' | hash_files
	} | sha256sum)
	[[ ! -f $tree/.config || ! -f $tree/.ksym-config || $(<"$tree/.ksym-config") != "$hash" ]] || return 0
	config_inputs | print_files >"$request"
	make_config "$flavour" "$request" >>"$log" 2>&1 || die_of_log "the configuration of flavour $flavour failed" "$log"
	check_config "$tree/.config" "$request" ||
		die "the configuration of flavour $flavour differs from the request"
	printf '%s\n' "$hash" >"$tree/.ksym-config"
}

build() {
	with_progress "$log" kernel_make "$flavour" -j"$jobs" bzImage modules ||
		die_of_log "the build of flavour $flavour failed" "$log"
}

has_stock() {
	[[ -f $tree/arch/x86/boot/bzImage && -f $stamp ]] && say "flavour $flavour is up to date"
}

# Prints the names of the packages that the package $1 depends on and that match $2.
depends_on() { package_field "$suite" "$1" Depends | tr , '\n' | sed 's/^ *//; s/ .*//' | grep -E "$2"; }

# Unpacks the image package that Debian's metapackage depends on. It is not installed,
# since that would add a kernel to this machine's boot menu. An image that was unpacked
# before is kept even if there is a newer one.
unpack_stock() {
	local meta=$KSYM_STOCK_PACKAGE suite=${KSYM_STOCK_SUITE[$flavour]} package version deb parts
	has_stock && return
	lock_builds
	# Another script may have unpacked it while this one waited.
	has_stock && return
	suite_apt "$suite" apt-get update >&2 || die "cannot fetch the package lists of $suite"
	package=$(depends_on "$meta" ^linux-image-) || die "$meta not found in $suite"
	version=$(package_field "$suite" "$meta" Version)
	warn_version "$flavour" "$version"
	mkdir -p "$(dirname "$stamp")" "$KSYM_LOGS"
	rm -rf "$stamp" "$tree" "$tree.new"
	mkdir -p "$tree.new/arch/x86/boot"
	# Newer images are in parts.
	mapfile -t parts < <(depends_on "$package" '^linux-(binary|modules)-')
	(cd "$tree.new" && suite_apt "$suite" apt-get download "${parts[@]/%/=$version}" "$package=$version") >"$log" 2>&1 ||
		{ tail -n 5 "$log" >&2; die "cannot download $package"; }
	for deb in "$tree.new/"*.deb; do dpkg-deb -x "$deb" "$tree.new"; done
	rm "$tree.new/"*.deb
	[[ ! -d $tree.new/usr/lib/modules ]] || mv -T "$tree.new/usr/lib" "$tree.new/lib"
	find "$tree.new" -name 'vmlinuz*' -type f -exec mv {} "$tree.new/arch/x86/boot/bzImage" \;
	[[ -f $tree.new/arch/x86/boot/bzImage ]] || die "$package has no kernel"
	mv "$tree.new" "$tree"
	printf '%s\n' "$version" >"$stamp"
	say "flavour $flavour is $package $version"
}

# Debian's own kernels are unpacked by the base 6.12, and the other has links.
if [[ $flavour == stock* && $KSYM_BASE == 6.12 ]]; then
	unpack_stock
	exit 0
elif [[ $flavour == stock* ]]; then
	[[ $flavour != stock ]] || flavour=stock${KSYM_BASE/./}
	BASE=6.12 "$KSYM_ROOT/scripts/kernel.sh" "$flavour"
	mkdir -p "$KSYM_BUILD"
	ln -sfnr "$KSYM_SHARED/linux-$flavour" "$tree"
	exit 0
fi

need_source
hash=$(inputs_hash)
up_to_date() { [[ -f $stamp && $(<"$stamp") == "$hash" && -f $tree/arch/x86/boot/bzImage ]]; }
up_to_date && { say "flavour $flavour is up to date"; exit 0; }

mkdir -p "$KSYM_LOGS" "$(dirname "$stamp")"
lock_builds
# Another script may have built this kernel while this one waited.
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
	# The tree is not a source: changes made in it by hand are overwritten.
	FORCE=1 BASE=$KSYM_BASE "$KSYM_ROOT/scripts/apply.sh" "$action" "$tree" >>"$log" 2>&1 ||
		{
			tail -n 30 "$log" >&2
			die "cannot apply the project to ${tree#"$KSYM_ROOT"/}$(sed -nE 's/^apply: cannot apply ([^ ]*) .*/: \1 does not fit/p' "$log")"
		}
fi
configure
say "building flavour $flavour of $KSYM_BASE with $jobs jobs (log: ${log#"$KSYM_ROOT"/})"
build
# These files are large. make never reads .tmp_vmlinux* again. With vmlinux.o, a build in
# which nothing has to be linked takes half a minute less; only ksym is built that often.
rm -f "$tree"/.tmp_vmlinux*
[[ $flavour == ksym ]] || rm -f "$tree/vmlinux.o"
# The hash from before the build: a file that changed during the build is built next
# time.
printf '%s\n' "$hash" >"$stamp"
# Our fragments override tinyconfig on purpose.
grep 'warning:' "$log" | grep -v 'warning: override:' | sort -u | head -n 20 >&2 || true
say "flavour $flavour built in $((SECONDS - started)) s"
