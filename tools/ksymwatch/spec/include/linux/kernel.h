/* SPDX-License-Identifier: GPL-2.0-only */
/* What ksym_parse.c takes from the kernel's linux/kernel.h. */
#ifndef KSYMWATCH_LINUX_KERNEL_H
#define KSYMWATCH_LINUX_KERNEL_H

#include_next <linux/kernel.h>
#include <stdarg.h>
#include <stdio.h>

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

#endif /* KSYMWATCH_LINUX_KERNEL_H */
