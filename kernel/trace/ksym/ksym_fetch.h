/* SPDX-License-Identifier: GPL-2.0-only */
/* Fetch arguments: what a hit records beside its fixed fields. */
#ifndef _KERNEL_TRACE_KSYM_FETCH_H
#define _KERNEL_TRACE_KSYM_FETCH_H

#include <linux/types.h>

struct ksym_entry;
struct ksym_fetch;
struct ksym_hit;
struct module;
struct trace_event_call;
struct trace_seq;

/**
 * struct ksym_fetch_error - what is wrong with a fetch argument
 * @text: the sentence of the error, or NULL
 * @word: in which word of the command
 * @at: and where in that word
 */
struct ksym_fetch_error {
	const char	*text;
	int		word;
	int		at;
};

struct ksym_fetch *ksym_fetch_parse(int argc, const char **argv, int first, bool pending,
				    bool (*is_field)(const char *name, size_t len),
				    struct ksym_fetch_error *error);
char *ksym_fetch_prepare(struct ksym_fetch *fetch, unsigned int head,
			 const char *fmt, const char *args);
void ksym_fetch_free(struct ksym_fetch *fetch);
int ksym_fetch_define_fields(struct ksym_fetch *fetch,
			     struct trace_event_call *call);
struct ksym_entry *ksym_fetch_record_nmi(struct ksym_hit *hit);
void ksym_fetch_print(struct ksym_fetch *fetch, struct trace_seq *s,
		      void *record);
int ksym_fetch_format(const struct ksym_fetch *fetch, char *buf, size_t size);
bool ksym_fetch_match(struct ksym_fetch *fetch, int argc, const char **argv);
void ksym_fetch_update(struct ksym_fetch *fetch);
void ksym_fetch_forget(struct ksym_fetch *fetch, const struct module *mod);

#endif /* _KERNEL_TRACE_KSYM_FETCH_H */
