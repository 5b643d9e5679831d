#!/bin/bash
# Tests "make bench": that it runs, says the same each time, does not count what was
# not recorded; and that its figures are those that the tracer has to have. The table
# is shown.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
json=$KSYM_BUILD/bench.json
# The pristine kernel is compared with, and no checker is to be measured.
unset VM_FLAVOUR

rm -f "$json"
if ! table=$("$KSYM_ROOT/bench/run.sh" 2>&1) || [[ ! -f $json ]]; then
	not_ok 'it runs' "$table"
	finish
fi
ok 'it runs'

# Two boots can be compared when they were of the same kernel, and somebody who works
# on it meanwhile gets another one built. So when that has changed, and only then,
# another pair is made.
key=$KSYM_BUILD/bench/ksym/key
grep -v '^control' "$KSYM_BUILD/bench/ksym/said" >"$scratch/first" || true
cp "$key" "$scratch/key"
for _ in 1 2 3; do
	"$KSYM_ROOT/bench/run.sh" rows >"$scratch/second" 2>"$scratch/errors" || true
	! cmp -s "$scratch/key" "$key" || break
	mv "$scratch/second" "$scratch/first"
	cp "$key" "$scratch/key"
done
check 'both boots were of the same kernel' cmp "$scratch/key" "$key"
check 'a second boot gives the very same figures' diff -u "$scratch/first" "$scratch/second"

# Prints what the Python expression $1 makes of the figures: the rows of our kernel,
# which are in "r" by their names, and those of the pristine one in "p".
ask() {
	python3 -c '
import json, sys
j = json.load(open(sys.argv[1]))
r = {row["name"]: row for row in j["rows"]}
p = {row["name"]: row for row in j["pristine"]["rows"]}
floor = p["floor"]["instructions_per_hit"]
cost = lambda name, rows=r: rows[name]["instructions_per_hit"]
peers = ("perf_sample", "perf_sample_addr", "bpf", "trace_event", "trace_printk",
	"ksym2009", "wprobe_ip", "wprobe_value", "wprobe_both")
ours = ("ksym", "ksym_rw", "ksym_wrote")
drops = ("ksym_r_dropped", "ksym_unchanged", "ksym_count_dropped", "ksym_filtered", "ksym_disabled")
others = ("idle", "trap", "floor", "perf_count")
print(eval(sys.argv[2]))' "$json" "$1" 2>&1 || true
}

# Shows what is wrong as well: the test named $1 passes when $2 is at most $3.
at_most() {
	if [[ $(ask "$2 <= $3") == True ]]; then ok "$1"; else not_ok "$1" "$(ask "$2") is more than $(ask "$3")"; fi
}

# what was measured
is 'our kernel has all rows' "$(ask 'sorted(r) == sorted(peers + ours + drops + others)')" True
is 'the pristine kernel has all but ours' "$(ask 'sorted(p) == sorted(peers + others)')" True
is 'whoever records has recorded each hit' "$(ask \
	'[n for n in peers + ours if r[n]["records"] != r[n]["hits"]] + [n for n in peers if p[n]["records"] != p[n]["hits"]]')" '[]'
is 'nobody else has recorded any' "$(ask \
	'[n for n in drops + others if r[n]["records"]] + [n for n in others if p[n]["records"]]')" '[]'
is 'no row is below the bare trap' "$(ask \
	'[n for n in r if n != "idle" and cost(n) < cost("trap")] + [n for n in p if n != "idle" and cost(n, p) < cost("trap", p)]')" '[]'
is 'the floor is the pristine one' "$(ask '(j["floor"]["kernel"], j["floor"]["instructions_per_hit"] == floor)')" "('pristine', True)"
is 'and all ratios are to it' "$(ask \
	'[n for rows in (r, p) for n in rows if abs(rows[n]["ratio_to_floor"] - cost(n, rows) / floor) > 0.001]')" '[]'

