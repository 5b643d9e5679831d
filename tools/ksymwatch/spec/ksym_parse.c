// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's parser as it is. spec/include has what it takes from the kernel's headers. */
/* The kernel is not built with this warning. */
#pragma GCC diagnostic ignored "-Wsign-compare"

#include "../../../kernel/trace/ksym/ksym_parse.c"
