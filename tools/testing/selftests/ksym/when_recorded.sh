#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs a command once the recorders of its parent, a trace-cmd record, are ready:
#
#   trace-cmd record -e EVENT when_recorded.sh COMMAND...
#
# trace-cmd ends its recorders with SIGUSR1. The signal kills a recorder that has not run
# since it was forked and so does not catch it yet. Such a recorder has read nothing.
for pid in $(pgrep -P $PPID); do
	until [ "$pid" = $$ ] || [ ! -e "/proc/$pid" ] ||
		grep -qs '^SigCgt:.*[2367abef]..$' "/proc/$pid/status"; do :; done
done
exec "$@"
