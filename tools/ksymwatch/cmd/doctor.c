// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch doctor: what this kernel and machine offer, and a test that a watch fires.
 *
 * The checks are independent, and none of them ends the program. The self-test could, so it
 * runs in another process.
 */
#include <cpuid.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <tracefs.h>
#include <zlib.h>

#include "backend/perf/stock.h"
#include "backend/support.h"
#include "backend/tracer/watches.h"
#include "cmd/commands.h"
#include "cmd/selftest.h"
#include "lib/text.h"
#include "lib/util.h"
#include "symbols/resolve.h"

#define NR_DEBUG_REGISTERS	4

/* More than the number of symbols with address 0, the first per-CPU variables. */
#define MAX_SYMBOLS		1000

/* Longest list of CPUs or missing options. */
#define MAX_DETAILS		16

enum verdict { OK, WARN, FAIL };

/**
 * struct finding - the result of a check
 * @verdict: how good or bad it is
 * @text: the result in a line
 * @details: more lines
 * @advice: what to do about it, or NULL
 */
struct finding {
	enum verdict	verdict;
	char		*text;
	struct strings	details;
	char		*advice;
};

static void find(struct finding *finding, enum verdict verdict, char *text, const char *advice)
{
	free(finding->text);
	free(finding->advice);
	finding->verdict = verdict;
	finding->text = text;
	finding->advice = advice ? xstrdup(advice) : NULL;
}

/* Drops details that are too many. */
static void add_detail(struct finding *finding, char *text)
{
	if (finding->details.nr < MAX_DETAILS)
		strings_add_owned(&finding->details, text);
	else
		free(text);
}

static const char *release(void)
{
	static struct utsname name;

	uname(&name);
	return name.release;
}

/* --- The kernel ------------------------------------------------------------ */

static void check_kernel(struct finding *finding)
{
	const char *advice = NULL;
	struct utsname name;

	uname(&name);
	if (strcmp(name.machine, "x86_64"))
		advice = "the tracer and its self-test support only x86-64";
	find(finding, advice ? FAIL : OK, xasprintf("%s %s", name.release, name.machine), advice);
}

/* Kernel options, and what is missing without them. */
static const struct config {
	const char	*name;
	enum verdict	without;
	const char	*what;
} configs[] = {
	{ "KSYM_TRACER", WARN, "the tracer; without it, perf's breakpoints are used" },
	{ "HW_BREAKPOINT_FLEXIBLE", WARN, "flexible watches" },
	{ "PERF_EVENTS", FAIL, "breakpoints" },
	{ "HAVE_HW_BREAKPOINT", FAIL, "breakpoints" },
	{ "KALLSYMS", FAIL, "symbols" },
	{ "KALLSYMS_ALL", FAIL, "the symbols of variables" },
	{ "STACKTRACE", WARN, "the stacks of hits" },
	{ "BPF_SYSCALL", WARN, "types; and values on kernels without the tracer" },
	{ "DEBUG_INFO_BTF", WARN, "types" },
	{ "DEBUG_INFO_BTF_MODULES", WARN, "types of modules" },
};

/* Opens the kernel's config, compressed or not, and returns its path. */
static gzFile open_config(char **path)
{
	struct strings places = {};
	gzFile file = NULL;
	size_t tried = 0;

	strings_add(&places, "/proc/config.gz");
	strings_add_owned(&places, xasprintf("/boot/config-%s", release()));
	strings_add_owned(&places, xasprintf("/lib/modules/%s/config", release()));
	while (!file && tried < places.nr)
		file = gzopen(places.text[tried++], "re");
	*path = xstrdup(places.text[tried - 1]);
	strings_free(&places);
	return file;
}

/* Marks the option that a line of the config sets. */
static void note_config(const char *line, bool *has)
{
	static const char prefix[] = "CONFIG_";
	size_t i, len;

	if (strncmp(line, prefix, strlen(prefix)))
		return;
	line += strlen(prefix);
	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		len = strlen(configs[i].name);
		if (!strncmp(line, configs[i].name, len) &&
		    (!strncmp(line + len, "=y", 2) || !strncmp(line + len, "=m", 2)))
			has[i] = true;
	}
}

