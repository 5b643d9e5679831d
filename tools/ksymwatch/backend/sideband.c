// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tasks map: that of all tasks at the start by /proc, then perf's events of mmap(2),
 * exec(2) and fork(2) on all CPUs, in the clock of the trace. So user stacks have names even if
 * the task is gone when a recording is shown. The text is that of symbols/mappings.h.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "backend/perf/stock.h"
#include "backend/sideband.h"
#include "lib/names.h"
#include "lib/util.h"
#include "symbols/debuginfo.h"
#include "symbols/mappings.h"

/* A buffer has a page with its state, then a power of two of pages. */
#define PAGE		4096UL
#define RING_SIZE	(64 * PAGE)

/* A machine that starts a thousand programs a second writes this in a minute. */
#define MAX_TEXT	(64L << 20)

/* perf's records; the last 8 bytes of each are its time. */
union event {
	struct perf_event_header	header;
	struct {
		struct perf_event_header	header;
		uint32_t			pid, tid;
		uint64_t			start, len, off;
		uint8_t				id_size, unused[3], id[20];
		uint32_t			prot, flags;
		char				path[];
	} map;
	struct {
		struct perf_event_header	header;
		uint32_t			pid, ppid, tid;
	} fork;
	struct {
		struct perf_event_header	header;
		uint32_t			pid;
	} comm;
};

static struct sideband {
	struct perf_event_mmap_page	**ring;	/* of each CPU, or NULL */
	size_t				nr;	/* number of CPUs */
	FILE				*out;	/* writes into @text */
	char				*text;
	size_t				size;
	bool				lost;	/* some is missing */
} side;

/* --- At the start ------------------------------------------------------------------ */

/* The build IDs of files, which many tasks map. */
struct known {
	struct names	file;	/* device, inode and path */
	struct strings	id;	/* NULL for one that is not found yet */
};

static const char *find_id(struct known *known, const char *file, const char *link)
{
	size_t i = names_find(&known->file, file);

	if (i == known->id.nr)
		strings_add_owned(&known->id, NULL);
	if (!known->id.text[i])
		known->id.text[i] = file_build_id(link);
	/* The link of a task that has ended meanwhile leads nowhere; ask the next task's. */
	if (!known->id.text[i] && !access(link, F_OK))
		known->id.text[i] = xstrdup(MAPPING_NO_ID);
	return known->id.text[i] ?: MAPPING_NO_ID;
}

static void note_maps(struct known *known, int pid)
{
	char *path __autofree = xasprintf("/proc/%d/maps", pid), *line __autofree = NULL;
	FILE *maps __cleanup(close_file) = fopen(path, "re");
	unsigned long long start, end, off;
	size_t room = 0;
	int dev, name;

	while (maps && getline(&line, &room, maps) > 0) {
		char *link __autofree = NULL;

		line[strcspn(line, "\n")] = '\0';
		name = 0;
		if (sscanf(line, "%llx-%llx %*2cx%*c %llx %n%*s %*u %n", &start, &end, &off, &dev,
			   &name) != 3 || !name || line[name] != '/')
			continue;
		/* The task may see other files, or the file may be removed. */
		link = xasprintf("/proc/%d/map_files/%llx-%llx", pid, start, end);
		fprintf(side.out, MAPPING_FORMAT, pid, 0ULL, start, end, off,
			find_id(known, line + dev, link), line + name);
	}
}

/* Notes what all tasks have mapped, or with @pid which threads it has. */
static void note_tasks(struct known *known, int pid)
{
	char *path __autofree = pid ? xasprintf("/proc/%d/task", pid) : xstrdup("/proc");
	struct dirent *entry;
	DIR *folder = opendir(path);

	while (folder && (entry = readdir(folder))) {
		int task = atoi(entry->d_name);

		if (task && pid && task != pid)
			fprintf(side.out, MAPPING_THREAD, task, 0ULL, pid);
		if (!task || pid)
			continue;
		note_maps(known, task);
		note_tasks(known, task);
	}
	if (folder)
		closedir(folder);
}

/* --- Events ------------------------------------------------------------------------- */

