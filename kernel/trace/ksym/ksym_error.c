// SPDX-License-Identifier: GPL-2.0-only
/* Errors: how they are reported in error_log. */
#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "ksym_watch.h"

static struct {
	int		err;
	const char	*text;
} errors[] = {
#define KSYM_ERROR(name, err, text)		\
	[KSYM_ERR_##name] = { err, text },
#include "ksym_errors.h"
#undef KSYM_ERROR
};

/**
 * ksym_error_text - get the sentence of an error
 * @code: the error
 *
 * Any context.
 *
 * Return: the text.
 */
const char *ksym_error_text(enum ksym_err code)
{
	return errors[code].text;
}

/* Held from the text to the log, so that the log gets the texts in their order. */
static DEFINE_MUTEX(details_mutex);

/*
 * error_log keeps pointers to the texts of its last eight errors. With one text more
 * than that, the one that is overwritten here has left the log.
 */
static const char **add_details(enum ksym_err code, const char *more)
{
	static char texts[9][KSYM_MORE_LEN + 96];
	static const char *table[ARRAY_SIZE(texts)];
	static unsigned int next;
	unsigned int nr = next++ % ARRAY_SIZE(texts);

	lockdep_assert_held(&details_mutex);

	snprintf(texts[nr], sizeof(texts[nr]), "%s (%s)", errors[code].text, more);
	table[nr] = texts[nr];
	return &table[nr];
}

/**
 * ksym_error_log - report an error in error_log, below its line
 * @subsystem: the name before the error; a constant, since the log keeps the pointer
 * @line: the line
 * @error: the error
 * @more: details that are added to its text; or NULL or ""
 *
 * Process context; sleeps.
 *
 * Return: the errno for the writer.
 */
int ksym_error_log(const char *subsystem, const char *line,
		   const struct ksym_error *error, const char *more)
{
	const char **text = &errors[error->code].text;

	guard(mutex)(&details_mutex);
	if (more && more[0])
		text = add_details(error->code, more);
	/* The log takes a table of texts and an index: this is a table of one. */
	tracing_log_err(NULL, subsystem, line, text, 0, error->at);
	return -errors[error->code].err;
}
