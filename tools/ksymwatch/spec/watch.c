// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracer's text files: ksym_trace_filter with the watches, error_log with
 * what was wrong with one, trace_stat/ksym_tracer with the counters, ksym_slots
 * with the debug registers.
 *
 * What a SPEC may look like is the kernel's business, and so are the words for
 * what is wrong with one. Here a SPEC is taken apart only as far as is needed to
 * know the name of its watch, and to refuse what is no SPEC but a removal or a glob.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/session.h"
#include "backend/support.h"
#include "backend/tracer/owner.h"
#include "lib/ksymwatch.h"
#include "symbols/resolve.h"
#include "symbols/symbols.h"

#define FILTER_FILE	"ksym_trace_filter"
#define STAT_FILE	"trace_stat/ksym_tracer"
#define SLOTS_FILE	"ksym_slots"
#define BLANKS		" \t\r\v\f"
#define NAME_CHARS	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* A removed watch is a watch with no access left: SYMBOL:---. */
#define NO_ACCESS	"---"

/* The word of a line's comment that tells how much of the time a watch was armed. */
#define COVERAGE	"coverage="

/* The word there that tells to which addresses the target led. */
#define ADDRESS		"addr="

/* The word in the comment of a line that save wrote: the instances it was enabled in. */
#define ENABLED		"enabled="

/* The word behind which the rest of a line is fetch arguments. */
#define ARGS		"args"

/* Takes the next line off a text; an empty one at its end does not count. */
static char *next_line(char **text)
{
	char *line = strsep(text, "\n");

	return line && (*line || *text) ? line : NULL;
}

/* As tracefs_instance_file_read(), which takes an empty file for an error. */
static char *read_fd(int fd, const char *name)
{
	char *text = xcalloc(1, 1), chunk[4096];
	size_t size = 0;
	ssize_t got = -1;

	while (fd >= 0 && (got = read(fd, chunk, sizeof(chunk))) > 0) {
		text = xreallocarray(text, size + got + 1, 1);
		memcpy(text + size, chunk, got);
		size += got;
		text[size] = '\0';
	}
	if (got < 0)
		die("%s cannot be read: %s", name, strerror(errno));
	close(fd);
	return text;
}

static char *read_file(const char *name)
{
	return read_fd(tracefs_instance_file_open(NULL, name, O_RDONLY | O_CLOEXEC), name);
}

/* The length of a target with its access; the type before a symbol may hold blanks. */
static size_t target_len(const char *line)
{
	size_t len = *line == '(' ? strcspn(line, ")") : 0;

	return len + strcspn(line + len, BLANKS);
}

/*
 * Copies the target at @line, up to its end. The access word stands behind the last
 * colon; there may be others before it.
 */
static void split_target(const char *line, char **target, char **access)
{
	size_t len = target_len(line);
	char *colon;

	*target = xasprintf("%.*s", (int)len, line);
	*access = NULL;
	colon = strrchr(*target, ':');
	/* A longer word, or one of other letters, is the symbol of a module. */
	if (!colon || !colon[1] || strlen(colon + 1) > strlen(NO_ACCESS) ||
	    colon[1 + strspn(colon + 1, "rw-")])
		return;
	*access = xstrdup(colon + 1);
	*colon = '\0';
}

/*
 * Takes the comment off a line, and returns it without its '#'; "" where it has
 * none. A word that begins with '#' begins one; the first word is none of these.
 */
static char *cut_comment(char *line)
{
	char *p = line;

	for (;;) {
		p += strcspn(p, BLANKS);
		p += strspn(p, BLANKS);
		if (!*p)
			return p;
		if (*p == '#')
			break;
	}
	*p = '\0';
	/* Without the blanks before it, too: something may be put there. */
	for (line = p; strchr(BLANKS, line[-1]); line--)
		line[-1] = '\0';
	return p + 1;
}

/*
 * Returns what follows @key in the first of the words at @p that begins with it, as
 * a new string, or NULL.
 */