static int open_event(const char *clock, int cpu)
{
	static const struct {
		const char	*name;
		int		id;
	} clocks[] = {
		{ "[mono]", CLOCK_MONOTONIC }, { "[mono_raw]", CLOCK_MONOTONIC_RAW },
		{ "[boot]", CLOCK_BOOTTIME }, { "[tai]", CLOCK_TAI },
	};
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1,
		.mmap = 1, .mmap2 = 1, .build_id = 1, .comm = 1, .comm_exec = 1, .task = 1,
		.watermark = 1, .wakeup_watermark = RING_SIZE / 4,
	};
	size_t i;

	/* The others, local and global, are perf's own. */
	for (i = 0; clock && i < ARRAY_SIZE(clocks); i++) {
		if (!strstr(clock, clocks[i].name))
			continue;
		attr.use_clockid = 1;
		attr.clockid = clocks[i].id;
	}
	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void watch_descriptor(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		die("epoll: %s", strerror(errno));
}

/* Returns 0 or an errno. */
static int open_ring(int epoll, const char *clock, int cpu)
{
	int fd = open_event(clock, cpu);
	void *ring;

	/* The CPU is offline. */
	if (fd < 0)
		return errno == ENODEV ? 0 : errno;
	ring = mmap(NULL, PAGE + RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		return errno;
	side.ring[cpu] = ring;
	watch_descriptor(epoll, fd);
	return 0;
}

/*
 * Notes what tasks map from now on, by the clock of the trace, as in trace_clock. Returns a
 * descriptor for poll(2): the one of the signals, or -1, has something, or sideband_read() does.
 */
int sideband_open(const char *clock, int signals)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC), error = 0;
	struct known known = {};
	size_t cpu;

	side.out = check_memory(open_memstream(&side.text, &side.size));
	if (epoll < 0)
		die("epoll: %s", strerror(errno));
	fputs(MAPPING_HEAD, side.out);
	watch_descriptor(epoll, signals);
	side.nr = sysconf(_SC_NPROCESSORS_CONF);
	side.ring = xcalloc(side.nr, sizeof(*side.ring));
	for (cpu = 0; cpu < side.nr && !error; cpu++)
		error = open_ring(epoll, clock, cpu);
	if (error)
		err("no names in user stacks of programs that start from now on: %s",
		    strerror(error));
	note_tasks(&known, 0);
	names_free(&known.file);
	strings_free(&known.id);
	return epoll;
}

static void note_event(union event *event)
{
	char *id __autofree = NULL, *path = event->map.path;
	unsigned long long time = ((uint64_t *)((char *)event + event->header.size))[-1];

	switch (event->header.type) {
	case PERF_RECORD_MMAP2:
		if (*path != '/' || path[1] == '/')
			break;
		if (event->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
			id = hex_text(event->map.id, event->map.id_size);
		make_printable(path);
		fprintf(side.out, MAPPING_FORMAT, event->map.pid, time,
			(unsigned long long)event->map.start,
			(unsigned long long)event->map.start + event->map.len,
			(unsigned long long)event->map.off, id ?: MAPPING_NO_ID, path);
		break;
	case PERF_RECORD_COMM:
		if (event->header.misc & PERF_RECORD_MISC_COMM_EXEC)
			fprintf(side.out, MAPPING_EXEC, event->comm.pid, time);
		break;
	case PERF_RECORD_FORK:
		if (event->fork.pid == event->fork.ppid)
			fprintf(side.out, MAPPING_THREAD, event->fork.tid, time, event->fork.pid);
		else
			fprintf(side.out, MAPPING_FORK, event->fork.tid, time, event->fork.ppid);
		break;
	case PERF_RECORD_LOST:
		side.lost = true;
		break;
	}
}

/* Reads everything in a CPU's buffer. */
static void drain(struct perf_event_mmap_page *ring)
{
	size_t size = ring_fill(ring);
	char *data = xcalloc(1, size + 1), *next = data;

	ring_take(ring, data, size);
	side.lost = side.lost || ftell(side.out) > MAX_TEXT;
	while (next < data + size && ftell(side.out) <= MAX_TEXT) {
		note_event((union event *)next);
		next += ((union event *)next)->header.size;
	}
	free(data);
}

/* Notes what the events say so far, if sideband_open() was called. */
void sideband_read(void)
{
	size_t cpu;

	for (cpu = 0; cpu < side.nr; cpu++)
		if (side.ring[cpu])
			drain(side.ring[cpu]);
}

/* Returns all mappings as a new string, see symbols/mappings.h; or NULL. */
char *sideband_text(void)
{
	if (!side.out)
		return NULL;
	sideband_read();
	if (side.lost)
		err("too many programs started: some user stacks may have no names, or old ones");
	fclose(side.out);
	free(side.ring);
	side.out = NULL;
	side.nr = 0;
	return side.text;
}
