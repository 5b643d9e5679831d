#!/bin/bash
# Installs the packages that this machine lacks: scripts/setup.sh [SECTION…]
#
# The sections are those of scripts/packages.txt; without arguments it installs all but
# "configs", the compilers of make check-configs, which are large. On a machine that lacks
# nothing it asks no server and prints nothing. It works on a bare Debian 12 or 13 that has
# only make.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=setup
export DEBIAN_FRONTEND=noninteractive

# Prints the packages of the sections named by the arguments.
wanted_packages() {
	{ cat "$KSYM_ROOT/scripts/packages.txt"; echo '[tool]'; cat "$KSYM_ROOT/tools/ksymwatch/packages.txt"; } |
		awk -v "sections= $* " '
			/^\[/ {
				section = substr($0, 2, length - 2)
				wanted = sections ~ /^ *$/ ? section != "configs" : index(sections, " " section " ")
				next
			}
			NF && !/^#/ && wanted' | LC_ALL=C sort -u
}

# Prints those of them that are not installed.
missing_packages() {
	local wanted
	wanted=$(wanted_packages "$@")
	# shellcheck disable=SC2086  # a word is a package
	comm -23 <(echo "$wanted") <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
		sed -n 's/^installed //p' | LC_ALL=C sort -u)
}

has_candidate() { [[ $(apt-cache policy "$1" | sed -n 's/^  Candidate: //p') == [0-9]* ]]; }

# The kernel source, the package $1, comes from Debian's security archive, which the machine may
# not have in its sources. (Debian 13 also has it in its main archive.)
add_security_archive() {
	local source=$1 release list
	release=$(os_release VERSION_CODENAME)
	list=/etc/apt/sources.list.d/ksym-$release-security.list
	if [[ " bookworm trixie " == *" $release "* ]]; then
		say "no apt source has $source; adding Debian's security archive in $list"
		echo "deb http://deb.debian.org/debian-security $release-security main" >"$list"
		apt-get update -q
	fi
	has_candidate "$source" ||
		die "$source not found; the project needs Debian 12 or 13 (this is $(os_release PRETTY_NAME))"
}

mapfile -t missing < <(missing_packages "$@")
if [[ ${#missing[@]} != 0 ]]; then
	say "installing ${#missing[@]} packages: ${missing[*]}"
	[[ $(id -u) == 0 ]] || die "installing packages requires root: sudo make setup"
	apt-get update -q
	# Whatever BASE is, this is the source of 6.12; the other one is not installed.
	for source in "${missing[@]}"; do
		[[ $source != linux-source-* ]] || has_candidate "$source" || add_security_archive "$source"
	done
	# Debian's kexec-tools would make each reboot of this machine go through kexec.
	echo 'kexec-tools kexec-tools/load_kexec boolean false' | debconf-set-selections
	apt-get install -q -y --no-install-recommends -o Dpkg::Use-Pty=0 \
		-o APT::Keep-Downloaded-Packages=false "${missing[@]}"
fi
