# The targets of the project. Each runs a script in scripts/, which is documented there.

SHELL := /bin/bash
.DEFAULT_GOAL := help
FLAVOUR ?= ksym

# Variables of the command line are exported to the scripts unchanged; make would expand a
# $ in them.
variables := BASE CMD FLAVOUR JOBS FORCE KDIR TESTS TEST_JOBS COMMITS CONFIGS KCONFIG CHECK_BOTH \
	MINUTES SEED TARGET COUNT PART GROUP AGAIN \
	VM_CPUS VM_MEM VM_APPEND VM_TIMEOUT VM_FLAVOUR VM_ACCEL VM_ICOUNT VM_QEMU VM_EXTRA VM_LOGS
$(foreach v,$(variables),$(if $(filter-out undefined,$(origin $v)),\
	$(eval override $v := $$(value $v))$(eval export $v)))

.PHONY: help setup kernel tools vm demo apply unapply patches \
	deb kernel-deb check check-debug check-series check-configs torture fuzz mutate tried lint bench scale clean

##@ Try it
help: ## print this list
	@scripts/help.sh
setup: ## install the Debian packages that are missing; the other targets install theirs
	@scripts/setup.sh
kernel: ## build the kernel (FLAVOUR=ksym, debug, kcsan, pristine, fixes; stock, stock61, stock73 are unpacked) into build/linux-FLAVOUR, or build/7.3/linux-FLAVOUR
	@scripts/kernel.sh "$$FLAVOUR"
tools: ## build ksymwatch into build/tools
	@scripts/tools.sh
# A kernel is built first only where there is none: the machine boots the one that is
# built, even while the sources are being changed.
vm: ## boot the kernel and run CMD='…', or a shell
	@scripts/setup.sh demo tool
	@scripts/kernel.sh --if-missing "$${VM_FLAVOUR:-ksym}"
	@scripts/tools.sh
	@scripts/vm.sh
deb: ## build the Debian package of ksymwatch in build/deb
	@scripts/deb.sh
kernel-deb: ## build a Debian package of the kernel from KCONFIG=FILE in build/kernel-deb, or build/7.3/kernel-deb
	@scripts/kernel-deb.sh
demo: ## install, build and boot everything, and show some hits
	@scripts/demo.sh

##@ Use it in another kernel tree
apply: ## apply the project to the kernel tree KDIR
	@scripts/apply.sh apply "$$KDIR"
unapply: ## remove it from KDIR
	@scripts/apply.sh unapply "$$KDIR"
patches: ## write the project as series for git am into build/patches-out, or build/7.3/patches-out
	@scripts/patches.sh

##@ Work on it
check: ## run the tests on 6.12 and four files of them on 7.3, or those of TESTS='NAME vm-* …'
	@scripts/check.sh
check-debug: ## run the tests of the kernel on FLAVOUR=debug, and some on FLAVOUR=kcsan
	@status=0; for flavour in debug kcsan; do VM_FLAVOUR=$$flavour scripts/check.sh || status=1; done; exit $$status
check-series: ## build and boot every commit of the series, or COMMITS='…'
	@set -f; scripts/series.sh $$COMMITS
check-configs: ## build the project in the configurations of its users, or CONFIGS='tiny clang …'
	@set -f; scripts/configs.sh $$CONFIGS
torture: ## use watches in all ways at the same time, and audit each store, for MINUTES (60)
	@scripts/torture.sh
fuzz: ## give random input to TARGET: parser, decoder, specs, symbols, records, recordings, files or events
	@scripts/fuzz.sh "$$TARGET"
mutate: ## plant faults in PART=kernel or PART=tool, and find which of them the tests see
	@scripts/mutate.sh "$$PART"
tried: ## write what make check, torture, fuzz and mutate have tried into the manual
	@scripts/tried.sh
lint: ## run checkpatch --strict, sparse, W=1, shellcheck, and check the layers
	@scripts/lint.sh
bench: tools ## measure the cost of a hit in guest instructions, and of reading a recording
	@bench/run.sh
	@bench/output.sh
scale: ## measure how the costs of a watch grow with CPUs and watches, and write it into the manual
	@bench/run.sh scale
clean: ## remove build/, the builds of both bases
	rm -rf build
