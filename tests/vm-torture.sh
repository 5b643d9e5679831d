#!/bin/bash
# Does everything that uses watches at the same time, and audits each store to some variables
# (scripts/torture.sh). make torture does it for an hour.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# Runs a machine with $1 audits of each auditor, and tests what became of the stores.
torture() {
	local result sums least stores
	local -a wanted=(armed=1000 hits=1000 outside=1000 cpu=1 off=1 window=1)
	(($1 < 40)) || wanted+=(retarget=1 turn=1)
	result=$("$KSYM_ROOT/scripts/torture.sh" "$1" 2>"$scratch/errors") || result+=$'\n'$(tail -n 20 "$scratch/errors")
	sums=$(tail -n 1 <<<"$result")
	is 'each armed store is a hit or a miss, and each hit is a record' "$(head -n -1 <<<"$result")" ''
	is 'all watches were audited' "${sums%% *}" "audits=$((3 * $1))"
	# Why stores are outside, e.g. because their CPU came or went.
	for least in "${wanted[@]}"; do
		stores=$(sed -nE "s/.* ${least%=*}=([0-9]+).*/\1/p" <<<"$sums")
		if ((stores >= ${least#*=})); then ok "there were stores: ${least%=*}"; else not_ok "there were stores: ${least%=*}" "$sums"; fi
	done
}

audits=40
! has_checkers || audits=6
torture "$audits"
if [[ ${VM_FLAVOUR:-} == debug ]]; then
	skip 'gdb and a thread for each CPU' 'takes ten minutes, see make torture'
else
	echo '# with gdb, kgdb and a thread for each CPU'
	DEBUGGERS=1 torture 12
fi
finish
