#!/bin/bash
# Installs what the lists of packages name and this machine lacks; on a machine that
# lacks nothing it asks no server and says nothing. It works on a bare Debian 12
# that has only make.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=setup
export DEBIAN_FRONTEND=noninteractive

# Prints the packages of the list that are not installed.
missing_packages() {
	local package
	while IFS= read -r package; do
		[[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
			printf '%s\n' "$package"
	done < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$KSYM_ROOT"/scripts/packages.txt \
		"$KSYM_ROOT"/tools/ksymwatch/packages.txt)
}

has_candidate() { [[ $(apt-cache policy "$1" | sed -n 's/^  Candidate: //p') == [0-9]* ]]; }

# The kernel source comes through Debian's security archive, which an image may
# not have in its list.
add_security_archive() {
	local list=/etc/apt/sources.list.d/ksym-bookworm-security.list
	say "no apt source here has $KSYM_SOURCE_PACKAGE; adding Debian's security archive as $list"
	echo 'deb http://deb.debian.org/debian-security bookworm-security main' >"$list"
	apt-get update -q
	has_candidate "$KSYM_SOURCE_PACKAGE" ||
		die "$KSYM_SOURCE_PACKAGE is not to be had; the project needs Debian 12 (this is $(. /etc/os-release && echo "$PRETTY_NAME"))"
}

mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} != 0 ]]; then
	say "installing ${#missing[@]} packages: ${missing[*]}"
	[[ $(id -u) == 0 ]] || die "that needs root: sudo make setup"
	apt-get update -q
	has_candidate "$KSYM_SOURCE_PACKAGE" || add_security_archive
	# Debian's kexec-tools would have each reboot of this machine go through kexec.
	echo 'kexec-tools kexec-tools/load_kexec boolean false' | debconf-set-selections
	apt-get install -q -y --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}"
fi
warn_source_version
