#!/bin/bash
# What 60-ksymwatch.sh runs in the machine: every subcommand of ksymwatch, from what
# must work to what must fail, and what must be left behind: nothing.
set -uo pipefail
# shellcheck source=dev/tests/tap.sh
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

# --- The command line -------------------------------------------------------------

for command in '' add rm list slots live record report; do
	for option in --help -h; do
		kw $command $option
		if [[ $status == 0 && $out == "usage: ksymwatch${command:+ $command}"* && -z $err ]]; then
			ok "ksymwatch $command $option"
		else
			not_ok "ksymwatch $command $option" "$status $out $err"
		fi
	done
done
kw --version
is 'the version' "$status ${out% *}" '0 ksymwatch'
while IFS='|' read -r arguments text; do
	# shellcheck disable=SC2086  # words they are
	kw $arguments
	fails "a wrong command line: '$arguments'" 2 "$text"
done <<'END'
|a COMMAND is missing
frob|there is no command 'frob'
--frob|there is no option '--frob'
add|add: a SPEC is missing
add --frob pid_max|add: there is no option '--frob'
rm|rm: a NAME, or --all, is missing
rm --all pid_max|rm: --all takes no NAME
rm -x|rm: there is no option '-x'
list pid_max|list: 'pid_max' is too much
slots 0|slots: '0' is too much
record|-- and the COMMAND behind it are missing
record pid_max|-- and the COMMAND behind it are missing
record pid_max --|-- and the COMMAND behind it are missing
record -o|'-o' wants an argument
record -o -- true|'-o' wants an argument
record --output|'--output' wants an argument
record -x -- true|record: there is no option '-x'
live --frob|live: there is no option '--frob'
report a b|report: 'b' is too much
END
leaves_nothing 'a wrong command line'

# --- add, list, rm -----------------------------------------------------------------

kw list
is 'list without a watch' "$status $out" '0 no watches'
kw add pid_max total_forks:w name=forks len=8
is 'add is silent' "$status$out$err" 0
is 'and makes watches' "$(watches)" $'pid_max:w len=8\ntotal_forks:w len=8 name=forks'
echo 41000 >$pid_max
kw list
is 'list has a heading' "$(head -n 1 <<<"$out" | xargs)" \
	'NAME TARGET ACCESS LEN KIND CPUS PID HITS CHANGES MISSED COVERAGE ESTIMATE STATE ENABLED IN'
is 'and a row a watch' "$(awk '/pid_max/ { print $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $NF }' <<<"$out")" \
	'pid_max pid_max w 8 pinned all all 1 1 0 top'
contains 'also of one with a name' "$(grep forks <<<"$out" | xargs)" 'forks total_forks w 8'

kw add init_task nosuch
fails 'add with a spec that is wrong fails' 1 'nosuch: No symbol of the kernel has this name'
is 'and makes none of them' "$(names)" 'pid_max forks'
kw add pid_max:rw
fails 'a name that is taken' 1 'pid_max:rw: A watch of this name exists'
while IFS='|' read -r spec text; do
	kw add "$(printf '%b' "$spec")"
	fails "a bad SPEC: '$spec'" 1 "$text"
