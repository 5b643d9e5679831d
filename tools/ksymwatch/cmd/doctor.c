// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch doctor: what this kernel and machine offer, and a test that a watch fires.
 *
 * The checks are independent, and none of them ends the program: what could runs in another
 * process.
 */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "cmd/output.h"
#include "cmd/selftest.h"
#include "cmd/slots.h"
#include "lib/text.h"
#include "lib/util.h"
#include "symbols/debuginfo.h"
#include "symbols/resolve.h"

/* More than the number of symbols with address 0, the first per-CPU variables. */
#define MAX_SYMBOLS		1000

/* Longest list of CPUs or missing options. */
#define MAX_DETAILS		16

enum verdict { OK, WARN, FAIL };

/* The result of a check: a line, more lines, and what to do about it, or NULL. */
struct finding {
	enum verdict	verdict;
	char		*text;
	struct strings	details;
	const char	*advice;
};

#define RUN_AS_ROOT	"run as root, for example with sudo"

[[gnu::format(printf, 4, 5)]]
static void find(struct finding *finding, enum verdict verdict, const char *advice,
		 const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	finding->verdict = verdict;
	finding->text = xvasprintf(fmt, ap);
	finding->advice = advice;
	va_end(ap);
}

/* Drops details that are too many. */
static void add_detail(struct finding *finding, char *text)
{
	if (finding->details.nr < MAX_DETAILS)
		strings_add_owned(&finding->details, text);
	else
		free(text);
}

static const struct utsname *kernel(void)
{
	static struct utsname name;

	uname(&name);
	return &name;
}

/* --- The kernel ------------------------------------------------------------ */

