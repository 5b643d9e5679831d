/* SPDX-License-Identifier: GPL-2.0-only */
/* What ksym_parse.c takes from the kernel's headers. */
#ifndef KSYMWATCH_LINUX_KERNEL_H
#define KSYMWATCH_LINUX_KERNEL_H

#include_next <linux/kernel.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BIT(nr)	(1UL << (nr))
#define S32_MAX	0x7fffffff
#define U32_MAX	0xffffffffU
#define S64_MAX	0x7fffffffffffffffLL

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#endif

/* Like snprintf(), but returns what was written, not what would have been. */
[[gnu::format(printf, 3, 4)]]
static inline int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	return len < (int)size ? len : (int)size - 1;
}

/* Gets digits only. */
static inline int kstrtoull(const char *s, unsigned int base, unsigned long long *res)
{
	char *end;

	errno = 0;
	*res = strtoull(s, &end, base);
	if (errno)
		return -errno;
	return end == s || *end ? -EINVAL : 0;
}

#endif /* KSYMWATCH_LINUX_KERNEL_H */
