# shellcheck shell=bash disable=SC2034
# Functions and variables that the scripts share: paths, flavours, messages. It is only
# sourced, so shellcheck sees no use of the variables that it sets.

KSYM_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# What does not depend on the kernel, such as the tools. KSYM_BUILD has everything else.
KSYM_SHARED=$KSYM_ROOT/build
# The series of Linux that the project is kept on. The first one is the default of BASE.
KSYM_BASES=(6.12 7.3)
# Debian's source of 7.3, outside the clone, so that the tried version goes on being tested
# when the archive has another one; and which builds passed.
KSYM_SOURCE_CACHE=${KSYM_SOURCE_CACHE:-${HOME:-}/.cache/ksym}
KSYM_SOURCE_SUITE=trixie-backports
# The metapackage of Debian's own kernels, and the suite that has the flavour's kernel.
KSYM_STOCK_PACKAGE=linux-image-cloud-amd64
declare -A KSYM_STOCK_SUITE=([stock]=trixie [stock61]=bookworm [stock73]=$KSYM_SOURCE_SUITE)
# The top folders of the overlay: they have the same path in a kernel tree.
KSYM_OVERLAY_DIRS=(arch include kernel tools Documentation samples)

# Messages go to stderr; stdout is for the output of a script.
say() { printf '%s: %s\n' "${KSYM_NAME:-$(basename "$0" .sh)}" "$*" >&2; }
die() { say "$*"; exit 1; }

# Ends the script with the message $1 and the errors in the log $2, or its end.
die_of_log() {
	{ grep -nE 'rror[: ]|warning:|undefined reference|\*\*\*|asked for|not ok' "$2" || tail -n 20 "$2"; } |
		tail -n 20 | tr -d '\r' >&2
	die "$1; log: ${2#"$KSYM_ROOT"/}"
}

# Prints the variable $1 of this machine's /etc/os-release, in a subshell: it has many more.
os_release() (
	# shellcheck source=/dev/null
	. /etc/os-release && printf '%s\n' "${!1:-}"
)

# Prints the newest of $KSYM_SOURCE_PACKAGE and the packages of kernel source that stdin lists.
newest_source() {
	{ echo "$KSYM_SOURCE_PACKAGE"; grep -xE 'linux-source-[0-9]+\.[0-9]+' || true; } | sort -Vu | tail -n 1
}

# Sets the name of the package with the base's source, and its tarball, which need not be
# there yet. For 7.3, a newer series may have been downloaded in its place (fetch_source()).
find_source() {
	KSYM_SOURCE_PACKAGE=linux-source-$KSYM_BASE
	if [[ $KSYM_BASE == 6.12 ]]; then
		KSYM_SOURCE_TARBALL=/usr/src/$KSYM_SOURCE_PACKAGE.tar.xz
		return
	fi
	if [[ ! -f $KSYM_SOURCE_CACHE/$KSYM_SOURCE_PACKAGE/linux-source.tar.xz ]]; then
		KSYM_SOURCE_PACKAGE=$(printf '%s\n' "$KSYM_SOURCE_CACHE"/*/linux-source.tar.xz |
			sed -nE 's,.*/([^/]*)/[^/]*$,\1,p' | newest_source)
	fi
	KSYM_SOURCE_TARBALL=$KSYM_SOURCE_CACHE/$KSYM_SOURCE_PACKAGE/linux-source.tar.xz
}

# Selects the base $1: what is built for 7.3 is in build/7.3.
set_base() {
	[[ " ${KSYM_BASES[*]} " == *" $1 "* ]] || die "unknown base '$1'; use BASE=6.12 or BASE=7.3"
	KSYM_BASE=$1
	KSYM_BUILD=$KSYM_SHARED
	[[ $1 == 6.12 ]] || KSYM_BUILD=$KSYM_SHARED/$1
	KSYM_LOGS=$KSYM_BUILD/log
	find_source
}
set_base "${BASE:-${KSYM_BASES[0]}}"

# Ends the script if the flavour $1 does not exist.
check_flavour() {
	case $1 in
	ksym | debug | kcsan | pristine | fixes | stock | stock61 | stock73) ;;
	*) die "unknown flavour '$1'; use ksym, debug, kcsan, pristine, fixes, stock, stock61 or stock73" ;;
	esac
}

