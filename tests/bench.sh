#!/bin/bash
# Tests make bench: its figures are reproducible, it counts only what was recorded, and the
# figures of the tracer are within their limits. Prints the table.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
json=$KSYM_BUILD/bench.json
# Not on the pristine kernel, which is always measured, nor with the checkers of debug.
unset VM_FLAVOUR

rm -f "$json"
if ! table=$("$KSYM_ROOT/bench/run.sh" 2>&1) || [[ ! -f $json ]]; then
	not_ok 'it runs' "$table"
	finish
fi
ok 'it runs'

# Two boots can only be compared if they were of the same kernel, which somebody may have
# rebuilt meanwhile. Only in that case both are repeated.
key=$KSYM_BUILD/bench/ksym/key
grep -v '^cpus' "$KSYM_BUILD/bench/ksym/said" >"$scratch/first" || true
cp "$key" "$scratch/key"
for _ in 1 2 3; do
	"$KSYM_ROOT/bench/run.sh" rows >"$scratch/second" 2>"$scratch/errors" || true
	! cmp -s "$scratch/key" "$key" || break
	mv "$scratch/second" "$scratch/first"
	cp "$key" "$scratch/key"
done
check 'both boots were of the same kernel' cmp "$scratch/key" "$key"
check 'a second boot gives the same figures' diff -u "$scratch/first" "$scratch/second"

# Prints the value of the Python expression $1. "r" has the rows of our kernel by name, "p"
# those of the pristine one.
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
drops = ("ksym_r_dropped", "ksym_unchanged", "ksym_count_dropped", "ksym_filtered",
	"ksym_if_dropped", "ksym_every_dropped", "ksym_disabled")
others = ("idle", "trap", "floor", "perf_count")
print(eval(sys.argv[2]))' "$json" "$1" 2>&1 || true
}

# Passes the test named $1 if $2 is at most $3; otherwise shows both.
at_most() {
	if [[ $(ask "$2 <= $3") == True ]]; then ok "$1"; else not_ok "$1" "$(ask "$2") is more than $(ask "$3")"; fi
}

# Completeness
is 'our kernel has all rows' "$(ask 'sorted(r) == sorted(peers + ours + drops + others)')" True
is 'the pristine kernel has all but ours' "$(ask 'sorted(p) == sorted(peers + others)')" True
is 'rows that record have recorded each hit' "$(ask \
	'[n for n in peers + ours if r[n]["records"] != r[n]["hits"]] + [n for n in peers if p[n]["records"] != p[n]["hits"]]')" '[]'
is 'other rows have recorded nothing' "$(ask \
	'[n for n in drops + others if r[n]["records"]] + [n for n in others if p[n]["records"]]')" '[]'
is 'no row costs less than the bare trap' "$(ask \
	'[n for n in r if n != "idle" and cost(n) < cost("trap")] + [n for n in p if n != "idle" and cost(n, p) < cost("trap", p)]')" '[]'
is 'the floor is that of the pristine kernel' "$(ask '(j["floor"]["kernel"], j["floor"]["instructions_per_hit"] == floor)')" "('pristine', True)"
is 'all ratios are to the floor' "$(ask \
	'[n for rows in (r, p) for n in rows if abs(rows[n]["ratio_to_floor"] - cost(n, rows) / floor) > 0.001]')" '[]'

# The cost of a hit
is 'stores with nothing armed cost the same as on the pristine kernel' "$(ask 'cost("idle") == cost("idle", p)')" True
for work in call switch int3 step; do
	at_most "nothing armed: as on the pristine kernel: $work" \
		"[u['instructions'] for u in j['unarmed'] if u['name'] == '$work'][0]" \
		"[u['pristine'] for u in j['unarmed'] if u['name'] == '$work'][0]"
done
is 'our patches do not slow down other users of breakpoints' "$(ask '[n for n in p if cost(n) > cost(n, p)]')" '[]'
for row in ksym ksym_rw; do
	is "$row: a recorded hit costs less than with any other on the pristine kernel" \
		"$(ask "[n for n in peers if cost('$row') >= cost(n, p)]")" '[]'
	# The peer only writes the record; it does not decode, count or limit hits.
	is "$row: with our patches at most a bare TRACE_EVENT is cheaper" \
		"$(ask "[n for n in peers if n != 'trace_event' and cost('$row') >= cost(n)]")" '[]'
	is "$row: less than 1000 instructions" "$(ask "cost('$row') < 1000")" True
	at_most "$row: 900 instructions" "cost('$row')" 900
	at_most "$row: 52 bytes" "r['$row']['bytes_per_record']" 52
done
at_most 'the short way of the event core: a TRACE_EVENT takes 760 instructions' 'cost("trace_event")' 760
for row in ksym_r_dropped ksym_unchanged ksym_count_dropped; do
	at_most "$row: 1.15 of the floor" "cost('$row')" '1.15 * floor'
done
for row in ksym_if_dropped ksym_every_dropped; do
	at_most "$row: 500 instructions" "cost('$row')" 500
done
at_most 'ksym_filtered: 1.5 of the floor' 'cost("ksym_filtered")' '1.5 * floor'
at_most 'ksym_disabled: 1.05 of the floor' 'cost("ksym_disabled")' '1.05 * floor'
is 'a hit that a filter drops costs less than one that is recorded' "$(ask 'cost("ksym_filtered") < cost("ksym")')" True
is 'a hit without an enabled event costs less than that' "$(ask 'cost("ksym_disabled") < cost("ksym_filtered")')" True

# The cost of a watch
is 'watches were measured for 1, 2, 4 and 8 CPUs' "$(ask '[c["cpus"] for c in j["control"]]')" '[1, 2, 4, 8]'
for step in define arm disarm retarget remove; do
	# To arm one on 7.3 takes more instructions with one CPU than with two.
	first=0
	[[ $step:$KSYM_BASE != arm:7.3 ]] || first=1
	is "to $step one takes instructions, and more for more CPUs" \
		"$(ask "(lambda c: 500 < min(c) and c[$first:] == sorted(set(c[$first:])))([c['$step'] for c in j['control']])")" True
done
printf '%s\n' "$table" | sed 's/^/# /'

# With the buffer switched off, a hit would be cheap.
# shellcheck disable=SC2016  # the guest's own variables
said=$(VM_CPUS=1 VM_EXTRA="$KSYM_BUILD/bench/ksym/ksym_bench.ko:/mnt/ksym_bench.ko $KSYM_BUILD/bench/ksym/rows:/mnt/rows" CMD='
	insmod /mnt/ksym_bench.ko target=0x$(sed -n "s/ . ksym_test_u64$//p" /proc/kallsyms)
	echo 0 >/sys/kernel/tracing/tracing_on
	/mnt/rows ksym 2>&1 && echo passed
	# The refused row leaves its watch, which would share the register with the peer.
	echo >/sys/kernel/tracing/ksym_trace_filter
	/mnt/rows wprobe_ip 2>&1 && echo passed' "$KSYM_ROOT/scripts/vm.sh" || true)
contains 'a row that records nothing is refused' "$said" 'ksym, w: 0 instead of 4000'
contains 'so is one of a peer' "$said" 'watchpoint probe: 0 instead of 4000'

for file in "$KSYM_ROOT"/bench/*.[ch]; do
	check "checkpatch: bench/$(basename "$file")" \
		env GIT_DIR=/nonexistent perl "$KSYM_BUILD/linux-ksym/scripts/checkpatch.pl" \
		--root="$KSYM_BUILD/linux-ksym" --strict --terse --no-summary --quiet --file "$file"
done
finish
