/* SPDX-License-Identifier: GPL-2.0-only */
/* The data exchanged with the BPF programs of ksymwatch.bpf.c. */
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

/* What a condition compares: numbers, of which some may be addresses, and texts. */
enum bpf_field {
	BPF_FIELD_NUMBER,
	BPF_FIELD_IP,
	BPF_FIELD_ADDR,
	BPF_FIELD_OLD,
	BPF_FIELD_NEW,
	LAST_ADDRESS_FIELD = BPF_FIELD_NEW,
	BPF_FIELD_LEN,
	BPF_FIELD_PID,
	BPF_FIELD_CPU,
	BPF_FIELD_COMM,
	FIRST_TEXT_FIELD = BPF_FIELD_COMM,
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

/* A step of a condition: a test of a field, or an operator. */
struct bpf_step {
	unsigned char		op;		/* see enum bpf_op */
	unsigned char		field;		/* the field to compare */
	unsigned char		other;		/* with which, or BPF_FIELD_NUMBER */
	unsigned char		is_signed;	/* is the field? */
	unsigned char		other_is_signed;
	unsigned int		arg;		/* table of a text or set; depth of a cgroup */
	/* What to compare with; start of a function; end of a text, as a bit; ID of a cgroup */
	unsigned long long	number;
	unsigned long long	more;		/* size of a function; repeating states of a text */
};

/* What is constant for the program of a piece. */
struct bpf_config {
	unsigned int		watch;		/* number of the watch */
	unsigned int		piece;		/* and of the piece */
	unsigned int		len;		/* of the piece */
	unsigned int		percpu;		/* each CPU has a copy */
	unsigned int		shift;		/* where a bit-field begins */
	unsigned int		bits;		/* how many bits it has */
	unsigned int		is_signed;	/* the value is a signed number */
	unsigned int		changed;	/* drop hits that left the value unchanged */
	unsigned int		silent;		/* write no samples, only count */
	unsigned int		traceoff;	/* switch recording off after a hit */
	unsigned int		has_cgroup;	/* the condition asks for a cgroup */
	unsigned int		signal;		/* that the task gets, or 0 */
	unsigned int		every;		/* only one of so many hits counts, or 0 */
	unsigned int		every_random;	/* a random one of them */
	unsigned int		seed;		/* for random numbers */
	unsigned long long	count;		/* hits to record, or 0 for all */
	/* For @signal: addresses of __per_cpu_offset, and of the per-CPU preemption count. */
	unsigned long long	percpu_offsets;
	unsigned long long	preempt_count;
	unsigned int		nr_steps;
	struct bpf_step		step[BPF_MAX_STEPS];
	/* Of a text: places where each character can stand, as bits. Of a set: CPUs as bits. */
	unsigned int		table[BPF_MAX_TABLES][BPF_TABLE_LEN];
};

/* What the programs of a watch count together. */
struct bpf_counts {
	unsigned int		reader;		/* task that reads for ksymwatch, or 0 */
	unsigned long long	reads;		/* its hits */
	unsigned long long	faults;		/* values that could not be read */
	unsigned long long	unchanged;	/* hits that left the value unchanged */
	unsigned long long	filtered;	/* hits that the condition dropped */
	unsigned long long	passed;		/* hits that it did not drop */
	unsigned long long	skipped;	/* hits that every= dropped */
	unsigned long long	taken;		/* hits for count= */
	unsigned long long	limited;	/* hits after these */
	unsigned long long	off;		/* hits after traceoff */
	unsigned long long	unsent;		/* signals that could not be sent */
};

/* What the program of a breakpoint adds to perf's sample. */
struct bpf_hit {
	unsigned int		watch;		/* number of the watch */
	unsigned int		piece;		/* and of the piece */
	unsigned long long	addr;		/* address watched */
	unsigned long long	old;		/* value after the previous hit, or UNKNOWN_VALUE */
	unsigned long long	new;		/* value after this hit */
	unsigned long long	top;		/* the word at the top of the stack */
	unsigned long long	word;		/* the aligned word with the watched bytes */
};

/* A request to the program that reads the kernel's memory. */
struct bpf_peek {
	unsigned long long	addr;
	unsigned long long	value;		/* gets the value */
	unsigned int		len;		/* 1 to 8 bytes */
	int			error;		/* gets 0 or a negative errno */
};

#endif /* KSYMWATCH_STOCK_BPF_H */
