#!/bin/bash
# Records in the machine what ksymwatch-output.sh reads, and prints it as a tar. The
# ksymwatch with the sanitizers, which is slow here, does only what is to be tried here.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"

panic=/sys/module/kernel/parameters/panic
# ksymwatch with the sanitizers.
sanitized=/ksym/sanitized
when_recorded=/selftests/ksym/when_recorded.sh
mkdir out
exec 3>&1 >out/log 2>&1

# A task with terminal escapes and HTML in its name; a marker like that of a session that
# knows the type.
cat >task.sh <<'END'
panic=/sys/module/kernel/parameters/panic
echo 'ksymwatch: panic s4' >/sys/kernel/tracing/instances/ksymwatch/trace_marker
echo 5 >$panic
echo 5 >$panic
read -r value <$panic
printf '</script><b>\e\xff' >/proc/$$/comm
echo -1 >$panic
echo 1 >/sys/module/kernel/parameters/panic_on_warn
# The tracer saves the name of a task when it switches to the next one, which may be after
# the parent has seen it end.
until grep -qa "^$$ </script>" /sys/kernel/tracing/saved_cmdlines; do :; done
END
record() { ksymwatch record -o "out/$1.dat" "${@:2}"; }
# shellcheck disable=SC2016  # the tracer reads it
record hits 'panic_timeout:rw name=panic len=4 stack ustack' \
	'panic_on_warn:w name=other/warn len=4 args c=$comm n=\-3:s32 s=$addr:symbol a=+0($addr):x8[4]' -- \
	bash task.sh

# With a stopped recorder and a buffer of two pages, hits are lost.
cat >lose.sh <<END
echo 8 >$tracefs/instances/ksymwatch/buffer_size_kb
kill -STOP \$PPID
for ((i = 0; i < 600; i++)); do echo \$i >$panic; done
kill -CONT \$PPID
END
# shellcheck disable=SC2016  # awk's
ksymwatch profile -qo out/profile.html '(rq)runqueues[cpu0]' -- \
	sh -c 'until awk "\$6 > 0 { n++ } END { exit n < 3 }" /sys/kernel/tracing/trace_stat/ksym_pieces; do (true); done'
known_names=kstrtoint
few_functions
record lost 'panic_timeout name=panic' -- bash lose.sh

# Recordings of trace-cmd: other events, an instance, and both.
trace-cmd record -q -o out/foreign.dat -e sched:sched_process_exit true
ksymwatch add 'panic_timeout len=4 name=panic'
trace-cmd record -q -o out/top.dat -e ksym:panic $when_recorded sh -c "echo 8 >$panic"
trace-cmd record -q -o out/unpacked.dat --compression none -e ksym:panic $when_recorded sh -c "echo 8 >$panic"
trace-cmd record -q -o out/buffer.dat -B other -e ksym:panic $when_recorded sh -c "echo 9 >$panic"
ksymwatch add 'jiffies flexible cpu=1' 'total_forks pid=1 inherit'
"$sanitized" list --json >out/list.json
"$sanitized" slots --json >out/slots.json
ksymwatch slots >out/slots

# Other styles of live
for style in --json '--style gdb'; do
	file=out/live${style##*[- ]}
	# shellcheck disable=SC2086  # it is split into words
	"$sanitized" live $style @panic >"$file" &
	pid=$!
	# It does not report when it starts, so cause hits until it shows one.
	until has panic "$file"; do
		echo 10 >$panic
		sleep 0.05
	done
	kill -TERM $pid
	wait $pid
done
ksymwatch rm --all
leftovers >out/left
cat "${SANITIZER_LOG:-/nonexistent}".* >out/sanitizer
busybox tar c out >&3
