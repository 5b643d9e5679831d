// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hit: the handler, in the #DB.
 *
 * The trap comes after the access. It is NMI-like: it can interrupt any code, which may
 * hold any lock. So nothing here takes a lock, allocates, sleeps or looks up a name. The
 * debug registers are off meanwhile, so what the handler reads does not trap.
 *
 * Most hits take the plain way: the only watch of the trap is a plain variable, and its
 * event is recorded in one buffer and has no filter or trigger.
 *
 *   ksym_hit_nmi() -> hit_nmi() -> hit_plain_nmi() -> ksym_record_nmi()   plain way
 *         |              |              +-----------> hit_probes_nmi()    more users
 *         |              +-----------> hit_piece_nmi()                    options
 *         |              +-----------> hit_each_nmi() -> hit_piece_nmi()  several watches
 *         +-> hit_measured_nmi(): one hit of BATCH, for the budget
 */
#include <linux/hw_breakpoint.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>
#include <asm/ksym.h>

#include "ksym_action.h"
#include "ksym_cond.h"
#include "ksym_limit.h"
#include "ksym_object.h"
#include "ksym_record.h"
#include "ksym_wide.h"

/* One hit of so many on the plain way is measured; they all cost the same. */
#define BATCH	64

/* Reads a value of another length than a number has. */
static noinline int read_bytes_nmi(const void *addr, unsigned int len, u64 *val)
{
	u8 bytes[8] = {};
	unsigned int i;

	for (i = 0; i < len; i++)
		__get_kernel_nofault(&bytes[i], addr + i, u8, fault);
	*val = arch_ksym_number(bytes);
	return 0;
fault:
	return -EFAULT;
}

NOKPROBE_SYMBOL(read_bytes_nmi);

/*
 * Reads the value. The address was readable when the watch was made but may have been
 * unmapped since. copy_from_kernel_nofault() would also check that it is a kernel
 * address, which was checked when the watch was made, and disable page faults, which
 * makes no difference to a kernel address: no mm has it.
 */
static __always_inline int read_value_nmi(unsigned long from, unsigned int len, u64 *val)
{
	const void *addr = (const void *)from;
	u64 v8;
	u32 v4;
	u16 v2;
	u8 v1;

	/* One variable each, so that the compiler can keep it in a register. */
	switch (len) {
	case 1:
		__get_kernel_nofault(&v1, addr, u8, fault);
		*val = v1;
		return 0;
	case 2:
		__get_kernel_nofault(&v2, addr, u16, fault);
		*val = v2;
		return 0;
	case 4:
		__get_kernel_nofault(&v4, addr, u32, fault);
		*val = v4;
		return 0;
	case 8:
		__get_kernel_nofault(&v8, addr, u64, fault);
		*val = v8;
		return 0;
	default: {
		u64 bytes;
		int ret = read_bytes_nmi(addr, len, &bytes);

		*val = bytes;
		return ret;
	}
	}
fault:
	return -EFAULT;
}

/* Inlined, as everything on the plain way: a call costs more than the work. */
static __always_inline void count_nmi(struct ksym_watch *watch, enum ksym_count count)
{
	this_cpu_inc(watch->counts->n[count]);
}

/* Does a column count recorded hits of this kind? */
static bool is_counted(enum ksym_count which, unsigned int kind)
{
	switch (which) {
	case KSYM_COUNT_HITS:
		return true;
	case KSYM_COUNT_READS:
		return kind & KSYM_READ;
	case KSYM_COUNT_WRITES:
		return kind & KSYM_WRITE;
	case KSYM_COUNT_UNKNOWN:
		return !(kind & (KSYM_READ | KSYM_WRITE));
	case KSYM_COUNT_CHANGES:
		return kind & KSYM_KIND_CHANGED;
	default:
		return false;
	}
}

/**
 * ksym_hit_count_cpu - read a counter of a watch
 * @watch: the watch
 * @which: the counter, a column of trace_stat
 * @cpu: the CPU
 *
 * Any context.
 *
 * Return: what this CPU has counted.
 */