# Runs the apt program "$2…" on the suite $1 of Debian, with separate lists and a separate
# cache, or on this machine's sources if $1 is empty. A release includes its security updates. The
# packages of this machine do not count: newer ones would be what apt wants to download.
suite_apt() {
	local suite=$1 apt=$KSYM_SHARED/apt/$1 options=() archives
	shift
	if [[ -n $suite ]]; then
		archives=("debian $suite")
		[[ $suite == *-* ]] || archives+=("debian-security $suite-security")
		mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
		printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/%s main\n' \
			"${archives[@]}" >"$apt/sources.list"
		options=(-o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
			-o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o Acquire::Languages=none
			-o Dir::State::Status=/dev/null)
	fi
	# As root, apt would warn that its user _apt may not write here.
	"$1" -q -o APT::Sandbox::User=root "${options[@]}" "${@:2}"
}

# Prints the field $3 of the package $2 in the suite $1, or nothing.
package_field() {
	{ suite_apt "$1" apt-cache show --no-all-versions "$2" 2>/dev/null || true; } | sed -n "s/^$3: //p"
}

# Runs apt-get on the suite $1 with the arguments "$2…", which have packages. The lists of the suite
# are fetched if they do not have them.
suite_get() {
	local suite=$1
	shift
	suite_apt "$suite" apt-get "$@" ||
		{ suite_apt "$suite" apt-get update && suite_apt "$suite" apt-get "$@"; }
}

# Downloads the packages "$2…" of the suite $1 into this folder.
suite_download() { suite_get "$1" download "${@:2}"; }

# Succeeds if the base's source is of its series, and not of a newer one in its place.
is_recorded_series() { [[ $KSYM_SOURCE_PACKAGE == "linux-source-$KSYM_BASE" ]]; }

# Downloads Debian's source of 7.3 into the cache or, if the archive does not have that
# series any more, the newest one. A folder gets its name when it is complete. Each step is
# checked, since this also runs where the shell ignores errors (in conditions).
fetch_source() {
	local suite=$KSYM_SOURCE_SUITE package=$KSYM_SOURCE_PACKAGE version new
	new=$(mktemp -d "$KSYM_SOURCE_CACHE/.new-XXXXXX") || die "cannot write to $KSYM_SOURCE_CACHE"
	# shellcheck disable=SC2064  # it is local
	trap "rm -rf '$new'" EXIT
	suite_apt "$suite" apt-get update >"$new/log" 2>&1 ||
		{ tail -n 5 "$new/log" >&2; die "cannot fetch the package lists of $suite"; }
	version=$(package_field "$suite" "$package" Version)
	if [[ -z $version ]]; then
		package=$(suite_apt "$suite" apt-cache search --names-only '^linux-source-' | sed 's/ .*//' | newest_source)
		[[ $package != "$KSYM_SOURCE_PACKAGE" ]] || die "neither $package nor a newer series found in $suite"
		say "warning: $KSYM_SOURCE_PACKAGE not found in $suite; trying $package"
		version=$(package_field "$suite" "$package" Version)
	fi
	say "downloading $package $version from $suite"
	(cd "$new" && suite_apt "$suite" apt-get download "$package=$version") >>"$new/log" 2>&1 ||
		{ tail -n 5 "$new/log" >&2; die "cannot download $package"; }
	mkdir "$new/$package"
	{
		dpkg-deb --fsys-tarfile "$new/$package"_*.deb |
			tar -xOf - "./usr/src/$package.tar.xz" >"$new/$package/linux-source.tar.xz" &&
			printf '%s\n' "$version" >"$new/$package/version" &&
			rm -rf "${KSYM_SOURCE_CACHE:?}/$package" &&
			mv -T "$new/$package" "$KSYM_SOURCE_CACHE/$package"
	} || die "cannot unpack $package into $KSYM_SOURCE_CACHE"
}

