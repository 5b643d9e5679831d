/* SPDX-License-Identifier: GPL-2.0-only */
/* The equivalent of kallsyms, from the symbols of an ELF file. */
#ifndef _ACCESS_SYMBOLS_H
#define _ACCESS_SYMBOLS_H

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The text that the decoder sees. */
static struct {
	unsigned long	addr, size;
	const u8	*bytes;
} text;

static const u8 *file_bytes;

/* Sorted. Without symbols, all text is one function. */
static unsigned long *symbols;
static size_t nr_symbols;

static bool core_kernel_text(unsigned long addr)
{
	return addr - text.addr < text.size;
}

static int kallsyms_lookup_size_offset(unsigned long addr, unsigned long *size,
				       unsigned long *offset)
{
	size_t low = 0, high = nr_symbols;

	if (!nr_symbols) {
		*size = text.size;
		*offset = addr - text.addr;
		return 1;
	}
	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (symbols[middle] <= addr)
			low = middle;
		else
			high = middle;
	}
	if (low + 1 == nr_symbols)
		return 0;
	*size = symbols[low + 1] - symbols[low];
	*offset = addr - symbols[low];
	return 1;
}

static int by_address(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* Reads the symbols of .text, and returns its section header. */
static const Elf64_Shdr *load_symbols(const char *name)
{
	const Elf64_Shdr *sections, *symtab = NULL, *code = NULL;
	int fd = open(name, O_RDONLY);
	const char *names;
	unsigned long off;
	struct stat st;
	Elf64_Ehdr *elf;
	size_t i, nr;

	if (fd < 0 || fstat(fd, &st)) {
		perror(name);
		exit(2);
	}
	file_bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	elf = (Elf64_Ehdr *)file_bytes;
	sections = (const Elf64_Shdr *)(file_bytes + elf->e_shoff);
	names = (const char *)file_bytes + sections[elf->e_shstrndx].sh_offset;
	for (i = 0; i < elf->e_shnum; i++) {
		if (sections[i].sh_type == SHT_SYMTAB)
			symtab = &sections[i];
		if (!strcmp(names + sections[i].sh_name, ".text"))
			code = &sections[i];
	}
	if (!symtab || !code) {
		fprintf(stderr, "%s: no .text or no symbols\n", name);
		exit(2);
	}

	symbols = malloc((symtab->sh_size / sizeof(Elf64_Sym) + 1) * sizeof(*symbols));
	for (off = 0; off < symtab->sh_size; off += sizeof(Elf64_Sym)) {
		const Elf64_Sym *symbol = (const void *)(file_bytes + symtab->sh_offset + off);

		if (sections + symbol->st_shndx == code &&
		    ELF64_ST_TYPE(symbol->st_info) <= STT_FUNC)
			symbols[nr_symbols++] = symbol->st_value;
	}
	symbols[nr_symbols++] = code->sh_addr + code->sh_size;
	qsort(symbols, nr_symbols, sizeof(*symbols), by_address);
	for (i = 1, nr = 1; i < nr_symbols; i++) {
		if (symbols[i] != symbols[nr - 1])
			symbols[nr++] = symbols[i];
	}
	nr_symbols = nr;
	return code;
}

#endif /* _ACCESS_SYMBOLS_H */
