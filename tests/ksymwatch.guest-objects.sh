#!/bin/bash
# Tests in the machine: follow, hunt and profile, and live with a command.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"

leaves_no_probe() {
	leaves_nothing "$1"
	is 'nor a probe' "$(cat $tracefs/dynamic_events)" ''
}

# --- live with a command ---------------------------------------------------------------

kw live -q panic_timeout len=4 -- sh -c "echo 40000 >$panic_timeout; exit 7"
is 'live ends with its command, and with its status' "$status$err $(tail -n 1 <<<"$out")" '7 1 hit'
kw_quick live -q panic_timeout len=4 -- sh -c "echo 40000 >$panic_timeout; exit 8"
is 'also if the command is quicker' "$status$err $(tail -n 1 <<<"$out")" '8 1 hit'
kw live panic_timeout len=4 -- nosuch
is 'which must exist' "$status $err" '127 ksymwatch: nosuch: command not found'
leaves_nothing 'live'

# --- follow ----------------------------------------------------------------------------

# In 6.12, kmem_cache_alloc has no field name, so a probe fetches it.
event=kmem/kmem_cache_alloc
grep -q 'field:.* name;' $tracefs/events/$event/format || event=ksymwatch/kmem_cache_alloc_probe
# Only one file is open at a time.
files=(--if 'name == "filp" && comm == "cat"' --until kmem_cache_free:ptr)
cat >cat.sh <<'END'
cat /etc/hosts >/dev/null
cat /sys/kernel/tracing/dynamic_events /sys/kernel/tracing/ksym_trace_filter
grep . /sys/kernel/tracing/instances/ksymwatch/events/*/kmem_cache_*/trigger | grep -v ':#'
END
kw follow 'kmem_cache_alloc:(file)ptr->f_flags:rw' "${files[@]}" objects=4 -- sh cat.sh
is 'follow watches a member of new objects' "$status $(grep -cE "w4 .*-> 32768 *$opens" <<<"$out" | sed 's/[1-9][0-9]*/some/')" \
	'0 some'
if [[ $event == *_probe ]]; then
	contains 'a probe fetches what the event lacks' "$out" '/kmem_cache_alloc_probe kmem_cache_alloc ptr=ptr name=s->name:string'
else
	skip 'a probe fetches what the event lacks' 'it has the field'
fi
contains 'a trigger points the watch at them' "$out" 'set_wprobe:'
contains 'and one away from them' "$out" 'kmem_cache_free/trigger:clear_wprobe:'
contains 'at the member in both' "$(grep clear_ <<<"$out")" ':(file)ptr->f_flags'
contains 'the watch has the length of the member' "$out" '-1:rw len=4 objects=4 name='
leaves_no_probe 'follow'
kw follow -q kmem_cache_alloc:ptr --if 'name == "nosuch"' -- cat /etc/hosts
is 'no object passes another filter' "$status$err $(tail -n 1 <<<"$out")" '0 0 hits'

kw follow kmem_cache_alloc:ptr --if 's->name == "filp" && comm == "cat"' -o follow.dat -- cat /etc/hosts
is 'follow records, with one register' "$status $(ksymwatch report follow.dat | grep -cE " $opens\+" | sed 's/[1-9][0-9]*/some/')" '0 some'
contains 'and says which objects were not watched' "$err" 'objects suppressed: the register was at another one'
kw follow -q sys_enter:regs --if 'regs->csx == 0' -- true
is 'a member of an unnamed union' "$status$err" 0
kw follow kmem:kmem_cache_alloc:ptr+8 "${files[@]}" objects=2 name=mine timeout=1ns -o follow.dat -- cat /etc/hosts
is 'an offset, a name, and a time' "$status $(grep -c '^ksymwatch: mine: [0-9]* objects expired' <<<"$err")" '0 1'
leaves_no_probe 'a recording'

env --default-signal=INT ksymwatch follow kmem_cache_alloc:ptr "${files[@]}" objects=4 >shown 2>err &
pid=$!
wait_until has FUNCTION shown
wait_until has set_wprobe: $tracefs/instances/ksymwatch/events/$event/trigger
cat /etc/hosts >/dev/null
wait_until grep -qE "$opens" shown
kill -INT $pid
wait $pid
is 'without a command it ends with Ctrl-C' "$? $(tail -n 1 shown | sed 's/^[0-9]*/N/')" '0 N hits'
leaves_no_probe 'Ctrl-C'

ksymwatch follow kmem_cache_alloc:ptr "${files[@]}" >/dev/null 2>&1 &
pid=$!
wait_until has set_wprobe: $tracefs/instances/ksymwatch/events/$event/trigger
kill -KILL $pid
wait $pid 2>/dev/null
kw list
is 'the next ksymwatch removes what a killed follow left' "$status $err" \
	"0 ksymwatch: removed what the killed session $pid left: instance ksymwatch, ksymwatch/kmem_cache_alloc"
leaves_no_probe 'a follow that was killed'

# shellcheck disable=SC2034  # eval reads it
while IFS='|' read -r arguments message; do
	eval "refused \"follow \$arguments\" 1 \"\$message\" follow $arguments -- true"
