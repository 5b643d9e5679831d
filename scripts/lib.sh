# shellcheck shell=bash disable=SC2034
# Functions and variables that the scripts share: paths, flavours, messages. It is only
# sourced, so shellcheck sees no use of the variables that it sets.

KSYM_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
KSYM_BUILD=$KSYM_ROOT/build
KSYM_LOGS=$KSYM_BUILD/log
KSYM_SOURCE_PACKAGE=linux-source-6.12
KSYM_SOURCE_TARBALL=/usr/src/$KSYM_SOURCE_PACKAGE.tar.xz
# The metapackages of Debian's own kernels by flavour, and the suite of one that is not in
# the sources of this machine.
declare -A KSYM_STOCK_PACKAGE=([stock]=linux-image-6.12-cloud-amd64 [stock61]=linux-image-cloud-amd64
	[stock73]=linux-image-cloud-amd64)
declare -A KSYM_STOCK_SUITE=([stock73]=trixie-backports)
# The top folders of the overlay: they have the same path in a kernel tree.
KSYM_OVERLAY_DIRS=(arch include kernel tools Documentation samples)

# Messages go to stderr; stdout is for the output of a script.
say() { printf '%s: %s\n' "${KSYM_NAME:-$(basename "$0" .sh)}" "$*" >&2; }
die() { say "$*"; exit 1; }

# Ends the script if the flavour $1 does not exist.
check_flavour() {
	case $1 in
	ksym | debug | pristine | fixes | stock | stock61 | stock73) ;;
	*) die "unknown flavour '$1'; use ksym, debug, pristine, fixes, stock, stock61 or stock73" ;;
	esac
}

# Runs the apt program "$2…" on the suite $1 of Debian, with separate lists and a separate
# cache, or on this machine's sources if $1 is empty.
suite_apt() {
	local suite=$1 apt=$KSYM_BUILD/apt/$1 options=()
	shift
	if [[ -n $suite ]]; then
		mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
		printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian %s main\n' \
			"$suite" >"$apt/sources.list"
		options=(-o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
			-o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o Acquire::Languages=none)
	fi
	# As root, apt would warn that its user _apt may not write here.
	"$1" -q -o APT::Sandbox::User=root "${options[@]}" "${@:2}"
}

# Downloads the packages "$2…" of the suite $1 into this folder. The lists of a suite are
# fetched if they do not have the package.
suite_download() {
	local suite=$1
	shift
	suite_apt "$suite" apt-get download "$@" ||
		{ suite_apt "$suite" apt-get update && suite_apt "$suite" apt-get download "$@"; }
}

# Prints the overlay's files, relative to the root, without ignored files and without
# files that are in the index but were deleted.
overlay_files() {
	local file
	git -C "$KSYM_ROOT" ls-files -co --exclude-standard -- "${KSYM_OVERLAY_DIRS[@]}" |
		LC_ALL=C sort -u |
		while IFS= read -r file; do
			[[ ! -f $KSYM_ROOT/$file ]] || printf '%s\n' "$file"
		done
}

# Prints the lines of patches/series in order, one commit each: a patch, relative to
# patches/, or +PART, a part of the overlay. The patches in patches/fixes come first and
# are the series "fixes"; the rest is the series "ksym".
series_lines() {
	local series=$KSYM_ROOT/patches/series
	[[ ! -f $series ]] || sed -e 's/[[:space:]]*#.*//' -e '/^[[:space:]]*$/d' "$series"
}

# Prints the patches of both series, or of the series "fixes".
series_patches() { series_lines | sed '/^+/d'; }
fixes_patches() { series_lines | sed -n '/^fixes\//p'; }

# Prints the absolute paths of all patches.
patch_files() { series_patches | sed "s,^,$KSYM_ROOT/patches/,"; }

# Prints one hash over the contents, modes and names of the files that stdin lists,
# relative to the root.
hash_files() {
	(cd "$KSYM_ROOT" && xargs -r -d '\n' sh -c 'stat -c "%a %n" "$@"; sha256sum "$@"' sh) |
		sha256sum | cut -d' ' -f1
}

# Prints the installed version of the kernel source package, or nothing.
source_version() {
	dpkg-query -W -f '${Version}' "$KSYM_SOURCE_PACKAGE" 2>/dev/null || true
}

# Warns if $2, the version of the package $1 here, is not the one in VERSIONS.
warn_version() {
	local wanted
	wanted=$(sed -n "s/^$1 //p" "$KSYM_ROOT/VERSIONS")
	[[ $2 == "$wanted" ]] || say "warning: $1 has version $2, but VERSIONS has $wanted"
}
warn_source_version() { warn_version "$KSYM_SOURCE_PACKAGE" "$(source_version)"; }