static void check_kernel(struct finding *finding)
{
	bool known = !strcmp(kernel()->machine, "x86_64");

	find(finding, known ? OK : FAIL,
	     known ? NULL : "the tracer and its self-test support only x86-64", "%s %s",
	     kernel()->release, kernel()->machine);
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

/* Marks the option that a line of the config sets. */
static void note_config(const char *line, bool *has)
{
	char name[64], value;
	size_t i;

	if (sscanf(line, "CONFIG_%63[^=]=%c", name, &value) != 2 || (value != 'y' && value != 'm'))
		return;
	for (i = 0; i < ARRAY_SIZE(configs); i++)
		has[i] = has[i] || !strcmp(name, configs[i].name);
}

static void check_config(struct finding *finding)
{
	bool has[ARRAY_SIZE(configs)] = {};
	enum verdict verdict = OK;
	char line[256], path[PATH_MAX];
	gzFile file = open_running_config(path);
	size_t i, nr = 0;

	if (!file) {
		find(finding, WARN, "CONFIG_IKCONFIG_PROC=y provides it, or modprobe configs",
		     "not found: neither /proc/config.gz nor /boot/config-%s", kernel()->release);
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
	find(finding, verdict, verdict == OK ? NULL : "build a kernel with these options",
	     "%s: %zu of %zu options", path, nr, ARRAY_SIZE(configs));
}

static void check_lockdown(struct finding *finding)
{
	char *line __autofree = read_first_line("/sys/kernel/security/lockdown");
	char *level = line ? strchr(line, '[') : NULL;

	if (level)
		level[strcspn(level, "]")] = '\0';
	if (!level)
		find(finding, OK, NULL, "none, or securityfs is not mounted");
	else if (!strcmp(level, "[confidentiality"))
		find(finding, FAIL, "boot without lockdown=confidentiality",
		     "confidentiality: no tracefs, no perf");
	else
		find(finding, OK, NULL, "%s", level + 1);
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
	static const char advice[] = RUN_AS_ROOT ": kernel breakpoints need CAP_SYS_ADMIN";
	bool is_admin = has_capability(CAP_SYS_ADMIN);
	struct strings have __cleanup(strings_free) = {};
	char *map __autofree = NULL, *joined __autofree = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (has_capability(known[i].cap))
			strings_add(&have, known[i].name);
	joined = have.nr ? strings_join(&have, ", ") : xstrdup("no capabilities");
	/* "0 0 4294967295" is the initial user namespace. */
	map = read_first_line("/proc/self/uid_map");
	if (map && !strstr(map, "4294967295"))
		find(finding, FAIL, advice, "root of a user namespace only");
	else
		find(finding, is_admin ? OK : FAIL, is_admin ? NULL : advice, "user %d, %s",
		     (int)geteuid(), joined);
}

/*
 * Does /proc/kallsyms show addresses? Returns 1 or 0; -1 if there is no such file. Some
 * symbols have the address 0; all have it if addresses are hidden.
 */
static int shows_addresses(void)
{
	FILE *file __cleanup(close_file) = fopen("/proc/kallsyms", "re");
	int shown = file ? 0 : -1, i;
	char line[512];

	for (i = 0; !shown && i < MAX_SYMBOLS && fgets(line, sizeof(line), file); i++)
		shown = strtoull(line, NULL, 16) != 0;
	return shown;
}

static void check_kptr_restrict(struct finding *finding)
{
	char *value __autofree = read_first_line("/proc/sys/kernel/kptr_restrict");
	int shown = shows_addresses();

	if (shown < 0)
		find(finding, FAIL, "build a kernel with CONFIG_KALLSYMS=y", "no /proc/kallsyms");
	else
		find(finding, shown ? OK : WARN, shown ? NULL : has_capability(CAP_SYSLOG) ?
		     "sysctl kernel.kptr_restrict=1" : RUN_AS_ROOT,
		     "%s: /proc/kallsyms shows %saddresses", value ?: "?", shown ? "" : "no ");
}

static void check_paranoid(struct finding *finding)
{
	char *value __autofree = read_first_line("/proc/sys/kernel/perf_event_paranoid");

	if (!value)
		find(finding, FAIL, "build a kernel with CONFIG_PERF_EVENTS=y",
		     "the kernel has no perf events");
	else
		find(finding, OK, NULL, has_capability(CAP_SYS_ADMIN) ?
		     "%s, irrelevant for root" : "%s; only root can watch the kernel anyway",
		     value);
}

/* --- Ways to watch --------------------------------------------------------- */

static void check_tracefs(struct finding *finding)
{
	char *file __autofree = NULL;
	const char *folder = tracefs_path();

	if (!folder) {
		find(finding, WARN, "mount -t tracefs nodev /sys/kernel/tracing", "not mounted");
		return;
	}
	file = xasprintf("%s/trace_marker", folder);
	if (access(folder, R_OK | X_OK))
		find(finding, WARN, RUN_AS_ROOT, "%s: %s", folder, strerror(errno));
	else if (access(file, F_OK))
		find(finding, FAIL, "boot without lockdown=confidentiality",
		     "%s is empty: the kernel was locked down at boot", folder);
	else if (access(file, W_OK))
		find(finding, WARN,
		     errno == EROFS ? "remount it with mount -o remount,rw" : RUN_AS_ROOT,
		     "%s is mounted, but can't be written: %s", folder, strerror(errno));
	else
		find(finding, OK, NULL, "%s, writable", folder);
}

static void check_tracer(struct finding *finding)
{
	char *file __autofree = xasprintf("%s/ksym_trace_filter", tracefs_path() ?: "");
	const char *folder = tracefs_path();

	if (folder && !access(file, F_OK))
		find(finding, OK, NULL, "the ksym tracer");
	else if (folder && errno == EACCES)
		find(finding, WARN, RUN_AS_ROOT, "unknown: tracefs can't be read");
	else
		find(finding, WARN,
		     "build a kernel with CONFIG_KSYM_TRACER=y to distinguish reads from writes, count exactly and have flexible watches",
		     "no ksym tracer: perf's breakpoints are used");
}

/* Tidies up, too, or the registers would be short for what follows. */
static void check_sessions(struct finding *finding)
{
	bool tracer = has_tracer();

	if (tracer)
		owner_sweep(&finding->details);
	find(finding, finding->details.nr ? WARN : OK, NULL,
	     !tracer ? "watches end with the program that made them" :
	     finding->details.nr ? "some were killed" : "none left anything behind");
}

/* Asks perf, which knows how many are free but not who holds the others. */
static void check_registers_of_perf(struct finding *finding)
{
	int nr = sysconf(_SC_NPROCESSORS_CONF), cpu, least = NR_REGISTERS, got;

	for (cpu = 0; cpu < nr; cpu++) {
		got = stock_perf_free_slots(cpu);
		/* The CPU is offline. */
		if (got < 0 && errno == ENODEV)
			continue;
		if (got < 0 && (errno == EACCES || errno == EPERM))
			break;
		if (got < 0) {
			find(finding, FAIL, "neither machine nor kernel may have any",
			     "no breakpoints on CPU %d: %s", cpu, strerror(errno));
			return;
		}
		if (got < NR_REGISTERS)
			add_detail(finding, xasprintf("CPU %d: %d free", cpu, got));
		least = got < least ? got : least;
	}
	if (cpu < nr) {
		got = stock_perf_free_slots(-1);
		find(finding, got > 0 ? OK : WARN, got > 0 ? NULL : "run as root to check each CPU",
		     "%d of %d free for a task of this user", got > 0 ? got : 0, NR_REGISTERS);
		return;
	}
	find(finding, least ? OK : FAIL,
	     least ? NULL : "end the debuggers and perf sessions that use them",
	     "%d, %d free on each CPU", NR_REGISTERS, least);
}

/* The CPUs of the table, and the least number of free registers of one. */
struct room {
	struct finding	*finding;
	int		cpus;
	int		least;
};

/* Takes a row: CPU DR0 DR1 DR2 DR3 ... FREE. */
static void take_room(const struct strings *headings __maybe_unused, const struct strings *row,
		      void *data)
{
	char *joined __autofree = NULL;
	struct strings holders __cleanup(strings_free) = {};
	struct room *room = data;
	int nr_free, i;

	if (row->nr <= NR_REGISTERS + 1)
		return;
	nr_free = atoi(row->text[row->nr - 1]);
	room->cpus++;
	room->least = nr_free < room->least ? nr_free : room->least;
	if (nr_free >= NR_REGISTERS)
		return;
	for (i = 1; i <= NR_REGISTERS; i++)
		if (strcmp(row->text[i], "-"))
			strings_add(&holders, row->text[i]);
	joined = strings_join(&holders, ", ");
	add_detail(room->finding, xasprintf("CPU %s: %d free%s%s", row->text[0], nr_free,
					    holders.nr ? ", held by " : "", joined));
}

static void check_registers(struct finding *finding)
{
	struct room room = { .finding = finding, .least = NR_REGISTERS };
	/* Without the check, libtracefs would mount it. */
	char *text = tracefs_path() ? tracefs_instance_file_read(NULL, "ksym_slots", NULL) : NULL;

	if (text)
		slots_walk(text, take_room, &room);
	free(text);
	if (!room.cpus)
		check_registers_of_perf(finding);
	else
		find(finding, room.least ? OK : WARN, room.least ? NULL :
		     "remove a watch with ksymwatch rm, make some flexible, or end debuggers",
		     "%d on each of %d CPUs, %d free on each", NR_REGISTERS, room.cpus,
		     room.least);
}

/*
 * Debug registers under the hypervisors that cpuid names. For those not tried, the
 * self-test has the answer.
 */
#define UNTRIED	"the self-test shows whether breakpoints fire"

static const struct hypervisor {
	const char	*signature;
	const char	*name;
	const char	*text;
	const char	*advice;
} hypervisors[] = {
	{ "TCGTCGTCGTCG", "QEMU without KVM (TCG)",
	  "breakpoints fire, but with one thread per CPU not for locked instructions",
	  "to watch a lock, use real hardware, KVM, or -accel tcg,thread=single" },
	{ "KVMKVMKVM", "KVM",
	  "guests have debug registers, unless a debugger on the host uses them", NULL },
	{ "Microsoft Hv", "Hyper-V", UNTRIED, NULL },
	{ "VMwareVMware", "VMware", UNTRIED, NULL },
	{ "XenVMMXenVMM", "Xen", UNTRIED, NULL },
	{ "VBoxVBoxVBox", "VirtualBox", UNTRIED, NULL },
	{ "ACRNACRNACRN", "ACRN", UNTRIED, NULL },
	{ "bhyve bhyve ", "bhyve", UNTRIED, NULL },
};

static void check_hypervisor(struct finding *finding)
{
	unsigned int a, b, c, d, words[3];
	char signature[sizeof(words) + 1] = "";
	char *type;
	size_t i;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31)) {
		type = read_first_line("/sys/hypervisor/type");
		find(finding, OK, NULL, type ? "%s, not visible through cpuid" : "none", type);
		free(type);
		return;
	}
	__cpuid(0x40000000, a, words[0], words[1], words[2]);
	memcpy(signature, words, sizeof(words));
	for (i = 0; i < ARRAY_SIZE(hypervisors); i++) {
		const struct hypervisor *known = &hypervisors[i];

		if (strcmp(signature, known->signature))
			continue;
		find(finding, known->advice ? WARN : OK, known->advice, "%s: %s", known->name,
		     known->text);
		return;
	}
	make_printable(signature);
	find(finding, OK, NULL, "'%s': " UNTRIED, signature);
}

