/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of the kernel's linux/limits.h that ksym_parse.c uses, for user space. */
#ifndef _FUZZ_LINUX_LIMITS_H
#define _FUZZ_LINUX_LIMITS_H

#define S32_MAX	0x7fffffff
#define U32_MAX	0xffffffffU
#define S64_MAX	0x7fffffffffffffffLL

#endif /* _FUZZ_LINUX_LIMITS_H */
