#!/bin/bash
# Measures what a hit costs, in instructions: bench/run.sh
#
# Boots two kernels, each in a machine that counts instructions: Debian's pristine kernel,
# for which the other tracers are made and which has the baseline of each ratio, and ours
# (VM_FLAVOUR), in which they profit from our patches, too. Prints what they and the tracer
# take for a hit; what it takes to define, arm, disarm and move a watch; and what the kernel
# takes for other operations while nothing is armed. build/bench.json has the same as JSON.
#
#	bench/run.sh rows [FLAVOUR]	prints the output of bench/rows.c on one kernel
#
# With -icount shift=0, QEMU's virtual clock advances by a nanosecond with each instruction,
# and the time stamp counter is read from that clock. So the guest measures instructions,
# which are the same in every run and on each host. They are not time: on a real CPU some
# instructions take longer than others, and an entry into the kernel takes much longer.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
KSYM_NAME=bench
ours=${VM_FLAVOUR:-ksym}
check_flavour "$ours"
[[ $ours != pristine ]] || die 'the pristine kernel is measured always; VM_FLAVOUR says which one beside it'
json=$KSYM_BUILD/bench.json
sources=(Kbuild ksym_bench.h ksym_bench_main.c ksym_bench_peers.c ksym_bench_trace.h rows.c control.c unarmed.c)

# Builds the kernel of the flavour $1, and the module and the programs for it. A module
# fits only one kernel, and nothing else may be built in the tree meanwhile.
build() {
	local flavour=$1 key tree=$KSYM_BUILD/linux-$1 out=$KSYM_BUILD/bench/$1 log=$KSYM_LOGS/bench-$1.log
	[[ $flavour != pristine || -d $tree ]] ||
		say 'the kernel to compare with is built first, which takes some minutes, but only once'
	"$KSYM_ROOT/scripts/kernel.sh" "$flavour"
	key=$({ cat "$tree/vmlinux"; cd "$KSYM_ROOT/bench" && cat "${sources[@]}"; } | sha256sum)
	[[ ! -f $out/key || $(<"$out/key") != "$key" ]] || return 0
	rm -rf "$out"
	mkdir -p "$out" "$KSYM_LOGS"
	(cd "$KSYM_ROOT/bench" && cp "${sources[@]}" "$out")
	(
		lock_builds
		# The kernel's own headers have macros for BPF instructions.
		{
			kernel_make "$flavour" M="$out" modules &&
				gcc -O2 -Wall -Wextra -Werror -Wno-missing-field-initializers \
					-iquote "$tree/tools/include/linux" -idirafter "$tree/tools/include" -o "$out/rows" "$out/rows.c" &&
				gcc -O2 -Wall -Wextra -Werror -o "$out/control" "$out/control.c" &&
				gcc -O2 -Wall -Wextra -Werror -o "$out/unarmed" "$out/unarmed.c"
		} >"$log" 2>&1
	) || { tail -n 20 "$log" >&2; die "the benchmark could not be built; the whole log is $log"; }
	printf '%s\n' "$key" >"$out/key"
}

# The target is a variable that only the tracer's KUnit tests write. On a kernel without
# the tracer, the module stores to a variable of its own.
# shellcheck disable=SC2016  # the guest's own variables
guest='
	set -euo pipefail
	target=$(sed -n "s/^\([0-9a-f]*\) . ksym_test_u64$/target=0x\1/p" /proc/kallsyms)
	insmod /bench/ksym_bench.ko $target
	printf "kernel\t%s\n" "$(uname -r)"
	/bench/unarmed
	/bench/rows'

# Boots the flavour $1 and runs the command $2. Only one CPU is online until bench/control.c
# brings up others.
machine() {
	local out=$KSYM_BUILD/bench/$1 extra=$KSYM_BUILD/bench/$1/ksym_bench.ko:/bench/ksym_bench.ko program
	for program in rows control unarmed; do extra+=" $out/$program:/bench/$program"; done
	VM_FLAVOUR=$1 VM_ACCEL=tcg,thread=single VM_CPUS=8 VM_ICOUNT=0 VM_APPEND='nokaslr maxcpus=1' \
		VM_EXTRA=$extra CMD=$2 "$KSYM_ROOT/scripts/vm.sh"
}

# Boots the flavour $1, runs the command $2 and writes its output to the file $3.
measure() {
	machine "$1" "$2" >"$3" || die "the flavour $1 could not be measured: $(tail -n 3 "$3")"
}

# The input is the output of the guests, the pristine one first. A line of bench/rows.c is
#
#	NAME  LABEL  INSTRUCTIONS  HITS  RECORDS  BYTES
#
# after a line that names the kernel. A line of bench/control.c is
#
#	control  CPUS  DEFINE  ARM  DISARM  RETARGET  REMOVE
#
# and a line of bench/unarmed.c is
#
#	unarmed  NAME  LABEL  INSTRUCTIONS
#
# The baseline of each ratio is from the pristine kernel.
# shellcheck disable=SC2016  # awk's own variables
reader='
	FNR == 1 { file++ }
	$1 == "kernel" { kernel[file] = $2; next }
	$1 == "control" { control[++controls] = $0; next }
	$1 == "unarmed" { unarmed[file, FNR] = $0; if (file == 2) order[++unarmeds] = FNR; next }
	$1 == "floor" && file == 1 { floor = $3 / $4 }
	file == 1 { pristine[++rows1] = $0; cost1[$1] = $3 / $4; next }
	{ own[++rows2] = $0 }'

