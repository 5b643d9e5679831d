#!/bin/bash
# Tests in the machine: save and restore, rm with foreign watches, and record --to.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"

filter=$tracefs/ksym_trace_filter
enabled() { cat "$tracefs/$1/enable"; }

# --- Foreign watches -------------------------------------------------------------

ksymwatch add panic_timeout 'total_forks name=forks len=8'
echo 'init_task:w len=8 name=wprobes/foreign' >>$filter
echo 'panic_timeout:rw len=4 name=other' >>$filter
kw list
is 'list shows the watches of others' "$(awk 'NR > 1 { print $1, $NF }' <<<"$out" | xargs)" \
	'panic_timeout top forks top wprobes/foreign top other top'
kw record -o other.dat @wprobes/foreign -- sh -c "echo 41000 >$panic_timeout"
is 'record takes one by its name' "$status $(tail -n 1 <<<"$err" | sed 's/[0-9]* //')" '0 hits'
kw rm init_task
fails 'rm of a target with only foreign watches' 1 \
	"'init_task' is watched only by others; to remove it, ksymwatch rm wprobes/foreign"
refused 'or of another spelling of it' 1 'no watch' rm '( task_struct )init_task+0'
is 'removes nothing' "$(names)" 'panic_timeout forks wprobes/foreign other'
kw rm panic_timeout
is 'rm prefers a name to a target' "$status$err $(names)" '0 forks wprobes/foreign other'
ksymwatch add panic_timeout name=mine
kw rm panic_timeout
is 'rm of a target removes only our watch' "$status $(names)" '0 forks wprobes/foreign other'
is 'and lists the other watches' "$err" \
	'ksymwatch: 1 watch of others stays; to remove it, ksymwatch rm other'
kw rm --all
is 'rm --all keeps foreign watches' "$status $(names)" '0 wprobes/foreign other'
is 'and reports it' "$err" \
	'ksymwatch: 2 watches of others stay; to remove them, ksymwatch rm wprobes/foreign other'
kw rm --all
is 'also if none is ours' "$status $(names)" '0 wprobes/foreign other'
kw rm wprobes/foreign other
is 'rm by name removes them' "$status$err" 0
leaves_nothing 'rm by name'

# Ownership belongs to the watch, not to its name.
ksymwatch add panic_timeout
echo '!panic_timeout' >>$filter
echo 'total_forks:w len=8 name=panic_timeout' >>$filter
kw rm --all
is 'a new watch with the name of ours is foreign' "$status $(names)" '0 panic_timeout'
ksymwatch rm panic_timeout
echo 'panic_timeout:w len=4' >>$filter
sed -i '1s/.*/another-boot/' /run/ksymwatch/watches
echo 'panic_timeout panic_timeout:w' >>/run/ksymwatch/watches
kw rm --all
is 'so is one from before the last boot' "$status $(names)" '0 panic_timeout'
ksymwatch rm panic_timeout
kw_with_mounts 'mount -t tmpfs none /run && mkdir /run/ksymwatch && mount -o remount,ro /run || exit 99;' add panic_timeout
is 'a watch that can'\''t be noted causes a message' "$status $err" \
	'0 ksymwatch: /run/ksymwatch/watches cannot be written: Read-only file system; rm --all will not know the new watches'
is 'the watch exists' "$(names)" panic_timeout
ksymwatch rm panic_timeout
mkdir /run/ksymwatch/watches.new
kw add panic_timeout
contains 'nor can one without a new list' "$err" '/run/ksymwatch/watches cannot be written: Is a directory; rm --all will not'
rmdir /run/ksymwatch/watches.new
ksymwatch rm panic_timeout
# A session holds the lock of its name.
for name in ksymwatch{,_{2..99}}; do
	exec {note}>"/run/ksymwatch/$name"
	flock "$note"
	notes+=("$note")
done
kw record -o many.dat panic_timeout -- ls $tracefs/instances
is 'there may be a hundred sessions' "$status $out" '0 ksymwatch_100'
exec {note}>/run/ksymwatch/ksymwatch_100
flock "$note"
refused 'but no more' 1 'there are 100 trace instances named ksymwatch_N' record -o many.dat panic_timeout -- true
for note in "${notes[@]}" "$note"; do exec {note}>&-; done
for name in a b c d; do
	ksymwatch add "panic_timeout flexible name=$name" &
