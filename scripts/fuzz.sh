#!/bin/bash
# Gives random input to what reads input: scripts/fuzz.sh TARGET [NUMBER]
#
#   parser   ksym_parse.c in user space, with libFuzzer and its sanitizers (inputs)
#   decoder  ksym_access.c in user space, against Zydis (inputs)
#   specs, symbols, records, recordings
#            the readers of ksymwatch, with libFuzzer and its sanitizers (seconds)
#   files    the files of tracefs, in the machine (writes)
#   events   perf_event_open(2) with breakpoints, in the machine (calls)
#
# With NUMBER there is one round with so many inputs, seconds, writes or calls, and SEED (1).
# Without, there are rounds until what make fuzz is to reach is reached, or COUNT, see
# scripts/rounds.sh. The corpora are kept, that of the parser in ~/.cache/ksym, the others in build/fuzz.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/rounds.sh
. "$(dirname "${BASH_SOURCE[0]}")/rounds.sh"
KSYM_NAME=fuzz

target=${1:-} flavour=${VM_FLAVOUR:-ksym}
check_flavour "$flavour"
corpus=$KSYM_SOURCE_CACHE/corpus/parser
out=$KSYM_SHARED/fuzz
logs=${VM_LOGS:-$KSYM_LOGS/fuzz-$target-$flavour}

# What is counted, how much of it is wanted, how much a round has, and the CPUs of its machine. QEMU runs
# these in turn, so each grace period waits for all: on the debug kernel, 300 writes take 98 s on four
# CPUs, and 52 s on two.
cpus=4
case $target:$flavour in
parser:*) name=inputs goal=100000000 size=10000000 ;;
decoder:*) name=inputs goal=100000000 size=10000000 ;;
specs:* | symbols:* | records:* | recordings:*) name=seconds goal=3600 size=600 ;;
files:debug) name=writes goal=50000 size=5000 cpus=2 ;;
files:*) name=writes goal=1000000 size=50000 ;;
events:debug) name=calls goal=100000 size=10000 ;;
events:*) name=calls goal=1000000 size=100000 ;;
*) die "unknown target '$target'; use parser, decoder, specs, symbols, records, recordings, files or events" ;;
esac

# Compiles what the target needs.
prepare() {
	"$KSYM_ROOT/scripts/setup.sh" demo tool
	mkdir -p "$out"
	case $target in
	parser)
		mkdir -p "$corpus"
		clang -std=gnu2x -O1 -g -Wall -Wextra -Wno-sign-compare -DLIBFUZZER -fsanitize=address,undefined,fuzzer \
			-fno-sanitize-recover=all -I "$KSYM_ROOT/tools/ksymwatch/spec/include" \
			-I "$KSYM_ROOT/kernel/trace/ksym" -o "$out/parser" "$KSYM_ROOT/tests/fuzz/parse.c"
		;;
	decoder)
		"$KSYM_ROOT/scripts/kernel.sh" ksym
		"$KSYM_ROOT/tests/access/compile.sh" "$out/access"
		;;
	files | events)
		"$KSYM_ROOT/scripts/kernel.sh" "$flavour"
		gcc -O2 -g -Wall -Wextra -o "$out/$target" "$KSYM_ROOT/tests/fuzz/$target.c"
		;;
	esac
}

# Runs libFuzzer's program "$@" and prints how many inputs it ran.
run_libfuzzer() {
	local status=0
	"$@" >"$out/$target.log" 2>&1 || status=$?
	if [[ $status != 0 ]]; then
		grep -aE 'ERROR|SUMMARY|    #[0-9]+ |Base64|fuzz:|parse:' "$out/$target.log" | head -n 30
		return 1
	fi
	echo "inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$target.log")"
}

# Runs one round with the seed $1 and the number $2.
round_of() {
	local seed=$1 number=$2
	case $target in
	parser)
		run_libfuzzer "$out/parser" -runs="$number" -seed="$seed" -max_len=2048 -verbosity=0 -print_final_stats=1 \
			-dict="$KSYM_ROOT/tests/fuzz/ksymwatch.dict" -artifact_prefix="$out/parser-" "$corpus" "$KSYM_ROOT/tests/fuzz/seeds/specs"
		;;
	decoder)
		"$out/access/differ" random "$number" "$seed" >"$out/decoder.log" 2>&1 || { tail -n 20 "$out/decoder.log"; return 1; }
		echo "inputs=$number"
		;;
	specs | symbols | records | recordings)
		run_libfuzzer "$KSYM_ROOT/tests/fuzz/ksymwatch.sh" "$target" "$number" -seed="$seed"
		;;
	files | events)
		rm -f "$logs"/vm-*.log
		CMD="bash /ksym/fuzz.sh $number $seed" VM_CPUS=$cpus VM_ACCEL=$one_thread VM_TIMEOUT=${VM_TIMEOUT:-3600} VM_LOGS=$logs \
			VM_EXTRA="$out/$target:/ksym/$target $KSYM_ROOT/tests/fuzz/$target.guest.sh:/ksym/fuzz.sh $KSYM_ROOT/tests/fuzz/files.rules:/ksym/rules" \
			"$KSYM_ROOT/scripts/vm.sh" || return 1
		"$KSYM_ROOT/scripts/splats.sh" "$logs"/vm-*.log
		;;
	esac
}
# shellcheck disable=SC2317  # run_rounds calls it
round() { round_of "$1" "$size"; }

prepare
if [[ $# == 2 ]]; then
	round_of "${SEED:-1}" "$2"
else
	run_rounds "fuzz-$target" "$name" "${COUNT:-$goal}"
fi
