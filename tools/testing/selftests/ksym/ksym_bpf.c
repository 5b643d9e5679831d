// SPDX-License-Identifier: GPL-2.0-only
/*
 * A BPF program attached to the event of a watch: attaching must be allowed, and the
 * program must run for each hit, see the record's fields, and be able to read the hits
 * and the times of the watch.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* What bpf_ksym_watch_read() fills in: struct ksym_reading of the kernel. */
struct reading {
	uint64_t	hits;
	uint64_t	enabled;
	uint64_t	running;
};

enum {
	KEY_HITS, KEY_LAST_NEW, KEY_LAST_ACCESS,
	KEY_READ, KEY_READ_HITS, KEY_READ_ENABLED, KEY_READ_RUNNING, KEY_READ_NO_CPU,
	NR_KEYS
};

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

/* A map of one string, which the kernel reads as a constant. */
static int make_string(const char *text)
{
	char value[64] = {};
	uint32_t key = 0;
	union bpf_attr attr = {
		.map_type	= BPF_MAP_TYPE_ARRAY,
		.key_size	= sizeof(key),
		.value_size	= sizeof(value),
		.max_entries	= 1,
		.map_flags	= BPF_F_RDONLY_PROG,
	};
	int map = sys_bpf(BPF_MAP_CREATE, &attr);

	snprintf(value, sizeof(value), "%s", text);
	attr = (union bpf_attr){
		.map_fd	= map,
		.key	= (uintptr_t)&key,
		.value	= (uintptr_t)value,
	};
	if (map < 0 || sys_bpf(BPF_MAP_UPDATE_ELEM, &attr))
		return -1;
	attr = (union bpf_attr){ .map_fd = map };
	return sys_bpf(BPF_MAP_FREEZE, &attr) ? -1 : map;
}

/* How many bytes follow a type of the kernel's BTF. */
static size_t size_of_rest(const struct btf_type *type)
{
	unsigned int nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return nr * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return nr * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return nr * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return nr * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return nr * sizeof(struct btf_var_secinfo);
	default:
		return 0;
	}
}

/* The number of a kernel function in the kernel's BTF, or 0. */
static int find_function(const char *name)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY), id, found = 0;
	const struct btf_header *header;
	const char *strings, *at, *end;
	size_t got = 0;
	struct stat stat;
	char *btf;
	ssize_t n;

	if (fd < 0 || fstat(fd, &stat))
		return 0;
	btf = malloc(stat.st_size);
	while (btf && (n = read(fd, btf + got, stat.st_size - got)) > 0)
		got += n;
	close(fd);
	if (!btf || got < sizeof(*header))
		return 0;
	header = (const void *)btf;
	strings = btf + header->hdr_len + header->str_off;
	at = btf + header->hdr_len + header->type_off;
	end = at + header->type_len;
	for (id = 1; at < end && !found; id++) {
		const struct btf_type *type = (const void *)at;

		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    !strcmp(strings + type->name_off, name))
			found = id;
		at += sizeof(*type) + size_of_rest(type);
	}
	free(btf);
	return found;
}

#define MAX_INSNS	128

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

/* r7 = the result of reading a watch into the stack below r10 */
static void emit_read(struct program *prog, int function, int name, int cpu)
{
	unsigned int i;

	for (i = 0; i < sizeof(struct reading); i += 8)
		emit(prog, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, i - 32, 0);
	emit(prog, BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_VALUE, 0, name);
	emit(prog, 0, 0, 0, 0, 0);
	emit(prog, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, cpu);
	emit(prog, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_3, BPF_REG_10, 0, 0);
	emit(prog, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_3, 0, 0, -32);
	emit(prog, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, function);
	emit(prog, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_7, BPF_REG_0, 0, 0);
}

/* The map's value = what was read, at an offset of struct reading */
static void emit_store_reading(struct program *prog, int map, uint32_t key, size_t offset)
{
	emit_look_up(prog, map, key);
	emit(prog, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_10, offset - 32, 0);
	emit(prog, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_1, 0, 0);
}

static int load_program(int map, int function, int name, char *log, size_t log_size)
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
	emit_read(&prog, function, name, -1);
	emit_look_up(&prog, map, KEY_READ);
	emit(&prog, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_7, 0, 0);
	emit_store_reading(&prog, map, KEY_READ_HITS, offsetof(struct reading, hits));
	emit_store_reading(&prog, map, KEY_READ_ENABLED, offsetof(struct reading, enabled));
	emit_store_reading(&prog, map, KEY_READ_RUNNING, offsetof(struct reading, running));
	/* No machine has so many CPUs. */
	emit_read(&prog, function, name, 1000000);
	emit_look_up(&prog, map, KEY_READ_NO_CPU);
	emit(&prog, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_7, 0, 0);
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

	snprintf(path, sizeof(path), TRACEFS "events/ksym/%s/id", name);
	attr.config = read_number(path);
	return syscall(__NR_perf_event_open, &attr, -1, 0, -1, 0);
}

TEST(a_program_sees_each_hit)
{
	static char log[65536];
	int map, prog, event, name, function;
	char panic_timeout[16];

	if (access(TRACEFS "ksym_trace_filter", W_OK))
		SKIP(return, "no ksym tracer here, or no permission");

	/* The event is open on one CPU, so the test writes there. */
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, read_panic_timeout(panic_timeout));

	ASSERT_EQ(0, ksym_write("0"));
	ASSERT_EQ(0, ksym_write("panic_timeout:w len=4 name=ksym_bpf"));
	map = make_map();
	ASSERT_LE(0, map);
	name = make_string("ksym_bpf");
	ASSERT_LE(0, name);
	function = find_function("bpf_ksym_watch_read");
	ASSERT_LT(0, function);
	prog = load_program(map, function, name, log, sizeof(log));
	ASSERT_LE(0, prog) TH_LOG("%s", log);
	event = open_event("ksym_bpf");
	ASSERT_LE(0, event);
	ASSERT_EQ(0, ioctl(event, PERF_EVENT_IOC_SET_BPF, prog));
	ASSERT_EQ(0, ioctl(event, PERF_EVENT_IOC_ENABLE, 0));

	ASSERT_EQ(0, write_file(PANIC_TIMEOUT, "52001", 0));
	ASSERT_EQ(0, write_file(PANIC_TIMEOUT, "52002", 0));
	EXPECT_EQ(2, look_up(map, KEY_HITS));
	EXPECT_EQ(52002, look_up(map, KEY_LAST_NEW));
	EXPECT_EQ(2, look_up(map, KEY_LAST_ACCESS));

	/* The second hit was not counted yet when the program ran. */
	EXPECT_EQ(0, look_up(map, KEY_READ));
	EXPECT_EQ(1, look_up(map, KEY_READ_HITS));
	EXPECT_LT(0, look_up(map, KEY_READ_ENABLED));
	EXPECT_EQ(look_up(map, KEY_READ_ENABLED), look_up(map, KEY_READ_RUNNING));
	EXPECT_EQ(-EINVAL, (int)look_up(map, KEY_READ_NO_CPU));

	/* A watch can't be removed while its event is open. */
	EXPECT_EQ(-1, ksym_write("!ksym_bpf"));
	EXPECT_EQ(EBUSY, errno);
	close(event);
	EXPECT_EQ(0, ksym_write("!ksym_bpf"));
	ASSERT_EQ(0, write_file(PANIC_TIMEOUT, panic_timeout, 0));
	EXPECT_EQ(2, look_up(map, KEY_HITS));
}

TEST_HARNESS_MAIN
