/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions on stock kernels.
 */
#ifndef KSYMWATCH_CONDITION_H
#define KSYMWATCH_CONDITION_H

struct bpf_config;
struct ksym_spec;

char *condition_compile(const struct ksym_spec *spec, const char *line, struct bpf_config *config);

#endif /* KSYMWATCH_CONDITION_H */
