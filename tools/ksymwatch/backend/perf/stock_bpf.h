/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data exchanged with the BPF programs of ksymwatch.bpf.c.
 */
#ifndef KSYMWATCH_STOCK_BPF_H
#define KSYMWATCH_STOCK_BPF_H

/*
 * The value before a hit if it is unknown. No value of fewer than eight bytes has so many bits,
 * and one of eight bytes that is the same is only unknown, not wrong.
 */
#define UNKNOWN_VALUE	0x9d5be0a7c1f3462eULL

/* The longest condition: its tests, and the words between them. */
#define BPF_MAX_STEPS	64

/* Texts and sets of CPUs in a condition, and the size of each: a word for each character. */
#define BPF_MAX_TABLES	4
#define BPF_TABLE_LEN	256

/* A text of the kernel, with its zero. */
#define BPF_COMM_LEN	16

/* What a condition compares. */
enum bpf_field {
	BPF_FIELD_NUMBER,
	BPF_FIELD_IP,
	BPF_FIELD_ADDR,
	BPF_FIELD_OLD,
	BPF_FIELD_NEW,
	BPF_FIELD_LEN,
	BPF_FIELD_PID,
	BPF_FIELD_CPU,
	BPF_FIELD_COMM,
	BPF_FIELD_CGROUP,
};

/*
 * A step compares and pushes the result, or combines the last results. Comparisons of numbers
 * are sets of the order that the numbers may have.
 */
enum bpf_op {
	BPF_OP_LT	= 1,
	BPF_OP_EQ	= 2,
	BPF_OP_GT	= 4,
	BPF_OP_LE	= BPF_OP_LT | BPF_OP_EQ,
	BPF_OP_NE	= BPF_OP_LT | BPF_OP_GT,
	BPF_OP_GE	= BPF_OP_GT | BPF_OP_EQ,
	BPF_OP_BITS,
	BPF_OP_INSIDE,
	BPF_OP_MATCHES,
	BPF_OP_IN_SET,
	BPF_OP_IN_CGROUP,
	BPF_OP_NOT,
	BPF_OP_BOTH,
	BPF_OP_EITHER,
};

/**
 * struct bpf_step - a step of a condition
 * @op: what to do, see enum bpf_op
 * @field: the field to compare
 * @other: the field to compare it with, or BPF_FIELD_NUMBER
 * @is_signed: @field is a signed number
 * @other_is_signed: @other is a signed number
 * @arg: the table of a text or set; the depth of a cgroup
 * @number: the number to compare @field with; the start of a function; the end of a text, as
 *	a bit; the ID of a cgroup
 * @more: the size of a function; the states of a text that repeat
 */
struct bpf_step {
	unsigned char		op;
	unsigned char		field;
	unsigned char		other;
	unsigned char		is_signed;
	unsigned char		other_is_signed;
	unsigned int		arg;
	unsigned long long	number;
	unsigned long long	more;
};

/**
 * struct bpf_config - what is constant for the program of a piece
 * @watch: number of the watch
 * @piece: number of the piece
 * @len: its length
 * @percpu: each CPU has a copy
 * @shift: where a bit-field begins
 * @bits: how many bits it has
 * @is_signed: the value is a signed number
 * @changed: drop hits that left the value unchanged
 * @silent: write no samples, only count
 * @has_off: an action of a watch of this session switches recording off
 * @traceoff: one of this watch does
 * @has_cgroup: the condition asks for a cgroup
 * @signal: the signal that the task gets, or 0
 * @every: only one of so many hits counts, or 0
 * @every_random: it is a random one
 * @seed: for random numbers
 * @count: the number of hits to record, or 0 for all
 * @percpu_offsets: address of __per_cpu_offset, for @signal
 * @preempt_count: address of the preemption count, as a per-CPU variable, for @signal
 * @nr_steps: length of the condition
 * @step: the condition
 * @table: its texts and sets. Of a text: for each character, the places where it can stand,
 *	as bits. Of a set: the CPUs as bits
 */
struct bpf_config {
	unsigned int		watch;
	unsigned int		piece;
	unsigned int		len;
	unsigned int		percpu;
	unsigned int		shift;
	unsigned int		bits;
	unsigned int		is_signed;
	unsigned int		changed;
	unsigned int		silent;
	unsigned int		has_off;
	unsigned int		traceoff;
	unsigned int		has_cgroup;
	unsigned int		signal;
	unsigned int		every;
	unsigned int		every_random;
	unsigned int		seed;
	unsigned long long	count;
	unsigned long long	percpu_offsets;
	unsigned long long	preempt_count;
	unsigned int		nr_steps;
	struct bpf_step		step[BPF_MAX_STEPS];
	unsigned int		table[BPF_MAX_TABLES][BPF_TABLE_LEN];
};

/**
 * struct bpf_counts - what the programs of a watch count together
 * @reader: the task that reads the watched value for its own use, or 0
 * @reads: its hits
 * @faults: hits whose value could not be read
 * @unchanged: hits that left the value unchanged
 * @filtered: hits that the condition dropped
 * @passed: hits that it did not drop
 * @skipped: hits that every= dropped
 * @taken: hits for count=
 * @limited: hits after these
 * @off: hits after an action switched recording off
 * @unsent: signals that could not be sent
 */
struct bpf_counts {
	unsigned int		reader;
	unsigned long long	reads;
	unsigned long long	faults;
	unsigned long long	unchanged;
	unsigned long long	filtered;
	unsigned long long	passed;
	unsigned long long	skipped;
	unsigned long long	taken;
	unsigned long long	limited;
	unsigned long long	off;
	unsigned long long	unsent;
};

/**
 * struct bpf_hit - what the program of a breakpoint adds to perf's sample
 * @watch: number of the watch
 * @piece: number of the piece
 * @addr: address watched
 * @old: value after the previous hit, or UNKNOWN_VALUE
 * @new: value after this hit
 * @top: the word at the top of the stack
 * @word: the aligned word with the watched bytes
 */
struct bpf_hit {
	unsigned int		watch;
	unsigned int		piece;
	unsigned long long	addr;
	unsigned long long	old;
	unsigned long long	new;
	unsigned long long	top;
	unsigned long long	word;
};

/**
 * struct bpf_peek - a request to the program that reads the kernel's memory
 * @addr: the address
 * @value: gets the value
 * @len: number of bytes, 1 to 8
 * @error: gets 0 or a negative errno
 */
struct bpf_peek {
	unsigned long long	addr;
	unsigned long long	value;
	unsigned int		len;
	int			error;
};

#endif /* KSYMWATCH_STOCK_BPF_H */