u64 ksym_hit_count_cpu(const struct ksym_watch *watch, enum ksym_count which, int cpu)
{
	const struct ksym_counts *counts = per_cpu_ptr(watch->counts, cpu);
	u64 sum = READ_ONCE(counts->n[which]);
	unsigned int kind;

	for (kind = 0; kind < KSYM_NR_KINDS; kind++)
		sum += is_counted(which, kind) ? READ_ONCE(counts->recorded[kind]) : 0;
	return sum;
}

/**
 * ksym_hit_count - sum up a counter of a watch
 * @watch: the watch
 * @which: the counter, a column of trace_stat
 *
 * The counts of CPUs that went offline are included.
 *
 * Any context.
 *
 * Return: the sum over all CPUs.
 */
u64 ksym_hit_count(const struct ksym_watch *watch, enum ksym_count which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += ksym_hit_count_cpu(watch, which, cpu);
	return sum;
}

/* Finds a shadow; @cpu is that of a copy, or negative if there are no copies. */
static atomic64_t *shadow_of(struct ksym_watch *watch, int cpu, unsigned int unit)
{
	if (watch->wide)
		return ksym_wide_shadow(watch->wide, cpu, unit);
	if (cpu >= 0)
		return &per_cpu_ptr(watch->copies, cpu)->unit[unit];
	return &watch->shadows.unit[unit];
}

NOKPROBE_SYMBOL(shadow_of);

/* Each copy of a per-CPU variable has its own shadow. */
static __always_inline atomic64_t *shadow_nmi(struct ksym_watch *watch, unsigned int unit)
{
	if (watch->has_far_shadows)
		return shadow_of(watch, raw_smp_processor_id(), unit);
	return &watch->shadows.unit[unit];
}

/**
 * ksym_hit_read_nmi - read the value of an object
 * @watch: a movable watch, whose pieces have the same length
 * @addr: the address of the object
 * @val: filled in
 *
 * Any context, also NMIs.
 *
 * Return: 0, or -EFAULT if the memory can't be read.
 */
int ksym_hit_read_nmi(const struct ksym_watch *watch, unsigned long addr, u64 *val)
{
	return read_value_nmi(addr, watch->piece[0].len, val);
}

NOKPROBE_SYMBOL(ksym_hit_read_nmi);

static int seed_wide(struct ksym_watch *watch, int cpu)
{
	const struct ksym_wide *wide = watch->wide;
	unsigned long addr = ksym_trap_addr(watch->piece[0].trap, cpu);
	unsigned int i;
	u64 val;

	for (i = 0; i < wide->nr; i++) {
		if (!addr || read_value_nmi(addr + i * wide->len, wide->len, &val))
			return -EFAULT;
		atomic64_set(shadow_of(watch, cpu, i), val);
	}
	return 0;
}

static int seed_piece(struct ksym_piece *piece, int cpu)
{
	/* The address of the register; a pointer may lead elsewhere by now. */
	unsigned long addr = ksym_trap_addr(piece->trap, cpu);
	u64 val;

	if (!addr || read_value_nmi(addr - piece->back, piece->len, &val))
		return -EFAULT;
	atomic64_set(shadow_of(piece->watch, cpu, piece->unit), val);
	return 0;
}

static int seed_cpu(struct ksym_watch *watch, int cpu)
{
	unsigned int i;
	int ret = 0;

	if (watch->wide)
		return seed_wide(watch, cpu);
	for (i = 0; i < watch->found.nr_ranges && !ret; i++)
		ret = seed_piece(&watch->piece[i], cpu);
	return ret;
}

/**
 * ksym_hit_seed - read the old values of the first hits
 * @watch: a watch with its slots and a place of its own, not armed
 *
 * On CPUs that are offline or uncovered, pointers that lead nowhere are no error.
 *
 * Any context.
 *
 * Return: 0, or -EFAULT if the memory can't be read.
 */
