// SPDX-License-Identifier: GPL-2.0-only
/*
 * BPF programs for kernels without the ksym tracer: one per breakpoint, which records the
 * values before and after, and one that reads the kernel's memory.
 *
 * A breakpoint traps after the access: the program reads the value after, and keeps it as
 * the value before the next hit. Then it drops hits, in the order of the tracer: changed, the
 * condition, every=, count=; records the hit, and carries out the actions.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/bpf_helpers.h>

#include "backend/perf/stock_bpf.h"

/* Bits of the preemption count, see in_interrupt(). */
#define SOFTIRQ_OFFSET	0x100
#define HARDIRQ_SHIFT	16
#define LATER_SHIFT	24

/* Each piece of a watch has a copy of the program, with this set before it is loaded. */
const volatile struct bpf_config config;

/* The pieces of a watch share this. */
struct bpf_counts counts;

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

/* An action has switched recording off; for all watches. */
SEC(".data.off") unsigned int off;

/*
 * 0, which the verifier does not know. Without it, it follows each combination of the results of
 * tests, where the compiler computes them with branches, and gives up.
 */
volatile __u64 unknown;

/* A hit whose condition is tested. */
struct tested {
	const struct bpf_hit	*hit;
	__u64			ip;	/* address of the instruction after the access */
	__u64			pid;	/* the task */
	__u64			cpu;
	__u64			old;	/* value before the access, as a number */
	bool			has_old;
	__u64			new;	/* value after the access, as a number */
	char			comm[BPF_COMM_LEN];
	__u64			results;	/* of tests, as bits; the last one lowest */
};

static __always_inline long read_value(__u64 *value, unsigned int size, const void *addr)
{
	*value = 0;
	/* For the verifier. */
	if (size > sizeof(*value))
		size = sizeof(*value);
	return bpf_probe_read_kernel(value, size, addr);
}

/* The number that the bytes of a bit-field or of a signed type are. */
static __always_inline __u64 number(__u64 value)
{
	unsigned int unused = 64 - config.bits;

	value = value >> config.shift << unused;
	return config.is_signed ? (__u64)((__s64)value >> unused) : value >> unused;
}

/* --- Conditions --------------------------------------------------------- */

static __u64 field(const struct tested *tested, unsigned int which)
{
	switch (which) {
	case BPF_FIELD_IP:
		return tested->ip;
	case BPF_FIELD_ADDR:
		return tested->hit->addr;
	case BPF_FIELD_OLD:
		return tested->old;
	case BPF_FIELD_NEW:
		return tested->new;
	case BPF_FIELD_LEN:
		return config.len;
	case BPF_FIELD_PID:
		return tested->pid;
	default:
		return tested->cpu;
	}
}

/* Follows all ways at once in which a text can match so far: each bit is a place in it. */
static bool matches(const struct tested *tested, const volatile struct bpf_step *step)
{
	__u32 table = step->arg, loops = step->more, places = 1, i;

	if (table >= BPF_MAX_TABLES)
		return false;
	for (i = 0; i < BPF_COMM_LEN - 1; i++) {
		unsigned char c = tested->comm[i];

		if (!c)
			break;
		places = (places << 1 & config.table[table][c]) | (places & loops);
	}
	return places & step->number;
}

static bool is_in_set(__u64 cpu, __u32 table)
{
	return table < BPF_MAX_TABLES && cpu / 32 < BPF_TABLE_LEN &&
	       config.table[table][cpu / 32] >> cpu % 32 & 1;
}

/* Compares numbers, of which each may be signed. An unknown one differs from all others. */
static bool compare(const struct tested *tested, const volatile struct bpf_step *step)
{
	unsigned int op = step->op, one = step->field, other = step->other;
	__u64 a = field(tested, one), b = step->number;
	bool a_below, b_below;

	if (other != BPF_FIELD_NUMBER)
		b = field(tested, other);
	if (!tested->has_old && (one == BPF_FIELD_OLD || other == BPF_FIELD_OLD))
		return op == BPF_OP_NE;
	if (op == BPF_OP_BITS)
		return a & b;
	a_below = step->is_signed && (__s64)a < 0;
	b_below = step->other_is_signed && (__s64)b < 0;
	if (a_below != b_below)
		return op & (a_below ? BPF_OP_LT : BPF_OP_GT);
	return op & (a < b ? BPF_OP_LT : a > b ? BPF_OP_GT : BPF_OP_EQ);
}

/* Takes a step of the condition. */
static long take_step(__u32 i, struct tested *tested)
{
	const volatile struct bpf_step *step;
	__u64 results = tested->results;
	bool result;

	if (i >= BPF_MAX_STEPS)
		return 1;
	step = &config.step[i];
	switch (step->op) {
	case BPF_OP_NOT:
		tested->results = results ^ 1;
		return 0;
	case BPF_OP_BOTH:
		tested->results = results >> 1 & (results | ~1ULL);
		return 0;
	case BPF_OP_EITHER:
		tested->results = results >> 1 | (results & 1);
		return 0;
	case BPF_OP_INSIDE:
		result = field(tested, step->field) - step->number < step->more;
		break;
	case BPF_OP_MATCHES:
		result = matches(tested, step);
		break;
	case BPF_OP_IN_SET:
		result = is_in_set(tested->cpu, step->arg);
		break;
	case BPF_OP_IN_CGROUP:
		result = config.has_cgroup &&
			 bpf_get_current_ancestor_cgroup_id(step->arg) == step->number;
		break;
	default:
		result = compare(tested, step);
	}
	tested->results = (results << 1 | result) + unknown;
	return 0;
}

