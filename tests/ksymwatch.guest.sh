# shellcheck shell=bash disable=SC2034
# Shared by the tests of ksymwatch that run in the machine. They run every subcommand with
# valid and wrong arguments, and check that nothing is left behind.
set -uo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# Most commands must fail here.
set +e

tracefs=/sys/kernel/tracing
panic_timeout=/proc/sys/kernel/panic
cd "$scratch" || exit 1

# Runs ksymwatch and sets $status, $out and $err.
kw() {
	ksymwatch "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	out=$(<"$scratch/out") err=$(<"$scratch/err")
}

# The same, with a command that has ended before ksymwatch goes on: both run on one CPU, and the
# command as a real-time task.
kw_quick() {
	local pid
	taskset -c 0 ksymwatch "$@" >"$scratch/out" 2>"$scratch/err" &
	pid=$!
	# It waits for the start.
	chrt -f -p 1 "$(wait_until pgrep -P $pid)"
	wait $pid
	status=$?
	out=$(<"$scratch/out") err=$(<"$scratch/err")
}

# Runs ksymwatch "$2…" with other mounts, which the commands $1 make.
kw_with_mounts() {
	unshare -m bash -c "$1"'
		shift; exec ksymwatch "$@"' - "$@" >out 2>err
	status=$?
	out=$(<out) err=$(<err)
}

# Waits until a command succeeds. The time limit is that of the machine.
wait_until() { until "$@" 2>/dev/null; do sleep 0.05; done; }
# shellcheck disable=SC2317  # wait_until calls it
has() { grep -q -- "$1" "$2"; }
is_running() { kill -0 "$1"; }

watches() { cat $tracefs/ksym_trace_filter; }
names() { sed -E 's/.* name=([^ ]+).*/\1/; s/:.*//' $tracefs/ksym_trace_filter | xargs; }
# Is the watch $1 that a session made armed? Until then it is off.
# shellcheck disable=SC2317  # wait_until calls it
is_armed() { watches | grep " name=$1\>" | grep -qv ' off\>'; }
instances() { ls $tracefs/instances; }
# Prints the seconds since boot that jiffies say, of which each of these kernels has 250 a second.
uptime_by_jiffies() { awk '$1 == "jiffies:" { print ($2 - 2 ^ 32) / 250 + 300; exit }' /proc/timer_list; }

# Starts ksymwatch live with these arguments, and returns when it has shown its heading.
start_live() {
	# The shell empties the files in the new process only: an earlier heading may be there until then.
	: >live >live.err
	ksymwatch live "$@" >live 2>live.err &
	pid=$!
	wait_until has FUNCTION live
}
# Checks that live wakes ten times a second at most, however many hits there are.
wakes_seldom() {
	local slept began now
	start_live -q "$@"
	slept=$(awk '/^voluntary/ { print $2 }' /proc/$pid/status)
	read -r began _ </proc/uptime
	# Not all at once: live could be busy with the first ones.
	for _ in {1..100}; do bash write.sh 4; done
	slept=$(($(awk '/^voluntary/ { print $2 }' /proc/$pid/status) - slept))
	read -r now _ </proc/uptime
	kill $pid
	wait $pid
	# In hundredths of a second. It sleeps for a tenth of a second, and a few times for other reasons.
	check "live slept $slept times during 400 hits in $now - $began seconds, which is seldom" \
		test $slept -le $(((${now/./} - ${began/./}) / 8 + 5))
	# Its messages say which hits were missed, and why.
	is 'and showed them all' "$(cat live.err; tail -n 1 live)" '400 hits'
}

# Does a socket listen on this port? The state of those that do is 0A.
# shellcheck disable=SC2317  # wait_until calls it
listens() { grep -q ":$(printf %04X "$1") .* 0A " /proc/net/tcp; }
# Starts trace-cmd's listener on a port, in the folder there.
listen() {
	(cd there && exec trace-cmd listen -p "$1") >listen.log 2>&1 &
	listener=$!
	wait_until listens "$1"
}

# Prints everything that a session could leave behind.
leftovers() { watches; instances; ls -d ./*.parts-* 2>/dev/null; pgrep -x ksymwatch; }
leaves_nothing() { is "$1 leaves nothing behind" "$(leftovers)" ''; }

# The function that reads and writes panic_timeout for its file.
conv=do_proc_int_conv
[[ $(uname -r) != 6.* ]] || conv=do_proc_dointvec_conv
# What writes to a new file: the former calls the latter, unless that is a part of it. gcc may have
# changed the latter's arguments, and then its name ends with .isra.0.
# shellcheck disable=SC2034
opens='(alloc_empty|init)_file[.a-z0-9]*'
# The length of a watch on panic_timeout if its type is unknown: 8 bytes if it is aligned to
# them and the next symbol leaves room.
default_width() {
	local start end
	start=$(awk '$3 == "panic_timeout" { print $1; exit }' /proc/kallsyms)
	end=$(awk -v "start=$start" '$1 "" > start && (end == "" || $1 "" < end) { end = $1 "" } END { print end }' /proc/kallsyms)
	echo $(((0x$start & 7) || 0x$end - 0x$start < 8 ? 4 : 8))
}
width=$(default_width)

# Hides most functions and events: their names and formats are most of a recording and of the
# time to write and read it. Functions that match $known_names and every 100th symbol
# stay.
known_names=$conv
few_functions() {
	awk -v "known=^($known_names)" '$3 ~ known || NR % 100 == 0' /proc/kallsyms >functions
	mount --bind functions /proc/kallsyms
	few_events
}

# Hides the events that no test uses. In instances they are not hidden.
few_events() {
	local folder
	mkdir -p no_events
	for folder in "$tracefs"/events/*/; do
		case ${folder#"$tracefs"/events/} in
		ftrace/ | kmem/ | ksym/ | ksym_test/ | wprobes/ | sched/ | raw_syscalls/) ;;
		*) busybox mount -o bind no_events "$folder" ;;
		esac
	done
}

# Records that ksymwatch made the watches "NAME TARGET:ACCESS", and no others.
own() {
	mkdir -p /run/ksymwatch
	{
		cat /proc/sys/kernel/random/boot_id
		[[ $# == 0 ]] || printf '%s\n' "$@"
	} >/run/ksymwatch/watches
}

# A script that writes $1 times to panic_timeout.
cat >write.sh <<END
for ((i = 0; i < \$1; i++)); do echo \$((40000 + i % 2)) >$panic_timeout; done
END

# A script of tasks whose names contain a newline, or only that, and of one more. A blank after a
# newline looks like the one before a name.
cat >names.sh <<END
sh -c 'printf "a\nb" >/proc/\$\$/comm; echo 40000 >$panic_timeout'
sh -c 'printf "\n" >/proc/\$\$/comm; echo 40002 >$panic_timeout'
sh -c 'printf "c\n d" >/proc/\$\$/comm; echo 40003 >$panic_timeout'
bash -c 'echo 40001 >$panic_timeout'
END

# Ends the tests of a part.
finish_guest() {
	leaves_nothing 'the whole test'
	is 'the sanitizers report nothing' "$(cat "${SANITIZER_LOG:-/nonexistent}".* 2>/dev/null)" ''
	finish
}