done
wait
is 'concurrent adds record all of their watches' "$(tail -n +2 /run/ksymwatch/watches | sort | xargs)" \
	'a panic_timeout:w b panic_timeout:w c panic_timeout:w d panic_timeout:w'
ksymwatch rm --all
leaves_nothing 'rm --all'
# What a session leaves after SIGKILL is removed by the next ksymwatch, while others run.
kill_record() {
	ksymwatch record -o killed.dat panic_timeout total_forks name=wprobes/forks -- sleep 1000 2>/dev/null &
	pid=$!
	wait_until is_armed wprobes/forks
	kill -KILL $pid
	wait $pid 2>/dev/null
	pkill -x sleep
	rm -r killed.dat.parts-*
}
ksymwatch add nr_threads
ksymwatch live panic_timeout >living 2>&1 &
living=$!
wait_until is_armed ksymwatch/panic_timeout
is_swept() {
	is "$1 removes what a killed session left" "$status $(names) $(instances)" '0 nr_threads ksymwatch/panic_timeout ksymwatch'
	contains 'and says so' "$out$err" \
		"removed what the killed session $pid left: instance ksymwatch_2, ksymwatch_2/panic_timeout, wprobes/forks"
}
for command in list 'stat panic_timeout -- true' 'save /dev/null'; do
	kill_record
	# shellcheck disable=SC2086  # it is split into words
	kw $command
	is_swept "$command"
done
kill_record
kw doctor
is_swept doctor
kill_record
# Somebody else makes another watch of the same name.
echo 0 >$tracefs/instances/ksymwatch_2/events/wprobes/forks/enable
echo '!wprobes/forks' >>$filter
echo 'nr_threads:w name=wprobes/forks' >>$filter
kw list
is 'the watch that replaced one of a killed session stays' "$status $(names | tr ' ' '\n' | sort | xargs) $(instances)" \
	'0 ksymwatch/panic_timeout nr_threads wprobes/forks ksymwatch'
echo '!wprobes/forks' >>$filter
kill_record
kw rm --all
is 'so does rm --all' "$status $(names) $(instances)" '0 ksymwatch/panic_timeout ksymwatch'
kill $living
wait $living
leaves_nothing 'a record that was killed'

# --- save ------------------------------------------------------------------------

kw save -
is 'save without a watch' "$status$err$out" \
	"0# ksymwatch $(ksymwatch --version | cut -d' ' -f2) save, on Linux $(uname -r)"
ksymwatch add panic_timeout len=4 'total_forks name=forks len=8 flexible' nr_threads len=4 pid=1
# shellcheck disable=SC2016  # the kernel's word
echo 'init_task:rw len=8 name=wprobes/other args c=$comm if c != "x # y" then traceoff' >>$filter
mkdir $tracefs/instances/mine
echo 1 >$tracefs/instances/mine/events/ksym/forks/enable
echo 0 >$tracefs/events/ksym/panic_timeout/enable
# shellcheck disable=SC2016
lines='panic_timeout:w len=4 # enabled=-
total_forks:w len=8 flexible name=forks # enabled=top,mine
# of a task: nr_threads:w len=4 pid=1
init_task:rw len=8 name=wprobes/other args c=$comm if c != "x # y" then traceoff'
kw save watches
is 'save prints only a message for the watch of a task' "$status $out$err" \
	'0 ksymwatch: 1 watch of a task saved as a comment: the pid may be reused'
is 'a line per watch, with the instances that enable it' "$(tail -n +2 watches)" "$lines"
kw save -
is 'save to stdout writes the same' "$status$out" "0$(<watches)"
chmod 640 watches
ln -s watches link
kw save link
is 'save through a link keeps the link and the rights' "$status $(stat -c %a watches) $(readlink link)" '0 640 watches'
refused 'save into a missing folder' 1 'nosuch/file cannot be written: No such file' save nosuch/file
kw save /dev/null
is 'save into a device' "$status $(stat -c %F /dev/null)" '0 character special file'
mkdir full
mount -t tmpfs -o size=4k,nr_inodes=3 none full
cp watches full/watches
refused 'save on a full disk' 1 'full/watches cannot be written: No space left' save full/watches
is 'keeps the old file, and leaves no other' "$(ls full) $(cmp full/watches watches 2>&1)" 'watches '
umount full
ksymwatch save - >/dev/full 2>err
is 'save to a full stdout' "$? $(<err)" '1 ksymwatch: the output cannot be written: No space left on device'
ksymwatch record -o session.dat @forks total_forks -- sh -c 'ksymwatch save - >during' 2>/dev/null
is 'the instance and the watches of a session are not saved' "$(tail -n +2 during)" "$lines"

