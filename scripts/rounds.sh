# shellcheck shell=bash disable=SC2154
# Long runs that are made of rounds, each with a seed of its own, and that can be interrupted. It
# is sourced after lib.sh by scripts that define round().
#
# A record is a file in ~/.cache/ksym for a test, a commit, a base and a flavour. It has a
# line for each round: its seed, its seconds, and NAME=NUMBER for all that was counted.

# Prints the file of the record of the test $1. Changes that are not committed have a record of
# their own.
record_of() {
	local state
	state=$(git -C "$KSYM_ROOT" rev-parse --short=12 HEAD)
	git -C "$KSYM_ROOT" diff --quiet HEAD || state=$(git -C "$KSYM_ROOT" diff HEAD | sha256sum | cut -c 1-12)-changed
	printf '%s/rounds/%s.%s.%s.%s\n' "$KSYM_SOURCE_CACHE" "$1" "$KSYM_BASE" "${VM_FLAVOUR:-ksym}" "$state"
}

# Records "$2…", NAME=NUMBER of all that was counted, as the only round of the test $1.
record_once() {
	local record
	git -C "$KSYM_ROOT" rev-parse -q --verify HEAD >/dev/null 2>&1 || return 0
	record=$(record_of "$1")
	mkdir -p "$(dirname "$record")"
	echo "1 $SECONDS ${*:2}" >"$record"
}

# Prints the sums of the record $1, as "rounds=N seconds=N NAME=N…".
sums_of() {
	awk '{
		sum["seconds"] += $2
		for (i = 3; i <= NF; i++) {
			split($i, part, "=")
			if (!(part[1] in sum)) names[++n] = part[1]
			sum[part[1]] += part[2]
		}
	}
	END {
		printf "rounds=%d seconds=%d", NR, sum["seconds"]
		for (i = 1; i <= n; i++) printf " %s=%d", names[i], sum[names[i]]
		print ""
	}' "$1"
}

# Prints the sum with the name $2 of the record $1.
sum_of() { sums_of "$1" | tr ' ' '\n' | sed -n "s/^$2=//p"; }

# Runs rounds of the test $1, from SEED (1) upwards, until the sum with the name $2 is at least $3.
# round() gets the seed, prints NAME=NUMBER… in its last line, and fails if it finds a fault.
run_rounds() {
	local test=$1 name=$2 goal=$3 record seed=${SEED:-1} began said sum
	[[ $seed =~ ^[0-9]+$ ]] || die "SEED must be a number, not '$seed'"
	[[ $goal =~ ^[1-9][0-9]*$ ]] || die "the $name must be a number, not '$goal'"
	record=$(record_of "$test")
	mkdir -p "$(dirname "$record")"
	touch "$record"
	while sum=$(sum_of "$record" "$name") && ((${sum:-0} < goal)); do
		seed=$(awk -v seed="$seed" '$1 >= seed { seed = $1 + 1 } END { print seed }' "$record")
		began=$SECONDS
		said=$(round "$seed") || { printf '%s\n' "$said" >&2; die "the round with SEED=$seed failed"; }
		printf '%s\n' "$seed $((SECONDS - began)) ${said##*$'\n'}" >>"$record"
		say "SEED=$seed: ${said##*$'\n'}; in all $(sums_of "$record")"
	done
	say "$test: $(sums_of "$record")"
}
