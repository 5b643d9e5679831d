# shellcheck shell=bash disable=SC2034
# What the tests of ksymwatch that run in the machine share. They try every subcommand,
# from what must work to what must fail, and what must be left behind: nothing.
set -uo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# tap.sh stops at errors by way of lib.sh's users; here most commands are to fail.
set +e

tracefs=/sys/kernel/tracing
pid_max=/proc/sys/kernel/pid_max
cd "$scratch" || exit 1

# Runs ksymwatch; afterwards $status, $out and $err hold what came of it.
kw() {
	ksymwatch "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	out=$(<"$scratch/out") err=$(<"$scratch/err")
}

# Runs ksymwatch where the mounts are other ones, made by the commands in $1.
kw_with_mounts() {
	unshare -m bash -c "$1"'
		shift; exec ksymwatch "$@"' - "$@" >out 2>err
	status=$?
	out=$(<out) err=$(<err)
}

# Waits until a command succeeds. What never does ends with the machine's time limit.
wait_until() { until "$@" 2>/dev/null; do sleep 0.05; done; }
# shellcheck disable=SC2317  # wait_until calls it
has() { grep -q -- "$1" "$2"; }
is_running() { kill -0 "$1"; }

# Passes the test named $1 when ksymwatch failed with the status $2 and one line that
# contains $3.
fails() {
	if [[ $status == "$2" && $err == 'ksymwatch: '*"$3"* && $err != *$'\n'* && -z $out ]]; then
		ok "$1"
	else
		not_ok "$1" "$(printf 'status %s, stdout: %s\nstderr: %s' "$status" "$out" "$err")"
	fi
}

watches() { cat $tracefs/ksym_trace_filter; }
names() { sed -E 's/.* name=([^ ]+).*/\1/; s/:.*//' $tracefs/ksym_trace_filter | xargs; }
instances() { ls $tracefs/instances; }
# Everything that a session could leave behind.
leftovers() { watches; instances; ls -d ./*.parts-* 2>/dev/null; pgrep -x ksymwatch; }
leaves_nothing() { is "$1 leaves nothing behind" "$(leftovers)" ''; }

# Most of a recording, and of the time that it takes to write and read one, goes to the
# names of all functions and to the formats of all events. From here on there are but a
# few hundred functions, those with a name that $known_names fits among them, and few
# events.
known_names=do_proc_dointvec
few_functions() {
	awk -v "known=^($known_names)" '$3 ~ known || NR % 100 == 0' /proc/kallsyms >functions
	mount --bind functions /proc/kallsyms
	few_events
}

# Hides the events that no test asks for. What is in an instance is not hidden.
few_events() {
	local folder
	mkdir -p no_events
	for folder in "$tracefs"/events/*/; do
		case ${folder#"$tracefs"/events/} in
		ftrace/ | ksym/ | ksym_test/ | wprobes/ | sched/ | raw_syscalls/) ;;
		*) busybox mount -o bind no_events "$folder" ;;
		esac
	done
}

# Notes that ksymwatch made these watches, "NAME TARGET:ACCESS", and no others.
own() {
	mkdir -p /run/ksymwatch
	{
		cat /proc/sys/kernel/random/boot_id
		[[ $# == 0 ]] || printf '%s\n' "$@"
	} >/run/ksymwatch/watches
}

# Writes to pid_max, as often as its argument says.
cat >write.sh <<END
for ((i = 0; i < \$1; i++)); do echo \$((40000 + i % 2)) >$pid_max; done
END

# Ends the tests of a machine.
finish_guest() {
	leaves_nothing 'all of this'
	is 'no sanitizer has complained' "$(cat "${SANITIZER_LOG:-/nonexistent}".* 2>/dev/null)" ''
	finish
}
