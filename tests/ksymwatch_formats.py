#!/usr/bin/env python3
"""Compares what ksymwatch made of recordings, in each format, with what trace-cmd reads.

A recording NAME has the files NAME.json, NAME.csv, NAME.perfetto and NAME.html, and NAME.raw
with the output of trace-cmd report -R -t. Prints a line of TAP, without a number, for each
test.
"""
import csv
import json
import re
import sys

from perfetto_trace import read_trace


def test(name, got, wanted):
    if got == wanted:
        print("ok -", name)
    else:
        print("not ok -", name, "wanted:", repr(wanted)[:1500], "got:", repr(got)[:1500])


def read_raw(path):
    """Returns the hits of trace-cmd: nanoseconds, CPU, event, old and new, access, length."""
    pattern = re.compile(rb"-(\d+) +\[(\d+)\]\S* +(\d+)\.(\d{9}): (panic|warn): +.* "
                         rb"old=(\w+) new=(\w+) access=(\d) torn=(\d) len=(\d+)")
    hits = []
    for line in open(path, "rb"):
        found = pattern.search(line)
        if found:
            pid, cpu, seconds, rest, name, old, new, access, torn, length = found.groups()
            hits.append((int(seconds + rest), int(cpu), int(pid), name.decode(), int(old, 16),
                         int(new, 16), int(access), int(torn), int(length)))
    return hits


ACCESS = {"?": 0, "r": 1, "w": 2, "rw": 3}


def short(watch):
    return watch.split("/")[-1]


def bits(hit, name):
    """Returns a value as the bytes that it has in memory."""
    return hit[name] & (1 << 8 * hit["len"]) - 1


def text(hit, name):
    """Returns a value as people read it."""
    return hit.get(name + "_text", hex(hit[name]))


def check_json(name, raw):
    lines = [json.loads(line) for line in open(name + ".json", encoding="utf-8")]
    hits = [line for line in lines if line["type"] == "hit"]
    test(name + ".json has trace-cmd's hits",
         [(h["time"], h["cpu"], h["pid"], short(h["watch"]), bits(h, "old"),
           bits(h, "new"), ACCESS[h["access"]], h["torn"], h["len"]) for h in hits], raw)
    summary = lines[-1]
    test(name + ".json ends with their sum", (summary["type"], summary["hits"]),
         ("summary", len(raw)))
    test(name + ".json has them by function",
         sum(line["hits"] for line in summary["functions"]), len(raw))
    return lines, hits


def check_csv(name, hits):
    with open(name + ".csv", newline="", encoding="utf-8") as file:
        text = file.read()
    test(name + ".csv has the lines of RFC 4180",
         text.count("\r\n") == text.count("\n") and text.endswith("\r\n"), True)
    rows = list(csv.DictReader(text.splitlines(), strict=True))
    wanted = [[str(h["time"]), str(h["cpu"]), str(h["pid"]), h["watch"], h["access"],
               str(h["len"]), h["addr"], h["ip"], h["function"] + "+" + hex(h["offset"]),
               str(h["old"]), str(h["new"]), h.get("old_text", ""), h.get("new_text", ""),
               ";".join(f["function"] + "+" + hex(f["offset"]) for f in h.get("stack", []))]
              for h in hits]
    columns = ["time", "cpu", "pid", "watch", "access", "len", "addr", "ip", "function",
               "old", "new", "old_text", "new_text", "stack"]
    test(name + ".csv says the same", [[row[column] for column in columns] for row in rows],
         wanted)
    return rows