int ksym_hit_seed(struct ksym_watch *watch)
{
	const struct ksym_trap *trap = watch->piece[0].trap;
	int cpu, ret;

	if (!watch->found.place.percpu)
		return seed_cpu(watch, -1);
	for_each_cpu(cpu, &trap->cpus) {
		ret = seed_cpu(watch, cpu);
		if (ret && cpu_online(cpu) && !cpumask_test_cpu(cpu, &trap->uncovered))
			return ret;
	}
	return 0;
}

/**
 * ksym_hit_seed_cpu - read the old value of the first hit on a CPU that comes online
 * @piece: a piece of an armed watch, whose trap has its event there, disabled
 * @cpu: the CPU
 *
 * Memory that is the same for all CPUs keeps its old value.
 *
 * Any context.
 */
void ksym_hit_seed_cpu(struct ksym_piece *piece, int cpu)
{
	struct ksym_watch *watch = piece->watch;

	if (!watch->found.place.percpu || ksym_watch_is_movable(watch))
		return;
	/* The pieces of a wide watch begin at its first trap, which comes online first. */
	if (!watch->wide)
		seed_piece(piece, cpu);
	else if (piece == &watch->piece[0])
		seed_wide(watch, cpu);
}

/* The probes of the event, or NULL if it is disabled everywhere. */
static __always_inline struct tracepoint_func *probes_nmi(struct ksym_watch *watch)
{
	/* Preemption is off, as in a tracepoint, so the array stays. */
	return rcu_dereference_sched(watch->tp.funcs);
}

/* Calls each probe of the watch's tracepoint with the hit. */
static __always_inline void call_probes_nmi(struct tracepoint_func *func,
					    struct ksym_hit *hit)
{
	do {
		((ksym_probe_t)func->func)(func->data, hit);
	} while ((++func)->func);

	if (likely(hit->recorded))
		ksym_count_hit_nmi(hit, instruction_pointer(hit->regs));
	else if (hit->filtered)
		count_nmi(hit->watch, KSYM_COUNT_FILTERED);
	else
		count_nmi(hit->watch, KSYM_COUNT_NOBUFFER);
}

/*
 * A hit of a watch with count=. It takes one from ->left up front and gives it back if
 * nothing was recorded, so ->left can read 0 for a moment. It never over-counts.
 */
static void call_probes_counted_nmi(struct tracepoint_func *func,
				    struct ksym_hit *hit, struct ksym_trap *trap)
{
	struct ksym_watch *watch = hit->watch;

	if (atomic64_dec_if_positive(&watch->left) < 0) {
		count_nmi(watch, KSYM_COUNT_LIMITED);
		return;
	}
	call_probes_nmi(func, hit);
	if (!hit->recorded)
		atomic64_inc(&watch->left);
	else if (ksym_watch_is_done(watch))
		irq_work_queue(&trap->done_irq_work);
}

NOKPROBE_SYMBOL(call_probes_counted_nmi);

/* The debug register of this CPU that the trap is in, or HBP_NUM. */
static unsigned int register_of_nmi(const struct ksym_trap *trap)
{
	struct perf_event *bp;
	unsigned int i;

	for (i = 0; i < HBP_NUM; i++) {
		bp = hw_breakpoint_in_register(i);
		if (bp && bp->overflow_handler == ksym_hit_nmi &&
		    bp->overflow_handler_context == trap)
			break;
	}
	return i;
}

NOKPROBE_SYMBOL(register_of_nmi);

/* The address of the watch, one of whose pieces was hit at @addr. */
static unsigned long watch_addr_nmi(const struct ksym_piece *piece, unsigned long addr)
{
	const struct ksym_watch *watch = piece->watch;

	return addr - watch->found.ranges[piece - watch->piece].off;
}

NOKPROBE_SYMBOL(watch_addr_nmi);

/*
 * One instruction can access several pieces of a watch. That is one hit: the hit of the
 * lowest debug register, whose handler is called first. It updates the shadows of the
 * other pieces as well; @changed becomes true if one of them changed.
 */
