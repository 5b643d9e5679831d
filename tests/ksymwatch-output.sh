#!/bin/bash
# Tests the output of ksymwatch: report, export and plot of recordings, styles of live, the
# pager, colours. The hits are recorded once in the machine (ksymwatch.guest-output.sh).
# The program is built with the sanitizers.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/sanitized.sh
. "$(dirname "${BASH_SOURCE[0]}")/sanitized.sh"
# shellcheck source=scripts/trees.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/trees.sh"
# Most commands must fail here.
set +e

ksymwatch=$sanitized/ksymwatch
build_sanitized

# --- In the machine ------------------------------------------------------------------

run_guest output '' "$ksymwatch:/ksym/sanitized" >"$scratch/tar" 2>"$scratch/vm"
cd "$scratch" || exit 1
check 'the machine records' tar xf tar
[[ -s out/hits.dat && -e out/sanitizer ]] || { sed 's/^/# /' vm out/log; finish; }
mv out/*.dat out/profile.html .
is 'the sanitizers report nothing there' "$(<out/sanitizer)" ''
is 'nothing is left behind' "$(<out/left)" ''

eval "$(sanitizer_settings "$scratch/sanitizer" "$scratch/leaks")"

# Runs ksymwatch and sets $status, $out and $err.
kw() {
	"$ksymwatch" "$@" >kw.out 2>kw.err </dev/null
	status=$?
	out=$(<kw.out) err=$(<kw.err)
}

# Replaces what differs between recordings: times, PIDs, CPUs, addresses; between releases of libc:
# the function of a system call; and between releases of Linux: the depth of a stack.
normalize() {
	sed -E 's/-[0-9]+ +\[[0-9]{3}\] +[0-9]+\.[0-9]{6}/-PID [CPU] TIME/
		s/-[0-9]+, CPU [0-9]+, [0-9]+\.[0-9]{6}/-PID, CPU N, TIME/
		s/0x[0-9a-f]{16}/ADDR/g; s/=> 0x[0-9a-f]+/=> ADDR/; s/\+0x[0-9a-f]+/+OFF/g
		s/^#[0-9]+( +ADDR in entry_)/#N\1/
		s/(=> |in )_*(write|read|internal_syscall_cancel)( \(\) from | \()\/.*\/libc\.so\.6/\1CALL\3LIBC/' | tr -s ' '
}
# Prints the first and the last line of each stack.
short_stacks() {
	awk '/^ => |^#[0-9N]/ { if (!n++) print; last = $0; next }
		{ if (n > 1) print last; n = 0; print } END { if (n > 1) print last }'
}

# --- The table, and the style of gdb ---------------------------------------------------

cat >wanted <<'END'
# TASK-PID CPU TIME WATCH ACCESS OLD -> NEW FUNCTION
 </script><b>??-PID [CPU] TIME panic w4 -1 -> 5 kstrtoint+OFF
 </script><b>??-PID [CPU] TIME <stack trace>
 => kstrtoint
 => entry_SYSCALL_64_after_hwframe
 </script><b>??-PID [CPU] TIME <user stack trace>
 => CALL (LIBC)
 </script><b>??-PID [CPU] TIME panic w4 5 -> 5 kstrtoint+OFF
 </script><b>??-PID [CPU] TIME <stack trace>
 => kstrtoint
 => entry_SYSCALL_64_after_hwframe
 </script><b>??-PID [CPU] TIME <user stack trace>
 => CALL (LIBC)
 </script><b>??-PID [CPU] TIME panic r4 5 -> 5 param_get_int+OFF
 </script><b>??-PID [CPU] TIME <stack trace>
 => param_get_int
 => entry_SYSCALL_64_after_hwframe
 </script><b>??-PID [CPU] TIME <user stack trace>
 => CALL (LIBC)
 </script><b>??-PID [CPU] TIME panic w4 5 -> -1 kstrtoint+OFF
 </script><b>??-PID [CPU] TIME <stack trace>
 => kstrtoint
 => entry_SYSCALL_64_after_hwframe
 </script><b>??-PID [CPU] TIME <user stack trace>
 => CALL (LIBC)
 </script><b>??-PID [CPU] TIME other/warn w4 0x0 -> 0x1 kstrtoint+OFF c="</script><b>??" n=-3 s=panic_on_warn+OFF a={0x1,0x0,0x0,0x0}

WATCH FUNCTION HITS READS WRITES UNKNOWN CHANGES
panic kstrtoint 3 0 3 0 2
other/warn kstrtoint 1 0 1 0 1
panic param_get_int 1 1 0 0 0
5 hits
END
kw report hits.dat
is 'report as a table' "$status$err$(normalize <<<"$out" | short_stacks)" "0$(<wanted)"
plain=$out
kw report --style table hits.dat
is '--style table is the default' "$status$err$out" "0$plain"
is 'its columns are wide enough' "$(awk '/->/ { print match($0, /FUNCTION|kstrtoint|param_get/) }' <<<"$out" | sort -u)" 103
cp hits.dat trace.dat
kw report
is 'trace.dat is the default file' "$out" "$plain"

cat >wanted <<'END'

Hardware watchpoint 1: panic

Old value = -1
New value = 5
#0 ADDR in kstrtoint ()
#N ADDR in entry_SYSCALL_64_after_hwframe ()
[</script><b>??-PID, CPU N, TIME]

[user stack of </script><b>??-PID, CPU N, TIME]
#0 ADDR in CALL () from LIBC

Hardware watchpoint 1: panic

Old value = 5
New value = 5
#0 ADDR in kstrtoint ()
#N ADDR in entry_SYSCALL_64_after_hwframe ()
[</script><b>??-PID, CPU N, TIME]

[user stack of </script><b>??-PID, CPU N, TIME]
#0 ADDR in CALL () from LIBC

Hardware read watchpoint 1: panic

Value = 5
#0 ADDR in param_get_int ()
#N ADDR in entry_SYSCALL_64_after_hwframe ()
[</script><b>??-PID, CPU N, TIME]

[user stack of </script><b>??-PID, CPU N, TIME]
#0 ADDR in CALL () from LIBC

Hardware watchpoint 1: panic

Old value = 5
New value = -1
#0 ADDR in kstrtoint ()
#N ADDR in entry_SYSCALL_64_after_hwframe ()
[</script><b>??-PID, CPU N, TIME]

[user stack of </script><b>??-PID, CPU N, TIME]
#0 ADDR in CALL () from LIBC

Hardware watchpoint 2: other/warn

Old value = 0x0
New value = 0x1
c = "</script><b>??"
n = -3
s = panic_on_warn+OFF
a = {0x1,0x0,0x0,0x0}
ADDR in kstrtoint ()
[</script><b>??-PID, CPU N, TIME]

END
kw report --style gdb hits.dat
is 'report in the style of gdb' "$status$err$(normalize <<<"$out" | short_stacks)" \
	"0$(<wanted)"$'\n\n'"$(tail -n 5 <<<"$plain" | tr -s ' ')"
cat >wanted <<'END'

Hardware watchpoint 1: panic

Old value = 0xa
New value = 0xa
ADDR in kstrtoint ()
[bash-PID, CPU N, TIME]
END
is 'live in the style of gdb' "$(head -n 7 out/livegdb | sed 's/Old value = 0x[0-9a-f]*/Old value = 0xa/' | normalize)" "$(<wanted)"

