#!/usr/bin/env python3
"""Edits the queue in the web remote with a finger, a mouse and a keyboard, in a real Chromium, and compares the effect with the server's queue.

usage: queue_page.py URL FOLDER [--screenshots FOLDER]

FOLDER is a media root with at least four files. Prints one JSON object: {"ok", "checks": [{"name", "ok", "detail"}], "figures"}.
Exit status 0 if every check passed.
"""
import argparse
import json
import pathlib
import sys
import time
import traceback
import urllib.request

from browsing import DESK, PHONE, WATCH_LIVE, barriers, complaints, open_browser, open_page, surplus_width, until

PATIENCE = 20
TITLES = ["Salt", "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>", "أغنية طويلة 🎵",
          "Long title " * 30, "Five", "Six", "Seven", "Eight", "Nine", "Ten"]
# The largest number of elements in the document, and the largest processor time of the page for one step of a scroll, which shows a whole page of
# other rows, and for "next". The time depends on the machine and on what else it does, so its unit is that of a fixed piece of work in the same page
# (`UNIT`), measured before and after: 1.3 and 3 to 4 units, also beside a build. The longest task, which depends on the order in which the system runs
# programs, is only a figure.
MOST_NODES = 500
MOST_SCROLL, MOST_NEXT = 2.5, 8

FOCUSED_TITLE = "document.activeElement.querySelector('.queue-title')?.textContent"
STEPS = 40
# Makes, lays out and removes as many rows as two pages of the list have.
UNIT = """async (rounds) => {
  for (let round = 0; round < rounds; round += 1) {
    const box = document.body.appendChild(document.createElement('div'));
    box.style.cssText = 'position: fixed; inset: 0; overflow: auto; visibility: hidden';
    for (let row = 0; row < 32; row += 1) {
      const line = box.appendChild(document.createElement('div'));
      for (let part = 0; part < 8; part += 1) line.appendChild(document.createElement('button')).textContent = `Part ${part} of ${row}`;
    }
    box.scrollTop = box.scrollHeight;
    box.remove();
    await new Promise(resolve => setTimeout(resolve, 32));
  }
}"""
# Scrolls by a page of rows in each step, sometimes far, and returns the largest number of elements. One call, because those of a debugger cost more
# processor time than the page.
SCROLL = """async (steps) => {
  const list = document.querySelector('.queue-view .virtual-list');
  let most = 0;
  for (let step = 0; step < steps; step += 1) {
    list.scrollTop += step % 10 === 9 ? 90000 : 900;
    await new Promise(resolve => setTimeout(resolve, 32));
    most = Math.max(most, document.getElementsByTagName('*').length);
  }
  return most;
}"""
WATCH_TASKS = """() => {
  window.tasks = [];
  new PerformanceObserver(list => window.tasks.push(...list.getEntries().map(({duration}) => duration))).observe({type: 'longtask', buffered: false});
}"""


def check(condition, detail):
    if not condition:
        raise AssertionError(detail)


class Server:
    """Another remote: requests without the page."""

    def __init__(self, url):
        self.base = url + "api/v1/"

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        fields = {"Content-Type": "application/json", "Tonearm-Client": "kitchen"}
        with urllib.request.urlopen(urllib.request.Request(self.base + path, data, fields, method=method), timeout=30) as response:
            text = response.read()
        return json.loads(text) if text else None

    def ids(self):
        return [entry["id"] for entry in self.ask("GET", "queue")["entries"]]

    def fill(self, files, titles, **more):
        entries = [{"url": files[index % len(files)], **({"title": title} if title else {})} for index, title in enumerate(titles)]
        return self.ask("PUT", "queue", {"entries": entries, "startIndex": 0, "play": False, **more})


