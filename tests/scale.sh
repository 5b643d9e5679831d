#!/bin/bash
# Tests make scale with small numbers: its figures are complete, hits that are not recorded are
# refused, the formula is right, and costs do not grow faster than they must.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
unset VM_FLAVOUR
tsv=$KSYM_BUILD/scale.tsv
run=$KSYM_ROOT/bench/run.sh

# y = 7 + 3 n; y = 100 + 20 n + 2 n²; no growth; a figure that is missing for one n.
printf 'cpus\t%d\t%s\t%d\n' 1 line 10 1 square 122 1 none 5 2 line 13 2 square 148 2 none 5 2 some 40 \
	10 line 37 10 square 500 10 none 5 10 some 200 20 line 67 20 square 1300 20 none 5 20 some 400 >"$scratch/known"
is 'the formula is that of the figures' "$("$run" growth "$scratch/known")" \
	'CPUs         1     2    10    20  instructions for n
line        10    13    37    67  7 + 3.00 n  ±0.0 %
square     122   148   500  1300  100 + 20 n + 2.00 n²  ±0.0 %
none         5     5     5     5  5  ±0.0 %
some         -    40   200   400  0 + 20 n  ±0.0 %'

for wrong in cpus cpus= tasks=1 cpus=1,x; do
	contains "'$wrong' is refused" "$("$run" scale "$wrong" 2>&1 || true)" "'$wrong' is not KIND=N"
done

rm -f "$tsv"
if ! table=$("$run" scale cpus=1,2,4,8 shared=1,10,100 flexible=1,100 2>&1) || [[ ! -f $tsv ]]; then
	not_ok 'it runs' "$table"
	finish
fi
ok 'it runs'
is 'the table is that of the file' "$("$run" growth)" "$(grep -v ': ' <<<"$table")"

# Prints the figure $3 of the kind $1 and the number $2.
figure() { awk -F '\t' -v OFS='\t' -v key="$1 $2 $3" '$1 " " $2 " " $3 == key { print $4 }' "$tsv"; }

everywhere='define arm disarm remove retarget filter events slots counts hit'
while read -r kind numbers whats; do
	for what in $whats; do
		for number in ${numbers//,/ }; do
			if (($(figure "$kind" "$number" "$what") > 0)); then continue; fi
			not_ok "$kind $number: $what takes instructions" "$(cat "$tsv")"
			finish
		done
	done
	is "$kind: nothing else was measured" "$(awk -F '\t' -v kind="$kind" '$1 == kind { print $3 }' "$tsv" | sort -u | xargs)" \
		"$(xargs -n 1 <<<"$whats" | sort | xargs)"
done <<-END
	cpus 1,2,4,8 $everywhere own
	shared 1,10,100 $everywhere
	flexible 100 $everywhere turn
END

# Passes the test named $1 if the figure "$2 $4 $5" is at most the $6-fold of "$2 $3 $5", in percent.
at_most() {
	local few many
	few=$(figure "$2" "$3" "$5") many=$(figure "$2" "$4" "$5")
	if ((100 * many <= few * $6)); then ok "$1"; else not_ok "$1" "$5: $few for $3, $many for $4"; fi
}
at_most 'a hit costs the same with more CPUs' cpus 1 8 hit 105
at_most 'so it does where each has its variable' cpus 1 8 own 105
at_most 'a hit is recorded for each watch, at no more than the price of each' shared 1 100 hit 10500
at_most 'flexible watches do not slow down the hits of others' flexible 1 100 hit 101
at_most 'nor their moves' shared 10 100 retarget 101
for file in filter events counts; do
	at_most "a line of $file costs the same among more" shared 10 100 $file 1150
done
for step in define arm disarm remove; do
	at_most "to $step a watch costs little more beside 99 others" shared 1 100 $step 300
done
# From two CPUs on: alone, one has none to interrupt, which takes less on 6.12 and more on 7.3.
for step in define arm disarm remove retarget; do
	four=$(figure cpus 4 $step)
	first=$((2 * (four - $(figure cpus 2 $step)))) second=$(($(figure cpus 8 $step) - four))
	if ((first > 0 && second > 0 && 100 * second <= 150 * first)); then
		ok "each CPU costs the same to $step"
	else
		not_ok "each CPU costs the same to $step" "twice the third and fourth $first, four more $second"
	fi
done

# A buffer that is switched off records nothing.
# shellcheck disable=SC2016  # the guest's own variables
said=$(VM_CPUS=1 VM_EXTRA="$KSYM_BUILD/bench/ksym/ksym_bench.ko:/mnt/ksym_bench.ko $KSYM_BUILD/bench/ksym/control:/mnt/control" CMD='
	insmod /mnt/ksym_bench.ko target=0x$(sed -n "s/ . ksym_test_u64$//p" /proc/kallsyms)
	echo 0 >/sys/kernel/tracing/tracing_on
	/mnt/control cpus 1 2>&1 && echo passed' "$KSYM_ROOT/scripts/vm.sh" || true)
contains 'hits that are not recorded are refused' "$said" 'cpus 1: own: 0 instead of 4000'
finish