# Installs or downloads the base's source if it is not there, and installs what builds it.
need_source() {
	"$KSYM_ROOT/scripts/setup.sh" demo
	[[ ! -f $KSYM_SOURCE_TARBALL && $KSYM_BASE != 6.12 ]] || return 0
	mkdir -p "$KSYM_SOURCE_CACHE"
	# Another script may have downloaded it while this one waited.
	(flock 7; find_source; [[ -f $KSYM_SOURCE_TARBALL ]] || fetch_source) 7>"$KSYM_SOURCE_CACHE/.lock" || exit 1
	find_source
}

# Prints the project's files, or those in the folders "$@", relative to the root, without
# ignored files and without files that are in the index but were deleted.
project_files() {
	local file
	git -C "$KSYM_ROOT" ls-files -co --exclude-standard -- "$@" |
		LC_ALL=C sort -u |
		while IFS= read -r file; do
			[[ ! -f $KSYM_ROOT/$file ]] || printf '%s\n' "$file"
		done
}

# Prints the overlay's files likewise.
overlay_files() { project_files "${KSYM_OVERLAY_DIRS[@]}"; }

# Prints the lines of patches/series that are for this base, in order, one commit each: a
# patch, relative to patches/, or +PART, a part of the overlay. A line "7.3: …" is for that
# base only, one without a prefix for each. The patches in backports/ come first and are
# the series "backports", those in fixes/ follow and are the series "fixes"; the rest is the
# series "ksym".
series_lines() {
	local series=$KSYM_ROOT/patches/series
	[[ ! -f $series ]] || sed -E -e 's/[[:space:]]*#.*//' -e "s/^${KSYM_BASE//./\\.}:[[:space:]]*//" \
		-e '/^[0-9.]+:/d' -e '/^[[:space:]]*$/d' "$series"
}

# Prints the patches of all series, or of "fixes" and "backports", on which fixes is based.
series_patches() { series_lines | sed '/^+/d'; }
fixes_patches() { series_lines | grep -E '^(backports|fixes)/' || true; }

# Prints the file of the patch $1 of patches/series, relative to the root: the base's own
# variant, patches/BASE/NAME, or patches/NAME.
patch_file() {
	if [[ -f $KSYM_ROOT/patches/$KSYM_BASE/$1 ]]; then
		printf 'patches/%s/%s\n' "$KSYM_BASE" "$1"
	else
		printf 'patches/%s\n' "$1"
	fi
}

# Prints the files of the patches that stdin lists.
files_of_patches() {
	local patch
	while IFS= read -r patch; do patch_file "$patch"; done
}

# Prints the absolute paths of all patches.
patch_files() { series_patches | files_of_patches | sed "s,^,$KSYM_ROOT/,"; }

# Prints one hash over the contents, modes and names of the files that stdin lists,
# relative to the root.
hash_files() {
	(cd "$KSYM_ROOT" && xargs -r -d '\n' sh -c 'stat -c "%a %n" "$@"; sha256sum "$@"' sh) |
		sha256sum | cut -d' ' -f1
}

