# shellcheck shell=bash disable=SC2034
# The results of make mutate. It is sourced after lib.sh; see scripts/mutate.sh for the two files.

results=$KSYM_ROOT/tests/mutate/results
reasons=$KSYM_ROOT/tests/mutate/reasons

# Prints the pattern of the files with the faults of the part $1.
files_of_part() {
	case $1 in
	kernel) echo '^(arch/x86/kernel|kernel/events|kernel/trace/ksym)/' ;;
	tool) echo '^tools/ksymwatch/' ;;
	*) die "unknown part '$1'; use kernel or tool" ;;
	esac
}

# Prints the results of the part $1, each with a tab and the reason behind it, if there is one.
results_of() {
	awk -F '\t' -v OFS='\t' -v files="$(files_of_part "$1")" '
		FILENAME == ARGV[1] { reason[$1] = $2; next }
		$3 ~ files { print $0, reason[$1] }' "$reasons" "$results"
}

# Prints the sums of the part $1, as "tried=N seen=N survived=N unexplained=N same=N". The same are
# survivors that change nothing, and are not among the others; the unexplained have no reason.
sums_of_faults() {
	results_of "$1" | awk -F '\t' '
		$2 == "survived" && $6 ~ /^the same/ { same++; next }
		{ n[$2]++; unexplained += $2 == "survived" && $6 == "" }
		END {
			printf "tried=%d seen=%d survived=%d unexplained=%d same=%d\n",
				n["seen"] + n["survived"], n["seen"], n["survived"], unexplained, same
		}'
}
