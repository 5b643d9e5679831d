// SPDX-License-Identifier: GPL-2.0-only
/*
 * record --to: the client's side of the protocol of trace-cmd listen.
 *
 * This is its oldest version, which every trace-cmd supports, over TCP:
 *
 *	listener	"tracecmd"
 *	client		number of CPUs, page size, number of options, and for each option
 *			its length and text; as zero-terminated strings. The only option
 *			is TCP, since UDP loses hits
 *	listener	a port per CPU, separated by commas, and a zero
 *	client		connects to each port and sends the raw pages of the CPU
 *	client		sends the header of the trace.dat, up to the end of the stream
 *	listener	writes the file, and closes
 *
 * trace-cmd record -N uses UDP, does not report failures, and hides the command's exit
 * status.
 *
 * The order of the steps follows from the listener (3.1). It stops reading the header when
 * the connection of a CPU ends, so those stay open until the end. After the header it waits
 * one second for the pages and drops the rest, so the client first waits until all pages
 * have arrived. If the listener drops some anyway, the connection breaks, which the client
 * reports.
 *
 * The pages come in a memory file per CPU, so that the backend, which writes them there,
 * never blocks within a page. Sent parts of the file are freed.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/remote.h"
#include "lib/util.h"

/* Time for an answer, and for writing the file, which takes the listener at least 2 s. */
#define ANSWER_SECONDS	10
#define WRITTEN_SECONDS	120

/* Time without any page arriving before the connection counts as stuck. */
#define STUCK_MS	30000
#define LOOK_MS		10

/* The connections. */
static struct remote {
	const char	*address;	/* HOST:PORT, as the user wrote it */
	int		control;	/* the connection for the protocol */
	int		*cpu;		/* the connection of each CPU */
	off_t		*sent;		/* number of bytes sent of each CPU's pages */
	size_t		nr;		/* number of CPUs */
} remote;

/* Copies a file to a file or a socket, from @offset to its end; returns 0 or an errno. */
int transfer(int to, int from, off_t *offset)
{
	struct stat st;
	ssize_t ret;

	if (fstat(from, &st))
		return errno;
	while (*offset < st.st_size) {
		/* Some file systems share the blocks then, or copy on their server. */
		ret = copy_file_range(from, offset, to, NULL, st.st_size - *offset, 0);
		/* Not every file system does this, and no socket. */
		if (ret < 0 && errno != ENOSPC && errno != EINTR)
			ret = sendfile(to, from, offset, st.st_size - *offset);
		if (!ret)
			errno = EIO;
		if (ret <= 0 && errno != EINTR)
			return errno;
	}
	return 0;
}

/* Splits HOST:PORT; HOST may be [IPV6]. */
static bool split_address(const char *text, char host[NI_MAXHOST], char port[NI_MAXSERV])
{
	int end = 0;

	/* An IPv6 address without brackets is ambiguous. */
	if (sscanf(text, "[%1024[^]]]:%5[0-9]%n", host, port, &end) != 2)
		sscanf(text, "%1024[^][:]:%5[0-9]%n", host, port, &end);
	return end && !text[end] && atoi(port) > 0 && atoi(port) <= 65535;
}

/** remote_is_address - is this HOST:PORT, or [IPV6]:PORT? */
bool remote_is_address(const char *text)
{
	char host[NI_MAXHOST], port[NI_MAXSERV];

	return split_address(text, host, port);
}

static void set_timeouts(int fd, int seconds)
{
	const struct timeval timeout = { .tv_sec = seconds };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
}

/* Each of these errors may be a timeout. */
static const char *error_text(int error)
{
	if (error == EAGAIN || error == EINPROGRESS || error == ETIMEDOUT)
		return "no answer";
	return strerror(error);
}

/* Returns a connection, or -1 with errno. */
static int connect_to(const char *host, const char *port)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list, *p;
	int fd = -1, error;

	error = getaddrinfo(host, port, &hints, &list);
	if (error)
		die("%s: unknown host: %s", remote.address,
		    error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
	for (p = list; p && fd < 0; p = p->ai_next) {
		fd = socket(p->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			continue;
		set_timeouts(fd, ANSWER_SECONDS);
		if (!connect(fd, p->ai_addr, p->ai_addrlen))
			break;
		error = errno;
		close(fd);
		errno = error;
		fd = -1;
	}
	freeaddrinfo(list);
	return fd;
}

/* Sends the parameters and returns the list of ports, a new string. */
static char *negotiate(void)
{
	static const char greeting[] = "tracecmd", option[] = "TCP";
	FILE *in = fdopen(dup(remote.control), "r");
	char hello[sizeof(greeting)], *ports = NULL;
	size_t size = 0;
	ssize_t len;

	if (!in || !fgets(hello, sizeof(hello), in) || strcmp(hello, greeting))
		die("%s is not trace-cmd listen", remote.address);
	/* Each string ends with a zero, which the option's length includes. */
	dprintf(remote.control, "%zu%c%ld%c1%c%zu%c%s%c", remote.nr, 0, sysconf(_SC_PAGESIZE),
		0, 0, sizeof(option), 0, option, 0);
	len = getdelim(&ports, &size, '\0', in);
	if (len <= 0 || ports[len - 1])
		die("%s: trace-cmd listen refused the recording", remote.address);
	fclose(in);
	return ports;
}

/*
 * Returns a connection to the port of a CPU, or -1 with errno. trace-cmd names the port before
 * it listens there, in another process.
 */
static int connect_cpu(const char *host, const char *port)
{
	int waited, fd;

	for (waited = 0;; waited += LOOK_MS) {
		fd = connect_to(host, port);
		if (fd >= 0 || errno != ECONNREFUSED || waited >= ANSWER_SECONDS * 1000)
			return fd;
		poll(NULL, 0, LOOK_MS);
	}
}

/* Connects to the address that the listener has, if its name has several. */
static void connect_cpus(char *ports)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	char host[NI_MAXHOST], *port;
	size_t cpu;

	if (getpeername(remote.control, (struct sockaddr *)&addr, &len) ||
	    getnameinfo((struct sockaddr *)&addr, len, host, sizeof(host), NULL, 0,
			NI_NUMERICHOST))
		die("%s: %s", remote.address, strerror(errno));
	for (cpu = 0; cpu < remote.nr; cpu++) {
		port = strsep(&ports, ",");
		if (!port || !isdigit((unsigned char)*port))
			die("%s: trace-cmd listen names no port for CPU %zu", remote.address, cpu);
		remote.cpu[cpu] = connect_cpu(host, port);
		if (remote.cpu[cpu] < 0)
			die("%s: cannot connect to port %s of CPU %zu: %s", remote.address,
			    port, cpu, error_text(errno));
		/* A listener that takes nothing for a while is no error, and does not block. */
		fcntl(remote.cpu[cpu], F_SETFL, O_NONBLOCK);
	}
}

