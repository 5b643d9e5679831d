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

/**
 * struct bpf_hit - what the program of a breakpoint adds to perf's sample
 * @watch: number of the watch
 * @piece: number of the piece
 * @addr: address watched
 * @old: value after the previous hit, or UNKNOWN_VALUE
 * @new: value after this hit
 */
struct bpf_hit {
	unsigned int		watch;
	unsigned int		piece;
	unsigned long long	addr;
	unsigned long long	old;
	unsigned long long	new;
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
