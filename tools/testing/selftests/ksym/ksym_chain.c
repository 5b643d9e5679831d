// SPDX-License-Identifier: GPL-2.0-only
/*
 * All CPUs access one word of ksym_mod at once. The hits may be recorded in another
 * order than they happened, but their values must be right: the pairs of old and new
 * form one chain, and each stored value is in as many records as it was stored.
 *
 * There are many records, so the test reads the raw pages of the buffers.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "ksym_util.h"

#define MODULE		"ksym_mod/ksym_mod.ko"
#define PARAM(name)	"/sys/module/ksym_mod/parameters/" name
#define EVENT		TRACEFS "events/ksym/storm/"

/* Number of iterations of each CPU. */
#define LENGTH		25000
#define TEXT_OF(x)	#x
#define TEXT(x)		TEXT_OF(x)

#define SEED		"1000003"

/* The layout of a page, from events/header_page, and of its events. */
#define PAGE_BYTES	4096
#define PAGE_HEAD	16
#define TYPE_PADDING	29
#define TYPE_EXTEND	30
#define TYPE_STAMP	31
#define COMMIT_BYTES	0xfffff

/* The access field of a hit. */
#define ACCESS_R	1
#define ACCESS_W	2
#define ACCESS_RW	3

struct hit {
	uint64_t	old;
	uint64_t	new;
	uint64_t	wrote;
	uint32_t	has_wrote;
	uint8_t		access;
	uint8_t		torn;
};

struct hits {
	struct hit	*hit;
	size_t		nr;
	size_t		room;
};

/* Returns the offset of a field in a record of the event, or -1. */
static int offset_of(const char *name)
{
	char line[256], found[64];
	int offset = -1, at;
	FILE *file = fopen(EVENT "format", "r");

	if (!file)
		return -1;
	while (offset < 0 && fgets(line, sizeof(line), file)) {
		if (sscanf(line, " field:%*s %63[^;]; offset:%d", found, &at) == 2 &&
		    !strcmp(found, name))
			offset = at;
	}
	fclose(file);
	return offset;
}

/* The offsets of the event's fields. */
struct layout {
	int		id;
	int		old;
	int		new;
	int		access;
	int		torn;
	int		has_wrote;
	int		wrote;
};

static struct layout read_layout(void)
{
	return (struct layout){
		.id		= read_number(EVENT "id"),
		.old		= offset_of("old"),
		.new		= offset_of("new"),
		.access		= offset_of("access"),
		.torn		= offset_of("torn"),
		.has_wrote	= offset_of("has_wrote"),
		.wrote		= offset_of("wrote"),
	};
}

static struct hit *new_hit(struct hits *hits)
{
	if (hits->nr == hits->room) {
		hits->room = hits->room ? 2 * hits->room : LENGTH;
		hits->hit = realloc(hits->hit, hits->room * sizeof(*hits->hit));
		if (!hits->hit)
			abort();
	}
	memset(&hits->hit[hits->nr], 0, sizeof(*hits->hit));
	return &hits->hit[hits->nr++];
}

/* Adds a record. Returns false if it is of another event. */
static bool add_hit(struct hits *hits, const struct layout *at, const uint8_t *record)
{
	struct hit *hit;
	uint16_t id;

	memcpy(&id, record, sizeof(id));
	if (id != at->id)
		return false;
	hit = new_hit(hits);
	memcpy(&hit->old, record + at->old, sizeof(hit->old));
	memcpy(&hit->new, record + at->new, sizeof(hit->new));
	hit->access = record[at->access];
	hit->torn = record[at->torn];
	if (at->wrote >= 0) {
		memcpy(&hit->has_wrote, record + at->has_wrote, sizeof(hit->has_wrote));
		memcpy(&hit->wrote, record + at->wrote, sizeof(hit->wrote));
	}
	return true;
}

