#!/bin/bash
# Runs the C programs of tools/testing/selftests/ksym: four CPUs that write at once,
# the chain that their values form, a BPF program on a watch's event, a watched task
# without privileges that forks, and those who wait for hits and read them.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

export VM_CPUS=4
for program in ksym_storm ksym_chain ksym_bpf ksym_inherit ksym_readers; do
	CMD="cd /selftests/ksym && ./$program" "$KSYM_ROOT/scripts/vm.sh" || failures=1
done
exit $((failures != 0))
