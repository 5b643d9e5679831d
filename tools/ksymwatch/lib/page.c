// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of records, as the kernel writes them. libtraceevent trusts them, so they are checked
 * before it reads them.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include <kbuffer.h>

#include "lib/page.h"

/* A page begins with its time and the size of its records, whose other bits are flags. */
#define PAGE_HEAD		16
#define PAGE_SIZE_MASK		0x7ffffffU
#define PAGE_LOST_STORED	0x40000000U

/*
 * Are all records of a page inside it? libtraceevent trusts their lengths: a wrong one leads
 * it elsewhere, or back to the same record again and again. The kernel's are multiples of 4.
 */
bool page_is_right(const char *page, size_t page_size)
{
	uint32_t flags, header[2], len;
	size_t left, lost;

	memcpy(&flags, page + sizeof(uint64_t), sizeof(flags));
	left = flags & PAGE_SIZE_MASK;
	/* The number of lost records follows them. */
	lost = flags & PAGE_LOST_STORED ? sizeof(long) : 0;
	if (left + lost > page_size - PAGE_HEAD)
		return false;
	for (page += PAGE_HEAD; left; page += len, left -= len) {
		if (left < sizeof(header))
			return false;
		memcpy(header, page, sizeof(header));
		switch (header[0] & 31) {
		case 0:
		case KBUFFER_TYPE_PADDING:
			len = header[1];
			break;
		case KBUFFER_TYPE_TIME_EXTEND:
		case KBUFFER_TYPE_TIME_STAMP:
			len = sizeof(header[1]);
			break;
		default:
			len = 4 * (header[0] & 31);
		}
		if (len < sizeof(header[1]) || len % 4 || len > left - sizeof(header[0]))
			return false;
		len += sizeof(header[0]);
	}
	return true;
}

#ifndef NO_TRACECMD
/* The size of the pages that are checked, or 0. */
static size_t checked_size;
static bool found_wrong;

/*
 * libtracecmd calls this instead of libtraceevent's function, with each page that it has read or
 * unpacked: nothing else gives access to them before. It looks only whether the records are
 * more than a page, and then reads no more of that CPU.
 */
int kbuffer_load_subbuffer(struct kbuffer *kbuf, void *page)
{
	static const uint64_t too_large[8] = { 0, PAGE_SIZE_MASK, 1 /* a record of 4 bytes */ };
	static int (*load)(struct kbuffer *kbuf, void *page);

	if (!load)
		*(void **)&load = dlsym(RTLD_NEXT, __func__);
	if (checked_size && !page_is_right(page, checked_size)) {
		found_wrong = true;
		page = (void *)too_large;
	}
	return load(kbuf, page);
}

/* From here on, check all pages that libtracecmd reads, which have this size; or none with 0. */
void pages_check(size_t size)
{
	checked_size = size;
	found_wrong = false;
}

/* Was a page wrong since then? */
bool pages_were_wrong(void)
{
	return found_wrong;
}
#endif