# --- Source lines ------------------------------------------------------------------------

vmlinux=$KSYM_BUILD/linux-ksym/vmlinux
# The places of the instruction that writes and of the call in the frame of the system call.
kw --vmlinux "$vmlinux" report --srcline hits.dat
place=$(sed -nE '/ -1 -> 5 /s/.*kstrtoint\+0x[0-9a-f]+ (lib\/kstrtox.c:[0-9]+)$/\1/p' <<<"$out")
text=$(sed -n "${place#*:}p" "$KSYM_BUILD/linux-ksym/lib/kstrtox.c" | xargs)
is 'the source line of a hit' "$status$err$text" '0*res = tmp;'
entry=$([[ $KSYM_BASE == 6.12 ]] && echo arch/x86/entry/common.c || echo arch/x86/entry/syscall_64.c)
is 'and of a frame, with the functions that were inlined' "$(grep -E '=> do_syscall_(x64 \(inlined\)|64) ' <<<"$out" | sort -u | sed 's/[0-9]*$/N/')" \
	" => do_syscall_64 $entry:N
 => do_syscall_x64 (inlined) $entry:N"
out=$(cd "$KSYM_BUILD/linux-ksym" && "$ksymwatch" report --vmlinux="$vmlinux" --srcline --style gdb "$scratch/hits.dat")
contains "in gdb's style" "$(normalize <<<"$out")" "#0 ADDR in kstrtoint () at $place"
contains 'an inlined function has a frame without an address' "$(sed -E 's/#[0-9]+ +/#/; s/:[0-9]+/:N/' <<<"$out")" \
	"#do_syscall_64 () at $entry:N"
