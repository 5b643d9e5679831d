/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSYM_MOD_H
#define KSYM_MOD_H

void ksym_mod_write_other_twin(int value);

#endif
