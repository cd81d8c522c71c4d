#!/usr/bin/env python3
"""Taps and swipes at random on the web remote, on a touch screen in a real Chromium, and compares the effect with the server's state.

usage: touch.py URL MEDIUM [--gestures N] [--seed N] [--unguarded] [--chromium PATH]

MEDIUM is the address of a seekable item of some minutes. --unguarded replaces the guards of the page by nothing: the faults are then expected.
The server of such a page serves the modules one by one (`--web`), because the guards are replaced by module.
Prints one JSON object: {"ok", "faults", "figures"}. Exit status 0 if there is no fault (with --unguarded: if there are some), otherwise 1.
"""
import argparse
import json
import random
import sys
import time

from browsing import CHROMIUM, PHONE, complaints, open_browser, settled, until, watch
from client import Client
from finger import Finger

# The largest rise of the volume by a gesture that does not drag its thumb; the largest difference of a position from the expected one, in seconds.
RISE, DRIFT = 0.1, 1.0
# The largest distance from the middle of the thumb at which a finger holds it, in pixels; with a reserve for the movement of the thumb.
REACH = 26
# The visible sliders of the position and the volume: their boxes, and the middle of the thumb.
SLIDERS = """() => [...document.querySelectorAll('input[type=range]')].filter(one => ['Position', 'Volume'].includes(one.ariaLabel)
  && one.checkVisibility({visibilityProperty: true})).map(one => {
    const {x, y, width, height} = one.getBoundingClientRect();
    const thumb = parseFloat(getComputedStyle(one).getPropertyValue('--thumb')) * 16 || 0;
    return {name: one.ariaLabel, x, y, width, height, thumb: x + thumb / 2 + one.valueAsNumber * (width - thumb)};
  }).filter(({y, height}) => y >= 0 && y + height <= innerHeight)"""
VOLUME = "document.querySelector('[data-hook=volume]').valueAsNumber"
SLOPES = {"right": (1, 0.15), "left": (-1, 0.15), "down": (0.15, 1), "up": (-0.15, -1)}
# What the page has without its guards: the sliders of the browser.
UNGUARDED = {
    "**/js/views/touch.js": "export function mountTouch() {}",
    "**/js/volumeGuard.js": "export class VolumeGuard { isAsking = false; begin() {} end() {} limit(wanted) { return wanted; } }",
    "**/js/views/scrubbing.js": "export function mountScrubbing() { return { current: () => null }; }",
}


class Hand:
    """A random hand: half of its gestures begin on a slider."""

    def __init__(self, page, seed):
        self.page, self.finger, self.random = page, Finger(page), random.Random(seed)

    def start(self):
        sliders = self.page.evaluate(SLIDERS)
        if sliders and self.random.random() < 0.6:
            slider = self.random.choice(sliders)
            x, y = slider["x"] + self.random.random() * slider["width"], slider["y"] + self.random.random() * slider["height"]
            return x, y, slider["name"] == "Volume" and abs(x - slider["thumb"]) <= REACH
        x, y = self.random.random() * PHONE["width"], self.random.random() * PHONE["height"]
        held = [one for one in sliders if one["name"] == "Volume" and one["y"] <= y <= one["y"] + one["height"] and abs(x - one["thumb"]) <= REACH]
        return x, y, bool(held)

    def act(self):
        """Makes a gesture. Returns its kind, and whether it drags the thumb of the volume."""
        x, y, is_held = self.start()
        kind = self.random.choice(["tap", "tap", "down", "up", "down", "up", "right", "left"])
        if kind == "tap":
            self.finger.tap(x, y)
            return kind, (x, y), False
        length = self.random.uniform(40, 260)
        across, down = SLOPES[kind]
        self.finger.swipe(x, y, across * length, down * length, steps=10)
        return kind, (x, y), is_held and kind in ("right", "left")