/* --- What may end the program ------------------------------------------------- */

/* Returns the last message in a file, or @nothing if there is none. */
static const char *read_back(int fd, const char *nothing)
{
	static const char prefix[] = "ksymwatch: ";
	static char text[4096];
	ssize_t size = pread(fd, text, sizeof(text) - 1, 0);
	char *rest = text, *line;

	text[size > 0 ? size : 0] = '\0';
	while ((line = strtok_r(rest, "\n", &rest)))
		nothing = strncmp(line, prefix, strlen(prefix)) ? line : line + strlen(prefix);
	return nothing;
}

/*
 * Calls a function that may exit with a message on stderr, in another process with a file for
 * its messages. Returns the last one, or NULL if it did not exit.
 */
static const char *run_apart(void (*run)(void *data), void *data)
{
	int messages = memfd_create("messages", MFD_CLOEXEC), status = 0;
	const char *fault = NULL;
	pid_t pid;

	fflush(NULL);
	pid = messages < 0 ? -1 : fork();
	if (!pid) {
		dup2(messages, STDERR_FILENO);
		run(data);
		exit(STATUS_OK);
	}
	if (pid < 0)
		fault = strerror(errno);
	else if (waitpid(pid, &status, 0) != pid || status)
		fault = read_back(messages, "it ended early");
	if (messages >= 0)
		close(messages);
	return fault;
}

