#!/bin/bash
# Tests in the machine: members without a cast, and values by their types. Debug info of a few
# files of the kernel and of a module is available.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"

debug=/usr/lib/debug/boot/vmlinux-$(uname -r)
marker=$tracefs/instances/ksymwatch/trace_marker
values() { ksymwatch report "$1" | awk '/\[00/' | sed -E 's/.*[0-9] +([a-z_/0-9]+) +(r|w|rw|\?)([0-9]) +(.*[^ ]) +[a-z_]+\+0x[0-9a-f]+$/\1 \4/'; }
few_functions() {
	awk '/ (_text|do_proc_|proc_dointvec|(init_task|jiffies|jiffies_64|tick_cpu_sched|panic_timeout|panic_on_oops|poweroff_cmd|max_threads|runqueues|__per_cpu_start|__per_cpu_end|__per_cpu_offset|ksym_mod.*|write_.*)(\t.*)?$)/ ||
		NR % 100 == 0' /proc/kallsyms >functions
	mount --bind functions /proc/kallsyms
}
insmod /ksym/ksym_mod.ko
few_functions

# --- Members without a cast ------------------------------------------------------------

kw add init_task.comm
is 'a member of the kernel without a cast' "$status$err $(watches)" \
	'0 (struct task_struct)init_task.comm:w len=16'
is 'it has the default name' "$(ksymwatch list | awk 'NR > 1 { print $1 }')" init_task_comm
kw add --dry-run init_task.comm
is 'add --dry-run shows the variable of a member' "$status$err $(awk 'NR == 2 { print $1 }' <<<"$out")" '0 init_task'
kw rm init_task_comm
kw add panic_timeout panic_on_oops:rw runqueues.nr_running init_task+8
is 'lengths by the types' "$status$err $(watches)" '0 panic_timeout:w len=4
panic_on_oops:rw len=4
(struct rq)runqueues.nr_running:w len=4
init_task+0x8:w len=8'
kw explain panic_timeout
contains 'explain shows the owners of the debug registers' "$status $out" 'it needs 1 register, but CPU 0 has 0 free; see ksymwatch slots'
kw explain 'panic_timeout flexible' 'panic_timeout pid=1'
is 'registers of CPUs are not free for any watch' "$status $(grep -c 'CPU 0 has 0 free' <<<"$out")" '1 2'
kw rm panic_timeout
kw add "panic_timeout pid=$$"
kw explain panic_timeout 'panic_timeout flexible' 'panic_timeout pid=1'
is 'those of a task are not free for pinned watches' "$status $(grep '^panic_timeout' <<<"$out")" \
	"1 panic_timeout: can't be watched: it needs 1 register, but CPU 0 has 0 free; see ksymwatch slots
panic_timeout: can be watched
panic_timeout: can be watched"
kw add 'panic_timeout flexible name=shares' 'panic_timeout pid=1 name=one'
is 'the kernel agrees' "$status$err" 0
kw rm --all
refused 'an unknown member' 1 "init_task.nosuch: at 'nosuch': $(ksym_errors <<<%NO_MEMBER%): it has n" add init_task.nosuch panic_timeout
refused 'a number has no members' 1 "max_threads.x: at 'x': $(ksym_errors <<<%NOT_STRUCT%): it is of the type int" add max_threads.x
kw add poweroff_cmd.x
fails 'a variable without debug info' 1 \
	"poweroff_cmd.x: unknown type of 'poweroff_cmd': install linux-image-$(uname -r)-dbg, or cast it: (TYPE)poweroff_cmd.x"
refused 'record reports the same' 1 "init_task.nosuch: at 'nosuch': $(ksym_errors <<<%NO_MEMBER%): it has n" record -o none.dat init_task.nosuch -- true
leaves_nothing 'an unknown member'
kw explain runqueues.curr-\>pid
is 'explain of a per-CPU variable' "$status $(awk '$1 == "type" || $1 == "line"' <<<"$out")" \
	'0   type      pid_t (by /sys/kernel/btf/vmlinux)
  line      (struct rq)runqueues.curr->pid:w len=4'
is 'with its addresses' "$(grep -cE '^  address   0xffff[0-9a-f]{12} on CPU 0, 0xffff[0-9a-f]{12} on CPU 1, where the pointers lead now$' <<<"$out")" 1

kw doctor
contains 'doctor shows which debug info it uses' "$out" " debug information    $debug"

# --- Debug info of another kernel ------------------------------------------------------

mv "$debug" mine
cp /ksym/objects "$debug"
kw add init_task.comm
is 'debug info of another kernel is not used' "$status $(sed -n '1s/.*vmlinux/vmlinux/p' <<<"$err")" \
	"1 vmlinux-$(uname -r) is of another kernel than the one that runs, by its build ID: it is not used"
