#!/bin/bash
# A million stores to a watched variable with interrupts off must take no longer than one
# and a half times as long as without the watch, plus a full budget: for watches of CPUs
# and of a task, and if the budget or the limit ends the storm. Time is counted in
# instructions, a nanosecond each, so each run has the same result. That is also why budget.tc
# runs here and not in vm-ftracetest: if the host stops a virtual CPU within a hit, the CPU's clock
# goes on and refills the budget, but the hit is charged a millisecond at most. So on a busy host
# the watches may never take more than they are allowed.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/ftracetest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ftracetest.sh"

VM_ICOUNT=0 VM_TIMEOUT=${VM_TIMEOUT:-600} run_case budget || failures=1

# At most twice a full bucket and what flows in while it is emptied, in ns.
burst=$((2 * 22000000))

cat >"$scratch/options" <<'OPTIONS'
limit=100/ms
limit=0
limit=0 stack
limit=0 changed count=1000000
pid=PID
pid=PID limit=0
OPTIONS
VM_CPUS=1 VM_ICOUNT=0 VM_TIMEOUT=${VM_TIMEOUT:-600} \
	VM_EXTRA="$KSYM_ROOT/tests/budget.guest.sh:/budget.sh $scratch/options:/options" \
	CMD='bash /budget.sh </options' "$KSYM_ROOT/scripts/vm.sh" >"$scratch/storms" || true
sed 's/^/# /' "$scratch/storms"

unwatched=$(sed -n 's/^unwatched=//p' "$scratch/storms")
while read -r options; do
	took=$(sed -n "s|^$options=||p" "$scratch/storms")
	if [[ -n $took ]] && ((took <= unwatched * 3 / 2 + burst)); then
		ok "a million stores with interrupts off: $options"
	else
		not_ok "a million stores with interrupts off: $options" "${took:-nothing} cycles, $unwatched unwatched"
	fi
	check "and hits afterwards: $options" grep -qx "again $options" "$scratch/storms"
done <"$scratch/options"
finish
