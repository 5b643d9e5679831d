// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's variables where /proc/kallsyms has functions only: without
 * CONFIG_KALLSYMS_ALL. They come from vmlinux or from a System.map, moved by KASLR's offset.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/util.h"
#include "symbols/debuginfo.h"
#include "symbols/kcore.h"
#include "symbols/symbols.h"

/* Adds a variable. Offsets of per-CPU variables do not move. */
static void add_variable(struct symbols *symbols, const char *name, char type,
			 unsigned long long addr, unsigned long long slide)
{
	symbols_add(symbols, &(struct symbol) {
		.name = xstrdup(name), .type = type, .unlisted = true,
		.addr = addr & KERNEL_BIT ? addr + slide : addr,
	});
}

static bool add_vmlinux(struct symbols *symbols, const struct debuginfo *vmlinux)
{
	int nr = dwfl_module_getsymtab(vmlinux->module), i;
	size_t before = symbols->nr;
	uint64_t slide;

	if (!debuginfo_slide(vmlinux, symbols, &slide))
		return false;
	for (i = 1; i < nr; i++) {
		GElf_Shdr section = {};
		GElf_Word index;
		GElf_Addr addr;
		const char *name;
		GElf_Sym sym;
		Elf *elf;

		name = dwfl_module_getsym_info(vmlinux->module, i, &sym, &addr, &index, &elf,
					       NULL);
		if (!name || !*name || GELF_ST_TYPE(sym.st_info) > STT_OBJECT ||
		    index == SHN_UNDEF)
			continue;
		gelf_getshdr(elf_getscn(elf, index), &section);
		if (section.sh_flags & SHF_EXECINSTR)
			continue;
		add_variable(symbols, name, index >= SHN_LORESERVE ? 'a' :
			     !(section.sh_flags & SHF_WRITE) ? 'r' :
			     section.sh_type == SHT_NOBITS ? 'b' : 'd', addr, slide);
	}
	return symbols->nr > before;
}

/* Is this text in the kernel's memory, within @room bytes of a symbol? */
static char *check_running(const struct symbols *map, const char *name, const char *text,
			   size_t room, unsigned long long slide)
{
	const struct symbol *symbol = symbols_named(map, name);
	char memory[4096], *why;

	if (!symbol)
		return xasprintf("it has no %s", name);
	if (!kcore_read(symbol->addr + slide, memory, room, &why))
		return why;
	return memmem(memory, room, text, strlen(text)) ? NULL :
		xasprintf("%s is not there", name);
}

/*
 * Why a System.map is not of the running kernel; a new string, or NULL if it is. It has no
 * build ID, so all functions must agree, and two variables.
 */
static char *find_fault(const struct symbols *symbols, const struct symbols *map,
			unsigned long long *slide)
{
	char *version __autofree = NULL, *fault;
	const struct symbol *text = symbols_text(symbols), *first, *symbol;
	const struct symbol *at = map->symbol, *end = at + map->nr;
	const char *release = running_release();
	int order = -1;

	first = text ? symbols_named(map, text->name) : NULL;
	if (!first)
		return xstrdup(strchr(map->symbol[0].name, ' ') ?
			       "it is a stub: the real one is in the package with debug info" :
			       "it has no symbol _text");
	*slide = text->addr - first->addr;
	for (symbol = symbols->symbol; symbol < symbols->symbol + symbols->nr; symbol++) {
		if (symbol->module || !symbol_is_function(symbol) || !(symbol->addr & KERNEL_BIT))
			continue;
		for (order = -1; at < end && order < 0; at += order < 0)
			order = !(at->addr & KERNEL_BIT) || at->addr + *slide < symbol->addr ? -1 :
				at->addr + *slide > symbol->addr ? 1 :
				strcmp(at->name, symbol->name);
		if (order)
			return xasprintf("%s is elsewhere", symbol->name);
	}
	version = read_file("/proc/version");
	fault = check_running(map, "linux_banner", version ?: "?", version ? strlen(version) : 1,
			      *slide);
	if (fault || !release)
		return fault;
	return check_running(map, "init_uts_ns", release, sizeof(struct utsname), *slide);
}

/* Returns why a file is not used, or NULL; a new string. */
static char *add_map(struct symbols *symbols, const char *path)
{
	unsigned long long slide = 0;
	struct symbols map;
	char *fault;
	size_t i;

	if (symbols_read(&map, path))
		return xstrdup("it has no symbols");
	fault = find_fault(symbols, &map, &slide);
	for (i = 0; !fault && i < map.nr && !map.symbol[i].module; i++)
		if (!symbol_is_function(&map.symbol[i]))
			add_variable(symbols, map.symbol[i].name, map.symbol[i].type,
				     map.symbol[i].addr, slide);
	symbols_free(&map);
	return fault;
}

/*
 * Adds the variables that SYMBOLS_FILE does not have: from @file, a System.map, if that is not
 * NULL, or from @vmlinux or where a System.map usually is. A file of another kernel is refused
 * with a message; @file ends the program. Returns the name of the file that has them, a new
 * string; or NULL.
 */
char *unlisted_add(struct symbols *symbols, const struct debuginfo *vmlinux, const char *file)
{
	static const char * const maps[] = {
		"/usr/lib/debug/boot/System.map-%s", "/boot/System.map-%s",
		"/lib/modules/%s/System.map", "/lib/modules/%s/build/System.map", NULL
	};
	char *path = NULL, *fault;
	struct strings files __cleanup(strings_free) = {};
	size_t i;

	if (file)
		strings_add(&files, file);
	else if (vmlinux && add_vmlinux(symbols, vmlinux))
		path = xstrdup(vmlinux->path);
	else
		add_release_files(&files, maps);
	for (i = 0; !path && i < files.nr; i++) {
		if (!file && access(files.text[i], R_OK))
			continue;
		fault = add_map(symbols, files.text[i]);
		if (fault && file)
			die("%s is not of the running kernel: %s", file, fault);
		if (fault)
			err("%s is not of the running kernel: %s; it is not used", files.text[i],
			    fault);
		else
			path = xstrdup(files.text[i]);
		free(fault);
	}
	symbols_sort(symbols);
	return path;
}