/* --- Types and values ------------------------------------------------------- */

static void check_btf(struct finding *finding)
{
	struct stat st;

	if (stat("/sys/kernel/btf/vmlinux", &st))
		find(finding, WARN, "build a kernel with CONFIG_DEBUG_INFO_BTF=y", "none: %s",
		     strerror(errno));
	else
		find(finding, OK, NULL, "/sys/kernel/btf/vmlinux, %lld bytes",
		     (long long)st.st_size);
}

static void open_debug_info(void *data __maybe_unused)
{
	types_debuginfo(NULL);
}

static void read_variables(void *data __maybe_unused)
{
	resolve_variables_from();
}

/* Reports a file of the user's that is refused, and goes on without it. */
static bool find_refused(struct finding *finding, const char **file, void (*read)(void *data))
{
	const char *fault = run_apart(read, NULL);

	if (fault) {
		find(finding, FAIL, "the checks below go on without it", "%s", fault);
		*file = NULL;
	}
	return fault;
}

static void check_debug_info(struct finding *finding)
{
	const struct debuginfo *info;
	static char *advice;

	if (find_refused(finding, &sources.vmlinux, open_debug_info))
		return;
	info = types_debuginfo(NULL);
	if (info) {
		find(finding, OK, NULL, "%s", info->path);
		return;
	}
	advice = xasprintf("install it (on Debian linux-image-%s-dbg) to leave out casts",
			   kernel()->release);
	find(finding, WARN, advice, "no vmlinux with debug information for %s", kernel()->release);
}

static void check_variables(struct finding *finding)
{
	const char *from;

	if (find_refused(finding, &sources.kallsyms, read_variables))
		return;
	/* Without addresses there are none, which has a row of its own. */
	from = shows_addresses() > 0 ? resolve_variables_from() : NULL;
	if (from)
		find(finding, OK, NULL, "in %s", from);
	else
		find(finding, WARN,
		     "install the kernel's debug info, or give --vmlinux or --kallsyms",
		     "/proc/kallsyms has functions only, or hides them");
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
		find(finding, OK, NULL, "programs can be loaded");
		close(fd);
		return;
	}
	find(finding, WARN, fd == -EPERM || fd == -EACCES ? RUN_AS_ROOT :
	     "build a kernel with CONFIG_BPF_SYSCALL=y to have values without the tracer",
	     "cannot load programs: %s", strerror(-fd));
}