static char *find_word(const char *p, const char *key)
{
	for (p += strspn(p, BLANKS); *p; p += strspn(p, BLANKS)) {
		size_t len = strcspn(p, BLANKS);

		if (!strncmp(p, key, strlen(key)))
			return xasprintf("%.*s", (int)(len - strlen(key)),
					 p + strlen(key));
		p += len;
	}
	return NULL;
}

/* Is the word at @p this one? */
static bool is_word(const char *p, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(p, word, len) && (!p[len] || strchr(BLANKS, p[len]));
}

/* The length of a line up to the word that begins the fetch arguments, or all of it. */
static size_t options_len(const char *line)
{
	const char *p = line + target_len(line);

	for (p += strspn(p, BLANKS); *p; p += strspn(p, BLANKS)) {
		if (is_word(p, ARGS))
			break;
		p += strcspn(p, BLANKS);
	}
	return p - line;
}

/*
 * Returns the value of the option "KEY=" in a line as a new string, or NULL. A fetch
 * argument may be called like an option.
 */
static char *find_option(const char *line, const char *key)
{
	size_t target = target_len(line);
	char *options = xasprintf("%.*s", (int)(options_len(line) - target), line + target);
	char *value = find_word(options, key);

	free(options);
	return value;
}

/* Does a line have this option, a word without a value? */
static bool has_option(const char *line, const char *word)
{
	char *rest = find_option(line, word);
	bool found = rest && !*rest;

	free(rest);
	return found;
}

/* Is this a character of an identifier? There are others only in other languages. */
static bool is_name_char(char c)
{
	return c && strchr(NAME_CHARS, c);
}

/* Are these characters an identifier of C? */
bool is_identifier(const char *text, size_t len)
{
	return len && strspn(text, NAME_CHARS) >= len && !isdigit((unsigned char)*text);
}

/* What stands in a target behind the type and the module. */
static const char *skip_module(const char *target)
{
	const char *p = target + (*target == '(' ? strcspn(target, ")") : 0), *colon;

	p += *p == ')';
	colon = strchr(p, ':');
	return colon ? colon + 1 : p;
}

/* A target without its type and module, its numbers as the kernel writes them. */
static char *plain_target(const char *target)
{
	struct target parsed;
	char *plain, *place, *error = NULL, off[32] = "";

	if (target_parse(&parsed, target, &error)) {
		free(parsed.module);
		parsed.module = NULL;
		place = target_place(&parsed);
		if (parsed.off)
			snprintf(off, sizeof(off), "%c%#llx", parsed.off < 0 ? '-' : '+',
				 llabs(parsed.off));
		plain = xasprintf("%s%s%s", place, parsed.path ?: "", off);
		free(place);
	} else {
		plain = xstrdup(skip_module(target));
	}
	target_free(&parsed);
	free(error);
	return plain;
}

/*
 * Makes a name from a target in the way that the kernel does: without its type and
 * module, with a '_' for each run of what can't stand in an identifier, and none at the
 * end. What is at an address gets letters before that, and -1 is one. Empty where that
 * gives no name.
 */
static void target_name(const char *target, char name[KSYM_NAME_LEN])
{
	char *plain = plain_target(target);
	const char *p = plain;
	bool gap = false;
	size_t len = 0;

	if (!strcmp(p, "-1"))
		p = "0xffffffffffffffff";
	if (isdigit((unsigned char)*p))
		len = snprintf(name, KSYM_NAME_LEN, "w_");
	for (; *p && len < KSYM_NAME_LEN - 1; p++) {
		if (!is_name_char(*p)) {
			gap = true;
			continue;
		}
		if (gap)
			name[len++] = '_';
		gap = false;
		if (len < KSYM_NAME_LEN - 1)
			name[len++] = *p;
	}
	/* What is left over is no name where it is more than can't stand in one. */
	p += strspn(p, "]");
	name[*p ? 0 : len] = '\0';
	free(plain);
}