print_table() {
	awk -F '\t' "$reader"'
		function figures(n) { return n == "" ? sprintf("%10s %6s", "-", "-") : sprintf("%10.1f %6.2f", n, n / floor) }
		END {
			printf "Linux %s in %s, instructions per hit, and their ratio to the pristine floor\n\n", kernel[2], qemu
			printf "%-48s %17s %17s %10s\n", "", "pristine", "with our patches", "bytes per"
			printf "%-48s %10s %6s %10s %6s %10s\n", "", "", "ratio", "", "ratio", "record"
			for (i = 1; i <= rows2; i++) {
				split(own[i], f)
				hits = f[4]
				if (f[1] == "idle") { idle = f[3] / hits; continue }
				printf "%-48s %s %s %10s\n", f[2], figures(cost1[f[1]]), figures(f[3] / f[4]), \
					f[5] ? sprintf("%.1f", f[6] / f[5]) : "-"
			}
			printf "\nOver %d stores each, which take %.1f instructions themselves.\n", hits, idle
			printf "\n%-24s %10s %10s %10s %10s %10s\n", "A watch, by CPUs", "define", "arm", "disarm", "retarget", "remove"
			for (i = 1; i <= controls; i++) {
				split(control[i], f)
				printf "%24d %10d %10d %10d %10d %10d\n", f[2], f[3], f[4], f[5], f[6], f[7]
			}
			printf "\n%-48s %10s %17s\n", "Nothing armed", "pristine", "with our patches"
			for (i = 1; i <= unarmeds; i++) {
				split(unarmed[1, order[i]], f)
				split(unarmed[2, order[i]], g)
				printf "%-48s %10d %17d\n", g[3], f[4], g[4]
			}
		}' qemu="$qemu" "$1" "$2"
}

print_json() {
	awk -F '\t' "$reader"'
		function row(line, f) {
			split(line, f)
			printf "{ \"name\": \"%s\", \"label\": \"%s\", \"hits\": %d, \"instructions\": %d", f[1], f[2], f[4], f[3]
			printf ", \"instructions_per_hit\": %.3f, \"ratio_to_floor\": %.3f", f[3] / f[4], f[3] / f[4] / floor
			printf ", \"records\": %d", f[5]
			if (f[5]) printf ", \"bytes\": %d, \"bytes_per_record\": %.3f", f[6], f[6] / f[5]
			printf " }"
		}
		END {
			printf "{\n\t\"kernel\": \"%s\",\n\t\"qemu\": \"%s\",\n\t\"flavour\": \"%s\"", kernel[2], qemu, flavour
			printf ",\n\t\"floor\": { \"kernel\": \"pristine\", \"instructions_per_hit\": %.3f }", floor
			printf ",\n\t\"rows\": ["
			for (i = 1; i <= rows2; i++) { printf "%s\n\t\t", i == 1 ? "" : ","; row(own[i]) }
			printf "\n\t],\n\t\"pristine\": {\n\t\t\"kernel\": \"%s\",\n\t\t\"rows\": [", kernel[1]
			for (i = 1; i <= rows1; i++) { printf "%s\n\t\t\t", i == 1 ? "" : ","; row(pristine[i]) }
			printf "\n\t\t]\n\t},\n\t\"control\": ["
			for (i = 1; i <= controls; i++) {
				split(control[i], f)
				printf "%s\n\t\t{ \"cpus\": %d, \"define\": %d, \"arm\": %d", i == 1 ? "" : ",", f[2], f[3], f[4]
				printf ", \"disarm\": %d, \"retarget\": %d, \"remove\": %d }", f[5], f[6], f[7]
			}
			printf "\n\t],\n\t\"unarmed\": ["
			for (i = 1; i <= unarmeds; i++) {
				split(unarmed[1, order[i]], f)
				split(unarmed[2, order[i]], g)
				printf "%s\n\t\t{ \"name\": \"%s\", \"label\": \"%s\"", i == 1 ? "" : ",", g[2], g[3]
				printf ", \"pristine\": %d, \"instructions\": %d }", f[4], g[4]
			}
			print "\n\t]\n}"
		}' qemu="$qemu" flavour="$ours" "$1" "$2"
}

case ${1:-} in
'') ;;
rows)
	build "${2:-$ours}"
	machine "${2:-$ours}" "$guest"
	exit
	;;
*) die "unknown argument '$1': bench/run.sh [rows [FLAVOUR]]" ;;
esac
build pristine
build "$ours"
qemu=$(qemu-system-x86_64 --version | sed -n 's/^QEMU emulator version \([^ ]*\).*/QEMU \1/p')
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
measure pristine "$guest" "$said/pristine"
measure "$ours" "$guest; /bench/control" "$said/ours"
# Keep the last results for comparison.
cp "$said/pristine" "$KSYM_BUILD/bench/pristine/said"
cp "$said/ours" "$KSYM_BUILD/bench/$ours/said"
print_json "$said/pristine" "$said/ours" >"$json.new"
mv "$json.new" "$json"
print_table "$said/pristine" "$said/ours"
