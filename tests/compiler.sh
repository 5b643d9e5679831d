#!/bin/bash
# The compiler of kernels (scripts/cc.sh) takes from ccache what is the same, and nothing else.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

export CCACHE_DIR=$scratch/cache CCACHE_DEPEND=1
cd "$scratch"
# compile FILE OBJECT
compile() { "$KSYM_ROOT/scripts/cc.sh" -MD -MF "$2.d" -c -o "$2" "$1"; }

echo 'int number = NUMBER;' >number.c
echo '#define NUMBER 1' >number.h
sed -i '1i #include "number.h"' number.c
compile number.c one.o
compile number.c same.o
check 'a source that is the same is not compiled again' cmp one.o same.o
is 'it was found in the cache' "$(ccache --print-stats | sed -n 's/^direct_cache_hit\t//p')" 1
echo '#define NUMBER 2' >number.h
compile number.c two.o
is 'one whose header has changed is' "$(cmp -s one.o two.o || echo $?)" 1

printf '.data\n.incbin "image"\n' >image.S
echo one >image
compile image.S one.o
echo two >image
compile image.S two.o
is 'and one whose .incbin has changed' "$(cmp -s one.o two.o || echo $?)" 1
finish
