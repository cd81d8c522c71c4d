#!/usr/bin/env python3
"""Opens many tabs of one browser, and uses a long queue over a slow path.

usage: tabs.py URL FILE... [--tabs N]

The first file has a picture. The tabs of one window, of which one is visible, must load; a hidden one loads neither pictures nor the later script,
and shows the truth in its first frame after it is shown. A press in one of as many windows must be shown in all. With 5,000 entries on fast 3G,
the title after `next` must be right from the first change on, and in the first second at most 4 KB may be received. Prints one JSON object, with the
times, of which none is judged; exit status 1 if something else was wrong. The same number of empty pages of this server shows what the browser
itself needs ("empty").
"""
import argparse
import contextlib
import json
import re
import statistics
import sys
import time

from background import open_tabs
from browsing import DESK, PATIENCE, WATCH, complaints, open_browser, open_page, settled, watch
from client import Client
from proxy import FAST_3G, Proxy

NEXT_BYTES = 4096
ENTRIES = 5000
# The time in which a visible tab would load its later parts, in seconds.
SETTLED = 3

# Notes when the window has the title of the item, the newest rate that the page received, what is drawn after the page has been shown, and errors.
WATCH_TAB = """() => {
  const noteRate = ({data: text}) => {
    const {event, data} = JSON.parse(text);
    if (/^state(Change)?$/.test(event) && data.rate !== undefined) window.rate = data.rate;
  };
  window.WebSocket = class extends WebSocket {
    constructor(...all) {
      super(...all);
      this.addEventListener('message', noteRate);
    }
  };
  window.errors = [];
  addEventListener('error', ({message}) => window.errors.push(message));
  addEventListener('unhandledrejection', ({reason}) => window.errors.push(String(reason)));
  const watcher = new MutationObserver(() => {
    if (!document.title.includes('·')) return;
    window.loadedAt = Date.now() / 1000;
    watcher.disconnect();
  });
  watcher.observe(document, {subtree: true, childList: true, characterData: true});
  const label = () => document.querySelector('[data-hook=play]').getAttribute('aria-label');
  addEventListener('visibilitychange', () => requestAnimationFrame(() => setTimeout(() => window.firstLabel = label())), true);
}"""
# What a page loads after its start: the later script, and pictures.
LOADED_LATER = "performance.getEntriesByType('resource').map(one => one.name).filter(name => /rest[^/]*[.]js|artwork/.test(name))"
IS_COMPLETE = LOADED_LATER + ".length >= 2 && !document.querySelector('[data-hook=cover]').hidden"
# Notes when the label of the play button changes, with the time of day.
WATCH_PLAY = """() => {
  const play = document.querySelector('[data-hook=play]');
  window.labels = [];
  new MutationObserver(() => window.labels.push([Date.now() / 1000, play.getAttribute('aria-label')])).observe(play, {attributes: true});
}"""
PRESS = "name => { const now = Date.now() / 1000; document.querySelector(`[data-hook=${name}]`).click(); return now; }"
# Notes when the title changes.
WATCH_TITLE = """() => {
  const title = document.querySelector('[data-hook=title]');
  window.titles = [];
  const note = () => window.titles.push([Date.now() / 1000, title.textContent]);
  new MutationObserver(note).observe(title, {childList: true, characterData: true, subtree: true});
}"""


def is_open(page):
    page.locator("[data-connection=open]").first.wait_for(state="attached")


def loaded_at(tabs, url, began, script):
    """Opens the address in all tabs, and returns the seconds until the script has a value in all."""
    tabs.open(url)
    while not all(found := tabs.evaluate_all(script)):
        if time.time() > began + PATIENCE:
            raise AssertionError("not all tabs are loaded: %s" % found)
        time.sleep(0.05)
    return round(max(found) - began, 2)


