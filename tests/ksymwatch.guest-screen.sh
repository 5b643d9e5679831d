#!/bin/bash
# Tests in the machine: doctor and stat, and top and the progress line on a terminal in tmux.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"
export LANG=C.UTF-8
unset NO_COLOR

# Reading the names of all functions takes long, so only those that are needed are visible.
awk -v "known=^($known_names)" '$3 ~ known || / (panic_timeout|panic_on_oops|total_forks|jiffies|nr_threads|do_syscall_64)$/ || NR % 100 == 0' \
	/proc/kallsyms >functions
mount --bind functions /proc/kallsyms
# As top shows it in a column of 16.
short=$conv
((${#conv} <= 16)) || short=${conv:0:15}+
panic_on_oops=/proc/sys/kernel/panic_on_oops

# --- doctor ------------------------------------------------------------------------

# Prints the verdict of the check $1 and the text after it.
verdict() { sed -nE "s/^(ok|warn|FAIL) +$1 +/\1 /p" <<<"$out"; }

before=$(<$panic_timeout)
kw doctor
is 'doctor' "$status$err $(grep -cE '^(ok|warn|FAIL) ' <<<"$out") $(tail -n 1 <<<"$out")" '0 17 Watching works here.'
is 'arms a watch and shows its hit' "$(verdict self-test)" \
	"ok a watch on panic_timeout fired: r 1, w 1, ? 0, by $conv; the values are right"
is 'doctor changes nothing' "$(<$panic_timeout)" "$before"
is 'shows the kernel' "$(verdict kernel)" "ok $(uname -r) x86_64"
is 'its config' "$(verdict config)" 'ok /proc/config.gz: 10 of 10 options'
is 'the debug registers' "$(verdict 'debug registers')" "ok 4 on each of $(nproc) CPUs, 4 free on each"
contains 'the hypervisor' "$(verdict hypervisor)" 'QEMU without KVM (TCG)'
is 'the tracer' "$(verdict tracer)" 'ok the ksym tracer'
contains 'and the programs' "$(verdict programs)" ', gdb'
leaves_nothing doctor
kw doctor --json
# shellcheck disable=SC2001  # each line gets it
sed 's/^/# json /' <<<"$out"
is 'doctor --json' "$status$err $(grep -c '^{"type":"check","check":".*}$' <<<"$out")" '0 17'
is 'with advice only where there is some' "$(grep -c '"verdict":"ok".*"advice"' <<<"$out") $(grep -c '"verdict":"warn".*"advice":"' <<<"$out")" \
	"0 $(grep -c '"verdict":"warn"' <<<"$out")"

kw --vmlinux /nonexistent --kallsyms /dev/null doctor
is 'files that are refused are findings, and doctor goes on' \
	"$status$err $(grep -cE '^(ok|warn|FAIL) ' <<<"$out") $(verdict 'debug information'), $(verdict variables), $(tail -n 1 <<<"$out")" \
	'0 17 FAIL /nonexistent: No such file or directory, FAIL /dev/null is not of the running kernel: it has no symbols, Watching works here.'

ksymwatch add panic_timeout total_forks jiffies nr_threads
kw doctor
is 'a missing free register is reported' "$status $(verdict 'debug registers') $(tail -n 1 <<<"$out")" \
	"1 warn 4 on each of $(nproc) CPUs, 0 free on each Watching does not work here."
contains 'with the owners of the registers' "$out" '- CPU 0: 0 free, held by panic_timeout, total_forks, jiffies, nr_threads'
contains 'the self-test has the reason' "$(verdict self-test)" 'No debug register is free'
ksymwatch rm --all
kw_with_mounts 'umount /sys/kernel/debug /sys/kernel/tracing; mount --bind /dev/null /proc/config.gz &&
	mount -t tmpfs none /sys/kernel && mkdir /sys/kernel/security &&
	echo "none integrity [confidentiality]" >/sys/kernel/security/lockdown || exit 99;' doctor
is 'doctor works if most files are missing' "$status $(grep -cE '^(ok|warn|FAIL) ' <<<"$out") $(verdict tracefs)" \
	'0 17 warn not mounted'
contains 'with advice' "$out" '-> mount -t tracefs nodev /sys/kernel/tracing'
contains 'perf'\''s breakpoints do without' "$(verdict self-test)" "ok a watch on panic_timeout fired: r 0, w 0, ? 2, by $conv"
contains 'lockdown is reported' "$(verdict lockdown)" 'FAIL confidentiality'
is 'an empty config has no option' "$(verdict config)" 'FAIL /proc/config.gz: 0 of 10 options'
is 'perf knows how many registers are free' "$(verdict 'debug registers')" 'ok 4, 4 free on each CPU'
# With another value than that of a file that could not be read.
panic_on_oops_before=$(<$panic_on_oops)
echo 3 >$panic_on_oops
kw_with_mounts "mount --bind /dev/null $panic_timeout || exit 99;" doctor
is 'the self-test has a second variable' "$status $(verdict self-test)" \
	"0 ok a watch on panic_on_oops fired: r 1, w 1, ? 0, by $conv; the values are right"
echo "$panic_on_oops_before" >$panic_on_oops
setpriv --reuid 65534 --clear-groups ksymwatch doctor >out 2>err
status=$? out=$(<out)
is 'without root' "$status$(<err) $(verdict permission) $(tail -n 1 <<<"$out")" \
	'1 FAIL user 65534, no capabilities Watching needs root.'
contains 'BPF is refused then' "$(verdict BPF)" 'warn cannot load programs: Operation not permitted'
leaves_nothing 'a doctor that fails'

# --- stat --------------------------------------------------------------------------

# Prints the columns $2... of the row of the watch $1.
row() { awk -v "name=$1" -v "columns=${*:2}" '$1 == name && $2 != "missed" { n = split(columns, c, " "); for (i = 1; i <= n; i++) printf("%s%s", i == 1 ? "" : " ", $(c[i])) }' <<<"$err"; }

echo 40000 >$panic_timeout
kw stat panic_timeout:rw panic_on_oops -- sh -c "echo 41000 >$panic_timeout; echo 41000 >$panic_timeout; read x <$panic_on_oops; echo said; exit 7"
is 'stat ends with the status of the command' "$status $out" '7 said'
is 'and counts' "$(row WATCH 2 3 4 5 6 7) $(row panic_on_oops 2 3 4 5 6 7)" 'HITS READS WRITES UNKNOWN CHANGES MISSED 0 0 0 0 0 0'
is 'hits, reads, writes and changes' "$(row panic_timeout 4 6 7)" '2 1 0'
contains 'the duration' "$err" ' seconds time elapsed'
kw stat -r 2 panic_timeout changed -o counts -- sh -c "echo 41000 >$panic_timeout; echo 42000 >$panic_timeout"
kw stat --append -o counts panic_timeout -- true
err=$(<counts)
is 'stat into a file, with several runs, and appending' \
	"$status $(grep -c '^# started on ' counts) $(row panic_timeout 2 3 8)" '0 2 1.5 33.33% 0.50 0 0.0'
is 'with the number of runs if there are several' "$(sed -nE "s/^ Counts for .*'//p" counts | xargs -d '\n')" ' (2 runs): :'
contains 'with missed hits and their reasons' "$err" ' panic_timeout missed 1: left the same value'
kw stat -r 3 --json panic_timeout -- sh -c 'exit 255'
is 'a status of more than 128 is no signal' "$status $(grep -o '"runs":[0-9]*' <<<"$err")" '255 "runs":3'
kw stat -o counts panic_timeout -- true
is 'or without appending' "$status $(grep -c '^# started on ' counts)" '0 1'
ln -s counts link
chown -h 65534 link
for command in stat record; do
	refused "$command through a link of another user" 1 "refusing to write through link, another user's link; name the file itself" \
		$command -qo link panic_timeout -- true
done
ksymwatch add panic_timeout name=mine
kw stat --json @mine -- sh -c "echo 43000 >$panic_timeout"
echo "# json $err"
is 'stat --json of an existing watch' "$status $(grep -o '"watch":.*"missed":[0-9]*' <<<"$err")" \
	'0 "watch":"mine","runs":1,"hits":1,"reads":0,"writes":1,"unknown":0,"changes":1,"missed":0'
is 'the watch is kept' "$(names)" mine
env --default-signal=INT ksymwatch stat @mine 2>err &
pid=$!
wait_until has poll /proc/$pid/wchan
echo 44000 >$panic_timeout
kill -INT $pid
wait $pid
status=$? err=$(<err)
is 'stat without a command counts until Ctrl-C' "$status $(row mine 2)" '0 1'
ksymwatch rm mine
refused 'stat of a missing command' 127 '/nonexistent/command: command not found' stat panic_timeout -- /nonexistent/command
refused 'or that can'\''t be run' 126 'Permission denied' stat -q panic_timeout -- "$scratch"
refused 'counts that can'\''t be written' 1 '/dev/full cannot be written: No space left on device' stat -qo /dev/full panic_timeout -- true
leaves_nothing stat

# --- record ------------------------------------------------------------------------

kw record -q -o quiet.dat panic_timeout -- sh -c "echo 45000 >$panic_timeout; exit 5"
is 'record -q prints nothing' "$status$out$err" 5
check 'but records' test -s quiet.dat

# --- A terminal --------------------------------------------------------------------

# Each terminal has its own server, since a server that is ending accepts no new sessions.
terminals=0
terminal() { tmux -L "terminal$terminals" "$@"; }
# Runs a command in a new terminal of 80 columns and 24 lines.
in_terminal() {
	terminals=$((terminals + 1))
	terminal -f /dev/null new-session -d -x 80 -y 24 "$1; sleep 1000"
}
shown() { terminal capture-pane -p; }
# shellcheck disable=SC2317  # wait_until calls it
shows() { shown | grep -q -- "$1"; }
keys() { terminal send-keys "$@"; }
# Closes the terminal after the command has ended.
close_terminal() {
	wait_until shows 'ended with'
	terminal kill-server
}
# Prints the lines $1 of the screen, with numbers as N and single blanks.
golden() {
	shown | sed -n "$1" |
		sed -E 's/[0-9]+:[0-9]+:[0-9]+/TIME/; s/(0x[0-9a-f]+|[0-9]+(\.[0-9]+)?)/N/g; s/(bash|<\.\.\.>)-N/TASK-N/; s/: ([b<][^ ]*|TASK-N)\+$/: TASK+/; s/ +/ /g; s/ $//'
}
# The screen may be half drawn, so callers repeat this.
# shellcheck disable=SC2317
is_golden() { [[ $(golden "$1") == *"$2"* ]]; }

in_terminal "ksymwatch record -o progress.dat panic_timeout; echo ended with \$?"
wait_until shows '^ksymwatch: 0 hits, 0 lost, 0 bytes (Ctrl-C to stop)$'
ok 'record shows its progress'
echo 46000 >$panic_timeout
wait_until shows '^ksymwatch: 1 hit, 0 lost, [1-9][0-9]* bytes (Ctrl-C to stop)$'
ok 'and updates it'
keys C-c
close=$(wait_until shows 'ended with'; shown)
is 'Ctrl-C stops it and clears the line' "$(grep -c 'Ctrl-C to stop' <<<"$close") $(tail -n 2 <<<"$(grep . <<<"$close")" | xargs)" \
	'0 1 hit ended with 0'
close_terminal
# A line that wraps could not be overwritten.
in_terminal "stty cols 20; ksymwatch record -o progress.dat panic_timeout; echo ended with \$?"
wait_until shows '^ksymwatch: 0 hits,'
is 'on a narrow terminal the line is truncated' "$(shown | grep ' 0 hits')" 'ksymwatch: 0 hits,'
keys C-c
close_terminal
leaves_nothing 'record until Ctrl-C'

refused 'top without a terminal' 1 'not a terminal; use -b for text' top panic_timeout </dev/null
in_terminal "TERM=dumb ksymwatch top panic_timeout; TERM=nosuch ksymwatch top panic_timeout; echo ended with \$?"
wait_until shows 'ended with 1'
is 'top on a dumb terminal' "$(shown | head -n 2)" \
	"ksymwatch: top: terminal 'dumb' can't show a table; use -b for text
ksymwatch: top: unknown terminal 'nosuch'; set TERM, or use -b for text"
close_terminal

in_terminal "stty -g >modes; ksymwatch top -q -d 0.1 panic_timeout limit=0 '(int)panic_on_oops' name=panic_on_oops; echo ended with \$?; stty -g >modes2"
wait_until shows 'no hits yet'
contains 'top has colours' "$(terminal capture-pane -pe)" $'\e[36m'
bash write.sh 3
echo 0 >$panic_on_oops
wait_until shows '^panic_timeout  .* 3 '
wait_until shows "^panic_on_oops  *${short%+}"
keys 4
wait_until shows 'sorted by HITS,'
is 'top shows watches and functions' "$(golden '1,5p;24p')" "ksymwatch top - TIME, N watches, N hits, N/s, N lost
sorted by HITS, all watches (h: help, q: quit)
WATCH FUNCTION HITS/S HITS READS WRITES CHANGES VALUE
panic_timeout $short N N N N N N
panic_on_oops $short N N N N N N
panic_timeout $conv: TASK-N on CPU N, N -> N"
is 'with their counts' "$(shown | awk 'NR == 4 || NR == 5 { print $4, $5, $6 }' | xargs)" '3 0 3 1 0 1'
contains 'the headings are reversed' "$(terminal capture-pane -pe | sed -n 3p)" $'\e[7m'
keys r
wait_until shows 'reversed'
is 'r reverses the order' "$(shown | awk 'NR == 4 || NR == 5 { print $1 }' | xargs)" 'panic_on_oops panic_timeout'
keys '<'
wait_until shows 'sorted by HITS/S'
keys 1 r
wait_until shows 'sorted by WATCH,'
keys g j
wait_until shows "^panic_timeout $conv: "
ok 'the cursor moves'
# The help clears the screen, so what it shows afterwards is new.
keys k h
wait_until shows 'Any key goes back'
keys h
wait_until shows "^panic_[a-z_]* $conv: "
contains 'and back' "$(shown | tail -n 1)" 'panic_on_oops '
keys j
wait_until shows "^panic_timeout $conv: "
keys Enter
wait_until shows "1 stack of panic_timeout by $conv"
is 'Enter shows the stacks' "$(golden '3,4p')" " N N%
 $conv+N"
is 'with their hits' "$(shown | sed -n 3p | xargs)" '3 100.0%'
contains 'down to the entry into the kernel' "$(shown)" '      do_syscall_64+0x'
is 'which are not frozen' "$(shown | grep -c FROZEN)" 0
keys f
wait_until shows FROZEN
keys f
keys Escape
wait_until shows 'sorted by WATCH'
keys w
wait_until shows 'only panic_timeout'
is 'w shows only one watch' "$(shown | sed -n '4,23p' | grep -c .)" 1
keys w
wait_until shows 'all watches'
keys f
wait_until shows FROZEN
bash write.sh 5
is 'f freezes the screen' "$(shown | awk 'NR < 24 && /^panic_timeout +'"${short%+}"'/ { print $4 }')" 3
keys Space
wait_until shows '^panic_timeout .* 8 '
ok 'hits are counted meanwhile'
keys h
wait_until shows 'Any key goes back'
keys h
wait_until shows 'sorted by'
terminal resize-window -x 120 -y 10
wait_until shows 'TASK *CPU'
wait_until is_golden '4p;5p' "panic_timeout $conv N N N N N N TASK-N N"
ok 'a wider terminal has more columns and longer names'
echo -2147483648 >$panic_on_oops
wait_until shows "^panic_on_oops .* -21474836"
is 'and longer values' "$(shown | grep -c '^panic_on_oops .* -2147483648 ')" 1
echo 0 >$panic_on_oops
terminal resize-window -x 40 -y 6
wait_until is_golden '3p;6p' "WATCH FUNCTION HITS/S
panic_timeout $conv: TASK+"
ok 'a narrow one has fewer'
terminal resize-window -x 80 -y 24
wait_until shows VALUE
keys z
wait_until shows ' 0 hits'
keys q
wait_until shows 'ended with'
is 'q quits and restores the terminal' \
	"$(shown | head -n 1) $(terminal display-message -p '#{alternate_on} #{cursor_flag}') $(wait_until test -s modes2; cmp modes modes2)" \
	'ended with 0 0 1 '
close_terminal
leaves_nothing top

# The timer interrupts the kernel anywhere, so there are more stacks than a row has.
while :; do (true); done &
busy=$!
in_terminal "ksymwatch top -q -d 0.1 jiffies limit=0; echo ended with \$?"
wait_until shows '^jiffies '
keys Enter
wait_until shows '^50 stacks of jiffies by '
keys G
# shellcheck disable=SC2317  # wait_until calls it
shows_others_or_should() { shows ' other stacks$' || shows ' [0-9]\{5,\} hits,'; }
wait_until shows_others_or_should
contains 'further stacks are counted together' "$(shown)" '% other stacks'
kill $busy
keys q
close_terminal
leaves_nothing 'it'

in_terminal "NO_COLOR=1 ksymwatch top -d 0.1 panic_timeout; echo ended with \$?"
wait_until shows 'no hits yet'
is 'NO_COLOR disables colours' "$(terminal capture-pane -pe | grep -c $'\e\\[3[0-7]m')" 0
mkdir $tracefs/instances/foreign
echo 1 >$tracefs/instances/foreign/events/ksymwatch/panic_timeout/enable
kill "$(pgrep -x ksymwatch)"
wait_until shows 'ended with'
is 'a signal ends top' "$(shown | grep 'ended with') $(terminal display-message -p '#{alternate_on}')" 'ended with 1 0'
contains 'and its messages are printed' "$(shown | xargs)" 'panic_timeout is enabled in foreign'
close_terminal
rmdir $tracefs/instances/foreign
ksymwatch rm --all
leaves_nothing 'a signal'

# --- top as text --------------------------------------------------------------------

# The last function of panic_timeout that was printed, with its hits, reads and writes.
printed() { awk '/^panic_timeout/ { row = $2 " " $4 " " $5 " " $6 } END { print row }' out; }
# shellcheck disable=SC2317  # wait_until calls it
printed_hits() { [[ $(printed) == *" $1 "* ]]; }
ksymwatch top -qb -d 0.1 -s hits panic_timeout panic_on_oops >out &
pid=$!
wait_until is_armed ksymwatch/panic_on_oops
bash write.sh 4
wait_until printed_hits 4
kill $pid
wait $pid
is 'top -b prints text' "$? $(printed)" "0 $conv 4 0 4"
ksymwatch top -qb -d 0.1 -s value '(int)panic_timeout name=minus' '(int)panic_on_oops name=ten' >out &
pid=$!
wait_until is_armed ksymwatch/ten
echo -1 >$panic_timeout
echo 10 >/proc/sys/kernel/panic_on_oops
wait_until has '^minus' out
wait_until has '^ten' out
kill $pid
wait $pid
is 'sorted by values, those of a signed type by their sign' "$? $(awk '/^(minus|ten)/ { print $1 }' out | tail -n 2 | xargs)" '0 ten minus'
ksymwatch top -qb -n 2 -d 0.1 panic_timeout panic_on_oops >out
is 'as many times as requested' "$? $(grep -c '^ksymwatch top - ..:..:.., 2 watches, ' out)" '0 2'
is 'with a blank line after each' "$(grep -c '^$' out)" 2
ksymwatch top -qb -d 0.01 panic_timeout | head -n 1 >/dev/null
is 'and ends when its reader does' "${PIPESTATUS[0]}" 141
leaves_nothing 'all of top'

finish_guest