static void check_config(struct finding *finding)
{
	bool has[ARRAY_SIZE(configs)] = {};
	enum verdict verdict = OK;
	char line[256], *path;
	size_t i, nr = 0;
	gzFile file;

	file = open_config(&path);
	if (!file) {
		free(path);
		find(finding, WARN,
		     xasprintf("not found: neither /proc/config.gz nor /boot/config-%s", release()),
		     "CONFIG_IKCONFIG_PROC=y provides it, or modprobe configs");
		return;
	}
	while (gzgets(file, line, sizeof(line)))
		note_config(line, has);
	gzclose(file);
	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		if (has[i]) {
			nr++;
			continue;
		}
		verdict = configs[i].without > verdict ? configs[i].without : verdict;
		add_detail(finding, xasprintf("without CONFIG_%s=y: %s", configs[i].name,
					      configs[i].what));
	}
	find(finding, verdict, xasprintf("%s: %zu of %zu options", path, nr, ARRAY_SIZE(configs)),
	     verdict == OK ? NULL : "build a kernel with these options");
	free(path);
}

static void check_lockdown(struct finding *finding)
{
	char *line = read_first_line("/sys/kernel/security/lockdown");
	char *level = line ? strchr(line, '[') : NULL;

	if (level)
		level[strcspn(level, "]")] = '\0';
	if (!level)
		find(finding, OK, xstrdup("none, or securityfs is not mounted"), NULL);
	else if (!strcmp(level, "[confidentiality"))
		find(finding, FAIL, xstrdup("confidentiality: no tracefs, no perf"),
		     "boot without lockdown=confidentiality");
	else
		find(finding, OK, xstrdup(level + 1), NULL);
	free(line);
}

/* --- Rights ---------------------------------------------------------------- */

static bool has_capability(cap_value_t capability)
{
	cap_flag_value_t flag = CAP_CLEAR;
	cap_t caps = cap_get_proc();

	if (caps)
		cap_get_flag(caps, capability, CAP_EFFECTIVE, &flag);
	cap_free(caps);
	return flag == CAP_SET;
}

