/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files with the symbols and the debug info of the kernel or a module: where they are, and
 * whether they belong to what runs.
 *
 *	info = debuginfo_find(NULL);
 *	if (info && debuginfo_slide(info, symbols, &slide))
 *		... the address in info's file is that in the kernel, minus the slide
 */
#ifndef KSYMWATCH_DEBUGINFO_H
#define KSYMWATCH_DEBUGINFO_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>
#include <zlib.h>

struct strings;
struct symbols;

/* Where the symbols and the types come from. It is set before any of them is looked for. */
struct sources {
	/* The kernel's file, or NULL for where distributions put it */
	const char	*vmlinux;
	/* More symbols of the running kernel, or symbols of any kernel if @foreign; or NULL */
	const char	*kallsyms;
	/* A file with the kernel's BTF, or NULL for what the kernel itself has */
	const char	*btf;
	bool		foreign;	/* they are of any kernel: don't compare build IDs */
};

extern struct sources sources;

/* An open file. */
struct debuginfo {
	char		*path;
	Dwfl		*dwfl;		/* the library's handle */
	Dwfl_Module	*module;	/* the file, in that */
	/* Its addresses are those of the kernel, except for KASLR's offset */
	bool		linked;
};

struct debuginfo *debuginfo_open(const char *path);
struct debuginfo *debuginfo_find(const char *module);
struct debuginfo *debuginfo_of_id(const char *id);
bool debuginfo_has_id(const struct debuginfo *info, const char *id);
bool debuginfo_slide_of(const struct debuginfo *info, const char *text, uint64_t at,
			uint64_t *slide);
bool debuginfo_slide(const struct debuginfo *info, const struct symbols *symbols,
		     uint64_t *slide);
Elf_Scn *debuginfo_section(Elf *elf, const char *name);
void debuginfo_close(struct debuginfo *info);

/* Build IDs are in hexadecimal, or NULL if unknown. */
char *hex_text(const void *data, size_t size);
char *running_build_id(const char *module);
char *file_build_id(const char *path);
const char *running_release(void);
gzFile open_running_config(char path[PATH_MAX]);
void add_release_files(struct strings *files, const char * const *formats);

#endif /* KSYMWATCH_DEBUGINFO_H */
