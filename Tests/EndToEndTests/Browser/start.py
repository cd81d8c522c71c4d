#!/usr/bin/env python3
"""Measures what the page costs in Chromium: bytes, requests, times, memory and processor time.

usage: start.py URL [--counts] [--tabs N] [--seconds S] [--slack FACTOR] [--chromium PATH]

The player must play an item with a picture, of at least 90 seconds. --counts measures only what does not depend on the machine: bytes, requests and
the shift of the layout. FACTOR multiplies the limits of times. Prints one JSON object: {"ok", "failures", "figures"}; exit status 1 if a limit
was exceeded.
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import sys
import time

from background import open_tabs
from browsing import CHROMIUM, DESK, PATIENCE, PHONE, WATCH, layout_shift, open_browser
from proxy import FAST_3G, Proxy
from tabs import WATCH_TAB, loaded_at

# The limits. Requests are those that reach the server: what the browser has stored costs none.
# Compressed bytes are those on the wire, with the fields of the responses.
SCRIPT_BYTES, SCRIPT_SENT = 175_000, 64_000
COLD_REQUESTS, WARM_REQUESTS = 15, 3
LAYOUT_SHIFT = 0.05
# Seconds until the state is shown at a warm visit, also on fast 3G beyond the two round trips for the page and its connection, and if the processor
# is six times slower; until all tabs have loaded, and of the processor for each tab.
SHOWN, SLOW_SHOWN, TABS, TAB_PROCESSOR = 0.6, 2, 2, 0.5
SLOWER = 6
# Growth of the heap in a minute of playing, in megabytes; processor time of the page while it plays visibly, in milliseconds a second.
HEAP_GROWTH, PLAYING = 1.0, 100

# Notes the time, in milliseconds since the navigation began, at which the page shows the state for the first time.
WATCH_SHOWN = """() => {
  const isShown = () => document.body?.dataset.connection === 'open' && document.querySelector('[data-hook=title]')?.textContent;
  const watcher = new MutationObserver(() => {
    if (!isShown()) return;
    window.shownAt = performance.now();
    watcher.disconnect();
  });
  watcher.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
}"""
# The elements that begin a transition if their colour changes, which costs the processor most at the start.
TRANSITIONS = "() => [...document.querySelectorAll('*')].filter(element => getComputedStyle(element).transitionDuration !== '0s').length"
SETTLED = 3000


class Requests:
    """The requests of one page."""

    def __init__(self, page):
        self.found = {}
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        note = lambda event, **facts: self.found.setdefault(event["requestId"], {"plain": 0}).update(facts)
        session.on("Network.requestWillBeSent", lambda event: note(event, url=event["request"]["url"], type=event.get("type")))
        session.on("Network.webSocketCreated", lambda event: note(event, url=event["url"], type="WebSocket"))
        session.on("Network.requestServedFromCache", lambda event: note(event, isStored=True))
        session.on("Network.responseReceived", lambda event: event["response"].get("fromDiskCache") and note(event, isStored=True))
        session.on("Network.dataReceived", self.received)
        session.on("Network.loadingFinished", lambda event: note(event, sent=event["encodedDataLength"]))

    def received(self, event):
        one = self.found.setdefault(event["requestId"], {"plain": 0})
        one["plain"] += event["dataLength"]

    def sent(self):
        """Those that reach the server."""
        return [one for one in self.found.values() if not one.get("isStored") and one.get("url", "data:").startswith(("http", "ws"))]

    def paths(self):
        return ["/" + one["url"].split("/", 3)[3] for one in self.sent()]


def prepare(context):
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.add_init_script("(%s)()" % WATCH)
    page.add_init_script("(%s)()" % WATCH_SHOWN)
    return page


def visit(context, url):
    """Returns the page, its requests, and the milliseconds until it showed the state."""
    page = prepare(context)
    requests = Requests(page)
    page.goto(url)
    shown = until_shown(page)
    # The worker has stored the page, and the pictures are loaded.
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(SETTLED)
    return page, requests, shown


def until_shown(page):
    end = time.monotonic() + PATIENCE
    while not (shown := page.evaluate("window.shownAt")):
        if time.monotonic() > end:
            raise AssertionError("the page does not show the state")
        page.wait_for_timeout(20)
    return shown


def counts(options, browser):
    """Returns the figures that do not depend on the machine, and what exceeds its limit."""
    figures, failures = {}, []
    for name, size in (("desk", DESK), ("phone", PHONE)):
        context = browser.new_context(locale="en", viewport=size)
        page, cold, _ = visit(context, options.url)
        shift, _ = layout_shift(page)
        page.close()
        page, warm, _ = visit(context, options.url)
        shift = max(shift, layout_shift(page)[0])
        context.close()
        scripts = [one for one in cold.sent() if one["type"] == "Script"]
        plain, sent = sum(one["plain"] for one in scripts), sum(one.get("sent", 0) for one in scripts)
        figures[name] = {"coldRequests": len(cold.sent()), "warmRequests": len(warm.sent()), "scriptBytes": plain, "scriptSent": sent,
                         "coldSent": sum(one.get("sent", 0) for one in cold.sent()),
                         "warmPaths": [path.split("?")[0] for path in warm.paths()], "layoutShift": round(shift, 4)}
        for what, value, limit in (("bytes of scripts", plain, SCRIPT_BYTES), ("compressed bytes of scripts", sent, SCRIPT_SENT),
                                   ("requests at the first visit", len(cold.sent()), COLD_REQUESTS), ("layout shift", shift, LAYOUT_SHIFT)):
            if value > limit:
                failures.append("%s: %s %s, the limit is %s" % (name, value, what, limit))
        if len(warm.sent()) > WARM_REQUESTS:
            failures.append("%s: requests at the second visit: %s" % (name, ", ".join(warm.paths())))
    with contextlib.closing(browser.new_context(locale="en", viewport=DESK, reduced_motion="reduce")) as context:
        moving = visit(context, options.url)[0].evaluate(TRANSITIONS)
        if moving:
            failures.append("%d elements have transitions although the user wants reduced motion" % moving)
    return figures, failures


def processor(browser_name="chrom"):
    """The processor seconds of the browsers that this script has started."""
    total, children = 0, {os.getpid()}
    stats = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = path.read_text().rsplit(")", 1)
        except OSError:
            continue
        fields = rest.split()
        stats[int(path.parent.name)] = (int(fields[1]), name, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
    grown = True
    while grown:
        more = {process for process, (parent, _, _) in stats.items() if parent in children} - children
        grown = bool(more)
        children |= more
    for process in children & stats.keys():
        _, name, used = stats[process]
        total += used if browser_name in name else 0
    return total


def starts(options, browser):
    """Returns the seconds until the state is shown, at a first and at later visits."""
    context = browser.new_context(locale="en", viewport=DESK)
    page, _, cold = visit(context, options.url)
    page.close()
    warm = []
    for _ in range(5):
        page, _, shown = visit(context, options.url)
        page.close()
        warm.append(shown)
    context.close()
    return round(cold / 1000, 3), round(statistics.median(warm) / 1000, 3)


def slow_starts(options, browser):
    """Returns the seconds until the state is shown at warm visits: on fast 3G beyond two round trips, and with a slower processor."""
    with Proxy(options.url.split("/")[2]) as proxy, contextlib.closing(browser.new_context(locale="en", viewport=DESK)) as context:
        address = "http://%s/" % proxy.address
        visit(context, address)[0].close()
        proxy.slow_down(**FAST_3G)
        path = [show(context, address) - 2000 * FAST_3G["round_trip"] for _ in range(3)]
    with contextlib.closing(browser.new_context(locale="en", viewport=DESK)) as context:
        visit(context, options.url)[0].close()
        slow = [show(context, options.url, SLOWER) for _ in range(3)]
    return round(statistics.median(path) / 1000, 3), round(statistics.median(slow) / 1000, 3)


def show(context, url, slower=1):
    """Returns the milliseconds until a visit shows the state."""
    page = prepare(context)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.goto(url, wait_until="commit")
    shown = until_shown(page)
    page.close()
    return shown


def tabs(options, browser):
    """Returns the seconds until all tabs of one window have loaded, of which one is visible, and the processor seconds of each, also for what follows
    its start; and the same for empty pages of the server, which is the browser's part."""
    figures = {"count": options.tabs}
    for name, path, script in (("empty", "healthz", "document.readyState === 'complete' && Date.now() / 1000"), ("", "", "window.loadedAt ?? null")):
        with open_tabs(browser, options.tabs, "(%s)()" % WATCH_TAB) as found:
            if not name:
                loaded_at(found, options.url, time.time(), script)  # The files are stored now, as in the browser of a user.
                found.open("about:blank")
            used = processor()
            loaded = loaded_at(found, options.url + path, time.time(), script)
            time.sleep(SETTLED / 1000)
            used = (processor() - used) / options.tabs
        figures |= {"emptyLoadedS" if name else "loadedS": loaded, "emptyProcessorSEach" if name else "processorSEach": round(used, 3)}
    return figures


