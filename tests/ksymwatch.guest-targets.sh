#!/bin/bash
# Tests in the machine: all forms of targets, groups and fetch arguments.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"

# Prints the columns $2... of the row of the watch $1 in the list.
row() { ksymwatch list | awk -v "name=$1" -v "columns=${*:2}" '
	$1 == name { n = split(columns, c, " "); for (i = 1; i <= n; i++) printf("%s%s", i == 1 ? "" : " ", c[i] == "state" ? $(NF - 1) : $(c[i])) }'; }

# --- Modules that are not loaded -------------------------------------------------------

kw add nosuch_module:variable:w len=4
is 'a watch on a module that is not loaded' "$status$err $(row variable 2 3 4 state)" \
	'0 nosuch_module:variable w 4 pending'
kw record -o pending.dat @variable -- true
is 'is recorded' "$status $(tail -n 1 <<<"$err")" '0 0 hits'
kw record -o pending.dat nosuch_module:other:w len=4 -- true
is 'so is one made by record' "$status $(tail -n 1 <<<"$err")" '0 0 hits'
kw rm nosuch_module:variable
is 'rm takes the target of the watch' "$status$err" 0
leaves_nothing 'a pending watch'

# --- Ambiguous symbols -----------------------------------------------------------------

ksymwatch add '*' --dry-run | awk '$1 ~ /@2$/ && $3 ~ /^\.(data|bss)$/ && $5 ~ /[048c]$/ && !n++' >ambiguous
read -r second size section module address <ambiguous
refused 'an ambiguous name' 1 "${second%@2}: " add "${second%@2}"
contains 'the kernel numbers them like the dry run' "$err" "@2 vmlinux $address"
kw add "$second:w" len=1 name=second
is 'SYMBOL@N picks one' "$status$err $(row second 2 4) $size $section $module" "0 $second 1 $size $section -"
kw rm "$second"
is 'rm takes it as well' "$status$err" 0
leaves_nothing 'one of several symbols'

# --- Per-CPU variables, addresses, types -----------------------------------------------

kw add nr_dentry len=8 'nr_dentry[cpu0]' len=8
is 'a per-CPU variable, and the copy of one CPU' "$status$err $(row nr_dentry 2 state) $(row nr_dentry_cpu0 2 state)" \
	'0 nr_dentry - nr_dentry[cpu0] -'
kw rm nr_dentry 'nr_dentry[cpu0]'
is 'rm takes both targets' "$status$err" 0

address=$(ksymwatch add panic_timeout --dry-run | awk '$1 == "panic_timeout" { print $5 }')
kw record -o one.dat "$address" len=4 '(int)panic_timeout:w' name=typed '( unsigned  int )panic_timeout' len=4 -- \
	sh -c "echo 40000 >$panic_timeout"
is 'an address, and types' "$status $(awk '/do_proc/ { print $1, $3 }' <<<"$err" | sort | xargs)" \
	"0 panic_timeout 1 typed 1 w_$address 1"
kw add '(task_struct)init_task.pid' '(struct rq)runqueues.curr->on_cpu'
# The type contains a blank, so it takes two columns.
is 'members, also through a pointer' "$status$err $(names) $(row init_task_pid 4) $(row runqueues_curr_on_cpu 3 4)" \
	'0 (task_struct)init_task.pid (struct rq)runqueues.curr->on_cpu 4 rq)runqueues.curr->on_cpu w'
kw rm '( task_struct )init_task.pid' runqueues_curr_on_cpu
is 'rm takes other spellings' "$status$err" 0
refused 'an unknown member' 1 '(task_struct)init_task.pit: ' add '(task_struct)init_task.pit'
kw add -1 name=object len=8
is 'a watch without an address' "$status$err $(row object 2 4)" '0 -1 8'
kw rm -1
is 'rm takes that' "$status$err" 0
leaves_nothing 'any target'

# --- Groups and fetch arguments ------------------------------------------------------

known_names+="|panic_timeout$"
few_functions
# A function begins at the return address of the second frame, after a call that never returns.
kw record -o stack.dat 'panic_timeout:w len=4 stack' -- sh -c "echo 40000 >$panic_timeout"
second=$(ksymwatch report --json stack.dat | grep -o -m 1 '"stack":.*' | grep -o '"addr":"0x[0-9a-f]*' | sed -n '2s/.*0x//p')
echo "$second T planted" >>functions
kw record -o stack.dat 'panic_timeout:w len=4 stack' -- sh -c "echo 40001 >$panic_timeout"
is 'a frame is the function of the call, not of the next instruction' \
	"$(ksymwatch report stack.dat | awk '/=>/ && n++ == 1 { print $2 != "planted" }')" 1
# shellcheck disable=SC2016  # the kernel's words
kw add panic_timeout:w len=4 name=wprobes/highest args 'c=$comm' 'v=$value:u32' panic_timeout:w len=4 name=highest
is 'two watches with the same name in two groups' "$status$err $(row wprobes/highest 2) $(row highest 2)" '0 panic_timeout panic_timeout'
refused 'the name alone is ambiguous' 1 "'highest' is ambiguous; use GROUP/NAME" rm highest
kw record -o group.dat @wprobes/highest -- sh -c "echo 41000 >$panic_timeout"
is 'record takes one of them' "$status $(awk '/do_proc/ { print $1, $3 }' <<<"$err") $(tail -n 1 <<<"$err")" \
	'0 wprobes/highest 1 1 hit'
is 'report shows its fetch arguments' "$(ksymwatch report group.dat | sed -nE 's/.*do_proc_[^ ]*\+0x[0-9a-f]+( c=.*)/\1/p')" \
	' c="sh" v=41000'
is 'and its group' "$(ksymwatch report group.dat | awk '/\[00/ { print $4 }')" wprobes/highest
is 'as the kernel prints them' "$(grep -o 'do_proc_.* c=.*' $tracefs/trace | sed 's/.* c=/c=/')" 'c="sh" v=41000'
start_live -q
echo 42000 >$panic_timeout
wait_until has 'wprobes/highest .* c="bash" v=42000' live
wait_until has ' highest ' live
kill -INT $pid
wait $pid
is 'live shows both' "$?$(<live.err) $(tail -n 1 live)" '0 2 hits'
ksymwatch live -q --json 'panic_timeout:w len=4 ustack name=by_user' >json &
pid=$!
# The system call is in a function without a symbol in Debian 13's libc.
until has '"function":\("[a-z_]*write"\|null\),.*"object":"/.*/libc[^"]*","build_id":"[0-9a-f]\{40\}"' json; do
	echo 42000 >$panic_timeout
done
kill -INT $pid
wait $pid
is 'live knows the program and the library in a user stack' $? 0
# Two tasks by turns: a program's debug info is read anew when the other one was looked at.
mkfifo first second
/ksym/writer each byte <first &
/ksym/writer each byte <second &
exec 8>first 9>second
start_live -q --srcline 'panic_timeout:w len=4 ustack name=by_turns'
# shellcheck disable=SC2317  # wait_until calls it
shown() { [[ $(grep -c '^ => write_panic_timeout .*ksymwatch-writer.c:1[0-9]$' live) == "$1" ]]; }
for i in 1 3 5; do
	echo >&8
	wait_until shown $i
	echo >&9
	wait_until shown $((i + 1))
done
exec 8>&- 9>&-
kill -INT $pid
wait $pid
is 'live shows the source lines of two tasks by turns' "$?$(<live.err)" 0
is 'list counts for each' "$(($(row wprobes/highest 8) == $(row highest 8)))" 1
kw rm ksym/highest
is 'rm of one' "$status$err $(ksymwatch list | awk 'NR > 1 { print $1 }')" '0 wprobes/highest'
kw rm highest
is 'the name alone is sufficient for the other' "$status$err" 0
# shellcheck disable=SC2016
kw record -o made.dat panic_timeout name=wprobes/mine args 'c=$comm' -- sh -c "echo 43000 >$panic_timeout"
is 'record makes a watch in a group' "$status $(ksymwatch report made.dat | awk '/\[00/ { print $4, $NF }')" \
	'0 wprobes/mine c="sh"'
leaves_nothing 'a watch of a group'
# A condition and actions, as arguments of their own, which are read back.
# shellcheck disable=SC2016
kw add panic_timeout len=4 off every=2 args 'c=$comm' if 'comm == "if # then" && new > 1' 'then' traceoff,signal=9 total_forks
# shellcheck disable=SC2016
is 'add with a condition and actions' "$status$err $(grep panic_timeout $tracefs/ksym_trace_filter)" \
	'0 panic_timeout:w len=4 every=2 off args c=$comm if comm == "if # then" && new > 1 then traceoff,signal=9'
is 'and the next SPEC is one of its own' "$(ksymwatch list | awk 'NR > 1 { print $1 }' | xargs)" 'panic_timeout total_forks'
ksymwatch rm panic_timeout total_forks
refused 'a wrong condition' 1 "panic_timeout len=4 if x == 1: at " add panic_timeout len=4 if 'x == 1'
refused 'a wrong fetch argument' 1 'panic_timeout args c=frob: ' add panic_timeout args c=frob
refused 'a wrong group' 1 'panic_timeout name=a/b/c: ' add panic_timeout name=a/b/c

finish_guest
