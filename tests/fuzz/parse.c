// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drives the parser of watches in user space, under the sanitizers.
 *
 * A parsed line must be written back as a line that parses to the same, and the
 * position of an error must be within its line. Each line is tried as a line of
 * ksym_trace_filter and of dynamic_events. The lines consist of words of the
 * syntax, which random bytes would hardly hit, and of whole lines into which
 * words are inserted. They are the same in every run.
 * libFuzzer and AFL++ call LLVMFuzzerTestOneInput(), too.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ksym_parse.c"

#define MAX_LINE	2400

static void die(const char *what, const char *line)
{
	fprintf(stderr, "parse: %s: \"%s\"\n", what, line);
	abort();
}

/* Is it about a watch that exists? */
static bool is_named(const struct ksym_spec *spec)
{
	return spec->action == KSYM_REMOVE_NAME || spec->action == KSYM_SWITCH_ON ||
	       spec->action == KSYM_SWITCH_OFF;
}

/* Formats a spec as an equivalent line of ksym_trace_filter. */
static void format_spec(char *buf, size_t size, const struct ksym_spec *spec, const char *line)
{
	int len;

	if (is_named(spec)) {
		snprintf(buf, size, "%c%s%s%s", spec->action == KSYM_REMOVE_NAME ? '!' :
			 spec->action == KSYM_SWITCH_ON ? '+' : '-', spec->group,
			 spec->group[0] ? "/" : "", spec->name[0] ? spec->name : "*");
		return;
	}
	len = ksym_format_target(buf, size, &spec->target);
	if (spec->action == KSYM_REMOVE_TARGET) {
		snprintf(buf + len, size - len, ":---");
		return;
	}
	len += snprintf(buf + len, size - len, ":%s", ksym_access_word(spec->access));
	len += ksym_format_window(buf + len, size - len, &spec->window);
	len += snprintf(buf + len, size - len, " name=%s/%s", spec->group, spec->name);
	if (spec->len)
		len += snprintf(buf + len, size - len, " len=%u", spec->len);
	len += ksym_format_options(buf + len, size - len, &spec->opt);
	if (spec->filter_at)
		len += snprintf(buf + len, size - len, " if %.*s", spec->filter_len,
				line + spec->filter_at);
	ksym_format_actions(buf + len, size - len, &spec->opt);
}

/* Formats a spec as a line of dynamic_events, as far as that has words for it. */
static void format_dyn(char *buf, size_t size, const struct ksym_spec *spec)
{
	int len = snprintf(buf, size, "w");

	if (spec->opt.objects)
		len += snprintf(buf + len, size - len, "%u", spec->opt.objects);
	len += snprintf(buf + len, size - len, ":%s/%s %s@", spec->group, spec->name,
			ksym_access_word(spec->access));
	len += ksym_format_target(buf + len, size - len, &spec->target);
	if (spec->len)
		snprintf(buf + len, size - len, ":%u", spec->len);
}

static bool same_target(const struct ksym_target *a, const struct ksym_target *b)
{
	return a->kind == b->kind && !strcmp(a->type, b->type) &&
	       !strcmp(a->module, b->module) && !strcmp(a->symbol, b->symbol) &&
	       a->nth == b->nth && a->cpu == b->cpu && a->addr == b->addr && a->arg == b->arg &&
	       !strcmp(a->path, b->path) && a->off == b->off;
}

static bool same_options(const struct ksym_options *a,
			 const struct ksym_options *b)
{
	return a->flexible == b->flexible && a->inherit == b->inherit &&
	       a->has_limit == b->has_limit &&
	       a->has_budget == b->has_budget && a->changed == b->changed &&
	       a->wrote == b->wrote && a->stack == b->stack &&
	       a->ustack == b->ustack && a->off == b->off && a->pid == b->pid &&
	       a->limit == b->limit && a->budget == b->budget && a->count == b->count &&
	       a->every == b->every && a->every_random == b->every_random &&
	       a->actions == b->actions && a->signal == b->signal &&
	       a->objects == b->objects && a->timeout == b->timeout &&
	       !strcmp(a->cpus, b->cpus);
}

static bool same_spec(const struct ksym_spec *a, const struct ksym_spec *b)
{
	return a->action == b->action && same_target(&a->target, &b->target) &&
	       a->access == b->access && a->len == b->len &&
	       !strcmp(a->group, b->group) && !strcmp(a->name, b->name) &&
	       same_options(&a->opt, &b->opt) &&
	       !memcmp(&a->window, &b->window, sizeof(a->window));
}

