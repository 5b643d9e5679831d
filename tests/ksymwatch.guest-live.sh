#!/bin/bash
# Tests in the machine: record with many hits and signals, live, and missing features.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"

# --- Many hits ---------------------------------------------------------------------

# Two CPUs, with more hits than a page of a buffer.
kw record -o many.dat "panic_timeout limit=0 budget=0" -- sh -c 'bash write.sh 3000 & bash write.sh 2000 & wait'
is 'no hit is lost' "$(tail -n 1 <<<"$err")" '5000 hits'
is 'in time order' "$(ksymwatch report many.dat | awk '/\[00/ { if ($3 < t) print; t = $3 }')" ''

# A full disk: the command leaves room for the hits that are still in the buffer, but not
# for all of them a second time.
mkdir small
mount -t tmpfs -o size=20m small small
kw record -o small/one.dat "panic_timeout limit=0 budget=0 stack" -- bash -c '
	bash write.sh 6000
	dd if=/dev/zero of=small/fill bs=64k 2>/dev/null
	truncate -s -300k small/fill'
is 'a full disk is an error' "$status $(cd small && echo one* | sed 's/-.*//')" '1 one.dat.parts'
contains 'the message has the reason' "$err" 'one.dat cannot be written: No space left on device'
contains 'and the place of the hits' "$(tail -n 1 <<<"$err")" 'the hits are in '
cp -r small/*.parts-* kept
umount small
(cd kept && cat header cpu* >trace.dat)
is 'and how to read them' "$(ksymwatch report kept/trace.dat | tail -n 1)" '6000 hits'
is 'trace-cmd can, too' "$(trace-cmd report kept/trace.dat 2>/dev/null | grep -c 'panic_timeout:')" 6000
leaves_nothing 'a full disk'

mount -t tmpfs -o size=20m small small
ksymwatch record -qo small/two.dat 'panic_timeout limit=0 budget=0 stack' 2>err &
pid=$!
wait_until is_armed ksymwatch/panic_timeout
dd if=/dev/zero of=small/fill bs=64k 2>/dev/null
truncate -s -300k small/fill
for _ in {1..100}; do
	kill -0 $pid 2>/dev/null || break
	bash write.sh 300
done
kill $pid 2>/dev/null && killed=killed
wait $pid
is 'without a command it ends the recording' "$?${killed-} $(head -n 1 err)" '1 ksymwatch: the recording is incomplete: No space left on device'
rm -r small/*
kw record -qo small/three.dat 'panic_timeout limit=0 budget=0 stack' -- bash -c '
	dd if=/dev/zero of=small/fill bs=64k 2>/dev/null
	truncate -s -300k small/fill
	for _ in {1..20}; do bash write.sh 300; done
	exit 3'
is 'with one it waits for that' "$status $(head -n 1 <<<"$err") $(grep -c 'is incomplete' <<<"$err")" \
	'1 ksymwatch: the recording is incomplete: No space left on device 1'
umount small
leaves_nothing 'the recording'

# The limit of a file's size ends within a page. It has to hold the functions.
awk 'NR % 100 == 0' /proc/kallsyms >functions
mount --bind functions /proc/kallsyms
(ulimit -f 1022 && exec ksymwatch record -qo limit.dat 'panic_timeout limit=0 budget=0 stack' -- bash write.sh 9000) 2>err
contains 'a file that may not be larger is an error' "$? $(<err)" '1 ksymwatch: the recording is incomplete: File too large'
(cd limit.dat.parts-* && cat header cpu*) >limit.dat
hits=$(ksymwatch report limit.dat 2>err | tail -n 1)
is 'what it has are whole pages' "$(<err)$((${hits%% hits*} > 100)) $(ksymwatch report limit.dat.parts-* | tail -n 1)" "1 $hits"
rm -r limit.dat*
umount /proc/kallsyms

ksymwatch record -o killed.dat 'panic_timeout limit=0 budget=0' -- bash write.sh 100000 2>/dev/null &
pid=$!
# shellcheck disable=SC2317  # wait_until calls it
has_pages() { [[ $(cat killed.dat.parts-*/cpu*) ]]; }
wait_until has_pages 2>/dev/null
kill -KILL $pid
wait $pid 2>/dev/null
pkill -f write.sh
kw report killed.dat.parts-*
hits=$(grep -c 'panic_timeout .* -> 0x' <<<"$out")
is 'report shows what a killed record has written' "$status$err $((hits > 100)) $(tail -n 1 <<<"$out")" "0 1 $hits hits"
is 'so does export' "$(ksymwatch export --csv killed.dat.parts-* | grep -c ',panic_timeout,')" "$hits"
mkdir empty
refused 'another folder is no recording' 1 'empty: Is a directory' report empty
rm -r killed.dat.parts-*
ksymwatch rm --all
leaves_nothing 'a killed record'

few_functions

# Until the recorder has written the hits of the last CPU, or should have.
last=$(($(nproc) - 1))
kw record -o last.dat 'panic_timeout limit=0 budget=0' -- taskset -c $last bash -c "
	for _ in {1..40}; do bash write.sh 300; [[ ! -s \$(echo last.dat.parts-*/cpu*$last) ]] || exit 7; done"