static noinline bool is_hit_already_nmi(struct ksym_piece *piece, unsigned long addr,
					bool *changed)
{
	struct ksym_watch *watch = piece->watch;
	unsigned long trapped = hw_breakpoint_trapped();
	unsigned int i, other, reg = register_of_nmi(READ_ONCE(piece->trap));
	const struct ksym_range *ranges = watch->found.ranges;
	unsigned long base = watch_addr_nmi(piece, addr);
	u64 val;

	for (i = 0; i < watch->found.nr_ranges; i++) {
		if (&watch->piece[i] == piece)
			continue;
		/* The watch may be dropping its traps. */
		other = register_of_nmi(READ_ONCE(watch->piece[i].trap));
		if (other < reg && trapped & BIT(other))
			return true;
	}
	for (i = 0; i < watch->found.nr_ranges; i++) {
		struct ksym_piece *next = &watch->piece[i];

		other = register_of_nmi(READ_ONCE(next->trap));
		if (next->unit == piece->unit || other == HBP_NUM ||
		    !(trapped & BIT(other)))
			continue;
		if (!read_value_nmi(base + ranges[i].off, next->len, &val))
			*changed |= atomic64_xchg(shadow_nmi(watch, next->unit), val) != val;
	}
	return false;
}

NOKPROBE_SYMBOL(is_hit_already_nmi);

/* The number that the bytes of a bit-field or of a signed type are. */
static noinline u64 number_nmi(const struct ksym_watch *watch, u64 val, unsigned int len)
{
	if (watch->is_signed)
		return sign_extend64(val, len * BITS_PER_BYTE - 1);
	val >>= watch->bit;
	return watch->bits < 64 ? val & (BIT_ULL(watch->bits) - 1) : val;
}

NOKPROBE_SYMBOL(number_nmi);

/*
 * Reads the value and exchanges it with the shadow. Another CPU may have written since
 * the access. Such a write is noticed by reading the value again: the hit is "torn".
 */
static __always_inline int take_values_nmi(struct ksym_hit *hit, unsigned int len,
					   atomic64_t *shadow)
{
	u64 new, again;

	if (read_value_nmi(hit->addr, len, &new))
		return -EFAULT;
	hit->new = new;
	hit->old = atomic64_xchg(shadow, new);
	if (read_value_nmi(hit->addr, len, &again))
		return -EFAULT;
	hit->torn = again != new;
	return 0;
}

/*
 * Decodes an instruction that is not in this CPU's cache. That can take longer than the
 * rest of the hit, so it is charged by itself if the hit is not measured.
 */
static noinline unsigned int find_access_nmi(struct ksym_trap *trap, unsigned long addr,
					     unsigned int len, struct pt_regs *regs,
					     bool measured)
{
	u64 start = ksym_clock_nmi();
	unsigned int access;

	access = arch_ksym_access_nmi(regs, addr, len, trap->access,
				      ksym_limit_may_walk_nmi(trap));
	if (!measured && trap->budget)
		ksym_budget_charge_nmi(trap, ksym_clock_since_nmi(start));
	return access;
}

NOKPROBE_SYMBOL(find_access_nmi);

/*
 * A hit that goes to several probes, or to a filter or trigger, or whose instruction is
 * not in the cache: @access is 0. It is passed by value, so that the caller's hit can stay
 * in registers.
 */
static noinline void hit_probes_nmi(struct ksym_watch *watch, struct ksym_trap *trap,
				    struct pt_regs *regs, unsigned long addr, u64 old,
				    u64 new, unsigned int access, bool torn, bool measured)
{
	struct tracepoint_func *probes = probes_nmi(watch);
	struct ksym_hit hit = {
		.watch	= watch,
		.regs	= regs,
		.addr	= addr,
		.old	= old,
		.new	= new,
		.access	= access,
		.torn	= torn,
		.len	= watch->piece[0].len,
	};

	if (!access)
		hit.access = find_access_nmi(trap, addr, hit.len, regs, measured);
	if (probes)
		call_probes_nmi(probes, &hit);
	else
		count_nmi(watch, KSYM_COUNT_DISABLED);
}

NOKPROBE_SYMBOL(hit_probes_nmi);

