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
#	bench/run.sh scale [KIND=N,…]	prints how costs grow with CPUs and watches
#	bench/run.sh growth [FILE]	prints that of a file, by default of the last run
#
# The kinds of scale are those of bench/control.c: cpus, shared and flexible. Each number of CPUs
# has a machine of that size; watches are counted on one CPU. build/scale.tsv has the figures.
# Without arguments, scale measures up to 32 CPUs and 10,000 watches, and writes the table into the
# manual.
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
	is_built() { [[ -f $out/key && $(<"$out/key") == "$key" ]]; }
	is_built && return
	mkdir -p "$KSYM_LOGS"
	(
		lock_builds
		# Another script may have built it while this one waited.
		is_built && exit
		rm -rf "$out"
		mkdir -p "$out"
		cd "$KSYM_ROOT/bench"
		cp "${sources[@]}" "$out"
		# The kernel's own headers have macros for BPF instructions.
		{
			kernel_make "$flavour" M="$out" modules &&
				gcc -O2 -Wall -Wextra -Werror -Wno-missing-field-initializers \
					-iquote "$tree/tools/include/linux" -idirafter "$tree/tools/include" -o "$out/rows" "$out/rows.c" &&
				gcc -O2 -Wall -Wextra -Werror -o "$out/control" "$out/control.c" &&
				gcc -O2 -Wall -Wextra -Werror -o "$out/unarmed" "$out/unarmed.c" &&
				printf '%s\n' "$key" >"$out/key"
		} >"$log" 2>&1
	) || { tail -n 20 "$log" >&2; die "the benchmark could not be built; the whole log is $log"; }
}

# The target is a variable that only the tracer's KUnit tests write. On a kernel without
# the tracer, the module stores to a variable of its own.
# shellcheck disable=SC2016  # the guest's own variables
prepare='
	set -euo pipefail
	target=$(sed -n "s/^\([0-9a-f]*\) . ksym_test_u64$/target=0x\1/p" /proc/kallsyms)
	insmod /bench/ksym_bench.ko $target'
# shellcheck disable=SC2016
guest=$prepare'
	printf "kernel\t%s\n" "$(uname -r)"
	/bench/unarmed
	/bench/rows'