def restore(page, ask, medium, volume):
    """Brings the page and the player back to a known state: a gesture may have opened a sheet, paused, or left the page."""
    for _ in range(min(3, page.evaluate("document.querySelectorAll('dialog[open]').length"))):
        page.keyboard.press("Escape")
    state = ask("GET", "player")
    if state.get("currentItem", {}).get("url") != medium:
        ask("PUT", "player/item?wait=10", {"url": medium, "play": True})
    if state["timeControlStatus"] != "playing":
        ask("POST", "player/play", {})
    ask("PATCH", "player", {"volume": volume, "rate": 1, "isMuted": False})
    heard = ask("GET", "player/time")["currentTime"]
    if heard > 150:
        ask("POST", "player/seek", {"time": 30})
    if not page.url.rstrip("/").endswith(("#/now", ":%s" % page.url.split(":")[2].split("/")[0])):
        page.evaluate("location.hash = '#/now'")


def wiggle(page, options):
    faults, counts = [], {}
    # Another client, without a name.
    hand, ask = Hand(page, options.seed), Client(options.url, name=None).ask
    medium = ask("PUT", "player/item?wait=10", {"url": options.medium, "play": True})["url"]
    page.get_by_role("slider", name="Position", exact=True).first.wait_for()
    highest = 0
    for number in range(options.gestures):
        volume = round(hand.random.uniform(0.1, 0.6), 2)
        restore(page, ask, medium, volume)
        # A tap makes a step from the volume that the page shows.
        until(page, "the page shows the volume", lambda: abs(page.evaluate(VOLUME) - volume) < 0.001)
        before, time_before = ask("GET", "player"), ask("GET", "player/time")
        kind, place, is_held = hand.act()
        settled(page)
        after, time_after = ask("GET", "player"), ask("GET", "player/time")
        counts[kind] = counts.get(kind, 0) + 1
        what = "gesture %d, %s at %d, %d" % (number, kind, *place)
        rise = after["volume"] - before["volume"]
        if not is_held:
            highest = max(highest, rise)
        if rise > RISE and not is_held:
            faults.append("%s: the volume rose from %.2f to %.2f" % (what, before["volume"], after["volume"]))
        if kind in ("up", "down"):
            expected = time_before["currentTime"] + (time_after["hostTime"] - time_before["hostTime"]) * time_before["rate"]
            if after.get("currentItem", {}).get("id") != before["currentItem"]["id"]:
                faults.append("%s: another item is current" % what)
            elif abs(time_after["currentTime"] - expected) > DRIFT:
                faults.append("%s: the position is %.1f, not %.1f" % (what, time_after["currentTime"], expected))
            if after["volume"] != before["volume"]:
                faults.append("%s: the volume is %.2f, not %.2f" % (what, after["volume"], before["volume"]))
    return faults, {"gestures": counts, "highestRise": round(highest, 3)}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("url")
    options.add_argument("medium")
    options.add_argument("--gestures", type=int, default=200)
    options.add_argument("--seed", type=int, default=16)
    options.add_argument("--unguarded", action="store_true")
    options.add_argument("--chromium", default=CHROMIUM)
    parsed = options.parse_args()
    began = time.monotonic()
    with open_browser(parsed.chromium) as browser:
        context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, locale="en")
        page = context.new_page()
        watch(page, parsed.url)
        replaced = set()
        if parsed.unguarded:
            for pattern, text in UNGUARDED.items():
                def answer(route, _, pattern=pattern, text=text):
                    replaced.add(pattern)
                    route.fulfill(body=text, content_type="text/javascript")
                page.route(pattern, answer)
        page.goto(parsed.url)
        faults, figures = wiggle(page, parsed)
        if parsed.unguarded and len(replaced) < len(UNGUARDED):
            sys.exit("the page loads no module %s" % ", ".join(set(UNGUARDED) - replaced))
        if not parsed.unguarded:
            # Of an item without lyrics the server answers 404, which the browser reports.
            faults += [text for text in complaints(page) if "404" not in text]
    figures["seconds"] = round(time.monotonic() - began, 1)
    print(json.dumps({"ok": not faults, "faults": faults, "figures": figures}, indent=2, ensure_ascii=False))
    sys.exit(0 if bool(faults) == parsed.unguarded else 1)


if __name__ == "__main__":
    main()