/*
 * A hit of the only watch of a trap, which does not need the slow path.
 *
 * Returns whether it took the plain way: it was recorded in one buffer or dropped, and
 * the instruction was in the cache. @measured: the caller charges its price.
 */
static __always_inline bool hit_plain_nmi(struct ksym_watch *watch, struct ksym_trap *trap,
					  unsigned long addr, struct pt_regs *regs,
					  const bool measured)
{
	struct tracepoint_func *probes;
	/* Not cleared by the compiler first, since all that is read is set. */
	struct ksym_hit hit = {
		.watch	= watch,
		.regs	= regs,
		.addr	= addr,
		.len	= watch->piece[0].len,
	};

	if (unlikely(take_values_nmi(&hit, hit.len, &watch->shadows.unit[0]))) {
		count_nmi(watch, KSYM_COUNT_FAULT);
		return true;
	}
	probes = probes_nmi(watch);
	if (unlikely(!probes)) {
		count_nmi(watch, KSYM_COUNT_DISABLED);
		return true;
	}
	hit.access = arch_ksym_access_nmi(regs, addr, hit.len, trap->access, false);
	if (unlikely(!hit.access || probes->func != watch->class.probe || probes[1].func ||
		     !trace_event_file_is_plain(probes->data))) {
		hit_probes_nmi(watch, trap, regs, addr, hit.old, hit.new, hit.access, hit.torn,
			       measured);
		return false;
	}
	if (unlikely(!ksym_record_nmi(probes->data, &hit)))
		count_nmi(watch, KSYM_COUNT_NOBUFFER);
	return true;
}

/* What the instruction did. @plain becomes false if it was not in the cache. */
static nokprobe_inline unsigned int access_nmi(struct ksym_trap *trap, unsigned long addr,
					       unsigned int len, struct pt_regs *regs,
					       bool measured, bool *plain)
{
	unsigned int access = arch_ksym_access_nmi(regs, addr, len, trap->access, false);

	if (likely(access))
		return access;
	*plain = false;
	return find_access_nmi(trap, addr, len, regs, measured);
}

/* What else a recorded hit takes. */
static noinline void after_hit_nmi(const struct ksym_piece *piece, const struct ksym_hit *hit)
{
	struct ksym_watch *watch = piece->watch;

	if (watch->wide)
		atomic64_inc(&watch->wide->piece[piece->unit].hits);
	if (watch->on_return || watch->opt.actions)
		ksym_action_nmi(hit);
}

NOKPROBE_SYMBOL(after_hit_nmi);