/* Returns false if the page holds other events, or has lost some. */
static bool add_page(struct hits *hits, const struct layout *at, const uint8_t *page)
{
	uint64_t commit;
	const uint8_t *next = page + PAGE_HEAD, *end;
	uint32_t head, length;

	memcpy(&commit, page + sizeof(uint64_t), sizeof(commit));
	if (commit > PAGE_BYTES - PAGE_HEAD)
		return false;
	end = next + commit;
	while (next < end) {
		memcpy(&head, next, sizeof(head));
		next += sizeof(head);
		memcpy(&length, next, sizeof(length));
		switch (head & 0x1f) {
		case TYPE_PADDING:
			/* An event without a delta fills the rest of the page. */
			next = head >> 5 ? next + length : end;
			break;
		case TYPE_EXTEND:
		case TYPE_STAMP:
			next += sizeof(length);
			break;
		case 0:
			/* The next word is the length, which includes that word. */
			if (!add_hit(hits, at, next + sizeof(length)))
				return false;
			next += length;
			break;
		default:
			if (!add_hit(hits, at, next))
				return false;
			next += (head & 0x1f) * sizeof(uint32_t);
		}
	}
	return next == end;
}

/* Reads all records of a CPU from its buffer. */
static bool add_cpu(struct hits *hits, const struct layout *at, int cpu)
{
	uint8_t page[PAGE_BYTES];
	char path[96];
	bool good = true;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), TRACEFS "per_cpu/cpu%d/trace_pipe_raw", cpu);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return false;
	while (good && (size = read(fd, page, sizeof(page))) > 0)
		good = size == sizeof(page) && add_page(hits, at, page);
	close(fd);
	return good;
}

/* Returns the number after a word of a CPU's stats, or -1. */
static long long cpu_stat(int cpu, const char *word)
{
	char path[96], line[128];
	long long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), TRACEFS "per_cpu/cpu%d/stats", cpu);
	file = fopen(path, "r");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, word, strlen(word)) && line[strlen(word)] == ':')
			value = atoll(line + strlen(word) + 1);
	}
	fclose(file);
	return value;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The distinct values of all pairs. */
struct values {
	uint64_t	*value;
	/* How many more pairs end than begin with the value. */
	long		*excess;
	/* A value connected with this one, or itself. */
	size_t		*parent;
	size_t		nr;
};

static size_t index_of(const struct values *values, uint64_t value)
{
	uint64_t *found = bsearch(&value, values->value, values->nr, sizeof(value), compare);

	return found - values->value;
}

static size_t root_of(struct values *values, size_t i)
{
	while (values->parent[i] != i) {
		values->parent[i] = values->parent[values->parent[i]];
		i = values->parent[i];
	}
	return i;
}

static void init_values(struct values *values, const struct hits *hits,
			uint64_t first, uint64_t last)
{
	size_t i, nr = 2 * hits->nr + 2;

	values->value = calloc(nr, sizeof(*values->value));
	values->excess = calloc(nr, sizeof(*values->excess));
	values->parent = calloc(nr, sizeof(*values->parent));
	if (!values->value || !values->excess || !values->parent)
		abort();
	values->value[0] = first;
	values->value[1] = last;
	for (i = 0; i < hits->nr; i++) {
		values->value[2 * i + 2] = hits->hit[i].old;
		values->value[2 * i + 3] = hits->hit[i].new;
	}
	qsort(values->value, nr, sizeof(*values->value), compare);
	values->nr = 0;
	for (i = 0; i < nr; i++) {
		if (!i || values->value[values->nr - 1] != values->value[i])
			values->value[values->nr++] = values->value[i];
	}
	for (i = 0; i < values->nr; i++)
		values->parent[i] = i;
}

/*
 * Can all pairs be put in a row from @first to @last, so that each pair begins with the
 * value that the previous pair ends with? They can if every value except those two begins
 * as many pairs as it ends, and if all pairs are connected.
 */
