// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source lines by DWARF, with the functions that were inlined.
 *
 * A marker is "ksymwatch: build-id NAME ID ADDR", where NAME is vmlinux or a module, and ADDR
 * is where its text begins.
 */
#include <dirent.h>
#include <dwarf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "hits/value.h"
#include "lib/util.h"
#include "symbols/debuginfo.h"
#include "symbols/lines.h"
#include "symbols/mappings.h"
#include "symbols/symbols.h"

#define MODULES		"/sys/module"
#define BUILD_MARKER	TYPE_MARKER "build-id "
#define KERNEL_NAME	"vmlinux"

/* The kernel or a module. */
struct object {
	char			*name;
	char			*id;	/* its build ID, in hexadecimal */
	uint64_t		text;	/* where its text begins */
	struct debuginfo	*info;	/* its file, or NULL */
	uint64_t		slide;	/* what to add to an address in the file */
	bool			asked;	/* @info was looked for */
};

/* Source lines. */
struct line_table {
	struct object	*object;	/* the kernel and its modules */
	size_t		nr;
	void		*cache;		/* what is known of addresses, for tsearch(3) */
	Dwfl		*dwfl;		/* the mappings of the task @pid, or NULL */
	int		pid;		/* the task whose user stack was the last one */
	struct mappings	*mappings;	/* what recorded tasks had mapped, or NULL */
};

struct line_table *line_table_new(void)
{
	return xcalloc(1, sizeof(struct line_table));
}

static void free_code(void *node)
{
	struct user_code *code = node;

	while (code->lines.nr--) {
		free(code->lines.line[code->lines.nr].function);
		free(code->lines.line[code->lines.nr].path);
	}
	free(code->function);
	free(code->object);
	free(code->build_id);
	free(code->lines.line);
	free(code);
}

void line_table_free(struct line_table *table)
{
	if (!table)
		return;
	while (table->nr--) {
		free(table->object[table->nr].name);
		free(table->object[table->nr].id);
		debuginfo_close(table->object[table->nr].info);
	}
	free(table->object);
	tdestroy(table->cache, free_code);
	dwfl_end(table->dwfl);
	mappings_free(table->mappings);
	free(table);
}

/* --- Markers ---------------------------------------------------------------------- */

static void add_marker(struct strings *markers, const char *module, unsigned long long text)
{
	char *id __autofree = text ? running_build_id(module) : NULL;

	if (id)
		strings_add_owned(markers, xasprintf(BUILD_MARKER "%s %s %#llx\n",
						     module ?: KERNEL_NAME, id, text));
}

/* Where the kernel's text begins; the line is one of the first. */
static unsigned long long kernel_text(void)
{
	FILE *file __cleanup(close_file) = fopen(SYMBOLS_FILE, "re");
	unsigned long long addr, found = 0;
	char line[512], name[8];

	while (!found && file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %*c %7s", &addr, name) == 2 && !strcmp(name, "_text"))
			found = addr;
	return found;
}

/* Adds the markers of the running kernel and its modules. */
void lines_markers(struct strings *markers)
{
	struct dirent *entry;
	DIR *folder = opendir(MODULES);

	add_marker(markers, NULL, kernel_text());
	while (folder && (entry = readdir(folder))) {
		char *path __autofree = xasprintf(MODULES "/%s/sections/.text", entry->d_name);
		char *text __autofree = read_first_line(path);

		if (text)
			add_marker(markers, entry->d_name, strtoull(text, NULL, 16));
	}
	if (folder)
		closedir(folder);
}

/*
 * Notes a marker with a build ID; ignores others. Its name becomes part of a path, so it has only
 * characters that a module's may have.
 */
void lines_note(struct line_table *table, const char *marker)
{
	char name[64], id[129];
	unsigned long long text;

	if (sscanf(marker, BUILD_MARKER "%63[0-9A-Za-z_-] %128[0-9a-f] %llx", name, id, &text) != 3)
		return;
	*array_add(table->object, table->nr) = (struct object) {
		.name = xstrdup(name), .id = xstrdup(id), .text = text,
	};
}

/* --- Addresses -------------------------------------------------------------------- */

static struct debuginfo *find_info(const struct object *object)
{
	char *id __autofree = NULL;
	const char *module = strcmp(object->name, KERNEL_NAME) ? object->name : NULL;
	struct debuginfo *info;

	if (!module && sources.vmlinux) {
		info = debuginfo_open(sources.vmlinux);
		if (!info || !debuginfo_has_id(info, object->id))
			die("%s is not the vmlinux of the recorded kernel, by its build ID",
			    sources.vmlinux);
		return info;
	}
	id = running_build_id(module);
	info = id && !strcmp(id, object->id) ? debuginfo_find(module) :
					       debuginfo_of_id(object->id);
	/* Only a linked file has the kernel's addresses. */
	if (info && !module && !info->linked) {
		debuginfo_close(info);
		info = NULL;
	}
	if (!info && !module)
		err("no source lines: no debug info of the kernel; see also DEBUGINFOD_URLS");
	return info;
}

/* The object that has an address: the one that begins last before it. */
static struct object *find_object(struct line_table *table, unsigned long long addr)
{
	struct object *found = NULL;
	size_t i;

	for (i = 0; i < table->nr; i++)
		if (table->object[i].text <= addr &&
		    (!found || table->object[i].text > found->text))
			found = &table->object[i];
	if (found && !found->asked) {
		found->info = find_info(found);
		found->asked = true;
		if (found->info && !debuginfo_slide_of(found->info, "_text", found->text,
						       &found->slide)) {
			debuginfo_close(found->info);
			found->info = NULL;
		}
	}
	return found && found->info ? found : NULL;
}

static void add_line(struct code_lines *lines, Dwarf_Die *unit, const char *path, int line)
{
	Dwarf_Attribute attr;
	const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr)) ?: "";
	size_t len = strlen(folder);
	struct source_line *added;

	if (!path)
		return;
	added = array_add(lines->line, lines->nr);
	*added = (struct source_line) { .path = xstrdup(path), .line = line };
	added->file = added->path;
	if (!strncmp(path, folder, len) && path[len] == '/')
		added->file += len + 1;
	added->file += strncmp(added->file, "./", 2) ? 0 : 2;
}

