// SPDX-License-Identifier: GPL-2.0-only
/* What a recorded task had at an address, and the file, if it is here and the same. */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/util.h"
#include "symbols/debuginfo.h"
#include "symbols/mappings.h"

/* More forks than any program does without exec(2); a damaged file may have a circle. */
#define MAX_FORKS	64

/* A line of the text. */
struct line {
	char			kind;	/* its first letter */
	int			pid;
	unsigned long long	time;
	const char		*text;	/* the line itself */
	int			parent;	/* of 'f' and 't' */
	unsigned long long	start;	/* these and the rest of 'm' */
	unsigned long long	end;
	unsigned long long	off;
	const char		*id;
	const char		*path;
	struct mapped		*mapped;	/* or NULL if not asked for yet */
};

struct mappings {
	char		*text;		/* the lines point into it */
	const char	*end;		/* its end */
	struct line	*line;		/* sorted by task and time */
	size_t		nr;
	struct mapped	**mapped;	/* the files that stacks have */
	size_t		nr_mapped;
};

/* The lines of a CPU are in the right order, even if two have the same time. */
static int compare_lines(const void *a, const void *b)
{
	const struct line *line_a = a, *line_b = b;

	if (line_a->pid != line_b->pid)
		return line_a->pid < line_b->pid ? -1 : 1;
	if (line_a->time != line_b->time)
		return line_a->time < line_b->time ? -1 : 1;
	return line_a->text < line_b->text ? -1 : line_a->text > line_b->text;
}

/* Parses a line; returns false if it is damaged, or of a later version. */
static bool parse(struct line *line, char *text)
{
	int id = 0, path = 0;

	*line = (struct line) { .text = text };
	if (sscanf(text, "%c %d %llu%n", &line->kind, &line->pid, &line->time, &id) != 3)
		return false;
	text += id;
	switch (line->kind) {
	case 'e':
		return true;
	case 'f':
	case 't':
		return sscanf(text, "%d", &line->parent) == 1;
	case 'm':
		if (sscanf(text, "%llx %llx %llx %n%*s %n", &line->start, &line->end, &line->off,
			   &id, &path) != 3 || !path)
			return false;
		text[path - 1] = '\0';
		line->id = strcmp(text + id, MAPPING_NO_ID) ? text + id : NULL;
		line->path = text + path;
		return true;
	}
	return false;
}

/* Parses a text of this size. */
struct mappings *mappings_new(const char *text, size_t size)
{
	struct mappings *mappings = xcalloc(1, sizeof(*mappings));
	char *rest, *line;

	mappings->text = check_memory(strndup(text, size));
	mappings->end = mappings->text + size;
	rest = mappings->text;
	while ((line = strsep(&rest, "\n"))) {
		if (!parse(array_add(mappings->line, mappings->nr), line))
			mappings->nr--;
	}
	qsort(mappings->line, mappings->nr, sizeof(struct line), compare_lines);
	return mappings;
}

void mappings_free(struct mappings *mappings)
{
	if (!mappings)
		return;
	while (mappings->nr_mapped--) {
		debuginfo_close(mappings->mapped[mappings->nr_mapped]->info);
		free(mappings->mapped[mappings->nr_mapped]);
	}
	free(mappings->mapped);
	free(mappings->line);
	free(mappings->text);
	free(mappings);
}

/* Opens the file, or if it is gone or another one, its debug info. */
static struct debuginfo *open_mapped(const struct line *line)
{
	struct debuginfo *info = NULL;
	struct stat st;

	/* A recording may name anything; to open a FIFO would block. */
	if (line->id && !stat(line->path, &st) && S_ISREG(st.st_mode))
		info = debuginfo_open(line->path);
	if (info && !debuginfo_has_id(info, line->id)) {
		err("%s is not the recorded file, by its build ID: it is not used", line->path);
		debuginfo_close(info);
		info = NULL;
	}
	return info ?: debuginfo_of_id(line->id);
}

static struct mapped *find_mapped(struct mappings *mappings, const struct line *line)
{
	struct mapped *mapped;
	size_t i;

	for (i = 0; i < mappings->nr_mapped; i++) {
		mapped = mappings->mapped[i];
		if (!strcmp(mapped->path, line->path) && !strcmp(mapped->id ?: "", line->id ?: ""))
			return mapped;
	}
	mapped = xcalloc(1, sizeof(*mapped));
	*array_add(mappings->mapped, mappings->nr_mapped) = mapped;
	*mapped = (struct mapped) { line->path, line->id, open_mapped(line), i + 1 };
	return mapped;
}

/* Returns the number of lines before those of a task after a time. */
static size_t count_before(const struct mappings *mappings, int pid, unsigned long long time)
{
	const struct line key = { .pid = pid, .time = time, .text = mappings->end };
	size_t low = 0, high = mappings->nr, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (compare_lines(&mappings->line[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * What a task, or the process of a thread, had mapped at an address at a time of the trace
 * clock, and the offset of that in the file; or NULL if it is unknown.
 */
const struct mapped *mappings_find(struct mappings *mappings, int pid, unsigned long long time,
				   unsigned long long addr, unsigned long long *offset)
{
	size_t i = count_before(mappings, pid, time);
	int forks = 0;

	while (i-- && mappings->line[i].pid == pid && mappings->line[i].kind != 'e') {
		struct line *line = &mappings->line[i];

		if (line->kind == 'm' && line->start <= addr && addr < line->end) {
			line->mapped = line->mapped ?: find_mapped(mappings, line);
			*offset = addr - line->start + line->off;
			return line->mapped;
		}
		if (line->kind == 'm')
			continue;
		if (++forks > MAX_FORKS)
			break;
		/* What the process maps later, its threads have, too. */
		pid = line->parent;
		time = line->kind == 't' ? time : line->time;
		i = count_before(mappings, pid, time);
	}
	return NULL;
}

/* The address for libdwfl of an offset in a file that is there. */
uint64_t mapped_address(const struct mapped *mapped, unsigned long long offset)
{
	GElf_Addr bias, first = 0;
	Elf *elf = dwfl_module_getelf(mapped->info->module, &bias);
	bool has_first = false;
	GElf_Phdr segment;
	size_t nr = 0, i;

	elf_getphdrnum(elf, &nr);
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &segment) || segment.p_type != PT_LOAD)
			continue;
		if (offset - segment.p_offset < segment.p_filesz)
			return bias + segment.p_vaddr + offset - segment.p_offset;
		if (!has_first)
			first = segment.p_vaddr;
		has_first = true;
	}
	/* A file of debug info has no contents: the first segment begins where the file did. */
	return bias + first + offset;
}