static void check_permission(struct finding *finding)
{
	static const struct {
		cap_value_t	cap;
		const char	*name;
	} known[] = {
		{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN" }, { CAP_PERFMON, "CAP_PERFMON" },
		{ CAP_BPF, "CAP_BPF" }, { CAP_SYSLOG, "CAP_SYSLOG" },
	};
	static const char advice[] =
		"run as root, for example with sudo: kernel breakpoints need CAP_SYS_ADMIN";
	struct strings have = {};
	char *map, *joined;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (has_capability(known[i].cap))
			strings_add(&have, known[i].name);
	joined = have.nr ? strings_join(&have, ", ") : xstrdup("no capabilities");
	/* "0 0 4294967295" is the initial user namespace. */
	map = read_first_line("/proc/self/uid_map");
	if (map && !strstr(map, "4294967295"))
		find(finding, FAIL, xstrdup("root of a user namespace only"), advice);
	else
		find(finding, has_capability(CAP_SYS_ADMIN) ? OK : FAIL,
		     xasprintf("user %d, %s", (int)geteuid(), joined),
		     has_capability(CAP_SYS_ADMIN) ? NULL : advice);
	free(map);
	free(joined);
	strings_free(&have);
}

/*
 * Does /proc/kallsyms show addresses? Returns 1 or 0; -1 if there is no such file. Some
 * symbols have the address 0; all have it if addresses are hidden.
 */
static int shows_addresses(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	int shown = file ? 0 : -1, i;
	char line[512];

	for (i = 0; !shown && i < MAX_SYMBOLS && fgets(line, sizeof(line), file); i++)
		shown = strtoull(line, NULL, 16) != 0;
	if (file)
		fclose(file);
	return shown;
}

static void check_kptr_restrict(struct finding *finding)
{
	char *value = read_first_line("/proc/sys/kernel/kptr_restrict");
	int shown = shows_addresses();

	if (shown < 0)
		find(finding, FAIL, xstrdup("no /proc/kallsyms"),
		     "build a kernel with CONFIG_KALLSYMS=y");
	else if (shown)
		find(finding, OK, xasprintf("%s: /proc/kallsyms shows addresses", value ?: "?"),
		     NULL);
	else
		find(finding, WARN,
		     xasprintf("%s: /proc/kallsyms shows no addresses", value ?: "?"),
		     has_capability(CAP_SYSLOG) ? "sysctl kernel.kptr_restrict=1" :
		     "run as root, for example with sudo");
	free(value);
}

static void check_paranoid(struct finding *finding)
{
	char *value = read_first_line("/proc/sys/kernel/perf_event_paranoid");

	if (!value)
		find(finding, FAIL, xstrdup("the kernel has no perf events"),
		     "build a kernel with CONFIG_PERF_EVENTS=y");
	else if (has_capability(CAP_SYS_ADMIN))
		find(finding, OK, xasprintf("%s, irrelevant for root", value), NULL);
	else
		find(finding, OK, xasprintf("%s; only root can watch the kernel anyway",
					    value), NULL);
	free(value);
}

/* --- Ways to watch --------------------------------------------------------- */

static void check_tracefs(struct finding *finding)
{
	const char *folder = tracefs_path();
	char *file;

	if (!folder) {
		find(finding, WARN, xstrdup("not mounted"),
		     "mount -t tracefs nodev /sys/kernel/tracing");
		return;
	}
	file = xasprintf("%s/trace_marker", folder);
	if (access(folder, R_OK | X_OK))
		find(finding, WARN, xasprintf("%s: %s", folder, strerror(errno)),
		     "run as root, for example with sudo");
	else if (access(file, F_OK))
		find(finding, FAIL,
		     xasprintf("%s is empty: the kernel was locked down at boot", folder),
		     "boot without lockdown=confidentiality");
	else if (access(file, W_OK))
		find(finding, WARN, xasprintf("%s is mounted, but can't be written: %s", folder,
					      strerror(errno)),
		     errno == EROFS ? "remount it with mount -o remount,rw" :
		     "run as root, for example with sudo");
	else
		find(finding, OK, xasprintf("%s, writable", folder), NULL);
	free(file);
}

static void check_tracer(struct finding *finding)
{
	const char *folder = tracefs_path();
	char *file = xasprintf("%s/ksym_trace_filter", folder ?: "");

	if (folder && !access(file, F_OK))
		find(finding, OK, xstrdup("the ksym tracer"), NULL);
	else if (folder && errno == EACCES)
		find(finding, WARN, xstrdup("unknown: tracefs can't be read"),
		     "run as root, for example with sudo");
	else
		find(finding, WARN, xstrdup("no ksym tracer: perf's breakpoints are used"),
		     "build a kernel with CONFIG_KSYM_TRACER=y to distinguish reads from writes, count exactly and have flexible watches");
	free(file);
}

/* Tidies up, too, or the registers would be short for what follows. */
static void check_sessions(struct finding *finding)
{
	bool tracer = has_tracer();

	if (tracer)
		owner_sweep(&finding->details);
	find(finding, finding->details.nr ? WARN : OK,
	     xstrdup(!tracer ? "watches end with the program that made them" :
		     finding->details.nr ? "some were killed" : "none left anything behind"), NULL);
}

/* Asks perf, which knows how many are free but not who holds the others. */
static void check_registers_of_perf(struct finding *finding)
{
	int nr = sysconf(_SC_NPROCESSORS_CONF), cpu, least = NR_DEBUG_REGISTERS, got;

	for (cpu = 0; cpu < nr; cpu++) {
		got = stock_perf_free_slots(cpu);
		/* The CPU is offline. */
		if (got < 0 && errno == ENODEV)
			continue;
		if (got < 0 && (errno == EACCES || errno == EPERM))
			break;
		if (got < 0) {
			find(finding, FAIL, xasprintf("no breakpoints on CPU %d: %s", cpu,
						      strerror(errno)),
			     "neither machine nor kernel may have any");
			return;
		}
		if (got < NR_DEBUG_REGISTERS)
			add_detail(finding, xasprintf("CPU %d: %d free", cpu, got));
		least = got < least ? got : least;
	}
	if (cpu < nr) {
		got = stock_perf_free_slots(-1);
		find(finding, got > 0 ? OK : WARN,
		     xasprintf("%d of %d free for a task of this user", got > 0 ? got : 0,
			       NR_DEBUG_REGISTERS),
		     got > 0 ? NULL : "run as root to check each CPU");
		return;
	}
	find(finding, least ? OK : FAIL,
	     xasprintf("%d, %d free on each CPU", NR_DEBUG_REGISTERS, least),
	     least ? NULL : "end the debuggers and perf sessions that use them");
}

/* Parses the row of a CPU: CPU DR0 DR1 DR2 DR3 ... FREE. Returns the number of free ones. */
static int read_slots_row(struct finding *finding, char *line)
{
	struct strings words = {}, holders = {};
	char *word, *joined;
	int nr_free = -1;
	size_t i;

	while ((word = strtok_r(line, " \t", &line)))
		strings_add(&words, word);
	if (words.nr > NR_DEBUG_REGISTERS + 1) {
		nr_free = atoi(words.text[words.nr - 1]);
		for (i = 1; i <= NR_DEBUG_REGISTERS; i++)
			if (strcmp(words.text[i], "-"))
				strings_add(&holders, words.text[i]);
		joined = strings_join(&holders, ", ");
		if (nr_free < NR_DEBUG_REGISTERS)
			add_detail(finding, xasprintf("CPU %s: %d free%s%s", words.text[0], nr_free,
						      holders.nr ? ", held by " : "", joined));
		free(joined);
	}
	strings_free(&holders);
	strings_free(&words);
	return nr_free;
}

static void check_registers(struct finding *finding)
{
	int least = NR_DEBUG_REGISTERS, nr = 0, got;
	char *text = NULL, *rest, *line;

	/* Without the check, libtracefs would mount it. */
	if (tracefs_path())
		text = tracefs_instance_file_read(NULL, "ksym_slots", NULL);
	rest = text;
	while (rest && (line = strsep(&rest, "\n"))) {
		if (!isdigit((unsigned char)*line))
			continue;
		got = read_slots_row(finding, line);
		if (got >= 0)
			nr++;
		if (got >= 0 && got < least)
			least = got;
	}
	free(text);
	if (!nr)
		check_registers_of_perf(finding);
	else
		find(finding, least ? OK : WARN,
		     xasprintf("%d on each of %d CPUs, %d free on each", NR_DEBUG_REGISTERS, nr,
			       least),
		     least ? NULL :
		     "remove a watch with ksymwatch rm, make some flexible, or end debuggers");
}

/*
 * Debug registers under the hypervisors that cpuid names. For those not tried, the
 * self-test has the answer.
 */
static const struct hypervisor {
	const char	*signature;
	const char	*name;
	enum verdict	verdict;
	const char	*text;
} hypervisors[] = {
	{ "TCGTCGTCGTCG", "QEMU without KVM (TCG)", WARN,
	  "breakpoints fire, but with one thread per CPU not for locked instructions" },
	{ "KVMKVMKVM", "KVM", OK,
	  "guests have debug registers, unless a debugger on the host uses them" },
	{ "Microsoft Hv", "Hyper-V", OK, "the self-test shows whether breakpoints fire" },
	{ "VMwareVMware", "VMware", OK, "the self-test shows whether breakpoints fire" },
	{ "XenVMMXenVMM", "Xen", OK, "the self-test shows whether breakpoints fire" },
	{ "VBoxVBoxVBox", "VirtualBox", OK, "the self-test shows whether breakpoints fire" },
	{ "ACRNACRNACRN", "ACRN", OK, "the self-test shows whether breakpoints fire" },
	{ "bhyve bhyve ", "bhyve", OK, "the self-test shows whether breakpoints fire" },
};

static void check_hypervisor(struct finding *finding)
{
	unsigned int a, b, c, d, words[3];
	char signature[sizeof(words) + 1] = "";
	char *type;
	size_t i;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31)) {
		type = read_first_line("/sys/hypervisor/type");
		find(finding, OK,
		     type ? xasprintf("%s, not visible through cpuid", type) :
		     xstrdup("none"), NULL);
		free(type);
		return;
	}
	__cpuid(0x40000000, a, words[0], words[1], words[2]);
	memcpy(signature, words, sizeof(words));
	for (i = 0; i < ARRAY_SIZE(hypervisors); i++) {
		if (strcmp(signature, hypervisors[i].signature))
			continue;
		find(finding, hypervisors[i].verdict,
		     xasprintf("%s: %s", hypervisors[i].name, hypervisors[i].text),
		     hypervisors[i].verdict == OK ? NULL :
		     "to watch a lock, use real hardware, KVM, or -accel tcg,thread=single");
		return;
	}
	for (i = 0; signature[i]; i++)
		if (!isprint((unsigned char)signature[i]))
			signature[i] = '?';
	find(finding, OK,
	     xasprintf("'%s': the self-test shows whether breakpoints fire", signature), NULL);
}

