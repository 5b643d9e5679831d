/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of records, as the kernel writes them. */
#ifndef KSYMWATCH_PAGE_H
#define KSYMWATCH_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/* No page is smaller. */
#define PAGE_MIN_SIZE	64

bool page_is_right(const char *page, size_t page_size);
void pages_check(size_t size);
bool pages_were_wrong(void);

#endif /* KSYMWATCH_PAGE_H */