static __always_inline bool passes(struct tested *tested)
{
	tested->pid = (__u32)bpf_get_current_pid_tgid();
	tested->cpu = bpf_get_smp_processor_id();
	bpf_get_current_comm(tested->comm, sizeof(tested->comm));
	bpf_loop(config.nr_steps, take_step, tested, 0);
	return tested->results & 1;
}

/* --- Actions ------------------------------------------------------------ */

/* Is it the turn of this hit? As the tracer counts: random ones by rounds. */
static __always_inline bool is_due(void)
{
	__u64 nr = __sync_fetch_and_add(&counts.passed, 1), round = nr / config.every;
	__u32 due = config.every - 1;

	if (config.every_random) {
		due = ((__u32)round ^ config.seed) * 0x9e3779b1;
		due = (due ^ due >> 15) * 0x85ebca77;
		due = (__u64)(due ^ due >> 13) * config.every >> 32;
	}
	return nr % config.every == due;
}

/*
 * Did an interrupt make the access? The trap itself counts as one NMI and one hard interrupt,
 * which have 4 bits each. Linux 7.3 has the count of disabled interrupts below them, where
 * kernels before it have the two.
 */
static __always_inline bool in_interrupt(void)
{
	__u64 offset = 0, slot = config.percpu_offsets + 8 * bpf_get_smp_processor_id();
	__u32 count = 0, shift;

	if (bpf_probe_read_kernel(&offset, sizeof(offset), (const void *)slot) ||
	    bpf_probe_read_kernel(&count, sizeof(count),
				  (const void *)(offset + config.preempt_count)))
		return true;
	shift = count >> LATER_SHIFT & 0x7f ? LATER_SHIFT : HARDIRQ_SHIFT;
	return (count >> shift & 0xff) != 0x11 || count & SOFTIRQ_OFFSET;
}

/* Records a hit, with what the decoder of accesses reads. Returns whether that worked. */
static __always_inline bool record(struct bpf_perf_event_data *ctx, struct bpf_hit *hit)
{
	if (config.silent)
		return true;
	read_value(&hit->top, sizeof(hit->top), (const void *)ctx->regs.rsp);
	read_value(&hit->word, sizeof(hit->word), (const void *)(hit->addr & -8ULL));
	return !bpf_perf_event_output(ctx, &rings, BPF_F_CURRENT_CPU, hit, sizeof(*hit));
}

/* Counts a hit that is dropped. */
static __always_inline int drop(unsigned long long *count)
{
	__sync_fetch_and_add(count, 1);
	return 0;
}

/* Returns 0, so that perf writes no sample of its own. */
static __always_inline int take_hit(struct bpf_perf_event_data *ctx, bool conditional)
{
	struct bpf_hit hit = { .watch = config.watch, .piece = config.piece, .addr = ctx->addr };
	__u32 key = config.percpu ? bpf_get_smp_processor_id() : 0;
	__u64 *value = bpf_map_lookup_elem(&values, &key), now, nr = 0;
	struct tested tested = { .hit = &hit, .ip = ctx->regs.rip };

	if (!value)
		return 0;
	if (read_value(&now, config.len, (const void *)hit.addr)) {
		__sync_lock_test_and_set(value, UNKNOWN_VALUE);
		return drop(&counts.faults);
	}
	hit.new = now;
	hit.old = __sync_lock_test_and_set(value, now);
	if (counts.reader && counts.reader == (__u32)bpf_get_current_pid_tgid())
		return drop(&counts.reads);
	tested.has_old = hit.old != UNKNOWN_VALUE;
	tested.old = number(hit.old);
	tested.new = number(hit.new);
	if (config.changed && tested.has_old && tested.old == tested.new)
		return drop(&counts.unchanged);
	if (off)
		return drop(&counts.off);
	if (conditional && !passes(&tested))
		return drop(&counts.filtered);
	if (config.every > 1 && !is_due())
		return drop(&counts.skipped);
	if (config.count) {
		nr = __sync_fetch_and_add(&counts.taken, 1) + 1;
		if (nr > config.count) {
			__sync_fetch_and_add(&counts.taken, -1);
			return drop(&counts.limited);
		}
	}
	/* The record has the bytes of a number, and the number of a bit-field. */
	if (!config.is_signed) {
		hit.old = tested.has_old ? tested.old : UNKNOWN_VALUE;
		hit.new = tested.new;
	}
	if (!record(ctx, &hit)) {
		if (config.count)
			__sync_fetch_and_add(&counts.taken, -1);
		return 0;
	}
	if (config.traceoff && nr == config.count)
		off = 1;
	if (config.signal && (in_interrupt() || bpf_send_signal_thread(config.signal)))
		__sync_fetch_and_add(&counts.unsent, 1);
	return 0;
}

SEC("perf_event")
int hit(struct bpf_perf_event_data *ctx)
{
	return take_hit(ctx, false);
}

SEC("perf_event")
int hit_if(struct bpf_perf_event_data *ctx)
{
	return take_hit(ctx, true);
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