# --- restore ---------------------------------------------------------------------

kw restore watches
is 'restore of existing watches' "$status $err" '0 ksymwatch: watches: 3 of 3 watches were there already'
ksymwatch rm nr_threads
kw restore - <watches
is 'makes no second watch' "$status $err $(names)" \
	'0 ksymwatch: the standard input: 3 of 3 watches were there already panic_timeout forks wprobes/other'
echo 0 >$tracefs/instances/mine/events/ksym/forks/enable
ksymwatch rm panic_timeout forks wprobes/other
kw restore watches
is 'restore is silent' "$status$out$err" 0
is 'makes the watches' "$(grep -v '^#' watches | sed 's/ *#.*//')" "$(sed 's/ *#.*//' $filter)"
is 'and enables them in the same instances' "$(enabled events/ksym/panic_timeout) $(enabled events/ksym/forks) $(
	enabled instances/mine/events/ksym/forks) $(enabled instances/mine/events/ksym/panic_timeout) $(
	enabled events/wprobes/other)" '0 1 1 0 1'
kw save again
is 'save writes the same again' "$status$(diff <(grep -v '# of a task' watches) again)" 0
echo 0 >$tracefs/instances/mine/events/ksym/forks/enable
kw rm --all
is 'restored watches are ours' "$status$err$(names)" 0
rmdir $tracefs/instances/mine
kw restore watches
is 'a missing instance' "$status $err $(names)" \
	'0 ksymwatch: forks was enabled in the instance mine, which does not exist panic_timeout forks wprobes/other'
ksymwatch rm --all

# Writes a file with the given lines after a comment.
saved() { { echo '# watches'; printf '%s\n' "$@"; } >file; }
# Checks that restore fails with this message and that only panic_timeout exists then.
ksymwatch add panic_timeout
refuses() {
	kw restore file
	fails "restore refuses ${2:-a bad line}" 1 "$1"
	is 'and makes no watch' "$(names)" panic_timeout
}
saved 'total_forks:w len=8' 'nosuch:w' '# nothing'
refuses 'file:3: No symbol of the kernel has this name'
saved '' 'total_forks:w frob'
refuses "file:3: at 'frob': Unknown option"
# shellcheck disable=SC2016
saved 'total_forks:w' 'init_task:w args c=$frob'
refuses "file:3: at '\$frob': "
saved 'init_task:w' 'panic_timeout:rw len=4'
refuses 'file:3: A watch of this name exists'
saved 'init_task:w' 'nr_threads:w' 'total_forks:w' 'jiffies:w'
refuses 'No debug register is free' 'more than there is room for'
saved 'total_forks:w' 'panic_timeout:w name=total_forks'
refuses 'file:3: the watch of line 2 has the same name, total_forks' 'a name twice'
saved 'total_forks:w' '  !panic_timeout'
refuses "file:3: '!panic_timeout' removes watches" 'a removal'
saved 'panic_*:w'
refuses 'file:2: ' 'a glob'
# More lines than fit into one write: 70 of 63 characters and more.
mapfile -t many < <(printf "total_forks:w flexible name=w$(printf 'x%.0s' {1..50})%d\n" {1..70})
saved "${many[@]}" 'nosuch:w'
refuses 'file:72: No symbol' 'the last line of many'
saved "${many[@]}"
kw restore file
is 'a file larger than one write' "$status$err $(wc -l <$filter)" '0 71'
kw restore file
is 'all of its watches exist' "$status $err" '0 ksymwatch: file: 70 of 70 watches were there already'
ksymwatch rm --all
leaves_nothing restore
ksymwatch add panic_timeout 'total_forks name=forks len=8 flexible'
cat $filter >file
ksymwatch rm --all
kw restore file
is "restore takes a copy of the tracer's file" "$status$err$(names)" '0panic_timeout forks'
ksymwatch rm --all
saved
kw restore file
is 'a file without watches' "$status$err$(names)" 0