/* Takes what a watch is called apart; a group that is not named is that of the tracer. */
void split_event(const char *event, char group[KSYM_NAME_LEN], char name[KSYM_NAME_LEN])
{
	const char *slash = strchr(event, '/');

	snprintf(group, KSYM_NAME_LEN, "%.*s", slash ? (int)(slash - event) : -1,
		 slash ? event : KSYM_GROUP);
	snprintf(name, KSYM_NAME_LEN, "%s", slash ? slash + 1 : event);
}

/* What the watch with this event is called. */
void join_event(char event[KSYM_EVENT_LEN], const char *group, const char *name)
{
	if (strcmp(group, KSYM_GROUP))
		snprintf(event, KSYM_EVENT_LEN, "%s/%s", group, name);
	else
		snprintf(event, KSYM_EVENT_LEN, "%s", name);
}

/* The same for the value of an option name=, which may name the tracer's group, too. */
static void name_event(char event[KSYM_EVENT_LEN], const char *value)
{
	char group[KSYM_NAME_LEN], name[KSYM_NAME_LEN];

	split_event(value, group, name);
	join_event(event, group, name);
}

/*
 * What the kernel says in the comment of a line, but for the coverage and the addresses:
 * "done" and the like, with a ';' between them, as there are commas in lists of CPUs.
 */
static char *find_state(const char *comment)
{
	struct strings words = {};
	const char *p = comment;
	char *joined;

	for (p += strspn(p, BLANKS); *p; p += strspn(p, BLANKS)) {
		size_t len = strcspn(p, BLANKS);

		if (strncmp(p, COVERAGE, strlen(COVERAGE)) && strncmp(p, ADDRESS, strlen(ADDRESS)))
			strings_add_owned(&words, xasprintf("%.*s", (int)len, p));
		p += len;
	}
	joined = words.nr ? strings_join(&words, ";") : NULL;
	strings_free(&words);
	return joined;
}

/* Takes a line apart, which loses its comment. */
void watch_parse(struct watch *watch, char *line)
{
	const char *comment = cut_comment(line);
	char event[KSYM_EVENT_LEN], *name;

	watch->line = xstrdup(line);
	watch->enabled = find_word(comment, ENABLED);
	watch->coverage = find_word(comment, COVERAGE);
	watch->state = find_state(comment);
	watch->flexible = has_option(line, "flexible");
	watch->inherit = has_option(line, "inherit");
	watch->cpus = find_option(line, "cpu=");
	watch->pid = find_option(line, "pid=");
	split_target(line, &watch->target, &watch->access);
	watch->len = find_option(line, "len=");
	name = find_option(line, "name=");
	if (name)
		name_event(event, name);
	else
		target_name(watch->target, event);
	watch->name = xstrdup(event);
	free(name);
}

/* Reads the watches that there are, whoever made them. */
void watches_read(struct watches *watches)
{
	char *text = read_file(FILTER_FILE), *rest = text, *line;

	memset(watches, 0, sizeof(*watches));
	while ((line = next_line(&rest))) {
		line += strspn(line, BLANKS);
		if (!*line || *line == '#')
			continue;
		watches->watch = xreallocarray(watches->watch, watches->nr + 1,
					       sizeof(*watches->watch));
		watch_parse(&watches->watch[watches->nr++], line);
	}
	free(text);
}

void watch_free(struct watch *watch)
{
	free(watch->line);
	free(watch->enabled);
	free(watch->name);
	free(watch->target);
	free(watch->access);
	free(watch->len);
	free(watch->cpus);
	free(watch->pid);
	free(watch->coverage);
	free(watch->state);
}

void watches_free(struct watches *watches)
{
	size_t i;

	for (i = 0; i < watches->nr; i++)
		watch_free(&watches->watch[i]);
	free(watches->watch);
	memset(watches, 0, sizeof(*watches));
}