contains 'so the type is not known' "$err" 'unknown type of'
KSYMWATCH_VMLINUX=mine kw add init_task.comm
is 'another file can be given' "$status$err $(names)" '0 (struct task_struct)init_task.comm'
kw rm --all
kw --vmlinux mine add init_task.comm
is 'also with an option' "$status$err $(names)" '0 (struct task_struct)init_task.comm'
kw rm --all
kw --vmlinux /ksym/objects add init_task.comm
is 'but not of another kernel' "$status$err" \
	'1ksymwatch: /ksym/objects is of another kernel than the one that runs, by its build ID'
mv mine "$debug"

# --- Without CONFIG_KALLSYMS_ALL --------------------------------------------------------

# Simulated: the tracer gets addresses, with the names of the variables.
mv functions all
awk '/ [tT] / && $3 !~ /nothing/' all >functions
umount /proc/kallsyms
mount --bind functions /proc/kallsyms
address=0x$(awk '$3 == "panic_timeout" { print $1 }' all)
kw --vmlinux /ksym/symbols add panic_timeout panic_on_oops:rw '(struct task_struct)init_task.comm'
is 'it is watched by its address' "$status$err $(watches | sed "s/$address/PANIC_TIMEOUT/; s/0xffff[0-9a-f]*/ADDR/")" \
	"0 PANIC_TIMEOUT:w len=$width name=panic_timeout
ADDR:rw len=4 name=panic_on_oops
(struct task_struct)ADDR.comm:w len=16 name=init_task_comm"
is 'and its name is shown' "$(ksymwatch list | awk 'NR > 1 { print $1 }' | xargs)" 'panic_timeout panic_on_oops init_task_comm'
kw rm --all
kw --vmlinux /ksym/symbols add runqueues.nr_running
fails 'a per-CPU variable' 1 "without CONFIG_KALLSYMS_ALL, name a CPU, as in runqueues[cpu0]"
kw --vmlinux /ksym/symbols add linux_banner
fails 'read-only data' 1 "$(ksym_errors <<<%RODATA%)"
kw --vmlinux /ksym/objects add panic_timeout
is 'a file of another kernel' "$status$err" \
	'1ksymwatch: /ksym/objects is of another kernel than the one that runs, by its build ID'
umount /proc/kallsyms
mv all functions
mount --bind functions /proc/kallsyms

# --- Values of a module ------------------------------------------------------------------

# shellcheck disable=SC2016  # the other shell reads it
kw record -o module.dat 'ksym_mod_first.kind' 'ksym_mod_first+0x10:w' len=8 'ksym_mod_first.odd[2]' -- sh -c '
	for write in "kind 5" "point 7 1" "odd 65 2" "level 4000"; do
		echo $write >/sys/module/ksym_mod/parameters/write
	done'
is 'members of a module, with old and new value' "$status $(values module.dat)" '0 ksym_mod_first_kind 0 -> 5
ksym_mod_first_0x10 {points[1] = {x = 0, y = 0}} -> {points[1] = {x = 0, y = 7}}
ksym_mod_first_odd_2 0 -> 65'
is 'source lines of a module' "$(ksymwatch report --srcline module.dat 2>/dev/null |
	sed -nE 's/.* (write_(kind|point|odd))\+0x[0-9a-f]+ .*(ksym_mod[a-z_]*\.c):[0-9]+$/\1 \3/p' | sort -u)" \
	'write_kind ksym_mod_main.c
write_odd ksym_mod_main.c
write_point ksym_mod_main.c'
kw record -o number.dat 'ksym_mod_first+4:w' len=2 name=both -- sh -c '
	echo "kind 2" >/sys/module/ksym_mod/parameters/write'
is 'adjacent bit-fields' "$(values number.dat)" \
	'both {ready = 0, kind = 5, level = 4000} -> {ready = 0, kind = 2, level = 4000}'
# A write to a bit-field's neighbour, which has other bits of the same bytes, is no hit.
cat >bits.sh <<'END'
for write in "kind 5" "level 4095" "kind 5" "kind 2"; do
	echo $write >/sys/module/ksym_mod/parameters/write
done
END
for backend in tracer perf; do
	export KSYMWATCH_BACKEND=$backend
	for write in 'level 0' 'kind 0'; do echo "$write" >/sys/module/ksym_mod/parameters/write; done
	kw record -o bits.dat ksym_mod_first.kind -- sh bits.sh
	is "$backend: writes to a bit-field" "$status $(values bits.dat)" '0 ksym_mod_first_kind 0 -> 5
ksym_mod_first_kind 5 -> 2'
	kw record -o all.dat '(ksym_mod_object)ksym_mod_first.kind:rw' -- sh bits.sh
	contains "$backend: rw keeps those to neighbours, too" "$(values all.dat)" '5 -> 5'
	kw stat --json ksym_mod_first.kind -- sh -c 'echo level 0 >/sys/module/ksym_mod/parameters/write'
	contains "$backend: they count as unchanged" "$err" '"hits":0'
	contains "$backend: under this reason" "$err" '"missed_by_reason":{"unchanged":1}'
done
unset KSYMWATCH_BACKEND
rmmod ksym_mod

# --- Values of all types ------------------------------------------------------------------

