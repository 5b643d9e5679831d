#!/bin/bash
# Watches a variable of the kernel that runs here, on the debug registers of this machine: ksymwatch
# counts each write and knows each value. Then perf record and bpftrace watch the same writes in
# the same run, and a line has what a hit costs with each. That is no test: other work on this
# machine changes it.
#
# A kernel without the symbols of variables will do: the variable is oom_score_adj of a task, whose
# address comes from bpftrace.
set -euo pipefail
# tracefs is mounted for these processes only.
if [[ $(id -u) == 0 && ! -e /sys/kernel/tracing/events && ${1:-} != mounted ]]; then
	# shellcheck disable=SC2016  # the inner shell expands it
	exec unshare -m bash -c 'mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; exec "$0" mounted' "$0"
fi
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

name='each write on real debug registers is a hit'
# So few that they have room in each program's buffers.
rounds=50 writes=1000
ksymwatch=$KSYM_SHARED/tools/ksymwatch
cd "$scratch" || exit 1
cannot() { skip "$name" "$1"; finish; }
[[ $(id -u) == 0 ]] || cannot 'requires root'
[[ -e /sys/kernel/btf/vmlinux ]] || cannot 'this kernel has no BTF'
# It fails if anything is missing.
doctor=$("$ksymwatch" doctor 2>&1) || true
grep -q ' BPF' <<<"$doctor" || { not_ok "$name" "$doctor"; finish; }
grep -q '^ok  *BPF' <<<"$doctor" || cannot 'this kernel loads no BPF programs'

# For each line of stdin it writes 1 and 0 in turn, twenty times in each of so many rounds. It
# prints the ns that a write took in the fastest round, which other work has disturbed least.
cat >writer <<'END'
#!/bin/bash
while read -r rounds; do
	least=
	for ((; rounds > 0; rounds--)); do
		begin=${EPOCHREALTIME/./}
		for ((i = 1; i <= 20; i++)); do echo $((i & 1)); done
		took=$(((${EPOCHREALTIME/./} - begin) * 50))
		((least && took >= least)) || least=$took
	done >/proc/self/oom_score_adj
	echo "$least"
done
END
mkfifo in out
bash ./writer <in >out &
writer=$!
exec 4>in 5<out
tracer=
trap 'kill "$writer" $tracer 2>/dev/null || true; rm -rf "$scratch"' EXIT
# Lets the writer write, and waits for it.
printf '%s\n' '#!/bin/bash' "echo $rounds >'$scratch/in'" "read -r -t 60 ns <'$scratch/out' && echo \$ns >'$scratch/ns'" >turn
chmod +x turn
# Runs "$@", which runs turn, and sets "cost" to the ns of a write.
watch_with() {
	rm -f ns
	"$@" >said 2>&1 && read -r cost <ns
}

# bpftrace finds the task by a system call.
watch_with bpftrace -c "/bin/bash $scratch/turn" -e "tracepoint:syscalls:sys_enter_write /pid == $writer/ { @ = (uint64)curtask->signal; }
	END { printf(\"signal %lx\\n\", @); clear(@); }" || cannot "bpftrace cannot trace here: $(tail -n 1 said)"
signal=$(sed -n 's/^signal //p' said)
[[ $signal == ffff* ]] || cannot 'bpftrace finds no address'
target="(struct signal_struct)0x$signal.oom_score_adj:w"

# Other programs are given its address and length. perf knows whether there are debug registers that
# the hypervisor does not keep.
explained=$("$ksymwatch" explain -j "$target" 2>&1) || true
addr=$(sed -nE 's/.*"addr":"(0x[0-9a-f]+)".*/\1/p' <<<"$explained")
[[ -n $addr ]] || { not_ok "$name" "$explained"; finish; }
watch_with perf record -q -a -e "mem:$addr/2:w" -o perf.data -- ./turn || cannot "no debug register: $(tail -n 1 said)"
(($(perf script -i perf.data 2>/dev/null | wc -l))) || cannot 'the debug registers here do nothing'
costs="perf-record $cost"

if watch_with "$ksymwatch" stat "$target" -- ./turn; then
	contains "$name" "$(<said)" " $writes "
	costs+=" ksymwatch-stat $cost"
else
	not_ok "$name" "$(<said)"
fi
if watch_with "$ksymwatch" record -q -o hits.dat "$target" -- ./turn; then
	costs+=" ksymwatch-record $cost"
	"$ksymwatch" report hits.dat >printed 2>&1
	is 'and recorded with its values' "$(grep -c ' w2 .* \(0 -> 1\|1 -> 0\) ' printed)" "$writes"
	is 'in the function that writes' "$(grep -c ' w2 .*__set_oom_adj' printed)" "$writes"
else
	not_ok 'it is recorded' "$(<said)"
fi

# With -c it would watch only that command. It says "on" when all is attached.
bpftrace -B line -e "watchpoint:$addr:2:w { printf(\"%d %s\\n\", pid, ksym(reg(\"ip\"))); }
	interval:ms:200 { printf(\"on\\n\"); }" >traced 2>&1 &
tracer=$!
if grep -qm 1 '^on' < <(timeout 60 tail -f -s 0.1 --pid="$tracer" traced); then
	watch_with ./turn
	costs+=" bpftrace $cost"
	kill -INT "$tracer"
	wait "$tracer" || true
	tracer=
else
	echo "# bpftrace does not watch here: $(tail -n 1 traced)"
fi
watch_with ./turn
# shellcheck disable=SC2086  # pairs of a name and a number
printf '%s %d\n' $costs | awk -v unwatched="$cost" '
	{ hit = $2 - unwatched; if (NR == 1) first = hit
	  printf "# a hit costs %6d ns with %s, %.2f of the first\n", hit, $1, hit / first }'
finish
