// SPDX-License-Identifier: GPL-2.0-only
/* The running kernel's memory as a core file, whose program headers map the addresses. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "lib/util.h"
#include "symbols/kcore.h"

#define KCORE_FILE	"/proc/kcore"

/* Reads the kernel's memory; on failure @why is the reason, a new string. */
bool kcore_read(unsigned long long addr, void *data, size_t len, char **why)
{
	int fd = open(KCORE_FILE, O_RDONLY | O_CLOEXEC), i;
	ssize_t got = -1;
	GElf_Phdr part;
	Elf *elf;

	*why = NULL;
	if (fd < 0) {
		*why = xasprintf(KCORE_FILE ": %s", strerror(errno));
		return false;
	}
	elf = elf_version(EV_CURRENT) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	for (i = 0; got < 0 && gelf_getphdr(elf, i, &part); i++)
		if (part.p_type == PT_LOAD && addr >= part.p_vaddr &&
		    addr - part.p_vaddr < part.p_filesz)
			got = pread(fd, data, len, part.p_offset + (addr - part.p_vaddr));
	elf_end(elf);
	close(fd);
	if (got == (ssize_t)len)
		return true;
	*why = xasprintf("no memory at %#llx", addr);
	return false;
}
