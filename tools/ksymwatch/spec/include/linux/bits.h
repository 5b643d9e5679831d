/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSYMWATCH_LINUX_BITS_H
#define KSYMWATCH_LINUX_BITS_H

#define BIT(nr)	(1UL << (nr))

#endif /* KSYMWATCH_LINUX_BITS_H */
