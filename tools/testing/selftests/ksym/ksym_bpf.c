// SPDX-License-Identifier: GPL-2.0-only
/*
 * A BPF program on the event of a watch: it must be allowed there, run for each
 * hit, and see the record's fields.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "ksym_util.h"

/* The record, as events/ksym/NAME/format has it. */
struct record {
	uint64_t	common;
	uint64_t	ip;
	uint64_t	addr;
	uint64_t	old;
	uint64_t	new;
	uint16_t	access;
	uint16_t	len;
};

enum { KEY_HITS, KEY_LAST_NEW, KEY_LAST_ACCESS, NR_KEYS };

static long sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

static int make_map(void)
{
	union bpf_attr attr = {
		.map_type	= BPF_MAP_TYPE_ARRAY,
		.key_size	= sizeof(uint32_t),
		.value_size	= sizeof(uint64_t),
		.max_entries	= NR_KEYS,
	};

	return sys_bpf(BPF_MAP_CREATE, &attr);
}

static uint64_t look_up(int map, uint32_t key)
{
	uint64_t value = UINT64_MAX;
	union bpf_attr attr = {
		.map_fd	= map,
		.key	= (uintptr_t)&key,
		.value	= (uintptr_t)&value,
	};

	sys_bpf(BPF_MAP_LOOKUP_ELEM, &attr);
	return value;
}

#define INSN(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s),	\
			      .off = (o), .imm = (i) }
#define MOV_REG(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define ADD_IMM(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define MAP_FD(d, fd)	INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD,	\
			     0, fd), INSN(0, 0, 0, 0, 0)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT_IF_NULL	INSN(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 2, 0),		\
			INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),		\
			INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* r0 = the address of a value of the map */
#define LOOK_UP(map, key)							\
	INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, key),				\
	MOV_REG(2, 10), ADD_IMM(2, -4), MAP_FD(1, map),				\
	CALL(BPF_FUNC_map_lookup_elem), EXIT_IF_NULL

static int load_program(int map, char *log, size_t log_size)
{
	struct bpf_insn insns[] = {
		MOV_REG(6, 1),
		LOOK_UP(map, KEY_HITS),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 1, 0, 0, 0),
		ADD_IMM(1, 1),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 0, 1, 0, 0),
		LOOK_UP(map, KEY_LAST_NEW),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 1, 6,
		     offsetof(struct record, new), 0),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 0, 1, 0, 0),
		LOOK_UP(map, KEY_LAST_ACCESS),
		INSN(BPF_LDX | BPF_MEM | BPF_H, 1, 6,
		     offsetof(struct record, access), 0),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 0, 1, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = {
		.prog_type	= BPF_PROG_TYPE_TRACEPOINT,
		.insns		= (uintptr_t)insns,
		.insn_cnt	= sizeof(insns) / sizeof(insns[0]),
		.license	= (uintptr_t)"GPL",
		.log_buf	= (uintptr_t)log,
		.log_size	= log_size,
		.log_level	= 1,
	};

	return sys_bpf(BPF_PROG_LOAD, &attr);
}

/* Opens the event of a watch for all tasks on CPU 0, disabled. */
static int open_event(const char *name)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_TRACEPOINT,
		.size		= sizeof(attr),
		.sample_period	= 1,
		.disabled	= 1,
	};
	char path[256];
	FILE *file;
	int id;

	snprintf(path, sizeof(path), TRACEFS "events/ksym/%s/id", name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (fscanf(file, "%d", &id) != 1)
		id = -1;
	fclose(file);
	attr.config = id;
	return syscall(__NR_perf_event_open, &attr, -1, 0, -1, 0);
}

TEST(a_program_sees_each_hit)
{
	static char log[65536];
	cpu_set_t set;
	int map, prog, event;

	if (access(TRACEFS "ksym_trace_filter", W_OK))
		SKIP(return, "no ksym tracer here, or no permission");

	/* The event is opened on one CPU, so the writes come from there. */
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(set), &set));

	ASSERT_EQ(0, ksym_write("0"));
	ASSERT_EQ(0, ksym_write("pid_max:w len=4 name=ksym_bpf"));
	map = make_map();
	ASSERT_LE(0, map);
	prog = load_program(map, log, sizeof(log));
	ASSERT_LE(0, prog) TH_LOG("%s", log);
	event = open_event("ksym_bpf");
	ASSERT_LE(0, event);
	ASSERT_EQ(0, ioctl(event, PERF_EVENT_IOC_SET_BPF, prog));
	ASSERT_EQ(0, ioctl(event, PERF_EVENT_IOC_ENABLE, 0));

	ASSERT_EQ(0, write_file(PID_MAX, "52001", 0));
	ASSERT_EQ(0, write_file(PID_MAX, "52002", 0));
	EXPECT_EQ(2, look_up(map, KEY_HITS));
	EXPECT_EQ(52002, look_up(map, KEY_LAST_NEW));
	EXPECT_EQ(2, look_up(map, KEY_LAST_ACCESS));

	/* Whoever has the event open keeps the watch. */
	EXPECT_EQ(-1, ksym_write("!ksym_bpf"));
	EXPECT_EQ(EBUSY, errno);
	close(event);
	EXPECT_EQ(0, ksym_write("!ksym_bpf"));
	ASSERT_EQ(0, write_file(PID_MAX, "32768", 0));
	EXPECT_EQ(2, look_up(map, KEY_HITS));
}

TEST_HARNESS_MAIN
