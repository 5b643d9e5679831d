/* SPDX-License-Identifier: GPL-2.0-only */
/* What ksym_parse.c takes from the kernel's linux/limits.h, in user space. */
#ifndef _FUZZ_LINUX_LIMITS_H
#define _FUZZ_LINUX_LIMITS_H

#define S32_MAX	0x7fffffff
#define U32_MAX	0xffffffffU
#define S64_MAX	0x7fffffffffffffffLL

#endif /* _FUZZ_LINUX_LIMITS_H */
