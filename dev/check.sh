#!/bin/bash
# Runs the project's tests: dev/check.sh [PATTERN…]
#
# A test is an executable file dev/tests/NN-NAME.sh that prints TAP or KTAP. What it
# prints streams through; its results are added up, and a file that ends with a
# status other than 0, or without any result, is one failure more. A summary line of
# KTAP, whose subtests were counted, does not count again.
#
# Each file gets a folder of its own for the logs of the machines that it boots, and
# these are searched for splats afterwards. With VM_FLAVOUR=debug only the files
# called NN-vm-… run, those that ask something of the kernel, and those called
# NN-debug-…, which run on no other.
#
# The last line is "N passed, N failed", with ", N skipped" where there were any. The
# status is 1 when something failed. CHECK_NESTED=1 leaves the last line out: for a
# test file that runs others.
set -euo pipefail
# shellcheck source=dev/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=check
export VM_FLAVOUR=${VM_FLAVOUR:-ksym}
check_flavour "$VM_FLAVOUR"
passed=0 failed=0 skipped=0

# Counts one result. $1 is "ok" or "not ok", $2 what stands behind it.
count() {
	case $1:${2,,} in
	*:*'# skip'*) skipped=$((skipped + 1)) ;;
	ok:* | *:*'# todo'* | *:*'# xfail'*) passed=$((passed + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
}

# Prints what a test prints and counts its results. KTAP indents subtests and puts
# their summary behind them, less deep: so a result that ends deeper ones is no test
# of its own, unless it failed where none of those did.
read_results() {
	local line depth last=0 deeper_failed=0 results=0
	local result='^( *)(ok|not ok)( +[0-9]+)?( (.*))?$'
	while IFS= read -r line; do
		printf '%s\n' "$line"
		[[ $line =~ $result ]] || continue
		depth=${#BASH_REMATCH[1]}
		results=$((results + 1))
		if ((depth < last)) && [[ ${BASH_REMATCH[2]} == ok || $deeper_failed == 1 ]]; then
			:
		else
			count "${BASH_REMATCH[2]}" "${BASH_REMATCH[5]:-}"
			[[ ${BASH_REMATCH[2]} == ok ]] || deeper_failed=1
		fi
		((depth > 0)) || deeper_failed=0
		last=$depth
	done
	((results > 0))
}

# Runs one test file, and searches the logs of its machines.
run_file() {
	local file=$1 name started=$SECONDS status=0 before found
	name=$(basename "$file" .sh)
	export VM_LOGS=$KSYM_LOGS/check-$VM_FLAVOUR/$name
	rm -rf "$VM_LOGS"
	mkdir -p "$VM_LOGS"
	before=$failed
	printf '# %s (%s)\n' "$name" "$VM_FLAVOUR"
	# The results are read in this shell, for its counters; the status of the file
	# comes through a file beside its logs.
	read_results < <(
		cd "$KSYM_ROOT"
		"$file" </dev/null || status=$?
		echo "$status" >"$VM_LOGS/status"
	) || { printf 'not ok - %s ran no test\n' "$name"; failed=$((failed + 1)); }
	read -r status <"$VM_LOGS/status" || status='no status'
	# A file that reported a failure ends with a status, too; that is no second one.
	if [[ $status != 0 && $failed == "$before" ]]; then
		printf 'not ok - %s ended with status %s\n' "$name" "$status"
		failed=$((failed + 1))
	fi
	if ! found=$("$KSYM_ROOT/dev/splats.sh" "$VM_LOGS"/*.log); then
		printf 'not ok - the kernel had nothing to complain about in %s\n%s\n' "$name" "$found"
		failed=$((failed + 1))
	fi
	printf '# %s: %d s\n' "$name" $((SECONDS - started))
}

# Does one step of the preparation; without it there is nothing to test.
prepare() {
	"$@" || {
		printf 'not ok - %s\n' "$*"
		failed=$((failed + 1))
		finish
	}
}

finish() {
	[[ ${CHECK_NESTED:-} == 1 ]] ||
		printf '%d passed, %d failed%s\n' "$passed" "$failed" "$( ((skipped == 0)) || printf ', %d skipped' "$skipped")"
	exit $((failed != 0))
}

patterns=("$@")
[[ ${#patterns[@]} != 0 ]] || read -r -a patterns <<<"${TESTS:-*}"
files=()
for file in "$KSYM_ROOT"/dev/tests/[0-9][0-9]-*.sh; do
	case $VM_FLAVOUR:$(basename "$file") in
	debug:??-vm-* | debug:??-debug-*) ;;
	debug:* | *:??-debug-*) continue ;;
	esac
	for pattern in "${patterns[@]}"; do
		# shellcheck disable=SC2053  # a pattern is what it is
		[[ $(basename "$file" .sh) != $pattern ]] || { files+=("$file"); break; }
	done
done
[[ ${#files[@]} != 0 ]] || die "no test has a name like ${patterns[*]}"

prepare "$KSYM_ROOT/dev/setup.sh"
prepare "$KSYM_ROOT/dev/kernel.sh" "$VM_FLAVOUR"
prepare "$KSYM_ROOT/dev/tools.sh"
for file in "${files[@]}"; do run_file "$file"; done
finish