done <<'END'
pid_max:q|pid_max:q: at 'q': Access must be
pid_max name=x len=3|at '3': len must be
pid_max name=a-b|at 'a-b': A name is
pid_max frob=1 name=x|at 'frob=1': Unknown option
pid_max pinned flexible|at 'flexible': A watch is either
pid_max cpu=0;1|at '0;1': cpu must be
pid_max pid=0|at '0': pid must be
pid_max inherit|at 'inherit': inherit is
pid_max limit=5|at '5': limit must be
pid_max pid=1 limit=0|at '0': limit= is for
pid_max count=0|at '0': count must be
pid_max:r name=x|x86 has no read-only watch
pid_max+1:w len=8|not a multiple
vprintk:w|a function
pid_*|Globs
|is no SPEC
# pid_max|is no SPEC
!pid_max|removes watches: use ksymwatch rm
pid_max:---|removes watches: use ksymwatch rm
*:---|removes watches: use ksymwatch rm
0|removes watches: use ksymwatch rm
init_task\ntotal_forks|a SPEC is one line
pid_max name=\033[2J|name=?[2J
END
is 'after all of that the watches are the same' "$(names)" 'pid_max forks'
kw add init_task nr_threads jiffies
fails 'more watches than debug registers' 1 'No debug register is free'
is 'make none' "$(names)" 'pid_max forks'

kw rm pid_max nosuch
fails 'rm of what there is not' 1 "there is no watch 'nosuch'"
is 'removes none' "$(names)" 'pid_max forks'
kw rm pid_max
is 'rm' "$status$out$err $(names)" '0 forks'
mkdir $tracefs/instances/foreign
echo 1 >$tracefs/instances/foreign/events/ksym/forks/enable
kw list
is 'list shows who has a watch enabled' "$(awk '$1 == "forks" { print $NF }' <<<"$out")" 'top,foreign'
kw rm forks
fails 'rm of a watch that others use' 1 'forks is enabled in foreign'
kw rm --all
fails 'rm --all likewise' 1 'forks is enabled in foreign'
is 'leave it' "$(names)" forks
rmdir $tracefs/instances/foreign
kw add pid_max
kw rm --all
is 'rm --all' "$status$out$err" 0
leaves_nothing 'rm --all'
kw add pid_max pinned 'total_forks:w # a comment' name=forks count=3
is 'options may be arguments of their own, also behind a comment' "$status$err $(names)" '0 pid_max forks'
line=$(head -n 1 $tracefs/ksym_trace_filter)
ksymwatch rm --all
kw add "$line # coverage=12.5%"
is 'a line can be taken back with its comment' "$status$err $(names)" '0 pid_max'
ksymwatch rm --all

# Watches of all kinds in each state, as a kernel would show them.
# libtracefs knows a tracefs by its file trace.
mkdir -p fake/trace_stat
touch fake/trace
cat >fake/ksym_trace_filter <<'END'
pid_max:w len=4
a:w len=4 flexible # coverage=12.5%
b+0x8:rw len=8 name=bee flexible cpu=0,2-3 limit=7/ms count=3 # coverage=12.5% uncovered=3 done
c:w len=8 pid=42 inherit # exited
END
cat >fake/trace_stat/ksym_tracer <<'END'
NAME HITS READS WRITES UNKNOWN CHANGES DISABLED FILTERED NOBUFFER FAULT LIMITED COVERAGE ESTIMATE
pid_max 7 0 7 0 6 1 1 1 1 1 100.0% 7
a 3 0 3 0 3 0 0 0 0 0 12.5% 24
bee 0 0 0 0 0 0 0 0 0 9 0.0% -
END
fake="mount --bind $scratch/fake $tracefs || exit 99;"
kw_with_mounts "$fake" list
is 'list shows kind, CPUs, task, coverage, estimate and state' "$(tail -n +2 <<<"$out" | sed -E 's/ +/ /g')" \
'pid_max pid_max w 4 pinned all all 7 6 5 100.0% 7 - -
a a w 4 flexible all all 3 3 0 12.5% 24 - -
bee b+0x8 rw 8 flexible 0,2-3 all 0 0 9 12.5% - uncovered=3;done -
c c w 8 pinned all 42+ 0 0 0 - - exited -'
kw_with_mounts "$fake" slots
fails 'slots where the kernel does not tell' 1 'does not tell who holds the debug registers'
printf 'CPU  0  1\n0    a  perf\n' >fake/ksym_slots
kw_with_mounts "$fake" slots
is 'slots shows the table that the kernel has' "$status$err$out" "0$(<fake/ksym_slots)"

# The same with what the kernel really does.
if [[ -e $tracefs/ksym_slots ]]; then
	kw add pid_max total_forks name=forks flexible cpu=0 nr_threads pid=$$ inherit
	is 'watches of each kind' "$status$err $(names)" '0 pid_max forks nr_threads'
	kw list
	is 'and list shows which' "$(awk 'NR > 1 { print $1, $5, $6, $7 }' <<<"$out")" \
		"pid_max pinned all all"$'\n'"forks flexible 0 all"$'\n'"nr_threads pinned all $$+"
	contains 'with the coverage' "$(awk '$1 == "forks" { print $11 }' <<<"$out")" '%'
	kw slots
	is 'slots' "$status$err" 0
	contains 'names who holds a register' "$out" pid_max
	kw add pid_max pid=4194304 name=x
	fails 'a task that there is not' 1 "at '4194304': No task has this pid"
	ksymwatch rm --all
else
	skip 'watches of each kind' 'this kernel has none'
fi
leaves_nothing 'any option'

# --- record and report ---------------------------------------------------------------

kw record -- true
fails 'record without watches' 1 'there are no watches yet'
echo 40000 >$pid_max
kw record -o one.dat pid_max -- sh -c "echo 41000 >$pid_max; echo 42000 >$pid_max; echo said; exit 7"
is 'record ends with the status of the command' "$status" 7
is 'and leaves stdout to it' "$out" said
is 'the summary' "$(grep ^pid_max <<<"$err" | awk '{ print $1, $3, $4, $5, $6, $7 }')" 'pid_max 2 0 2 0 2'
contains 'names the function' "$err" do_proc_dointvec
is 'and ends with the number of hits' "$(tail -n 1 <<<"$err")" '2 hits'
leaves_nothing record
kw report one.dat
is 'report' "$status$err" 0
is 'shows a row a hit, with the values' "$(awk '/\[00/ { print $4, $5, $6, $7, $8 }' <<<"$out")" \
	$'pid_max w8 0x9c40 -> 0xa028\npid_max w8 0xa028 -> 0xa410'
contains 'with the task' "$out" '  sh-'
is 'and the same summary' "$(tail -n 3 <<<"$out")" "$err$(tail -n 3 <<<"$out")"
contains 'trace-cmd shows the same' "$(trace-cmd report one.dat 2>&1)" '0xa028 -> 0xa410 by do_proc_dointvec'
is 'as many hits' "$(trace-cmd report one.dat 2>/dev/null | grep -c 'pid_max:')" 2
cp one.dat trace.dat
kw report
is 'report takes trace.dat where no file is named' "$(tail -n 1 <<<"$out")" '2 hits'
ksymwatch report one.dat >/dev/full 2>err
is 'output that can'\''t be written is a failure' "$? $(<err)" '1 ksymwatch: the output cannot be written: No space left on device'

# Two CPUs, more hits than a buffer's page holds, and each of them counts.
cat >write.sh <<END
for ((i = 0; i < \$1; i++)); do echo \$((40000 + i % 2)) >$pid_max; done
END
kw record -o many.dat pid_max -- sh -c 'bash write.sh 3000 & bash write.sh 2000 & wait'
is 'no hit is missing' "$(tail -n 1 <<<"$err")" '5000 hits'
is 'in time order' "$(ksymwatch report many.dat | awk '/\[00/ { if ($3 < t) print; t = $3 }')" ''

ksymwatch add total_forks pid_max name=mine
before=$(cat $tracefs/{current_tracer,tracing_on,set_event,trace_clock,buffer_size_kb,trace_options})
kw record -o all.dat -- sh -c "echo 43000 >$pid_max"
is 'record without a spec takes all watches' "$status $(grep -c -E '^(total_forks|mine) ' <<<"$err")" '0 1'
is 'which stay' "$(names)" 'total_forks mine'
kw record -o all.dat mine -- sh -c "(true); echo 44000 >$pid_max"
is 'the name of a watch stands for it' "$status $(awk 'NR == 2 { print $1, $3 }' <<<"$err") $(tail -n 1 <<<"$err")" '0 mine 1 1 hit'
is 'the top instance keeps its settings' \
	"$(cat $tracefs/{current_tracer,tracing_on,set_event,trace_clock,buffer_size_kb,trace_options})" "$before"
is 'and its hits' "$(grep -c 'mine: w8' $tracefs/trace)" 2
ksymwatch rm --all

kw record -o one.dat pid_max -- /nonexistent/command
fails 'a command that there is not' 127 '/nonexistent/command: there is no such command'
kw record -o one.dat pid_max -- "$scratch"
fails 'a command that can'\''t be run' 126 'Permission denied'
is 'an older recording is still there' "$(ksymwatch report one.dat | tail -n 1)" '2 hits'
kw record -o /dev/null pid_max -- true
fails 'an output that is no file' 1 '/dev/null is no regular file'
kw record -o /nonexistent/file pid_max -- true
fails 'an output that can'\''t be written' 1 '/nonexistent/file cannot be written: No such file or directory'
kw record nosuch -- true
fails 'a spec that is wrong' 1 'nosuch: No symbol'
mkdir bin
ln -s /usr/bin/ksymwatch /bin/true bin
PATH=$scratch/bin kw record pid_max -- true
fails 'no trace-cmd' 1 'apt install trace-cmd'
ln -s one.dat link.dat
ksymwatch record -o link.dat pid_max -- true 2>/dev/null
is 'a link as output stays one' "$(readlink link.dat) $(ksymwatch report one.dat | tail -n 1)" 'one.dat 0 hits'
leaves_nothing 'a record that fails'

kw record -o outer.dat pid_max -- ksymwatch record -o inner.dat pid_max name=again -- sh -c "echo 45000 >$pid_max; exit 3"
is 'two records at a time' "$status $(ksymwatch report outer.dat | tail -n 1) $(ksymwatch report inner.dat | grep -c again)" '3 1 hit 0'
kw record -o outer.dat pid_max -- ksymwatch record -o inner.dat total_forks -- sh -c "(true); (true); exit 3"
is 'on other watches' "$status $(ksymwatch report inner.dat | tail -n 1)" '3 2 hits'
leaves_nothing 'one of them inside of the other'

kw record -o one.dat pid_max -- sh -c "
	mkdir $tracefs/instances/foreign
	echo 1 >$tracefs/instances/foreign/events/ksym/pid_max/enable
	echo 46000 >$pid_max; exit 4"
is 'a watch that others use by now' "$status $(names)" '4 pid_max'
contains 'is left to them, and that is told' "$err" 'pid_max is enabled in foreign'
contains 'with what they have in their buffer' "$(cat $tracefs/instances/foreign/trace)" '-> 0xb3b0 by'
rmdir $tracefs/instances/foreign
ksymwatch rm pid_max
leaves_nothing 'that'

# A recorder that is stopped, and a buffer of two pages: hits get lost.
cat >lose.sh <<'END'
echo 8 >/sys/kernel/tracing/instances/ksymwatch/buffer_size_kb
kill -STOP $PPID
bash write.sh 2000
kill -CONT $PPID
END
kw record -o lost.dat pid_max -- bash lose.sh
contains 'hits that were lost are told' "$(tail -n 1 <<<"$err")" 'lost: the trace buffer was full'
contains 'also where' "$(ksymwatch report lost.dat | grep '^# CPU')" 'hits lost here'
contains 'the last hits are there' "$(ksymwatch report lost.dat | grep '\[00' | tail -n 1)" '0x9c40 -> 0x9c41'

# A full disk. A header has 3 MB, so these hits fit, but not beside a finished file.
mkdir small
mount -t tmpfs -o size=5000k small small
kw record -o small/one.dat pid_max -- bash write.sh 3000
is 'a full disk is a failure' "$status $(cd small && echo * | sed 's/-.*//')" '1 one.dat.parts'
contains 'that tells where the hits are' "$(tail -n 1 <<<"$err")" 'the hits are in '
cp -r small/*.parts-* kept
umount small
(cd kept && trace-cmd restore -i header -o trace.dat cpu*) >/dev/null 2>&1
is 'and how to get at them' "$(ksymwatch report kept/trace.dat | tail -n 1)" '3000 hits'
leaves_nothing 'a full disk'

# --- Signals -----------------------------------------------------------------------

# A shell's background jobs ignore SIGINT and SIGQUIT, and so does what they start; env
# undoes that. Starts a record of a command that is running when this returns.
start_record() {
	rm -f ready
	env --default-signal=INT,QUIT ksymwatch record -o signal.dat pid_max -- \
		sh -c "echo 40000 >$pid_max; $1" >out 2>err &
	pid=$!
	wait_until test -e ready
}
for signal in INT:130 QUIT:131 TERM:143 HUP:129; do
	start_record 'touch ready; exec sleep 1000'
	kill -"${signal%:*}" $pid
	wait $pid
	is "SIG${signal%:*} reaches the command and ends the recording" \
		"$? $(ksymwatch report signal.dat | tail -n 1)" "${signal#*:} 1 hit"
	rm signal.dat
	leaves_nothing "SIG${signal%:*}"
done
# shellcheck disable=SC2016  # the command's shell reads it
start_record 'trap "echo 41000 >'$pid_max'; exit 5" INT; touch ready; while :; do sleep 0.05; done'
kill -INT $pid
wait $pid
is 'the command may take its time to end' "$? $(ksymwatch report signal.dat | tail -n 1)" '5 2 hits'
# shellcheck disable=SC2016  # the command's shell reads it
(
	trap '' HUP
	exec ksymwatch record -o signal.dat pid_max -- sh -c 'kill -HUP $PPID; exit 6'
) >/dev/null 2>&1
is 'a signal that was ignored stays so, as nohup wants it' "$?" 6
# shellcheck disable=SC2016
kw record -o signal.dat pid_max -- sh -c 'kill -SEGV $$'
is 'a command that a signal ends' "$status" 139
(
	trap '' CHLD
	exec ksymwatch record -o signal.dat pid_max -- sh -c 'exit 8'
) 2>/dev/null
is 'children that nobody waits for are waited for' "$?" 8
leaves_nothing 'any signal'

# --- live -----------------------------------------------------------------------------

# Starts live with its arguments, and returns when it shows hits.
start_live() {
	env --default-signal=INT,QUIT ksymwatch live "$@" >shown 2>err &
	pid=$!
	wait_until has FUNCTION shown
}
ksymwatch add pid_max name=mine
mkdir $tracefs/instances/foreign
echo 1 >$tracefs/instances/foreign/events/ksym/mine/enable
start_live
echo 40000 >$pid_max
echo 41000 >$pid_max
wait_until has '0x9c40 -> 0xa028' shown
ok 'live shows hits as they come'
kill -INT $pid
wait $pid
is 'ends with Ctrl-C' "$?$(<err)" 0
is 'and with a summary' "$(awk '/^mine/ { print $3, $5 }' shown) $(tail -n 1 shown)" '2 2 2 hits'
is 'takes no hits from others' \
	"$(grep -c 'mine: w8' $tracefs/trace) $(grep -c 'mine: w8' $tracefs/instances/foreign/trace)" '2 2'
is 'and leaves the watch to who made it' "$(names) $(instances)" 'mine foreign'
rmdir $tracefs/instances/foreign
ksymwatch rm mine

for signal in TERM HUP; do
	start_live pid_max
	kill -$signal $pid
	wait $pid
	is "live ends with SIG$signal" "$? $(tail -n 1 shown)" '0 0 hits'
	leaves_nothing "SIG$signal"
done
# More hits than can be shown at a time.
start_live pid_max
bash write.sh 3000
kill -TERM $pid
wait $pid
is 'what is in the buffer at the end is shown' "$(grep -c '\[00' shown) $(tail -n 1 shown)" '3000 3000 hits'
ksymwatch live pid_max | head -n 1 >/dev/null
is 'live ends when its reader does' "${PIPESTATUS[0]}" 141
leaves_nothing 'that reader'
kw live
fails 'live without watches' 1 'there are no watches yet'
kw live nosuch
fails 'live with a spec that is wrong' 1 'nosuch: No symbol'
ksymwatch live total_forks >/dev/full 2>err &
pid=$!
while is_running $pid 2>/dev/null; do (true); done
wait $pid
is 'live that can'\''t write' "$?" 1
contains 'says so' "$(<err)" 'cannot be written: No space left on device'
leaves_nothing 'it'

# --- Files of others -------------------------------------------------------------------

: >empty.dat
head -c 5 many.dat >five.dat
head -c 100000 many.dat >cut.dat
head -c -9000 many.dat >tail.dat
echo 'just a text' >text.dat
trace-cmd record -q -o foreign.dat -e sched:sched_switch true >/dev/null 2>&1
while IFS='|' read -r file text; do
	kw report "$file"
	fails "report $file" 1 "$file$text"
done <<'END'
empty.dat| is empty
five.dat| is cut off
cut.dat| is cut off
tail.dat| is cut off
text.dat| is no trace.dat
foreign.dat| has no watches in it
nosuch.dat|: No such file
/tmp|: Is a directory
END
ksymwatch add pid_max
trace-cmd record -q -o top.dat -e ksym:pid_max sh -c "echo 40000 >$pid_max" >/dev/null 2>&1
kw report top.dat
is 'report reads what trace-cmd recorded' "$status $(tail -n 1 <<<"$out")" '0 1 hit'
trace-cmd record -q -o buffer.dat -B other -e ksym:pid_max sh -c "echo 41000 >$pid_max" >/dev/null 2>&1
kw report buffer.dat
is 'and what it recorded in an instance' "$status $(tail -n 1 <<<"$out")" '0 1 hit'
is 'with the right CPU' "$(grep -o '\[[0-9]*\]' <<<"$out")" "$(trace-cmd report buffer.dat | grep -o '\[[0-9]*\]')"
ksymwatch rm --all

# --- What may be missing -----------------------------------------------------------------

unmount='umount /sys/kernel/debug /sys/kernel/tracing || exit 99;'
kw_with_mounts "$unmount" list
fails 'no tracefs' 1 'tracefs is not mounted: mount -t tracefs'
kw_with_mounts "$unmount" report one.dat
is 'report does not need it' "$status" 0
mkdir $tracefs/instances/bare
kw_with_mounts "mount --bind $tracefs/instances/bare /mnt || exit 99; $unmount" list
fails 'no tracer' 1 'one built with CONFIG_KSYM_TRACER=y'
rmdir $tracefs/instances/bare
kw_with_mounts 'mount -t tmpfs none /sys/kernel && mkdir /sys/kernel/security &&
	echo "none integrity [confidentiality]" >/sys/kernel/security/lockdown || exit 99;' list
fails 'a kernel that is locked down' 1 'boot without lockdown=confidentiality'
setpriv --reuid 65534 --clear-groups ksymwatch list >out 2>err
status=$? out=$(<out) err=$(<err)
fails 'not root' 1 'run it as root'
chmod 755 "$scratch"
is 'report needs no root' "$(setpriv --reuid 65534 --clear-groups ksymwatch report many.dat 2>&1 | tail -n 1)" '5000 hits'

leaves_nothing 'all of this'
is 'no sanitizer has complained' "$(cat "${SANITIZER_LOG:-/nonexistent}".* 2>/dev/null)" ''
finish
