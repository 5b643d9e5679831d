#!/bin/bash
# Lets a function or, on the debug kernel, an allocation fail in each kind of request, at each place
# (tests/inject/): nothing is left of the request, and the next one succeeds.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=scripts/rounds.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/rounds.sh"

# They give the tracer its events, slots, trace events, probes, buffers and, since fail-nth leaves them
# out, the variables of each CPU.
functions=(perf_event_create_kernel_counter register_reserved_hw_breakpoint hw_breakpoint_reserve_cpus
	register_trace_event trace_add_event_call register_kretprobe register_kprobe tracepoint_probe_register
	tracing_arm_snapshot tracing_update_buffers pcpu_alloc_noprof)
check 'the program builds' gcc -O2 -g -Wall -Wextra -o "$scratch/inject" "$KSYM_ROOT/tests/inject/inject.c"
module=$KSYM_BUILD/inject
check 'the module builds' build_modules "${VM_FLAVOUR:-ksym}" "$module" "$KSYM_ROOT"/tests/inject/{Kbuild,ksym_fail.c}
status=0
said=$(VM_EXTRA="$scratch/inject:/ksym/inject $KSYM_ROOT/tests/inject/guest.sh:/ksym/inject.sh $module/ksym_fail.ko:/mnt/ksym_fail.ko" \
	CMD="bash /ksym/inject.sh ${functions[*]}" VM_ACCEL=$one_thread VM_TIMEOUT=${VM_TIMEOUT:-3000} "$KSYM_ROOT/scripts/vm.sh") || status=$?
is 'it ends well' "$status" 0
# "FUNCTION: CASE: 12 places, 10 requests failed". Not every request calls each function.
declare -A cases=() places=()
failed=0
while IFS= read -r line; do
	if [[ $line =~ ^([a-z_]+):\ .*:\ ([0-9]+)\ places,\ ([0-9]+)\ requests\ failed$ ]]; then
		cases[${BASH_REMATCH[1]}]=$((${cases[${BASH_REMATCH[1]}]:-0} + 1))
		places[${BASH_REMATCH[1]}]=$((${places[${BASH_REMATCH[1]}]:-0} + BASH_REMATCH[2]))
		failed=$((failed + BASH_REMATCH[3]))
	else
		not_ok 'each failure is undone' "$line"
	fi
done <<<"$said"
all=$(sed '/^END/q' "$KSYM_ROOT/tests/inject/guest.sh" | grep -c '^case ')
if [[ ${VM_FLAVOUR:-} == debug ]]; then
	functions+=(memory)
fi
is 'what a CPU that comes online needs fails' "$((${places[hotplug]:-0} > 0))" 1
for function in "${functions[@]}"; do
	is "$function fails in all kinds of requests" "${cases[$function]:-0}" "$all"
	if ((${places[$function]:-0} > 0)); then ok "$function fails ${places[$function]} times"; else not_ok "$function fails"; fi
done
tried=${places[*]}
((failures)) || record_once inject "tried=$((${tried// /+}))" "refused=$failed"
finish