def check_perfetto(name, hits):
    events, counters, tracks = read_trace(name + ".perfetto")
    instants = [e for e in events if "old" in e["args"]]
    test(name + ".perfetto has the values as counters", counters,
         [(h["watch"], h["time"], h["new"]) for h in hits])
    test(name + ".perfetto has an event for each hit",
         [(e["name"], e["cat"], e["ts"], e["thread"].tid, e["args"]["task"],
           e["args"]["cpu"], e["args"]["function"], e["args"]["access"], str(e["args"]["old"]),
           str(e["args"]["new"]), e["args"].get("torn", False), e["args"].get("args"),
           len(e["args"].get("stack", []))) for e in instants],
         [(h["watch"] + " " + h["access"], [h["watch"]], h["time"], h["pid"], h["comm"],
           h["cpu"], h["function"], h["access"], text(h, "old"), text(h, "new"), h["torn"],
           h.get("args"), len(h.get("stack", []))) for h in hits])
    test(name + ".perfetto names the tasks",
         {e["thread"].thread_name for e in instants} |
         {t.process.process_name for t in tracks.values() if t.HasField("process")},
         {h["comm"] for h in hits} | {"watched values"})
    test(name + ".perfetto has its events in order",
         [e["ts"] for e in events] == sorted(e["ts"] for e in events), True)
    return events


def read_page(name):
    with open(name + ".html", encoding="utf-8") as file:
        page = file.read()
    return page, json.loads(re.search(
        r'<script type="application/json" id="hits">(.*?)</script>', page, re.S).group(1))


def check_page(name, hits):
    page, data = read_page(name)
    first = hits[0]["time"]
    test(name + ".html has the hits", (data["start"], list(zip(
        data["time"], [data["tracks"][n] for n in data["track"]], data["cpu"],
        [data["tasks"][n] for n in data["task"]],
        [data["functions"][n] for n in data["function"]], data["access"]))),
        (str(first), [(h["time"] - first, h["watch"], h["cpu"],
                       "%s-%d" % (h["comm"], h["pid"]), h["function"], ACCESS[h["access"]])
                      for h in hits]))
    texts = data["texts"]
    test(name + ".html has the values",
         [(texts[o] if o >= 0 else hex(v), texts[n] if n >= 0 else hex(w)) for v, w, o, n in
          zip(data["old"], data["new"], data["oldText"], data["newText"])],
         [(text(h, "old"), text(h, "new")) for h in hits])
    test(name + ".html has one end of its data", page.count("</script>"), 2)
    test(name + ".html names nothing outside of it",
         re.findall(r"(?:https?:|//[a-z]|src=|href=|url\()", page.replace(data["title"], "")),
         [])


def check_buckets(name, most):
    """Tests the page of a recording with so many hits that they are counted."""
    page, data = read_page(name)
    with open(name + ".json", encoding="utf-8") as file:
        hits = [h for h in map(json.loads, file) if h["type"] == "hit"]
    first, width = hits[0]["time"], data["counts"]["width"]
    test("the page of many hits is small", len(page) < most, True)

    shown, counts, buckets = [], {}, {}
    for number, hit in enumerate(hits):
        bucket = (hit["time"] - first) // width
        buckets.setdefault((bucket, hit["watch"]), []).append(number)
    for numbers in buckets.values():
        shown += {min(numbers, key=lambda n: hits[n]["new"]),
                  max(numbers, key=lambda n: hits[n]["new"]), numbers[-1]}
    shown.sort()
    test("it has the lowest, the highest and the last value of each time",
         [(t, data["tracks"][n], data["functions"][f]) for t, n, f in
          zip(data["time"], data["track"], data["function"])],
         [(hits[n]["time"] - first, hits[n]["watch"], hits[n]["function"]) for n in shown])
    test("with their texts", {data["texts"][n] for n in data["newText"] if n >= 0},
         {hits[n]["new_text"] for n in shown if "new_text" in hits[n]})
    keys = {"track": lambda h: h["watch"], "cpu": lambda h: h["cpu"],
            "task": lambda h: "%s-%d" % (h["comm"], h["pid"]),
            "function": lambda h: h["function"]}
    for number in set(range(len(hits))) - set(shown):
        hit = hits[number]
        for key, name_of in keys.items():
            what = (key, (hit["time"] - first) // width, name_of(hit),
                    2 * ACCESS[hit["access"]] + (hit["old"] != hit["new"]))
            counts[what] = counts.get(what, 0) + 1
    got = {}
    for key in keys:
        names = data.get(key + "s", range(100))
        numbers = data["counts"][key][1:]
        got.update({(key, numbers[i], names[numbers[i + 1]], numbers[i + 2]): numbers[i + 3]
                    for i in range(0, len(numbers), 4)})
    test("and counts of the others", got, counts)