/* --- Types and values ------------------------------------------------------- */

static void check_btf(struct finding *finding)
{
	struct stat st;

	if (stat("/sys/kernel/btf/vmlinux", &st))
		find(finding, WARN, xasprintf("none: %s", strerror(errno)),
		     "build a kernel with CONFIG_DEBUG_INFO_BTF=y");
	else
		find(finding, OK,
		     xasprintf("/sys/kernel/btf/vmlinux, %lld bytes", (long long)st.st_size), NULL);
}

static void check_debug_info(struct finding *finding)
{
	const struct debuginfo *info = types_debuginfo(NULL);
	char *advice;

	if (info) {
		find(finding, OK, xstrdup(info->path), NULL);
		return;
	}
	advice = xasprintf("install it (on Debian linux-image-%s-dbg) to leave out casts",
			   release());
	find(finding, WARN, xasprintf("no vmlinux with debug information for %s", release()),
	     advice);
	free(advice);
}

static void check_variables(struct finding *finding)
{
	/* Without addresses there are none, which has a row of its own. */
	const char *from = shows_addresses() > 0 ? resolve_variables_from() : NULL;

	if (from)
		find(finding, OK, xasprintf("in %s", from), NULL);
	else
		find(finding, WARN, xstrdup("/proc/kallsyms has functions only, or hides them"),
		     "install the kernel's debug info, or give --vmlinux or --kallsyms");
}