static bool is_chain(const struct hits *hits, uint64_t first, uint64_t last)
{
	struct values values;
	size_t i, from, to;
	bool good = true;

	init_values(&values, hits, first, last);
	for (i = 0; i < hits->nr; i++) {
		from = index_of(&values, hits->hit[i].old);
		to = index_of(&values, hits->hit[i].new);
		values.excess[from]--;
		values.excess[to]++;
		values.parent[root_of(&values, from)] = root_of(&values, to);
	}
	values.excess[index_of(&values, first)]++;
	values.excess[index_of(&values, last)]--;
	for (i = 0; i < values.nr; i++)
		good = good && !values.excess[i] &&
		       root_of(&values, i) == root_of(&values, 0);
	free(values.value);
	free(values.excess);
	free(values.parent);
	return good;
}

/* The end of a chain that begins with @first. The sum may wrap, like the values. */
static uint64_t end_of_chain(const struct hits *hits, uint64_t first)
{
	size_t i;

	for (i = 0; i < hits->nr; i++)
		first += hits->hit[i].new - hits->hit[i].old;
	return first;
}

FIXTURE(chain) {
	struct hits	hits;
	int		nr_cpus;
	bool		loaded;
};

FIXTURE_SETUP(chain)
{
	int fd;

	if (access(TRACEFS "ksym_trace_filter", W_OK))
		SKIP(return, "no ksym tracer here, or no permission");
	fd = open(MODULE, O_RDONLY);
	if (fd < 0)
		SKIP(return, "the module ksym_mod is not built, or not here");
	/* A failed test may have left both. */
	ASSERT_EQ(0, ksym_write("0"));
	syscall(SYS_delete_module, "ksym_mod", O_NONBLOCK);
	ASSERT_EQ(0, syscall(SYS_finit_module, fd, "", 0));
	close(fd);
	self->loaded = true;

	self->nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	/* Enough for all records of a CPU, at 72 bytes each. */
	ASSERT_EQ(0, write_file(TRACEFS "buffer_size_kb", "4096", O_TRUNC));
	ASSERT_EQ(0, write_file(PARAM("write"), "local " SEED, 0));
}

FIXTURE_TEARDOWN(chain)
{
	ksym_write("0");
	if (self->loaded)
		syscall(SYS_delete_module, "ksym_mod", O_NONBLOCK);
	free(self->hits.hit);
}

/* Reads all hits of a storm. None may be missed or lost. */
static void take_hits(struct __test_metadata *_metadata, struct hits *hits,
		      const struct layout *at, size_t expected)
{
	static const char * const missed[] = {
		"DISABLED", "FILTERED", "NOBUFFER", "FAULT", "LIMITED", "STALE",
		"NOTREAD", "UNCHANGED",
	};
	int cpu, nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t i;

	EXPECT_EQ(expected, ksym_stat("storm", "HITS"));
	EXPECT_EQ(0, ksym_stat("storm", "UNKNOWN"));
	for (i = 0; i < ARRAY_SIZE(missed); i++)
		EXPECT_EQ(0, ksym_stat("storm", missed[i]));

	ASSERT_LE(0, at->id);
	ASSERT_LE(0, at->old);
	ASSERT_LE(0, at->new);
	ASSERT_LE(0, at->access);
	ASSERT_LE(0, at->torn);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		EXPECT_EQ(0, cpu_stat(cpu, "overrun"));
		EXPECT_EQ(0, cpu_stat(cpu, "commit overrun"));
		EXPECT_EQ(0, cpu_stat(cpu, "dropped events"));
		ASSERT_TRUE(add_cpu(hits, at, cpu));
	}
	ASSERT_EQ(expected, hits->nr);
	for (i = 0; i < expected; i++)
		ASSERT_LE(hits->hit[i].torn, 1);
}

static size_t nr_torn(const struct hits *hits)
{
	size_t i, nr = 0;

	for (i = 0; i < hits->nr; i++)
		nr += hits->hit[i].torn;
	return nr;
}