/* A hit of any watch. Returns whether it took the plain way: it was dropped early. */
static noinline bool hit_piece_nmi(struct ksym_piece *piece, struct ksym_trap *trap,
				   unsigned long addr, struct pt_regs *regs,
				   bool changed_beside, bool measured)
{
	struct ksym_watch *watch = piece->watch;
	struct tracepoint_func *probes;
	struct ksym_hit hit = {
		.watch		= watch,
		.regs		= regs,
		.addr		= addr - piece->back,
		.len		= piece->len,
		.changed_beside	= changed_beside,
	};
	bool plain = true;
	u64 start = 0;

	if (take_values_nmi(&hit, piece->len, shadow_nmi(watch, piece->unit))) {
		count_nmi(watch, KSYM_COUNT_FAULT);
		return true;
	}
	if (watch->bits || watch->is_signed) {
		hit.old = number_nmi(watch, hit.old, hit.len);
		hit.new = number_nmi(watch, hit.new, hit.len);
	}
	if (watch->opt.changed && hit.old == hit.new && !changed_beside) {
		count_nmi(watch, KSYM_COUNT_UNCHANGED);
		return true;
	}
	probes = probes_nmi(watch);
	if (!probes) {
		count_nmi(watch, KSYM_COUNT_DISABLED);
		return true;
	}
	if (watch->window)
		hit.owner = READ_ONCE(watch->objects->object[piece - watch->piece].owner);
	if (watch->filter_comes_first && !ksym_cond_passes_nmi(&hit)) {
		count_nmi(watch, KSYM_COUNT_FILTERED);
		return true;
	}
	/* An instruction that reads one piece and writes another one did both. */
	if (READ_ONCE(watch->nr_pieces) > 1 && !watch->wide)
		hit.access = access_nmi(trap, watch_addr_nmi(piece, addr),
					watch->found.part.len, regs, measured, &plain);
	else
		hit.access = access_nmi(trap, addr, trap->len, regs, measured, &plain);
	/* A hit of unknown access may have been a read. */
	if (watch->access == KSYM_READ && hit.access == KSYM_WRITE) {
		count_nmi(watch, KSYM_COUNT_NOTREAD);
		return plain;
	}
	if (ksym_watch_is_done(watch)) {
		count_nmi(watch, KSYM_COUNT_LIMITED);
		return plain;
	}
	if (!measured)
		start = ksym_clock_nmi();
	if (watch->opt.wrote) {
		hit.has_wrote = arch_ksym_wrote_nmi(regs, hit.addr, piece->len,
						    trap->access,
						    ksym_limit_may_walk_nmi(trap),
						    &hit.wrote);
		if ((watch->bits || watch->is_signed) && hit.has_wrote)
			hit.wrote = number_nmi(watch, hit.wrote, hit.len);
	}
	if (watch->filter && !watch->filter_comes_first && !ksym_cond_passes_nmi(&hit)) {
		count_nmi(watch, KSYM_COUNT_FILTERED);
		plain &= !watch->opt.wrote && !watch->fetch;
		goto out;
	}
	if (watch->opt.every > 1 && !ksym_cond_is_due_nmi(watch)) {
		count_nmi(watch, KSYM_COUNT_SKIPPED);
		plain &= !watch->opt.wrote && !watch->fetch;
		goto out;
	}
	plain = false;
	if (watch->opt.count)
		call_probes_counted_nmi(probes, &hit, trap);
	else
		call_probes_nmi(probes, &hit);
	if (watch->has_after && hit.recorded)
		after_hit_nmi(piece, &hit);
out:
	if (!plain && !measured && trap->budget)
		ksym_budget_charge_nmi(trap, ksym_clock_since_nmi(start));
	return plain;
}

NOKPROBE_SYMBOL(hit_piece_nmi);

/*
 * A hit of a wide watch, whose traps are not shared. The registers are at pieces that have
 * nothing to do with each other, so an instruction that accesses two of them is two hits.
 */
static noinline bool hit_wide_nmi(const struct ksym_piece *piece, struct ksym_trap *trap,
				  unsigned long addr, struct pt_regs *regs, bool exceeded,
				  bool measured)
{
	struct ksym_piece now = {
		.watch	= piece->watch,
		.len	= trap->len,
		.unit	= ksym_wide_at(trap, addr),
	};

	if (!exceeded)
		return hit_piece_nmi(&now, trap, addr, regs, false, measured);
	count_nmi(piece->watch, KSYM_COUNT_LIMITED);
	return true;
}

NOKPROBE_SYMBOL(hit_wide_nmi);

/*
 * A hit of a trap of several watches, of a range, or of a trap that moves. Returns
 * whether it took the plain way for all of them.
 */
static noinline bool hit_each_nmi(struct ksym_trap *trap, unsigned long addr,
				  struct pt_regs *regs, bool exceeded, bool measured)
{
	struct ksym_piece *piece;
	bool plain = true;

	list_for_each_entry_rcu(piece, &trap->pieces, trap_node,
				rcu_read_lock_sched_held()) {
		bool changed = false, stale;

		if (piece->watch->wide)
			return hit_wide_nmi(piece, trap, addr, regs, exceeded, measured);
		if (!trap->movable && READ_ONCE(piece->watch->nr_pieces) > 1 &&
		    is_hit_already_nmi(piece, addr, &changed))
			continue;
		/* Pairs with ksym_move_nmi(): the shadow belongs to this address. */
		stale = trap->movable && addr != smp_load_acquire(&trap->target);
		if (exceeded)
			count_nmi(piece->watch, KSYM_COUNT_LIMITED);
		else if (stale)
			count_nmi(piece->watch, KSYM_COUNT_STALE);
		else
			plain &= hit_piece_nmi(piece, trap, addr, regs, changed, measured);
	}
	return plain;
}

