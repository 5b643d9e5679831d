/* SPDX-License-Identifier: GPL-2.0-only */
/* What ksym_parse.c takes from the kernel's linux/limits.h; libc includes it, too. */
#ifndef KSYMWATCH_LINUX_LIMITS_H
#define KSYMWATCH_LINUX_LIMITS_H

#include_next <linux/limits.h>

#define S32_MAX	0x7fffffff
#define U32_MAX	0xffffffffU
#define S64_MAX	0x7fffffffffffffffLL

#endif /* KSYMWATCH_LINUX_LIMITS_H */