/* Loads a program that does nothing, of the type that breakpoints run. */
static void check_bpf(struct finding *finding)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, NULL, "GPL", program,
			       ARRAY_SIZE(program), NULL);

	if (fd >= 0) {
		find(finding, OK, xstrdup("programs can be loaded"), NULL);
		close(fd);
		return;
	}
	find(finding, WARN, xasprintf("cannot load programs: %s", strerror(-fd)),
	     fd == -EPERM || fd == -EACCES ? "run as root, for example with sudo" :
	     "build a kernel with CONFIG_BPF_SYSCALL=y to have values without the tracer");
}

static void check_programs(struct finding *finding)
{
	static const char * const names[] = { "trace-cmd", "kernelshark", "perf", "bpftool",
						 "gdb" };
	struct strings there = {}, missing = {};
	char *have, *lack;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		strings_add(program_exists(names[i]) ? &there : &missing, names[i]);
	have = there.nr ? strings_join(&there, ", ") : xstrdup("none");
	lack = strings_join(&missing, ", ");
	find(finding, OK, missing.nr ? xasprintf("%s (not found: %s)", have, lack) : xstrdup(have),
	     NULL);
	free(have);
	free(lack);
	strings_free(&there);
	strings_free(&missing);
}

/* --- The self-test ------------------------------------------------------------ */

/* Returns the last message of the self-test's process, or @nothing if there is none. */
static char *read_back(int fd, const char *nothing)
{
	static const char prefix[] = "ksymwatch: ";
	char text[4096];
	ssize_t size = pread(fd, text, sizeof(text) - 1, 0);
	char *rest = text, *line, *last = NULL;

	text[size > 0 ? size : 0] = '\0';
	while ((line = strtok_r(rest, "\n", &rest)))
		last = line;
	if (last && !strncmp(last, prefix, strlen(prefix)))
		last += strlen(prefix);
	return xstrdup(last ?: nothing);
}

/* The self-test makes a read and a write, through functions of sysctl. */
static void find_fired(struct finding *finding, const struct self_test *test)
{
	const char *advice = NULL;

	if (test->hits < 2)
		advice = "expected one hit for a read and one for a write: do not rely on it";
	else if (!test->by_sysctl)
		advice = "expected a function of sysctl: see kptr_restrict";
	find(finding, advice ? WARN : OK,
	     xasprintf("a watch on %s fired: r %u, w %u, ? %u, by %s; %s", test->symbol,
		       test->reads, test->writes, test->unknown,
		       *test->function ? test->function : "an unknown function",
		       test->has_values ? "the values are right" : "no values"),
	     advice);
}

/*
 * A session exits with a message on stderr if something is wrong. So it runs in another
 * process, with a file for its messages.
 */
static void check_self_test(struct finding *finding)
{
	int messages = memfd_create("messages", MFD_CLOEXEC), status = 0;
	int results = memfd_create("results", MFD_CLOEXEC);
	struct self_test test = {};
	pid_t pid;

	fflush(NULL);
	pid = messages < 0 || results < 0 ? -1 : fork();
	if (!pid) {
		dup2(messages, STDERR_FILENO);
		self_test_run(&test);
		if (write(results, &test, sizeof(test)) != sizeof(test))
			exit(STATUS_FAILED);
		exit(STATUS_OK);
	}
	if (pid < 0)
		find(finding, FAIL, xasprintf("no process: %s", strerror(errno)), NULL);
	else if (waitpid(pid, &status, 0) != pid || status ||
		 pread(results, &test, sizeof(test), 0) != sizeof(test))
		find(finding, FAIL, read_back(messages, "the self-test ended early"),
		     "see the checks above");
	else if (!test.hits)
		find(finding, FAIL, xasprintf("a watch on %s did not fire", test.symbol),
		     "the machine delivers no debug exceptions: try another hypervisor, or none");
	else if (test.wrong_value)
		find(finding, FAIL,
		     xasprintf("a watch on %s fired with the value %#llx instead of %#llx",
			       test.symbol, test.got, test.value),
		     "this is a bug: report it with the kernel's release");
	else
		find_fired(finding, &test);
	if (messages >= 0)
		close(messages);
	if (results >= 0)
		close(results);
}