# --- extract, report NAME, diff, rm --save -------------------------------------------

few_functions
# A watch that was restored has switched it off.
echo 1 >$tracefs/tracing_on
echo 39000 >$panic_timeout
rm -f ./*.dat
refused 'extract without a watch' 1 'no watches exist, so the buffer has no hits' extract
ksymwatch add panic_timeout stack total_forks name=wprobes/forks2
mkdir $tracefs/instances/mine
echo 1 >$tracefs/instances/mine/events/ksym/panic_timeout/enable
echo 1 >$tracefs/events/sched/sched_process_exit/enable
for value in 40001 40002 40003; do echo $value >$panic_timeout; done
(true)
is 'what is estimated from complete coverage are the hits themselves' \
	"$(ksymwatch list --json | sed -nE 's/.*"hits":([0-9]+),.*"estimate":([^,]*),.*/\1 \2/p' | awk '$1 == $2 { n++ } END { print n }')" 2
buffer() { grep -A 5 ': panic_timeout: ' $tracefs/trace; }
before=$(buffer)
kw report panic_timeout
is 'report shows the hits of a watch in the buffer' "$status$err $(grep -oE '> 0x[0-9a-f]+ +[a-z0-9_]+' <<<"$out" | xargs) $(tail -n 1 <<<"$out")" \
	"0 > 0x9c41 $conv > 0x9c42 $conv > 0x9c43 $conv 3 hits"
is 'with their stacks, and nothing else' "$(grep -c '<stack' <<<"$out") $(grep -c 'forks2\|sched_' <<<"$out")" '3 0'
kw report --json panic_timeout
is 'also as JSON' "$status$err $(grep -c "^{\"type\":\"hit\",.*\"watch\":\"panic_timeout\",.*\"function\":\"$conv\"" <<<"$out") $(grep -c forks2 <<<"$out")" '0 3 0'
contains 'as gdb does' "$(ksymwatch report --style gdb panic_timeout)" 'New value = 0x9c43'
contains 'and in groups' "$(ksymwatch report --group-by value --sort key panic_timeout | grep 0x9c42 | tr -s ' ')" ' 1 '
is 'and leaves them there' "$(buffer)" "$before"
is 'those of an instance' "$(ksymwatch report -B mine panic_timeout | tail -n 1)" '3 hits'
# A pipe without a reader.
mkfifo nobody
exec 8<>nobody
exec 9>nobody
exec 8<&-
ksymwatch report panic_timeout >&9 2>err
is 'a report for nobody ends' "$?$(<err)" 141
exec 9>&-
is 'and leaves no file' "$(ls -d /tmp/ksymwatch-* 2>/dev/null)" ''
mkdir copies
TMPDIR=$PWD/copies ksymwatch report panic_timeout >/dev/null 2>err &
pid=$!
# shellcheck disable=SC2317  # wait_until calls it
has_copy() { [[ $(ls copies) ]]; }
wait_until has_copy
kill $pid
wait $pid
is 'nor does one that is killed while it copies the buffer' "$?$(<err)$(ls copies)" 143
kw report wprobes/forks2
is 'and of a watch in a group' "$status $(($(grep -c ' wprobes/forks2 ' <<<"$out") >= 1))" '0 1'
refused 'report of an unknown watch' 1 'nosuch: No such file or directory' report nosuch
refused 'or in an unknown instance' 1 "no trace instance 'nosuch'" report -B nosuch panic_timeout
refused 'extract from an unknown instance' 1 "no trace instance 'nosuch'" extract -B nosuch
is 'writes no file' "$(ls ./*.dat 2>/dev/null)" ''
kw extract -o top.dat
is 'extract writes what the buffer has' "$status $(awk '$1 == "panic_timeout" { print $3 }' <<<"$err") $(ksymwatch report top.dat | grep -c ' panic_timeout .* -> 0x9c4')" '0 3 3'
contains 'with other events' "$(trace-cmd report top.dat 2>&1)" 'sched_process_exit:'
contains 'and the stacks' "$(ksymwatch report top.dat)" " => $conv"
is 'and empties it' "$(grep -c ': panic_timeout: ' $tracefs/trace)" 0
echo 40005 >$panic_timeout
kw extract -q -B mine -o mine.dat
is 'extract takes the buffer of an instance' "$status$out$err $(ksymwatch report mine.dat | tail -n 1)" '0 4 hits'
is 'which stays, with its watches' "$(instances) $(names) $(enabled instances/mine/events/ksym/panic_timeout)" \
	'mine panic_timeout wprobes/forks2 1'