done <<'END'
kmem_cache_allo:ptr|no event 'kmem_cache_allo'; trace-cmd list -e
kmem_cache_alloc:ptr --until kmem:nosuch:ptr|no event 'kmem:nosuch'; trace-cmd list -e
kmem_cache_alloc|'kmem_cache_alloc' is no event: [GROUP:]EVENT:FIELD is
kmem_cache_alloc:'(file)ptr'|a type needs a member, as in (file)ptr->f_mode
kmem_cache_alloc:node|kmem:kmem_cache_alloc:node: The field holds no address
kmem_cache_alloc:nosuch|event kmem_cache_alloc has no field 'nosuch', nor leads an argument (call_site, ptr, s, gfp_flags, node) to one
kmem_cache_alloc:ptr --if 's->nosuch == 1'|event kmem_cache_alloc has no field 's->nosuch', nor leads
kmem_cache_alloc:ptr --if 'name == '|kmem:kmem_cache_alloc:ptr if name == : 
kmem_cache_alloc:'(file)ptr->nosuch'|The struct or union has no member of this name
kmem_cache_alloc:'(struct file *)ptr->f_path'|one register watches 1, 2, 4 or 8 bytes, not this member
kmem_cache_alloc:ptr frob=1|Unknown option
END
KSYMWATCH_BACKEND=perf kw follow kmem_cache_alloc:ptr -- true
fails 'follow without the tracer' 1 'follow needs the ksym tracer; perf and BPF point no breakpoint'
leaves_no_probe 'any of these'

# --- hunt ------------------------------------------------------------------------------

cat >hunt.sh <<END
sleep 1000 &
until grep addr= $tracefs/ksym_trace_filter | grep -qv lagging; do :; done
echo 41000 >$panic_timeout
kill \$!
wait
echo 42000 >$panic_timeout
END
kw hunt -q do_nanosleep panic_timeout len=4 -- sh hunt.sh
is 'hunt watches during calls of a function' "$status$err $(tail -n 1 <<<"$out") $(grep -c '0x9c40 -> 0xa028.* owner=' <<<"$out")" \
	'0 1 hit 1'
kw record -o hunt.dat panic_timeout in do_nanosleep -- sh hunt.sh
is 'so does a SPEC with a window' "$status $(tail -n 1 <<<"$err")" '0 1 hit'
# shellcheck disable=SC2016  # the kernel's word
kw hunt alloc_empty_file '$retval->f_flags:rw' -u '__fput(arg1)' objects=4 -o hunt.dat -- cat /etc/hosts
contains 'a value that a function returns, until another one' "$(ksymwatch report hunt.dat)" ' do_dentry_open+'
refused 'an unknown function' 1 "at 'nosuch_function': No function of this name can be probed" hunt nosuch_function arg1
KSYMWATCH_BACKEND=perf kw hunt do_nanosleep panic_timeout -- true
fails 'hunt without the tracer' 1 'hunt needs the ksym tracer; perf and BPF point no breakpoint'
leaves_no_probe 'hunt'

# --- profile ---------------------------------------------------------------------------

# Writes to one field on CPU 0, and to another one on CPU 1, until each had its turn. Eight
# pieces of eight bytes take turns in four registers.
write=/sys/module/ksym_mod/parameters/write
insmod /selftests/ksym/ksym_mod/ksym_mod.ko
cat >profile.sh <<END
until_hit() {
	until awk -v off=\$1 '\$2 == off && \$6 > 0 { hit = 1 } END { exit !hit }' $tracefs/trace_stat/ksym_pieces; do
		echo "\$2" >$write
	done
}
if [ \$# = 0 ]; then
	taskset -c 0 sh \$0 0 'id 5' & taskset -c 1 sh \$0 16 'point 7 1'
	wait
else
	until_hit "\$@"
fi
END
kw profile -q '(ksym_mod_object)ksym_mod_first' -- sh profile.sh
is 'profile shows fields that share a piece in one row' "$status$err $(grep -cE '^ *0 +6 +id, ready, kind, \+1 .* write_id [0-9]+$' <<<"$out")" '0 1'
is 'an array is one field' "$(grep -cE '^ *8 +24 +points\[\] .* write_point [0-9]+$' <<<"$out")" 1
is 'others were not hit' "$(awk '$1 ~ /^[0-9]+$/ && NF > 6 && $1 > 8' <<<"$out")" ''
is 'reads, writes and coverage' "$(awk '$3 == "points[]" { print ($4 > 0), $5, ($6 == $4), ($7 + 0 > 0 && $7 + 0 <= 100), ($8 >= $4) }' <<<"$out")" '1 0 1 1 1'
is 'a cache line, and who disturbs whom in it' "$(grep -cE '^ +0 +0 +[0-9]+ +0-1 +- +id, ready, kind, \+1, points\[\]$' <<<"$out") $(grep '^line' <<<"$out" |
	grep -cE '^line 0: false sharing\?: (CPU 0 writes id, ready, kind, \+1; CPU 1 writes points\[\]|CPU 1 writes points\[\]; CPU 0 writes id, ready, kind, \+1)$')" '1 1'