# Boots the flavour $1 with $3 CPUs, 8 by default, and runs the command $2. Only one CPU is online
# until bench/control.c brings up others.
machine() {
	local out=$KSYM_BUILD/bench/$1 extra=$KSYM_BUILD/bench/$1/ksym_bench.ko:/bench/ksym_bench.ko program
	for program in rows control unarmed; do extra+=" $out/$program:/bench/$program"; done
	VM_FLAVOUR=$1 VM_ACCEL=tcg,thread=single VM_CPUS=${3:-8} VM_ICOUNT=0 VM_APPEND='nokaslr maxcpus=1' \
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
#	cpus  CPUS  WHAT  INSTRUCTIONS
#
# and a line of bench/unarmed.c is
#
#	unarmed  NAME  LABEL  INSTRUCTIONS
#
# The baseline of each ratio is from the pristine kernel.
# shellcheck disable=SC2016  # awk's own variables
reader='
	BEGIN { nr_steps = split("define arm disarm retarget remove", step, " ") }
	FNR == 1 { file++ }
	$1 == "kernel" { kernel[file] = $2; next }
	$1 == "cpus" { control[$2, $3] = $4; if ($2 != last) sizes[++controls] = last = $2; next }
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
			printf "\n%-24s", "A watch, by CPUs"
			for (j = 1; j <= nr_steps; j++) printf " %10s", step[j]
			for (i = 1; i <= controls; i++) {
				printf "\n%24d", sizes[i]
				for (j = 1; j <= nr_steps; j++) printf " %10d", control[sizes[i], step[j]]
			}
			print ""
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
				printf "%s\n\t\t{ \"cpus\": %d", i == 1 ? "" : ",", sizes[i]
				for (j = 1; j <= nr_steps; j++) printf ", \"%s\": %d", step[j], control[sizes[i], step[j]]
				printf " }"
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

# Prints the figures of the kind $1 for the numbers $2, with commas between them.
measure_growth() {
	local numbers=${2//,/ } number
	if [[ $1 != cpus ]]; then
		machine "$ours" "$prepare; /bench/control $1 $numbers" 1
		return
	fi
	for number in $numbers; do machine "$ours" "$prepare; /bench/control cpus $number" "$number" || return; done
}

# Prints the tables of the file $1, which has lines of bench/control.c. A formula has the least
# squares of relative deviations from the figures. It has a square only if that is positive and makes
# the greatest deviation four times smaller.
# shellcheck disable=SC2016  # awk's own variables
print_growth() {
	awk -F '\t' '
		BEGIN {
			title["cpus"] = "CPUs"
			title["shared"] = "watches"
			title["flexible"] = "flexible"
		}
		function widen(text) { if (length(text) > width) width = length(text) }
		!(($1, $3) in known) { known[$1, $3]; what[$1, ++whats[$1]] = $3 }
		!($1 in nr) { kind[++kinds] = $1 }
		!(($1, $2) in seen) { seen[$1, $2]; number[$1, ++nr[$1]] = $2 }
		{ figure[$1, $2, $3] = $4; widen($2); widen($4) }

		# Sets c[0], c[1] and c[2] to the polynomial with "terms" terms, by Gauss and Jordan. Returns how
		# far it is off at most, in %. Figures that are missing do not count.
		function fit(k, w, terms,	i, j, l, n, y, f, m, off, worst) {
			for (i = 0; i < 3; i++) for (j = 0; j <= 3; j++) m[i, j] = 0
			for (l = 1; l <= nr[k]; l++) {
				n = number[k, l]
				if (!(y = figure[k, n, w])) continue
				for (i = 0; i < terms; i++) {
					for (j = 0; j < terms; j++) m[i, j] += n ^ (i + j) / y ^ 2
					m[i, 3] += n ^ i / y
				}
			}
			for (i = 0; i < terms; i++) {
				for (l = 0; l < terms; l++) {
					if (l == i || !m[i, i]) continue
					f = m[l, i] / m[i, i]
					for (j = 0; j <= 3; j++) m[l, j] -= f * m[i, j]
				}
			}
			for (i = 0; i < 3; i++) c[i] = m[i, i] ? m[i, 3] / m[i, i] : 0
			for (l = 1; l <= nr[k]; l++) {
				n = number[k, l]
				if (!(y = figure[k, n, w])) continue
				off = (c[0] + c[1] * n + c[2] * n ^ 2) / y - 1
				if (off < 0) off = -off
				if (off > worst) worst = off
			}
			return 100 * worst
		}
		function term(x, power,	text) {
			text = sprintf(x > -10 && x < 10 ? "%.2f" : "%.0f", x < 0 ? -x : x)
			return text + 0 == 0 ? "" : (x < 0 ? " - " : " + ") text " " power
		}
		function formula(k, w,	off) {
			off = nr[k] > 3 ? fit(k, w, 3) : 100
			if (c[2] <= 0 || fit(k, w, 2) <= 4 * off) off = fit(k, w, 2)
			else off = fit(k, w, 3)
			# It would print -0.
			if (c[0] > -0.5 && c[0] < 0.5) c[0] = 0
			return sprintf("%.0f%s%s  ±%.1f %%", c[0], term(c[1], "n"), term(c[2], "n²"), off)
		}
		END {
			for (i = 1; i <= kinds; i++) {
				k = kind[i]
				printf "%s%-8s", i == 1 ? "" : "\n", title[k]
				for (j = 1; j <= nr[k]; j++) printf "  %*d", width, number[k, j]
				print "  instructions for n"
				for (l = 1; l <= whats[k]; l++) {
					w = what[k, l]
					printf "%-8s", w
					for (j = 1; j <= nr[k]; j++) printf "  %*s", width, (k, number[k, j], w) in figure ? figure[k, number[k, j], w] : "-"
					print "  " formula(k, w)
				}
			}
		}' "$1"
}

# Measures and prints the growth of the arguments, KIND=N,….
scale() {
	local kinds=("$@") kind tsv=$KSYM_BUILD/scale.tsv
	# shellcheck disable=SC2054  # the commas are those of the argument
	[[ $# != 0 ]] || kinds=(cpus=1,2,4,8,16,32 shared=1,10,100,1000,10000 flexible=1,10,100,1000)
	for kind in "${kinds[@]}"; do
		[[ $kind =~ ^(cpus|shared|flexible)=[0-9]+(,[0-9]+)*$ ]] ||
			die "'$kind' is not KIND=N,…; the kinds are cpus, shared and flexible"
	done
	build "$ours"
	for kind in "${kinds[@]}"; do
		measure_growth "${kind%=*}" "${kind#*=}" || die "$kind could not be measured"
	done >"$tsv.new"
	mv "$tsv.new" "$tsv"
	print_growth "$tsv"
	# The manual has the figures of one base.
	[[ $# != 0 || $KSYM_BASE != 6.12 || $ours != ksym ]] ||
		{ printf '::\n\n'; print_growth "$tsv" | sed 's/./  &/'; } |
			replace_section "$KSYM_ROOT/Documentation/trace/ksym.rst" '.. Written by "make scale", from here'
}

case ${1:-} in
'') ;;
rows)
	build "${2:-$ours}"
	machine "${2:-$ours}" "$guest"
	exit
	;;
scale)
	scale "${@:2}"
	exit
	;;
growth)
	print_growth "${2:-$KSYM_BUILD/scale.tsv}"
	exit
	;;
*) die "unknown argument '$1': bench/run.sh [rows [FLAVOUR] | scale [KIND=N,…] | growth [FILE]]" ;;
esac
build pristine
build "$ours"
qemu=$(qemu-system-x86_64 --version | sed -n 's/^QEMU emulator version \([^ ]*\).*/QEMU \1/p')
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
measure pristine "$guest" "$said/pristine"
measure "$ours" "$guest; /bench/control cpus 1 2 4 8" "$said/ours"
# Keep the last results for comparison.
cp "$said/pristine" "$KSYM_BUILD/bench/pristine/said"
cp "$said/ours" "$KSYM_BUILD/bench/$ours/said"
print_json "$said/pristine" "$said/ours" >"$json.new"
mv "$json.new" "$json"
print_table "$said/pristine" "$said/ours"