static bool has_code(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_inlined_subroutine || dwarf_tag(die) == DW_TAG_subprogram;
}

/* Walks from the innermost function to the one that has a symbol; each names its line. */
static void add_calls(struct code_lines *lines, Dwarf_Die *unit, Dwarf_Addr addr)
{
	Dwarf_Die *scopes __autofree = NULL, *chain __autofree = NULL;
	int nr = dwarf_getscopes(unit, addr, &scopes), i;
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word file, line;
	const char *name;

	/* The scopes of an inlined function are those of its definition, not of its call. */
	nr = nr > 0 ? dwarf_getscopes_die(&scopes[0], &chain) : 0;
	for (i = 0; i < nr; i++) {
		if (!has_code(&chain[i]))
			continue;
		name = dwarf_diename(&chain[i]);
		lines->line[lines->nr - 1].function = name ? xstrdup(name) : NULL;
		if (dwarf_tag(&chain[i]) == DW_TAG_subprogram ||
		    dwarf_getsrcfiles(unit, &files, NULL) ||
		    dwarf_formudata(dwarf_attr(&chain[i], DW_AT_call_file, &attr), &file) ||
		    dwarf_formudata(dwarf_attr(&chain[i], DW_AT_call_line, &attr), &line))
			break;
		add_line(lines, unit, dwarf_filesrc(files, file, NULL, NULL), line);
	}
}

static void find_lines(struct code_lines *lines, Dwfl_Module *module, Dwarf_Addr addr)
{
	Dwarf_Addr bias;
	Dwfl_Line *line = dwfl_module_getsrc(module, addr);
	Dwarf_Die *unit = dwfl_module_addrdie(module, addr, &bias);
	const char *path;
	int nr;

	path = line ? dwfl_lineinfo(line, NULL, &nr, NULL, NULL, NULL) : NULL;
	if (!path || !unit)
		return;
	add_line(lines, unit, path, nr);
	add_calls(lines, unit, addr - bias);
}

/* --- The cache -------------------------------------------------------------------- */

static int compare_code(const void *a, const void *b)
{
	const struct user_code *code_a = a, *code_b = b;

	if (code_a->pid != code_b->pid)
		return code_a->pid < code_b->pid ? -1 : 1;
	return code_a->addr < code_b->addr ? -1 : code_a->addr > code_b->addr;
}

static struct user_code *find_code(struct line_table *table, int pid, unsigned long long addr)
{
	struct user_code key = { .pid = pid, .addr = addr }, **node;

	node = tfind(&key, &table->cache, compare_code);
	return node ? *node : NULL;
}

static struct user_code *add_code(struct line_table *table, int pid, unsigned long long addr)
{
	struct user_code *code = xcalloc(1, sizeof(*code));

