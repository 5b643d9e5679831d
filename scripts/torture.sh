#!/bin/bash
# Tortures the tracer, and audits each store to a watched variable: scripts/torture.sh [AUDITS]
#
# A machine has four CPUs and runs tests/torture.guest.sh until each of its three auditors has
# made AUDITS watches. With AUDITS there is one such machine, with SEED (1), whose output is
# printed. Without, one follows the other until all of them have run for MINUTES (60) in sum, see
# scripts/rounds.sh. A machine whose log has a splat, that does not end, or whose audit does not
# come out even, ends the run. With VERBOSE=1, the console's log says how far a machine is.
#
# With DEBUGGERS=1 the machine is one of Debian 13's QEMU, which has a thread for each CPU, so that
# they run at the same time. gdb and kgdb take registers there. Without AUDITS every second
# machine is such a one.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/rounds.sh
. "$(dirname "${BASH_SOURCE[0]}")/rounds.sh"
# shellcheck source=scripts/trees.sh
. "$(dirname "${BASH_SOURCE[0]}")/trees.sh"
KSYM_NAME=torture

flavour=${VM_FLAVOUR:-ksym}
check_flavour "$flavour"
module=$KSYM_BUILD/torture-$flavour

build() (
	"$KSYM_ROOT/scripts/kernel.sh" "$flavour"
	build_modules "$flavour" "$module" "$KSYM_ROOT"/tests/torture/* >"$KSYM_LOGS/torture-$flavour.log" 2>&1 ||
		die_of_log 'the module does not build' "$KSYM_LOGS/torture-$flavour.log"
	gcc -O2 -Wall -Wextra -static -o "$module/torture_ptrace" "$module/torture_ptrace.c"
)

# Gets the QEMU of Debian 13 and a gdb without Python.
make_debuggers() {
	local packages trees=$KSYM_SHARED/trees
	mapfile -t packages < <(with_dependencies trixie qemu-system-x86)
	make_tree qemu trixie "${packages[@]}"
	mapfile -t packages < <(with_dependencies bookworm gdb-minimal)
	make_tree gdb bookworm "${packages[@]}"
	mkdir -p "$module/bin"
	printf '%s\n' '#!/bin/bash' ". '$KSYM_ROOT/scripts/lib.sh'" ". '$KSYM_ROOT/scripts/trees.sh'" \
		"run_in_tree qemu qemu-system-x86_64 -L '$trees/qemu/usr/share/seabios' -L '$trees/qemu/usr/share/qemu' \"\$@\"" \
		>"$module/bin/qemu-system-x86_64"
	chmod +x "$module/bin/qemu-system-x86_64"
}

# Runs a machine with $1 audits of each auditor and the seed $2.
machine() (
	# With a thread per CPU, QEMU 7.2 executes code that another CPU has patched (CONTRIBUTING.md).
	# Each audit makes an instance, whose buffers are 1.4 MB per CPU at first by default.
	local accel=tcg,thread=single gdb=$KSYM_SHARED/trees/gdb/usr extra
	extra="$KSYM_ROOT/tests/torture.guest.sh:/ksym/torture.sh $module/ksym_torture.ko:/mnt/ksym_torture.ko $module/torture_ptrace:/mnt/torture_ptrace"
	if [[ -n ${DEBUGGERS:-} ]]; then
		PATH=$module/bin:$PATH accel=tcg
		extra+=" $gdb/bin/gdb:/mnt/gdb/gdb $gdb/lib/x86_64-linux-gnu:/mnt/gdb/lib"
	fi
	CMD="${VERBOSE:+VERBOSE=1 }bash /ksym/torture.sh $1 $2 ${DEBUGGERS:+debuggers}" VM_CPUS=4 VM_ACCEL=${VM_ACCEL:-$accel} \
		VM_TIMEOUT=${VM_TIMEOUT:-1500} VM_APPEND="trace_buf_size=64k ${VM_APPEND:-}" VM_EXTRA=$extra \
		"$KSYM_ROOT/scripts/vm.sh"
)

# shellcheck disable=SC2317  # run_rounds calls it
round() {
	# Runs on different kernels may run at the same time.
	local said=$KSYM_LOGS/torture-$flavour.said audits=40
	export VM_LOGS=$KSYM_LOGS/torture-$flavour
	rm -rf "$VM_LOGS"
	(($1 % 2)) && DEBUGGERS='' || DEBUGGERS=1
	# There an audit takes up to two minutes.
	! has_checkers || audits=6
	machine "$audits" "$1" | tee "$said" || return 1
	"$KSYM_ROOT/scripts/splats.sh" "$VM_LOGS"/*.log || return 1
	# A line of its own is an audit that does not come out even.
	(($(wc -l <"$said") == 1))
}

build
[[ $# != 0 && -z ${DEBUGGERS:-} ]] || make_debuggers >&2
if [[ $# != 0 ]]; then
	machine "$1" "${SEED:-1}"
else
	[[ ${MINUTES:-60} =~ ^[1-9][0-9]*$ ]] || die "MINUTES must be a number, not '$MINUTES'"
	run_rounds torture seconds $((${MINUTES:-60} * 60))
fi
