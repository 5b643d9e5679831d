# Command lines that ksymwatch refuses, for tests/ksymwatch-cli.sh:
#
#   STATUS|ARGUMENTS|MESSAGE
#
# The message is all that it prints, without "ksymwatch: " and, where the status is 2,
# without the pointer to --help. Names of errors, such as %BAD_SYMBOL%, stand for the messages of
# ksym_errors.h, and two quotes for an empty argument. The files are made by the test.
2||missing COMMAND
2|frob|unknown command 'frob'
2|--frob|unknown option '--frob'
2|--vmlinux|option '--vmlinux' requires an argument
2|--vmlinux=|option '--vmlinux' requires an argument
1|--vmlinux nosuch explain --kallsyms symbols panic_timeout|nosuch: No such file or directory
1|--vmlinux=nosuch explain --kallsyms symbols panic_timeout|nosuch: No such file or directory
2|add|add: missing SPEC
2|add --dry-run|add: missing SPEC
2|rm|rm: missing NAME, TARGET or --all
2|rm --all panic_timeout|rm: --all takes no NAME
2|list panic_timeout|list: unexpected argument 'panic_timeout'
2|list --json x|list: unexpected argument 'x'
2|slots 0|slots: unexpected argument '0'
2|slots --json x|slots: unexpected argument 'x'
2|doctor x|doctor: unexpected argument 'x'
2|explain|explain: missing SPEC
1|explain --kallsyms nosuch panic_timeout|nosuch cannot be read: No such file or directory
1|explain --kallsyms empty panic_timeout|empty contains no symbols
2|report --group-by frob one.dat|report: invalid --group-by 'frob': must be one of function, line, task, value, stack
2|report --sort hits,x one.dat|report: invalid --sort 'x': must be one of hits, reads, writes, unknown, changes, watch, key
2|save|save: missing FILE; - is standard input or output
2|save a b|save: unexpected argument 'b'
2|restore|restore: missing FILE; - is standard input or output
2|restore a b|restore: unexpected argument 'b'
1|restore nosuch|nosuch: No such file or directory
1|restore .|.: Is a directory
1|restore -|the standard input is empty
1|restore empty|empty is empty
1|restore cut.off|cut.off is truncated: its last line has no end
1|restore binary|binary:2: not a text file
1|restore twice|twice:2: the watch of line 1 has the same name, panic_timeout
1|restore removal|removal:3: '*:---' removes watches
1|restore longest|longest:1: %BAD_SYMBOL%
1|restore long|long:1: a line has 4095 characters at most
1|restore large|large is too large: it cannot be a list of watches
2|live --style frob|live: invalid --style 'frob': must be one of table, gdb
2|live --style gdb --json|live: --json and --style exclude each other
2|live --json --style table|live: --json and --style exclude each other
2|live --no-pager|live: unknown option '--no-pager'
2|live --color frob|live: invalid --color 'frob': must be one of auto, always, never
2|report --style frob|report: invalid --style 'frob': must be one of table, gdb
2|report --json --style gdb|report: --json and --style exclude each other
2|report --style gdb --json|report: --json and --style exclude each other
2|report --color frob|report: invalid --color 'frob': must be one of auto, always, never
2|report --color=frob|report: invalid --color 'frob': must be one of auto, always, never
2|report a b|report: unexpected argument 'b'
1|report nosuch|nosuch: No such file or directory
1|report empty|empty is empty; an unfinished recording?
1|report text|text is not a trace.dat of ksymwatch record or trace-cmd record
2|export|export: give one of --csv and --perfetto
2|export text|export: give one of --csv and --perfetto
2|export --csv --perfetto|export: give one of --csv and --perfetto
2|export --csv a b|export: unexpected argument 'b'
1|export --csv nosuch|nosuch: No such file or directory
1|export --csv empty|empty is empty; an unfinished recording?
1|export --perfetto -o out.dat text|text is not a trace.dat of ksymwatch record or trace-cmd record
2|plot a b|plot: unexpected argument 'b'
1|plot nosuch|nosuch: No such file or directory
1|plot -o out.dat empty|empty is empty; an unfinished recording?
2|record --|record: missing command after --
2|record panic_timeout --|record: missing command after --
2|record --to host -- true|record: invalid --to 'host': must be HOST:PORT, as in 192.0.2.1:12345
2|record --to host: -- true|record: invalid --to 'host:': must be HOST:PORT, as in 192.0.2.1:12345
2|record --to :12345 -- true|record: invalid --to ':12345': must be HOST:PORT, as in 192.0.2.1:12345
2|record --to host:0 -- true|record: invalid --to 'host:0': must be HOST:PORT, as in 192.0.2.1:12345
2|record --to host:65536 -- true|record: invalid --to 'host:65536': must be HOST:PORT, as in 192.0.2.1:12345
2|record --to host:99999999999999999999 -- true|record: invalid --to 'host:99999999999999999999': must be HOST:PORT, as in 192.0.2.1:12345
2|record --to host:12x -- true|record: invalid --to 'host:12x': must be HOST:PORT, as in 192.0.2.1:12345
2|record --to ::1:12345 -- true|record: invalid --to '::1:12345': must be HOST:PORT, as in 192.0.2.1:12345
2|record --to []:12345 -- true|record: invalid --to '[]:12345': must be HOST:PORT, as in 192.0.2.1:12345
2|record --to [::1:12345 -- true|record: invalid --to '[::1:12345': must be HOST:PORT, as in 192.0.2.1:12345
1|record --filter x panic_timeout -- true|'--filter x': must follow the SPEC or the @NAME that it is about
1|record panic_timeout then traceoff --filter '' --filter x -- true|panic_timeout  if  then traceoff: at 'then': %NO_FILTER%
1|live --trigger traceoff|'--trigger traceoff': must follow the SPEC or the @NAME that it is about
2|record --to host:1 -o file -- true|record: --output and --to exclude each other
2|stat --|stat: missing command after --
2|stat panic_timeout --|stat: missing command after --
2|stat -r 2 panic_timeout|stat: --repeat requires -- COMMAND
2|stat -r 0 panic_timeout -- true|stat: invalid number of runs '0': must be 1 to 1000000
2|stat -r -1 panic_timeout -- true|stat: invalid number of runs '-1': must be 1 to 1000000
2|stat -r x panic_timeout -- true|stat: invalid number of runs 'x': must be 1 to 1000000
2|stat -r 1x panic_timeout -- true|stat: invalid number of runs '1x': must be 1 to 1000000
2|stat -r 99999999999999999999 panic_timeout -- true|stat: invalid number of runs '99999999999999999999': must be 1 to 1000000
2|stat --append panic_timeout -- true|stat: --append requires --output FILE
2|top -d 0|top: invalid delay '0': must be 0.01 to 86400 seconds
2|top -d -1|top: invalid delay '-1': must be 0.01 to 86400 seconds
2|top -d x|top: invalid delay 'x': must be 0.01 to 86400 seconds
2|top -d nan|top: invalid delay 'nan': must be 0.01 to 86400 seconds
2|top -d 1e9|top: invalid delay '1e9': must be 0.01 to 86400 seconds
2|top -d 1s|top: invalid delay '1s': must be 0.01 to 86400 seconds
2|top -n 0 -b|top: invalid number of refreshes '0': must be 1 or more
2|top -n x -b|top: invalid number of refreshes 'x': must be 1 or more
2|top -s frob|top: unknown column 'frob': must be a heading, such as hits/s
2|record panic_timeout true|record: 'true' is a program; did you mean -- true?
2|record -o file panic_timeout len=8 ls -l /|record: 'ls' is a program; did you mean -- ls -l /?
2|record -qo ls panic_timeout true|record: 'true' is a program; did you mean -- true?
2|record panic_timeout stack ls|record: 'ls' is a program; did you mean -- ls?
2|stat -r 2 panic_timeout sleep 1|stat: 'sleep' is a program; did you mean -- sleep 1?
2|live panic_timeout --|live: missing command after --
2|follow|follow: missing EVENT:FIELD
2|follow a:b --|follow: missing command after --
2|follow a:b -o x.dat --json|follow: --output and --json exclude each other
2|hunt|hunt: missing FUNCTION or TARGET
2|hunt do_exit|hunt: missing FUNCTION or TARGET
2|extract x|extract: unexpected argument 'x'
2|diff|diff: missing FILE
2|diff a|diff: missing FILE
2|diff a b c|diff: unexpected argument 'c'
1|diff nosuch empty|nosuch: No such file or directory
1|report -B mine nosuch|no watch 'nosuch'; ksymwatch list shows the names
2|profile|profile: missing SPEC
2|profile a b|profile: unexpected argument 'b'
2|profile -s frob a|profile: invalid --sort 'frob': must be one of offset, hits
2|profile -j -o x.html a|profile: --output and --json exclude each other
2|profile a --|profile: missing command after --
