#!/bin/bash
# Builds a Debian package of the kernel with the tracer: KCONFIG=FILE scripts/kernel-deb.sh
#
# KCONFIG is the configuration, for example /boot/config-… of the machine that the package is for.
# Options that the tracer needs are added. Without KCONFIG it is Debian's configuration for virtual
# machines, with only the modules of scripts/kernel-deb.modules: 3,120 objects instead of 5,330.
#
# The kernel's own bindeb-pkg makes the packages. They are in kernel-deb of the base's build
# folder, and their paths are printed: linux-image-RELEASE, and linux-headers-RELEASE for
# modules that are built elsewhere. RELEASE ends with -ksym, so the kernel is installed beside
# Debian's.
#
# The tree is built in place, as those of the flavours are. After another KCONFIG, what differs is
# built anew, or found by ccache if it was built before.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=kernel-deb

tree=$KSYM_BUILD/linux-deb
out=$KSYM_BUILD/kernel-deb
log=$KSYM_LOGS/kernel-deb.log
request=$KSYM_BUILD/config-deb
jobs=${JOBS:-$(nproc)}
given=${KCONFIG:-}
# Another make inherits it otherwise.
unset KCONFIG
if [[ -n $given ]]; then
	[[ -f $given ]] || die "KCONFIG=$given: no such file"
	# Without this, an empty or a wrong file would give the defaults of all options.
	option_lines "$given" >/dev/null || die "KCONFIG=$given: not a kernel configuration"
	given=$(realpath "$given")
fi

# Prints the configuration before the tree's Kconfig files complete it.
requested_config() {
	if [[ -n $given ]]; then
		cat "$given"
	else
		debian_config
		# Debian signs its modules elsewhere, with a key that is not in the source.
		echo '# CONFIG_MODULE_SIG is not set'
	fi
	# Debian's name files of its packaging.
	printf 'CONFIG_%s=""\n' SYSTEM_TRUSTED_KEYS SYSTEM_REVOCATION_KEYS
	tracer_options
}

# Turns off all modules but those of the list. It asks about options that became visible; an
# empty answer is the default.
reduce_config() {
	sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$KSYM_ROOT/scripts/kernel-deb.modules" >"$request.modules"
	kernel_make deb -s LSMOD="$request.modules" localmodconfig < <(yes '' 2>/dev/null)
}

configure() {
	requested_config >"$request" && cp "$request" "$tree/.config" &&
		kernel_make deb -s olddefconfig && { [[ -n $given ]] || reduce_config; }
}

need_source
"$KSYM_ROOT/scripts/setup.sh" demo kernel-deb
mkdir -p "$KSYM_LOGS"
lock_builds
warn_source_version
started=$SECONDS
: >"$log"
# The configuration may have any driver.
KSYM_SOURCE_UNUSED=()
# The source takes 1.7 GB; the objects of a small configuration 1.4 GB, Debian's reduced one over
# 3 GB. A given configuration may have far more drivers.
room=3000
[[ -d $tree ]] || room=8000
need_room 'building the package' "$room"
unpack_source "$tree"
FORCE=1 BASE=$KSYM_BASE "$KSYM_ROOT/scripts/apply.sh" apply "$tree" >>"$log" 2>&1 ||
	die_of_log "cannot apply the project to ${tree#"$KSYM_ROOT"/}" "$log"
(configure) >>"$log" 2>&1 || die_of_log 'cannot configure the kernel' "$log"
check_config "$tree/.config" <(tracer_options) || die 'the configuration cannot have the tracer'
if [[ -n $given ]]; then
	check_config "$tree/.config" <(grep -v '^CONFIG_SYSTEM_.*_KEYS=' "$request") 2>"$request.lost" ||
		say "$(wc -l <"$request.lost") options differ from $given; see ${request#"$KSYM_ROOT"/}.lost"
fi

say "building the kernel with $jobs jobs (log: ${log#"$KSYM_ROOT"/})"
with_progress "$log" kernel_make deb -j"$jobs" LOCALVERSION=-ksym all || die_of_log 'the kernel does not build' "$log"
say "kernel built in $((SECONDS - started)) s; making the packages"
# A later build has a higher version, so apt installs it over an earlier one. Without a "-" in
# it, it does not get into the kernel, which would be linked anew each time.
version=$(kernel_make deb -s --no-print-directory kernelversion)+ksym$(date -u +%Y%m%d%H%M%S)
# The profile leaves out the package of debug information.
with_progress "$log" kernel_make deb LOCALVERSION=-ksym KDEB_PKGVERSION="$version" KDEB_CHANGELOG_DIST=unstable \
	DPKG_FLAGS=--build-profiles=pkg.linux-upstream.nokerneldbg bindeb-pkg ||
	die_of_log 'cannot make the packages' "$log"
# They are beside the tree. linux-libc-dev, the headers of libc, is not for installing.
rm -rf "$out"
mkdir -p "$out"
mapfile -t packages < <(sed -nE 's/^(linux-(image|headers)-[^ ]*\.deb) .*/\1/p' "$tree/debian/files")
mv "${packages[@]/#/$KSYM_BUILD/}" "$out/"
rm -rf "$KSYM_BUILD"/linux-{libc-dev,upstream}_"$version"_* "$tree/debian"
say "packages of $version made in $((SECONDS - started)) s"
ls "$out"/*.deb
