#!/bin/bash
# Tests the Debian package of ksymwatch: lintian reports nothing, apt installs it with its
# dependencies, and a purge removes everything.
set -uo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
set +e

tool=$KSYM_ROOT/tools/ksymwatch

# Prints the packages of a field of debian/control, a line each, without versions.
field() {
	sed -n "/^$1:/,/^[^ ]/p" "$tool/debian/control" |
		sed -nE 's/^ ([a-z0-9.+-]+).*/\1/p' | LC_ALL=C sort
}
listed() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1" | LC_ALL=C sort -u; }
is 'Build-Depends are the packages of packages.txt' "$(field Build-Depends | grep -v '^debhelper' | xargs)" \
	"$(listed "$tool/packages.txt" | xargs)"
is 'the tests install its dependencies' \
	"$(field Depends | comm -23 - <(listed "$KSYM_ROOT/scripts/packages.txt"))" ''

check 'make deb' make -s -C "$KSYM_ROOT" deb
deb=$(ls "$KSYM_SHARED"/deb/ksymwatch_*.deb)
is 'lintian reports nothing' "$(lintian --tag-display-limit 0 -I --fail-on error,warning,info \
	"$KSYM_SHARED"/deb/ksymwatch_*.changes 2>&1 | grep -v '^running with root privileges'; echo "${PIPESTATUS[0]}")" 0
contains 'the package depends on its libraries' "$(dpkg-deb -f "$deb" Depends)" libtracefs1

# Runs "$@" in a copy of this system that is discarded afterwards.
if [[ $(id -u) != 0 ]] || ! unshare -m true 2>/dev/null; then
	skip 'apt installs it' 'this requires root'
	finish
fi
# shellcheck disable=SC2016,SC2317  # check calls it, and the shell in it reads that
in_system() {
	unshare -m bash -c '
		mkdir "$1/disk" && mount -t tmpfs none "$1/disk" && cd "$1/disk" &&
		mkdir upper work system && mount -t overlay overlay \
			-o lowerdir=/,upperdir=upper,workdir=work system &&
		mount -t proc proc system/proc && mount --rbind /dev system/dev &&
		cp "$2" system/root/ksymwatch.deb && shift 2 && exec chroot system bash -c "$@"' - \
		"$scratch" "$deb" "$@"
}
# The state of dpkg and its caches are not compared.
# shellcheck disable=SC2016  # the shell in there reads it
check 'apt installs it, and a purge removes everything' in_system '
	set -e
	export DEBIAN_FRONTEND=noninteractive
	list() { find /etc /usr /var/lib/ksymwatch /run -xdev \( -path /usr/share/man -prune -o -type f -print \) 2>/dev/null |
		grep -vE "^/(var/cache|usr/share/mime|etc/ld.so.cache)" | LC_ALL=C sort; }
	list >/before
	apt-get install -y --no-install-recommends /root/ksymwatch.deb
	ksymwatch --version
	test "$(command -v ksymwatch)" = /usr/bin/ksymwatch
	test -s /usr/share/bash-completion/completions/ksymwatch
	test -s /usr/share/man/man1/ksymwatch.1.gz
	test -s /usr/share/doc/ksymwatch/copyright
	apt-get purge -y ksymwatch
	! dpkg -s ksymwatch
	list >/after
	diff /before /after'
finish
