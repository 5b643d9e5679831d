/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's symbols, as /proc/kallsyms has them. */
#ifndef KSYMWATCH_SYMBOLS_H
#define KSYMWATCH_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

/* Addresses of the kernel have the highest bit; those of per-CPU symbols are offsets. */
#define KERNEL_BIT	0x8000000000000000ULL

struct strings;
struct ksym_target;

#define SYMBOLS_FILE	"/proc/kallsyms"

/* A line of the symbol table. */
struct symbol {
	/* Where it is; of a per-CPU symbol the offset in each CPU's own part */
	unsigned long long	addr;
	/* The way to the next symbol, as the kernel counts; 0 where there is none */
	unsigned long long	size;
	char			type;		/* its kind, a letter as in nm(1) */
	char			*name;
	char			*module;	/* the module that it is in, or NULL */
	/* 0 for the kernel's own, then the modules in the order of their list */
	unsigned int		module_nr;
	/* Which of those of this name it is, from 1; aliases in one place are one */
	unsigned int		nth;
	unsigned int		same;		/* how many there are of this name */
	/* One of the same name in the same place came before */
	bool			alias;
	bool			chosen;		/* something asked for it */
	/* It is not in SYMBOLS_FILE, so the tracer does not know it */
	bool			unlisted;
};

/* The symbol table. */
struct symbols {
	/* The symbols, the kernel's own first, by address */
	struct symbol		*symbol;
	size_t			nr;
	/* Where the kernel's per-CPU symbols begin and end */
	unsigned long long	percpu[2];
	unsigned long long	rodata[2];	/* where read-only data begins and ends */
	/* Where init memory begins and ends, which is freed after boot */
	unsigned long long	init[2];
	/* Where the kernel's writable data begins and ends */
	unsigned long long	data[2];
	/* The file has the kernel's variables, not only its functions */
	bool			has_variables;
};

/* The symbols that a target may mean. */
struct symbol_matches {
	/* They, without aliases, in the order in which SYMBOL@N counts */
	const struct symbol	**symbol;
	size_t			nr;
};

void symbols_add(struct symbols *symbols, const struct symbol *symbol);
void symbols_sort(struct symbols *symbols);
int symbols_read(struct symbols *symbols, const char *path);
void symbols_free(struct symbols *symbols);
const char *symbol_section(const struct symbols *symbols, const struct symbol *symbol);
bool symbol_is_function(const struct symbol *symbol);
bool symbol_is_percpu(const struct symbols *symbols, const struct symbol *symbol);
const char *symbol_fault(const struct symbols *symbols, const struct symbol *symbol,
			 unsigned int access);
const struct symbol *symbols_at(const struct symbols *symbols, unsigned long long addr);
const struct symbol *symbols_named(const struct symbols *symbols, const char *name);
const struct symbol *symbols_text(const struct symbols *symbols);
size_t symbols_find(const struct symbols *symbols, const struct ksym_target *target,
		    struct symbol_matches *matches);
bool is_module(const char *module, const char *name);
void symbols_near(const struct symbols *symbols, const char *name, struct strings *near);

void symbols_show(struct symbols *symbols, const struct strings *specs);

/* unlisted.c */
struct debuginfo;
char *unlisted_add(struct symbols *symbols, const struct debuginfo *vmlinux, const char *file);
void unlisted_add_module(struct symbols *symbols, const char *module);

#endif /* KSYMWATCH_SYMBOLS_H */
