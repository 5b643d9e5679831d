// SPDX-License-Identifier: GPL-2.0-only
/*
 * The target of a SPEC, taken apart as the tracer does it.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "spec/target.h"

/* What can stand in the name of a module, or of its file. */
#define MODULE_CHARS \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

/* What can stand in the name of a symbol; a digit does not begin one. */
static bool is_symbol_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/*
 * The length of the symbol at @p. A dot and a digit are a part of it, which a compiler
 * put there; any other dot begins a member.
 */
static size_t symbol_len(const char *p)
{
	size_t len = 0;

	if (isdigit((unsigned char)*p))
		return 0;
	while (is_symbol_char(p[len]) ||
	       (len && p[len] == '.' && isdigit((unsigned char)p[len + 1])))
		len++;
	return len;
}

/* Reads a number and moves past it. Returns false where there is none, or it is too large. */
static bool take_number(const char **p, int base, unsigned long long *number)
{
	char *end;

	if (!isxdigit((unsigned char)**p) || (base != 16 && !isdigit((unsigned char)**p)))
		return false;
	errno = 0;
	*number = strtoull(*p, &end, base);
	if (errno)
		return false;
	*p = end;
	return true;
}

static bool parse_cast(struct target *target, const char **p, char **error)
{
	const char *begin = *p + 1, *end = strchr(begin, ')');

	if (!end) {
		*error = xasprintf("the ')' behind the type is missing");
		return false;
	}
	begin += strspn(begin, " \t");
	*p = end + 1;
	while (end > begin && isblank((unsigned char)end[-1]))
		end--;
	if (end == begin) {
		*error = xasprintf("there is no type in the parentheses");
		return false;
	}
	target->cast = xasprintf("%.*s", (int)(end - begin), begin);
	return true;
}

static bool parse_symbol(struct target *target, const char **p, char **error)
{
	unsigned long long number;
	const char *colon = strchr(*p, ':');
	size_t len;

	if (colon) {
		target->module = xasprintf("%.*s", (int)(colon - *p), *p);
		*p = colon + 1;
		if (!*target->module ||
		    target->module[strspn(target->module, MODULE_CHARS)]) {
			*error = xasprintf("'%s' is no name of a module", target->module);
			return false;
		}
	}
	if (!strncasecmp(*p, "0x", 2)) {
		*p += 2;
		if (!target->module && take_number(p, 16, &target->addr))
			return true;
		*error = xasprintf("an address is 0x and up to 16 hexadecimal digits");
		return false;
	}
	len = symbol_len(*p);
	if (!len) {
		*error = xasprintf("a symbol is missing: SYMBOL, 0xADDR or (TYPE)SYMBOL.MEMBER");
		return false;
	}
	target->symbol = xasprintf("%.*s", (int)len, *p);
	*p += len;
	if (**p == '@') {
		++*p;
		if (!take_number(p, 10, &number) || !number || number > UINT_MAX) {
			*error = xasprintf("SYMBOL@N takes a number from 1 on");
			return false;
		}
		target->nth = number;
	}
	if (!strncmp(*p, "[cpu", 4)) {
		*p += 4;
		if (!take_number(p, 10, &number) || number > INT_MAX || **p != ']') {
			*error = xasprintf("SYMBOL[cpuN] takes the number of a CPU");
			return false;
		}
		++*p;
		target->cpu = number;
	}
	return true;
}

/* Is this .MEMBER, ->MEMBER and [N] in any number and order? */
static bool is_path(const char *p)
{
	while (*p) {
		if (*p == '[') {
			size_t digits = strspn(p + 1, "0123456789");

			if (!digits || p[1 + digits] != ']')
				return false;
			p += digits + 2;
			continue;
		}
		if (*p == '.')
			p++;
		else if (p[0] == '-' && p[1] == '>')
			p += 2;
		else
			return false;
		if (isdigit((unsigned char)*p) || !is_symbol_char(*p))
			return false;
		while (is_symbol_char(*p))
			p++;
	}
	return true;
}

static bool parse_rest(struct target *target, const char *p, char **error)
{
	unsigned long long off;
	const char *rest = p + 1;

	if ((*p == '+' || *p == '-') && p[1] != '>') {
		if (target->cast) {
			*error = xasprintf("an offset goes with no type");
			return false;
		}
		if (!strncasecmp(rest, "0x", 2)) {
			rest += 2;
			if (!take_number(&rest, 16, &off))
				off = ULLONG_MAX;
		} else if (!take_number(&rest, 10, &off)) {
			off = ULLONG_MAX;
		}
		if (*rest || off > LLONG_MAX) {
			*error = xasprintf("'%s' is no offset: a number of bytes is, 16 or 0x10",
					   p);
			return false;
		}
		target->off = *p == '-' ? -(long long)off : (long long)off;
		return true;
	}
	if (!is_path(p)) {
		*error = xasprintf("'%s': .MEMBER, ->MEMBER, [N] or +OFF stands behind a symbol",
				   p);
		return false;
	}
	free(target->path);
	target->path = xstrdup(p);
	return true;
}

/**
 * target_parse - take a target apart
 * @target: filled in; target_free() takes what is in it, also after a failure
 * @text: the target, without its access
 * @error: what is wrong with it, a new string
 *
 * Return: whether it is one.
 */
bool target_parse(struct target *target, const char *text, char **error)
{
	*target = (struct target) { .cpu = -1, .path = xstrdup("") };
	*error = NULL;
	if (!strcmp(text, "-1")) {
		target->nowhere = true;
		return true;
	}
	if (*text == '(' && !parse_cast(target, &text, error))
		return false;
	return parse_symbol(target, &text, error) && parse_rest(target, text, error);
}

void target_free(struct target *target)
{
	free(target->cast);
	free(target->module);
	free(target->symbol);
	free(target->path);
	memset(target, 0, sizeof(*target));
}

/* The target again, without its type, its path and its offset: a new string. */
char *target_place(const struct target *target)
{
	char nth[32] = "", cpu[32] = "";

	if (target->nowhere)
		return xstrdup("-1");
	if (!target->symbol)
		return xasprintf("%#llx", target->addr);
	if (target->nth)
		snprintf(nth, sizeof(nth), "@%lu", target->nth);
	if (target->cpu >= 0)
		snprintf(cpu, sizeof(cpu), "[cpu%d]", target->cpu);
	return xasprintf("%s%s%s%s%s", target->module ?: "", target->module ? ":" : "",
			 target->symbol, nth, cpu);
}
