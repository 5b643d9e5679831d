// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tracer would make of a SPEC: the addresses of a watch. What takes the tracer is
 * refused with the reason.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/perf/stock.h"
#include "backend/perf/stock_bpf.h"
#include "lib/util.h"
#include "symbols/resolve.h"

/* Fills in what the programs of a watch do. Returns what is wrong, a new string; or NULL. */
static char *make_config(const struct ksym_spec *spec, const char *line, struct bpf_config *config)
{
	const struct ksym_options *opt = &spec->opt;
	char *fault = spec->filter_at ? condition_compile(spec, line, config) : NULL;
	const char *lacks;

	config->changed = opt->changed;
	config->every = opt->every;
	config->every_random = opt->every_random;
	config->seed = now_ns();
	config->count = opt->count;
	config->traceoff = opt->actions & KSYM_TRACEOFF;
	config->signal = opt->signal;
	lacks = fault ? NULL : stock_bpf_lacks(config);
	return lacks ? xasprintf("this kernel's BPF lacks %s", lacks) : fault;
}

/*
 * Why a watch can't be had without the tracer, a new string; or NULL where it can. @no_code:
 * the access of a hit is never known.
 */
char *stock_fault(const struct ksym_spec *spec, const char *line, bool bpf, bool no_code)
{
	const struct ksym_options *opt = &spec->opt;
	const struct {
		bool		refused;
		unsigned int	at;
		const char	*why;
	} faults[] = {
		{ spec->target.kind == KSYM_NOWHERE, 0,
		  "only the ksym tracer has watches that get their address later" },
		{ spec->access == KSYM_READ && no_code, spec->access_at,
		  "x86 traps no reads alone, and the writes cannot be told: use rw" },
		/* The writes are dropped later. */
		{ spec->access == KSYM_READ && (opt->count || opt->every || spec->then_at),
		  spec->access_at,
		  "BPF cannot tell reads from writes: count=, every= and actions take rw" },
		{ opt->flexible, spec->kind_at,
		  "perf keeps a debug register for each watch, so none takes turns" },
		{ opt->has_limit && opt->limit, spec->limit_at,
		  "perf's breakpoints have no limit: leave it out, or use the ksym tracer" },
		{ opt->has_budget && opt->budget, spec->budget_at,
		  "perf's breakpoints have no budget: leave it out, or use the ksym tracer" },
		{ spec->window.func[0], spec->in_at, "windows take the ksym tracer" },
		{ opt->wrote && no_code, spec->wrote_at,
		  "what an instruction stored takes the kernel's code, or the ksym tracer" },
		{ opt->actions & KSYM_SNAPSHOT, spec->then_at,
		  "perf's buffers have no snapshots: use traceoff, or the ksym tracer" },
		{ opt->actions & KSYM_PANIC, spec->then_at,
		  "BPF cannot panic the machine: only the ksym tracer does" },
		{ spec->filter_at && !bpf, spec->filter_at, "conditions need BPF" },
		{ spec->then_at && !bpf, spec->then_at, "actions need BPF" },
		{ opt->every && !bpf, spec->every_at, "every= needs BPF" },
		{ opt->off, spec->off_option_at,
		  "only the ksym tracer has watches that are switched on later" },
		{ spec->args_at, spec->args_at, "fetch arguments take the ksym tracer" },
		/* The recording has events of this group, with which it could not be read. */
		{ !strcmp(spec->group, FTRACE_GROUP), spec->name_at,
		  "the group is the kernel's own: give another one" },
		{ opt->changed && !bpf, spec->changed_at, "values need BPF" },
		{ strcmp(spec->group, KSYM_GROUP) && !bpf, spec->name_at,
		  "without BPF, a watch has the group " KSYM_GROUP " only" },
	};
	/* A condition that is right for a signed number; stock_spec() knows the type. */
	struct bpf_config config = { .is_signed = 1 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++)
		if (faults[i].refused)
			return spec_fault_at(line, faults[i].at, faults[i].why);
	return bpf ? make_config(spec, line, &config) : NULL;
}

