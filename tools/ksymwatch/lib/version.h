/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSYMWATCH_VERSION_H
#define KSYMWATCH_VERSION_H

/* The version in debian/changelog, which scripts/deb.sh compares. */
#define KSYMWATCH_VERSION	"0.1"

#endif /* KSYMWATCH_VERSION_H */