# A later marker replaces the previous one, so one variable has all types in turn.
cat >all-types.sh <<'END'
n=1000
while IFS='|' read -r type old new; do
	echo $((n++)) >$1
	echo "ksymwatch: panic_timeout $type" >$2
	# Each changes from 1000 or more to a value that is different in each type.
	echo $((new)) >$1
done
END
cat >types <<'END'
u4||40000
s4||2147483647
x4||0x10000
e4(A=301,B=302)||302
e4(A=301,B=302)||303
f4(NONE=0,ONE=1,TWO=2,FOUR=4,MANY=256)||0x107
f4(ONE=1,...)||0x4001
b4||0x301
c4||0x300
[4]c1||0x41424344
[4]c1||0x0a225c41
[4]c1||0x7f001b41
[2]u2||0x20003
{a@0u1;b@1.2:3u1;c@2u2;}4||0x4fe01
{a@0u4;b@1{c@0u2;}2;}4||0x010203
.8:4u4||0x500
.0:3s4||0x407
:8E4(LOW=-1)||0x4ff
p4||0x12345
j4(250)||0x4fff
t4||1002003
i4||BASHPID
i4||0x7fffffff
x4||0x10001
{a@0u8;}8||0x5000
u4 ||0x5001
nonsense||0x5002
{a@0u4||0x5003
[99999999]u4||0x5004
at=3 u4||0x5005
END
kw record -o types.dat '(int)panic_timeout' limit=0 -- bash all-types.sh /proc/sys/kernel/panic $marker <types
ksymwatch report types.dat | sed -nE 's/.*panic_timeout +w4 +.* -> (.*[^ ]) +do_proc_.*/\1/p' | awk 'NR % 2 == 0' >printed
is 'values of all types, and invalid markers' "$status $(sed 's/^[0-9]* </PID </' printed | paste -sd '|')" "0 $(paste -sd '|' <<'END'
40000
2147483647
0x10000
B
303
ONE|TWO|FOUR|MANY
ONE|0x4000
769
768
"DCBA"
"A\\\"\n"
"A\033"
{3, 2}
{a = 1, b = 7, c = 4}
{a = 66051, b = {c = 258}}
5
-1
LOW
0x12345
0x4fff
0.001002003s
PID <bash>
2147483647
0x10001
0x5000
0x5001
0x5002
0x5003
0x5004
20485
END
)"
contains 'so in the style of gdb' "$(ksymwatch report --style gdb types.dat)" 'New value = B'

# --- Times -------------------------------------------------------------------------------

# Checks that all values of the watch $2 in times.dat are times from $3 to $4 or a second beside. The
# jiffies of a slow boot are behind the clock.
are_times() {
	is "$1" "$status $(ksymwatch report --json times.dat | sed -nE "s/.*\"watch\":\"$2\".*\"new\":[0-9]+,.*\"new_text\":\"([0-9.]+)s\".*/\1/p" |
		awk -v from="$3" -v to="$4" '
			$1 < from - 1 || $1 > to + 1 { print "not within", from, to, $0 } END { print (NR > 0) }')" '0 1'
}
before=$(uptime_by_jiffies) clock=$(</proc/uptime)
# shellcheck disable=SC2016  # the other shell reads it
kw record -o times.dat jiffies:w tick_cpu_sched.idle_entrytime -- bash -c '
	jiffies() { grep -m 10 ^jiffies: /proc/timer_list; }
	before=$(jiffies)
	while [[ $(jiffies) == "$before" ]]; do :; done'
are_times 'jiffies are times, and numbers in JSON' jiffies "$before" "$(uptime_by_jiffies)"
after=$(</proc/uptime)
are_times 'so is a ktime_t' tick_cpu_sched_idle_entrytime "${clock%% *}" "${after%% *}"
mount --bind /dev/null /proc/config.gz
kw live jiffies count=1 -q
umount /proc/config.gz
is 'without a config they are numbers' "$status $(grep -cE ' [0-9]{10} -> [0-9]{10} ' <<<"$out")" '0 1'
kw record -o pid.dat init_task.pid init_task.timer_slack_ns -- true
is 'pid_t is a pid' "$status $(grep -ao 'ksymwatch: init_task_[a-z_]* .*' pid.dat | sed 's/at=[0-9]* //' | xargs)" \
	'0 ksymwatch: init_task_pid i4 ksymwatch: init_task_timer_slack_ns u8'

kw record -o enum.dat '(trace_flag_type)panic_timeout' '(system_states)panic_on_oops' -- true
is 'an enum of single bits has flags, and another one has not' \
	"$status $(grep -aoE 'ksymwatch: panic_[a-z_]* at=[0-9]+ ..\([A-Z_]+=[0-9]+,' enum.dat | sed 's/at=[0-9]* //' | xargs)" \
	'0 ksymwatch: panic_timeout f4(TRACE_FLAG_IRQS_OFF=1, ksymwatch: panic_on_oops e4(SYSTEM_BOOTING=0,'

finish_guest