	code->pid = pid;
	code->addr = addr;
	check_memory(tsearch(code, &table->cache, compare_code));
	return code;
}

/*
 * The lines of an address in an instruction, as long as @table lasts; or NULL if they are
 * unknown.
 */
const struct code_lines *lines_at(struct line_table *table, unsigned long long addr)
{
	const struct object *object;
	struct user_code *code;

	if (!table)
		return NULL;
	code = find_code(table, 0, addr);
	if (!code) {
		code = add_code(table, 0, addr);
		object = find_object(table, addr);
		if (object)
			find_lines(&code->lines, object->info->module, addr - object->slide);
	}
	return code->lines.nr ? &code->lines : NULL;
}

/* --- User space ------------------------------------------------------------------- */

/* Reads the mappings of a task that runs. */
static void open_task(struct line_table *table, int pid)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf	= dwfl_linux_proc_find_elf,
		.find_debuginfo	= dwfl_standard_find_debuginfo,
	};

	dwfl_end(table->dwfl);
	table->pid = pid;
	table->dwfl = check_memory(dwfl_begin(&callbacks));
	dwfl_linux_proc_report(table->dwfl, pid);
	dwfl_report_end(table->dwfl, NULL, NULL);
}

static Dwfl_Module *find_mapping(struct line_table *table, int pid, unsigned long long addr)
{
	Dwfl_Module *module = NULL;

	if (table->dwfl && table->pid == pid)
		module = dwfl_addrmodule(table->dwfl, addr);
	if (module)
		return module;
	/* It may have mapped a library meanwhile, or become another program. */
	open_task(table, pid);
	return dwfl_addrmodule(table->dwfl, addr);
}

/* Finds the function at an address, and its lines. */
static void name_code(struct user_code *code, Dwfl_Module *module, GElf_Addr addr, bool lines)
{
	const char *function;
	GElf_Off offset;
	GElf_Sym sym;

	function = dwfl_module_addrinfo(module, addr, &offset, &sym, NULL, NULL, NULL);
	if (function) {
		code->function = xstrdup(function);
		code->offset = offset;
	}
	if (lines)
		find_lines(&code->lines, module, addr);
}

static const struct user_code *find_running(struct line_table *table, int pid,
					    unsigned long long addr, bool lines)
{
	struct user_code *code = find_code(table, pid, addr);
	const unsigned char *id;
	Dwfl_Module *module;
	const char *object;
	GElf_Addr at;
	int size;

	if (code)
		return code;
	module = find_mapping(table, pid, addr);
	if (!module)
		return NULL;
	object = dwfl_module_info(module, NULL, &at, NULL, NULL, NULL, NULL, NULL);
	code = add_code(table, pid, addr);
	code->object = object ? xstrdup(object) : NULL;
	code->offset = addr - at;
	name_code(code, module, addr, lines);
	/* Known since the file is open. */
	size = dwfl_module_build_id(module, &id, &at);
	code->build_id = size > 0 ? hex_text(id, size) : NULL;
	return code;
}

static const struct user_code *find_recorded(struct line_table *table, int pid,
					     unsigned long long time, unsigned long long addr,
					     bool lines)
{
	const struct mapped *mapped = mappings_find(table->mappings, pid, time, addr, &addr);
	struct user_code *code;

	if (!mapped)
		return NULL;
	code = find_code(table, -mapped->number, addr);
	if (code)
		return code;
	code = add_code(table, -mapped->number, addr);
	code->object = xstrdup(mapped->path);
	code->build_id = mapped->id ? xstrdup(mapped->id) : NULL;
	code->offset = addr;
	if (mapped->info)
		name_code(code, mapped->info->module, mapped_address(mapped, addr), lines);
	return code;
}

/* Takes what recorded tasks had mapped: what runs now is not looked at. */
void lines_take_mappings(struct line_table *table, const char *text, size_t size)
{
	mappings_free(table->mappings);
	table->mappings = mappings_new(text, size);
}

/*
 * What is at an address in the user space of a task that may still run, or that was recorded
 * at this time, as long as @table lasts; or NULL if the task has nothing there, or is gone.
 * @lines: with the source lines.
 */
const struct user_code *lines_user(struct line_table *table, int pid, unsigned long long time,
				   unsigned long long addr, bool lines)
{
	return table->mappings ? find_recorded(table, pid, time, addr, lines) :
				 find_running(table, pid, addr, lines);
}