kw diff top.dat mine.dat
is 'diff shows new and gone values, functions and tasks, but no others' \
	"$status$err $(grep -E '^(new|gone|more|less) .* panic_timeout ' <<<"$out" | sed -E 's/ +/ /g')" \
	"$(printf '%s\n' "0 more 3 4 panic_timeout $conv" 'more 3 4 panic_timeout bash' 'new 0 1 panic_timeout 0x9c45')"
contains 'also of whole watches' "$(sed -E 's/ +/ /g' <<<"$out")" ' 0 wprobes/forks2 bash'
is 'a recording does not differ from itself' "$(ksymwatch diff mine.dat mine.dat | tail -n +4)" 'no hit differs'
echo 40006 >$panic_timeout
ksymwatch extract -q -B mine -o next.dat &
pid=$!
until ls -d next.dat* || ! is_running $pid; do :; done >/dev/null 2>&1
kill $pid
kill -USR1 $pid
wait $pid
is 'a signal waits for the end of extract' "$(ls -d next.dat*)" next.dat
kw diff next.dat mine.dat
is 'diff shows the first hit that differs' "$(tail -n 3 <<<"$out")" "first difference, hit 1:
A  panic_timeout w$width 0x9c45 -> 0x9c46 by $conv
B  panic_timeout w$width 0x9858 -> 0x9c41 by $conv"
# trace_pipe takes some records of a page.
for ((i = 0; i < 200; i++)); do echo $((40000 + i)) >$panic_timeout; done
dd if=$tracefs/instances/mine/trace_pipe bs=4096 count=1 of=/dev/null 2>/dev/null
left=$(sed -nE 's/.* panic_timeout: .* -> (0x[0-9a-f]+) .*/\1/p' $tracefs/instances/mine/trace)
is 'report shows what a reader has left of a page' "$(ksymwatch report -B mine panic_timeout | sed -nE 's/.* panic_timeout .* -> (0x[0-9a-f]+) .*/\1/p')" "$left"
check 'which was some, but not all' test "$(wc -l <<<"$left")" -gt 1 -a "$(wc -l <<<"$left")" -lt 200
mount -t tmpfs -o size=600k none copies
bash write.sh 9000
TMPDIR=$PWD/copies kw report panic_timeout
contains 'without room for the copy' "$status $err" '1 ksymwatch: the recording is incomplete: No space left on device'
is 'report leaves nothing of it either' "$(ls copies)" ''
umount copies
kw diff --json mine.dat next.dat
contains 'also in JSON' "$out" '{"type":"function","change":"less","hits_a":4,"hits_b":1,"watch":"panic_timeout","function":"'"$conv"'"}'
contains 'with the number of hits' "$(tail -n 1 <<<"$out")" '{"type":"diff","hits_a":4,"hits_b":1,"lost_a":false,"lost_b":false,"first_difference":1,'
echo 0 >$tracefs/instances/mine/events/ksym/panic_timeout/enable
rmdir $tracefs/instances/mine
echo 0 >$tracefs/events/sched/sched_process_exit/enable
lines=$(<$filter)
refused 'rm --save into a missing folder' 1 'nosuch/file cannot be written' rm --all --save nosuch/file
is 'removes nothing' "$(names)" 'panic_timeout wprobes/forks2'
kw rm --save removed panic_timeout
is 'rm --save saves what it removes' "$status$out$err $(names) $(grep -v '^#' removed)" "0 wprobes/forks2 panic_timeout:w len=$width stack"
kw rm --all --save removed
kw restore removed
is 'so does rm --all, for restore' "$status$err $(<$filter)" "0 ${lines#*$'\n'}"
ksymwatch rm --all
echo -1 >$panic_timeout
ksymwatch add '(int)panic_timeout name=timeout'
for value in 40 -3 -1; do echo $value >$panic_timeout; done
is 'report NAME shows values by type' "$(ksymwatch report timeout | grep -oE '[-0-9]+ -> [-0-9]+' | xargs)" '-1 -> 40 40 -> -3 -3 -> -1'
ksymwatch extract -q -o typed.dat
is 'and so does a report of what extract wrote' "$(ksymwatch report typed.dat | grep -oE '[-0-9]+ -> [-0-9]+' | xargs)" '-1 -> 40 40 -> -3 -3 -> -1'
contains 'which trace-cmd reads' "$(trace-cmd report typed.dat 2>&1 | tr -s ' ')" 'print: 0x0: ksymwatch: timeout'
ksymwatch rm --all
leaves_nothing 'all of these'

