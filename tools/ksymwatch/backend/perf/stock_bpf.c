// SPDX-License-Identifier: GPL-2.0-only
/*
 * BPF for watches on a stock kernel (ksymwatch.bpf.c): the values before and after, and
 * reading the kernel's memory, with /proc/kcore as a fallback.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "backend/perf/stock.h"
#include "backend/perf/stock_bpf.h"
#include "backend/support.h"
#include "ksymwatch.skel.h"
#include "lib/util.h"
#include "symbols/kcore.h"

/* Reads memory, and has the map of buffers that all programs share. NULL without BPF. */
static struct ksymwatch_bpf *first;

/* Loads the program for hits if @hit, otherwise the one that reads memory. */
static struct ksymwatch_bpf *load(struct ksymwatch_bpf *skeleton, bool hit, int *error)
{
	bool conditional = skeleton->rodata->config.nr_steps;

	bpf_program__set_autoload(skeleton->progs.hit, hit && !conditional);
	bpf_program__set_autoload(skeleton->progs.hit_if, hit && conditional);
	bpf_program__set_autoload(skeleton->progs.peek, !hit);
	*error = ksymwatch_bpf__load(skeleton);
	if (!*error)
		return skeleton;
	ksymwatch_bpf__destroy(skeleton);
	return NULL;
}

/* Prepares to use BPF; on failure @why is the reason, a new string. */
bool stock_bpf_start(char **why)
{
	bool locked = is_locked_down();
	struct ksymwatch_bpf *skeleton;
	int error;

	if (first)
		return true;
	/* libbpf's messages take many lines; the errno is enough. */
	libbpf_set_print(NULL);
	skeleton = check_memory(ksymwatch_bpf__open());
	bpf_map__set_max_entries(skeleton->maps.rings, sysconf(_SC_NPROCESSORS_CONF));
	first = load(skeleton, false, &error);
	if (first)
		return true;
	/* Under lockdown, loading a program that reads memory fails with another errno. */
	if (locked || error == -EPERM || error == -EACCES)
		*why = xstrdup(locked ? "the kernel is locked down" : "not permitted");
	else
		*why = xasprintf("cannot load its program: %s", strerror(-error));
	return false;
}

/* Gives the programs the event of a CPU's buffer. Returns 0 or an errno. */
int stock_bpf_add_ring(int cpu, int fd)
{
	__u32 key = cpu, value = fd;

	return -bpf_map__update_elem(first->maps.rings, &key, sizeof(key), &value, sizeof(value),
				     BPF_ANY);
}

/* Loads the program of a piece. */
void stock_bpf_load(const struct stock *stock, const struct stock_watch *watch,
		    struct stock_piece *piece)
{
	struct ksymwatch_bpf *skeleton = check_memory(ksymwatch_bpf__open());
	unsigned int begin = 8 * piece->off, end = watch->bit + watch->bits - begin;
	struct bpf_config *config;
	int error;
	size_t cpu;

	config = &skeleton->rodata->config;
	*config = *watch->config;
	config->watch = watch - stock->watch;
	config->piece = piece - watch->piece;
	config->len = piece->len;
	config->percpu = watch->percpu;
	config->silent = stock->flags & SESSION_COUNT && !stock_is_told_apart(stock, watch);
	config->shift = watch->bit > begin ? watch->bit - begin : 0;
	config->bits = (end < 8 * config->len ? end : 8 * config->len) - config->shift;
	bpf_map__set_max_entries(skeleton->maps.values, stock->nr_cpus);
	bpf_map__reuse_fd(skeleton->maps.rings, bpf_map__fd(first->maps.rings));
	bpf_map__reuse_fd(skeleton->maps.data_off, bpf_map__fd(first->maps.data_off));
	/* The pieces count together. */
	if (config->piece)
		bpf_map__reuse_fd(skeleton->maps.bss, bpf_map__fd(watch->piece[0].bpf->maps.bss));
	piece->bpf = load(skeleton, true, &error);
	if (!piece->bpf)
		die("%s: cannot load its BPF program: %s", watch->line, strerror(-error));
	piece->old = mmap(NULL, sizeof(*piece->old) * stock->nr_cpus, PROT_READ | PROT_WRITE,
			  MAP_SHARED, bpf_map__fd(skeleton->maps.values), 0);
	if (piece->old == MAP_FAILED)
		die("the values of the BPF program cannot be mapped: %s", strerror(errno));
	for (cpu = 0; cpu < stock->nr_cpus; cpu++)
		piece->old[cpu] = UNKNOWN_VALUE;
}