NOKPROBE_SYMBOL(hit_each_nmi);

static __always_inline bool hit_nmi(struct ksym_trap *trap, struct ksym_watch *only,
				    unsigned long addr, struct pt_regs *regs,
				    const bool measured)
{
	struct ksym_piece *piece;

	if (likely(only))
		return hit_plain_nmi(only, trap, addr, regs, measured);
	piece = READ_ONCE(trap->only_piece);
	if (likely(piece))
		return hit_piece_nmi(piece, trap, addr, regs, false, measured);
	return hit_each_nmi(trap, addr, regs, false, measured);
}

/* Ends a batch early. Only the hits that it had are charged. */
static void measure_next_nmi(struct ksym_trap *trap)
{
	struct ksym_trap_cpu *part = this_cpu_ptr(trap->percpu);

	part->batch -= part->plain;
	part->plain = 0;
}

NOKPROBE_SYMBOL(measure_next_nmi);

/*
 * A hit that is measured, and checked against the limits. If it took the plain way, the
 * next BATCH - 1 hits may do so unchecked. They are charged when the next hit is
 * measured, each with the lower of the two prices. For example, after 63 hits between
 * two that cost 400 and 500 cycles, the bucket is charged 500 + 63 * 400.
 */
static noinline void hit_measured_nmi(struct ksym_trap *trap, struct ksym_watch *only,
				      struct perf_event *bp, unsigned long addr,
				      struct pt_regs *regs)
{
	struct ksym_trap_cpu *part = this_cpu_ptr(trap->percpu);
	unsigned int before = part->batch - part->plain;
	bool plain = false;
	u64 start, cost;

	part->plain = 0;
	part->batch = 0;
	start = ksym_clock_nmi();
	if (unlikely(!ksym_budget_allows_nmi(trap, part, before + 1) &&
		     ksym_limit_is_exceeded_nmi(trap, bp, before + 1, start)))
		hit_each_nmi(trap, addr, regs, true, true);
	else
		plain = hit_nmi(trap, only, addr, regs, true);
	if (trap->budget) {
		cost = ksym_clock_since_nmi(start);
		/* The host of a virtual CPU may have interrupted one of the two. */
		ksym_budget_charge_nmi(trap, cost + before * min(part->price, cost));
		part->price = cost;
	}
	if (!plain)
		return;
	part->batch = trap->budget || trap->limit ? BATCH - 1 : S32_MAX;
	if (trap->limit)
		part->batch = min(part->batch, trap->limit - part->hits);
	part->plain = part->batch;
}

NOKPROBE_SYMBOL(hit_measured_nmi);

/**
 * ksym_hit_nmi - the overflow handler of a trap's perf events
 * @bp: the event of this CPU
 * @data: perf's sample; there is none for a breakpoint of the kernel's
 * @regs: the registers after the access
 *
 * The hit counts for each watch of the trap. A hit that no probe records, or that
 * exceeds a limit, is counted as missed, with the reason.
 *
 * Called in the #DB, NMI-like, with interrupts off; so preemption is off, too.
 */
void ksym_hit_nmi(struct perf_event *bp, struct perf_sample_data *data,
		  struct pt_regs *regs)
{
	struct ksym_trap *trap = bp->overflow_handler_context;
	struct ksym_trap_cpu *part = this_cpu_ptr(trap->percpu);
	struct ksym_watch *only = READ_ONCE(trap->only_watch);
	/* The address of this CPU's register; the trap may have moved since. */
	unsigned long addr = counter_arch_bp(bp)->address;

	if (unlikely(--part->plain < 0)) {
		part->plain = 0;
		hit_measured_nmi(trap, only, bp, addr, regs);
		return;
	}
	if (unlikely(!hit_nmi(trap, only, addr, regs, false)))
		measure_next_nmi(trap);
}

NOKPROBE_SYMBOL(ksym_hit_nmi);