/* Is this watch meant by NAME or GRP/NAME? A NAME alone means one of any group. */
static bool is_called(const struct watch *watch, const char *name)
{
	char wanted[KSYM_EVENT_LEN];
	const char *slash;

	if (strchr(name, '/')) {
		name_event(wanted, name);
		return !strcmp(watch->name, wanted);
	}
	slash = strchr(watch->name, '/');
	return !strcmp(slash ? slash + 1 : watch->name, name);
}

/**
 * watches_find - the watch of a name
 * @watches: the watches that there are
 * @name: NAME or GRP/NAME
 *
 * Ends the program where several groups have a watch of this NAME.
 *
 * Return: the watch, or NULL where there is none.
 */
const struct watch *watches_find(const struct watches *watches,
				 const char *name)
{
	const struct watch *found = NULL;
	size_t i;

	for (i = 0; i < watches->nr; i++) {
		const struct watch *watch = &watches->watch[i];

		if (!is_called(watch, name))
			continue;
		if (found)
			die("several watches are called '%s': put the group before it, as in %s",
			    name, strchr(watch->name, '/') ? watch->name : found->name);
		found = watch;
	}
	return found;
}

/*
 * The options that may stand in an argument of their own. The words among them could
 * be symbols, too: SYMBOL:ACCESS is one for sure.
 */
static bool is_option(const char *arg)
{
	static const char * const keys[] = { "len=", "name=", "cpu=", "pid=", "limit=", "budget=",
					     "count=" };
	static const char * const words[] = { "pinned", "flexible", "inherit", "changed", "wrote",
					      "stack", "ustack", ARGS };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strncmp(arg, keys[i], strlen(keys[i])))
			return true;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(arg, words[i]))
			return true;
	return false;
}

/*
 * Is this, behind a word that begins them, a fetch argument? It has a name, or begins
 * with what no target begins with: "-1" is one, "-8($addr)" isn't.
 */
static bool is_fetch_arg(const char *arg)
{
	size_t len = strcspn(arg, BLANKS);

	return memchr(arg, '=', len) || strchr("$@+%\\", *arg) ||
	       (*arg == '-' && memchr(arg, '(', len));
}

/* Does a line that should make a watch, without blanks before it, remove some? */
bool spec_removes(const char *spec)
{
	char *target, *access;
	bool removes;

	split_target(spec, &target, &access);
	removes = *spec == '!' || !strcmp(target, "0") ||
		  (access && !strcmp(access, NO_ACCESS));
	free(target);
	free(access);
	return removes;
}

/*
 * A line of ksym_trace_filter can also remove watches, which whoever asks for one
 * does not want, and a second line in a SPEC is a second SPEC.
 */
static void check_spec(const char *spec)
{
	if (strchr(spec, '\n'))
		die("'%s': a SPEC is one line", spec);
	spec += strspn(spec, BLANKS);
	if (!*spec || *spec == '#')
		die("'%s' is no SPEC: TARGET[:ACCESS] [OPTION...] is", spec);
	if (spec_removes(spec))
		die("'%s' removes watches: use ksymwatch rm for that", spec);
}

/*
 * Takes the arguments of a command as SPECs. The options of a SPEC may be arguments
 * of their own, so that nobody has to quote the blank before them.
 */
void specs_from_args(struct strings *specs, int argc, char **argv)
{
	int i;

	memset(specs, 0, sizeof(*specs));
	for (i = 0; i < argc; i++) {
		char **last = specs->nr ? &specs->text[specs->nr - 1] : NULL;
		const char *arg = argv[i] + strspn(argv[i], BLANKS);
		bool more = last && ((*last)[options_len(*last)] ? is_fetch_arg(arg) :
							       is_option(arg));
		char *longer;

		if (!more) {
			check_spec(arg);
			longer = xstrdup(arg);
			/* Options that come behind it must not become a part of it. */
			cut_comment(longer);
			strings_add_owned(specs, longer);
			continue;
		}
		longer = xasprintf("%s %s", *last, arg);
		free(*last);
		*last = longer;
		check_spec(longer);
	}
}

