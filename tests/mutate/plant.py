"""Plants faults in C files: `plant.py SEED ROOT HOME… -- FILE…`, all files relative to ROOT.

A fault is a small change of a function, made by one of the RULES. Which of the places of a function
are taken follows from SEED, the file, the name of the function and the place alone, so other
changes do not move it. All faults of a program are compiled into it, and each is off until its
number is in the variable KSYM_MUTANTS, a list with commas: of the environment or, in the kernel, of
its command line. Each HOME is a source file that every configuration links: it gets the
code that reads the variable. A place that has MUTANT(NAME) already is a fault that was planted by
hand.

The code says which of the places it has come to: byte N is 1 for fault N, in the kernel's file
ksym_reached in debugfs, where it can be set to 0 again, and in the file that the variable
KSYM_REACHED of a program names, which has MAX bytes already.

Prints a line for each fault, with tabs between: its number, its key, FILE, FUNCTION, LINE, the rule
or NAME, and the line of the source. The key is a hash of the function and the place, and so the
same as long as the function does not change.
"""
import functools
import hashlib
import os
import re
import sys

# A function that is longer than this has at least one fault, and one more for each of so many lines.
SHORT, LINES_PER_FAULT = 10, 40

# A dropped statement may have been the one that sets a variable.
EXTERN = """#ifndef MUTANT
extern unsigned char ksym_mutants[], ksym_reached[];
#define MUTANT(n) (ksym_reached[n] = 1, ksym_mutants[n])
#endif
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wsign-compare"
#line 1
"""
# A page, since a program maps the file over its variable.
MAX = 4096
KERNEL_HOME = """
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/string.h>

unsigned char ksym_mutants[MAX], ksym_reached[MAX];
static int __init set_ksym_mutants(char *text)
{
	int n;

	while (get_option(&text, &n))
		if (n > 0 && n < sizeof(ksym_mutants))
			ksym_mutants[n] = 1;
	/* It becomes a variable of the first process, too. */
	return 0;
}
__setup("KSYM_MUTANTS=", set_ksym_mutants);

static int __init show_ksym_reached(void)
{
	static struct debugfs_blob_wrapper blob = { .data = ksym_reached, .size = sizeof(ksym_reached) };

	debugfs_create_blob("ksym_reached", 0600, NULL, &blob);
	return 0;
}
late_initcall(show_ksym_reached);
"""
TOOL_HOME = """
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

unsigned char ksym_mutants[MAX], ksym_reached[MAX] __attribute__((aligned(MAX)));
__attribute__((constructor)) static void set_ksym_mutants(void)
{
	const char *text = getenv("KSYM_MUTANTS"), *file = getenv("KSYM_REACHED");
	int fd = file ? open(file, O_RDWR | O_CLOEXEC) : -1;

	if (fd >= 0) {
		mmap(ksym_reached, MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
		close(fd);
	}

	while (text && *text) {
		char *end;
		unsigned long n = strtoul(text, &end, 10);

		if (n < sizeof(ksym_mutants))
			ksym_mutants[n] = 1;
		text = *end ? end + 1 : end;
	}
}
"""

# Comments, strings and characters, and lines of the preprocessor.
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                      r'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
FUNCTION = re.compile(r"^\{\n(.*?)^\}", re.S | re.M)
# Dropping these changes nothing that the program promises, or does not compile.
KEPT_CALLS = re.compile(r"(die|exit|DEFINE|DECLARE|BUILD|WARN|lockdep|might_|va_|pr_|instrumentation_|KUNIT|assert)")
# What is not there in some configurations is not linked either.
CONFIGURED = re.compile(r"IS_ENABLED|__builtin|IS_BUILTIN")
COMPILE_TIME = re.compile(CONFIGURED.pattern + r"|sizeof|PAGE_SIZE|BITS_PER")


def blank(match):
    """Replaces the match by spaces, so that all positions stay."""
    return re.sub(r"[^\n]", " ", match.group())