is 'a recording is woken by each CPU' "$status" 7
ksymwatch record -qo last.dat 'panic_timeout limit=0 budget=0' &
pid=$!
wait_until is_armed ksymwatch/panic_timeout
bash write.sh 12000
kill $pid
wait $pid
is 'without a command it does not end then' "$? $(ksymwatch report last.dat | tail -n 1)" '0 12000 hits'

# With a stopped recorder and a buffer of two pages, hits are lost.
cat >lose.sh <<'END'
echo 8 >/sys/kernel/tracing/instances/ksymwatch/buffer_size_kb
kill -STOP $PPID
bash write.sh 2000
kill -CONT $PPID
END
kw record -o lost.dat "panic_timeout limit=0 budget=0" -- bash lose.sh
contains 'lost hits are reported' "$(tail -n 1 <<<"$err")" 'lost: the trace buffer was full'
contains 'with their place' "$(ksymwatch report lost.dat | grep '^# CPU')" 'hits lost here'
contains 'the last hits are recorded' "$(ksymwatch report lost.dat | grep '\[00' | tail -n 1)" '0x9c40 -> 0x9c41'
leaves_nothing 'lost hits'

# --- Signals -----------------------------------------------------------------------

# Starts record and returns when its command is running. Background jobs of a shell ignore
# SIGINT and SIGQUIT. ksymwatch takes SIGINT all the same; for SIGQUIT env undoes it.
start_record() {
	rm -f ready
	env --default-signal=QUIT ksymwatch record -o signal.dat panic_timeout -- \
		sh -c "echo 40000 >$panic_timeout; $1" >out 2>err &
	pid=$!
	wait_until test -e ready
}
for signal in INT:130 QUIT:131 TERM:143 HUP:129; do
	start_record 'touch ready; exec sleep 1000'
	kill -"${signal%:*}" $pid
	wait $pid
	is "SIG${signal%:*} reaches the command and ends the recording" \
		"$? $(tail -n 1 err)" "${signal#*:} 1 hit"
	rm signal.dat
	leaves_nothing "SIG${signal%:*}"
done
# shellcheck disable=SC2016  # the command's shell reads it
start_record 'trap "echo 41000 >'$panic_timeout'; exit 5" INT; touch ready; while :; do sleep 0.05; done'
kill -INT $pid
wait $pid
is 'record waits for the command to end' "$? $(ksymwatch report signal.dat | tail -n 1)" '5 2 hits'
ksymwatch record -o signal.dat panic_timeout 2>alone.err &
pid=$!
wait_until has 'watching panic_timeout' alone.err
kill -INT $pid
wait $pid
is 'so does a recording without a command, from a script' "$? $(tail -n 1 alone.err)" '0 0 hits'
is 'which said what it records when it began' "$(head -n 1 alone.err)" \
	'ksymwatch: watching panic_timeout; recording in the trace instance ksymwatch'
# shellcheck disable=SC2016  # the command's shell reads it
(
	trap '' HUP
	exec ksymwatch record -o signal.dat panic_timeout -- sh -c 'kill -HUP $PPID; exit 6'
) >/dev/null 2>&1
is 'an ignored signal stays ignored, as with nohup' "$?" 6
# shellcheck disable=SC2016
kw record -o -1.dat panic_timeout -- sh -c 'kill -SEGV $$'
is 'a command that is killed, and a file name with a minus' "$status" 139
env --ignore-signal=CHLD ksymwatch record -o signal.dat panic_timeout -- sh -c 'exit 8' 2>/dev/null
is 'record reaps orphans' "$?" 8
leaves_nothing 'any signal'

# --- live -----------------------------------------------------------------------------

ksymwatch add panic_timeout name=mine
mkdir $tracefs/instances/foreign
echo 1 >$tracefs/instances/foreign/events/ksym/mine/enable
start_live
echo 40000 >$panic_timeout
echo 41000 >$panic_timeout
wait_until has '0x9c40 -> 0xa028' live
ok 'live shows hits as they come'
kill -INT $pid
wait $pid
is 'ends with Ctrl-C' "$? $(<live.err)" '0 ksymwatch: watching mine; recording in the trace instance ksymwatch'
is 'and with a summary' "$(awk '/^mine/ { print $3, $5 }' live) $(tail -n 1 live)" '2 2 2 hits'
is 'takes no hits from others' \
	"$(grep -c "mine: w$width" $tracefs/trace) $(grep -c "mine: w$width" $tracefs/instances/foreign/trace)" '2 2'
is 'and keeps the watch' "$(names) $(instances)" 'mine foreign'
rmdir $tracefs/instances/foreign
ksymwatch rm mine

# --- Ends by itself ---------------------------------------------------------------------