/* The targets of SPECs, without their access and their options. */
void spec_targets(struct strings *targets, const struct strings *specs)
{
	char *target, *access;
	size_t i;

	memset(targets, 0, sizeof(*targets));
	for (i = 0; i < specs->nr; i++) {
		split_target(specs->text[i], &target, &access);
		strings_add_owned(targets, target);
		free(access);
	}
}

/* Takes a SPEC apart: its target, its access or NULL, and its options. New strings. */
void spec_split(const char *spec, char **target, char **access, char **options)
{
	split_target(spec, target, access);
	*options = xstrdup(spec + target_len(spec));
}

/* A watch is on one symbol, and a glob might match thousands of them. */
void refuse_globs(const struct strings *specs)
{
	struct strings targets;
	size_t i;

	spec_targets(&targets, specs);
	for (i = 0; i < targets.nr; i++)
		if (target_is_glob(targets.text[i]))
			die("'%s' is a glob: ksymwatch add --dry-run shows what it matches",
			    targets.text[i]);
	strings_free(&targets);
}

/* The length of a SPEC's target with its access. */
size_t spec_target_len(const char *spec)
{
	return target_len(spec);
}

/* The target of a SPEC, without its access: a new string. */
char *spec_target(const char *spec)
{
	char *target, *access;

	split_target(spec, &target, &access);
	free(access);
	return target;
}

/* The access of a SPEC: a new string, or NULL where it has none. */
char *spec_access(const char *spec)
{
	char *target, *access;

	split_target(spec, &target, &access);
	free(target);
	return access;
}

/* Has a SPEC this option, a word without a value? */
bool spec_has_option(const char *spec, const char *word)
{
	return has_option(spec, word);
}

/* The value of an option "KEY=" of a SPEC: a new string, or NULL where it has none. */
char *spec_option(const char *spec, const char *key)
{
	return find_option(spec, key);
}

/* What the watch is called that a SPEC makes; empty where it can't have a name. */
void spec_name(const char *spec, char name[KSYM_EVENT_LEN])
{
	char *option = find_option(spec, "name="), *target, *access;

	split_target(spec, &target, &access);
	if (option)
		name_event(name, option);
	else
		target_name(target, name);
	free(option);
	free(target);
	free(access);
}

/*
 * Adds the line that makes the watch of a SPEC, with its name written out: who has
 * to remove the watch must know its name, even where the kernel has more ways of
 * writing a target than this program knows.
 */
void spec_line(struct strings *lines, const char *spec)
{
	char *line = resolve_spec(spec), *given = find_option(line, "name=");
	size_t target = target_len(line);
	char name[KSYM_EVENT_LEN];

	spec_name(spec, name);
	if (!name[0])
		die("'%s' makes no name for its watch: give one with name=NAME", spec);
	/* Not at the end, where fetch arguments may stand. */
	if (given)
		strings_add(lines, line);
	else
		strings_add_owned(lines, xasprintf("%.*s name=%s%s", (int)target, line, name,
						   line + target));
	free(given);
	free(line);
}

/* Says what was refused, where the kernel does not. */
static void print_errno(const struct strings *shown, int error)
{
	char *all = strings_join(shown, ", ");

	err("%s: %s", all, strerror(error));
	free(all);
}

/* Is the event of a watch enabled in an instance (NULL: in the top one)? */
static bool is_enabled_in(const char *instance_name, const char *event)
{
	char group[KSYM_NAME_LEN], name[KSYM_NAME_LEN];
	struct tracefs_instance *instance = NULL;
	bool enabled = false;
	char *state;

	if (instance_name) {
		instance = tracefs_instance_alloc(NULL, instance_name);
		if (!instance)
			return false;
	}
	split_event(event, group, name);
	state = tracefs_event_file_read(instance, group, name, "enable", NULL);
	/* A star behind it tells of triggers, which keep the event going, too. */
	if (state)
		enabled = *state == '1' || strchr(state, '*');
	free(state);
	tracefs_instance_free(instance);
	return enabled;
}