/* --- All of it ------------------------------------------------------------------ */

static const struct check {
	const char	*name;
	void		(*run)(struct finding *finding);
} checks[] = {
	{ "kernel", check_kernel },
	{ "config", check_config },
	{ "lockdown", check_lockdown },
	{ "permission", check_permission },
	{ "kptr_restrict", check_kptr_restrict },
	{ "perf_event_paranoid", check_paranoid },
	{ "tracefs", check_tracefs },
	{ "tracer", check_tracer },
	{ "sessions", check_sessions },
	{ "debug registers", check_registers },
	{ "hypervisor", check_hypervisor },
	{ "BTF", check_btf },
	{ "debug information", check_debug_info },
	{ "variables", check_variables },
	{ "BPF", check_bpf },
	{ "programs", check_programs },
	{ "self-test", check_self_test },
};

static const char * const verdict_words[] = { [OK] = "ok", [WARN] = "warn", [FAIL] = "FAIL" };

/* The column of the text, after the verdict and the name. */
#define TEXT_COLUMN	27

static void print_finding(const struct check *check, const struct finding *finding)
{
	size_t i;

	printf("%-5s %-*s ", verdict_words[finding->verdict], TEXT_COLUMN - 7,
	       check->name);
	print_safe(stdout, finding->text);
	putchar('\n');
	for (i = 0; i < finding->details.nr; i++) {
		printf("%*s- ", TEXT_COLUMN, "");
		print_safe(stdout, finding->details.text[i]);
		putchar('\n');
	}
	if (finding->advice) {
		printf("%*s-> ", TEXT_COLUMN, "");
		print_safe(stdout, finding->advice);
		putchar('\n');
	}
}

static void print_finding_json(const struct check *check, const struct finding *finding)
{
	struct json json = { .out = stdout };
	size_t i;

	json_open(&json, NULL, '{');
	json_text(&json, "type", "check");
	json_text(&json, "check", check->name);
	json_text(&json, "verdict", verdict_words[finding->verdict]);
	json_text(&json, "text", finding->text);
	json_open(&json, "details", '[');
	for (i = 0; i < finding->details.nr; i++)
		json_text(&json, NULL, finding->details.text[i]);
	json_close(&json, ']');
	if (finding->advice)
		json_text(&json, "advice", finding->advice);
	json_close(&json, '}');
	json_end_line(&json);
}

static bool json_wanted;

static int doctor(const struct command *cmd, int argc, char **argv)
{
	enum verdict last = FAIL;
	size_t i;

	no_arguments(cmd, argc, argv);
	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		struct finding finding = {};

		checks[i].run(&finding);
		if (json_wanted)
			print_finding_json(&checks[i], &finding);
		else
			print_finding(&checks[i], &finding);
		last = finding.verdict;
		free(finding.text);
		free(finding.advice);
		strings_free(&finding.details);
	}
	/* The self-test is the last one. */
	if (!json_wanted)
		puts(last != FAIL ? "\nWatching works here." : geteuid() ?
		     "\nWatching needs root." : "\nWatching does not work here.");
	flush_stdout();
	return last == FAIL ? STATUS_FAILED : STATUS_OK;
}

const struct command cmd_doctor = {
	.name = "doctor", .run = doctor,
	.arguments = "",
	.summary = "show what this kernel and machine offer, and test a watch",
	.help =
"Checks each thing that watching needs: ok, warn or FAIL, what was found, and how to get\n"
"what is missing. The last check makes a watch on a sysctl variable, reads and writes the\n"
"variable, and expects the watch to fire. The exit status is 0 if it does, whatever else\n"
"is missing, and 1 if not.\n",
	.options = (const struct command_option[]) {
		{ 'j', "json", .flag = &json_wanted, .help = "print JSON, one object per check" },
		{}
	},
};