# Prints Debian's configuration of the kernel for virtual machines, which has a package of its
# own.
debian_config() {
	local series=${KSYM_SOURCE_PACKAGE#linux-source-} suite='' file new
	[[ $KSYM_BASE == 6.12 ]] || suite=$KSYM_SOURCE_SUITE
	file=$KSYM_BUILD/debian-config-$series
	if [[ ! -f $file ]]; then
		new=$(mktemp -d "$KSYM_BUILD/.config-XXXXXX")
		{
			(cd "$new" && suite_download "$suite" "linux-config-$series") >"$new/log" 2>&1 &&
				dpkg-deb --fsys-tarfile "$new/linux-config-$series"_*.deb |
				tar -xOf - "./usr/src/linux-config-$series/config.amd64_none_cloud-amd64.xz" | xz -d >"$new/config" &&
				mv "$new/config" "$file"
		} || { tail -n 5 "$new/log" >&2; rm -rf "$new"; die "cannot download linux-config-$series"; }
		rm -rf "$new"
	fi
	cat "$file"
}

# Prints the version of the base's source, or nothing.
source_version() {
	if [[ $KSYM_BASE == 6.12 ]]; then
		dpkg-query -W -f '${Version}' "$KSYM_SOURCE_PACKAGE" 2>/dev/null || true
	else
		cat "$(dirname "$KSYM_SOURCE_TARBALL")/version" 2>/dev/null || true
	fi
}

# Prints the configuration "base", "debug", "kcsan" or "series" of this base: scripts/NAME.config
# and scripts/NAME-BASE.config, relative to the root, as far as they exist.
config_files() {
	local file
	for file in "scripts/$1.config" "scripts/$1-$KSYM_BASE.config"; do
		[[ ! -f $KSYM_ROOT/$file ]] || printf '%s\n' "$file"
	done
}

# Prints the contents of the files that stdin lists, relative to the root.
print_files() { sed "s,^,$KSYM_ROOT/," | xargs -d '\n' cat; }

# Warns if $2, the version of the package $1 here, is not the one in VERSIONS. A suffix like
# ~deb12u1 or ~bpo13+1, with which another release has the same version, does not count.
warn_version() {
	local wanted
	wanted=$(sed -n "s/^$1 //p" "$KSYM_ROOT/VERSIONS")
	[[ ${2%%\~*} == "$wanted" ]] || say "warning: $1 has version $2, but VERSIONS has ${wanted:-no $1}"
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
	mkdir -p "$KSYM_SHARED"
	free=$(df -BM --output=avail "$KSYM_SHARED" | tail -n 1 | tr -dc 0-9)
	((free >= $2)) || die "$1 needs $2 MB of disk in build/; only $free MB are free"
}

# What check-series and check-configs found good is recorded in the cache, so that another
# clone continues there: a line has the hash of all inputs, $1, and what it is, $2.
has_passed() { grep -qs "^$1 " "$KSYM_SOURCE_CACHE/passed"; }
record_passed() {
	mkdir -p "$KSYM_SOURCE_CACHE"
	printf '%s %s\n' "$1" "$2" >>"$KSYM_SOURCE_CACHE/passed"
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

# Prints the arguments of make with which KCSAN looks at our files and at those of breakpoints only,
# so that each report is about one of them: mainline has many races. A variable on the command line
# overrides those in Makefiles; arch/x86/kernel and kernel/trace turn KCSAN off. In files that
# release locks or hand work to others, KCSAN is told of barriers, which it would otherwise miss.
kcsan_options() {
	local name
	echo KCSAN_SANITIZE=n
	for name in $(cd "$KSYM_ROOT" && echo {arch/x86/kernel,kernel/trace/ksym,kernel/events}/*.c) hw_breakpoint; do
		name=${name##*/}
		[[ $name == *_test.c ]] || echo "KCSAN_SANITIZE_${name%.c}.o=y"
	done
	for name in mutex rwsem percpu-rwsem spinlock qspinlock qrwlock tree srcutree irq_work smp task_work \
		workqueue tracepoint hrtimer; do
		echo "KCSAN_INSTRUMENT_BARRIERS_$name.o=y"
	done
}

# Runs make in the tree of the flavour $1, through ccache. Everything that differs
# between clones, machines or days is kept out of the objects, so that ccache hits and
# builds are reproducible: ccache hashes the locale and the compiler's search paths, and
# Kconfig looks for a Rust compiler. Debug information names the working directory, but
# that of another clone does no harm, so ccache ignores it. It takes the list of headers from the
# compiler (CCACHE_DEPEND), since running the preprocessor first took a sixth of a build. Not for
# the flavour series: its two kernels differ in a few options, so most files are the same behind
# the preprocessor.
kernel_make() {
	local tree=$KSYM_BUILD/linux-$1 depend=CCACHE_DEPEND=1 options=()
	[[ $1 != series ]] || depend=CCACHE_NODEPEND=1
	[[ $1 != kcsan ]] || mapfile -t options < <(kcsan_options)
	shift
	env -u CMD -u KDIR -u BASE -u CCACHE_DISABLE -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
		-u LANG -u LC_ALL -u LC_CTYPE -u LC_MESSAGES \
		-u CPATH -u C_INCLUDE_PATH -u LIBRARY_PATH -u SOURCE_DATE_EPOCH -u GCC_COLORS \
		KBUILD_BUILD_TIMESTAMP='2025-01-01 00:00:00 +0000' \
		KBUILD_BUILD_USER=ksym KBUILD_BUILD_HOST=ksym KBUILD_BUILD_VERSION=1 \
		CCACHE_DIR="${CCACHE_DIR:-$HOME/.cache/ksym-ccache}" \
		CCACHE_MAXSIZE="${CCACHE_MAXSIZE:-5G}" \
		CCACHE_BASEDIR="$tree" CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=content \
		"$depend" CCACHE_SLOPPINESS=time_macros,include_file_mtime,include_file_ctime,file_stat_matches \
		make -C "$tree" CC="$KSYM_ROOT/scripts/cc.sh" HOSTCC='ccache gcc' RUSTC=false BINDGEN=false "${options[@]}" "$@"
}

# Builds the kernel of the flavour $1, and for it the modules whose sources are the files "$3…"
# in the new folder $2. Modules fit only the kernel in the tree, hence the lock. In a condition,
# errexit is off.
build_modules() (
	local flavour=$1 folder=$2
	shift 2
	"$KSYM_ROOT/scripts/kernel.sh" "$flavour" && rm -rf "$folder" && mkdir -p "$folder" && cp "$@" "$folder" || exit
	lock_builds
	kernel_make "$flavour" M="$folder" modules
)

# Prints the progress of a long build by its log $2 every 20 s. It ends when the file $1 is
# removed or this script ends.
progress() {
	local alive=$1 log=$2 started=$SECONDS next=20
	while [[ -e $alive ]] && kill -0 $$; do
		sleep 1
		if ((SECONDS - started >= next)); then
			say "$((SECONDS - started)) s, $(grep -cE '^  (CC|AS|LD|AR|HOSTCC)' "$log") steps: $(tail -n 1 "$log" | tr -s ' ')"
			next=$((next + 20))
		fi
	done
}

# The accelerator, unless VM_ACCEL asks for another one, of machines that patch running code or move
# breakpoints. With a thread per CPU, QEMU 7.2 may fail there (CONTRIBUTING.md).
one_thread=${VM_ACCEL:-tcg,thread=single}

# Does the machine's kernel have checkers? They make it slow.
has_checkers() { [[ ${VM_FLAVOUR:-} == debug || ${VM_FLAVOUR:-} == kcsan ]]; }

# What scripts/vm.sh says when QEMU was ended by SIGABRT or SIGSEGV.
qemu_crash='vm: QEMU failed (status 13[49])'

# Counts a result of TAP in "passed", "failed" or "skipped": $1 is "ok" or "not ok", $2 the rest of
# the line.
count_result() {
	case $1:${2,,} in
	*:*'# skip'*) skipped=$((skipped + 1)) ;;
	ok:* | *:*'# todo'* | *:*'# xfail'*) passed=$((passed + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
}

# Replaces what the manual $1 has between the line $2 and the next line ".. to here" by stdin, with an
# empty line on both sides.
replace_section() {
	local manual=$1 begin=$2 end='.. to here' new
	new=$(mktemp)
	{ echo; cat; echo; } >"$new"
	sed -n "/^$begin\$/,/^$end\$/p" "$manual" | tail -n 1 | grep -qxF -- "$end" ||
		die "$manual has no line '$begin' with '$end' after it"
	sed -i -e "/^$begin\$/,/^$end\$/{/^$begin\$/!{/^$end\$/!d}}" "$manual"
	sed -i -e "/^$begin\$/r $new" "$manual"
	rm "$new"
}

# Runs "$2…", appends its output to the log $1, and prints its progress.
with_progress() {
	local log=$1 status=0 reporter
	shift
	alive=$KSYM_BUILD/.building.$$
	: >"$alive"
	trap 'rm -f "$alive"' EXIT
	progress "$alive" "$log" &
	reporter=$!
	"$@" >>"$log" 2>&1 || status=$?
	rm -f "$alive"
	wait "$reporter" || true
	return "$status"
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

# Prints the options of the tracer and those that it needs.
tracer_options() {
	printf 'CONFIG_%s=y\n' FTRACE PERF_EVENTS DEBUG_KERNEL KALLSYMS KALLSYMS_ALL \
		KSYM_TRACER HW_BREAKPOINT_FLEXIBLE
}

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
