/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages, memory, lists of strings, files and programs.
 *
 * Everything here is for any layer; nothing here knows what a watch is.
 */
#ifndef KSYMWATCH_UTIL_H
#define KSYMWATCH_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* The structure of this type that @pointer is the member of. */
#define container_of(pointer, type, member) \
	((type *)((char *)(pointer) - offsetof(type, member)))

/* As libtraceevent defines it. */
#define __maybe_unused __attribute__((unused))

/*
 * For a local variable: a function that gets its address where its scope ends, as the kernel's
 * __cleanup() and __free().
 */
#define __cleanup(function)	__attribute__((cleanup(function)))
#define __autofree		__cleanup(free_pointer)

/* Makes room for another element of an array, counts it, and returns where it is. */
#define array_add(array, nr) ({						\
	typeof(array) *_array = &(array);				\
	typeof(nr) *_nr = &(nr);					\
	*_array = array_room(*_array, *_nr, sizeof(**_array));		\
	&(*_array)[(*_nr)++];						\
})

/* Exit statuses; record and stat can also return their command's. */
enum status {
	STATUS_OK	= 0,
	STATUS_FAILED	= 1,
	STATUS_USAGE	= 2,
};

/* A list of strings that owns them; .text is not terminated by a NULL. */
struct strings {
	char	**text;
	size_t	nr;
};

void make_printable(char *text);
[[gnu::format(printf, 1, 2)]]
void err(const char *fmt, ...);
[[gnu::noreturn, gnu::format(printf, 1, 2)]]
void die(const char *fmt, ...);

void free_pointer(void *pointer);
void close_file(FILE **file);
void *check_memory(void *p);
void *xcalloc(size_t nr, size_t size);
void *xreallocarray(void *old, size_t nr, size_t size);
void *array_room(void *array, size_t nr, size_t size);
char *xstrdup(const char *text);
[[gnu::format(printf, 1, 0)]]
char *xvasprintf(const char *fmt, va_list ap);
[[gnu::format(printf, 1, 2)]]
char *xasprintf(const char *fmt, ...);

void strings_add(struct strings *strings, const char *text);
void strings_add_owned(struct strings *strings, char *text);
bool strings_have(const struct strings *strings, const char *text);
char *strings_join(const struct strings *strings, const char *between);
void strings_free(struct strings *strings);

bool program_exists(const char *name);
char *read_file(const char *path);
char *read_first_line(const char *path);
void flush_stdout(void);

#define NS_PER_S	1000000000LL
#define NS_PER_MS	1000000LL

long long now_ns(void);

#endif /* KSYMWATCH_UTIL_H */