def playing(options, browser):
    """Returns the heap in megabytes before and after some time of playing, the nodes, and the milliseconds of work in each second."""
    context = browser.new_context(locale="en", viewport=DESK)
    page, _, _ = visit(context, options.url)
    session = context.new_cdp_session(page)
    session.send("Performance.enable")

    def metrics():
        session.send("HeapProfiler.collectGarbage")
        return {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}

    before, used = metrics(), processor()
    page.wait_for_timeout(options.seconds * 1000)
    used = processor() - used
    after = metrics()
    context.close()
    work = after["TaskDuration"] - before["TaskDuration"]
    return {"heapMB": round(before["JSHeapUsedSize"] / 1e6, 2), "heapLaterMB": round(after["JSHeapUsedSize"] / 1e6, 2),
            "nodes": round(after["Nodes"]), "pageMsEachSecond": round(work / options.seconds * 1000, 1),
            "browserMsEachSecond": round(used / options.seconds * 1000)}


def measure(options, browser):
    figures, failures = counts(options, browser)
    if options.counts:
        return figures, failures
    cold, warm = starts(options, browser)
    path, slow = slow_starts(options, browser)
    figures["start"] = {"coldShownS": cold, "warmShownS": warm, "fast3GShownS": path, "slowProcessorShownS": slow}
    figures["tabs"] = many = tabs(options, browser)
    figures["playing"] = found = playing(options, browser)
    growth = (found["heapLaterMB"] - found["heapMB"]) * 60 / options.seconds
    slack = options.slack
    limits = [
        ("seconds until the state is shown", warm, SHOWN * slack), ("of them on fast 3G", path, SHOWN * slack),
        ("of them with a slow processor", slow, SLOW_SHOWN * slack), ("seconds until the tabs are loaded", many["loadedS"], TABS * slack),
        ("processor seconds for a tab", many["processorSEach"], TAB_PROCESSOR * slack), ("MB of heap in a minute", growth, HEAP_GROWTH * slack),
        ("ms of work in a second", found["pageMsEachSecond"], PLAYING * slack),
    ]
    for what, value, limit in limits:
        if value > limit:
            failures.append("%.2f %s, the limit is %g" % (value, what, limit))
    return figures, failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--tabs", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--slack", type=float, default=1)
    parser.add_argument("--chromium", default=CHROMIUM)
    options = parser.parse_args()
    with open_browser(options.chromium) as browser:
        figures, failures = measure(options, browser)
    print(json.dumps({"ok": not failures, "failures": failures, "figures": figures}, indent=1))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
