// SPDX-License-Identifier: GPL-2.0-only
/*
 * A BPF program attached to the event of a watch: attaching must be allowed, and the
 * program must run for each hit and see the record's fields.
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
	uint8_t		access;
	uint8_t		torn;
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

#define MAX_INSNS	64

struct program {
	struct bpf_insn	insns[MAX_INSNS];
	unsigned int	nr;
};

static void emit(struct program *prog, uint8_t code, uint8_t dst, uint8_t src,
		 int16_t off, int32_t imm)
{
	prog->insns[prog->nr++] = (struct bpf_insn){
		.code = code, .dst_reg = dst, .src_reg = src, .off = off,
		.imm = imm,
	};
}

/* return 0; */
static void emit_return(struct program *prog)
{
	emit(prog, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0);
	emit(prog, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* r0 = the address of a value of the map */
static void emit_look_up(struct program *prog, int map, uint32_t key)
{
	emit(prog, BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, key);
	emit(prog, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0);
	emit(prog, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -4);
	/* A 64-bit constant takes two instructions. */
	emit(prog, BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0,
	     map);
	emit(prog, 0, 0, 0, 0, 0);
	emit(prog, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
	/* The verifier requires a check for NULL. */
	emit(prog, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 2, 0);
	emit_return(prog);
}

/* The map's value = a field of the record, to which r6 points */
static void emit_store_field(struct program *prog, int map, uint32_t key,
			     uint8_t size, size_t offset)
{
	emit_look_up(prog, map, key);
	emit(prog, BPF_LDX | BPF_MEM | size, BPF_REG_1, BPF_REG_6, offset, 0);
	emit(prog, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_1, 0, 0);
}

static int load_program(int map, char *log, size_t log_size)
{
	struct program prog = {};
	union bpf_attr attr = {
		.prog_type	= BPF_PROG_TYPE_TRACEPOINT,
		.insns		= (uintptr_t)prog.insns,
		.license	= (uintptr_t)"GPL",
		.log_buf	= (uintptr_t)log,
		.log_size	= log_size,
		.log_level	= 1,
	};

	emit(&prog, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0);
	emit_look_up(&prog, map, KEY_HITS);
	emit(&prog, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_0, 0, 0);
	emit(&prog, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, 1);
	emit(&prog, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_1, 0, 0);
	emit_store_field(&prog, map, KEY_LAST_NEW, BPF_DW,
			 offsetof(struct record, new));
	emit_store_field(&prog, map, KEY_LAST_ACCESS, BPF_B,
			 offsetof(struct record, access));
	emit_return(&prog);
	attr.insn_cnt = prog.nr;
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

	/* The event is open on one CPU, so the test writes there. */
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

	/* A watch can't be removed while its event is open. */
	EXPECT_EQ(-1, ksym_write("!ksym_bpf"));
	EXPECT_EQ(EBUSY, errno);
	close(event);
	EXPECT_EQ(0, ksym_write("!ksym_bpf"));
	ASSERT_EQ(0, write_file(PID_MAX, "32768", 0));
	EXPECT_EQ(2, look_up(map, KEY_HITS));
}

TEST_HARNESS_MAIN
