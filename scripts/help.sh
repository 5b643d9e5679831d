#!/bin/bash
# Lists the targets of the Makefile, with their "##" comments, and their variables.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo 'ksym: watch variables of a running Linux kernel. Targets of make:'
sed -nE -e 's/^##@ (.*)/\n\1\n/p' -e 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' Makefile |
	while IFS=$'\t' read -r target what; do
		if [[ -n $what ]]; then printf '  %-14s %s\n' "$target" "$what"; else echo "$target"; fi
	done
cat <<'END'

Variables

  BASE          series of Linux: 6.12, or 7.3, which is built in build/7.3 (6.12). Unset,
                make apply chooses it by the tree, and make check tests both
  CMD           command to run in the machine, a string for bash
  VM_CPUS       number of CPUs of the machine (2)
  VM_MEM        memory of the machine (1G)
  VM_APPEND     additional words for the kernel's command line
  VM_TIMEOUT    time limit of the machine in seconds (300)
  VM_FLAVOUR    kernel to boot: ksym, debug, kcsan, pristine, fixes, stock,
                stock61 or stock73 (ksym); stock is Debian's kernel of BASE
  VM_EXTRA      files or folders to copy into the machine: HOST:/GUEST …
  VM_ACCEL      accelerator of QEMU: tcg, or kvm if there is a /dev/kvm (tcg)
  VM_ICOUNT     N: QEMU counts instructions, each takes 2^N ns
  VM_QEMU       additional arguments for QEMU
  VM_LOGS       folder for the console logs (build/log, build/7.3/log)
  FLAVOUR       kernel that make kernel builds (ksym)
  KCONFIG       configuration of the kernel of make kernel-deb, a path (Debian's for
                virtual machines, with the modules of scripts/kernel-deb.modules)
  JOBS          number of parallel compilers (one per CPU)
  CCACHE_DIR    compiler cache (~/.cache/ksym-ccache)
  KSYM_SOURCE_CACHE
                folder for the source of 7.3, for the builds that passed in make
                check-series and check-configs, and for what make torture and make
                fuzz have done (~/.cache/ksym)
  KDIR          kernel tree for make apply and make unapply
  FORCE=1       apply and unapply overwrite our files even if they were changed there
  TESTS         tests that make check runs: patterns of names in tests/
  CHECK_BOTH    files of tests/ that make check runs on 7.3, too (those of the kernel that
                take a minute at most)
  TEST_JOBS     number of test files that run at a time (2)
  COMMITS       commits that make check-series tries: lines of patches/series, or
                unique parts of them
  CONFIGS       configurations that make check-configs builds (all of scripts/configs.sh)
  MINUTES       how long make torture runs, in all runs of this commit (60)
  TARGET        what make fuzz gives random input to
  COUNT         how much of it, in all runs of this commit: inputs, seconds, writes or calls
  SEED          the first seed of make torture and make fuzz (1), and the seed with which make
                mutate chooses the faults (1)
  PART          where make mutate plants faults: kernel or tool
  GROUP         how many faults it tries together with the tests that take long (12 in
                the kernel, 8 in the tool; at most 4 with ftracetest)
  AGAIN=1       it tries those again that no test saw

make exits with 2 if anything failed. scripts/vm.sh, which make vm runs, takes the same
variables from the environment and exits with the status of CMD, or with a message and
124 at the time limit, 125 after a panic, 126 if there is no status.
END