static void check_programs(struct finding *finding)
{
	static const char * const names[] = { "trace-cmd", "kernelshark", "perf", "bpftool",
					      "gdb" };
	struct strings there __cleanup(strings_free) = {}, missing __cleanup(strings_free) = {};
	char *have __autofree = NULL, *lack __autofree = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		strings_add(program_exists(names[i]) ? &there : &missing, names[i]);
	have = there.nr ? strings_join(&there, ", ") : xstrdup("none");
	lack = strings_join(&missing, ", ");
	find(finding, OK, NULL, missing.nr ? "%s (not found: %s)" : "%s", have, lack);
}

/* --- The self-test ------------------------------------------------------------ */

/* The self-test makes a read and a write, through functions of sysctl. */
static void find_fired(struct finding *finding, const struct self_test *test)
{
	const char *advice = NULL;

	if (test->hits < 2)
		advice = "expected one hit for a read and one for a write: do not rely on it";
	else if (!test->by_sysctl)
		advice = "expected a function of sysctl: see kptr_restrict";
	find(finding, advice ? WARN : OK, advice,
	     "a watch on %s fired: r %u, w %u, ? %u, by %s; %s", test->symbol, test->reads,
	     test->writes, test->unknown,
	     *test->function ? test->function : "an unknown function",
	     test->has_values ? "the values are right" : "no values");
}

static void run_self_test(void *test)
{
	self_test_run(test);
}

static void check_self_test(struct finding *finding)
{
	struct self_test *test = mmap(NULL, sizeof(*test), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *fault = test == MAP_FAILED ? strerror(errno) : run_apart(run_self_test, test);

	if (fault)
		find(finding, FAIL, "see the checks above", "%s", fault);
	else if (!test->hits)
		find(finding, FAIL,
		     "the machine delivers no debug exceptions: try another hypervisor, or none",
		     "a watch on %s did not fire", test->symbol);
	else if (test->wrong_value)
		find(finding, FAIL, "this is a bug: report it with the kernel's release",
		     "a watch on %s fired with the value %#llx instead of %#llx", test->symbol,
		     test->got, test->value);
	else
		find_fired(finding, test);
	if (test != MAP_FAILED)
		munmap(test, sizeof(*test));
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

/* Prints a further line. */
static void print_more(const char *mark, const char *text)
{
	printf("%*s%s ", TEXT_COLUMN, "", mark);
	print_safe(stdout, text);
	putchar('\n');
}

static void print_finding(const struct check *check, const struct finding *finding)
{
	size_t i;

	printf("%-5s %-*s ", verdict_words[finding->verdict], TEXT_COLUMN - 7, check->name);
	print_safe(stdout, finding->text);
	putchar('\n');
	for (i = 0; i < finding->details.nr; i++)
		print_more("-", finding->details.text[i]);
	if (finding->advice)
		print_more("->", finding->advice);
}

static void print_finding_json(const struct check *check, const struct finding *finding)
{
	struct json json = { .out = stdout };

	json_open(&json, NULL, '{');
	json_text(&json, "type", "check");
	json_text(&json, "check", check->name);
	json_text(&json, "verdict", verdict_words[finding->verdict]);
	json_text(&json, "text", finding->text);
	json_strings(&json, "details", &finding->details);
	if (finding->advice)
		json_text(&json, "advice", finding->advice);
	json_close(&json, '}');
	json_end_line(&json);
}

static int doctor(const struct command *cmd, int argc, char **argv)
{
	enum verdict last = FAIL;
	size_t i;

	no_arguments(cmd, argc, argv);
	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		struct finding finding = {};

		checks[i].run(&finding);
		if (output_json)
			print_finding_json(&checks[i], &finding);
		else
			print_finding(&checks[i], &finding);
		last = finding.verdict;
		free(finding.text);
		strings_free(&finding.details);
	}
	/* The self-test is the last one. */
	if (!output_json)
		puts(last != FAIL ? "\nWatching works here." : geteuid() ?
		     "\nWatching needs root." : "\nWatching does not work here.");
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
		JSON_LINES_OPTION("check"),
		{}
	},
};
