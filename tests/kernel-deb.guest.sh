# shellcheck shell=bash
# Runs on the machine of tests/kernel-deb.sh, as a service. It only writes down what it finds, in
# /root/results; the test reads that from the disk.
mkdir -p /root/results
cd /root/results || exit

uname -r >release
findmnt -n -o SOURCE,FSTYPE / | tr -s ' ' >root
lsmod >modules
ksymwatch doctor >said 2>said.errors
echo $? >said.status
ksymwatch record -q -o /root/hits.dat panic_timeout:w len=4 -- sh -c 'echo 30 >/proc/sys/kernel/panic' 2>record.errors
echo $? >record.status
ksymwatch report /root/hits.dat >hits 2>&1
