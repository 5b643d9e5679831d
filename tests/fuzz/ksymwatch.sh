#!/bin/bash
# Fuzzes the inputs of ksymwatch: tests/fuzz/ksymwatch.sh TARGET SECONDS [OPTION...]
#
# TARGET is specs, symbols, records or recordings, see ksymwatch.c; 0 seconds mean no limit, and the
# options are libFuzzer's, such as -runs=N. The corpus is in build/fuzz/TARGET, and inputs
# that end the run are in build/fuzz/TARGET-*.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
KSYM_NAME=fuzz

target=$1 seconds=$2
shift 2
[[ $target =~ ^(specs|symbols|records|recordings)$ ]] || die "unknown target '$target'; use specs, symbols, records or recordings"
tool=$KSYM_ROOT/tools/ksymwatch
out=$KSYM_SHARED/fuzz
sanitize=-fsanitize=address,undefined
mkdir -p "$out/$target" "$KSYM_LOGS"

# Several targets may be built at a time.
exec 7>"$out/.lock"
flock 7
make -s -C "$tool" O="$out" CC=clang \
	CFLAGS="-O1 -g $sanitize,fuzzer-no-link -fno-sanitize-recover=undefined" >"$KSYM_LOGS/fuzz.log" 2>&1 ||
	{ tail -n 20 "$KSYM_LOGS/fuzz.log" >&2; die 'ksymwatch does not build with clang'; }
flock -u 7
# main() is not used, but the code beside it that the subcommands share is.
objcopy --redefine-sym main=ksymwatch_main "$out/cmd/main.o" "$out/$target-main.o.tmp"
objects=()
while IFS= read -r source; do
	objects+=("$out/${source%.c}.o")
done < <(cd "$tool" && find . -name '*.c' ! -name '*.bpf.c' ! -path ./cmd/main.c -printf '%P\n')
mapfile -t libraries < <(sed -n 's/^LIBRARIES[[:space:]]*[:+]= *//p' "$tool/Makefile" | tr ' ' '\n')
read -r -a flags <<<"$(pkg-config --cflags --libs "${libraries[@]}")"
clang -std=gnu2x -D_GNU_SOURCE -D"${target^^}" -O1 -g -Wall -Wextra -I "$tool" -I "$tool/spec/include" \
	$sanitize,fuzzer -fno-sanitize-recover=undefined \
	-Wl,--wrap=err,--wrap=die,--wrap=die_usage \
	-o "$out/$target-fuzz" "$KSYM_ROOT/tests/fuzz/ksymwatch.c" "$out/$target-main.o.tmp" "${objects[@]}" \
	"${flags[@]}" -lZydis -lm
rm "$out/$target-main.o.tmp"

cd "$out/$target"
# die() skips the code that frees memory, and libtraceevent leaks some of a damaged format.
leaks=$([[ $target == specs || $target == recordings ]] && echo 0 || echo 1)
export ASAN_OPTIONS=detect_leaks=$leaks
seeds=("$KSYM_ROOT/tests/fuzz/seeds/$target") longest=4096
if [[ $target == recordings ]]; then
	export RECORDING=$out/recording
	gunzip -c "${seeds[0]}/head.gz" >"$RECORDING"
	gunzip -c "${seeds[0]}/tail.gz" >"$out/$target/seed"
	seeds=() longest=32768
fi
# Words of the syntax, which random bytes would hardly hit.
cp "$KSYM_ROOT/tests/fuzz/ksymwatch.dict" "$out/$target.dict"
exec "$out/$target-fuzz" -max_total_time="$seconds" -detect_leaks="$leaks" \
	-timeout=10 -rss_limit_mb=2048 -max_len=$longest -verbosity=0 -print_final_stats=1 \
	-dict="$out/$target.dict" -artifact_prefix="$out/$target-" "$@" \
	"$out/$target" "${seeds[@]}"