/* A busy host may need this long. */
TEST_F_TIMEOUT(chain, locked_instructions, 300)
{
	size_t i, expected = LENGTH * self->nr_cpus, reads = 0;
	uint64_t first = strtoull(SEED, NULL, 10), last;
	struct hits *hits = &self->hits;
	struct layout at;
	struct hit *hit, kept;
	long long failed;

	ASSERT_EQ(0, ksym_write("ksym_mod_local:rw len=8 name=storm limit=0 budget=0"));
	ASSERT_EQ(0, write_file(PARAM("write"), "storm_locked " TEXT(LENGTH), 0));
	failed = read_number(PARAM("failed"));
	/* This read happens alone, so it makes the last pair. */
	last = read_number(PARAM("local"));
	at = read_layout();
	take_hits(_metadata, hits, &at, expected + 1);
	TH_LOG("%zu hits, %zu torn, %lld cmpxchg stored nothing", hits->nr,
	       nr_torn(hits), failed);

	/* A cmpxchg that stored nothing is a read. */
	for (i = 0; i < hits->nr; i++) {
		reads += hits->hit[i].access == ACCESS_R;
		ASSERT_TRUE(hits->hit[i].access == ACCESS_R ||
			    hits->hit[i].access == ACCESS_RW);
	}
	EXPECT_EQ(failed + 1, reads);
	EXPECT_EQ(expected + 1, ksym_stat("storm", "READS"));
	EXPECT_EQ(expected - failed, ksym_stat("storm", "WRITES"));
	EXPECT_TRUE(is_chain(hits, first, last));

	/* The check would notice a pair that is missing or has another value, */
	for (i = 0; hits->hit[i].old == hits->hit[i].new; i++)
		ASSERT_LT(i + 1, hits->nr);
	hit = &hits->hit[i];
	kept = *hit;
	*hit = hits->hit[--hits->nr];
	EXPECT_FALSE(is_chain(hits, first, last));
	hits->hit[hits->nr++] = *hit;
	*hit = kept;
	EXPECT_TRUE(is_chain(hits, first, last));
	hit->old = ~hit->old;
	EXPECT_FALSE(is_chain(hits, first, last));
	*hit = kept;
	/* a chain that begins or ends elsewhere, */
	EXPECT_FALSE(is_chain(hits, first + 1, last));
	EXPECT_FALSE(is_chain(hits, first, last + 1));
	/* or a balanced pair that is not connected with the others. */
	hit = new_hit(hits);
	hit->old = UINT64_MAX;
	hit->new = UINT64_MAX;
	EXPECT_FALSE(is_chain(hits, first, last));
}

TEST_F_TIMEOUT(chain, stored_values, 300)
{
	size_t i, expected = LENGTH * self->nr_cpus;
	uint64_t first = strtoull(SEED, NULL, 10);
	struct hits *hits = &self->hits;
	struct layout at;
	uint64_t value, cpu;
	uint8_t *seen;

	ASSERT_EQ(0, ksym_write("ksym_mod_local:w len=8 name=storm limit=0 budget=0 wrote"));
	ASSERT_EQ(0, write_file(PARAM("write"), "storm_stored " TEXT(LENGTH), 0));
	at = read_layout();
	ASSERT_LE(0, at.has_wrote);
	ASSERT_LE(0, at.wrote);
	take_hits(_metadata, hits, &at, expected);
	TH_LOG("%zu hits, %zu torn", hits->nr, nr_torn(hits));

	/* There are as many hits as values, so it suffices that no value occurs twice. */
	seen = calloc(self->nr_cpus, LENGTH);
	ASSERT_NE(NULL, seen);
	for (i = 0; i < hits->nr; i++) {
		ASSERT_EQ(ACCESS_W, hits->hit[i].access);
		ASSERT_EQ(1, hits->hit[i].has_wrote);
		cpu = (hits->hit[i].wrote >> 32) - 1;
		value = hits->hit[i].wrote & UINT32_MAX;
		ASSERT_LT(cpu, self->nr_cpus);
		ASSERT_LT(value, LENGTH);
		ASSERT_EQ(0, seen[cpu * LENGTH + value]++);
	}
	free(seen);
	EXPECT_EQ(expected, ksym_stat("storm", "WRITES"));
	EXPECT_TRUE(is_chain(hits, first, end_of_chain(hits, first)));
}

TEST_HARNESS_MAIN
