#!/bin/bash
# Tests in the machine, on Debian's own kernel with lockdown=confidentiality: no tracefs, no
# access to kernel memory, but breakpoints.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"
leftovers() { ls -d ./*.parts-* 2>/dev/null; pgrep -x ksymwatch; }

awk '/ (do_proc_dointvec|pid_max|runqueues)|per_cpu_(offset|start|end)$/ || NR % 200 == 0' \
	/proc/kallsyms >functions
mount --bind functions /proc/kallsyms
contains 'the kernel is locked down' "$(cat /sys/kernel/security/lockdown)" '[confidentiality]'
kw record pid_max stack -- sh -c "echo 40000 >$pid_max"
is 'record reports why there are no values' "$status $(grep -c '^ksymwatch: .*without BPF (the kernel is locked down)' <<<"$err")" '0 1'
is 'it records hits' "$(tail -n 1 <<<"$err")" '1 hit'
contains 'with their functions' "$(ksymwatch report)" '-                          do_proc_dointvec_minmax_conv'
kw record pid_max:rw -- sh -c "echo 40001 >$pid_max"
contains 'whether they read or wrote is unknown without registers' "$(ksymwatch report)" ' ?8 '
refused 'so the writes cannot be dropped' 1 'use rw' record pid_max:r -- true
kw record runqueues -- true
fails 'the place of a per-CPU symbol is not known' 1 \
	"where each CPU's copy is cannot be read: no BPF, and /proc/kcore: Operation not permitted (the kernel is locked down)"
refused 'the tracer is missing' 1 'lockdown=confidentiality' list
finish_guest
