#!/bin/bash
# Counts the tasks that are ready to run while a deadline server runs one of them. A task of real
# time keeps CPU 1 busy, so one of the fair class runs there for only 50 ms in each second, on behalf
# of the server. The server is no task: /proc/loadavg must count those two and its reader.
# Tasks that run now and then, e.g. kernel threads, add to a reading, and a server that a busy host
# delays may pause within a tenth of a second, so the median of the readings counts. A kernel thread of
# CPU 1 waits for the server as well, and may add to all readings of one time, so there are five times.
set -eu

taskset -c 1 sh -c 'while :; do :; done' &
starved=$!
chrt -f 1 taskset -c 1 sh -c 'while :; do :; done' &
trap 'kill "$starved" "$!"' EXIT

times=0 ran=0 seen=${EPOCHREALTIME/./} some=() readings=()
while ((times < 6 || ${#readings[@]} < 10)); do
	read -r _ _ _ running _ </proc/loadavg
	some+=("${running%/*}")
	read -r now _ <"/proc/$starved/schedstat"
	((now > ran)) || continue
	# Until the first long wait, the task ran because the other one was not there yet. If the
	# server ran it before these readings, and less than a tenth of a second later, it did so at
	# the time of them.
	if ((${EPOCHREALTIME/./} - seen > 500000)); then
		times=$((times + 1))
	elif ((times > 0 && ${EPOCHREALTIME/./} - seen < 100000)); then
		readings+=("${some[@]}")
	fi
	ran=$now seen=${EPOCHREALTIME/./} some=()
done
median=$(printf '%s\n' "${readings[@]}" | sort -n | sed -n "$(((${#readings[@]} + 1) / 2))p")
echo "$median tasks are ready to run"
