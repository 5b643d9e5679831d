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

clean:
	rm -rf build