/* Attaches the program to an event of perf. Returns 0, or -1 with errno. */
int stock_bpf_attach(const struct ksymwatch_bpf *bpf, int fd)
{
	const struct bpf_program *hit = bpf->rodata->config.nr_steps ? bpf->progs.hit_if :
								       bpf->progs.hit;

	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(hit));
}

/* Sets the value before the next hit, if there was none since it is unknown. */
void stock_bpf_set_old(const struct stock_piece *piece, size_t cpu, uint64_t value)
{
	uint64_t unknown = UNKNOWN_VALUE;

	__atomic_compare_exchange_n(&piece->old[cpu], &unknown, value, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
}

/* Hits of this thread are its own reads and not reported, until called with false. */
void stock_bpf_ignore_reads(const struct ksymwatch_bpf *bpf, bool ignore)
{
	__atomic_store_n(&bpf->bss->counts.reader, ignore ? gettid() : 0, __ATOMIC_SEQ_CST);
}

/* Has an action switched recording off? */
bool stock_bpf_is_off(void)
{
	return __atomic_load_n(&first->data_off->off, __ATOMIC_ACQUIRE);
}

/* Returns what the kernel's BPF lacks for a program, or NULL. */
const char *stock_bpf_lacks(const struct bpf_config *config)
{
	const struct {
		bool			needed;
		enum bpf_func_id	helper;
		const char		*lacks;
	} needs[] = {
		{ config->nr_steps, BPF_FUNC_loop, "conditions: there is no bpf_loop()" },
		{ config->has_cgroup, BPF_FUNC_get_current_ancestor_cgroup_id,
		  "cgroups: there is no bpf_get_current_ancestor_cgroup_id()" },
		{ config->signal, BPF_FUNC_send_signal_thread,
		  "signals: there is no bpf_send_signal_thread()" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].needed && !libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT,
								needs[i].helper, NULL))
			return needs[i].lacks;
	return NULL;
}

/* Adds the hits that the programs of a watch dropped. Returns the number of own reads. */
unsigned long long stock_bpf_count_dropped(const struct ksymwatch_bpf *bpf, struct counts *counts)
{
	const struct bpf_counts *dropped = &bpf->bss->counts;

	counts->nr[COUNT_UNCHANGED] = dropped->unchanged;
	counts->nr[COUNT_FAULT] = dropped->faults;
	counts->nr[COUNT_NOBUFFER] = dropped->off;
	counts->nr[COUNT_FILTERED] = dropped->filtered;
	counts->nr[COUNT_SKIPPED] = dropped->skipped;
	counts->nr[COUNT_LIMITED] = dropped->limited;
	counts->nr[COUNT_NOSIGNAL] = dropped->unsent;
	return dropped->reads;
}

void stock_bpf_free(const struct stock_piece *piece)
{
	if (piece->bpf)
		munmap(piece->old, sizeof(*piece->old) *
				   bpf_map__max_entries(piece->bpf->maps.values));
	ksymwatch_bpf__destroy(piece->bpf);
}

/* Ends the use of BPF. */
void stock_bpf_end(void)
{
	ksymwatch_bpf__destroy(first);
	first = NULL;
}

static bool peek_by_bpf(unsigned long long addr, void *value, size_t len)
{
	struct bpf_peek peek = { .addr = addr, .len = len };
	struct bpf_test_run_opts options = {
		.sz = sizeof(options), .ctx_in = &peek, .ctx_size_in = sizeof(peek),
	};

	if (bpf_prog_test_run_opts(bpf_program__fd(first->progs.peek), &options) || peek.error)
		return false;
	memcpy(value, &peek.value, len);
	return true;
}

/* Reads 1, 2, 4 or 8 bytes of the kernel's memory; on failure @why is the reason, a new string. */
bool stock_peek(unsigned long long addr, void *value, size_t len, char **why)
{
	char *reason __autofree = NULL;

	*why = NULL;
	if (first) {
		if (!peek_by_bpf(addr, value, len))
			*why = xasprintf("no memory at %#llx", addr);
		return !*why;
	}
	if (kcore_read(addr, value, len, &reason))
		return true;
	*why = xasprintf("no BPF, and %s%s", reason,
			 is_locked_down() ? " (the kernel is locked down)" : "");
	return false;
}