contains 'how many of them' "$(tail -n 1 <<<"$out")" ' hits in 2 of '
kw_quick profile -q '(ksym_mod_object)ksym_mod_first' -- sh profile.sh 0 'id 5'
contains 'also those of a command that is quicker' "$status$err $out" ' write_id '
# The piece that is hit is the last one.
kw profile -qas hits 'ksym_mod_fields:w' len=64 -- sh -c "until awk '\$2 == 56 && \$6 > 0 { hit = 1 } END { exit !hit }' \
	$tracefs/trace_stat/ksym_pieces; do echo 'field 7 7' >$write; done"
is 'without a type, pieces; all of them, most hits first' "$status$err $(awk 'NR == 2 { print $3, $9 } NR < 10 && /^ *[0-9]/ { n++ } END { print n }' <<<"$out" | xargs)" \
	'0 +0x38 write_field 8'
unseen=$(awk '$3 ~ /^\+/ && $8 == "-" { n++ } END { print n + 0 }' <<<"$out")
is 'and how many were not watched yet' "$(tail -n 1 <<<"$out" | sed -E 's/^[0-9]+ //')" \
	"hits in 1 of 8 fields$( ((unseen == 0)) || echo "; $unseen had no turn yet")"
# Each CPU reads "next" and writes to another object, one after the other.
echo 'set_next 0' >$write
cat >read.sh <<END
for cpu in 0 1; do
	before=\$(awk '\$2 == 56 { print \$6 }' $tracefs/trace_stat/ksym_pieces)
	until awk -v before="\$before" '\$2 == 56 && \$6 > before { hit = 1 } END { exit !hit }' $tracefs/trace_stat/ksym_pieces; do
		taskset -c \$cpu sh -c "echo 'next 7' >$write"
	done
done
END
kw profile -q '(ksym_mod_object)ksym_mod_first:rw' -- sh read.sh
is 'CPUs that only read do not disturb each other' "$status$err $(grep -cE '^ +0 +0 +[0-9]+ +- +0-1 +next$' <<<"$out") $(grep -c ^line <<<"$out")" '0 1 0'
kw profile -qa '(gdt_page)init_task:w' -- true
is 'a cache line of padding has no fields' "$status$err $(awk '$1 == "LINE" { lines = 1 } lines && $1 ~ /^[0-9]+$/ && /gdt/ { n++ } END { print n }' <<<"$out")" '0 2'
kw profile -qj '(ksym_mod_object)ksym_mod_first' -- sh profile.sh
is 'as JSON' "$status$err $(grep -c '^{"type":"field","offset":8,"size":24,"names":\["points\[\]"\],"hits":[1-9].*"function":"write_point"' <<<"$out") $(
	grep -c '^{"type":"cache_line","line":0,"offset":0,"hits":[0-9]*,"writers":"0-1","others":"","hint":"false sharing' <<<"$out")" '0 1 1'
kw profile -qo profile.html '(ksym_mod_object)ksym_mod_first' -- sh profile.sh
is 'as a page' "$status$err $(grep -c 'const profile = {"title":"(ksym_mod_object)ksym_mod_first".*"names":\["points\[\]"\],"hits":[1-9]' profile.html)" '0 1'
kw profile -q 'ksym_mod_fields:w' len=128 count=1 -- sh -c \
	"until grep -q 'len=128.* done' $tracefs/ksym_trace_filter; do echo 'field 7 7' >$write; done
	for i in $(seq -s ' ' 100); do grep -q 'len=128.* done' $tracefs/ksym_trace_filter; done; exit 3"
is 'its command goes on after count=, and its status is returned' "$status$err" 3
# shellcheck disable=SC2016  # awk's
kw profile -q '(rq)runqueues' -- sh -c 'until awk "\$2 == 0 && \$6 > 0 { hit = 1 } END { exit !hit }" /sys/kernel/tracing/trace_stat/ksym_pieces; do (true); done'
is 'CPUs do not disturb each other in their own copies' "$status$err $(grep -cE ' __lock.raw_lock.val, ' <<<"$out" | sed 's/^[12]$/some/') $(grep -c ^line <<<"$out")" '0 some 0'
rmmod ksym_mod
while IFS='|' read -r spec message; do
	refused "profile $spec" 1 "$message" profile "$spec" -- true
done <<'END'
panic_timeout|panic_timeout: unknown type; cast it, as in (TYPE)SYMBOL, or use len=
(task_struct)init_task.mm->pgd|profile follows no pointers; use (TYPE)0xADDR
(task_struct)nosuch|(task_struct)nosuch: No symbol of the kernel has this name
(task_struct)init_task.nosuch|has no member of this name
arg1 in vfs_write|profile needs an object with an address
(int)panic_timeout|it is no long range: four debug registers hold all of it
panic_timeout len=20000|at '20000': len must be a number of bytes from 1 to 16384
END
leaves_no_probe 'profile'

finish_guest