# Prints the files that the given patches touch.
touched_by() {
	[[ $# == 0 ]] || sed -nE 's,^(---|\+\+\+) [ab]/([^[:space:]]+).*,\2,p' "$@" | sort -u
}

# Unpacks the files that stdin lists from Debian's source into the folder $1. Files that
# the source does not have are skipped.
unpack_pristine() {
	local top=$KSYM_SOURCE_PACKAGE
	sed "s,^,$top/," |
		tar -xf "$KSYM_SOURCE_TARBALL" -C "$1" --strip-components=1 -T - 2>/dev/null || true
}

# Large parts of Debian's source that no kernel here is built from: 0.9 of 1.7 GB. The
# Makefiles and Kconfig files there stay, since make reads all of them.
KSYM_SOURCE_UNUSED=('drivers/gpu/*.[ch]' 'drivers/media/*.[ch]' 'drivers/net/*/*.[ch]'
	'drivers/scsi/*.[ch]' 'sound/*.[ch]' 'arch/*/boot/dts' tools/perf)

# Unpacks Debian's source into the folder $1, unless it is there. It is unpacked beside
# that folder and renamed when it is complete, so that an interrupted unpacking is never
# taken for a tree.
unpack_source() {
	local tree=$1 mark=$1/.ksym-unpacked tarball_id
	tarball_id=$(stat -c '%s %Y' "$KSYM_SOURCE_TARBALL")
	[[ ! -f $mark || $(<"$mark") != "$tarball_id" ]] || return 0
	say "unpacking $KSYM_SOURCE_TARBALL into ${tree#"$KSYM_ROOT"/}"
	rm -rf "$tree" "$tree.new"
	mkdir -p "$tree.new"
	tar -xf "$KSYM_SOURCE_TARBALL" -C "$tree.new" --strip-components=1 \
		"${KSYM_SOURCE_UNUSED[@]/#/--exclude=$KSYM_SOURCE_PACKAGE/}"
	printf '%s\n' "$tarball_id" >"$tree.new/.ksym-unpacked"
	mv "$tree.new" "$tree"
}

# Ends the script if build/ has less than $2 MB left, which $1 needs.
need_room() {
	local free
	mkdir -p "$KSYM_BUILD"
	free=$(df -BM --output=avail "$KSYM_BUILD" | tail -n 1 | tr -dc 0-9)
	((free >= $2)) || die "$1 needs $2 MB of disk in build/; only $free MB are free"
}

# Prints the files by which scripts/apply.sh recognises a kernel tree.
tree_marks() {
	printf '%s\n' Makefile Kbuild Kconfig MAINTAINERS kernel/trace/Makefile arch/x86/Kconfig
}

# Takes the lock for kernel builds, until this script ends. There is one lock for the
# whole machine: two builds at a time would slow each other down, and two in the same
# tree would break it.
lock_builds() {
	exec 9>/tmp/ksym-kernel-build.lock
	flock -n 9 || { say 'waiting for another kernel build to end'; flock 9; }
}

# Runs make in the tree of the flavour $1, through ccache. Everything that differs
# between clones, machines or days is kept out of the objects, so that ccache hits and
# builds are reproducible: ccache hashes the locale and the compiler's search paths, and
# Kconfig looks for a Rust compiler. Debug information names the working directory, but
# that of another clone does no harm, so ccache ignores it.
kernel_make() {
	local tree=$KSYM_BUILD/linux-$1
	shift
	env -u CMD -u KDIR -u CCACHE_DISABLE -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
		-u LANG -u LC_ALL -u LC_CTYPE -u LC_MESSAGES \
		-u CPATH -u C_INCLUDE_PATH -u LIBRARY_PATH -u SOURCE_DATE_EPOCH -u GCC_COLORS \
		KBUILD_BUILD_TIMESTAMP='2025-01-01 00:00:00 +0000' \
		KBUILD_BUILD_USER=ksym KBUILD_BUILD_HOST=ksym KBUILD_BUILD_VERSION=1 \
		CCACHE_DIR="${CCACHE_DIR:-$HOME/.cache/ksym-ccache}" \
		CCACHE_MAXSIZE="${CCACHE_MAXSIZE:-5G}" \
		CCACHE_BASEDIR="$tree" CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=content \
		CCACHE_SLOPPINESS=time_macros,include_file_mtime,include_file_ctime,file_stat_matches \
		make -C "$tree" CC='ccache gcc' HOSTCC='ccache gcc' RUSTC=false BINDGEN=false "$@"
}

# Configures the tree of the flavour $1 with tinyconfig and the options in the file $2.
# The other arguments are for make.
make_config() {
	local flavour=$1 request=$2
	local tiny=(kernel/configs/tiny-base.config kernel/configs/tiny.config arch/x86/configs/tiny.config)
	shift 2
	(cd "$KSYM_BUILD/linux-$flavour" && cat "${tiny[@]}" "$request") >"$request.all"
	kernel_make "$flavour" -s KCONFIG_ALLCONFIG="$request.all" "$@" allnoconfig
}

# Prints the option lines of a fragment, as in .config.
option_lines() { grep -hE '^(CONFIG_[A-Z0-9_]+=|# CONFIG_[A-Z0-9_]+ is not set)' "$@"; }

# Prints every option that differs between the request $2 and the configuration $1, and
# fails if there is any. A later line of the request overrides an earlier one. An absent
# option counts as not set.
check_config() {
	awk '
		function name(line) {
			sub(/^# /, "", line); sub(/[= ].*/, "", line); return line
		}
		FNR == NR { got[name($0)] = $0; next }
		{ want[name($0)] = $0 }
		END {
			for (n in want) {
				have = (n in got) ? got[n] : "nothing (unknown option, or a dependency is off)"
				off = want[n] ~ / is not set$/
				if (off ? (n in got && have !~ / is not set$/) : have != want[n]) {
					printf "%s: asked for %s, got %s\n", script, want[n], have
					bad = 1
				}
			}
			exit bad
		}' script="$KSYM_NAME" <(option_lines "$1") <(option_lines "$2") >&2
}