# --- record --to -------------------------------------------------------------------

busybox ifconfig lo 127.0.0.1 up
mkdir there
listen 12345
kw record --to 127.0.0.1:12345 'panic_timeout limit=0 budget=0' -- sh -c "echo 41000 >$panic_timeout; bash write.sh 3000; echo said; exit 7"
is 'record --to ends with the status of the command' "$status $out" '7 said'
is 'with a summary' "$(awk '/^panic_timeout/ { print $2 }' <<<"$err") $(tail -n 1 <<<"$err")" \
	'3001 3001 hits, sent to 127.0.0.1:12345'
is 'the listener has the recording' "$(ksymwatch report there/trace.*.dat | tail -n 1)" '3001 hits'
contains 'with functions and tasks' "$(ksymwatch report there/trace.*.dat | grep '0xa028' | head -n 1)" ' sh-'
contains 'trace-cmd can read it' "$(trace-cmd report there/trace.*.dat 2>&1)" "-> 0xa028 by $conv"
leaves_nothing 'record --to'
is 'not even in /tmp' "$(ls -d /tmp/ksymwatch-* 2>/dev/null)" ''
# shellcheck disable=SC2016  # the command's shell reads it
kw record --to 127.0.0.1:12345 'panic_timeout limit=0 budget=0' -- bash -c '
	echo 8 >/sys/kernel/tracing/instances/ksymwatch/buffer_size_kb
	kill -STOP $PPID; bash write.sh 2000; kill -CONT $PPID'
contains 'and those hits that were lost' "$(tail -n 1 <<<"$err")" ' hits lost: the trace buffer was full'
rm there/*
kw record -q --to localhost:12345 panic_timeout -- true
is 'record --to -q' "$status$err" 0
is 'without a hit' "$(trace-cmd dump --summary -i there/trace.*.dat 2>&1 | grep -c 'Initial format')" 1
refused 'record --to a closed port' 1 'cannot connect to localhost:12346: Connection refused (trace-cmd listen -p 12346 must run there)' record --to localhost:12346 panic_timeout -- true
refused 'record --to an unknown host' 1 'nosuch.invalid:12345: unknown host: ' record --to nosuch.invalid:12345 panic_timeout -- true
leaves_nothing 'record --to nowhere'
# A child of the listener handles the connection.
kw record -q --to 127.0.0.1:12345 panic_timeout -- sh -c "echo 40000 >$panic_timeout; pkill -KILL -x trace-cmd; echo 41000 >$panic_timeout"
fails 'a listener that is killed' 1 '127.0.0.1:12345 did not receive the whole recording: '
wait $listener
leaves_nothing 'that listener'

# One that takes nothing any more, with little room on the way.
for way in rmem wmem; do echo 4096 8192 16384 >/proc/sys/net/ipv4/tcp_$way; done
listen 12348
ksymwatch record -q --to 127.0.0.1:12348 'panic_timeout limit=0 budget=0' 2>err &
pid=$!
wait_until is_armed ksymwatch/panic_timeout
pkill -STOP -x trace-cmd
bash write.sh 8000
kill $pid
# shellcheck disable=SC2317  # wait_until calls it
has_ended() { ! is_armed ksymwatch/panic_timeout; }
wait_until has_ended
ok 'a listener that takes nothing does not keep the watch'
pkill -KILL -x trace-cmd
wait $pid
contains 'and is reported' "$? $(<err)" '1 ksymwatch: 127.0.0.1:12348 did not receive the whole recording: '
wait $listener
leaves_nothing 'it'
busybox nc -l -p 12347 -e /bin/echo 'SSH-2.0-OpenSSH' &
wait_until listens 12347
refused 'a listener that is not trace-cmd' 1 '127.0.0.1:12347 is not trace-cmd listen' record --to 127.0.0.1:12347 panic_timeout -- true
wait

finish_guest
