#!/usr/bin/env python3
"""Writes a trace.dat with generated hits: recording.py FILE HITS [SYMBOLS [PAGE [OBJECTS]]]

The file has version 6 of trace-cmd's format, and the pages, events and types of a recording
of the tracer on four CPUs: a counter with a type, flags, a pointer and a variable without a
type, hit by eight functions and forty tasks. There are as many symbols as in a kernel, unless
SYMBOLS says how many. A page has 4096 bytes, or PAGE. Each variable is one of OBJECTS (1).
"""
import struct
import sys

CPUS = 4
PAGE = int((sys.argv + [4096] * 2)[4])
OBJECTS = int((sys.argv + [1] * 3)[5])
TEXT = 0xffffffff81000000
DATA = 0xffffffff82000000
FIRST_TASK = 1000
TASKS = 40
FUNCTIONS = 8
HEADER_PAGE = b"""\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:%d;\tsigned:0;
""" % (PAGE - 16)
HEADER_EVENT = b"""# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
"""
COMMON = [("unsigned short common_type", 0, 2, 0), ("unsigned char common_flags", 2, 1, 0),
          ("unsigned char common_preempt_count", 3, 1, 0), ("int common_pid", 4, 4, 1)]
PRINT = [("unsigned long ip", 8, 8, 0), ("char buf[]", 16, 0, 0)]
HIT = [("u64 ip", 8, 8, 0), ("u64 addr", 16, 8, 0), ("u64 old", 24, 8, 0), ("u64 new", 32, 8, 0),
       ("u8 access", 40, 1, 0), ("u8 torn", 41, 1, 0), ("u16 len", 42, 2, 0)]
HIT_PRINT = ('"%s%u %pS 0x%llx -> 0x%llx by %pS%s", __print_symbolic(REC->access, { 0, "?" }, '
             '{ 1, "r" }, { 2, "w" }, { 3, "rw" }), REC->len, (void *)REC->addr, REC->old, '
             'REC->new, (void *)REC->ip, __print_symbolic(REC->torn, { 0, "" }, { 1, " torn" })')
PRINT_TYPE = 5
FIRST_WATCH = 1100
# What is watched: the name, the type as ksymwatch notes it, the length, and the value after
# a number of hits.
WATCHES = [
    ("counter", b"s4", 4, lambda n: n - 1000 & 0xffffffff),
    ("state", b"f4(READY=1,BUSY=2,DONE=4,FAILED=8)", 4, lambda n: n & 15),
    ("pointer", b"p8", 8, lambda n: DATA + 0x10000 + n * 7 % 1000 * 192),
    ("plain", None, 8, lambda n: n * 0x9e3779b97f4a7c15 & 0xffffffffffffffff),
]


def event_format(name, number, fields, text):
    """Returns the format file of an event."""
    def lines(some):
        return "".join("\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % f for f in some)
    return ("name: %s\nID: %d\nformat:\n%s\n%s\nprint fmt: %s\n" %
            (name, number, lines(COMMON), lines(fields), text)).encode()


class Pages:
    """The pages of a CPU."""
    def __init__(self):
        self.pages = []
        self.records = []
        self.size = 0
        self.time = self.start = 0

    def flush(self):
        if self.records:
            data = struct.pack("<QQ", self.start, self.size) + b"".join(self.records)
            self.pages.append(data.ljust(PAGE, b"\0"))
        self.records = []
        self.size = 0

    def add(self, time, record):
        record += b"\0" * (-len(record) % 4)
        if self.size + 4 + len(record) > PAGE - 16:
            self.flush()
        if not self.records:
            self.start = self.time = time
        self.records.append(struct.pack("<I", time - self.time << 5 | len(record) // 4) + record)
        self.size += 4 + len(record)
        self.time = time


def make_pages(hits):
    """Returns the pages of each CPU."""
    cpus = [Pages() for _ in range(CPUS)]
    time = 100 * 10**9
    for name, kind, _, _ in WATCHES:
        if kind:
            cpus[0].add(time, struct.pack("<HBBiQ", PRINT_TYPE, 0, 0, FIRST_TASK, TEXT) +
                        b"ksymwatch: %s %s\n\0" % (name.encode(), kind))
    pack = struct.Struct("<HBBiQQQQBBH").pack
    for n in range(hits):
        which = n * 5 // 7 % len(WATCHES)
        _, _, length, value = WATCHES[which]
        time += 700 + n % 97
        access = 1 if n % 5 == 0 else 2
        cpus[n // 3 % CPUS].add(time, pack(
            FIRST_WATCH + which, 0, 0, FIRST_TASK + n // 11 % TASKS,
            TEXT + (1 + n % FUNCTIONS) * 0x4000 + 0x25, DATA + which * 256 + n % OBJECTS * 1024,
            value(n), value(n + (access == 2)), access, n % 1009 == 0, length))
    for cpu in cpus:
        cpu.flush()
    return [b"".join(cpu.pages) for cpu in cpus]


def sized(data, size="<Q"):
    return struct.pack(size, len(data)) + data


def write(path, hits, nr_symbols):
    watches = [event_format(w[0], FIRST_WATCH + i, HIT, HIT_PRINT) for i, w in enumerate(WATCHES)]
    symbols = ["%x T function_number_%d\n" % (TEXT + i * 256, i) for i in range(nr_symbols)]
    symbols += ["%x D %s\n" % (DATA + i * 256, w[0]) for i, w in enumerate(WATCHES)]
    comms = "".join("%d worker/%d:%d\n" % (FIRST_TASK + i, i % CPUS, i) for i in range(TASKS))
    head = b"\x17\x08\x44tracing6\0" + struct.pack("<BBI", 0, 8, PAGE)
    head += b"header_page\0" + sized(HEADER_PAGE) + b"header_event\0" + sized(HEADER_EVENT)
    head += struct.pack("<I", 1) + sized(event_format("print", PRINT_TYPE, PRINT,
                                                      '"%ps: %s", (void *)REC->ip, REC->buf'))
    head += struct.pack("<I", 1) + b"ksym\0" + struct.pack("<I", len(watches))
    head += b"".join(map(sized, watches)) + sized("".join(symbols).encode(), "<I")
    head += sized(b"", "<I") + sized(comms.encode()) + struct.pack("<I", CPUS)
    head += b"options  \0\0\0flyrecord\0"
    pages = make_pages(hits)
    place = -(-(len(head) + 16 * CPUS) // PAGE) * PAGE
    with open(path, "wb") as file:
        offset = place
        for data in pages:
            head += struct.pack("<QQ", offset, len(data))
            offset += len(data)
        file.write(head.ljust(place, b"\0"))
        for data in pages:
            file.write(data)


write(sys.argv[1], int(sys.argv[2]), int((sys.argv + [50000])[3]))
