#!/bin/bash
# Measures what a hit costs, in instructions: bench/run.sh
#
# It builds the module and the program beside it, boots the kernel (VM_FLAVOUR) in a
# machine that counts, and prints a table; build/bench.json has the same as JSON.
#
# With -icount shift=0 QEMU's virtual clock goes on by a nanosecond with each
# instruction, and the time stamp counter is read from it; so what the guest measures
# are instructions, and the same in every run. That is no time: a real CPU takes
# longer for some than for others, and the entry into the kernel is one of the long
# ones. But it is exact, and the same on each machine that runs this.
set -euo pipefail
# shellcheck source=dev/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../dev/lib.sh"
KSYM_NAME=bench
flavour=${VM_FLAVOUR:-ksym}
check_flavour "$flavour"
tree=$KSYM_BUILD/linux-$flavour
out=$KSYM_BUILD/bench/$flavour
json=$KSYM_BUILD/bench.json
sources=(Kbuild ksym_bench.h ksym_bench_main.c ksym_bench_peers.c ksym_bench_trace.h rows.c)

# A module fits one kernel only; and the tree may not be built in meanwhile.
build() {
	local key log=$KSYM_LOGS/bench-$flavour.log
	key=$({ cat "$tree/vmlinux"; cd "$KSYM_ROOT/bench" && cat "${sources[@]}"; } | sha256sum)
	[[ ! -f $out/key || $(<"$out/key") != "$key" ]] || return 0
	rm -rf "$out"
	mkdir -p "$out" "$KSYM_LOGS"
	(cd "$KSYM_ROOT/bench" && cp "${sources[@]}" "$out")
	{
		(lock_builds && kernel_make "$flavour" M="$out" modules) &&
			# The kernel's own headers have an assembler of BPF programs.
			gcc -O2 -Wall -Wextra -Werror -iquote "$tree/tools/include/linux" -o "$out/rows" "$out/rows.c"
	} >"$log" 2>&1 || { tail -n 20 "$log" >&2; die "the benchmark could not be built; the whole log is $log"; }
	printf '%s\n' "$key" >"$out/key"
}

# The target is a variable that only the tracer's KUnit tests write. A kernel without
# the tracer does not have it; there the module stores to one of its own.
# shellcheck disable=SC2016  # the guest's own variables
guest='
	set -euo pipefail
	target=$(sed -n "s/^\([0-9a-f]*\) . ksym_test_u64$/target=0x\1/p" /proc/kallsyms)
	insmod /bench/ksym_bench.ko $target
	printf "kernel\t%s\n" "$(uname -r)"
	/bench/rows'

# The kernel does not trust the time stamp counter of a virtual machine, and would use
# a clock that costs more; on real machines it does, nearly always.
measure() {
	VM_FLAVOUR=$flavour VM_ACCEL=tcg,thread=single VM_CPUS=1 \
		VM_QEMU='-icount shift=0,sleep=off -seed 1' VM_APPEND='nokaslr tsc=reliable' \
		VM_EXTRA="$out/ksym_bench.ko:/bench/ksym_bench.ko $out/rows:/bench/rows" \
		CMD=$guest "$KSYM_ROOT/dev/vm.sh"
}

# Reads what bench/rows.c prints. A line of it is
#
#	NAME  LABEL  INSTRUCTIONS  HITS  RECORDS  BYTES
#
# but for the first one, which names the kernel.
print_table() {
	awk -F '\t' '
		$1 == "kernel" { printf "Linux %s in %s\n\n", $2, qemu; next }
		$1 == "floor" { floor = $3 / $4 }
		{ n++; label[n] = $2; name[n] = $1; cost[n] = $3 / $4; hits = $4; bytes[n] = $5 ? sprintf("%.1f", $6 / $5) : "-" }
		END {
			printf "%-48s %12s %9s %9s\n", "", "instructions", "ratio to", "bytes per"
			printf "%-48s %12s %9s %9s\n", "", "per hit", "the floor", "record"
			for (i = 1; i <= n; i++) {
				if (name[i] == "idle") { idle = cost[i]; continue }
				printf "%-48s %12.1f %9.2f %9s\n", label[i], cost[i], cost[i] / floor, bytes[i]
			}
			printf "\nOver %d stores each, which take %.1f instructions themselves.\n", hits, idle
		}' qemu="$qemu" "$1"
}

print_json() {
	awk -F '\t' '
		$1 == "kernel" {
			printf "{\n\t\"kernel\": \"%s\",\n\t\"qemu\": \"%s\",\n\t\"flavour\": \"%s\",\n\t\"rows\": [", $2, qemu, flavour
			next
		}
		$1 == "floor" { floor = $3 / $4 }
		{ line[++n] = $0 }
		END {
			for (i = 1; i <= n; i++) {
				split(line[i], f)
				printf "%s\n\t\t{ \"name\": \"%s\", \"label\": \"%s\", \"hits\": %d, \"instructions\": %d", \
					(i == 1 ? "" : ","), f[1], f[2], f[4], f[3]
				printf ", \"instructions_per_hit\": %.3f, \"ratio_to_floor\": %.3f", f[3] / f[4], f[3] / f[4] / floor
				printf ", \"records\": %d", f[5]
				if (f[5]) printf ", \"bytes\": %d, \"bytes_per_record\": %.3f", f[6], f[6] / f[5]
				printf " }"
			}
			print "\n\t]\n}"
		}' qemu="$qemu" flavour="$flavour" "$1"
}

"$KSYM_ROOT/dev/kernel.sh" "$flavour"
build
qemu=$(qemu-system-x86_64 --version | sed -n 's/^QEMU emulator version \([^ ]*\).*/QEMU \1/p')
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
measure >"$rows" || die "the rows could not be measured: $(tail -n 3 "$rows")"
print_json "$rows" >"$json.new"
mv "$json.new" "$json"
print_table "$rows"
