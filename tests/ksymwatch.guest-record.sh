#!/bin/bash
# Tests in the machine: the command line, add, list and rm, and record.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"

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
	# shellcheck disable=SC2086  # it is split into words
	kw $arguments
	fails "a wrong command line: '$arguments'" 2 "$text"
done <<'END'
|missing COMMAND
frob|unknown command 'frob'
--frob|unknown option '--frob'
add|add: missing SPEC
add --frob panic_timeout|add: unknown option '--frob'
add --dry-run|add: missing SPEC
add -x1 panic_timeout|add: unknown option '-x'
rm|rm: missing NAME, TARGET or --all
rm --all panic_timeout|rm: --all takes no NAME
rm -x|rm: unknown option '-x'
list panic_timeout|list: unexpected argument 'panic_timeout'
slots 0|slots: unexpected argument '0'
record panic_timeout --|missing command after --
record -o|option '-o' requires an argument
record -o -- true|option '-o' requires an argument
record --output|option '--output' requires an argument
record -x -- true|record: unknown option '-x'
live --frob|live: unknown option '--frob'
report a b|report: unexpected argument 'b'
END
leaves_nothing 'a wrong command line'

# --- add, list, rm -----------------------------------------------------------------

kw list
is 'list without a watch' "$status $out" '0 no watches'
kw add panic_timeout total_forks:w name=forks len=8
is 'add is silent' "$status$out$err" 0
is 'and makes watches' "$(watches)" "panic_timeout:w len=$width
total_forks:w len=8 name=forks"
echo 41000 >$panic_timeout
kw list
is 'list has a heading' "$(head -n 1 <<<"$out" | xargs)" \
	'NAME TARGET ACCESS LEN KIND CPUS PID HITS CHANGES MISSED COVERAGE ESTIMATE STATE ENABLED IN'
is 'and a row per watch' "$(awk '/panic_timeout/ { print $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $NF }' <<<"$out")" \
	"panic_timeout panic_timeout w $width pinned all all 1 1 0 top"
contains 'with its name' "$(grep forks <<<"$out" | xargs)" 'forks total_forks w 8'

refused 'add with a wrong spec fails' 1 "nosuch: $(ksym_errors <<<%NO_SUCH_SYMBOL%)" add init_task nosuch
is 'and makes none of its watches' "$(names)" 'panic_timeout forks'
refused 'a duplicate name' 1 "panic_timeout:rw: $(ksym_errors <<<%WATCH_EXISTS%)" add panic_timeout:rw
while IFS='|' read -r spec text; do
	kw add "$(printf '%b' "$spec")"
	fails "a bad SPEC: '$spec'" 1 "$text"