static void die_if(const struct stock_watch *watch, const char *fault)
{
	if (fault)
		die("%s: %s", watch->line, fault);
}

/* Gets how far a CPU's per-CPU variables are from their symbols' addresses. */
bool stock_percpu_offset(size_t cpu, unsigned long long *offset, char **why)
{
	const struct symbol *table = symbols_named(resolve_symbols(), "__per_cpu_offset");

	if (!table) {
		*why = xstrdup(SYMBOLS_FILE " has no __per_cpu_offset");
		return false;
	}
	return stock_peek(table->addr + cpu * sizeof(*offset), offset, sizeof(*offset), why);
}

/* Finds the address of a target on a CPU. */
static unsigned long long find_addr(const struct stock *stock, const struct stock_watch *watch,
				    const struct resolved *resolved, size_t cpu)
{
	const struct ksym_target *target = &resolved->target;
	const struct type_place *place = &resolved->place;
	unsigned long long addr = target->addr + target->off, offset;
	unsigned int i;
	char *why;

	if (resolved->symbol)
		addr += resolved->symbol->addr;
	if (resolved->symbol && symbol_is_percpu(resolve_symbols(), resolved->symbol)) {
		if (!stock_percpu_offset(target->cpu >= 0 ? (size_t)target->cpu : cpu, &offset,
					 &why))
			die("%s: where each CPU's copy is cannot be read: %s", watch->line, why);
		addr += offset;
	}
	if (!resolved->variable)
		return addr;
	addr += place->off[0];
	/* Nobody has set up what an offline CPU points to. */
	for (i = 1; stock->online[cpu] && i <= place->nr_pointers; i++) {
		if (!stock_peek(addr, &addr, sizeof(addr), &why))
			die("%s: a pointer cannot be followed: %s", watch->line, why);
		addr += place->off[i];
	}
	return addr;
}

/* Sets the length where none was given, and divides the watch into what registers can watch. */
static void make_pieces(const struct stock *stock, struct stock_watch *watch,
			unsigned long long size)
{
	unsigned int off = 0, len;

	if (!watch->len)
		watch->len = register_len(watch->addr[0], size ?: 1);
	if (stock->flags & SESSION_TURNS) {
		rounds_divide(stock, watch);
		return;
	}
	while (off < watch->len) {
		len = register_len(watch->addr[0] + off, watch->len - off);
		if (watch->nr_pieces == NR_REGISTERS)
			die_if(watch, spec_message(KSYM_ERR_RANGE));
		watch->piece[watch->nr_pieces++] = (struct stock_piece) { .off = off, .len = len };
		off += len;
	}
}

/* The bytes from the target to the next symbol, or 0 if that is unknown. */
static unsigned long long size_behind(const struct resolved *resolved)
{
	const struct symbol *symbol = resolved->symbol;
	long long off = resolved->target.off;

	if (!symbol || off < 0 || (unsigned long long)off >= symbol->size)
		return 0;
	return symbol->size - off;
}

/* Finds out where a target is. Returns how many bytes are there at least. */
static unsigned long long place_target(struct stock *stock, struct stock_watch *watch,
				       const struct resolved *resolved)
{
	const struct ksym_target *target = &resolved->target;
	size_t cpu, first = 0;
	char *fault;

	while (!stock->online[first])
		first++;
	fault = resolved_fault(resolved);
	if (fault)
		die("%s: %s%s", watch->line, fault, resolve_suggestion(target));
	if (resolved->symbol)
		die_if(watch, symbol_fault(resolve_symbols(), resolved->symbol,
					   watch->spec.access));
	for (cpu = 0; cpu < stock->nr_cpus; cpu++)
		watch->addr[cpu] = find_addr(stock, watch, resolved, cpu);
	for (cpu = 0; cpu < stock->nr_cpus; cpu++) {
		if (!stock->online[cpu])
			continue;
		if (!(watch->addr[cpu] & KERNEL_BIT))
			die_if(watch, spec_message(KSYM_ERR_USER_ADDRESS));
		/* Each CPU has the same pieces, or it would have other hits. */
		if ((watch->addr[cpu] ^ watch->addr[0]) % 8)
			die_if(watch, spec_message(KSYM_ERR_UNEVEN));
		watch->percpu = watch->percpu || watch->addr[cpu] != watch->addr[first];
	}
	/* All of what was named, or of a variable that one register can watch. */
	if (resolved->variable && !target->off && !watch->len &&
	    (target->type[0] || target->path[0] || resolved->place.size <= REGISTER_LEN))
		watch->len = resolved->place.size;
	return size_behind(resolved);
}

