#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Writes ksym-errors.txt, the list of errors in ksym.rst, from the table that the
# tracer is compiled with and the comments in it. Run it after a change there:
#
#	Documentation/trace/ksym-errors.sh
#
# With -n it prints the list instead.
set -e
here=$(dirname "$0")

list()
{
	echo '.. SPDX-License-Identifier: GPL-2.0-only'
	echo '.. Made from kernel/trace/ksym/ksym_errors.h by ksym-errors.sh; do not edit.'
	awk '
	# The first comments are about the file. A comment is the words between /* and */.
	/^\/\*/ { comment = ""; in_comment = 1 }
	in_comment {
		line = $0
		sub(/^(\/\*| \*)? */, "", line)
		if (sub(/ *\*\/$/, "", line) || line == "/")
			in_comment = 0
		if (line != "/" && line != "")
			comment = comment (comment == "" ? "" : "\n  ") line
		next
	}
	/^$/ { comment = "" }
	/^KSYM_ERROR\(/ { entry = ""; in_entry = 1 }
	in_entry {
		entry = entry $0
		if (!/\)$/)
			next
		in_entry = 0
		errno = entry
		sub(/^KSYM_ERROR\([A-Z_]+, */, "", errno)
		sub(/,.*/, "", errno)
		sub(/^[^"]*"/, "", entry)
		sub(/"[^"]*$/, "", entry)
		printf "\n- ``%s`` (``%s``)\n", entry, errno
		if (comment != "")
			printf "\n  %s\n", comment
		comment = ""
	}' "$here/../../kernel/trace/ksym/ksym_errors.h"
}

if [ "$1" = -n ]; then
	list
else
	list > "$here/ksym-errors.txt"
fi