done < <(ksym_errors <<'END'
panic_timeout:q|panic_timeout:q: at 'q': %BAD_ACCESS%
panic_timeout name=x len=0|at '0': %BAD_LEN%
panic_timeout name=a-b|at 'a-b': %BAD_NAME%
panic_timeout frob=1 name=x|at 'frob=1': %BAD_OPTION%
panic_timeout pinned flexible|at 'flexible': %BOTH_KINDS%
panic_timeout cpu=0;1|at '0;1': %BAD_CPUS%
panic_timeout pid=0|at '0': %BAD_PID%
panic_timeout inherit|at 'inherit': %INHERIT_PID%
panic_timeout limit=5|at '5': %BAD_LIMIT%
panic_timeout budget=5|at '5': %BAD_BUDGET%
panic_timeout count=0|at '0': %BAD_COUNT%
panic_timeout changed name=x changed|at 'changed': %DUP_OPTION%
panic_timeout+1:w len=8|panic_timeout+1:w len=8: 
vprintk:w|%FUNCTION%
panic_*|panic_*: at '*': %GLOB%
panic_timeou?:rw name=x|at '?': %GLOB%
panic_[lt]imeout|at '[lt]imeout': %GLOB%
|is no SPEC
# panic_timeout|is no SPEC
!panic_timeout|removes watches: use ksymwatch rm
panic_timeout:---|removes watches: use ksymwatch rm
*:---|removes watches: use ksymwatch rm
0|removes watches: use ksymwatch rm
+panic_timeout|switches watches: write it to ksym_trace_filter
init_task\ntotal_forks|a SPEC is one line
panic_timeout name=\033[2J|name=?[2J
END
)
is 'the watches are unchanged' "$(names)" 'panic_timeout forks'
refused 'more watches than debug registers' 1 "$(ksym_errors <<<%NO_SLOT%)" add init_task nr_threads jiffies
is 'make none' "$(names)" 'panic_timeout forks'

refused 'rm of an unknown name' 1 "no watch 'nosuch'" rm panic_timeout nosuch
is 'removes none' "$(names)" 'panic_timeout forks'
kw rm panic_timeout
is 'rm' "$status$out$err $(names)" '0 forks'
mkdir $tracefs/instances/foreign
echo 1 >$tracefs/instances/foreign/events/ksym/forks/enable
kw list
is 'list shows the instances that enable a watch' "$(awk '$1 == "forks" { print $NF }' <<<"$out")" 'top,foreign'
refused 'rm of a watch that others use' 1 'forks is enabled in foreign' rm forks
refused 'rm --all of it' 1 'forks is enabled in foreign' rm --all
is 'keep the watch' "$(names)" forks
rmdir $tracefs/instances/foreign
kw add panic_timeout
kw rm --all
is 'rm --all' "$status$out$err" 0
leaves_nothing 'rm --all'
kw add panic_timeout pinned 'total_forks:w # a comment' name=forks count=3
is 'options can be separate arguments, also after a comment' "$status$err $(names)" '0 panic_timeout forks'
line=$(head -n 1 $tracefs/ksym_trace_filter)
ksymwatch rm --all
kw add panic_timeout ustack changed total_forks name=forks stack wrote
is 'also options that add to a hit' "$status$err $(watches)" \
	"0 panic_timeout:w len=$width changed ustack
total_forks:w len=8 wrote stack name=forks"
ksymwatch rm --all
kw add "$line # coverage=12.5%"
is 'a line can be removed with its comment' "$status$err $(names)" '0 panic_timeout'
ksymwatch rm --all

# --- add --dry-run -------------------------------------------------------------------

is_table() { is "$1" "$status $err$(sed -E 's/ +/ /g' <<<"$out")" "0 $2"; }
address=$(awk '$3 == "panic_timeout" { print "0x" $1 }' /proc/kallsyms)
size=$(awk -v "from=${address#0x}" '$1 > from && !$4 { print $1; exit }' /proc/kallsyms)
size=$((16#$size - address))
kw add 'panic_timeou?:rw' --dry-run
is_table 'a glob shows what it would match' "NAME SIZE SECTION MODULE ADDRESS
panic_timeout $size .data - $address
1 variable, nothing was added"
shown=$out
kw add -n panic_timeout+4:w name=x len=4
is 'a name without a glob does the same' "$status$err$out" "0$shown"
kw add "$(printf '%#x' $((address + 1)))" --dry-run
is 'so does an address in the variable' "$status$err$out" "0$shown"
kw add 'runq*' --dry-run
contains 'and a per-CPU symbol' "$(sed -E 's/ +/ /g' <<<"$out")" $'\nrunqueues '
is 'with its section' "$(awk '$1 == "runqueues" { print $3, $5 }' <<<"$out")" \
	".data..percpu $(awk '$3 == "runqueues" { sub(/^0+/, "", $1); print "0x" $1 }' /proc/kallsyms)"
kw add 'nr_*:w' --dry-run
is 'a line per variable, and their number' "$(tail -n 1 <<<"$out")" "$(($(wc -l <<<"$out") - 2)) variables, nothing was added"
is 'sorted by name' "$(awk 'NR > 2 { print n } { n = $1 }' <<<"$out" | LC_ALL=C sort -c 2>&1)" ''
# All of these are constants that the compiler named after functions.
kw add '__func__.*' --dry-run
is 'constants have a section' "$(awk '$2 ~ /^[0-9]/ { print $3 }' <<<"$out" | sort -u | grep -v init)" .rodata
refused 'a function is not a variable' 1 "'vprintk' matches no variable in /proc/kallsyms" add vprintk --dry-run
refused 'a glob that matches nothing' 1 "'nosuch*' matches no variable" add panic_timeout 'nosuch*' --dry-run
refused 'a watch without an address' 1 "'-1:w' matches no variable" add -1:w --dry-run
refused 'an address without a variable' 1 "'0x10' matches no variable" add 0x10 --dry-run
for command in live 'record -o glob.dat'; do
	# shellcheck disable=SC2086  # it is split into words
	kw $command 'panic_*' -- true
	fails "$command with a glob" 1 "panic_*: at '*': $(ksym_errors <<<%GLOB%)"
done
leaves_nothing 'a dry run'

# A table with all kinds of symbols. A tab precedes a module.
{
	cat <<-'END'
	0000000000000000 A __per_cpu_start
	0000000000000000 A fixed
	0000000000000040 A counter
	0000000000000050 A __per_cpu_end
	0000000001000000 A constant
	ffffffff81000000 T verbose
	ffffffff81000100 t helper
	ffffffff82000000 D __start_rodata
	ffffffff82000000 d name.0
	ffffffff82000010 V weak
	ffffffff82000020 D __end_rodata
	ffffffff82100000 d state
	ffffffff82100000 d state
	ffffffff82100004 D other
	ffffffff82100008 d state
	ffffffff82100018 b verbose
	ffffffff82100020 D __init_begin
	ffffffff82100020 d early
	ffffffff82100030 D __init_end
	END
	printf '%s\t[%s]\n' 'ffffffffc0000000 t run' second 'ffffffffc0002000 b last' second \
		'ffffffffc0001000 d state' second 'ffffffffc0001010 d inner' second \
		'ffffffffc0000800 r text' second '000000000002f000 d percpu' second \
		'ffffffffb0000000 d state' first
} >symbols
symbols='mount --bind symbols /proc/kallsyms || exit 99;'
kw_with_mounts "$symbols" add --dry-run state counter 'ear*' weak verbose
is_table 'symbols of all kinds' 'NAME SIZE SECTION MODULE ADDRESS
counter 16 .data..percpu - 0x40
early 16 .init.data - 0xffffffff82100020
state@1 4 .data - 0xffffffff82100000
state@2 16 .data - 0xffffffff82100008
state@3 16 .data second 0xffffffffc0001000
state@4 - .data first 0xffffffffb0000000
verbose@2 8 .bss - 0xffffffff82100018
weak 16 .rodata - 0xffffffff82000010
8 variables, nothing was added'
kw_with_mounts "$symbols" add -n 'second:*'
is_table 'those of a module' 'NAME SIZE SECTION MODULE ADDRESS
inner 4080 .data second 0xffffffffc0001010
last - .bss second 0xffffffffc0002000
percpu - .data..percpu second 0x2f000
state@3 16 .data second 0xffffffffc0001000
text - .rodata second 0xffffffffc0000800
5 variables, nothing was added'
while read -r number spec; do
	kw_with_mounts "$symbols" add -n "$spec"
	is "what $spec picks" "$status $(sed -n '2s/ .*//p' <<<"$out") $(tail -n 1 <<<"$out")" \
		"0 $number 1 variable, nothing was added"
done <<'END'
state@2 state@2:w
state@4 state@4+4
state@3 second:state
state@3 second:state@1:rw
state@4 f*:st?te
state@2 0xffffffff82100009
counter counter[cpu1]:w
counter (struct rq *)counter.curr->x[3]
other (int)other[1]
name.0 (char *)name.0.member
name.0 name.[0-9]
END
kw_with_mounts "$symbols" add -n state@5
fails 'an unknown number' 1 "'state@5' matches no variable"
kw_with_mounts "$symbols" add -n third:state
fails 'an unknown module' 1 "'third:state' matches no variable"
sed -E 's/^[0-9a-f]+/0000000000000000/' symbols >hidden
kw_with_mounts 'mount --bind hidden /proc/kallsyms || exit 99;' add -n state
fails 'addresses that are hidden' 1 '/proc/kallsyms has no addresses: only root sees them'
kw_with_mounts 'mount --bind /dev/null /proc/kallsyms || exit 99;' add -n state
fails 'no symbols' 1 '/proc/kallsyms contains no symbols'

# --- Everything that a kernel can show ---------------------------------------------------

# libtracefs recognises a tracefs by its file trace.
mkdir -p fake/trace_stat
touch fake/trace
cat >fake/ksym_trace_filter <<'END'
panic_timeout:w len=4
a:w len=4 flexible # coverage=12.5%
b+0x8:rw len=8 name=bee flexible cpu=0,2-3 limit=7/ms count=3 # coverage=12.5% uncovered=3 done
c:w len=8 pid=42 inherit # exited
END
cat >fake/trace_stat/ksym_tracer <<'END'
NAME HITS READS WRITES UNKNOWN CHANGES DISABLED FILTERED NOBUFFER FAULT LIMITED COVERAGE ESTIMATE
panic_timeout 7 0 7 0 6 1 1 1 1 1 100.0% 7
a 3 0 3 0 3 0 0 0 0 0 12.5% 24
bee 0 0 0 0 0 0 0 0 0 9 0.0% -
END
fake="mount --bind $scratch/fake $tracefs || exit 99;"
kw_with_mounts "$fake" list
is 'list shows kind, CPUs, task, coverage, estimate and state' "$(tail -n +2 <<<"$out" | sed -E 's/ +/ /g')" \
'panic_timeout panic_timeout w 4 pinned all all 7 6 5 100.0% 7 - -
a a w 4 flexible all all 3 3 0 12.5% 24 - -
bee b+0x8 rw 8 flexible 0,2-3 all 0 0 9 12.5% 0 uncovered=3;done -
c c w 8 pinned all 42+ 0 0 0 - - exited -'
# All forms of targets, and the lines that add and rm write for them.
cat >fake/ksym_trace_filter <<'END'
ext4:fool:w # pending
(struct rq)runqueues.curr->on_cpu:w len=4 # addr=cpu0:0xffff888003a4d2c0,cpu1:0xffff888003a4e2c0 uncovered=1 lagging=2
runqueues[cpu1]:w len=8 # addr=cpu1:0xffff88800f02c7c0
foo@2:w len=4
0xffffffff82a0b0c0:w len=4
0xffffffff82a0b0c8:w len=4 name=x
-1:rw len=8 name=object
panic_timeout:rw len=4 name=wprobes/foo args c=$comm name=$comm
bar:w len=4
bar:rw len=4 name=wprobes/bar
END
cat >fake/trace_stat/ksym_tracer <<'END'
NAME HITS LIMITED STALE NOTREAD UNCHANGED NOUSTACK
wprobes/foo 7 1 2 0 0 0
bar 3 0 0 4 8 100
wprobes/bar 5 0 0 0 0 0
END
before=$(<fake/ksym_trace_filter)
kw_with_mounts "$fake" list
is 'list shows all forms of targets' "$status $err$(tail -n +2 <<<"$out" | awk '{ gsub(/ +/, " "); gsub(/ pinned all all/, ""); gsub(/ - -/, ""); gsub(/ -$/, ""); print }')" \
'0 fool ext4:fool w ? 0 0 0 pending
runqueues_curr_on_cpu (struct rq)runqueues.curr->on_cpu w 4 0 0 0 uncovered=1;lagging=2
runqueues_cpu1 runqueues[cpu1] w 8 0 0 0
foo_2 foo@2 w 4 0 0 0
w_0xffffffff82a0b0c0 0xffffffff82a0b0c0 w 4 0 0 0
x 0xffffffff82a0b0c8 w 4 0 0 0
object -1 rw 8 0 0 0
wprobes/foo panic_timeout rw 4 7 0 3
bar bar w 4 3 0 12
wprobes/bar bar rw 4 5 0 0'
# Runs ksymwatch "$2…", which must write $1. In a plain file, $1 overwrites the old content.
# All watches in it are recorded as ours.
writes() {
	echo "$before" >fake/ksym_trace_filter
	own 'fool ext4:fool:w' 'runqueues_curr_on_cpu (struct rq)runqueues.curr->on_cpu:w' \
		'runqueues_cpu1 runqueues[cpu1]:w' 'foo_2 foo@2:w' \
		'w_0xffffffff82a0b0c0 0xffffffff82a0b0c0:w' 'x 0xffffffff82a0b0c8:w' \
		'object -1:rw' 'wprobes/foo panic_timeout:rw' 'bar bar:w' 'wprobes/bar bar:rw'
	local written=$1
	shift
	kw_with_mounts "$fake" "$@"
	# It reads the file again, in which other lines may be truncated now.
	is "ksymwatch $*" "$status$out $(<fake/ksym_trace_filter)" "0 $written${before:${#written}}"
}
writes $'!ksym/x\n!wprobes/foo\n!wprobes/foo' rm x wprobes/foo foo
writes $'!wprobes/bar\n!ksym/bar' rm wprobes/bar ksym/bar
writes $'!ksym/fool\n!ksym/runqueues_curr_on_cpu\n!ksym/object\n!ksym/foo_2' \
	rm ext4:fool '(struct rq)runqueues.curr->on_cpu' -1 foo@2
writes '(rq)runqueues.curr->on_cpu:---' rm '(rq)runqueues.curr->on_cpu'
writes $'ext4:foo:w\n(struct rq)runqueues.curr->on_cpu:w len=4\nfoo@2:w cpu=1' \
	add ext4:foo '(struct rq)runqueues.curr->on_cpu:w' len=4 foo@2 cpu=1
# shellcheck disable=SC2016  # the kernel's words
writes $'-1:w len=8 name=wprobes/object args a=$addr -8($addr) v=+u8($addr):x64\npanic_timeout[cpu1]:w len=4\n-1:w len=8 name=y' \
	add -1:w name=wprobes/object args 'a=$addr' '-8($addr)' 'v=+u8($addr):x64' 'panic_timeout[cpu1]' len=4 -1 name=y
# shellcheck disable=SC2016
writes $'(list_head *)a.next->prev:rw len=8 args name=$comm\nb:w' \
	add '(list_head *)a.next->prev:rw len=8 args name=$comm' b:w
while IFS='|' read -r arguments text; do
	kw_with_mounts "$fake" rm "$(printf '%b' "$arguments")"
	fails "rm '$arguments'" 1 "$text"
done <<'END'
bar|'bar' is ambiguous; use GROUP/NAME, as in wprobes/bar
nosuch|no watch 'nosuch'
ksym/foo|no watch 'ksym/foo'
foo@2 len=4|no watch
foo@2:w|no watch
foo@2\n*|no watch
*|no watch
0|no watch '0'
!x|no watch '!x'
END

kw_with_mounts "$fake" slots
fails 'slots without the file' 1 'has no ksym_slots'
printf 'CPU  0  1\n0    a  perf\n' >fake/ksym_slots
kw_with_mounts "$fake" slots
is 'slots prints the table of the kernel' "$status$err$out" "0$(<fake/ksym_slots)"

# The same with the real kernel.
kw add panic_timeout total_forks name=forks flexible cpu=0 nr_threads pid=$$ inherit
is 'watches of each kind' "$status$err $(names)" '0 panic_timeout forks nr_threads'
kw list
is 'list shows their kinds' "$(awk 'NR > 1 { print $1, $5, $6, $7 }' <<<"$out")" \
	"panic_timeout pinned all all"$'\n'"forks flexible 0 all"$'\n'"nr_threads pinned all $$+"
contains 'with the coverage' "$(awk '$1 == "forks" { print $11 }' <<<"$out")" '%'
kw slots
is 'slots' "$status$err" 0
contains 'shows the owners of registers' "$out" panic_timeout
refused 'an unknown task' 1 "at '4194304': $(ksym_errors <<<%NO_TASK%)" add panic_timeout pid=4194304 name=x
ksymwatch rm --all
sleep 1000 &
kw add jiffies name=tick flexible count=3 total_forks pid=$!
kill $!
wait $!
wait_until has '# .*done' $tracefs/ksym_trace_filter
kw list
is 'a watch whose count is used up, and one whose task has ended' "$status$err $(awk 'NR > 1 { print $1, $8, $(NF - 1) }' <<<"$out" | xargs)" \
	'0 tick 3 done total_forks 0 exited'
ksymwatch rm --all
ksymwatch add init_task nr_threads jiffies panic_timeout flexible
refused 'more pinned watches than debug registers' 1 "$(ksym_errors <<<%NO_SLOT_FLEXIBLE%)" add total_forks
kw add total_forks flexible
is 'flexible ones are accepted' "$status$err $(names)" '0 init_task nr_threads jiffies panic_timeout total_forks'
ksymwatch rm --all
leaves_nothing 'any option'

# --- record and report ---------------------------------------------------------------

refused 'record without watches' 1 'no watches exist' record -- true
echo 40000 >$panic_timeout
kw record -o one.dat panic_timeout -- sh -c "echo 41000 >$panic_timeout; echo 42000 >$panic_timeout; echo said; exit 7"
is 'record ends with the status of the command' "$status" 7
is 'and its stdout is not changed' "$out" said
is 'the summary' "$(awk '/^panic_timeout/ { print $1, $3, $4, $5, $6, $7 } / missed: /' <<<"$err")" 'panic_timeout 2 0 2 0 2'
contains 'names the function' "$err" " $conv "
is 'and ends with the number of hits' "$(tail -n 1 <<<"$err")" '2 hits'
leaves_nothing record
is 'only the owner may read a new recording' "$(stat -c %a one.dat)" 600
kw report one.dat
is 'report' "$status$err" 0
is 'shows a row per hit, with the values' "$(awk '/\[00/ { print $4, $5, $6, $7, $8 }' <<<"$out")" \
	"panic_timeout w$width 0x9c40 -> 0xa028
panic_timeout w$width 0xa028 -> 0xa410"
contains 'with the task' "$out" '  sh-'
is 'and the same summary' "$(tail -n 3 <<<"$out")" "$err$(tail -n 3 <<<"$out")"
contains 'trace-cmd shows the same' "$(trace-cmd report one.dat 2>&1)" "0xa028 -> 0xa410 by $conv"
is 'as many hits' "$(trace-cmd report one.dat 2>/dev/null | grep -c 'panic_timeout:')" 2
cp one.dat trace.dat
kw report
is 'trace.dat is the default file' "$(tail -n 1 <<<"$out")" '2 hits'
few_functions
# The recording is changed to another group of the same length, and to a fetch argument instead
# of words that do not occur.
sed -z 's/ksymwatch$/wprobesxy/' one.dat >group.dat
is 'report shows a watch of another group' "$(ksymwatch report group.dat | awk '/\[00/ { print $4, $5, $8 }')" \
	"wprobesxy/panic_timeout w$width 0xa028
wprobesxy/panic_timeout w$width 0xa410"
LC_ALL=C sed -z -E 's/(\tfield:u16 len;[^\n]*\n)(\nprint fmt: "[^"]*)(", __print_symbolic\(REC->access, )'\
'\{ 0, "\?" \}, \{ 1, "r" \}, (\{ 2, "w" \}), \{ 3, "rw" \}(\), REC->len, )\(void \*\)(REC->addr, REC->old, REC->new, )'\
'\(void \*\)(REC->ip, __print_symbolic\(REC->torn, [^)]*\))/\1\tfield:u16 c;\toffset:42;\tsize:2;\n\2 c=%u\3\4\5\6\7, REC->c       /' group.dat >args.dat
is 'and its fetch arguments' "$(ksymwatch report args.dat 2>&1 | grep -o '+0x[^ ]* c=.*')" \
	"$(ksymwatch report one.dat | sed -n 's/.*\(+0x[^ ]*\)$/\1 c='"$width"'/p')"
is 'also in the summary' "$(ksymwatch report args.dat | awk '/^wprobesxy/ { print $1, $3, $7 }')" 'wprobesxy/panic_timeout 2 2'
kw record -o more.dat panic_timeout len=4 changed wrote stack ustack -- sh -c "echo 43000 >$panic_timeout; echo 43000 >$panic_timeout"
is 'hits without a change are left out' "$status $(tail -n 1 <<<"$err")" '0 1 hit'
kw report more.dat
contains 'report shows the stored value' "$out" ' wrote 0xa7f8'
is 'and the stacks, of the kernel first' "$(awk '/ trace>$/ { print $4, $5, $6 }' <<<"$out" | xargs)" \
	'<stack trace> <user stack trace>'
is 'with the function' "$(grep -A 1 '<stack trace>' <<<"$out" | tail -n 1)" " => $conv"
# In glibc 2.41, the system call is in a function without a name.
in_libc=' => (__write|0x[0-9a-f]*) \(/.*/libc\.so'
is 'and one of the task' "$(grep -A 1 '<user stack trace>' <<<"$out" | grep -cE "^$in_libc")" 1
# Programs that ended: a child, one with a thread, and one in a task that was a shell before.
cp /ksym/writer writer
kw record -q -o user.dat 'panic_timeout:w len=4 ustack' -- sh -c './writer; ./writer thread; exec ./writer'
is 'a recording of programs that end' "$status$err" 0
is 'trace-cmd reads it' "$(trace-cmd report user.dat 2>&1 | grep -c -e 'panic_timeout: ' -e arning)" 3
kw report user.dat
is 'report shows their functions' "$(sed -nE "s|^ => ([a-z_]+) \\($PWD/writer\\)|\\1|p" <<<"$out" | xargs)" \
	'write_panic_timeout main write_panic_timeout begin_thread write_panic_timeout main'
kw report --json user.dat
is 'in JSON with offset and build ID' "$(grep -o '"function":"write_panic_timeout","offset":[0-9]*,"object":"[^"]*/writer","build_id":"[0-9a-f]\{40\}"' <<<"$out" | wc -l)" 3
kw report --srcline --style gdb user.dat
is 'and by gdb with the source' "$(grep -c 'in write_panic_timeout () at .*ksymwatch-writer.c:1[0-9]$' <<<"$out")" 3
contains 'Perfetto has them' "$(ksymwatch export --perfetto user.dat | tr -c '[:print:]' '\n')" "main+0x"
# Of lines of an unknown kind, as a later version may write them, here after those of the program.
LC_ALL=C sed 's|^m \([^/]*/.*/ld-linux\)|z \1|' user.dat >later.dat
kw report later.dat
is 'unknown lines about tasks are left out' "$status$err $(cmp -s user.dat later.dat; echo $?) $(grep -c ' => write_panic_timeout ' <<<"$out")" \
	'0 1 3'
cp /bin/busybox writer
kw report user.dat
is 'another program is refused' "$status $err" "0 ksymwatch: $PWD/writer is not the recorded file, by its build ID: it is not used"
is 'and has no names' "$(grep -c "^ => 0x[0-9a-f]* ($PWD/writer+0x1[0-9a-f]*)\$" <<<"$out") $(grep -c -e write_panic_timeout -e main <<<"$out")" '6 0'
rm writer
kw report user.dat
is 'nor if the program is gone' "$status$err $(grep -c "($PWD/writer+0x1" <<<"$out")" '0 6'
mkfifo writer
kw report user.dat
is 'nor if it is a FIFO' "$status$err $(grep -c "($PWD/writer+0x1" <<<"$out")" '0 6'
cp /ksym/fixed fixed
kw record -q -o fixed.dat 'panic_timeout:w len=4 ustack' -- ./fixed
rm fixed
kw report fixed.dat
is 'one that has a fixed address has names by its debug info' \
	"$status$err $(sed -nE "s|^ => ([a-z_]+) \\($PWD/fixed\\)|\\1|p" <<<"$out" | xargs)" '0 write_panic_timeout main'
ksymwatch add 'panic_timeout:w len=4 ustack'
echo 40000 >$panic_timeout
bash -c 'ulimit -f 1; exec ksymwatch extract -qo large.dat' >out 2>err
status=$? out=$(<out) err=$(<err)
fails 'an extract that may not be so large' 1 'large.dat cannot be written: File too large'
kw extract -q -o user.dat
is 'extract has the functions of tasks that run' "$(ksymwatch report user.dat | grep -cE "^$in_libc")" 1
# Lets the last task in the background write, which waits for a line from the descriptor $1, and
# extracts the hit.
extract_waiting() {
	echo 1 >$panic_timeout
	echo >$tracefs/trace
	echo >&"$1"
	# It has written, and reads again.
	wait_until grep -q 40000 $panic_timeout
	wait_until grep -q '^0 0x0 ' /proc/$!/syscall
	kw extract -q -o user.dat
}
# The first of two tasks that run a program has no files, as if it ended while its mappings are read.
cp /ksym/writer twice
mkfifo first second
./twice wait for <first &
exec 8>first
wait_until grep -q /twice /proc/$!/maps
busybox mount -o bind no_events /proc/$!/map_files
hidden=$!
./twice wait for <second &
exec 9>second
extract_waiting 9
is 'a task that ends meanwhile does not hide the names of others' \
	"$(ksymwatch report user.dat | sed -nE "s|^ => ([a-z_]+) \\($PWD/twice\\)|\\1|p" | xargs)" 'write_panic_timeout main'
umount /proc/$hidden/map_files
exec 8>&- 9>&-
wait
/ksym/plain wait for <first &
exec 8>first
wait_until grep -q /plain /proc/$!/maps
extract_waiting 8
is 'a program without a build ID is named' "$(ksymwatch report user.dat | grep -c '^ => 0x[0-9a-f]* (/ksym/plain+0x1[0-9a-f]*)$')" 2
exec 8>&-
wait
ksymwatch rm panic_timeout
echo >$tracefs/trace
kw record -o names.dat panic_timeout -- sh names.sh
is 'names of tasks with newlines do not hide others' \
	"$(ksymwatch report names.dat | sed -nE 's/^ *([^ ]+)-[0-9]+ .* panic_timeout .*/\1/p' | xargs)" 'a <...> c bash'
is 'in trace-cmd, too' "$(trace-cmd report names.dat 2>/dev/null | grep -c '^ *bash-.* 0x9c43 -> 0x9c41 ')" 1
echo 8 >$tracefs/buffer_subbuf_size_kb
kw record -o pages.dat panic_timeout -- sh -c "echo 43000 >$panic_timeout"
is 'larger pages' "$status $(ksymwatch report pages.dat | tail -n 1) $(trace-cmd report pages.dat 2>/dev/null | grep -c 'panic_timeout: ')" '0 1 hit 1'
echo 4 >$tracefs/buffer_subbuf_size_kb
ksymwatch report one.dat >/dev/full 2>err
is 'output that can'\''t be written is a failure' "$? $(<err)" '1 ksymwatch: the output cannot be written: No space left on device'

ksymwatch add total_forks panic_timeout name=mine
before=$(cat $tracefs/{current_tracer,tracing_on,set_event,trace_clock,buffer_size_kb,trace_options})
kw record -o all.dat -- sh -c "echo 43000 >$panic_timeout"
is 'record without a spec uses all watches' "$status $(grep -c -E '^(total_forks|mine) ' <<<"$err")" '0 1'
is 'the watches are kept' "$(names)" 'total_forks mine'
chmod 640 all.dat
kw record -o all.dat @mine -- sh -c "(true); echo 44000 >$panic_timeout"
is 'a watch can be given by its name' "$status $(awk '$1 == "mine" { print $1, $3 }' <<<"$err") $(tail -n 1 <<<"$err")" '0 mine 1 1 hit'
is 'a recording keeps the rights of the one that it replaces' "$(stat -c %a all.dat)" 640
is 'the top instance keeps its settings' \
	"$(cat $tracefs/{current_tracer,tracing_on,set_event,trace_clock,buffer_size_kb,trace_options})" "$before"
is 'and has the hits' "$(grep -c "mine: w$width" $tracefs/trace)" 2
ksymwatch rm --all

refused 'a missing command' 127 '/nonexistent/command: command not found' record -o one.dat panic_timeout -- /nonexistent/command
refused 'a command that can'\''t be run' 126 'Permission denied' record -qo one.dat panic_timeout -- "$scratch"
is 'the older recording is unchanged' "$(ksymwatch report one.dat | tail -n 1)" '2 hits'
refused 'an output that is not a file' 1 '/dev/null is not a regular file' record -o /dev/null panic_timeout -- true
refused 'an output that can'\''t be written' 1 '/nonexistent/file cannot be written: No such file or directory' record -o /nonexistent/file panic_timeout -- true
refused 'a wrong spec' 1 "nosuch: $(ksym_errors <<<%NO_SUCH_SYMBOL%)" record nosuch -- true
mkdir bin
ln -s /usr/bin/ksymwatch /bin/true bin
PATH=$scratch/bin kw record -o alone.dat panic_timeout -- true
is 'record runs no other program' "$status $(tail -n 1 <<<"$err") $(ksymwatch report alone.dat | tail -n 1)" \
	'0 0 hits 0 hits'
ln -s one.dat link.dat
ksymwatch record -o link.dat panic_timeout -- true 2>/dev/null
is 'a link as output is kept' "$(readlink link.dat) $(ksymwatch report one.dat | tail -n 1)" 'one.dat 0 hits'
bash -c 'ulimit -f 1; exec ksymwatch record -qo large.dat panic_timeout -- true' >out 2>err
status=$? out=$(<out) err=$(<err)
fails 'a recording that may not be so large' 1 'large.dat cannot be written: File too large'
for signal in USR1 USR2 ALRM XCPU; do
	kw record -qo one.dat panic_timeout -- sh -c "trap '' $signal; kill -$signal \$PPID; echo 41000 >$panic_timeout"
	is "SIG$signal is passed on to the command" "$status$err $(ksymwatch report one.dat | tail -n 1)" '0 1 hit'
done
leaves_nothing 'a record that fails'

kw record -o outer.dat panic_timeout -- ksymwatch record -o inner.dat panic_timeout -- sh -c "echo 45000 >$panic_timeout; exit 3"
is 'two records of one variable at a time' "$status $(ksymwatch report outer.dat | tail -n 1) $(ksymwatch report inner.dat | tail -n 1)" '3 1 hit 1 hit'
kw record -o outer.dat panic_timeout -- ksymwatch record -o inner.dat total_forks -- sh -c "(true); (true); exit 3"
is 'on other watches' "$status $(ksymwatch report inner.dat | tail -n 1)" '3 2 hits'
leaves_nothing 'nested records'

# Each session has watches of its own, in a register that they share with the standing one.
free_registers() { awk 'NR > 1 { print $NF }' $tracefs/ksym_slots | sort -u | xargs; }
ksymwatch add panic_timeout
kw record -o outer.dat panic_timeout -- ksymwatch record -o inner.dat panic_timeout -- sh -c "
	ksymwatch list; cat $tracefs/ksym_slots; ksymwatch rm --all; echo 46000 >$panic_timeout"
is 'two sessions on one variable, and a standing watch' \
	"$status $(awk '$NF == "top" || $NF ~ "^ksymwatch" { print $1, $NF }' <<<"$out" | xargs)" \
	'0 panic_timeout top ksymwatch/panic_timeout ksymwatch ksymwatch_2/panic_timeout ksymwatch_2'
is 'share a register' "$(awk '/^CPU/ { on = 1 } on && $1 ~ /^[0-9]/ { print $NF }' <<<"$out" | sort -u)" 3
contains 'rm --all leaves those of sessions alone' "$err" \
	'ksymwatch: 2 watches of running sessions stay until these end: ksymwatch/panic_timeout ksymwatch_2/panic_timeout'
is 'both record the hit, under the name of the watch' \
	"$(for file in outer inner; do ksymwatch report $file.dat | awk '/\[00/ { print $4, $8 }'; done | xargs)" \
	'panic_timeout 0xb3b0 panic_timeout 0xb3b0'
leaves_nothing 'two sessions on one variable'
is 'not even a register' "$(free_registers)" 4
# shellcheck disable=SC2016
kw record -o window.dat 'panic_timeout in do_nanosleep' len=4 args 'c=$comm' -- cat $tracefs/ksym_trace_filter
# shellcheck disable=SC2016
is 'the window of a SPEC is kept' "$status $out" \
	'0 panic_timeout:w in do_nanosleep len=4 name=ksymwatch/panic_timeout args c=$comm'

# --- Conditions, filters and triggers of a session ----------------------------------------

writes="for value in 41000 42000 43000; do echo \$value >$panic_timeout; done"
values() { ksymwatch report "$1" | awk '/\[00/ { print $8 }' | xargs; }
kw record -o if.dat panic_timeout if 'new > 41000' 'then' traceoff -- sh -c "$writes"
is 'record with a condition; traceoff ends the recording' "$status $(values if.dat)" '0 0xa410'
ksymwatch add panic_timeout name=mine
kw record mine -- true
fails 'the name of a watch is no SPEC' 1 "mine: $(ksym_errors <<<%NO_SUCH_SYMBOL%); for the watch of this name, use @mine"
kw record ksym/mine -- true
fails 'nor with its group' 1 "'ksym/mine' is no target; for the watch of this name, use @ksym/mine"
kw record @nosuch -- true
fails 'an unknown name' 1 "no watch 'nosuch'; ksymwatch list shows the names"
kw record @mine @ksym/mine -- true
fails 'a watch that is given twice' 1 "two watches are called 'mine'"
echo 'new < 43000' >$tracefs/events/ksym/mine/filter
kw record -o filter.dat @mine -- sh -c "$writes"
is 'the filter of an existing watch is applied' "$status $(values filter.dat)" '0 0xa028 0xa410'
contains 'which is reported' "$err" 'ksymwatch: mine: the filter of its event applies here, too: new < 43000'
kw record -o filter.dat @mine --filter 'new > 41000' panic_timeout --filter=new==43000 -- sh -c "$writes"
is '--filter is about the watch before it' "$status $(ksymwatch report filter.dat | awk '/\[00/ { print $4, $8 }' | xargs)" \
	'0 mine 0xa410 panic_timeout 0xa7f8'
kw record -o filter.dat panic_timeout if 'new > 41000' 'then' signal=18 --filter 'new < 43000' -- sh -c "$writes"
is 'a condition and a filter' "$status $(values filter.dat)" '0 0xa410'
is 'the filter in the top instance is the same' "$(<$tracefs/events/ksym/mine/filter)" 'new < 43000'
echo 0 >$tracefs/events/ksym/mine/filter
kw record @mine --filter 'new < 43000' --filter 'frob > 1' -- true
fails 'a wrong filter of a watch' 1 "mine: --filter '(new < 43000) && (frob > 1)': Field not found"
kw record panic_timeout --filter 'frob > 1' -- true
fails 'a wrong filter of a SPEC' 1 'panic_timeout if frob > 1: at '
for snapshot in 'panic_timeout then snapshot' '@mine --trigger=snapshot'; do
	# shellcheck disable=SC2086  # it is split into words
	kw record $snapshot -- true
	fails "a snapshot, $snapshot" 1 'a snapshot would take the hits away from the session; use traceoff'
done
kw record @mine --trigger frob -- true
fails 'a wrong trigger' 1 "mine: --trigger 'frob': "
kw record -o filter.dat @mine --trigger hist:keys=ip.sym -- sh -c "$writes"
contains 'a histogram is shown at the end' "$err" '} hitcount:          3'
kw record -o filter.dat @mine --trigger hist:keys=common_pid.execname -- \
	bash -c "printf 'a\033[2J' >/proc/\$\$/comm; echo 41000 >$panic_timeout"
contains 'without escapes in the names of tasks' "$err" 'common_pid: a?[2J '
ksymwatch rm @mine
leaves_nothing 'a filter'

kw record -o one.dat panic_timeout -- sh -c "
	mkdir $tracefs/instances/foreign
	echo 1 >$tracefs/instances/foreign/events/ksymwatch/panic_timeout/enable
	echo 46000 >$panic_timeout; exit 4"
is 'a watch that others use meanwhile' "$status $(names)" '4 ksymwatch/panic_timeout'
contains 'is kept, which is reported' "$err" 'panic_timeout is enabled in foreign'
contains 'with their hits' "$(cat $tracefs/instances/foreign/trace)" '-> 0xb3b0 by'
rmdir $tracefs/instances/foreign
ksymwatch rm panic_timeout
leaves_nothing 'that'

finish_guest
