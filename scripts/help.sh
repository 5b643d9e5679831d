#!/bin/bash
# Lists the Makefile's targets, from the "##" comments that stand beside them, and
# the variables that they take.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo 'ksym: watch the variables of a live Linux kernel. Targets of make:'
sed -nE -e 's/^##@ (.*)/\n\1\n/p' -e 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' Makefile |
	while IFS=$'\t' read -r target what; do
		if [[ -n $what ]]; then printf '  %-14s %s\n' "$target" "$what"; else echo "$target"; fi
	done
cat <<'END'

Variables

  CMD           what to run in the machine, as one string for bash
  VM_CPUS       CPUs of the machine (2)
  VM_MEM        its memory (1G)
  VM_APPEND     more words for the kernel's command line
  VM_TIMEOUT    seconds after which the machine is stopped (300)
  VM_FLAVOUR    the kernel to boot: ksym, debug, pristine, fixes or stock (ksym)
  VM_EXTRA      files or folders to bring along: HOST:/GUEST HOST:/GUEST …
  VM_ACCEL      QEMU's -accel (tcg; kvm where there is a /dev/kvm)
  VM_QEMU       more arguments for QEMU
  VM_LOGS       folder of the console's logs (build/log)
  FLAVOUR       the kernel that make kernel builds (ksym)
  JOBS          compilers at a time (one a CPU)
  CCACHE_DIR    the compiler cache (~/.cache/ksym-ccache)
  KDIR          the kernel tree of make apply and make unapply
  FORCE=1       apply and unapply overwrite our own files that were changed there
  TESTS         which tests make check runs: patterns of names in tests/
  TEST_JOBS     how many of these run at a time (2)
  COMMITS       which commits make check-series tries: lines of patches/series, or
                parts of one that no other has

make itself ends with 2 whenever something failed. scripts/vm.sh, which make vm calls
with the variables in its environment, ends with the status of CMD; or with 124
for the time limit, 125 for a panic, 126 when there was no status, and says so.
END