class Checks:
    """Each method is one check, named by its docstring. They run in order, on one page of a phone and one of a desk."""

    def __init__(self, phone, desk, options):
        self.phone, self.desk, self.options = phone, desk, options
        self.server = Server(options.url)
        self.files = [str(path) for path in sorted(pathlib.Path(options.folder).iterdir())]
        self.figures = {}
        self.sent = []
        for page in (phone, desk):
            page.on("request", lambda request: request.method != "GET" and self.sent.append(request.url.split("/api/v1/")[-1]))
            page.on("websocket", self.watch_socket)

    def watch_socket(self, socket):
        def sent(text):
            command = json.loads(text).get("command", "")
            if not command.startswith("get"):
                self.sent.append(command)
        socket.on("framesent", sent)

    def until(self, what, condition):
        until(self.phone, what, condition, PATIENCE)

    def check_sent(self, count):
        """Fails unless the pages have sent this number of requests that change something."""
        self.phone.wait_for_timeout(100)
        check(len(self.sent) == count, self.sent)

    def row(self, page, title):
        return page.locator(".queue-row").filter(has=page.locator(".queue-title", has_text=title))

    def shown(self, page):
        """The titles of the visible rows, from top to bottom."""
        return page.locator(".queue-row").evaluate_all("""rows => rows.filter(row => row.getBoundingClientRect().height > 0)
          .sort((a, b) => a.ariaPosInSet - b.ariaPosInSet).map(row => row.querySelector('.queue-title').textContent)""")

    def refill(self, titles=TITLES, **more):
        queue = self.server.fill(self.files, titles, **more)
        for page in (self.phone, self.desk):
            page.locator(".queue-view .virtual-list").evaluate("list => list.scrollTop = 0")
        self.until("the queue is shown", lambda: all(
            page.locator(".queue-summary").inner_text().startswith(f"{len(titles):,} entr") and (self.shown(page) or [""])[0] == titles[0]
            for page in (self.phone, self.desk)))
        # What the pages say about the change of the player is no announcement of the following acts.
        self.phone.wait_for_timeout(400)
        self.sent.clear()
        for page in (self.phone, self.desk):
            page.evaluate("window.heard.length = 0")
        return [entry["id"] for entry in queue["entries"]]

    def heard(self, page):
        page.wait_for_timeout(150)
        texts = page.evaluate("window.heard")
        page.evaluate("window.heard.length = 0")
        return texts

    def touch(self, page, kind, x=None, y=None):
        if not hasattr(self, "devtools"):
            self.devtools = page.context.new_cdp_session(page)
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [] if x is None else [{"x": x, "y": y}]})

    def center(self, locator):
        box = locator.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(self, start, end, hold=0):
        """A finger that rests, moves in steps of a frame, and is lifted."""
        self.touch(self.phone, "touchStart", *start)
        self.phone.wait_for_timeout(hold)
        for step in range(1, 21):
            self.touch(self.phone, "touchMove", start[0] + (end[0] - start[0]) * step / 20, start[1] + (end[1] - start[1]) * step / 20)
            self.phone.wait_for_timeout(16)
        self.touch(self.phone, "touchEnd")

    def shows_hostile_titles(self):
        """titles with markup, Arabic and 330 characters are shown as they are, without an error of the page"""
        self.refill()
        check(self.shown(self.phone) == TITLES, self.shown(self.phone))
        for page in (self.phone, self.desk):
            check(page.evaluate("window.broken === undefined"), "a title was executed")
            check(surplus_width(page) <= 0, "the page scrolls sideways")
            found = [one for one in barriers(page) if "queue" in one]
            check(not found, found)
        self.phone.get_by_role("button", name="More for “<script>").click()
        check(self.phone.get_by_role("dialog").get_by_role("heading").inner_text() == TITLES[1], "the sheet has another title")
        self.phone.keyboard.press("Escape")

    def plays_on_tap(self):
        """a tap on a row plays it, and a tap on the current one pauses it"""
        ids = self.refill()
        self.row(self.phone, "Seven").locator(".queue-main").tap()
        self.until("it plays", lambda: self.server.ask("GET", "player").get("currentItem", {}).get("id") == ids[6])
        self.until("it is marked", lambda: self.phone.locator(".queue-main[aria-current=true] .queue-title").inner_text() == "Seven")
        self.until("it plays", lambda: self.server.ask("GET", "player")["rate"] == 1)
        self.until("the next one is marked", lambda: self.row(self.phone, "Eight").locator("[data-next=Next]").count() == 1)
        self.row(self.phone, "Seven").locator(".queue-main").tap()
        self.until("it pauses", lambda: self.server.ask("GET", "player")["rate"] == 0)

    def drags_by_handle(self):
        """a finger on a handle moves an entry with one request and one announcement, and plays nothing"""
        ids = self.refill()
        start, end = (self.center(self.row(self.phone, title).locator(".queue-handle")) for title in ("Eight", "Salt"))
        self.drag(start, end)
        moved = [ids[7]] + ids[:7] + ids[8:]
        self.until("the entry moves", lambda: self.server.ids() == moved)
        self.check_sent(1)
        check(self.heard(self.phone) == ["“Eight” is now 1 of 10."], "announced")
        self.until("the page agrees", lambda: self.shown(self.phone)[0:1] == ["Eight"])
        check(self.server.ask("GET", "player")["rate"] == 0, "it plays")

    def drags_after_press(self):
        """a finger that rests on a row lifts it; one that moves at once scrolls"""
        ids = self.refill()
        start, end = (self.center(self.row(self.phone, title).locator(".queue-main")) for title in ("Five", "Nine"))
        self.drag(start, (start[0], start[1] - 120))
        self.phone.wait_for_timeout(200)
        self.check_sent(0)
        self.phone.locator(".queue-view .virtual-list").evaluate("list => list.scrollTo(0, 0)")
        self.drag(start, end, hold=650)
        self.until("the entry moves", lambda: self.server.ids() == ids[:4] + ids[5:9] + [ids[4]] + ids[9:])
        self.check_sent(1)

    def reorders_by_keyboard(self):
        """Space lifts, arrows move, Escape returns, Space drops; each is announced once, and one request is sent"""
        ids = self.refill()
        page = self.desk
        page.get_by_role("button", name="Move “Salt”").focus()
        page.keyboard.press("Space")
        said = self.heard(page)
        check(len(said) == 1 and said[0].startswith("“Salt” lifted, 1 of 10."), said)
        for position in (2, 3):
            page.keyboard.press("ArrowDown")
            check(self.heard(page) == ["“Salt”, %d of 10" % position], "at %d" % position)
        check(self.shown(page)[2] == "Salt", self.shown(page))
        page.keyboard.press("Escape")
        check(self.heard(page) == ["“Salt” is back at 1 of 10."], "returned")
        check(self.shown(page)[0] == "Salt", self.shown(page))
        self.check_sent(0)
        page.keyboard.press("Space")
        page.keyboard.press("End")
        page.keyboard.press("ArrowUp")
        self.heard(page)
        check(page.evaluate("document.activeElement.ariaLabel") == "Move “Salt”", "the focus left the handle")
        page.keyboard.press("Space")
        self.until("it moved", lambda: self.server.ids() == ids[1:9] + [ids[0]] + ids[9:])
        self.until("the page agrees", lambda: self.shown(page)[8:9] == ["Salt"])
        check(self.heard(page) == ["“Salt” is now 9 of 10."], "dropped")
        self.check_sent(1)
        check(page.evaluate("document.activeElement.ariaLabel") == "Move “Salt”", "the focus did not follow the entry")

    def removes_and_undoes(self):
        """Delete removes an entry, announced once; Undo restores the exact ids; another remote undoes as well"""
        ids = self.refill()
        page = self.desk
        self.row(page, "Six").locator(".queue-main").focus()
        page.keyboard.press("Delete")
        self.until("it is removed", lambda: self.server.ids() == ids[:5] + ids[6:])
        self.until("the next one has the focus", lambda: page.evaluate(FOCUSED_TITLE) == "Seven")
        check(self.heard(page) == ["“Six” was removed."], "announced")
        page.get_by_role("button", name="Undo").click()
        self.until("the ids are back", lambda: self.server.ids() == ids)
        self.until("the page agrees", lambda: self.shown(page)[5:6] == ["Six"])
        self.row(page, "Salt").locator(".queue-main").click(button="right")
        page.get_by_role("button", name="Move to the end").click()
        self.until("it moved", lambda: self.server.ids() == ids[1:] + ids[:1])
        self.server.ask("POST", "queue/undo", {})
        check(self.server.ids() == ids, "the other remote restored something else")
        self.until("the page agrees", lambda: self.shown(page) == TITLES)

    def clears_and_restores(self):
        """the queue is cleared and restored with its ids; the menu names who edited it last"""
        ids = self.refill()
        self.phone.get_by_role("button", name="More for the queue").tap()
        self.phone.get_by_role("button", name="Clear the queue").tap()
        self.until("it is empty", lambda: self.server.ids() == [])
        self.phone.get_by_text("The queue is empty.").wait_for()
        self.phone.get_by_role("button", name="Undo").tap()
        self.until("the ids are back", lambda: self.server.ids() == ids)
        self.server.ask("POST", "queue/remove", {"ids": ids[:2]})
        self.until("the page agrees", lambda: self.shown(self.phone)[:1] == TITLES[2:3])
        self.phone.get_by_role("button", name="More for the queue").tap()
        self.phone.get_by_role("button", name="Undo: 2 entries removed (kitchen)").tap()
        self.until("the ids are back", lambda: self.server.ids() == ids)

    def selects(self):
        """Control and Shift select entries, which are moved and removed together"""
        ids = self.refill()
        page = self.desk
        self.row(page, "Six").locator(".queue-main").click(modifiers=["Control"])
        self.row(page, "Eight").locator(".queue-main").click(modifiers=["Shift"])
        check(page.locator(".queue-main[aria-pressed=true]").count() == 3, "selected")
        page.get_by_role("group", name="Selected entries").get_by_role("button", name="Play next").click()
        self.until("they play next", lambda: self.server.ids() == ids[:1] + ids[5:8] + ids[1:5] + ids[8:])
        self.check_sent(1)
        self.until("the page agrees", lambda: self.shown(page)[1:2] == ["Six"])
        # A handle of a selected entry moves all of them.
        page.get_by_role("button", name="Move “Seven”").focus()
        page.keyboard.press("Space")
        page.keyboard.press("End")
        page.keyboard.press("Space")
        self.until("they are last", lambda: self.server.ids() == ids[:5] + ids[8:] + ids[5:8])
        page.keyboard.press("Delete")
        self.until("they are gone", lambda: self.server.ids() == ids[:5] + ids[8:])
        self.check_sent(3)
        page.get_by_role("button", name="Done").click()

    def shows_broken_entries(self):
        """an entry that cannot be played shows the reason, and can be tried again or removed"""
        missing = str(pathlib.Path(self.options.folder) / "missing.flac")
        entries = [{"url": self.files[0], "title": "Good"}, {"url": missing, "title": "Gone"}]
        self.server.ask("PUT", "queue", {"entries": entries, "keepUnplayable": True})
        self.row(self.phone, "Gone").locator(".queue-main").tap()
        dialog = self.phone.get_by_role("dialog")
        reason = dialog.locator(".choices-note[data-error]").inner_text()
        check(reason and self.row(self.phone, "Gone").locator(".queue-more").inner_text() == reason, reason)
        dialog.get_by_role("button", name="Try again").wait_for()
        dialog.get_by_role("button", name="Remove").tap()
        self.until("it is removed", lambda: len(self.server.ids()) == 1)

    def saves(self):
        """the queue is saved as a playlist file"""
        self.refill()
        self.phone.get_by_role("button", name="More for the queue").tap()
        with self.phone.expect_download() as download:
            self.phone.get_by_role("button", name="Save as a playlist file").tap()
        text = pathlib.Path(download.value.path()).read_text()
        check(download.value.suggested_filename == "Queue.m3u8", download.value.suggested_filename)
        check(text.startswith("#EXTM3U\n") and text.count(self.files[0]) >= 1 and len(text.splitlines()) == 21, text)

    def shows_history(self):
        """the entries that were played before are listed, and a tap plays one again"""
        ids = self.refill()
        for index in (3, 5, 7):
            self.server.ask("POST", "queue/%s/play" % ids[index])
        self.phone.get_by_role("button", name="More for the queue").tap()
        self.phone.get_by_role("button", name="Played before").tap()
        rows = self.phone.get_by_role("dialog").get_by_role("listitem")
        rows.first.wait_for()
        check(rows.first.inner_text().strip().startswith("Six"), rows.first.inner_text())
        rows.first.get_by_role("button").tap()
        self.until("it plays", lambda: self.server.ask("GET", "player")["currentItem"]["id"] == ids[5])

    def is_fluid(self):
        """10,000 entries are at most 500 elements, scroll and follow "next" without long tasks at 6 times slower execution"""
        self.refill(["Entry %d" % (index + 1) for index in range(10_000)])
        for name, page in (("Phone", self.phone), ("Desk", self.desk)):
            devtools = page.context.new_cdp_session(page)
            devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
            devtools.send("Emulation.setCPUThrottlingRate", {"rate": 6})
            page.evaluate("(%s)()" % WATCH_TASKS)

            def cost(act, pause):
                """The processor time of the page for an act and what follows within a pause, in milliseconds, and the result of the act."""
                def spent():
                    metrics = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
                    return metrics["TaskDuration"] * 1000
                before = spent()
                result = act()
                page.wait_for_timeout(pause)
                return spent() - before, result

            units = [cost(lambda: page.evaluate(UNIT, STEPS), 100)[0] / STEPS]
            scrolled, nodes = cost(lambda: page.evaluate(SCROLL, STEPS), 500)
            scrolled /= STEPS
            stepped, _ = cost(lambda: self.server.ask("POST", "queue/next", {}), 1500)
            units.append(cost(lambda: page.evaluate(UNIT, STEPS), 100)[0] / STEPS)
            unit = sum(units) / 2
            longest = page.evaluate("Math.max(0, ...window.tasks)")
            devtools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
            figures = {"nodes": nodes, "scrollBy": round(scrolled), "next": round(stepped), "units": [round(one) for one in units],
                       "longestTask": longest}
            self.figures.update({key + name: value for key, value in figures.items()})
            self.until("the rows are read", lambda: page.locator(".queue-row[data-unread]").count() == 0)
            check(nodes <= MOST_NODES, "%d elements" % nodes)
            check(scrolled < MOST_SCROLL * unit and stepped < MOST_NEXT * unit, (scrolled, stepped, units))

    def moves_far(self):
        """entry 4,800 of 10,000 moves to 3 by touch and by keyboard, each with one request"""
        ids = self.refill(["Entry %d" % (index + 1) for index in range(10_000)])
        for page, by_touch in ((self.phone, True), (self.desk, False)):
            self.sent.clear()
            page.get_by_role("button", name="Filter the queue").click()
            page.get_by_role("searchbox", name="Filter the queue").fill("Entry 4800")
            self.row(page, "Entry 4800").first.wait_for()
            opener = page.get_by_role("button", name="More for “Entry 4800”")
            if by_touch:
                opener.tap()
                page.get_by_role("button", name="Move to a position…").tap()
                page.get_by_role("spinbutton").fill("3")
                page.get_by_role("button", name="Move", exact=True).tap()
            else:
                opener.focus()
                page.keyboard.press("Enter")
                page.get_by_role("button", name="Move to a position…").focus()
                page.keyboard.press("Enter")
                page.keyboard.type("3")
                page.keyboard.press("Enter")
            self.until("it moved", lambda: self.server.ids()[:4] == ids[:2] + [ids[4799], ids[2]])
            self.check_sent(1)
            page.get_by_role("button", name="Undo").click()
            self.until("the ids are back", lambda: self.server.ids() == ids)
            page.get_by_role("button", name="Filter the queue").click()

    def drags_far(self):
        """a finger at the edge scrolls the list, faster and faster, from entry 4,800 to the top"""
        ids = self.refill(["Entry %d" % (index + 1) for index in range(10_000)])
        page = self.phone
        page.locator(".queue-view .virtual-list").evaluate("list => list.scrollTop = 4797 * list.firstElementChild.firstElementChild.offsetHeight")
        self.row(page, "Entry 4800").first.wait_for()
        box = page.locator(".queue-view .virtual-list").bounding_box()
        x, y = self.center(self.row(page, "Entry 4800").locator(".queue-handle"))
        began = time.monotonic()
        self.touch(page, "touchStart", x, y)
        for step in range(10):
            self.touch(page, "touchMove", x, y + (box["y"] + 4 - y) * (step + 1) / 10)
            page.wait_for_timeout(16)
        self.until("the top", lambda: page.locator(".queue-view .virtual-list").evaluate("list => list.scrollTop") == 0)
        self.figures["secondsFrom4800"] = round(time.monotonic() - began, 1)
        self.touch(page, "touchMove", x, box["y"] + 60 * 2.4)
        page.wait_for_timeout(50)
        self.touch(page, "touchEnd")
        self.until("it moved", lambda: ids[4799] in self.server.ids()[:4])
        self.check_sent(1)

    def follows_others(self):
        """edits of another remote are shown without a request, and the focus stays on its entry"""
        ids = self.refill()
        page = self.desk
        self.row(page, "Seven").locator(".queue-main").focus()
        reads = []
        page.on("request", lambda request: "/queue" in request.url and reads.append(request.url))
        self.server.ask("POST", "queue/move", {"ids": [ids[6]], "index": 1})
        self.server.ask("POST", "queue/remove", {"ids": [ids[0], ids[9]]})
        self.until("it is shown", lambda: self.shown(page)[0:1] == ["Seven"] and len(self.shown(page)) == 8)
        check(page.evaluate(FOCUSED_TITLE) == "Seven", "the focus left its entry")
        check(not reads, reads)

    def complains_not(self):
        """the pages report no error, no violation of their policy and no foreign request"""
        for page in (self.phone, self.desk):
            # Media without lyrics and pictures are a 404, which the browser reports by itself.
            found = [text for text in complaints(page) if "404" not in text]
            check(not found, found)

    ALL = [shows_hostile_titles, plays_on_tap, drags_by_handle, drags_after_press, reorders_by_keyboard, removes_and_undoes, clears_and_restores,
           selects, shows_broken_entries, saves, shows_history, follows_others, is_fluid, moves_far, drags_far, complains_not]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("url")
    options.add_argument("folder")
    options.add_argument("--screenshots", help="a folder for a picture of each failed check")
    options.add_argument("--only", help="the name of the only check")
    options = options.parse_args()
    results = []
    with open_browser() as browser:
        phone_kind = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "accept_downloads": True}
        address = options.url + "#/queue"
        with open_page(address, browser, **phone_kind) as phone, open_page(address, browser, viewport=DESK) as desk:
            checks = Checks(phone, desk, options)
            for page in (phone, desk):
                # The commands of a page are seen from the beginning of its connection.
                page.reload()
                page.evaluate("(%s)()" % WATCH_LIVE)
            for one in Checks.ALL:
                if options.only and one.__name__ != options.only:
                    continue
                try:
                    one(checks)
                    results.append({"name": one.__doc__, "ok": True, "detail": ""})
                except Exception as error:
                    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
                    results.append({"name": one.__doc__, "ok": False, "detail": "lines %s: %s" % (lines, str(error)[:1500])})
                    if options.screenshots:
                        for name, page in (("phone", phone), ("desk", desk)):
                            page.screenshot(path="%s/%s-%s.png" % (options.screenshots, one.__name__, name))
                    for page in (phone, desk):
                        page.reload()
                        page.evaluate("(%s)()" % WATCH_LIVE)
    ok = all(result["ok"] for result in results)
    print(json.dumps({"ok": ok, "checks": results, "figures": checks.figures}, indent=2, ensure_ascii=False))
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
