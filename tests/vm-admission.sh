#!/bin/bash
# Checks that no request for a breakpoint is refused because of another one that then fails
# itself (see tools/testing/selftests/ksym/bp_stress). On Debian's untouched kernel such
# refusals happen, which shows that the test would detect them.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# Prints the output of the module on the flavour $1. The other arguments are its parameters.
stress() {
	local flavour=$1 module=$KSYM_BUILD/bp_stress/$1
	shift
	VM_FLAVOUR=$flavour VM_CPUS=4 VM_TIMEOUT=${VM_TIMEOUT:-900} VM_EXTRA="$module/bp_stress.ko:/mnt/bp_stress.ko" \
		CMD="insmod /mnt/bp_stress.ko $* 2>/dev/null; dmesg | sed -n 's/.* bp_stress: //p'" \
		"$KSYM_ROOT/scripts/vm.sh"
}

# Prints the value of $2 in the output $1.
value() { sed -n "s/.*\\b$2=\\([0-9]*\\).*/\\1/p" <<<"$1"; }

sources=("$KSYM_ROOT"/tools/testing/selftests/ksym/bp_stress/*)
ours=${VM_FLAVOUR:-ksym}
[[ $ours != pristine ]] || ours=ksym
# The debug kernel is slow. A normal run has tested the pristine one.
attempts=100000
[[ $ours != debug ]] || attempts=10000
check 'the module builds for our kernel' build_modules "$ours" "$KSYM_BUILD/bp_stress/$ours" "${sources[@]}"
result=$(stress "$ours" attempts=$attempts)
is 'all attempts were made' "$(value "$result" attempts)" "$attempts"
is 'and none was refused' "$(value "$result" refused)" 0
is 'there is no other result' "$(value "$result" odd)" 0
for contender in full address; do
	if (($(value "$result" $contender) > 100)); then
		ok "others failed meanwhile: $contender"
	else
		not_ok "others failed meanwhile: $contender" "$result"
	fi
done
[[ $ours != debug ]] || finish

check 'the module builds for the pristine kernel' build_modules pristine "$KSYM_BUILD/bp_stress/pristine" "${sources[@]}"
for contender in full address; do
	other=$([[ $contender == full ]] && echo address || echo full)
	result=$(stress pristine attempts=20000 "$other=0")
	if (($(value "$result" refused) > 0)); then
		ok "on the pristine kernel, $(value "$result" refused) are: $contender"
	else
		not_ok "on the pristine kernel, some are: $contender" "$result"
	fi
done
finish
