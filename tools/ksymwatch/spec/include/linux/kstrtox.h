/* SPDX-License-Identifier: GPL-2.0-only */
/* kstrtoull() for ksym_parse.c in user space, which hands digits only to it. */
#ifndef KSYMWATCH_LINUX_KSTRTOX_H
#define KSYMWATCH_LINUX_KSTRTOX_H

#include <errno.h>
#include <stdlib.h>

static inline int kstrtoull(const char *s, unsigned int base,
			    unsigned long long *res)
{
	char *end;

	errno = 0;
	*res = strtoull(s, &end, base);
	if (errno)
		return -errno;
	return end == s || *end ? -EINVAL : 0;
}

#endif /* KSYMWATCH_LINUX_KSTRTOX_H */
