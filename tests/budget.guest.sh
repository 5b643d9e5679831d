# shellcheck shell=bash
# Runs in the machine: prints the cycles of a million stores with interrupts off, without a
# watch and with one for each line of options on stdin. After each, the variable is
# written until there are hits again.
set -eu
cd /sys/kernel/tracing
insmod /selftests/ksym/ksym_mod/ksym_mod.ko
mod=/sys/module/ksym_mod/parameters

storm() {
	echo 'storm_irqs_off 1000000' >$mod/write
	echo "$1=$(<$mod/cycles)"
}

hits() { awk '$1 == "var" { print $2 }' trace_stat/ksym_tracer; }

storm unwatched
while read -r options; do
	echo "ksym_mod:ksym_mod_var:w len=4 name=var ${options/PID/$$}" >ksym_trace_filter
	storm "$options"
	before=$(hits)
	while [[ $(hits) == "$before" ]]; do echo 'var 1' >$mod/write; done
	echo "again $options"
done
