#!/bin/bash
# Builds the project in the configurations of its users: scripts/configs.sh [NAME…]
#
#   tiny       tinyconfig and the tracer
#   nosmp      without SMP
#   nomodules  without MODULES
#   nobpf      without BPF_SYSCALL
#   btf        with DEBUG_INFO_BTF; the others but cloud and allmod are without
#   rt         with PREEMPT_RT
#   clang      by clang instead of gcc
#   i386       32-bit x86, where the tracer can't be selected
#   riscv      an architecture without debug registers: the tree, and the stubs of the header
#   allmod     allmodconfig: the project's files and those that its patches change
#   cloud      Debian's configuration for virtual machines: vmlinux and the sample
#
# All but tiny, allmod and cloud are scripts/series.config and scripts/kvm.config with one
# difference. A configuration fails if an option does not get its value, if it does not build, or if
# a file of the project, or one that its patches change, causes a warning. The first failure ends the
# run. What passed is recorded in ~/.cache/ksym, by a hash of all inputs, so that the next run, in
# any clone, continues after it.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=configs

tree=$KSYM_BUILD/linux-configs
logs=$KSYM_LOGS/configs
names=(tiny nosmp nomodules nobpf btf rt clang i386 riscv allmod cloud)
compiler=clang-19
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints all options of the series with ours, without the lines that match the pattern $1.
series_options() {
	{
		{ config_files series; config_files kvm; } | print_files
		cat "$KSYM_ROOT/Kconfig.fragment"
	} | grep -vE "^CONFIG_($1)=" || true
}

# Prints the options that the configuration $1 asks for.
request() {
	local needs_smp='NR_CPUS|HOTPLUG_CPU|X86_MPPARSE|HW_BREAKPOINT_(FLEXIBLE|TURNS|MOVE)_KUNIT_TEST'
	local x86='64BIT|HIGH_RES_TIMERS|X86_MPPARSE|UNWINDER_FRAME_POINTER|GENERIC_CPU|KVM.*'
	local ours='KSYM.*|SAMPLE_KSYM|HW_BREAKPOINT.*'
	case $1 in
	tiny)
		option_lines "$KSYM_ROOT/Kconfig.fragment" | grep -vE 'KUNIT|SAMPLE'
		tracer_options
		printf 'CONFIG_%s=y\n' 64BIT PRINTK
		;;
	nosmp)
		series_options "SMP|$needs_smp"
		echo '# CONFIG_SMP is not set'
		;;
	nomodules)
		series_options 'MODULES|KSYM_KUNIT_TEST|SAMPLE_KSYM|KVM.*'
		echo '# CONFIG_MODULES is not set'
		;;
	nobpf)
		series_options 'BPF.*'
		echo '# CONFIG_BPF_SYSCALL is not set'
		;;
	btf)
		series_options -
		printf 'CONFIG_%s=y\n' DEBUG_INFO_DWARF5 DEBUG_INFO_BTF DEBUG_INFO_BTF_MODULES KSYM_BTF
		;;
	rt)
		series_options 'HIGH_RES_TIMERS|KVM.*'
		printf 'CONFIG_%s=y\n' HIGH_RES_TIMERS PREEMPT_RT
		;;
	clang)
		series_options -
		echo 'CONFIG_CC_IS_CLANG=y'
		;;
	i386)
		series_options "$x86|$ours|CRASH_DUMP"
		printf '# CONFIG_%s is not set\n' 64BIT KSYM_TRACER
		;;
	riscv)
		series_options "$x86|$ours|KGDB.*|KEXEC|CRASH_DUMP|DYNAMIC_FTRACE|FUNCTION_.*TRACER|FTRACE_SYSCALLS|EARLY_PRINTK|KERNEL_LZ4|VIRTUALIZATION"
		printf '# CONFIG_%s is not set\n' KSYM_TRACER HAVE_HW_BREAKPOINT
		printf 'CONFIG_%s=y\n' 64BIT MMU
		;;
	allmod)
		# Its KUnit is a module, and then the tests, which must be built-in, are off.
		option_lines "$KSYM_ROOT/Kconfig.fragment" | grep -vE 'KUNIT'
		;;
	cloud)
		debian_config
		cat "$KSYM_ROOT/Kconfig.fragment"
		# Debian's keys are not in the source.
		printf 'CONFIG_%s=""\n' SYSTEM_TRUSTED_KEYS SYSTEM_REVOCATION_KEYS
		echo '# CONFIG_MODULE_SIG is not set'
		# On which our tests and our sample depend.
		printf 'CONFIG_%s=y\n' KUNIT RUNTIME_TESTING_MENU SAMPLES
		;;
	esac
}

# Prints the files of the overlay and those that the patches change.
our_files() {
	overlay_files
	patch_files | xargs -d '\n' cat | touched_by -
}

