"""Runs the examples of the manual: `script MANUAL` prints a script for the machine,
`compare MANUAL OUTPUT` prints the lines of the manual that the machine did not print.

An example is a literal block with a line "# COMMAND". The lines after a command, up to the
next command, are its output. Numbers, addresses, the columns before an event's name and
the order of lines differ from run to run and are not compared; "..." stands for any lines.
"""
import re
import shlex
import sys

# The machine has no bpftrace. If the command is short and the host busy, trace-cmd ends its
# recorders before they have begun; trace-cmd.tc waits for them.
LEFT_OUT = ("bpftrace ", "trace-cmd record ")
# The example of watches on the kernel's command line comes before all others, which empty
# the buffer.
AT_BOOT = " boot: "
# Functions that gcc 12 inlines, as in the manual, and gcc 14 does not, with their callers.
INLINED = {"init_file": "alloc_empty_file"}
# Lines of output that look like a command.
HEADING = re.compile(r"#( {2,}|$| tracer:| entries-in-buffer| event histogram| trigger info)")
# Puts the machine into the state in which each example begins, in tracefs.
RESET = """
cd /sys/kernel/tracing
echo nop > current_tracer
for set in events/kmem/*/trigger events/ksym/*/trigger; do
	while read -r line; do [[ $line == '#'* ]] || echo "!${line%:count=*}" > "$set"; done < "$set" 2> /dev/null
done 2> /dev/null
echo 0 > instances/last/events/enable
for set in events/wprobes/*/enable; do [[ ! -e $set ]] || echo 0 > "$set"; done
rmmod ksym_sample ksym_mod2 ksym_mod 2> /dev/null
echo > ksym_trace_filter
echo > trace
echo > error_log
sysctl -q kernel.panic=0
"""


def examples(path):
    """Yields (line number, commands, output) of each example."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    number = 0
    while number < len(lines):
        before = number
        number += 1
        if not lines[before].endswith("::") or lines[before].startswith(".."):
            continue
        indent = len(lines[before]) - len(lines[before].lstrip()) + 1
        block = []
        while number < len(lines) and (not lines[number].strip() or lines[number].startswith(" " * indent)):
            block.append(lines[number])
            number += 1
        margin = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
        commands, output, end = [], [], None
        for line in (line[margin:] for line in block):
            if end:
                commands.append(line)
                end = None if line == end else end
            elif line.startswith("# ") and not HEADING.match(line):
                commands.append(line[2:])
                heredoc = re.search(r"<<(\w+)$", line)
                end = heredoc and heredoc[1]
            elif line.strip():
                output.append(line)
        if commands and not any(word in command for command in commands for word in LEFT_OUT):
            yield before + 1, commands, output


def normal(line):
    """Returns the parts of a line that are the same in each run."""
    line = re.sub(r"^ *\S.*-\d+ +\[\d+\] +(\S{5} +[\d.]+: )?", "", line)  # of ftrace
    line = re.sub(r"^ *\S+ +\d+ \[\d+\] +[\d.]+: ", "", line)  # of perf
    line = re.sub(r"^\S*bash: (line \d+: )?", "", line)
    line = re.sub(r"^.*/[a-z]+: line \d+: ", "", line)
    line = re.sub(r"^\[ *[\d.]+\]", "", line)
    for function, caller in INLINED.items():
        line = re.sub(rf"\b{function}(\.isra\.\d+)?\+", f"{caller}+", line)
    line = re.sub(r"0x[0-9a-f]+|\b[0-9a-f]{16}\b|\b\d+(\.\d+)?\b", "N", line)
    return " ".join(line.split())


def script(path):
    """Prints the script for the machine."""
    for number, commands, _ in sorted(examples(path), key=lambda example: AT_BOOT not in example[1][0]):
        print(RESET if AT_BOOT not in commands[0] else "cd /sys/kernel/tracing")
        print(f"echo '== {number}'")
        print(f"bash -c {shlex.quote(chr(10).join(commands))} 2>&1")


def compare(path, output):
    """Prints the lines of the manual that are not in the output."""
    with open(output, encoding="utf-8", errors="replace") as file:
        parts = re.split(r"^== (\d+)$", file.read(), flags=re.M)
    printed = dict(zip(map(int, parts[1::2]), parts[2::2]))
    for number, _, wanted in examples(path):
        got = printed.get(number, "")
        lines = {normal(line) for line in got.split("\n")}
        missing = [line for line in wanted if line.strip() != "..." and normal(line) not in lines]
        if missing:
            print(f"line {number}:")
            print("\n".join(f"  manual:  {line.strip()}" for line in missing))
            print("\n".join(f"  machine: {line}" for line in got.strip().split("\n")[:40]))


if __name__ == "__main__":
    {"script": script, "compare": compare}[sys.argv[1]](*sys.argv[2:])
