# shellcheck shell=bash
# Functions that the test files share: they print results as TAP. A test file sources
# this and ends with "finish".

# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
tests=0 failures=0

ok() { tests=$((tests + 1)); printf 'ok %d - %s\n' "$tests" "$1"; }
skip() { tests=$((tests + 1)); printf 'ok %d - %s # SKIP %s\n' "$tests" "$1" "$2"; }
# Reports that the test named $1 failed, with the details $2.
not_ok() {
	tests=$((tests + 1)) failures=$((failures + 1))
	printf 'not ok %d - %s\n' "$tests" "$1"
	[[ -z ${2:-} ]] || printf '#   %s\n' "${2//$'\n'/$'\n'#   }"
}

# Passes the test named $1 if the command "$2…" succeeds; otherwise shows its output.
check() {
	local name=$1 output
	shift
	if output=$("$@" 2>&1); then ok "$name"; else not_ok "$name" "$output"; fi
}

# Passes the test named $1 if $2 equals $3; otherwise shows both, or the differing lines of
# longer texts, since CI truncates its output.
is() {
	if [[ $2 == "$3" ]]; then
		ok "$1"
	elif [[ $2$3 == *$'\n'* ]]; then
		not_ok "$1" "$(diff -U 1 --label wanted --label got <(echo "$3") <(echo "$2"))"
	else
		not_ok "$1" "$(printf 'wanted: %s\ngot:    %s' "$3" "$2")"
	fi
}

# Passes the test named $1 if $2 contains $3.
contains() {
	if [[ $2 == *"$3"* ]]; then ok "$1"; else not_ok "$1" "$(printf 'wanted in it: %s\ngot: %s' "$3" "$2")"; fi
}

# Selects the base $1 in a test that needs only its source. Without the source, and if the
# patches do not apply to another series than the base's, the base is skipped.
use_base() {
	local said
	export BASE=$1
	set_base "$1"
	if ! said=$( (need_source) 2>&1 && { find_source; is_recorded_series || "$KSYM_ROOT/scripts/patches.sh" 2>&1; }); then
		skip "base $1" "${said##*$'\n'}"
		return 1
	fi
	find_source
}

# Replaces the names of errors in stdin, such as %NO_TASK%, by the tracer's messages.
ksym_errors() {
	awk 'NR == FNR {
			name = $1; sub(/,$/, "", name); sub(/^[^"]*"/, ""); sub(/".*/, "")
			texts[name] = $0; next
		}
		{
			while (match($0, /%[A-Z_]+%/)) {
				name = substr($0, RSTART + 1, RLENGTH - 2)
				text = name in texts ? texts[name] : "no error " name
				$0 = substr($0, 1, RSTART - 1) text substr($0, RSTART + RLENGTH)
			}
			print
		}' RS='KSYM_ERROR[(]' "$KSYM_ROOT/kernel/trace/ksym/ksym_errors.h" RS='\n' -
}

# Passes the test named $1 if ksymwatch failed with the status $2 and one line that contains
# $3. The file that sources this has kw(), which sets $status, $out and $err.
# shellcheck disable=SC2154
fails() {
	if [[ $status == "$2" && $err == 'ksymwatch: '*"$3"* && $err != *$'\n'* && -z $out ]]; then
		ok "$1"
	else
		not_ok "$1" "$(printf 'status %s, stdout: %s\nstderr: %s' "$status" "$out" "$err")"
	fi
}

# The same, and runs ksymwatch "$4…" first.
refused() { kw "${@:4}"; fails "$1" "$2" "$3"; }

finish() { printf '1..%d\n' "$tests"; exit $((failures != 0)); }

# A folder for temporary files.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