contains 'with the text of the line' "$out" $'\n'"${place#*:}"$'\t'"$text"$'\n['
mkdir lib
mkfifo lib/kstrtox.c
kw report --vmlinux="$vmlinux" --srcline --style gdb hits.dat
is 'but not of a FIFO' "$status$err$(grep -c "^${place#*:}$(printf '\t')" <<<"$out")" 00
rm -r lib
contains 'and as JSON' "$("$ksymwatch" --vmlinux "$vmlinux" report --srcline --json hits.dat)" \
	'"source":[{"function":"kstrtoint","file":"lib/kstrtox.c","line":'"${place#*:}}]"
kw --vmlinux "$KSYM_BUILD/linux-ksym/kernel/pid.o" report --srcline hits.dat
is 'another vmlinux is refused' "$status$err" \
	"1ksymwatch: $KSYM_BUILD/linux-ksym/kernel/pid.o is not the vmlinux of the recorded kernel, by its build ID"
KSYMWATCH_VMLINUX=$KSYM_BUILD/linux-ksym/kernel/pid.o kw report --srcline hits.dat
contains 'also if the variable names it' "$status$err" 'kernel/pid.o is not the vmlinux of the recorded kernel'
kw report --srcline hits.dat
is 'without debug info there are no lines' "$status$err$(grep -c kstrtox.c <<<"$out")" \
	"0ksymwatch: no source lines: no debug info of the kernel; see also DEBUGINFOD_URLS0"

# --- Groups --------------------------------------------------------------------------------

grouped() { "$ksymwatch" --vmlinux "$vmlinux" report "$@" hits.dat 2>&1 | tr -s ' '; }
is 'groups by source line' "$(grouped --group-by line | sed -E 's/:[0-9]+$/:N/')" \
	'HITS READS WRITES UNKNOWN CHANGES WATCH LINE
 3 0 3 0 2 panic lib/kstrtox.c:N
 1 0 1 0 1 other/warn lib/kstrtox.c:N
 1 1 0 0 0 panic kernel/params.c:N
5 hits'
is 'by value and task, sorted by changes' "$(grouped --group-by value,task --sort changes,key)" \
	'HITS READS WRITES UNKNOWN CHANGES WATCH VALUE TASK
 1 0 1 0 1 panic -1 </script><b>??
 1 0 1 0 1 other/warn 0x1 </script><b>??
 3 1 2 0 1 panic 5 </script><b>??
5 hits'
is 'by stack' "$(grouped --group-by stack --sort watch,reads | sed -E 's/ < .* < / < ... < /')" \
	'HITS READS WRITES UNKNOWN CHANGES WATCH STACK
 1 0 1 0 1 other/warn ?
 1 1 0 0 0 panic param_get_int < ... < entry_SYSCALL_64_after_hwframe
 3 0 3 0 2 panic kstrtoint < ... < entry_SYSCALL_64_after_hwframe
5 hits'
is 'by function, as JSON' "$(grouped --group-by function --json)" \
	'{"type":"group","watch":"panic","function":"kstrtoint","hits":3,"reads":0,"writes":3,"unknown":0,"changes":2}
{"type":"group","watch":"other/warn","function":"kstrtoint","hits":1,"reads":0,"writes":1,"unknown":0,"changes":1}
{"type":"group","watch":"panic","function":"param_get_int","hits":1,"reads":1,"writes":0,"unknown":0,"changes":0}
'"$("$ksymwatch" report --json hits.dat | tail -n 1)"
is 'with the hits that were lost' "$("$ksymwatch" report --json --group-by task lost.dat | tail -n 1)" "$("$ksymwatch" report --json lost.dat | tail -n 1)"
is '--sort alone groups by function' "$(grouped --sort hits)" "$(grouped --group-by function)"

# --- debuginfod ------------------------------------------------------------------------------

# Debian's server, with the kernel's file.
mkdir served
ln -s "$vmlinux" served
port=$((20000 + $$ % 10000))
debuginfod -F -L -d :memory: -p $port served >served.log 2>&1 &
server=$!
trap 'kill $server; rm -rf "$scratch"' EXIT
export DEBUGINFOD_URLS=http://127.0.0.1:$port DEBUGINFOD_CACHE_PATH=$scratch/cache
id=$(readelf -n "$vmlinux" | awk '/Build ID/ { print $3 }')
# Waits until it has read the file.
until bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3; cat <&3" 2>/dev/null |
	grep -q 'thread_work_total{role="scan"} 1'; do
	kill -0 $server || { cat served.log; break; }
done
kw report --srcline hits.dat
contains 'debuginfod sends the debug info' "$status$err$out" "$place"
is 'which stays in its cache' "$(find cache -maxdepth 1 -name "$id" | wc -l)" 1
kill $server
wait $server
unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
trap 'rm -rf "$scratch"' EXIT

# --- JSON, CSV, Perfetto, the data of the page ---------------------------------------------

for file in hits lost; do
	"$ksymwatch" report --json $file.dat >$file.json 2>err
	is "report --json $file.dat" "$?$(<err)" 0
	"$ksymwatch" export --csv $file.dat >$file.csv 2>$file.csv.err
	is "export --csv $file.dat" "$?" 0
	"$ksymwatch" export --perfetto -o $file.perfetto $file.dat >out/stdout 2>$file.perfetto.err
	is "export --perfetto $file.dat" "$?$(<out/stdout)" 0
	"$ksymwatch" plot $file.dat >$file.html 2>$file.html.err
	is "plot $file.dat" "$?" 0
	trace-cmd report -R -t $file.dat >$file.raw 2>/dev/null
done
# trace-cmd of Debian 12 parses one byte more than the option has; at times it was a bracket.
is 'trace-cmd finds the clock where it parses one' \
	"$(LC_ALL=C grep -caP 'options  \x00\x04\x00.\x00{3}[^\x00]*\[global\]' hits.dat)" 1
python3 "$KSYM_ROOT/bench/recording.py" many.dat 120000
"$ksymwatch" report --json many.dat >many.json 2>many.err
"$ksymwatch" plot -o many.html many.dat 2>>many.err
is 'a recording of many hits' "$?$(<many.err)" 0
# As record leaves it when a full disk has no room for the pages a second time.
mkdir fold
python3 -c '
import struct
data = open("many.dat", "rb").read()
table = struct.unpack_from("<8Q", data, data.index(b"flyrecord\0") + 10)
open("fold/header", "wb").write(data[:min(table[::2])])
for cpu in range(4):
    at, size = table[2 * cpu:2 * cpu + 2]
    open("fold/cpu%04d" % cpu, "wb").write(data[at:at + size])'
is 'header and pages in a folder make the recording' "$(cat fold/header fold/cpu* | cmp - many.dat)" ''
is 'report shows it there, too' "$("$ksymwatch" report --json fold 2>&1 | cmp - many.json)" ''
is 'complete recordings cause no message' "$(cat hits.*.err)" ''
is 'lost hits are reported' "$(cat lost.{csv,perfetto,html}.err | sort -u)" \
	'ksymwatch: hits were lost: the trace buffer was full'
is 'also in the table, at their place' "$("$ksymwatch" report lost.dat | grep '^# CPU' | sed 's/CPU [0-9]*/CPU N/' | sort -u)" \
	'# CPU N: hits lost here: the trace buffer was full'
is 'and in the style of gdb' "$("$ksymwatch" report --style gdb lost.dat | grep 'lost here' | sed 's/CPU [0-9]*/CPU N/' | sort -u)" \
	'[CPU N: hits lost here: the trace buffer was full]'
# Debian's, which has the library.
/usr/bin/python3 "$tests_folder/ksymwatch_formats.py" hits lost >results 2>&1 || echo "not ok - it ended with $?" >>results
while IFS= read -r line; do
	case $line in
	'ok - '*) ok "${line#ok - }" ;;
	*) not_ok "${line#not ok - }" ;;
	esac
