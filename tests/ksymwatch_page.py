#!/usr/bin/env python3
"""Opens pages that ksymwatch plot wrote in a headless Chromium, and uses them.

The first page has the hits of a recording, the second counts of most of its hits.

Prints a line of TAP, without a number, for each test. The browser is driven by way of
chromedriver, which speaks HTTP.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

HITS = 100000


def test(name, got, wanted):
    if got == wanted:
        print("ok -", name)
    else:
        print("not ok -", name, "wanted:", repr(wanted)[:1000], "got:", repr(got)[:1000])


class Browser:
    """A browser with a page; see https://www.w3.org/TR/webdriver2/ for the commands."""

    def __init__(self, folder):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                break
        self.base = "http://127.0.0.1:%s/session" % found.group(1)
        # Without a proxy.
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        options = {
            "args": ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                     "--no-first-run", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync", "--disable-extensions",
                     "--disable-dev-shm-usage", "--user-data-dir=" + folder,
                     "--window-size=1200,900", "--force-device-scale-factor=1"],
            "perfLoggingPrefs": {"enableNetwork": True, "enablePage": False},
        }
        session = self.ask("", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.base += "/" + session["sessionId"]

    def ask(self, path, data=None, method="POST"):
        request = urllib.request.Request(
            self.base + path, method=method,
            data=json.dumps(data).encode() if data is not None else None,
            headers={"Content-Type": "application/json"})
        with self.opener.open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def run(self, script):
        return self.ask("/execute/sync", {"script": script, "args": []})

    def wait_until(self, script):
        end = time.monotonic() + 20
        while not self.run(script):
            if time.monotonic() > end:
                return False
        return True

    def pointer(self, *actions):
        self.ask("/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [{"type": kind, "button": 0} if kind != "pointerMove" else
                        {"type": kind, "x": x, "y": y, "duration": 0}
                        for kind, x, y in actions]}]})

    def key(self, key):
        self.ask("/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def log(self, kind):
        return self.ask("/se/log", {"type": kind})

    def close(self):
        try:
            self.ask("", method="DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait()


# The place of a hit of a chart on the screen.
PLACE = """const chart = charts[%d], hit = %d, box = chart.canvas.getBoundingClientRect();
return [Math.round(box.left + chart.x(data.time[chart.track.hits[hit]])),
        Math.round(box.top + chart.y(chart.track.values[hit]))];"""

BARS = """return Object.fromEntries(["functions", "cpus", "tasks"].map(id => [id,
    [...document.getElementById(id).querySelectorAll(".bar")].map(bar =>
        [bar.querySelector(".name").textContent, +bar.dataset.count])]));"""

TIP = "return document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText;"


def bars_of(data):
    """Returns the expected bars: the most hits first."""
    def count(column, name):
        counts = {}
        for value in data[column]:
            counts[name(value)] = counts.get(name(value), 0) + 1
        return sorted(counts.items(), key=lambda item: -item[1])
    return {"functions": [list(i) for i in count("function", lambda n: data["functions"][n])],
            "cpus": [list(i) for i in count("cpu", lambda n: "CPU %d" % n)],
            "tasks": [list(i) for i in count("task", lambda n: data["tasks"][n])]}


def check_page(browser, url, data):
    browser.ask("/url", {"url": url})
    test("the title of the page is the name of the file", browser.ask("/title", method="GET"),
         data["title"] + " – ksymwatch")
    test("it has a chart for each variable, with its hits",
         browser.run("return charts.map(c => [c.track.name, +c.canvas.dataset.hits,"
                     " +c.canvas.dataset.points]);"),
         [[name, data["track"].count(n), data["track"].count(n)]
          for n, name in enumerate(data["tracks"])])
    test("something is drawn", browser.run(
        "const c = charts[0].canvas, p = c.getContext('2d').getImageData(0, 0, c.width,"
        " c.height).data; return p.filter((x, i) => i % 4 === 3 && x).length > 500;"), True)
    bars = browser.run(BARS)
    test("and bars with their numbers", {id: sorted(rows) for id, rows in bars.items()},
         {id: sorted(rows) for id, rows in bars_of(data).items()})
    test("names of tasks are not HTML", [browser.run("return document.querySelectorAll('b').length;"),
                                   bars["tasks"][0][0]], [0, data["tasks"][0]])

    # The last hit of the first variable: 5 -> -1.
    x, y = browser.run(PLACE % (0, 3))
    browser.pointer(("pointerMove", x + 1, y + 1))
    test("a tooltip appears at the pointer", browser.wait_until(
        "return !document.getElementById('tip').hidden;"), True)
    tip = " ".join(browser.run(TIP).split())
    hit = data["time"][[i for i, t in enumerate(data["track"]) if t == 0][3]]
    when = int(data["start"]) + hit
    test("with the details of the hit", re.sub(r" task .* CPU", " task NAME CPU", tip),
         "kstrtoint access write value 5 → -1 task NAME CPU %d time %d.%09d s" %
         (data["cpu"][3], when // 10**9, when % 10**9))
    test("where the name of the task is not HTML", [data["tasks"][0] in tip.replace(" CPU", "\nCPU") or
                                "</script><b>" in tip,
                                browser.run("return document.querySelectorAll('#tip *').length;")],
         [True, 12])
    browser.pointer(("pointerMove", 5, 5))
    test("and none where no hit is", browser.wait_until(
        "return document.getElementById('tip').hidden;"), True)
    place = browser.run("const b = document.querySelector('#functions .bar')"
                        ".getBoundingClientRect(); scrollTo(0, b.top); const c = "
                        "document.querySelector('#functions .bar').getBoundingClientRect();"
                        "return [Math.round(c.left + 9), Math.round(c.top + 5)];")
    browser.pointer(("pointerMove", *place))
    test("a bar has a tooltip, too", browser.wait_until(
        "return document.getElementById('tip').innerText.includes('changes');"), True)
    browser.run("scrollTo(0, 0);")

    # Zoom in: from before the second hit to after the third one.
    (x1, y1), (x2, _) = browser.run(PLACE % (0, 1)), browser.run(PLACE % (0, 2))
    browser.pointer(("pointerMove", x1 - 3, y1), ("pointerDown", 0, 0),
                    ("pointerMove", x2 + 3, y1), ("pointerUp", 0, 0))
    test("dragging zooms in", browser.wait_until(
        "return charts[0].canvas.dataset.visible === '2';"), True)
    test("the bars count the visible hits", browser.run(BARS)["functions"],
         [["kstrtoint", 1], ["param_get_int", 1]])
    browser.run("document.getElementById('all').click();")
    test("and a button shows all again", browser.wait_until(
        "return charts[0].canvas.dataset.visible === '%d' && "
        "document.getElementById('all').disabled;" % data["track"].count(0)), True)
    browser.run("charts[0].canvas.focus();")
    for _ in range(data["track"].count(0)):
        browser.key("\ue012")
    test("the arrow keys go from hit to hit", browser.wait_until(
        "return document.getElementById('tip').innerText.includes('-1 → 5');"), True)


def check_many(browser, url):
    browser.ask("/url", {"url": url})
    test("the page takes a hundred thousand hits", browser.run(
        "return [charts[0].canvas.dataset.visible, document.querySelector('#functions .bar')"
        ".dataset.count, +charts[0].canvas.dataset.points < 4 * charts[0].width,"
        "document.getElementById('sum').textContent.split(' ')[0]];"),
        [str(HITS), str(HITS), True, "100,000"])
    test("and draws no more than can be seen", browser.run(
        "let calls = 0; const context = CanvasRenderingContext2D.prototype;"
        "for (const name of ['moveTo', 'lineTo', 'rect', 'fillRect', 'arc']) {"
        "  const draw = context[name];"
        "  context[name] = function(...args) { calls++; return draw.apply(this, args); };"
        "}"
        "show();"
        "return [calls > 0, calls < 10 * charts.length * charts[0].width];"),
        [True, True])
    x, y = browser.run(PLACE % (0, HITS // 2))
    browser.pointer(("pointerMove", x, y))
    test("with a tooltip", browser.wait_until(
        "return !document.getElementById('tip').hidden;"), True)


def check_buckets(browser, url):
    browser.ask("/url", {"url": url})
    hits, bars = browser.run("return data.hits;"), browser.run(BARS)
    test("counted hits are in the charts and bars",
         [browser.run("return charts.reduce((sum, c) => sum + +c.canvas.dataset.visible, 0);")] +
         [sum(nr for _, nr in rows) for rows in (bars["functions"], bars["cpus"])],
         [hits, hits, hits])
    test("the page says that there are counts", browser.run(
        "return document.getElementById('sum').textContent.includes('the others counted');"), True)
    browser.run("setRange([0, last / 2]); show();")
    half = browser.run("return charts.reduce((sum, c) => sum + +c.canvas.dataset.visible, 0);")
    test("about half of them are in half of the time", abs(half - hits / 2) < hits / 100, True)
    test("and in its bars", sum(nr for _, nr in browser.run(BARS)["functions"]), half)


def check_profile(browser, url):
    """Tests the page of ksymwatch profile."""
    browser.ask("/url", {"url": url})
    rows = """return [...document.querySelectorAll("#%s tr")].slice(1).map(row =>
        [...row.querySelectorAll("td")].map(cell => cell.innerText));"""
    fields = browser.run("return fields;")
    used = [f for f in fields if f["hits"]]
    shown = browser.run(rows % "fields")
    test("a profile has the fields that were hit", [[r[0], r[2], r[3]] for r in shown],
         [[str(f["offset"]), ", ".join(f["names"]), str(f["hits"])] for f in used])
    test("and their functions", [r[8].split(" ")[0] for r in shown],
         [f["functions"][0]["function"] for f in used])
    browser.run("[...document.querySelectorAll('th button')].find(b => b.textContent === 'hits').click();")
    hits = [int(r[3]) for r in browser.run(rows % "fields")]
    test("which a click sorts", hits, sorted(hits, reverse=True))
    lines = browser.run(rows % "lines")
    in_lines = sum(int(r[1]) for r in lines)
    test("the cache lines have the same hits", in_lines >= sum(hits) > 0, True)
    test("which are those of the object", browser.run("""return document.querySelector("p").textContent
        .startsWith(`${profile.size} bytes, %d hits`);""" % in_lines), True)
    test("and there is a line for each of its bytes", browser.run(
        "return lines.length - Math.ceil((profile.lead + profile.size) / 64);"), 0)
    browser.run("document.getElementById('all').click();")
    test("the others are shown if wanted", len(browser.run(rows % "fields")), len(fields))
    test("the bytes of a cache line have a colour", browser.run(
        "return [...document.querySelectorAll('.bytes span')].some(s => s.style.background);"), True)


def check_rest(browser, urls):
    back = "return getComputedStyle(document.body).backgroundColor;"
    colours = []
    for scheme in ("light", "dark"):
        browser.ask("/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]}})
        colours.append(browser.run(back))
    test("it is dark if the browser prefers that", len(set(colours)), 2)
    test("the console has no messages", browser.log("browser"), [])
    requests = set()
    for entry in browser.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            requests.add(message["params"]["request"]["url"])
    # The browser loads parts of its own first page.
    test("the page sends no requests",
         sorted(url for url in requests if not url.startswith(("chrome:", "data:"))),
         sorted(urls))
    test("and its policy forbids them", browser.ask("/execute/async", {"args": [], "script": """
        const done = arguments[0];
        document.addEventListener("securitypolicyviolation", event => done(event.effectiveDirective));
        fetch("http://127.0.0.1:9/").then(() => done("fetched"), () => {});"""}), "connect-src")


def main():
    path = os.path.abspath(sys.argv[1])
    with open(path, encoding="utf-8") as file:
        before, data, after = re.split(r'(?<=id="hits">)(.*?)(?=</script>)', file.read(),
                                      maxsplit=1, flags=re.S)
    data = json.loads(data)
    many = dict(data, hits=HITS, time=[1000 * i for i in range(HITS)], track=[0] * HITS,
                tracks=["many"], cpu=[i % 2 for i in range(HITS)], task=[0] * HITS,
                function=[0] * HITS, access=[2] * HITS, oldText=[-1] * HITS,
                newText=[-1] * HITS, old=[i * i % 997 for i in range(HITS)],
                new=[(i + 1) ** 2 % 997 for i in range(HITS)])
    folder = tempfile.mkdtemp()
    many_path = os.path.join(folder, "many.html")
    with open(many_path, "w", encoding="utf-8") as file:
        file.write(before + json.dumps(many).replace("<", "\\u003c") + after)
    urls = ["file://" + path, "file://" + many_path, *("file://" + os.path.abspath(arg) for arg in sys.argv[2:])]
    browser = Browser(os.path.join(folder, "profile"))
    try:
        check_page(browser, urls[0], data)
        check_many(browser, urls[1])
        check_buckets(browser, urls[2])
        check_profile(browser, urls[3])
        check_rest(browser, urls)
    finally:
        browser.close()
        shutil.rmtree(folder, ignore_errors=True)


main()