def main():
    for name in sys.argv[1:]:
        raw = read_raw(name + ".raw")
        test("trace-cmd reads " + name + ".dat", bool(raw), True)
        lines, hits = check_json(name, raw)
        rows = check_csv(name, hits)
        events = check_perfetto(name, hits)
        check_page(name, hits)
        if name == "hits":
            check_hits(lines, hits, rows, events)
        else:
            lost = [(line["type"], line["lost"]) for line in lines if line["type"] == "lost"]
            test("JSON reports lost hits", set(lost), {("lost", None)})
            test("also in its summary", lines[-1]["lost_more"], True)


def check_hits(lines, hits, rows, events):
    """Tests what only the recording with all options has."""
    comm = "</script><b>\x1b\ufffd"
    test("the name of a task is not changed", {h["comm"] for h in hits}, {comm})
    test("values by type", [(h.get("old_text"), h.get("new_text")) for h in hits],
         [("-1", "5"), ("5", "5"), ("5", "5"), ("5", "-1"), (None, None)])
    test("and as numbers", [(h["old"], h["new"]) for h in hits],
         [(-1, 5), (5, 5), (5, 5), (5, -1), (0, 1)])
    test("fetch arguments in JSON", hits[4]["args"],
         {"c": comm, "n": -3, "s": "panic_on_warn+0x0", "a": "{0x1,0x0,0x0,0x0}"})
    test("and in CSV, without control characters", rows[4]["args"],
         "c=</script><b>?? n=-3 s=panic_on_warn+0x0 a={0x1,0x0,0x0,0x0}")
    test("symbols", [h["symbol"] for h in hits], ["panic_timeout"] * 4 + ["panic_on_warn"])
    stacks = [h["stack"] for h in hits[:4]]
    test("stacks begin with the hit's function",
         [(s[0]["function"], s[0]["addr"]) for s in stacks],
         [(h["function"], h["ip"]) for h in hits[:4]])
    test("user stacks come after their hits", [line["type"] for line in lines],
         ["hit", "user_stack"] * 4 + ["hit", "summary"])
    user = [line for line in lines if line["type"] == "user_stack"]
    functions = [line["stack"][0]["function"].strip("_") for line in user]
    # Debian 13's libc makes each system call in one function.
    cancel = "internal_syscall_cancel"
    test("and have functions", functions,
         [cancel] * 4 if cancel in functions else ["write", "write", "read", "write"])
    test("Perfetto has them, too",
         [e["args"]["stack"] for e in events if e["name"] == "user stack"],
         [[f'{frame["function"]}+{hex(frame["offset"])} ({frame["object"]})'
           for frame in line["stack"]] for line in user])


main()
check_buckets("many", 3000000)

with open("out/livejson", encoding="utf-8") as live:
    shown = [json.loads(line) for line in live]
test("live --json", [(line["type"], line.get("watch"), line.get("new")) for line in shown][-2:],
     [("hit", "panic", 10), ("summary", None, None)])
with open("out/list.json", encoding="utf-8") as file:
    watches = [json.loads(line) for line in file]
test("list --json", [[w["type"], w["name"], w["target"], w["access"], w["len"], w["flexible"],
                      w["inherit"], w["cpus"], w["pid"], w["state"], w["instances"]]
                     for w in watches],
     [["watch", "panic", "panic_timeout", "w", 4, False, False, None, None, [], []],
      ["watch", "jiffies", "jiffies", "w", 8, True, False, "1", None, [], ["top"]],
      ["watch", "total_forks", "total_forks", "w", 8, False, True, None, 1, [], ["top"]]])
test("with their counters", [watches[0]["hits"], watches[0]["changes"],
                                set(watches[0]["missed"].values()), watches[0]["coverage"]],
     [3, 2, {0}, 1.0])
with open("out/slots.json", encoding="utf-8") as file:
    slots = [json.loads(line) for line in file]
test("slots --json", [[s["type"], s["cpu"], s["free"], set(s["holders"])] for s in slots],
     [["slots", 0, 2, {"panic", None}], ["slots", 1, 2, {"panic", "jiffies", None}]])