def tabs(options, browser):
    """Returns the time until all tabs of a window have loaded, that of empty pages, and what is wrong."""
    options.client.ask("PUT", "player/item", {"url": options.files[0], "play": True})
    with open_tabs(browser, options.tabs) as found:
        empty = loaded_at(found, options.url + "healthz", time.time(), "document.readyState === 'complete' && Date.now() / 1000")
    with open_tabs(browser, options.tabs, "(%s)(); (%s)()" % (WATCH, WATCH_TAB)) as found:
        loaded = loaded_at(found, options.url, time.time(), "window.loadedAt ?? null")
        time.sleep(SETTLED)
        wrong = ["a hidden tab has loaded %s" % one for one in sorted({one for tab in found.evaluate_all(LOADED_LATER)[1:] for one in tab})]
        options.client.ask("POST", "player/pause")
        last = options.tabs - 1
        found.show(last)
        if not until(lambda: found.evaluate(last, IS_COMPLETE)):
            wrong.append("a tab that is shown does not load what it has left out")
        # Both tabs are connected now. Only one is drawn.
        found.evaluate(0, "window.rate = null")
        options.client.ask("POST", "player/play")
        if not until(lambda: found.evaluate(0, "window.rate") == 1):
            wrong.append("a hidden tab has the rate %s" % found.evaluate(0, "window.rate"))
        found.evaluate(0, "window.firstLabel = null")
        found.show(0)
        if not until(lambda: found.evaluate(0, "window.firstLabel")) or found.evaluate(0, "window.firstLabel") != "Pause":
            wrong.append("the first frame of a tab that is shown has the button %r" % found.evaluate(0, "window.firstLabel"))
        wrong += [text for tab in found.evaluate_all("[...window.violations, ...window.errors]") for text in tab]
    return loaded, empty, wrong


def until(condition):
    end = time.time() + PATIENCE
    while not condition():
        if time.time() > end:
            return False
        time.sleep(0.1)
    return True


def windows(options, browser):
    """Returns the times until a press in one of many windows is shown in all."""
    with contextlib.closing(browser.new_context(locale="en")) as context:
        pages = [context.new_page() for _ in range(options.tabs)]
        for page in pages:
            watch(page, options.url)
            page.goto(options.url, wait_until="commit")
        for page in pages:
            is_open(page)
        for page in pages:
            page.evaluate(WATCH_PLAY)
        times = []
        for pressed in pages[::3]:
            for page in pages:
                page.evaluate("window.labels.length = 0")
            at = pressed.evaluate(PRESS, "play")
            if not until(lambda: all(page.evaluate("window.labels.length") for page in pages)):
                raise AssertionError("a press is not shown in all windows")
            times.append(round(max(page.evaluate("window.labels[0][0]") for page in pages) - at, 3))
        return times, [text for page in pages for text in complaints(page)]


def steps(options, browser):
    """Returns the bytes that `next` received, and the times until its title was shown."""
    entries = [{"url": options.files[index % len(options.files)], "title": "Entry %d" % index} for index in range(ENTRIES)]
    options.client.ask("PUT", "queue", {"entries": entries, "startIndex": ENTRIES // 2})
    received = []
    with Proxy(options.url.split("/")[2]) as proxy, open_page("http://%s/" % proxy.address, browser, viewport=DESK) as page:
        is_open(page)
        page.evaluate(WATCH_TITLE)
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        pictures = set()

        def sent(event):
            message = json.loads(event["response"]["payloadData"])
            if message["command"] == "getWaveform":
                pictures.add(message["id"])

        def arrived(event):
            data = event["response"]["payloadData"]
            # A waveform is a picture of the new item; it is not what the step costs.
            if json.loads(data).get("id") not in pictures:
                received.append(len(data.encode()) + 4)

        session.on("Network.webSocketFrameSent", sent)
        session.on("Network.webSocketFrameReceived", arrived)
        session.on("Network.loadingFinished", lambda event: received.append(int(event["encodedDataLength"])))
        settled(page)
        proxy.slow_down(**FAST_3G)
        sizes, times = [], []
        for _ in range(5):
            received.clear()
            page.evaluate("window.titles.length = 0")
            at = page.evaluate(PRESS, "next")
            # What arrives later (lyrics, chapters) is asked for after the step is shown.
            page.wait_for_timeout(1000)
            sizes.append(sum(received))
            if not until(lambda: page.evaluate("window.titles.length")):
                raise AssertionError("next is not shown")
            settled(page)
            titles = page.evaluate("window.titles")
            current = options.client.ask("GET", "player")["currentItem"]["title"]
            if titles[0][1] != current:
                raise AssertionError("next shows %r before %r" % (titles[0][1], current))
            times.append(round(titles[0][0] - at, 3))
        return sizes, times, complaints(page)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--tabs", type=int, default=12)
    options = parser.parse_args()
    options.client = Client(options.url)
    with open_browser() as browser:
        loaded, empty, wrong = tabs(options, browser)
        shown, found = windows(options, browser)
        sizes, next_shown, more = steps(options, browser)
    failures = [text for text in wrong + found + more if not re.search("WebSocket|Failed to load resource", text)]
    # A ping or a stall of the player may fall into the time of one step.
    if statistics.median(sizes) > NEXT_BYTES:
        failures.append("next received %s bytes" % sizes)
    figures = {"loaded": loaded, "empty": empty, "shownInAll": shown, "nextShown": next_shown, "nextBytes": sizes}
    print(json.dumps({"ok": not failures, "failures": failures, "figures": figures}, indent=1))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
