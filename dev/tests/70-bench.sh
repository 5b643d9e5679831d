#!/bin/bash
# Tests "make bench": that it runs, says the same each time, does not count what was
# not recorded; and what of its figures must not get worse. The others are shown.
set -euo pipefail
# shellcheck source=dev/tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
json=$KSYM_BUILD/bench.json

rm -f "$json"
check 'it runs' "$KSYM_ROOT/bench/run.sh"
if [[ ! -f $json ]]; then
	not_ok 'it leaves figures'
	finish
fi
# Two boots can be compared when they were of the same kernel, and somebody who works
# on it meanwhile gets another one built. So when that has changed, and only then, the
# second boot is taken for the first.
key=$KSYM_BUILD/bench/ksym/key
for _ in 1 2 3; do
	cp "$json" "$scratch/first.json"
	cp "$key" "$scratch/key"
	table=$("$KSYM_ROOT/bench/run.sh" 2>&1 || true)
	! cmp -s "$scratch/key" "$key" || break
done
check 'both boots were of the same kernel' cmp "$scratch/key" "$key"
check 'a second boot gives the very same figures' diff -u "$scratch/first.json" "$json"

# Prints what the Python expression $1 makes of the rows, which it finds in "r" by
# their names.
ask() {
	python3 -c '
import json, sys
r = {row["name"]: row for row in json.load(open(sys.argv[1]))["rows"]}
cost = lambda name: r[name]["instructions_per_hit"]
print(eval(sys.argv[2]))' "$json" "$1" 2>&1 || true
}
is 'whoever records has recorded each hit' \
	"$(ask '[n for n in ("ksym", "perf_sample", "perf_sample_addr", "bpf", "trace_event", "trace_printk") if r[n]["records"] != r[n]["hits"]]')" '[]'
is 'nobody else has recorded any' \
	"$(ask '[n for n in ("idle", "trap", "floor", "ksym_disabled", "ksym_filtered", "perf_count") if r[n]["records"]]')" '[]'
is 'no row is below the bare trap' "$(ask '[n for n in r if n != "idle" and cost(n) < cost("trap")]')" '[]'
is 'a record of ours takes 52 bytes at most' "$(ask 'r["ksym"]["bytes_per_record"] <= 52')" True
is 'a hit of ours costs less than a sample of perf with the same content' \
	"$(ask 'cost("ksym") < cost("perf_sample_addr")')" True
is 'and less than a trace_printk' "$(ask 'cost("ksym") < cost("trace_printk")')" True
is 'a hit that a filter drops costs less than one that is recorded' \
	"$(ask 'cost("ksym_filtered") < cost("ksym")')" True
is 'a hit that nobody asked for costs less than that' \
	"$(ask 'cost("ksym_disabled") < cost("ksym_filtered")')" True
printf '%s\n' "$table" | sed 's/^/# /'

# The figures of a buffer that is switched off would be good ones.
# shellcheck disable=SC2016  # the guest's own variables
said=$(VM_CPUS=1 VM_EXTRA="$KSYM_BUILD/bench/ksym/ksym_bench.ko:/mnt/ksym_bench.ko $KSYM_BUILD/bench/ksym/rows:/mnt/rows" CMD='
	insmod /mnt/ksym_bench.ko target=0x$(sed -n "s/ . ksym_test_u64$//p" /proc/kallsyms)
	echo 0 >/sys/kernel/tracing/tracing_on
	/mnt/rows 2>&1 && echo passed' "$KSYM_ROOT/dev/vm.sh" || true)
contains 'a row that records nothing is refused' "$said" 'ksym, enabled: 0 instead of 4000'

for file in "$KSYM_ROOT"/bench/*.[ch]; do
	check "checkpatch: bench/$(basename "$file")" \
		env GIT_DIR=/nonexistent perl "$KSYM_BUILD/linux-ksym/scripts/checkpatch.pl" \
		--root="$KSYM_BUILD/linux-ksym" --strict --terse --no-summary --quiet --file "$file"
done
finish
