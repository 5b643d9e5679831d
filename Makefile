# The project's targets. Each is a script in dev/, which says what it does and
# why; this file only names them.
# A variable set on make's command line reaches the scripts through the
# environment, never as text in a shell line: so CMD may hold anything.

SHELL := /bin/bash
export CMD FLAVOUR JOBS FORCE
export VM_CPUS VM_MEM VM_APPEND VM_TIMEOUT VM_FLAVOUR VM_ACCEL VM_QEMU VM_EXTRA
FLAVOUR ?= ksym

.PHONY: help setup kernel vm rootfs apply unapply patches tools demo check check-debug lint bench clean
.DEFAULT_GOAL := help

kernel:
	@dev/kernel.sh $(FLAVOUR)

# A kernel is built first only where there is none: a machine boots what is built,
# while others may be changing the sources.
vm:
	@test -f build/stamp/kernel-$${VM_FLAVOUR:-ksym} || dev/kernel.sh $${VM_FLAVOUR:-ksym}
	@dev/vm.sh

setup:
	@dev/setup.sh

apply unapply:
	@test -n "$(KDIR)" || { echo 'which tree? make $@ KDIR=TREE' >&2; exit 2; }
	@dev/apply.sh $@ "$(KDIR)"

clean:
	rm -rf build
