#!/bin/bash
# Tests how the source of 7.3 is found and downloaded (need_source() in scripts/lib.sh): from
# an archive that is made here, with fakes of apt-get and apt-cache.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

project=$scratch/project
archive=$scratch/archive
mkdir -p "$project/scripts" "$scratch/bin"
cp "$KSYM_ROOT/scripts/lib.sh" "$project/scripts/"
echo 'linux-source-7.3 7.3.4-1' >"$project/VERSIONS"
printf '#!/bin/sh\n' >"$project/scripts/setup.sh"
cat >"$scratch/bin/apt-get" <<'END'
#!/bin/bash
echo "$*" >>"$ARCHIVE/said"
last=${!#}
case $* in
*update) test ! -e "$ARCHIVE/unreachable" || { echo 'E: unreachable'; exit 100; } ;;
*download*) cp "$ARCHIVE/$last.deb" "${last/=/_}_all.deb" ;;
esac
END
cat >"$scratch/bin/apt-cache" <<'END'
#!/bin/bash
case $* in
*search*)
	# What is installed on this machine.
	echo 'linux-source-6.12 - Linux kernel source'
	cd "$ARCHIVE" && ls *.deb 2>/dev/null | sed 's/=.*/ - Linux kernel source/'
	;;
*show*) cd "$ARCHIVE" && ls *.deb 2>/dev/null | sed -nE "s/^${!#}=(.*)\.deb$/Version: \1/p" ;;
esac
END
chmod +x "$project/scripts/setup.sh" "$scratch"/bin/*

# Adds the package linux-source-$1 to the archive, with the version $2.
add_package() {
	local package=linux-source-$1 root=$scratch/deb
	rm -rf "$root"
	mkdir -p "$root/DEBIAN" "$root/usr/src" "$archive"
	printf '%s\n' "Package: $package" "Version: $2" 'Architecture: all' 'Maintainer: test <test@localhost>' \
		'Description: test' >"$root/DEBIAN/control"
	echo "source of $1" >"$root/usr/src/$package.tar.xz"
	dpkg-deb -Znone -b "$root" "$archive/$package=$2.deb" >/dev/null
}

# Starts with an empty archive and an empty cache.
new_archive() { rm -rf "$archive" "$scratch/cache"; mkdir "$archive"; }

# Prints the messages of need_source(), the source and its version.
# shellcheck disable=SC2016  # the inner shell reads it
need() {
	PATH=$scratch/bin:$PATH ARCHIVE=$archive KSYM_SOURCE_CACHE=$scratch/cache BASE=${BASE:-7.3} \
		bash -euc '. scripts/lib.sh; KSYM_NAME=test; need_source; cat "$KSYM_SOURCE_TARBALL"; source_version; is_recorded_series || echo newer' 2>&1
}
export BASE=7.3
cd "$project"

new_archive
add_package 7.3 7.3.4-1
add_package 7.4 7.4.1-1
is 'the source is downloaded' "$(need)" $'test: downloading linux-source-7.3 7.3.4-1 from trixie-backports\nsource of 7.3\n7.3.4-1'
is 'only once' "$(need; grep -c download "$archive/said")" $'source of 7.3\n7.3.4-1\n1'
is 'and nothing else is left in the cache' "$(cd "$scratch/cache" && find . -mindepth 1 | sort | xargs)" \
	'./.lock ./linux-source-7.3 ./linux-source-7.3/linux-source.tar.xz ./linux-source-7.3/version'
rm -r "$archive"
mkdir "$archive"
add_package 7.4 7.4.1-1
is 'it is kept when the archive has another series' "$(need)" $'source of 7.3\n7.3.4-1'
# shellcheck disable=SC2016
contains 'another version than that in VERSIONS causes a warning' \
	"$(echo 7.3.5-1 >"$scratch/cache/linux-source-7.3/version"
		KSYM_SOURCE_CACHE=$scratch/cache bash -euc '. scripts/lib.sh; KSYM_NAME=test; warn_source_version' 2>&1)" \
	'test: warning: linux-source-7.3 has version 7.3.5-1, but VERSIONS has 7.3.4-1'

new_archive
add_package 7.4 7.4.1-1
add_package 7.10 7.10-1
add_package 7.2 7.2.9-1
newest=$'source of 7.10\n7.10-1\nnewer'
is 'without 7.3 the newest series is downloaded' "$(need)" \
	$'test: warning: linux-source-7.3 not found in trixie-backports; trying linux-source-7.10\ntest: downloading linux-source-7.10 7.10-1 from trixie-backports\n'"$newest"
is 'and kept' "$(need)" "$newest"

new_archive
add_package 7.2 7.2.9-1
contains 'an older series is not taken' "$(need || true)" 'neither linux-source-7.3 nor a newer series found in trixie-backports'
touch "$archive/unreachable"
contains 'an archive that cannot be reached is reported' "$(need || true)" $'E: unreachable\ntest: cannot fetch the package lists'
is 'and leaves nothing in the cache' "$(cd "$scratch/cache" && find . -mindepth 1)" ./.lock

new_archive
add_package 7.3 7.3.4-1
truncate -s 300 "$archive/linux-source-7.3=7.3.4-1.deb"
contains 'a package that cannot be unpacked is reported' "$(need || true)" 'test: cannot unpack linux-source-7.3 into'
is 'and leaves nothing either' "$(cd "$scratch/cache" && find . -mindepth 1)" ./.lock

new_archive
add_package 7.3 7.3.4-1
need >"$scratch/first" &
need >"$scratch/second"
wait $!
is 'two scripts at a time download once' \
	"$(tail -qn 1 "$scratch/first" "$scratch/second" | xargs) $(grep -c download "$archive/said")" '7.3.4-1 7.3.4-1 1'
finish
