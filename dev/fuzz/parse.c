// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drives the parser of watches in user space, under the sanitizers.
 *
 * What is parsed must be written back as a line that is parsed to the same, and
 * an error must stand within its line. The lines are made of the words of the
 * syntax, which random bytes would hardly find, and are the same in every run.
 * LLVMFuzzerTestOneInput() is what libFuzzer and AFL++ call, too.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ksym_parse.c"

#define MAX_LINE	1200

static void die(const char *what, const char *line)
{
	fprintf(stderr, "parse: %s: \"%s\"\n", what, line);
	abort();
}

/* A line that says the same as a spec. */
static void format_spec(char *buf, size_t size, const struct ksym_spec *spec)
{
	int len = ksym_format_target(buf, size, spec->symbol, spec->off);

	if (spec->action == KSYM_REMOVE_TARGET) {
		snprintf(buf + len, size - len, ":---");
		return;
	}
	len += snprintf(buf + len, size - len, ":%s name=%s",
			ksym_access_word(spec->access), spec->name);
	if (spec->len)
		len += snprintf(buf + len, size - len, " len=%u", spec->len);
	ksym_format_options(buf + len, size - len, &spec->opt);
}

/* The longest options fit the header's length, and are cut in any shorter one. */
static void check_longest(void)
{
	struct ksym_options o = { true, true, true, ~0u, ~0u, ~0ull, "" };
	char *buf = malloc(KSYM_OPTIONS_LEN);
	int len;

	if (!buf)
		abort();
	memset(o.cpus, '1', sizeof(o.cpus) - 1);
	len = ksym_format_options(buf, KSYM_OPTIONS_LEN, &o);
	if (len >= KSYM_OPTIONS_LEN - 1)
		die("KSYM_OPTIONS_LEN is too little", buf);
	/* Not 0, where scnprintf() of user space returns -1. */
	for (int size = 1; size <= len; size++)
		if (ksym_format_options(buf, size, &o) != size - 1)
			die("a length beyond its buffer", "");
	free(buf);
}

static bool same_options(const struct ksym_options *a,
			 const struct ksym_options *b)
{
	return a->flexible == b->flexible && a->inherit == b->inherit &&
	       a->has_limit == b->has_limit && a->pid == b->pid &&
	       a->limit == b->limit && a->count == b->count &&
	       !strcmp(a->cpus, b->cpus);
}

static void check_line(const char *line)
{
	struct ksym_error error = { .code = KSYM_ERR_NONE };
	struct ksym_spec spec, again;
	char back[MAX_LINE];

	if (ksym_parse(line, &spec, &error)) {
		if (error.code >= KSYM_ERR_NONE || error.at > strlen(line))
			die("no error, or one outside of its line", line);
		return;
	}
	if (spec.action != KSYM_ADD && spec.action != KSYM_REMOVE_TARGET)
		return;
	if (!spec.symbol[0] || spec.symbol_at >= strlen(line))
		die("no symbol", line);
	format_spec(back, sizeof(back), &spec);
	if (ksym_parse(back, &again, &error))
		die("can't be written back", line);
	if (again.action != spec.action || again.off != spec.off ||
	    again.access != spec.access || again.len != spec.len ||
	    strcmp(again.symbol, spec.symbol) || strcmp(again.name, spec.name) ||
	    !same_options(&again.opt, &spec.opt))
		die("is another one when written back", line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A buffer of its own, so that a byte too far is found. */
	char *line = malloc(size + 1);

	if (!line)
		abort();
	memcpy(line, data, size);
	line[size] = '\0';
	check_line(line);
	free(line);
	return 0;
}

#ifndef LIBFUZZER

static uint64_t state = 1;

static unsigned int pick(unsigned int n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % n;
}

static const char * const words[] = {
	"pid_max", "a", "_", "a.b$c", "0", "*", "!", "#", ":", "::", "+", "-",
	"r", "w", "rw", "r--", "-w-", "rw-", "---", "*:---", " ", "\t", "  ",
	"len=", "name=", "len=4", "name=x", "name=enable", "=", "1", "2", "4",
	"8", "16", "0x", "0x10", "0x7fffffffffffffff", "0x8000000000000000",
	"99999999999999999999", "010", "?", "/", "\xe9", "\x7f", "\x01",
	" pinned", " flexible", " inherit", " cpu=", " pid=", " limit=",
	" count=", " cpu=0,2-3", " cpu=all", " pid=42", " limit=0",
	" limit=7/ms", " count=3", "/ms", ",", " # coverage=12.5%",
};

int main(int argc, char **argv)
{
	long runs = argc > 1 ? atol(argv[1]) : 1000000;
	char line[MAX_LINE];
	size_t len, room;
	const char *word;
	unsigned int nr;

	check_longest();
	for (long i = 0; i < runs; i++) {
		len = 0;
		for (nr = 1 + pick(9); nr; nr--) {
			word = words[pick(sizeof(words) / sizeof(*words))];
			/* Now and then a long one, around the limits. */
			if (!pick(200)) {
				room = pick(2) ? 60 + pick(8) : 505 + pick(12);
				if (len + room < sizeof(line) - 64) {
					memset(line + len, 's', room);
					len += room;
				}
			}
			if (len + strlen(word) >= sizeof(line) - 1)
				break;
			memcpy(line + len, word, strlen(word));
			len += strlen(word);
		}
		LLVMFuzzerTestOneInput((uint8_t *)line, len);
	}
	return 0;
}

#endif /* LIBFUZZER */