/**
 * watch_users - who has the event of a watch enabled
 * @name: the watch
 * @top: does the top instance count?
 *
 * Return: the names of the instances, with "top" for the top one; "-" for nobody. A
 * new string.
 */
char *watch_users(const char *name, bool top)
{
	char **instances = tracefs_instances(NULL);
	struct strings users = {};
	char *joined;
	size_t i;

	if (top && is_enabled_in(NULL, name))
		strings_add(&users, "top");
	for (i = 0; instances && instances[i]; i++)
		if (is_enabled_in(instances[i], name))
			strings_add(&users, instances[i]);
	if (!users.nr)
		strings_add(&users, "-");
	joined = strings_join(&users, ",");
	strings_free(&users);
	tracefs_list_free(instances);
	return joined;
}

/*
 * Does this line of removal_take() remove that watch? One that has a target in another
 * spelling than the kernel's is not known to.
 */
static bool is_removed_by(const struct watch *watch, const char *line)
{
	char *target, *access;
	bool removed;

	if (*line == '!')
		return is_called(watch, line + 1);
	split_target(line, &target, &access);
	removed = !strcmp(target, "*") || !strcmp(target, watch->target);
	free(target);
	free(access);
	return removed;
}

static bool is_removal(const char *line)
{
	char *target, *access;
	bool removal;

	split_target(line, &target, &access);
	removal = *line == '!' || (access && !strcmp(access, NO_ACCESS));
	free(target);
	free(access);
	return removal;
}

/*
 * The line that removes the watch that is called so. The kernel would take a NAME
 * alone for that of any group, so the group is there where another one has it.
 */
char *name_removal(const struct watches *watches, const char *name)
{
	bool others = false;
	size_t i;

	for (i = 0; i < watches->nr; i++)
		others = others || (is_called(&watches->watch[i], name) &&
				    strcmp(watches->watch[i].name, name));
	return xasprintf("!%s%s", others ? KSYM_GROUP "/" : "", name);
}

/* Adds the line that removes a watch. */
void removal_add(struct removal *removal, const struct watches *watches,
		 const struct watch *watch, const char *shown)
{
	strings_add_owned(&removal->lines, name_removal(watches, watch->name));
	strings_add(&removal->shown, shown);
}

/*
 * Adds the lines that remove those of the watches on a target that are ours. Returns
 * whether there are any watches on it.
 */
static bool remove_from_target(struct removal *removal, const struct watches *watches,
			       const struct strings *notes, const char *target)
{
	size_t before = removal->lines.nr, i;
	struct strings others = {};
	char *names;

	for (i = 0; i < watches->nr; i++) {
		const struct watch *watch = &watches->watch[i];

		if (strcmp(watch->target, target))
			continue;
		if (owner_is_us(notes, watch))
			removal_add(removal, watches, watch, target);
		else
			strings_add(&others, watch->name);
	}
	if (!others.nr)
		return removal->lines.nr > before;
	names = strings_join(&others, " ");
	if (removal->lines.nr == before)
		die("'%s' is watched by others only: remove it by name, ksymwatch rm %s",
		    target, names);
	free(names);
	for (i = 0; i < others.nr; i++)
		strings_add(&removal->others, others.text[i]);
	strings_free(&others);
	return true;
}

/**
 * removal_take - add the lines that remove what the user names
 * @removal: to these
 * @watches: the watches that there are
 * @notes: which of them are ours
 * @arg: NAME or GRP/NAME, whoever made it; or a target, which stands for our watches
 *
 * Ends the program where nothing can be meant.
 */