# Prints the arguments of make that select the architecture and the compiler of $1.
make_arguments() {
	case $1 in
	i386) echo ARCH=i386 ;;
	riscv) printf '%s\n' ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- 'CC=ccache riscv64-linux-gnu-gcc' ;;
	clang) echo "CC=ccache $compiler" ;;
	esac
}

# Prints what make is to build for $1.
targets() {
	case $1 in
	riscv) echo vmlinux ;;
	cloud) printf '%s\n' vmlinux samples/ksym/ ;;
	allmod) printf '%s\n' kernel/trace/ksym/ kernel/events/ arch/x86/kernel/ samples/ksym/
		our_files | grep -E '^(arch/x86|include|kernel|lib|mm|fs)/.*\.c$' | grep -vE '_test\.c$' | sed 's/c$/o/' ;;
	*) printf '%s\n' bzImage modules ;;
	esac
}

# Writes the configuration of $1, whose request is $work/request.
configure() {
	local name=$1
	local -a arguments
	mapfile -t arguments < <(make_arguments "$name")
	case $name in
	allmod) kernel_make configs -s O="$name" "${arguments[@]}" allmodconfig || return 1 ;;
	cloud)
		cp "$work/request" "$tree/$name/.config"
		kernel_make configs -s O="$name" "${arguments[@]}" olddefconfig || return 1
		option_lines "$KSYM_ROOT/Kconfig.fragment" >"$work/request"
		;;
	*)
		# tiny.config of x86 selects a compression and an unwinder.
		make_config configs "$work/request" O="$name" "${arguments[@]}" || return 1
		;;
	esac
	check_config "$tree/$name/.config" "$work/request"
}

build() {
	local name=$1
	local -a arguments goals
	mapfile -t arguments < <(make_arguments "$name")
	mapfile -t goals < <(targets "$name")
	kernel_make configs O="$name" -j"${JOBS:-$(nproc)}" "${arguments[@]}" "${goals[@]}" || return 1
	# The sample calls each function of the header; here they are stubs.
	[[ $name != riscv ]] ||
		kernel_make configs O="$name" "${arguments[@]}" M=samples/ksym CONFIG_SAMPLE_KSYM=m ksym_sample.o
}

# Prints the warnings of our files in the log $1.
warnings_of() {
	grep -E '(warning|WARNING): ' "$1" | grep -Fwf <(our_files) | sort -u || true
}

# Prints the key that records that $1 passed.
key_of() {
	{
		echo "$1"
		{ overlay_files; series_patches | files_of_patches; } | hash_files
		cat "$work/request"
		stat -c '%s %Y' "$KSYM_SOURCE_TARBALL"
		declare -f kernel_make make_config make_arguments targets configure build warnings_of
		case $1 in
		clang) $compiler --version ;;
		riscv) riscv64-linux-gnu-gcc --version ;;
		*) gcc --version ;;
		esac
	} | sha256sum | cut -d' ' -f1
}

try() {
	local name=$1 key began=$SECONDS log=$logs/$1
	request "$name" >"$work/request"
	key=$(key_of "$name")
	if has_passed "$key"; then
		say "$name: passed before"
		return
	fi
	say "$name: building (log: ${log#"$KSYM_ROOT"/})"
	mkdir -p "$tree/$name"
	(configure "$name") >"$log" 2>&1 || die_of_log "$name: can't be configured" "$log"
	# Other scripts may build between two configurations.
	(lock_builds && with_progress "$log" build "$name") || die_of_log "$name: does not build" "$log"
	warnings_of "$log" >"$work/warnings"
	[[ ! -s $work/warnings ]] || { cat "$work/warnings" >&2; die "$name: our files have warnings; log: ${log#"$KSYM_ROOT"/}"; }
	record_passed "$key" "$name"
	rm -rf "${tree:?}/$name"
	say "$name: built in $((SECONDS - began)) s"
}

wanted=("$@")
for name in "${wanted[@]}"; do
	[[ " ${names[*]} " == *" $name "* ]] || die "unknown configuration '$name'; use ${names[*]}"
done
need_source
"$KSYM_ROOT/scripts/setup.sh" demo configs
mkdir -p "$logs"
# Two runs would change the same tree.
exec 8>"$logs/.lock"
flock -n 8 || die 'make check-configs is running already'
KSYM_SOURCE_UNUSED=()
need_room 'building the configurations' 8000
unpack_source "$tree"
FORCE=1 BASE=$KSYM_BASE "$KSYM_ROOT/scripts/apply.sh" apply "$tree" >"$logs/apply" 2>&1 ||
	{ tail -n 20 "$logs/apply" >&2; die 'cannot apply the project'; }
for name in "${wanted[@]:-${names[@]}}"; do
	try "$name"
done