done <results

# --- Output files -----------------------------------------------------------------------

echo old >old.csv
ln -s old.csv link.csv
kw export --csv -o link.csv hits.dat
is 'a link is kept, its target is replaced' "$status$err$out $(readlink link.csv) $(cmp old.csv hits.csv)" '0 old.csv '
is 'the file has the usual mode' "$(stat -c %a old.csv)" "$(printf '%o' $((0666 & ~$(umask))))"
chown -h nobody link.csv
for command in 'export --csv' plot; do
	# shellcheck disable=SC2086  # it is split into words
	refused "$command through a link of another user" 1 "refusing to write through link.csv, another user's link; name the file itself" \
		$command -o link.csv hits.dat
done
is 'its target is not changed' "$(cmp old.csv hits.csv)" ''
chmod 6775 old.csv
kw export --csv -o old.csv hits.dat
is 'it keeps the rights of the file that it replaces, but is not setuid' "$status$err $(stat -c %a old.csv)" '0 775'
ln -s nosuch.csv nowhere.csv
refused 'a link to no file' 1 'nowhere.csv is a link to a file that does not exist; name that file' \
	export --csv -o nowhere.csv hits.dat
is 'stays' "$(readlink nowhere.csv)" nosuch.csv
chown nobody old.csv
kw export --csv -o old.csv hits.dat
is 'if that was somebody else'\''s, others cannot write it' "$status$err $(stat -c '%a %u' old.csv)" "0 755 $(id -u)"
kw export --csv -o - hits.dat
is '- is the standard output' "$status$err$out" "0$(<hits.csv)"
kw export --csv -o /dev/null hits.dat
is 'a device can be written' "$status$err$out" 0
is 'or a pipe' "$("$ksymwatch" export --csv -o /dev/stdout hits.dat | cmp - hits.csv 2>&1)" ''
refused 'the input is not overwritten' 1 'hits.dat is the input' export --csv -o hits.dat hits.dat
refused 'a missing folder' 1 'nosuch/file cannot be written: No such file or directory' export --csv -o nosuch/file hits.dat
refused 'a folder as output' 1 'out cannot be written: Is a directory' export --csv -o out hits.dat
refused 'an empty name' 1 'the name of the output is empty' export --csv -o '' hits.dat
refused 'a full disk' 1 '/dev/full cannot be written: No space left on device' export --csv -o /dev/full hits.dat
# A pipe without a reader.
mkfifo pipe
exec 8<>pipe
exec 9>pipe
exec 8<&-
for command in 'report --json' 'export --csv' 'export --perfetto' plot; do
	# shellcheck disable=SC2086  # it is split into words
	"$ksymwatch" $command hits.dat >/dev/full 2>err
	is "$command onto a full disk" "$? $(sed 's/: No space.*//; s/some of the output could not/the output cannot/' err)" \
		'1 ksymwatch: the output cannot be written'
	# shellcheck disable=SC2086
	"$ksymwatch" $command hits.dat >&9 2>err
	is "$command for nobody" "$?$(<err)" 141