void removal_take(struct removal *removal, const struct watches *watches,
		  const struct strings *notes, const char *arg)
{
	const struct watch *watch;
	char *target, *access;

	/* hide_numbers() may have put one there. */
	arg += strspn(arg, BLANKS);
	watch = watches_find(watches, arg);
	if (watch) {
		removal_add(removal, watches, watch, arg);
		return;
	}
	if (remove_from_target(removal, watches, notes, arg))
		return;
	split_target(arg, &target, &access);
	/*
	 * The kernel knows other spellings of a target, and would remove all watches on
	 * it, so all that there are must be ours. What has the form of a name is one, and
	 * anything else in a line than a target would ask for something else.
	 */
	if (notes->nr < watches->nr || access || arg[target_len(arg)] || strchr("!#*", *arg) ||
	    !strcmp(arg, "0") || strchr(arg, '\n') || !arg[strspn(arg, NAME_CHARS "/")])
		die("there is no watch '%s': ksymwatch list shows the names", arg);
	free(target);
	free(access);
	strings_add_owned(&removal->lines, xasprintf("%s:" NO_ACCESS, arg));
	strings_add(&removal->shown, arg);
}

/*
 * The kernel says that a watch can't be removed because it is in use; here we find out
 * which watch is used where. Perf's and triggers' use can't be seen from outside.
 */
static char *users_of_removed(const char *line)
{
	struct strings found = {};
	struct watches watches;
	char *users, *joined;
	size_t i;

	watches_read(&watches);
	for (i = 0; i < watches.nr; i++) {
		const char *name = watches.watch[i].name;

		if (!is_removed_by(&watches.watch[i], line))
			continue;
		users = watch_users(name, false);
		if (strcmp(users, "-"))
			strings_add_owned(&found, xasprintf("%s is enabled in %s",
							    name, users));
		free(users);
	}
	watches_free(&watches);
	joined = strings_join(&found, ", ");
	strings_free(&found);
	return joined;
}

/*
 * The index of a line, or -1. What reads the fetch arguments may know them only, so
 * a part of a line stands for it as well.
 */
static ssize_t find_line(const struct strings *lines, const char *line)
{
	size_t i;

	for (i = 0; i < lines->nr; i++)
		if (!strcmp(lines->text[i], line))
			return i;
	for (i = 0; *line && i < lines->nr; i++)
		if (strstr(lines->text[i], line))
			return i;
	return -1;
}

/*
 * The last entry of error_log has three lines: "[TIME] ORIGIN: error: TEXT", "  Command:
 * LINE" and a caret below the culprit; the origin is ksym, or what reads the fetch
 * arguments. It is told as one line: what was wanted, at which word, and what is
 * wrong. Returns false where the entry isn't about the lines.
 */
static bool print_error_log(const struct strings *lines, const struct strings *shown,
			    int error, char *entry)
{
	static const char origin[] = ": error: ", command[] = "  Command: ";
	char *text, *line, *caret, *users;
	ssize_t index;
	size_t at;

	text = strsep(&entry, "\n");
	line = strsep(&entry, "\n");
	caret = strsep(&entry, "\n");
	text = text ? strstr(text, origin) : NULL;
	if (!text || !line || !caret || strncmp(line, command, strlen(command)))
		return false;
	text += strlen(origin);
	line += strlen(command);
	index = find_line(lines, line);
	/* An empty line stands for all that was written. */
	if (index < 0 && *line)
		return false;

	at = strspn(caret, " ");
	at -= at < strlen(command) ? at : strlen(command);
	if (index < 0) {
		err("%s", text);
	} else if (error == EBUSY && is_removal(line)) {
		users = users_of_removed(line);
		err(*users ? "%s: %s (%s)" : "%s: %s%s", shown->text[index], text, users);
		free(users);
	} else if (at && at < strlen(line) && !is_removal(line)) {
		err("%s: at '%.*s': %s", shown->text[index],
		    (int)strcspn(line + at, BLANKS), line + at, text);
	} else {
		err("%s: %s", shown->text[index], text);
	}
	return true;
}