# Hot enough to be hit between the definition and the start of a session.
for command in live 'record -o count.dat' stat 'top -b'; do
	# shellcheck disable=SC2086  # it is split into words
	kw $command jiffies count=3 limit=0
	is "count= is exact, and ends $command" "$status $(cat out err | grep -c '^ *jiffies .* 3 ')" '0 1'
done
is 'record has the hits' "$(ksymwatch report count.dat | tail -n 1)" '3 hits'
kw stat jiffies count=2 limit=0 'then' signal=10
contains 'stat shows signals that were not sent' "$err" \
	"jiffies: 2 signals not sent: the kernel's own access, or no room"
kw stat --json jiffies count=2 limit=0 'then' signal=10
contains 'also as JSON' "$err" '"failed":{"nosignal":2}'
kw live jiffies count=2 limit=0 'then' signal=10
contains 'and live says it' "$err" "ksymwatch: jiffies: 2 signals not sent: the kernel's own access, or no room"
kw record -q -o signal.dat panic_timeout if 'new == 41000' 'then' signal=9 -- \
	sh -c "echo 40000 >$panic_timeout; echo before; echo 41000 >$panic_timeout; echo after"
is 'a task gets its signal' "$status $out" '137 before'
while IFS='|' read -r ending wanted; do
	ksymwatch add panic_timeout name=mine
	eval "start_live -q $ending"
	printf '%d\n' 40000 41000 42000 | while read -r value; do echo "$value" >$panic_timeout; done
	wait $pid
	is "live ends with $ending" "$?$(<live.err) $(awk '/\[00/ { print $8 }' live | xargs)" "0 $wanted"
	ksymwatch rm @mine
done <<'END'
panic_timeout if 'new == 41000' then traceoff|0xa028
@mine --trigger 'traceoff if new == 41000'|0x9c40 0xa028
END
leaves_nothing 'what ends by itself'

for signal in TERM HUP; do
	start_live panic_timeout
	kill -$signal $pid
	wait $pid
	is "live ends with SIG$signal" "$? $(tail -n 1 live)" '0 0 hits'
	leaves_nothing "SIG$signal"
done
start_live panic_timeout stack
echo 42000 >$panic_timeout
wait_until has " => $conv" live
ok 'live shows the stack of a hit'
kill -TERM $pid
wait $pid
is 'the stack is not counted as a hit' "$(tail -n 1 live)" '1 hit'
# More hits than live can show at once.
start_live panic_timeout limit=0 budget=0
bash write.sh 3000
kill -TERM $pid
wait $pid
is 'hits in the buffer are shown at the end' "$(grep -c '\[00' live) $(tail -n 1 live)" '3000 3000 hits'
ksymwatch live -q panic_timeout | head -n 1 >/dev/null
is 'live ends when its reader does' "${PIPESTATUS[0]}" 141
leaves_nothing 'that reader'
refused 'live without watches' 1 'no watches exist' live
refused 'live with a wrong spec' 1 'nosuch: No symbol' live nosuch
wakes_seldom panic_timeout limit=0 budget=0
start_live -q panic_timeout name=a_watch_with_a_longer_name_than_most total_forks name=b
echo 43000 >$panic_timeout
wait_until has '0xa7f8' live
kill -TERM $pid
wait $pid
is 'live -q says nothing' "$(<live.err)" ''
is 'the columns fit the longest name' \
	"$(awk -v "w= w$width " '/WATCH .*OLD/ { at = index($0, "ACCESS") } index($0, w) { print at - index($0, w) - 1 }' live)" 0
ksymwatch live -q total_forks >/dev/full 2>err &
pid=$!
while is_running $pid 2>/dev/null; do (true); done
wait $pid
is 'live that can'\''t write' "$?" 1
contains 'says so' "$(<err)" 'cannot be written: No space left on device'
leaves_nothing 'it'

# --- Missing features ---------------------------------------------------------------------

unmount='umount -R /sys/kernel/debug /sys/kernel/tracing || exit 99;'
kw_with_mounts "$unmount" list
fails 'no tracefs' 1 'tracefs is not mounted: mount -t tracefs'
kw_with_mounts "$unmount" report many.dat
is 'report does not need it' "$status" 0
mkdir $tracefs/instances/bare
kw_with_mounts "mount --bind $tracefs/instances/bare /mnt || exit 99; $unmount" list
fails 'no tracer' 1 'this kernel has no ksym tracer (CONFIG_KSYM_TRACER)'
rmdir $tracefs/instances/bare
kw_with_mounts 'mount -t tmpfs none /sys/kernel && mkdir /sys/kernel/security &&
	echo "none integrity [confidentiality]" >/sys/kernel/security/lockdown || exit 99;' list
fails 'a kernel that is locked down' 1 'boot without lockdown=confidentiality'
setpriv --reuid 65534 --clear-groups ksymwatch list >out 2>err
status=$? out=$(<out) err=$(<err)
fails 'without root' 1 'run as root'
chmod 755 "$scratch"
chmod 644 many.dat
is 'report does not require root' "$(setpriv --reuid 65534 --clear-groups ksymwatch report many.dat 2>&1 | tail -n 1)" '5000 hits'

finish_guest
