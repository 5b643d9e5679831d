/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs of ksymwatch.bpf.c and the rest of us say to each other.
 */
#ifndef KSYMWATCH_STOCK_BPF_H
#define KSYMWATCH_STOCK_BPF_H

/**
 * struct bpf_hit - what the program of a breakpoint adds to perf's sample
 * @watch: the number of the watch
 * @piece: which of its pieces
 * @addr: what was watched
 * @old: the value that the last hit left behind
 * @new: the one that this hit did
 */
struct bpf_hit {
	unsigned int		watch;
	unsigned int		piece;
	unsigned long long	addr;
	unsigned long long	old;
	unsigned long long	new;
};

/**
 * struct bpf_peek - what is asked of the program that reads the kernel's memory
 * @addr: where
 * @value: what is there
 * @len: how many bytes, 1 to 8
 * @error: an errno, negative, or 0
 */
struct bpf_peek {
	unsigned long long	addr;
	unsigned long long	value;
	unsigned int		len;
	int			error;
};

#endif /* KSYMWATCH_STOCK_BPF_H */
