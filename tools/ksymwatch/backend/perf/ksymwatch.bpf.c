// SPDX-License-Identifier: GPL-2.0-only
/*
 * BPF programs for kernels without the ksym tracer: one per breakpoint, which records the
 * values before and after, and one that reads the kernel's memory.
 *
 * A breakpoint traps after the access: the program reads the value after, and keeps it as
 * the value before the next hit.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>

#include "backend/perf/stock_bpf.h"

/* Each piece of a watch has a copy of the program hit, with these set before it is loaded. */
unsigned int watch;
unsigned int piece;
unsigned int len;
unsigned int percpu;
unsigned int changed;

/* The task that reads the watched value for its own use, and the number of these hits. */
unsigned int reader;
unsigned long long reads;

/* Numbers of hits that did not change the value, and whose value could not be read. */
unsigned long long unchanged;
unsigned long long faults;

/* The value after the last hit, or UNKNOWN_VALUE; one per CPU for a per-CPU variable. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} values SEC(".maps");

/* perf's buffers, one per CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} rings SEC(".maps");

static __always_inline long read_value(__u64 *value, unsigned int size, const void *addr)
{
	*value = 0;
	/* For the verifier. */
	if (size > sizeof(*value))
		size = sizeof(*value);
	return bpf_probe_read_kernel(value, size, addr);
}

/* Returns 0, so that perf writes no sample of its own. */
SEC("perf_event")
int hit(struct bpf_perf_event_data *ctx)
{
	struct bpf_hit said = { .watch = watch, .piece = piece, .addr = ctx->addr };
	__u32 key = percpu ? bpf_get_smp_processor_id() : 0;
	__u64 *value = bpf_map_lookup_elem(&values, &key), now;

	if (!value)
		return 0;
	if (read_value(&now, len, (const void *)said.addr)) {
		__sync_lock_test_and_set(value, UNKNOWN_VALUE);
		__sync_fetch_and_add(&faults, 1);
		return 0;
	}
	said.new = now;
	said.old = __sync_lock_test_and_set(value, now);
	if (reader && reader == (__u32)bpf_get_current_pid_tgid()) {
		__sync_fetch_and_add(&reads, 1);
		return 0;
	}
	if (changed && said.old != UNKNOWN_VALUE && said.old == said.new) {
		__sync_fetch_and_add(&unchanged, 1);
		return 0;
	}
	bpf_perf_event_output(ctx, &rings, BPF_F_CURRENT_CPU, &said, sizeof(said));
	return 0;
}

SEC("syscall")
int peek(struct bpf_peek *ctx)
{
	__u64 value;

	ctx->error = read_value(&value, ctx->len, (const void *)ctx->addr);
	ctx->value = value;
	return 0;
}

char gpl[] SEC("license") = "GPL";
