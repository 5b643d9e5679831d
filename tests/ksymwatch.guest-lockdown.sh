#!/bin/bash
# Tests in the machine, on Debian's own kernel with lockdown=confidentiality: no tracefs, no
# access to kernel memory, but breakpoints.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"
leftovers() { ls -d ./*.parts-* 2>/dev/null; pgrep -x ksymwatch; }

awk '/ (do_proc_dointvec|panic_timeout|runqueues)|per_cpu_(offset|start|end)$/ || NR % 200 == 0' \
	/proc/kallsyms >functions
mount --bind functions /proc/kallsyms
contains 'the kernel is locked down' "$(cat /sys/kernel/security/lockdown)" '[confidentiality]'
kw record panic_timeout stack -- sh -c "echo 40000 >$panic_timeout"
is 'record reports why there are no values' "$status $(grep -c '^ksymwatch: .*without BPF (the kernel is locked down)' <<<"$err")" '0 1'
is 'it records hits' "$(tail -n 1 <<<"$err")" '1 hit'
contains 'with their functions' "$(ksymwatch report)" '-                          do_proc_dointvec_conv'
kw record panic_timeout:rw -- sh -c "echo 40001 >$panic_timeout"
contains 'whether they read or wrote is unknown without registers' "$(ksymwatch report)" ' ?8 '
refused 'so the writes cannot be dropped' 1 'use rw' record panic_timeout:r -- true
kw record runqueues -- true
fails 'the place of a per-CPU symbol is not known' 1 \
	"where each CPU's copy is cannot be read: no BPF, and /proc/kcore: Operation not permitted (the kernel is locked down)"
refused 'the tracer is missing' 1 'lockdown=confidentiality' list
finish_guest