done
exec 9>&-
for command in 'export --csv' 'export --perfetto' plot; do
	# shellcheck disable=SC2086  # it is split into words
	(ulimit -f 4; exec "$ksymwatch" $command -o limit.out many.dat) 2>err
	is "$command over the limit of a file's size" "$? $(sed 's/: File too large\|: not all of it.*//' err)" \
		'1 ksymwatch: limit.out cannot be written'
done
(ulimit -f 4; exec "$ksymwatch" report many.dat) >limit 2>err
is 'report into such a file' "$? $(sed 's/: File too large//; s/some of the output could not/the output cannot/' err)" \
	'1 ksymwatch: the output cannot be written'
is 'no partial file is left' "$(ls -d ./*.part-* limit.out 2>/dev/null)" ''

# --- Wrong files ------------------------------------------------------------------------------

: >empty.dat
head -c 5 hits.dat >five.dat
head -c 100000 hits.dat >cut.dat
head -c -24000 hits.dat >tail.dat
head -c -100 lost.dat >last.dat
echo 'just a text' >text.dat
echo old >old.csv
while IFS='|' read -r file text; do
	for command in report 'report --json' 'export --csv' 'export --perfetto -o old.csv' plot; do
		# shellcheck disable=SC2086  # it is split into words
		kw $command "$file"
		fails "$command $file" 1 "$file$text"
	done
done <<'END'
empty.dat| is empty
five.dat| is truncated
cut.dat| is truncated
tail.dat| is truncated
text.dat| is not a trace.dat
foreign.dat| contains no watches
nosuch.dat|: No such file
/tmp|: Is a directory
END
is 'the older file is unchanged' "$(<old.csv)" old
# Records whose lengths are wrong, pages that two CPUs have, names that are too long, and types
# whose members are outside of them, as somebody may write them; and types that are right.
python3 "$KSYM_ROOT/bench/recording.py" few.dat 100 10
python3 - <<'END'
import struct

with open("few.dat", "rb") as file:
    data = file.read()
# Each of the four CPUs has a page.
page = len(data) - 4 * 4096
cpus = data.index(b"flyrecord\0") + len(b"flyrecord\0")
second = 16 + 4 + 4 * (data[page + 16] & 31)
PADDING = 29

def write(name, at, layout, *values):
    copy = bytearray(data)
    struct.pack_into(layout, copy, at, *values)
    with open(name + ".dat", "wb") as file:
        file.write(copy)

write("itself", page + 16, "<II", PADDING, 0xfffffffc)
write("earlier", page + second, "<II", PADDING, 2**32 - 4 - (second - 16))
write("outside", page + second, "<II", PADDING, 0x10000000)
write("inside", page + second, "<II", 0, 0)
write("longer", page + 8, "<Q", 0x7ffffff)
write("lost", page + 8, "<Q", 0xc0000ff0)
write("shared", cpus + 16, "<QQ", page, 4096)
with open("comma.dat", "wb") as file:
    file.write(data.replace(b"function_number", b"function,number"))

kind = data.index(b"f4(READY")
for name, text in (("outer", b"{a@0[9]{b@0[9]{%s@0x4;}1;}1;}4"), ("bits", b"{%s@0.0:8[9]{b@0x1;}1;}4")):
    length = len(b"f4(READY=1,BUSY=2,DONE=4,FAILED=8)")
    write(name, kind, "%ds" % length, text % (b"c" * (length - len(text) + 2)))

# Types of which a hit has a part of the bytes, and of one character; arrays that are too long, and
# that do not end.
for name, text in (("half", b"at=256 {a@0u1;b@2u4;}8"), ("behind", b"at=252 [4]u2"), ("letter", b"c4"),
                   ("array", b"{a@0[1048576]u4;}4"), ("open", b"{a@0[4;}4")):
    write(name, kind, "%ds" % length, text + b"\n")
with open("unnamed.dat", "wb") as file:
    file.write(data.replace(b"ffffffff8100", b"ffffffff8200"))

comms = data.index(b"1000 worker/0:0\n")
# The last code point, and one that is too high.
write("highest", comms, "16s", b"1000 wor\xf4\x8f\xbf\xbf0:0\n")
write("higher", comms, "16s", b"1000 wor\xf4\x90\x80\x800:0\n")
# A page of a name more, which moves the pages with the records.
data = bytearray(data)
struct.pack_into("<Q", data, comms - 8, struct.unpack_from("<Q", data, comms - 8)[0] + 4096)
for cpu in range(4):
    place = struct.unpack_from("<Q", data, cpus + 16 * cpu)[0]
    struct.pack_into("<Q", data, cpus + 16 * cpu, place + 4096)
data[comms + len(b"1000 worker"):comms + len(b"1000 worker")] = b"w" * 4096
write("name", 0, "0s", b"")