/* The value has the type of the target, not of a part of it. */
static void set_type(struct stock_watch *watch, const struct type_place *place)
{
	const struct type *type = type_strip(place->type);

	if (place->bits) {
		watch->bit = place->bit;
		watch->bits = place->bits;
	} else if (watch->nr_pieces == 1 && watch->len == watch->piece[0].len) {
		watch->config->is_signed = type->is_signed && type->kind != TYPE_STRUCT;
	}
}

/* Finds the preemption count, by which a program knows that it is in an interrupt. */
static void find_preempt_count(const struct stock_watch *watch)
{
	const struct symbol *table = symbols_named(resolve_symbols(), "__per_cpu_offset");
	const struct symbol *count = symbols_named(resolve_symbols(), "__preempt_count");
	struct ksym_target target = { .type = "pcpu_hot", .symbol = "pcpu_hot", .cpu = -1,
				      .path = ".preempt_count" };
	struct resolved resolved __cleanup(resolved_free) = {};

	if (!count) {
		resolve(&resolved, &target);
		count = resolved.variable ? resolved.symbol : NULL;
	}
	if (!table || !count)
		die("%s: signal= needs __preempt_count, or (pcpu_hot)pcpu_hot.preempt_count",
		    watch->line);
	watch->config->percpu_offsets = table->addr;
	watch->config->preempt_count = count->addr + resolved.place.off[0];
}

/* Makes a watch of a SPEC, but for its events, or dies. */
void stock_spec(struct stock *stock, struct stock_watch *watch, const char *line)
{
	const struct ksym_options *opt = &watch->spec.opt;
	struct resolved resolved __cleanup(resolved_free) = {};
	unsigned long long size;
	unsigned int nr;
	size_t cpu;

	*watch = (struct stock_watch) { .line = xstrdup(line) };
	spec_parse_or_die(line, &watch->spec);
	/* That is what the turns are for. */
	if (stock->flags & SESSION_TURNS)
		watch->spec.opt.flexible = false;
	die_if(watch, stock_fault(&watch->spec, line, stock->bpf, !stock->code));
	die_if(watch, spec_machine_fault(&watch->spec, line, stock->nr_cpus));
	spec_name(&watch->spec, watch->name);
	watch->len = watch->spec.len;
	if (opt->cpus[0])
		watch->cpus = parse_cpus(opt->cpus, stock->nr_cpus);
	resolve(&resolved, &watch->spec.target);
	watch->config = xcalloc(1, sizeof(*watch->config));
	watch->addr = xcalloc(stock->nr_cpus, sizeof(*watch->addr));
	size = place_target(stock, watch, &resolved);
	make_pieces(stock, watch, size);
	watch->bits = 8 * watch->len;
	if (resolved.variable && !resolved.target.off && watch->len == resolved.place.size)
		set_type(watch, &resolved.place);
	if (stock->bpf)
		die_if(watch, make_config(&watch->spec, line, watch->config));
	/* A write that leaves a bit-field alone was to its neighbours. */
	if (watch->bits < 8 * watch->len && watch->spec.access == KSYM_WRITE)
		watch->config->changed = 1;
	if (watch->config->signal)
		find_preempt_count(watch);
	for (nr = 0; nr < watch->nr_pieces; nr++) {
		watch->piece[nr].fd = xcalloc(stock->nr_cpus, sizeof(int));
		watch->piece[nr].id = xcalloc(stock->nr_cpus, sizeof(uint64_t));
		for (cpu = 0; cpu < stock->nr_cpus; cpu++)
			watch->piece[nr].fd[cpu] = -1;
	}
}