# what a hit may cost
is 'stores with nothing armed cost what they cost on the pristine kernel' "$(ask 'cost("idle") == cost("idle", p)')" True
for work in call switch int3 step; do
	at_most "nothing armed: as on the pristine kernel: $work" \
		"[u['instructions'] for u in j['unarmed'] if u['name'] == '$work'][0]" \
		"[u['pristine'] for u in j['unarmed'] if u['name'] == '$work'][0]"
done
is 'nobody who uses breakpoints pays for our patches' "$(ask '[n for n in p if cost(n) > cost(n, p)]')" '[]'
for row in ksym ksym_rw; do
	is "$row: a recorded hit costs less than with any other on the pristine kernel" \
		"$(ask "[n for n in peers if cost('$row') >= cost(n, p)]")" '[]'
	# That one only writes the record: it decodes, counts and limits nothing.
	is "$row: with our patches only a bare TRACE_EVENT is cheaper" \
		"$(ask "[n for n in peers if cost('$row') >= cost(n)]")" "['trace_event']"
	is "$row: less than 1000 instructions" "$(ask "cost('$row') < 1000")" True
	at_most "$row: 900 instructions" "cost('$row')" 900
	at_most "$row: 52 bytes" "r['$row']['bytes_per_record']" 52
done
at_most 'the short way of the event core: a TRACE_EVENT takes 760 instructions' 'cost("trace_event")' 760
for row in ksym_r_dropped ksym_unchanged ksym_count_dropped; do
	at_most "$row: 1.15 of the floor" "cost('$row')" '1.15 * floor'
done
at_most 'ksym_filtered: 1.5 of the floor' 'cost("ksym_filtered")' '1.5 * floor'
at_most 'ksym_disabled: 1.05 of the floor' 'cost("ksym_disabled")' '1.05 * floor'
is 'a hit that a filter drops costs less than one that is recorded' "$(ask 'cost("ksym_filtered") < cost("ksym")')" True
is 'a hit that nobody asked for costs less than that' "$(ask 'cost("ksym_disabled") < cost("ksym_filtered")')" True

# what a watch costs
is 'watches were measured for 1, 2, 4 and 8 CPUs' "$(ask '[c["cpus"] for c in j["control"]]')" '[1, 2, 4, 8]'
for step in define arm disarm retarget remove; do
	is "to $step one takes instructions, and more for more CPUs" \
		"$(ask "(lambda c: 500 < c[0] < c[1] < c[2] < c[3])([c['$step'] for c in j['control']])")" True
done
printf '%s\n' "$table" | sed 's/^/# /'

# The figures of a buffer that is switched off would be good ones.
# shellcheck disable=SC2016  # the guest's own variables
said=$(VM_CPUS=1 VM_EXTRA="$KSYM_BUILD/bench/ksym/ksym_bench.ko:/mnt/ksym_bench.ko $KSYM_BUILD/bench/ksym/rows:/mnt/rows" CMD='
	insmod /mnt/ksym_bench.ko target=0x$(sed -n "s/ . ksym_test_u64$//p" /proc/kallsyms)
	echo 0 >/sys/kernel/tracing/tracing_on
	/mnt/rows ksym 2>&1 && echo passed
	# What was refused leaves its watch, which the peer would share the register with.
	echo >/sys/kernel/tracing/ksym_trace_filter
	/mnt/rows wprobe_ip 2>&1 && echo passed' "$KSYM_ROOT/scripts/vm.sh" || true)
contains 'a row that records nothing is refused' "$said" 'ksym, w: 0 instead of 4000'
contains 'and so is one of a peer' "$said" 'watchpoint probe: 0 instead of 4000'

for file in "$KSYM_ROOT"/bench/*.[ch]; do
	check "checkpatch: bench/$(basename "$file")" \
		env GIT_DIR=/nonexistent perl "$KSYM_BUILD/linux-ksym/scripts/checkpatch.pl" \
		--root="$KSYM_BUILD/linux-ksym" --strict --terse --no-summary --quiet --file "$file"
done
finish