# The last page of a CPU, of many.
with open("many.dat", "rb") as file:
    data = file.read()
write("later", len(data) - 4096 + 8, "<Q", 0x7ffffff)

# Version 7: only the page of the hit has the size of its records after its time.
with open("unpacked.dat", "rb") as file:
    data = file.read()
page = next(at for at in range(4096, len(data) - 4095, 4096)
            if 0 < struct.unpack_from("<Q", data, at + 8)[0] <= 4080)
write("itself7", page + 16, "<II", PADDING, 0xfffffffc)
write("outside7", page + 16, "<II", PADDING, 0x10000000)
write("inside7", page + 16, "<II", 0, 0)
write("lost7", page + 8, "<Q", 0xc0000ff0)
write("small7", data.index(b"tracing7\0") + len(b"tracing7\0") + 1, "<B", 4)
END
# Longer names than the kernel has, for which each row would have room.
for name in '("plain' function_number; do
	sed "s/$name/$name$(printf x%.0s {1..1000})/" "$KSYM_ROOT/bench/recording.py" | python3 - long.dat 100 10
	is "no row is longer because of a name: $name" "$("$ksymwatch" report long.dat | awk 'length > 200')" ''
done
for name in itself earlier outside inside longer lost later; do
	kw report $name.dat
	is "a record with a wrong length is refused: $name" "$status $err" "1 ksymwatch: $name.dat is truncated or damaged: not all of it could be read"
done
for name in itself outside inside lost; do
	refused "so it is in version 7: $name" 1 "${name}7.dat is truncated or damaged" report ${name}7.dat
done
refused 'a recording of a machine with 32 bits' 1 \
	'small7.dat has pages that ksymwatch does not read: not of x86-64, or of several sizes' report small7.dat
refused 'two CPUs with the same pages' 1 'shared.dat is truncated or damaged' report shared.dat
kw export --csv comma.dat
is 'a name with a comma is one cell with its offset' "$status$err $(grep -o 'function,number_9[^,]*,' <<<"$out" | sed -E 's/[0-9a-f]+",$/N",/' | sort -u)" \
	'0 function,number_9+0xN",'
for name in outer bits; do
	kw report $name.dat
	is "a type with members outside of it is not used: $name" "$status$err $(awk '$4 == "state" && $6 !~ /^0x/' <<<"$out")" '0 '
