# Command lines that ksymwatch refuses, for tests/ksymwatch-cli.sh:
#
#   STATUS|ARGUMENTS|MESSAGE
#
# The message is all that it prints, without "ksymwatch: " and, where the status is 2,
# without the pointer to --help. Two quotes stand for an empty argument. The files are
# made by the test.
2||a COMMAND is missing
2|frob|there is no command 'frob'
2|--frob|there is no option '--frob'
2|--vmlinux|'--vmlinux' wants an argument
2|--vmlinux=|'--vmlinux' wants an argument
1|--vmlinux nosuch explain --kallsyms symbols pid_max|nosuch: No such file or directory
1|--vmlinux=nosuch explain --kallsyms symbols pid_max|nosuch: No such file or directory
2|add|add: a SPEC is missing
2|add --dry-run|add: a SPEC is missing
2|rm|rm: a NAME, or --all, is missing
2|rm --all pid_max|rm: --all takes no NAME beside it
2|list pid_max|list: 'pid_max' is too much
2|list --json x|list: 'x' is too much
2|slots 0|slots: '0' is too much
2|slots --json x|slots: 'x' is too much
2|doctor x|doctor: 'x' is too much
2|explain|explain: a TARGET is missing
1|explain --kallsyms nosuch pid_max|nosuch cannot be read: No such file or directory
1|explain --kallsyms empty pid_max|empty holds no symbols
2|save|save: a FILE is missing, or - for the standard output
2|save a b|save: 'b' is too much: it takes one FILE
2|restore|restore: a FILE is missing, or - for the standard input
2|restore a b|restore: 'b' is too much: it takes one FILE
1|restore nosuch|nosuch: No such file or directory
1|restore .|.: Is a directory
1|restore -|the standard input is empty: ksymwatch save writes such files
1|restore empty|empty is empty: ksymwatch save writes such files
1|restore text|text is no file of ksymwatch save: its first line is not '# ksymwatch watches, format 1'
1|restore start|start is cut off: its last line is not '# end'
1|restore cut.off|cut.off is cut off: its last line is not '# end'
1|restore half|half is cut off: its last line is not '# end'
1|restore newer|newer has the format '2': this ksymwatch knows 1
1|restore binary|binary:2: a character that is no text: the file is damaged
1|restore twice|twice:3: the watch of line 2 has the same name, pid_max
1|restore removal|removal:3: '*:---' removes watches
1|restore long|long:2: a line has 4095 characters at most
1|restore large|large is no file of ksymwatch save: it is larger than any
2|live --style frob|live: --style is one of table, gdb, not 'frob'
2|live --style gdb --json|live: --json takes no --style beside it
2|live --json --style table|live: --json takes no --style beside it
2|live --no-pager|live: there is no option '--no-pager', or not in this form
2|live --color frob|live: --color is one of auto, always, never, not 'frob'
2|report --style frob|report: --style is one of table, gdb, not 'frob'
2|report --json --style gdb|report: --json takes no --style beside it
2|report --style gdb --json|report: --json takes no --style beside it
2|report --color frob|report: --color is one of auto, always, never, not 'frob'
2|report --color=frob|report: --color is one of auto, always, never, not 'frob'
2|report a b|report: 'b' is too much: it takes one FILE
1|report nosuch|nosuch: No such file or directory
1|report empty|empty is empty: a recording that was not finished?
1|report text|text is no trace.dat: ksymwatch record or trace-cmd record make one
2|export|export: a format is missing: --csv or --perfetto
2|export text|export: a format is missing: --csv or --perfetto
2|export --csv --perfetto|export: it writes one format: --csv or --perfetto
2|export --csv a b|export: 'b' is too much: it takes one FILE
1|export --csv nosuch|nosuch: No such file or directory
1|export --csv empty|empty is empty: a recording that was not finished?
1|export --perfetto -o out.dat text|text is no trace.dat: ksymwatch record or trace-cmd record make one
2|plot a b|plot: 'b' is too much: it takes one FILE
1|plot nosuch|nosuch: No such file or directory
1|plot -o out.dat empty|empty is empty: a recording that was not finished?
2|record --|record: the COMMAND behind -- is missing
2|record pid_max --|record: the COMMAND behind -- is missing
2|record --to host -- true|record: --to wants HOST:PORT, as in --to 192.0.2.1:12345, and not 'host'
2|record --to host: -- true|record: --to wants HOST:PORT, as in --to 192.0.2.1:12345, and not 'host:'
2|record --to :12345 -- true|record: --to wants HOST:PORT, as in --to 192.0.2.1:12345, and not ':12345'
2|record --to host:0 -- true|record: --to wants HOST:PORT, as in --to 192.0.2.1:12345, and not 'host:0'
2|record --to host:65536 -- true|record: --to wants HOST:PORT, as in --to 192.0.2.1:12345, and not 'host:65536'
2|record --to host:99999999999999999999 -- true|record: --to wants HOST:PORT, as in --to 192.0.2.1:12345, and not 'host:99999999999999999999'
2|record --to host:12x -- true|record: --to wants HOST:PORT, as in --to 192.0.2.1:12345, and not 'host:12x'
2|record --to ::1:12345 -- true|record: --to wants HOST:PORT, as in --to 192.0.2.1:12345, and not '::1:12345'
2|record --to []:12345 -- true|record: --to wants HOST:PORT, as in --to 192.0.2.1:12345, and not '[]:12345'
2|record --to [::1:12345 -- true|record: --to wants HOST:PORT, as in --to 192.0.2.1:12345, and not '[::1:12345'
2|record --to host:1 -o file -- true|record: --output is for a file here, --to for one at the other end
2|stat --|stat: the COMMAND behind -- is missing
2|stat pid_max --|stat: the COMMAND behind -- is missing
2|stat -r 2 pid_max|stat: --repeat wants -- and a COMMAND
2|stat -r 0 pid_max -- true|stat: '0' is no number of runs: 1 to 1000000
2|stat -r -1 pid_max -- true|stat: '-1' is no number of runs: 1 to 1000000
2|stat -r x pid_max -- true|stat: 'x' is no number of runs: 1 to 1000000
2|stat -r 1x pid_max -- true|stat: '1x' is no number of runs: 1 to 1000000
2|stat -r 99999999999999999999 pid_max -- true|stat: '99999999999999999999' is no number of runs: 1 to 1000000
2|stat --append pid_max -- true|stat: --append wants --output FILE beside it
2|top -d 0|top: '0' is no delay in seconds: 0.01 to 86400
2|top -d -1|top: '-1' is no delay in seconds: 0.01 to 86400
2|top -d x|top: 'x' is no delay in seconds: 0.01 to 86400
2|top -d nan|top: 'nan' is no delay in seconds: 0.01 to 86400
2|top -d 1e9|top: '1e9' is no delay in seconds: 0.01 to 86400
2|top -d 1s|top: '1s' is no delay in seconds: 0.01 to 86400
2|top -n 0 -b|top: '0' is no number of refreshes: 1 or more
2|top -n x -b|top: 'x' is no number of refreshes: 1 or more
2|top -s frob|top: there is no column 'frob': the heading of one is wanted, as in hits/s
