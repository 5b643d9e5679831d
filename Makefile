# The project's targets. Each is a script in scripts/, which says what it does and
# why; this file only names them.

SHELL := /bin/bash
.DEFAULT_GOAL := help
FLAVOUR ?= ksym

# A variable of make's command line reaches the scripts through the environment
# and just as it was typed: make would read a $ in it as its own.
variables := CMD FLAVOUR JOBS FORCE KDIR TESTS TEST_JOBS COMMITS \
	VM_CPUS VM_MEM VM_APPEND VM_TIMEOUT VM_FLAVOUR VM_ACCEL VM_QEMU VM_EXTRA VM_LOGS
$(foreach v,$(variables),$(if $(filter-out undefined,$(origin $v)),\
	$(eval override $v := $$(value $v))$(eval export $v)))

.PHONY: help setup kernel tools vm demo apply unapply patches \
	deb check check-debug check-series check-mainline lint bench clean

##@ Try it
help: ## this list
	@scripts/help.sh
setup: ## install all Debian packages that are missing; demo and vm install only theirs
	@scripts/setup.sh
kernel: ## build the kernel (FLAVOUR=ksym, debug, pristine, fixes; stock is unpacked) into build/linux-FLAVOUR
	@scripts/kernel.sh "$$FLAVOUR"
tools: ## build ksymwatch into build/tools
	@scripts/tools.sh
# A kernel is built first only where there is none: the machine boots the one that is
# built, even while the sources are being changed.
vm: ## boot it and run CMD='…' in it; without CMD, a shell
	@scripts/setup.sh demo tool
	@test -f "build/linux-$${VM_FLAVOUR:-ksym}/arch/x86/boot/bzImage" || scripts/kernel.sh "$${VM_FLAVOUR:-ksym}"
	@scripts/tools.sh
	@scripts/vm.sh
deb: ## make the Debian package of ksymwatch, in build/deb
	@scripts/deb.sh
demo: ## from nothing to hits on the screen
	@scripts/demo.sh

##@ Use it in another kernel tree
apply: ## lay the project over the kernel tree KDIR
	@scripts/apply.sh apply "$$KDIR"
unapply: ## take it off KDIR again
	@scripts/apply.sh unapply "$$KDIR"
patches: ## write the whole project as two series for git am, into build/patches-out
	@scripts/patches.sh

##@ Work on it
check: ## all tests, or those of TESTS='NAME vm-* …'
	@scripts/check.sh
check-debug: ## the tests that run in the machine, on FLAVOUR=debug
	@VM_FLAVOUR=debug scripts/check.sh
check-series: ## build and boot every commit of the two series, or COMMITS='…'
	@set -f; scripts/series.sh $$COMMITS
check-mainline: ## try the patches on Debian's linux-source-7.3, and report
	@scripts/mainline.sh
lint: ## checkpatch --strict, sparse, W=1, shellcheck, and the layers of kernel and tool
	@scripts/lint.sh
bench: ## what a hit costs, in guest instructions
	@bench/run.sh
clean: ## remove build/
	rm -rf build
