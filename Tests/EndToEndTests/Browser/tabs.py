#!/usr/bin/env python3
"""Opens many tabs of one browser, and uses a long queue over a slow path.

usage: tabs.py URL FILE... [--tabs N] [--slack FACTOR]

All tabs must load within 2 s, and a pause in one must be shown in all within 200 ms. With 5,000 entries on fast 3G, `next` must be shown within
1 s, in which at most 4 KB are received. FACTOR multiplies the times, for a busy machine. Prints one JSON object; exit status 1 if a limit was
exceeded.
"""
import argparse
import json
import re
import statistics
import sys
import time
import urllib.request

from browsing import DESK, complaints, open_browser, open_page, watch
from proxy import Proxy

LOADED, SHOWN, NEXT_SHOWN, NEXT_BYTES = 2, 0.2, 1, 4096
ENTRIES = 5000
# Fast 3G as browsers emulate it: seconds, and bytes a second.
FAST_3G = {"round_trip": 0.5625, "down": 180e3, "up": 84e3}

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


def ask(url, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        url + "api/v1/" + path, data, {"Content-Type": "application/json", "Tonearm-Client": "kitchen"}, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or b"null")


def is_open(page):
    page.locator("[data-connection=open]").first.wait_for(state="attached", timeout=60000)


def tabs(options, browser):
    """Returns the time until all tabs are connected, and the times until a press in one is shown in all."""
    ask(options.url, "PUT", "player/item", {"url": options.files[0], "play": True})
    # A browser paints only the tab in front. Without a window all tabs are painted, by the processor, so their animations would take three cores.
    context = browser.new_context(locale="en")
    pages = [context.new_page() for _ in range(options.tabs)]
    began = time.time()
    for page in pages:
        watch(page, options.url)
        page.goto(options.url, wait_until="commit")
    for page in pages:
        is_open(page)
    loaded = time.time() - began
    for page in pages:
        page.evaluate(WATCH_PLAY)
    times = []
    for pressed in pages[::3]:
        for page in pages:
            page.evaluate("window.labels.length = 0")
        at = pressed.evaluate(PRESS, "play")
        pages[0].wait_for_timeout(1500)
        shown = [page.evaluate("window.labels[0]?.[0] ?? null") for page in pages]
        times.append(None if None in shown else round(max(shown) - at, 3))
    found = [text for page in pages for text in complaints(page)]
    context.close()
    return round(loaded, 2), times, found


def steps(options, browser):
    """Returns the bytes that `next` received, and the times until its title was shown."""
    entries = [{"url": options.files[index % len(options.files)], "title": "Entry %d" % index} for index in range(ENTRIES)]
    ask(options.url, "PUT", "queue", {"entries": entries, "startIndex": ENTRIES // 2})
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
        proxy.slow_down(**FAST_3G)
        page.wait_for_timeout(4000)
        sizes, times = [], []
        for _ in range(5):
            received.clear()
            page.evaluate("window.titles.length = 0")
            at = page.evaluate(PRESS, "next")
            # What arrives later (lyrics, chapters) is asked for after the step is shown.
            page.wait_for_timeout(1000)
            sizes.append(sum(received))
            page.wait_for_timeout(1500)
            titles = page.evaluate("window.titles")
            current = ask(options.url, "GET", "player")["currentItem"]["title"]
            # The time counts if the first title that appeared is already the right one.
            times.append(round(titles[0][0] - at, 3) if titles and titles[0][1] == current else None)
        return sizes, times, complaints(page)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--tabs", type=int, default=12)
    parser.add_argument("--slack", type=float, default=1)
    options = parser.parse_args()
    with open_browser() as browser:
        loaded, shown, found = tabs(options, browser)
        sizes, next_shown, more = steps(options, browser)
    failures = [text for text in found + more if not re.search("WebSocket|Failed to load resource", text)]
    if loaded > LOADED * options.slack:
        failures.append("%d tabs loaded in %s s" % (options.tabs, loaded))
    failures += ["a press was shown in all tabs after %s s" % one for one in shown if one is None or one > SHOWN * options.slack]
    failures += ["next was shown after %s s" % one for one in next_shown if one is None or one > NEXT_SHOWN * options.slack]
    # A ping or a stall of the player may fall into the time of one step.
    if statistics.median(sizes) > NEXT_BYTES:
        failures.append("next received %s bytes" % sizes)
    figures = {"loaded": loaded, "shownInAll": shown, "nextShown": next_shown, "nextBytes": sizes}
    print(json.dumps({"ok": not failures, "failures": failures, "figures": figures}, indent=1))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