/** remote_open - connect to trace-cmd listen at HOST:PORT, or die */
void remote_open(const char *address, size_t nr_cpus)
{
	char host[NI_MAXHOST], port[NI_MAXSERV], *ports __autofree = NULL;

	remote = (struct remote) { .address = address, .nr = nr_cpus };
	if (!split_address(address, host, port))
		die("'%s' is not HOST:PORT", address);
	remote.cpu = xcalloc(nr_cpus, sizeof(*remote.cpu));
	remote.sent = xcalloc(nr_cpus, sizeof(*remote.sent));
	remote.control = connect_to(host, port);
	if (remote.control < 0)
		die("cannot connect to %s: %s (trace-cmd listen -p %s must run there)",
		    address, error_text(errno), port);
	ports = negotiate();
	connect_cpus(ports);
}

/**
 * remote_send - send what the memory file of each CPU got so far, as much as the listener takes
 * now; returns 0 or an errno
 */
int remote_send(const int *files)
{
	int error = 0;
	size_t cpu;

	for (cpu = 0; cpu < remote.nr && !error; cpu++) {
		error = transfer(remote.cpu[cpu], files[cpu], &remote.sent[cpu]);
		if (error == EAGAIN)
			error = 0;
		/* If this fails, the memory is freed at the end. */
		if (remote.sent[cpu])
			fallocate(files[cpu], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
				  remote.sent[cpu]);
	}
	return error;
}

/** remote_unsent - count the bytes that remote_send() has yet to send */
unsigned long long remote_unsent(const int *files)
{
	unsigned long long sum = 0;
	struct stat st;
	size_t cpu;

	for (cpu = 0; cpu < remote.nr; cpu++)
		if (!fstat(files[cpu], &st))
			sum += st.st_size - remote.sent[cpu];
	return sum;
}

/* Counts the bytes that have not arrived yet; returns an errno if a connection ended. */
static int count_on_the_way(unsigned long long *total)
{
	size_t cpu;
	char byte;
	int left;

	*total = 0;
	for (cpu = 0; cpu < remote.nr; cpu++) {
		/* The listener sends nothing here, so only an end can be read. */
		ssize_t got = recv(remote.cpu[cpu], &byte, 1, MSG_PEEK | MSG_DONTWAIT);

		if (got >= 0 || (errno != EAGAIN && errno != EINTR))
			return got >= 0 ? EPIPE : errno;
		if (!ioctl(remote.cpu[cpu], SIOCOUTQ, &left))
			*total += left;
	}
	return 0;
}

/* Sends the rest, and counts what has not arrived yet; returns 0 or an errno. */
static int send_rest(const int *files, unsigned long long *left)
{
	int error = remote_send(files);

	if (!error)
		error = count_on_the_way(left);
	if (!error)
		*left += remote_unsent(files);
	return error;
}

/* Sends the rest until all pages have arrived, or none do any more. */
static int send_pages(const int *files)
{
	unsigned long long left, before;
	int stuck = 0, error;

	error = send_rest(files, &left);
	while (!error && left && stuck < STUCK_MS) {
		before = left;
		poll(NULL, 0, LOOK_MS);
		error = send_rest(files, &left);
		stuck = left == before ? stuck + LOOK_MS : 0;
	}
	return error || !left ? error : ETIMEDOUT;
}

static int send_header(int header)
{
	off_t offset = 0;
	int error = transfer(remote.control, header, &offset);

	if (!error && shutdown(remote.control, SHUT_WR))
		error = errno;
	return error;
}

/* Waits until the listener closes a connection; returns 0 or an errno. */
static int wait_for_end(int fd)
{
	char text[64];
	ssize_t got;

	do {
		got = recv(fd, text, sizeof(text), 0);
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got ? errno : 0;
}

/**
 * remote_finish - send the rest and the header, and have the listener write the file. Returns
 * 0, or -1 after a message.
 */
int remote_finish(const int *files, int header)
{
	int error = send_pages(files) ?: send_header(header);
	size_t cpu;

	if (!error) {
		set_timeouts(remote.control, WRITTEN_SECONDS);
		error = wait_for_end(remote.control);
	}
	for (cpu = 0; cpu < remote.nr && !error; cpu++) {
		fcntl(remote.cpu[cpu], F_SETFL, 0);
		error = wait_for_end(remote.cpu[cpu]);
	}
	if (error)
		err("%s did not receive the whole recording: %s", remote.address,
		    error_text(error));
	for (cpu = 0; cpu < remote.nr; cpu++)
		close(remote.cpu[cpu]);
	close(remote.control);
	free(remote.cpu);
	free(remote.sent);
	return error ? -1 : 0;
}