/**
 * filter_write - have the tracer do what the lines say: all of it or nothing
 * @lines: what to write, a line each
 * @shown: what the user typed for each of them, for messages
 *
 * Says what is wrong when it fails.
 *
 * Return: 0 or the errno of the write, which is positive.
 */
int filter_write(const struct strings *lines, const struct strings *shown)
{
	char *text = strings_join(lines, "\n"), *before, *after;
	int error = 0;

	before = tracefs_error_last(NULL);
	/* All in one write(2), which is what makes it a transaction. */
	if (tracefs_instance_file_append(NULL, FILTER_FILE, text) < 0)
		error = errno;
	free(text);
	if (error) {
		after = tracefs_error_last(NULL);
		/* An entry that stood there before is about something else. */
		if (!after || (before && !strcmp(before, after)) ||
		    !print_error_log(lines, shown, error, after))
			print_errno(shown, error);
		free(after);
	}
	free(before);
	return error;
}

/*
 * Reads who holds the debug registers: a table with a heading, which is the kernel's
 * to lay out. A new string.
 */
char *slots_read(void)
{
	int fd;

	if (!has_tracer())
		return stock_slots();
	require_tracer();
	fd = tracefs_instance_file_open(NULL, SLOTS_FILE, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		die("the tracer of this kernel does not tell who holds the debug registers");
	return read_fd(fd, SLOTS_FILE);
}

/* Where the counter of a column goes; columns that we don't know are passed over. */
static unsigned long long *find_counter(struct counts *counts, const char *heading)
{
	const struct {
		const char		*heading;
		unsigned long long	*counter;
	} columns[] = {
		{ "HITS",	&counts->hits },
		{ "READS",	&counts->reads },
		{ "WRITES",	&counts->writes },
		{ "UNKNOWN",	&counts->unknown },
		{ "CHANGES",	&counts->changes },
		{ "DISABLED",	&counts->disabled },
		{ "FILTERED",	&counts->filtered },
		{ "NOBUFFER",	&counts->nobuffer },
		{ "FAULT",	&counts->fault },
		{ "LIMITED",	&counts->limited },
		{ "STALE",	&counts->stale },
		{ "NOTREAD",	&counts->notread },
		{ "UNCHANGED",	&counts->unchanged },
		{ "NOUSTACK",	&counts->noustack },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		if (!strcmp(columns[i].heading, heading))
			return columns[i].counter;
	return NULL;
}

/* Reads what was counted for a watch; nothing for one that there isn't. */
void watch_counts(const char *event, struct counts *counts)
{
	char *text = read_file(STAT_FILE), *rest = text, *headings, *line;
	char counted[KSYM_EVENT_LEN];
	char *heading, *value;

	*counts = (struct counts) { .coverage = "-", .estimate = "-" };
	headings = next_line(&rest);
	while ((line = next_line(&rest))) {
		value = strtok_r(line, BLANKS, &line);
		if (!value)
			continue;
		name_event(counted, value);
		if (!strcmp(counted, event))
			break;
	}
	if (!headings || !line) {
		free(text);
		return;
	}
	/* The first heading is that of the name. */
	strtok_r(headings, BLANKS, &headings);
	while ((heading = strtok_r(headings, BLANKS, &headings)) &&
	       (value = strtok_r(line, BLANKS, &line))) {
		unsigned long long *counter = find_counter(counts, heading);

		if (counter == &counts->reads)
			counts->has_kinds = true;
		if (counter)
			*counter = strtoull(value, NULL, 10);
		else if (!strcmp(heading, "COVERAGE"))
			snprintf(counts->coverage, sizeof(counts->coverage), "%s", value);
		else if (!strcmp(heading, "ESTIMATE"))
			snprintf(counts->estimate, sizeof(counts->estimate), "%s", value);
	}
	free(text);
}
