/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files with the symbols and the debug info of the kernel or a module: where they are, and
 * whether they belong to what runs.
 *
 *	info = debuginfo_find(&options, NULL);
 *	if (info && debuginfo_slide(info, symbols, &slide))
 *		... the address in info's file is that in the kernel, minus the slide
 */
#ifndef KSYMWATCH_DEBUGINFO_H
#define KSYMWATCH_DEBUGINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

struct symbols;

/**
 * struct build_id - what identifies a linked file
 * @byte: its bytes
 * @size: number of bytes; 0 if unknown
 */
struct build_id {
	unsigned char	byte[64];
	size_t		size;
};

/**
 * struct debuginfo_options - where to look
 * @vmlinux: the kernel's file, or NULL for where distributions put it
 * @foreign: it is of any kernel: don't compare build IDs
 */
struct debuginfo_options {
	const char	*vmlinux;
	bool		foreign;
};

/**
 * struct debuginfo - an open file
 * @path: its name
 * @dwfl: the library's handle
 * @module: the file, in that
 * @linked: its addresses are those of the kernel, except for KASLR's offset
 */
struct debuginfo {
	char		*path;
	Dwfl		*dwfl;
	Dwfl_Module	*module;
	bool		linked;
};

struct debuginfo *debuginfo_open(const char *path);
struct debuginfo *debuginfo_find(const struct debuginfo_options *options, const char *module);
struct debuginfo *debuginfo_of_id(const struct build_id *id);
bool debuginfo_has_id(const struct debuginfo *info, const struct build_id *wanted);
bool debuginfo_slide_of(const struct debuginfo *info, const char *text, uint64_t at,
			uint64_t *slide);
bool debuginfo_slide(const struct debuginfo *info, const struct symbols *symbols,
		     uint64_t *slide);
Elf_Scn *debuginfo_section(Elf *elf, const char *name);
void debuginfo_close(struct debuginfo *info);

size_t running_build_id(const char *module, struct build_id *id);

#endif /* KSYMWATCH_DEBUGINFO_H */