done
# Prints the kinds of values that "state" has in the recording $1.
states() {
	kw report "$1.dat"
	awk '$4 == "state"' <<<"$out" | sed -E 's/.* [rw]4 +//; s/ +function_.*//; s/[0-9]+/N/g' | sort -u
}
is 'a member that is only partly known' "$(states half)" '{a = N, b = ?} -> {a = N, b = ?}'
is 'the end of an array' "$(states behind)" '{N, N} -> {N, N}'
is 'a character' "$(states letter | grep -xvE "'[^']+' -> '[^']+'")" ''
for name in array open; do
	is "an array that can't be is not used: $name" "$(states $name | grep -xvE 'Nx[0-9a-fN] -> Nx[0-9a-fN]')" ''
done
kw report unnamed.dat
is 'code without a symbol has its address' "$status$err $(grep -cE ' -> [^ ]+ +0xffffffff810[0-9a-f]+( torn)?$' <<<"$out")" '0 100'
is 'the last code point is a character, and none after it' \
	"$(for name in highest higher; do "$ksymwatch" report --json $name.dat | grep -oE '"comm":"wor[^k0]+' | sort -u; done)" \
	$'"comm":"wor\U10ffff\n"comm":"wor\\ufffd\\ufffd\\ufffd\\ufffd'
kw report name.dat
is 'a long name of a task is cut' "$status$err $(grep -oE '\<workerw*' <<<"$out" | sort -u | tail -n 1 | wc -c)" '0 65'
kw report top.dat
is 'report reads a recording of trace-cmd' "$status $(tail -n 1 <<<"$out")" '0 1 hit'
# A buffer whose pages are larger than those of the first file.
python3 "$KSYM_ROOT/bench/recording.py" large.dat 2000 100 8192
is 'diff shows 20 rows of a kind, and the number of the others' \
	"$("$ksymwatch" diff few.dat large.dat | awk '/^CHANGE/ { kind = $NF; n = 0; next } NF { n++ } /^and / { print kind, n - 1, $0 }')" \
	$'TASK 20 and 140 more\nVALUE 20 and 1341 more'
contains 'diff reads a recording of trace-cmd and one of ksymwatch' "$("$ksymwatch" diff top.dat large.dat 2>&1)" 'B  large.dat: 2000 hits'
# The number of a CPU, after the size of a page and the number of CPUs.
python3 -c '
import re
data = open("top.dat", "rb").read()
place = list(re.finditer(rb"\0\0\x10\0\0[\1-\4]\0\0\0[\0-\3]\0\0\0", data))[-1].end() - 4
open("cpus.dat", "wb").write(data[:place] + b"\0\0\0\1" + data[place + 4:])'
# The sanitizers need more memory than it may take.
is 'a recording that names CPU 16777216' "$("$KSYM_SHARED/tools/ksymwatch" report cpus.dat 2>&1)" 'ksymwatch: cpus.dat is truncated or damaged'
kw report unpacked.dat
is 'one without compression' "$status $(tail -n 1 <<<"$out")" '0 1 hit'
kw report buffer.dat
is 'and one of an instance' "$status $(tail -n 1 <<<"$out")" '0 1 hit'
is 'with the right CPU' "$(grep -o '\[[0-9]*\]' <<<"$out")" "$(trace-cmd report buffer.dat 2>/dev/null | grep -o '\[[0-9]*\]')"

# The pages of the instance, the last buffer in the file, get another size.
python3 -c '
import re
data = open("buffer.dat", "rb").read()
place = list(re.finditer(rb"\0\0\x10\0\0[\1-\4]\0\0\0[\0-\3]\0\0\0", data))[-1].start() + 1
open("sizes.dat", "wb").write(data[:place] + b"\0\x20\0\0" + data[place + 4:])'
refused 'pages of several sizes' 1 'sizes.dat has pages that ksymwatch does not read: not of x86-64, or of several sizes' report sizes.dat

# With the sanitizers, a crash is theirs. The output waits for its reader, so most of the file is not
# read yet.
cp many.dat gone.dat
"$KSYM_SHARED/tools/ksymwatch" report gone.dat 2>err | { IFS= read -r _; truncate -s 4096 gone.dat; cat >/dev/null; }
is 'a file that becomes shorter while it is read' "${PIPESTATUS[0]} $(<err)" \
	'1 ksymwatch: gone.dat is damaged: not all of it could be read'
cp many.dat gone.dat
# shellcheck disable=SC2016  # the pager's shell reads it
is 'then the shell waits for the pager' "$(KSYMWATCH_PAGER='head -n 1 >/dev/null; truncate -s 4096 gone.dat; grep -ao "ksymwatch:.*"; sleep 0.1; echo end' \
	python3 "$tests_folder/on_terminal.py" sh -c '"$1" report gone.dat; echo next' - "$KSYM_SHARED/tools/ksymwatch" | tr -d '\r')" \
	$'ksymwatch: gone.dat is damaged: not all of it could be read\nend\nnext'
# The second file is opened when the first one has been read.
mkfifo second
(ulimit -c 0 && exec "$KSYM_SHARED/tools/ksymwatch" diff few.dat second) >/dev/null 2>err &
exec 9>second
kill -SEGV $!
{ wait $!; } 2>/dev/null
is 'a crash afterwards is not the fault of a file' "$? $(<err)" '139 '
exec 9>&-

# --- trace-cmd of Debian 12 and 13 ---------------------------------------------------------------

values() { grep -o ' old=0x[0-9a-f]* new=0x[0-9a-f]*'; }
while read -r suite version; do
	check "trace-cmd $version is there" make_tree "trace-cmd-$suite" "$suite" libc6 trace-cmd libtracecmd1 \
		libtracefs1 libtraceevent1 libzstd1 zlib1g
	other() { run_in_tree "trace-cmd-$suite" trace-cmd "$@" 2>/dev/null; }
	contains "it is $version" "$(other -v)" "version $version"
	for file in hits lost; do
		is "it reads $file.dat as this machine's does" "$(other report -R $file.dat | values | md5sum)" \
			"$(trace-cmd report -R $file.dat 2>/dev/null | values | md5sum)"
		is 'and finds hits' "$(other report -R $file.dat | values | head -n 1 | wc -l)" 1
	done
done <<'END'
bookworm 3.1
trixie 3.3
END

# --- A terminal: colours and the pager --------------------------------------------------------

# Runs ksymwatch with the arguments $1 and the variables "$2…" on a terminal and sets $out and
# $status.
on_terminal() {
	# shellcheck disable=SC2086  # it is split into words
	out=$(env -u PAGER -u KSYMWATCH_PAGER -u NO_COLOR TERM=xterm PATH="$scratch/bin:$PATH" "${@:2}" \
		python3 "$tests_folder/on_terminal.py" "$ksymwatch" $1 2>&1)
	status=$?
}
# A less that prints its arguments and its input.
mkdir bin
cat >bin/less <<'END'
#!/bin/sh
echo "less LESS=$LESS $* LESSSECURE=$LESSSECURE"
exec cat
END
chmod +x bin/less
esc=$'\e'
no_colours() { is "$1" "$(grep -c "$esc" <<<"$out")" 0; }

on_terminal 'report --no-pager hits.dat'
contains 'a terminal has colours' "$out" "${esc}[33mw4${esc}[0m"
contains 'changed values are bold' "$out" "${esc}[1m-1 -> 5${esc}[0m"
contains 'stacks are dim' "$out" "${esc}[2m  </script><b>??-"
is 'the columns are the same as without colours' "$(sed "s/$esc\[[0-9]*m//g; s/\r//" <<<"$out")" "$plain"
is 'escapes in the name of a task are not printed' "$(tr -d '\n' <<<"$out" | grep -o "${esc}[^[]" | head -n 1)" ''
# A file of somebody else may have them in all names.
gunzip -c "$KSYM_ROOT/tests/fuzz/seeds/recordings/"{head,tail}.gz |
	LC_ALL=C sed "s|t do_proc|t do_${esc}[1m|; s|/usr/lib/x86|/usr${esc}[1m/x86|g" >codes.dat
kw report codes.dat
contains 'nor those in the name of a function' "$out" ' => do_?[1m_dointvec_conv'
contains 'nor of a library' "$out" ' (/usr?[1m/x86_64-linux-gnu/'
for arguments in report 'report --style gdb' 'report --json' 'export --csv' plot 'diff codes.dat'; do
	# shellcheck disable=SC2086  # it is split into words
	kw $arguments codes.dat
	is "nor by $arguments" "$status $(grep -c "$esc" <<<"$out$err")" '0 0'
done
on_terminal 'report --no-pager --style gdb hits.dat'
contains 'gdb'\''s view has them, too' "$out" "${esc}[1mNew value = 5"
on_terminal 'report --no-pager hits.dat' NO_COLOR=1
no_colours 'NO_COLOR switches them off'
on_terminal 'report --no-pager hits.dat' NO_COLOR=
contains 'an empty NO_COLOR does not' "$out" "${esc}[33mw4"
on_terminal 'report --no-pager hits.dat' TERM=dumb
no_colours 'a terminal that has none gets none'
on_terminal 'report --no-pager --color=never hits.dat'
no_colours '--color=never'
on_terminal 'report --no-pager --json hits.dat'
no_colours 'JSON has none'
out=$(NO_COLOR=1 "$ksymwatch" report --color always hits.dat)
contains '--color=always has colours in a pipe' "$out" "${esc}[33mw4${esc}[0m"
kw report hits.dat
no_colours 'a pipe gets none'

on_terminal 'report hits.dat'
contains 'on a terminal the pager runs' "$out" 'less LESS=FRX '
contains 'it gets colours' "$out" "${esc}[33mw4${esc}[0m"
contains 'and all of the output' "$out" '5 hits'
is 'report ends after it' "$status" 0
on_terminal 'report hits.dat' LESS=S
contains 'settings of less are kept' "$out" 'less LESS=S '
on_terminal 'report hits.dat' SUDO_UID=1000 LESSSECURE=0
contains 'less gives no shell under sudo' "$out" 'LESSSECURE=1'
on_terminal 'report hits.dat' PAGER='sed s/^/P:/'
contains 'PAGER' "$out" 'P:5 hits'
on_terminal 'report hits.dat' PAGER='sed s/^/P:/' KSYMWATCH_PAGER='sed s/^/K:/'
contains 'KSYMWATCH_PAGER' "$out" 'K:5 hits'
for pager in cat ''; do
	on_terminal 'report hits.dat' PAGER="$pager"
	contains "no pager with PAGER='$pager'" "$out" $'\n5 hits'
	is 'and less does not run' "$(grep -c LESS= <<<"$out")" 0
done
on_terminal 'report --no-pager hits.dat' PAGER='sed s/^/P:/'
is '--no-pager' "$(grep -c P: <<<"$out")" 0
on_terminal 'report hits.dat' PAGER='nosuch -x'
contains 'a missing pager is reported' "$out" "ksymwatch: pager 'nosuch -x' not found; set PAGER or use --no-pager"
contains 'the output is still printed' "$out" $'\n5 hits'
on_terminal 'report hits.dat' PAGER='head -n 1'
is 'a pager that ends early is not a failure' "$(grep -c . <<<"$out")" 1
on_terminal 'report tail.dat' PAGER='sed s/^/P:/'
is 'an error is printed after the output' "$status $(tail -n 1 <<<"$out" | tr -d '\r')" '1 ksymwatch: tail.dat is truncated or damaged'
on_terminal 'export --perfetto hits.dat'
contains 'a binary format is not written to a terminal' "$status $out" '2 ksymwatch: export: refusing to write a binary format to a terminal; use -o FILE'
on_terminal 'plot hits.dat'
contains 'nor is HTML' "$status $out" '2 ksymwatch: plot: refusing to write HTML to a terminal; use -o FILE'

# --- The page in a browser ----------------------------------------------------------------------

python3 "$tests_folder/ksymwatch_page.py" hits.html many.html profile.html >results 2>&1 || echo "not ok - it ended with $?" >>results
while IFS= read -r line; do
	case $line in
	'ok - '*) ok "${line#ok - }" ;;
	*) not_ok "${line#not ok - }" ;;
	esac
done <results

is 'the sanitizers report nothing' "$(cat "$SANITIZER_LOG".* 2>/dev/null)" ''
finish
