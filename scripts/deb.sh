#!/bin/bash
# Builds the Debian package of ksymwatch in build/deb, without files that git ignores. Its
# source has the folders of a kernel tree, since the tool compiles files of the tracer.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=deb

"$KSYM_ROOT/scripts/setup.sh" tool deb
out=$KSYM_SHARED/deb
source=$out/ksymwatch
log=$KSYM_LOGS/deb.log
rm -rf "$out"
mkdir -p "$source" "$KSYM_LOGS"
git -C "$KSYM_ROOT" ls-files -co -z --exclude-standard -- tools/ksymwatch arch/x86/kernel/ksym_access.c \
	kernel/trace/ksym/ksym_{parse.c,parse.h,errors.h,counts.h} |
	(cd "$KSYM_ROOT" && { xargs -0 ls -d 2>/dev/null || true; }) |
	tar -C "$KSYM_ROOT" -cf - -T - | tar -C "$source" -xf -
mv "$source/tools/ksymwatch/debian" "$source"
version=$(cd "$source" && dpkg-parsechangelog -S Version)
grep -q "define KSYMWATCH_VERSION[[:space:]]*\"$version\"" "$source/tools/ksymwatch/lib/version.h" ||
	die "debian/changelog has the version $version, and lib/version.h another one"
# dpkg-buildpackage sets its own flags.
(cd "$source" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u CFLAGS -u O \
	LC_ALL=C.UTF-8 dpkg-buildpackage -us -uc -b -j"$(nproc)") >"$log" 2>&1 ||
	{ tail -n 20 "$log" >&2; die "cannot build the package; log: $log"; }
ls "$out"/ksymwatch_*.deb
