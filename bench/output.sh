#!/bin/bash
# Measures what ksymwatch takes to read a recording, beside trace-cmd report: bench/output.sh
#
# Prints for each command the instructions per hit, which valgrind counts and which are the
# same in every run; for a million hits the user time, the peak memory and the bytes written;
# and the ratios to trace-cmd report on the same file. The status is 1 if one of the bounds in
# the table below is exceeded. The time has none: it depends on what else the machine does.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
KSYM_NAME=bench-output
ksymwatch=$KSYM_SHARED/tools/ksymwatch
[[ -x $ksymwatch ]] || die 'build/tools/ksymwatch is missing: make tools'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

few=100 some=20000 many=1000000
# Few symbols where instructions are counted, as valgrind is slow.
for hits in $few $some $many; do
	python3 "$KSYM_ROOT/bench/recording.py" "$hits.dat" "$hits" $((hits / 20 > 1000 ? hits / 20 : 1000))
done

# Prints the instructions that a command takes for a file of $1 hits.
instructions() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "${@:2}" "$1.dat" 2>&1 >/dev/null |
		sed -n 's/.*Collected : //p'
}

failed=0
# Prints the row of a command: $1 says what it is; $2, $3 and $4 are the greatest instructions
# and memory, as ratios to trace-cmd's, and the greatest number of bytes; - is no bound.
measure() {
	local name=$1 figures
	shift
	local bounds=("$@")
	shift 3
	figures="$(instructions $few "$@") $(instructions $some "$@")"
	python3 - "$@" $many.dat >usage <<-'END'
		import os, resource, subprocess, sys
		with open("result", "w") as out:
		    subprocess.run(sys.argv[1:], stdout=out, stderr=subprocess.DEVNULL, check=True)
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print(used.ru_utime, used.ru_maxrss, os.path.getsize("result"))
	END
	figures="$figures $(<usage)"
	[[ $name != 'trace-cmd report' ]] || base=$figures
	awk -v hits=$((some - few)) -v many=$many -v name="$name" '
		function bound(what, got, most) {
			if (most == "-" || got <= most) return
			printf "%s: %s: %.2f is more than the bound, %s\n", name, what, got, most
			failed = 1
		}
		NR == 1 { count = ($2 - $1) / hits; seconds = $3; kb = $4 }
		NR == 2 {
			mine = ($2 - $1) / hits
			printf "%-28s %8d %6.2f %8.2f %6.2f %8.1f %6.2f %10.1f\n", name, mine, mine / count,
				$3, $3 / seconds, $4 / 1024, $4 / kb, $5 / many
		}
		NR == 3 {
			bound("instructions", mine / count, $1)
		}
		{ line[NR] = $0 }
		END {
			split(line[2], got); split(line[3], most)
			bound("memory", got[4] / kb, most[2])
			bound("bytes written", got[5], most[3])
			exit failed
		}' <<<"$base"$'\n'"$figures"$'\n'"${bounds[*]}" || failed=1
}

printf '%-28s %15s %15s %15s %10s\n' '' 'instructions' 'user time' 'peak memory' 'bytes'
printf '%-28s %8s %6s %8s %6s %8s %6s %10s\n' "$many hits" 'per hit' ratio s ratio MB ratio 'per hit'
measure 'trace-cmd report' - - - trace-cmd report
measure 'ksymwatch report' 1 1.25 - "$ksymwatch" report
measure 'ksymwatch report --json' 1.5 1.25 - "$ksymwatch" report --json
measure 'ksymwatch export --csv' 1.5 1.25 - "$ksymwatch" export --csv
measure 'ksymwatch export --perfetto' 1.5 1.25 $((106 * many)) "$ksymwatch" export --perfetto
measure 'ksymwatch plot' 1.5 3 $((10 * 1000 * 1000)) "$ksymwatch" plot
exit $failed