def closing(code, at):
    """The position behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if depth == 0:
            return i + 1
    return len(code)


def conditions(code, start, end, left_out=COMPILE_TIME):
    """A condition is negated."""
    for match in re.compile(r"\b(?:if|while) \(").finditer(code, start, end):
        opened = match.end() - 1
        closed = closing(code, opened)
        condition = code[opened + 1:closed - 1]
        if not left_out.search(condition) and not re.fullmatch(r"1|true|0", condition):
            yield match.start(), [(opened, opened, "(MUTANT(%d) ^ !!"), (closed, closed, ")")]


def statements(code, start, end):
    """A statement is dropped."""
    for match, semicolon in simple_statements(code, start, end):
        at = match.start() + len(re.match(r"\t+", match.group()).group())
        # Not the last part of a longer one.
        if re.search(r"(?:[;{})]|\belse|\bdo)\Z", code[start:at].rstrip()):
            yield at, [(at, at, "({ if (!MUTANT(%d)) "), (semicolon + 1, semicolon + 1, " });")]


def simple_statements(code, start, end):
    """Yields the beginning of each call and assignment, and the position of its semicolon."""
    call = re.compile(r"^\t+([a-z_]\w*)\(", re.M)
    for match in call.finditer(code, start, end):
        closed = closing(code, match.end() - 1)
        if code[closed] == ";" and not KEPT_CALLS.match(match[1]) and match[1] not in ("if", "while", "for", "switch"):
            yield match, closed
    store = re.compile(r"^\t+\*?\w+(?:->\w+|\.\w+|\[\w+\])* (?:[-+|&]?=|<<=|>>=) ", re.M)
    for match in store.finditer(code, start, end):
        closed = code.index(";", match.end())
        value = code[match.end():closed]
        # The first value of a variable is often one that it has anyway.
        if "{" not in value and not (value in ("0", "false", "NULL") and re.fullmatch(r"\t+\w+ = ", match.group())):
            yield match, closed
    for match in re.compile(r"^\t+\*?\w+(?:->\w+|\.\w+|\[\w+\])*(?:\+\+|--);", re.M).finditer(code, start, end):
        yield match, match.end() - 1


def limits(code, start, end):
    """A limit is one less, or a number one more."""
    for match in re.compile(r" (?:<|<=|>|>=|\+|-) (?=[\w(])").finditer(code, start, end):
        line = line_at(code, match.start())
        if COMPILE_TIME.search(line) or re.match(r"\t+(static|case|goto)\b", line):
            continue
        if match.group() not in (" + ", " - "):
            yield match.start(), [(match.end(), match.end(), "-MUTANT(%d) + ")]
        elif re.match(r"1\b", code[match.end():]):
            yield match.start(), [(match.end() + 1, match.end() + 1, " + MUTANT(%d)")]


def errors(code, start, end):
    """An error is a success, or another error is undone."""
    for match in re.compile(r"\breturn (-E[A-Z0-9]+|-1|true|false);").finditer(code, start, end):
        other = {"true": "false", "false": "true"}.get(match[1], "0")
        yield match.start(), [(match.start(1), match.end(1), f"MUTANT(%d) ? {other} : {match[1]}")]
    labels = re.findall(r"^ ?(\w+):$", code[start:end], re.M)
    for match in re.compile(r"\bgoto (\w+);").finditer(code, start, end):
        others = [label for label in labels if label != match[1]]
        if others:
            yield match.start(), [(match.start(), match.end(), "{ if (MUTANT(%d)) goto " + others[0] +
                                   "; goto " + match[1] + "; }")]


def cases(code, start, end):
    """A switch finds no case."""
    for match in re.compile(r"\bswitch \(").finditer(code, start, end):
        opened, closed = match.end() - 1, closing(code, match.end() - 1)
        yield match.start(), [(opened + 1, opened + 1, "MUTANT(%d) ? -1 : (int)("), (closed - 1, closed - 1, ")")]


RULES = {"negated": conditions, "dropped": statements, "one off": limits, "error": errors}
# For functions in which the others find nothing.
LAST_RULES = {"no case": cases, "negated": functools.partial(conditions, left_out=CONFIGURED)}


def functions(code):
    """Yields the name, the start and the end of each function, with its head."""
    for match in FUNCTION.finditer(code):
        head = re.search(r"(?:^|[;}\n])\n*([^;}\n][^;}]*\n)\Z", code[:match.start()])
        names = re.findall(r"(\w+)\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?=\Z|\n)", head[1]) if head else []
        if names and not re.search(r"^[A-Z_]+\(|\bstruct \w+ \w+\[", head[1]):
            yield names[-1], match.start(), match.end()


def line_at(text, at):
    return text[text.rindex("\n", 0, at) + 1:text.index("\n", at)]


def digest(*parts):
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


def faults_of(seed, file, text):
    """Yields the key, the function, the position, the rule and the changes of each fault."""
    code = NOT_CODE.sub(blank, text)
    for name, start, end in functions(code):
        lines = code.count("\n", start, end) - 1
        body = text[start:end]
        for match in re.finditer(r"\bMUTANT\((\w+)\)", body):
            at = start + match.start(1)
            yield digest(file, name, body, match[1]), name, at, match[1], [(at, at + len(match[1]), "%d")]
        if lines <= SHORT:
            continue
        # The rule is drawn first, or most faults would be of the rule with the most places.
        def places_of(rules):
            return {rule: sorted(place for place in find(code, start, end) if "MUTANT(" not in line_at(text, place[0]))
                    for rule, find in rules.items()}
        places = places_of(RULES)
        if not any(places.values()):
            places = places_of(LAST_RULES)
        drawn, wanted = set(), 1 + lines // LINES_PER_FAULT
        rules = sorted((digest(seed, file, name, rule, n), rule) for rule in places for n in range(wanted) if places[rule])
        for draw, rule in rules:
            free = [place for place in places[rule] if place[0] not in drawn]
            if not free or len(drawn) == wanted:
                continue
            at, changes = min(free, key=lambda place: digest(draw, line_at(text, place[0]), place[0] - start))
            drawn.add(at)
            yield digest(file, body, rule, at - start), name, at, rule, changes


def main():
    seed, root, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
    homes, files = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    number = 1
    for file in files:
        path = os.path.join(root, file)
        with open(path, encoding="utf-8") as source:
            text = source.read()
        changes = []
        for key, function, at, rule, edits in faults_of(seed, file, text):
            line = text.count("\n", 0, at) + 1
            print(number, key[:16], file, function, line, rule, text.splitlines()[line - 1].strip(), sep="\t")
            changes += [(start, end, new.replace("%d", str(number))) for start, end, new in edits]
            number += 1
        # From the end, so that the positions stay. A change inside of another one is at a later
        # position, or at the same one and opened after it.
        for start, end, new in sorted(changes, key=lambda change: change[0], reverse=True):
            text = text[:start] + new + text[end:]
        if changes:
            with open(path, "w", encoding="utf-8") as source:
                source.write(EXTERN + text)
    for home in homes:
        with open(os.path.join(root, home), "a", encoding="utf-8") as source:
            source.write((TOOL_HOME if home.startswith("tools/") else KERNEL_HOME).replace("MAX", str(MAX)))


main()