/* These hold for any target. */
static void check_target(const char *line, const struct ksym_target *t)
{
	bool at_symbol = t->kind == KSYM_AT_SYMBOL;
	char name[KSYM_EVENT_LEN];
	size_t len;

	if (at_symbol != !!t->symbol[0])
		die("the symbol does not match the kind of target", line);
	if (t->path[0] && ((!t->type[0] && t->kind < KSYM_AT_ARG) || t->off))
		die("a path without a type, or with an offset", line);
	if (!ksym_is_path(t->path))
		die("the path is none", line);
	if (t->kind == KSYM_NOWHERE && (t->type[0] || t->off))
		die("a target without an address has a type or an offset", line);
	if (ksym_default_name(name, t))
		return;
	len = strlen(name);
	if (!is_event_name(name, name + len))
		die("no valid event name", line);
}

/* Each position is in the line, and its part begins there. */
static void check_places(const char *line, const struct ksym_spec *spec)
{
	const unsigned int places[] = {
		spec->type_at, spec->module_at, spec->symbol_at, spec->nth_at,
		spec->cpu_at, spec->path_at, spec->off_at, spec->access_at,
		spec->len_at, spec->name_at, spec->kind_at, spec->cpus_at,
		spec->pid_at, spec->inherit_at, spec->limit_at, spec->budget_at, spec->count_at,
		spec->every_at, spec->objects_at, spec->timeout_at, spec->in_at, spec->until_at,
		spec->changed_at, spec->wrote_at, spec->stack_at,
		spec->ustack_at, spec->off_option_at, spec->args_at,
		spec->filter_at, spec->then_at,
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (places[i] >= strlen(line))
			die("a position outside the line", line);
	if (spec->target.type[0] && line[spec->type_at] != spec->target.type[0])
		die("wrong position of the type", line);
	if (spec->target.module[0] &&
	    strncmp(line + spec->module_at, spec->target.module,
		    strlen(spec->target.module)))
		die("wrong position of the module", line);
	if (strncmp(line + spec->symbol_at, spec->target.symbol,
		    strlen(spec->target.symbol)))
		die("wrong position of the symbol", line);
	if (spec->target.path[0] && line[spec->path_at] != spec->target.path[0])
		die("wrong position of the path", line);
	if (spec->target.off &&
	    line[spec->off_at] != (spec->target.off < 0 ? '-' : '+'))
		die("wrong position of the offset", line);
	if (spec->args_at && is_blank(line[spec->args_at]))
		die("wrong position of the fetch arguments", line);
	if (spec->args_at + spec->args_len > strlen(line) ||
	    spec->filter_at + spec->filter_len > strlen(line))
		die("a clause that exceeds the line", line);
	if (spec->filter_at && (is_blank(line[spec->filter_at]) ||
				is_blank(line[spec->filter_at + spec->filter_len - 1])))
		die("blanks around the filter", line);
}

static void check_error(const char *line, int ret, const struct ksym_error *error)
{
	if (ret != -EINVAL || error->code >= KSYM_ERR_NONE ||
	    error->at > strlen(line))
		die("no error, or an error outside the line", line);
}

static void check_dyn_line(const char *line)
{
	struct ksym_error error = { .code = KSYM_ERR_NONE };
	struct ksym_spec spec, again;
	char back[MAX_LINE];
	int ret = ksym_parse_dyn(line, &spec, &error);

	if (*skip_blanks(line) != 'w') {
		if (ret != -ECANCELED)
			die("another kind of event is accepted", line);
		return;
	}
	if (ret) {
		check_error(line, ret, &error);
		return;
	}
	check_target(line, &spec.target);
	check_places(line, &spec);
	if (spec.action != KSYM_ADD || !spec.lazy || !spec.access)
		die("not a watch of dynamic_events", line);
	format_dyn(back, sizeof(back), &spec);
	if (ksym_parse_dyn(back, &again, &error))
		die("can't be parsed when written back", line);
	if (!same_spec(&spec, &again))
		die("differs when written back", line);
	/* The same spec as a line of the other file. */
	format_spec(back, sizeof(back), &spec, line);
	if (ksym_parse(back, &again, &error))
		die("can't be parsed as a line of ksym_trace_filter", line);
	if (!same_spec(&spec, &again))
		die("differs as a line of ksym_trace_filter", line);
}

static void check_line(const char *line)
{
	struct ksym_error error = { .code = KSYM_ERR_NONE };
	struct ksym_spec spec, again;
	char back[MAX_LINE];
	int ret = ksym_parse(line, &spec, &error);

	/* Whatever it says of a text, it reads no further. */
	(void)ksym_is_path(line);
	if (ret) {
		check_error(line, ret, &error);
		return;
	}
	if (spec.action == KSYM_NOTHING || spec.action == KSYM_REMOVE_ALL)
		return;
	if (!is_named(&spec)) {
		check_target(line, &spec.target);
		check_places(line, &spec);
	}
	format_spec(back, sizeof(back), &spec, line);
	if (ksym_parse(back, &again, &error))
		die("can't be parsed when written back", line);
	if (!same_spec(&spec, &again) || spec.filter_len != again.filter_len ||
	    memcmp(line + spec.filter_at, back + again.filter_at, spec.filter_len))
		die("differs when written back", line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* In a buffer of exactly its size, so that the sanitizers find an overrun. */
	char *line = malloc(size + 1);

	if (!line)
		abort();
	memcpy(line, data, size);
	line[size] = '\0';
	check_line(line);
	check_dyn_line(line);
	free(line);
	return 0;
}

#ifndef LIBFUZZER

/* The longest options fit KSYM_OPTIONS_LEN, and are truncated in any smaller buffer. */
static void check_longest(void)
{
	struct ksym_options o = {
		.flexible = true, .inherit = true, .has_limit = true,
		.has_budget = true,
		.changed = true, .wrote = true, .stack = true, .ustack = true, .off = true,
		.pid = ~0u, .limit = ~0u, .budget = ~0u, .count = ~0ull,
		.every = ~0u, .every_random = true, .actions = ~0, .signal = KSYM_SIGNAL_MAX,
		.objects = ~0u, .timeout = ~0ull,
	};
	char *buf = malloc(KSYM_OPTIONS_LEN);
	int len;

	if (!buf)
		abort();
	memset(o.cpus, '1', sizeof(o.cpus) - 1);
	len = ksym_format_options(buf, KSYM_OPTIONS_LEN, &o);
	if (len >= KSYM_OPTIONS_LEN - 1)
		die("KSYM_OPTIONS_LEN is too small", buf);
	/* From 1, as scnprintf() of user space returns -1 for 0. */
	for (int size = 1; size <= len; size++)
		if (ksym_format_options(buf, size, &o) != size - 1)
			die("the returned length exceeds the buffer", "");
	len = ksym_format_actions(buf, KSYM_ACTIONS_LEN, &o);
	if (len >= KSYM_ACTIONS_LEN - 1)
		die("KSYM_ACTIONS_LEN is too small", buf);
	free(buf);
}

/* The longest target fits KSYM_TARGET_LEN. */
static void check_longest_target(void)
{
	struct ksym_target t = { .nth = ~0u, .cpu = S32_MAX, .off = -S64_MAX };
	char *buf = malloc(KSYM_TARGET_LEN), name[KSYM_EVENT_LEN];

	if (!buf)
		abort();
	memset(t.type, 't', sizeof(t.type) - 1);
	memset(t.module, 'm', sizeof(t.module) - 1);
	memset(t.symbol, 's', sizeof(t.symbol) - 1);
	memset(t.path, 'p', sizeof(t.path) - 1);
	if (ksym_format_target(buf, KSYM_TARGET_LEN, &t) >= KSYM_TARGET_LEN)
		die("KSYM_TARGET_LEN is too small", buf);
	if (ksym_default_name(name, &t) != -ENAMETOOLONG)
		die("the name exceeds its buffer", buf);
	free(buf);
}

static uint64_t state = 1;

static unsigned int pick(unsigned int n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % n;
}

static const char * const words[] = {
	"panic_timeout", "a", "_", "a.b$c", "$", "0", "*", "!", "#", ":", "::", "+",
	"-", "r", "w", "rw", "r--", "-w-", "rw-", "---", ":---", "*:---", " ",
	"\t", "  ", "len=", "name=", "len=4", "name=x", "name=enable", "=", "1",
	"2", "4", "8", "16", "0x", "0x10", "0x7fffffffffffffff",
	"0x8000000000000000", "99999999999999999999", "010", "?", "/", "\xe9",
	"\x7f", "\x01", " pinned", " flexible", " inherit", " cpu=", " pid=",
	" limit=", " count=", " cpu=0,2-3", " cpu=all", " pid=42", " limit=0",
	" limit=7/ms", " budget=5%", " budget=0", " count=3", " changed",
	" wrote", " stack", " ustack", " off", " every=3", " every=~7",
	" if ", " then ", "new > 1", "\"", "'", "if", "then", "traceoff", "snapshot", "panic",
	"signal=9", "signal=", " objects=4", " timeout=5ms", " in f",
	" in m:f until g(arg2)", " until g(arg7)", "arg1", "$stack", "$retval",
	"/ms", ",", " # coverage=12.5%", "(", ")",
	"(t)", "(struct  rq)", "(unsigned long)", "(list_head* *)", "[", "]",
	"[3]", "[0x10]", "[cpu3]", "[cpu", ".", "->", ".b", "->c", ".7", "@",
	"@2", "@0", "-1", "ext4:", "8021q:", ":w", ":rw", ":foo", "g/", "!g/b",
	" name=g/b", " len=3", " len=32", " args ", " args", "$comm", "w ",
	"w @", "w w@", "w:g/b ", "w:g.b ", "w:g/ ", "r@", "+8", "-8", ":8", "-g/b", "+a", "g/*",
	"0xffffffff81000000",
};

/* With one more word, the type is too long or exactly as long as allowed. */
#define ALMOST_128 \
	"t23456789012345678901234567890123456789012345678901234567890" \
	"123456789012345678901234567890123456789012345678901234567890"

/* Lines to insert words into. Each has a long valid start. */
static const char * const lines[] = {
	"arg1->a.b:w in f until g(arg2)", "$stack-8 in f len=8 objects=2",
	"$retval->a in m:f until g(arg6) timeout=5ms", ".a[3]->b", "[x",
	"panic_timeout:w", "ext4:foo+8:rw len=4", "a@2[cpu3]-8", "!g/b", "-g/*", "+a",
	"(struct rq *)m:a.1@7[cpu0].b->c[2]:r name=g/b args $comm",
	"0xffffffff81000000+16:rw len=32", "-1:rw len=4", "0", "*:---",
	"(t)0x10->a:---", "w:g/b rw@ext4:foo+8:4 $comm", "w @(t)a.b", "w w@-1:8",
	"w r@0xffffffff81000000:2", "(t)a[4294967295][cpu1]",
	"a pinned cpu=0 pid=7 inherit count=3 # b", "a flexible limit=7/ms",
	"a:r count=2 ustack stack wrote changed",
	"a every=~2 args $comm if comm == \"a if then # b\" && new > 1 then traceoff,signal=5 # c",
	"a if 'then' then panic , traceoff", "a off then snapshot,signal=64",
	"a then signal=5,signal=6", "a then traceoff,snapshot,traceoff", "a then snapshot,panic",
	"w w@a[cpu3]", "w:g.b @a@2:1", "(unsigned long)a[3] name=x",
	"(" ALMOST_128 " *)a",
};

/*
 * Inserts a text into a line at an offset, if there is room. Now and then it is a long
 * text instead, around the limits.
 */
static void put_in(char *line, size_t at, const char *text)
{
	static const unsigned int limits[] = {
		KSYM_MODULE_LEN, KSYM_EVENT_LEN, KSYM_TYPE_LEN, KSYM_PATH_LEN,
		KSYM_SYM_MAX,
	};
	char many[KSYM_SYM_MAX + 16];
	size_t len;

	if (!pick(60)) {
		len = limits[pick(sizeof(limits) / sizeof(*limits))] - 12 + pick(16);
		memset(many, 's', len);
		many[len] = '\0';
		text = many;
	}
	len = strlen(text);
	/* The line that is written back may be longer, because of its numbers. */
	if (strlen(line) + len >= MAX_LINE - 400)
		return;
	memmove(line + at + len, line + at, strlen(line + at) + 1);
	memcpy(line + at, text, len);
}

int main(int argc, char **argv)
{
	long runs = argc > 1 ? atol(argv[1]) : 1000000;
	char line[MAX_LINE];
	const char *word;
	bool whole;
	size_t at;

	check_longest();
	check_longest_target();
	for (long i = 0; i < runs; i++) {
		whole = pick(2);
		word = whole ? lines[pick(sizeof(lines) / sizeof(*lines))] : "";
		snprintf(line, sizeof(line), "%s", word);
		for (unsigned int nr = whole ? pick(4) : 1 + pick(9); nr; nr--) {
			word = words[pick(sizeof(words) / sizeof(*words))];
			at = strlen(line);
			if (whole)
				at = pick(at + 1);
			put_in(line, at, word);
			/* The word may replace what it is inserted before. */
			at += strlen(word);
			if (whole && pick(2) && at < strlen(line))
				memmove(line + at, line + at + 1, strlen(line + at));
		}
		LLVMFuzzerTestOneInput((uint8_t *)line, strlen(line));
	}
	return 0;
}

#endif /* LIBFUZZER */
