#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs the test cases of test.d with the ftracetest of the ftrace selftests.
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/../ftrace/ftracetest" -K "$@" "$here/test.d"
