#!/usr/bin/env python3
"""Disturbs the connection between the page and the server until the page notices, and waits until it shows the truth again.

usage: link.py URL --pid PID --open ADDRESS [--runs N] [--sleep SECONDS] [--only NAME]

A path that drops bytes, a stopped process (SIGSTOP) and a page that sleeps are tried in turn, N times in all. During each disturbance the player is
paused, which the page cannot know. Prints one JSON object, with the times until the clock stood and until the truth was shown; exit status 1 if the
page did not notice, or did not recover. `link.test.mjs` proves the times that a page takes, in virtual time.
"""
import argparse
import json
import os
import random
import signal
import sys
import time

from browsing import complaints, open_browser, open_page, save_pages, until
from client import Client
from proxy import Proxy

# The clock stands if it has shown no new second for this time, in seconds.
STANDS = 3
# Notes each change of what the page shows, with the time of day. A frozen page notes nothing.
WATCH = """() => {
  window.seen = [];
  const find = name => document.querySelector(`[data-hook="${name}"]`);
  let last = '';
  setInterval(() => {
    const {connection} = document.querySelector('[data-connection]').dataset;
    const now = [find('elapsed').textContent, find('play').getAttribute('aria-label'), connection];
    if (now.join() !== last) window.seen.push([Date.now() / 1000, ...now]);
    last = now.join();
  }, 10);
}"""


class Stage:
    """The server, asked directly, and the page behind the proxy."""

    def __init__(self, options, proxy, browser):
        self.options, self.proxy, self.browser = options, proxy, browser
        self.page = None
        self.ask = Client(options.url).ask

    def play(self):
        """Plays, and waits until the page shows a running clock."""
        self.ask("POST", "player/play", {})
        if self.ask("GET", "player/time")["currentTime"] > 120:
            self.ask("POST", "player/seek", {"time": 5})
        self.page.locator("[data-hook=play][aria-label=Pause]").wait_for()
        self.page.locator("[data-connection=open]").first.wait_for(state="attached")
        self.page.evaluate("window.seen.splice(0, window.seen.length - 1)")
        until(self.page, "the clock runs", lambda: len({text for _, text, _, _ in self.seen()}) >= 3)
        self.page.wait_for_timeout(random.randrange(1500))
        self.page.evaluate("window.seen.splice(0, window.seen.length - 1)")

    def seen(self):
        return self.page.evaluate("window.seen")

    def shows_pause(self, since):
        """Returns the time from `since` until the page shows that the player is paused and connected."""
        times = []
        until(self.page, "the page shows the pause", lambda: times.extend(
            at - since for at, _, label, connection in self.seen() if at >= since - 0.05 and label == "Play" and connection == "open") or times)
        return times[0]

    def stops(self, since):
        """Waits until the clock stands, and returns the time from `since` until its last change."""
        def last():
            seen = self.seen()
            return max([at for (_, before, _, _), (at, text, _, _) in zip(seen, seen[1:]) if text != before and at > since], default=since)
        until(self.page, "the clock stands", lambda: time.time() - last() > STANDS)
        return last() - since


def dropped(stage, mode):
    """the path drops bytes, and later works again"""
    stage.proxy.mode = mode
    began = time.time()
    stage.page.wait_for_timeout(300)
    stage.ask("POST", "player/pause", {})
    stopped = stage.stops(began)
    ended = time.time()
    stage.proxy.mode = "pass"
    return {"stopped": stopped, "shown": stage.shows_pause(ended)}


def halted(stage):
    """the server is stopped (SIGSTOP), and continues"""
    began = time.time()
    os.kill(stage.options.pid, signal.SIGSTOP)
    try:
        stopped = stage.stops(began)
        ended = time.time()
    finally:
        os.kill(stage.options.pid, signal.SIGCONT)
    stage.ask("POST", "player/pause", {})
    return {"stopped": stopped, "shown": stage.shows_pause(ended)}


class Sleep:
    """Stops the process of the page (SIGSTOP), as a machine does that sleeps: its timers stand still, and its messages wait."""

    def __init__(self, stage):
        session = stage.browser.new_browser_cdp_session()
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
        self.processes = [one["id"] for one in processes if one["type"] == "renderer"]
        session.detach()

    def __enter__(self):
        for process in self.processes:
            os.kill(process, signal.SIGSTOP)

    def __exit__(self, *_):
        for process in self.processes:
            os.kill(process, signal.SIGCONT)


def asleep(stage, is_path_dead=False):
    """the page sleeps; meanwhile the path may forget its connections"""
    with Sleep(stage):
        time.sleep(0.5)
        if is_path_dead:
            stage.proxy.kill_silently()
        stage.ask("POST", "player/pause", {})
        time.sleep(stage.options.sleep)
        woken = time.time()
    return {"shown": stage.shows_pause(woken), "stopped": stage.stops(woken)}


DISTURBANCES = {
    "dropping, connections stay dead": lambda stage: dropped(stage, "dead"),
    "dropping, connections revive": lambda stage: dropped(stage, "lossy"),
    "stopped server": halted,
    "sleeping page": asleep,
    "sleeping page, dead path": lambda stage: asleep(stage, True),
}


def without_sockets(stage, proxy, browser):
    """Returns what is wrong with a page behind a proxy that knows no WebSockets."""
    proxy.forbids_sockets = True
    sockets = []
    try:
        with open_page("http://%s/" % proxy.address, browser) as page:
            stage.page = page
            page.locator("[data-connection=open]").first.wait_for(state="attached")
            page.evaluate(WATCH)
            stage.play()
            since = time.time()
            page.locator("[data-hook=play]").click()
            stage.shows_pause(since)
            if stage.ask("GET", "player")["timeControlStatus"] != "paused":
                return ["over HTTP the player is not paused"]
            # When sockets work again, the page uses one.
            proxy.forbids_sockets = False
            page.on("websocket", lambda socket: sockets.append(socket))
            page.evaluate("dispatchEvent(new Event('online'))")
            until(page, "the page returns to a socket", lambda: sockets and not sockets[-1].is_closed())
            stage.play()
            if sockets[-1].is_closed():
                return ["the page did not keep the socket"]
            return []
    finally:
        proxy.forbids_sockets = False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--pid", type=int, required=True)
    parser.add_argument("--open", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sleep", type=float, default=15)
    parser.add_argument("--only")
    options = parser.parse_args()
    host = options.url.split("/")[2]
    failures, figures = [], {name: {"stopped": [], "shown": []} for name in DISTURBANCES if not options.only or options.only in name}
    with Proxy(host) as proxy, open_browser() as browser:
        stage = Stage(options, proxy, browser)
        stage.ask("PUT", "player/item", {"url": options.open, "play": True})
        with open_page("http://%s/" % proxy.address, browser) as page:
            stage.page = page
            page.locator("[data-connection=open]").first.wait_for(state="attached")
            page.evaluate(WATCH)
            for run in range(options.runs):
                name = list(figures)[run % len(figures)]
                try:
                    stage.play()
                    result = DISTURBANCES[name](stage)
                except Exception as error:  # The remaining runs are still of interest.
                    save_pages(error)
                    failures.append("run %d, %s: %s" % (run, name, error))
                    proxy.mode = "pass"
                    continue
                for part, value in result.items():
                    figures[name][part].append(round(value, 2))
            # A connection that fails is a message of the browser, not of the page.
            failures += without_sockets(stage, proxy, browser)
            failures += [text for text in complaints(page) if "WebSocket" not in text and "Failed to load resource" not in text]
    print(json.dumps({"ok": not failures, "failures": failures, "figures": figures}, indent=1))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
