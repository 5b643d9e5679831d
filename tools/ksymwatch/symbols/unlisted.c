// SPDX-License-Identifier: GPL-2.0-only
/*
 * The variables where /proc/kallsyms has functions only: without CONFIG_KALLSYMS_ALL. The
 * kernel's come from vmlinux or from a System.map, moved by KASLR's offset; those of a module
 * from its file, and from where its sections are.
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

/* Adds a variable of the kernel, or of the module of @of. */
static void add_variable(struct symbols *symbols, const struct symbol *of, const char *name,
			 char type, unsigned long long addr)
{
	symbols_add(symbols, &(struct symbol) {
		.name = xstrdup(name), .type = type, .unlisted = true, .addr = addr,
		.module = of->module ? xstrdup(of->module) : NULL, .module_nr = of->module_nr,
	});
}

/* Offsets of per-CPU variables do not move. */
static unsigned long long slid(unsigned long long addr, unsigned long long slide)
{
	return addr & KERNEL_BIT ? addr + slide : addr;
}

/* Returns where a section of a running module is, or 0 if it is not in memory. */
static unsigned long long section_addr(const char *module, Elf *elf, const GElf_Shdr *section)
{
	char *path __autofree = NULL, *line __autofree = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	path = xasprintf("/sys/module/%s/sections/%s", module,
			 elf_strptr(elf, names, section->sh_name));
	line = read_first_line(path);
	return line ? strtoull(line, NULL, 16) : 0;
}

/* Adds the variables of the file of the kernel, or of the module of @of. */
static bool add_variables(struct symbols *symbols, const struct debuginfo *info, uint64_t slide,
			  const struct symbol *of)
{
	int nr = dwfl_module_getsymtab(info->module), i;
	size_t before = symbols->nr;

	for (i = 1; i < nr; i++) {
		GElf_Shdr section = {};
		GElf_Word index;
		GElf_Addr addr;
		const char *name;
		GElf_Sym sym;
		Elf *elf;

		name = dwfl_module_getsym_info(info->module, i, &sym, &addr, &index, &elf, NULL);
		if (!name || !*name || GELF_ST_TYPE(sym.st_info) > STT_OBJECT ||
		    index == SHN_UNDEF)
			continue;
		gelf_getshdr(elf_getscn(elf, index), &section);
		if (section.sh_flags & SHF_EXECINSTR)
			continue;
		/* A module is not linked: the value is that in its section. */
		if (of->module)
			slide = section_addr(of->module, elf, &section);
		if (of->module && !slide)
			continue;
		addr = of->module ? slide + sym.st_value : slid(addr, slide);
		add_variable(symbols, of, name, index >= SHN_LORESERVE ? 'a' :
			     !(section.sh_flags & SHF_WRITE) ? 'r' :
			     section.sh_type == SHT_NOBITS ? 'b' : 'd', addr);
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
			add_variable(symbols, &(struct symbol) {}, map.symbol[i].name,
				     map.symbol[i].type, slid(map.symbol[i].addr, slide));
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
	uint64_t slide;
	size_t i;

	if (file)
		strings_add(&files, file);
	else if (vmlinux && debuginfo_slide(vmlinux, symbols, &slide) &&
		 add_variables(symbols, vmlinux, slide, &(struct symbol) {}))
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

/* Adds the variables of a running module, unless it has some. Pointers to symbols end here. */
void unlisted_add_module(struct symbols *symbols, const char *module)
{
	struct symbol of = {};
	struct debuginfo *info;
	size_t i;

	for (i = 0; i < symbols->nr; i++) {
		const struct symbol *symbol = &symbols->symbol[i];

		if (!symbol->module || !is_module(symbol->module, module))
			continue;
		if (!symbol_is_function(symbol))
			return;
		of = *symbol;
	}
	info = of.module ? debuginfo_find(of.module) : NULL;
	if (info && add_variables(symbols, info, 0, &of))
		symbols_sort(symbols);
	debuginfo_close(info);
}
