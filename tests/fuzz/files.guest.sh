#!/bin/bash
# Runs in the machine: files.guest.sh WRITES SEED
#
# Writes random lines to the files of tracefs (files.c) while the watched variables are
# written, and a module comes and goes. Then everything that was made must go away again. It
# prints each kind of write of which less than a tenth was accepted, and in the end the sums.
set -u
cd /sys/kernel/tracing || exit

# Nine tenths of the time are grace periods of RCU. Only one round in ten has them as they usually are.
(($2 % 10 == 0)) || echo 1 >/sys/kernel/rcu_expedited

work() {
	local began
	until [[ -e /tmp/ended ]]; do
		began=${EPOCHREALTIME/./}
		(:)
		echo 0 >/proc/sys/kernel/panic_on_oops
		insmod /selftests/ksym/ksym_mod/ksym_mod.ko
		rmmod ksym_mod
		# Leaves the CPU of the host to the writes, also where this takes seconds.
		sleep "$(((${EPOCHREALTIME/./} - began) / 200000)).2"
	done >/dev/null 2>&1
}
work &
work &
/ksym/files /ksym/rules "$1" "$2" >/tmp/said || exit
: >/tmp/ended
wait

# Removes the triggers in the folder of an instance.
remove_triggers() {
	local file line
	for file in "$1"/events/{g,ksym,synthetic,kmem}/*/trigger; do
		[[ -e $file ]] || continue
		while read -r line; do
			[[ $line == '#'* ]] || echo "!${line%% \[*}" >>"$file"
		done < <(cat "$file")
	done
}
echo nop >current_tracer
for folder in . instances/f?; do
	[[ ! -d $folder ]] || remove_triggers "$folder"
done
for folder in instances/f?; do
	[[ ! -d $folder ]] || rmdir "$folder" || exit
done
echo 0 >events/enable
# An event of another one uses it.
sed -nE 's/^[eps][0-9]*:([^ ]*).*/-:\1/p' dynamic_events | while read -r line; do echo "$line" >>dynamic_events; done
echo >ksym_trace_filter || exit
echo >dynamic_events
left=$(cat ksym_trace_filter dynamic_events)
[[ -z $left ]] || { echo "left: $left"; exit 1; }
taken=$(awk 'NR > 1 && $NF != 4' ksym_slots)
[[ -z $taken ]] || { echo "slots are taken: $taken"; exit 1; }

awk -F '[: ]+' '{ accepted = $NF; writes = $(NF - 1) }
	accepted * 10 < writes { print "less than a tenth is accepted: " $0; bad = 1 }
	{ all += writes; good += accepted }
	END { printf "writes=%d accepted=%d\n", all, good; exit bad }' /tmp/said
