// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch profile: who uses which field of an object. All of it is one watch, whose pieces
 * take turns in the debug registers.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/run.h"
#include "lib/newfile.h"
#include "lib/util.h"
#include "out/profile.h"
#include "symbols/resolve.h"

/* The per-CPU copies of a variable have the same place in their pages. */
#define PAGE_MASK	4095ULL

static const char *path;
static bool all, by_hits, quiet;

static void take_sort(const struct command *cmd, const char *word)
{
	by_hits = !strcmp(word, "hits");
	if (!by_hits && strcmp(word, "offset"))
		die_usage(cmd, "invalid --sort '%s': must be one of offset, hits", word);
}

/* The object. */
struct object {
	struct ksym_spec	spec;		/* the watch of all of it */
	struct type		*type;		/* or NULL if unknown */
	unsigned long long	base;		/* its address, in the bits of the mask */
	unsigned long long	mask;		/* the bits of an address that are known */
	bool			percpu;		/* each CPU has its own */
};

/* Finds out what a SPEC is. Dies if that is no object that can be profiled. */
static void find_object(struct object *object, const char *line)
{
	struct ksym_spec *spec = &object->spec;
	struct resolved resolved __cleanup(resolved_free) = {};
	struct ksym_error error;
	char *fault;

	/* A long len= needs the word that is meant anyway. */
	if (spec_parse(line, spec, &error) && error.code == KSYM_ERR_WIDE) {
		char *longer __autofree = xasprintf("%s flexible", line);

		spec_parse_or_die(longer, spec);
	} else {
		spec_parse_or_die(line, spec);
	}
	if (spec->target.kind != KSYM_AT_SYMBOL && spec->target.kind != KSYM_AT_ADDRESS)
		die("%s: profile needs an object with an address, as in (TYPE)0xADDR", line);
	resolve(&resolved, &spec->target);
	fault = resolved_fault(&resolved);
	if (fault)
		die("%s: %s%s", line, fault, resolve_suggestion(&resolved.target));
	if (resolved.place.nr_pointers)
		die("%s: profile follows no pointers; use (TYPE)0xADDR, see explain", line);
	if (resolved.variable && !resolved.target.off)
		object->type = resolved.place.type;
	spec->len = spec->len ?: object->type ? resolved.place.size : 0;
	if (!spec->len)
		die("%s: unknown type; cast it, as in (TYPE)SYMBOL, or use len=", line);
	if (spec->len > KSYM_WIDE_MAX)
		die("%s: it has %u bytes; profile takes up to %u, see len=", line, spec->len,
		    KSYM_WIDE_MAX);
	object->base = resolved.target.addr + resolved.target.off + resolved.place.off[0];
	object->mask = ~0ULL;
	if (resolved.symbol) {
		object->base += resolved.symbol->addr;
		if (symbol_is_percpu(resolve_symbols(), resolved.symbol))
			object->mask = PAGE_MASK;
		object->percpu = object->mask == PAGE_MASK && spec->target.cpu < 0;
	}
	if (spec->len > object->mask)
		die("%s: profile takes per-CPU variables of up to %llu bytes, see len=", line,
		    object->mask + 1);
	if (!spec->access_at)
		spec->access = KSYM_READ | KSYM_WRITE;
	spec->opt.flexible = true;
}

/* Watches the object until the command has ended, and returns its status. */
static int watch_object(struct profile **profile, const struct object *object, const char *line,
			char **command)
{
	const struct backend *backend = backend_choose();
	struct pieces before, after;
	struct strings specs __cleanup(strings_free) = {};
	struct session *session;
	struct hits *hits;
	struct run run;

	run_open(&run, command);
	strings_add_owned(&specs, spec_format(&object->spec, line));
	session = session_open(backend, &specs, run.signals, -1,
			       SESSION_TURNS | (quiet ? SESSION_QUIET : 0));
	backend->pieces(session, &before);
	*profile = profile_new(object->type, object->spec.len, before.len, object->base,
			       object->mask);
	(*profile)->percpu = object->percpu;
	hits = hits_new(&(*profile)->sink);
	session_start(session);
	hits_begin(hits, session_formats(session));
	run_start(&run);
	while (!run_is_over(&run, session_ended(session))) {
		session_wait(session, backend->turn ? SESSION_TURN_MS : -1);
		if (backend->turn)
			backend->turn(session);
		run_read(session, hits, NULL, NULL);
	}
	backend->stop(session);
	backend->pieces(session, &after);
	run_read(session, hits, NULL, NULL);
	hits_end(hits);
	profile_coverage(*profile, &before, &after);
	session_close();
	signals_deliver_pipe();
	hits_free(hits);
	pieces_free(&before);
	pieces_free(&after);
	return run.status;
}

static int run_profile(const struct command *cmd, int argc, char **argv)
{
	struct object object = {};
	struct profile *profile;
	struct strings specs __cleanup(strings_free) = {};
	struct newfile file;
	char **command = run_arguments(cmd, argc, argv, &specs);
	int status;

	if (path && output_json)
		die_usage(cmd, "--output and --json exclude each other");
	if (specs.nr != 1)
		die_usage(cmd, specs.nr ? "unexpected argument '%s'" : "missing SPEC",
			  specs.nr ? specs.text[1] : "");
	find_object(&object, specs.text[0]);
	if (path)
		newfile_open(&file, path);
	status = watch_object(&profile, &object, specs.text[0], command);
	if (path) {
		profile_page_write(file.out, profile, specs.text[0]);
		newfile_close(&file, true);
	} else if (output_json) {
		profile_json(stdout, profile);
	} else {
		profile_print(stdout, profile, by_hits, all);
	}
	sink_free(&profile->sink);
	return status;
}

const struct command cmd_profile = {
	.name = "profile", .run = run_profile,
	.arguments = "SPEC [-- COMMAND...]",
	.summary = "show who uses which field of an object",
	.help =
"Watches all of an object, as in '(task_struct)init_task' or '(TYPE)0xADDR', while the\n"
"command runs or until Ctrl-C: its pieces take turns in the debug registers. Then shows each\n"
"field with its reads and writes, the functions, and for how much of the time it was\n"
"watched; and each cache line with the CPUs that write to it and use it otherwise. Fields\n"
"that one debug register watches are one row. The access is rw unless given.\n",
	.options = (const struct command_option[]) {
		{ 'a', "all", .flag = &all, .help = "also fields and cache lines without hits" },
		{ 's', "sort", "COLUMN", .take = take_sort, .help =
		  "the order of the fields: offset (the default) or hits" },
		{ 'o', "output", "FILE", .text = &path, .help =
		  "write a page for a browser to FILE" },
		JSON_LINES_OPTION("line: fields, then cache lines"),
		QUIET_OPTION, {}
	},
	.more = (const char * const[]) { spec_help, NULL },
};
