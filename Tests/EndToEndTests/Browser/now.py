#!/usr/bin/env python3
"""Uses the view Now of the web remote like a person, in a real Chromium, and compares it with the server's state.

usage: now.py URL BOOK [--tolerance MS] [--only NAME] [--chromium PATH] [--screenshot FILE]

BOOK is the address of a file of about two hours with chapters of 15 minutes. Prints the output of checking.py, and exits with the same status.
"""
import json
import pathlib
import statistics
import time

import yaml

from browsing import DESK, PHONE, barriers, complaints, drawn, until, watch
from checking import THOROUGH, check, parser, report, run
from client import Client
from finger import Finger
from lateness import OFFSET, WATCH_FRAMES, lateness, seconds_shown

CONTRACT = pathlib.Path(__file__).resolve().parents[3] / "openapi.yaml"
HOUR_AHEAD = 3600
# The largest number of frames in which a page shows a new state: it draws before the next one, or after 100 ms.
MOST_FRAMES = 12
# Counts the frames since the newest state arrived, in `window.framesSince`. In a script that runs before those of the page.
WATCH_STATES = """() => {
  window.framesSince = 0;
  const count = () => ((window.framesSince += 1), requestAnimationFrame(count));
  requestAnimationFrame(count);
  window.WebSocket = class extends WebSocket {
    constructor(...all) {
      super(...all);
      this.addEventListener('message', ({data}) => {
        if (/^state(Change)?$/.test(JSON.parse(data).event)) window.framesSince = 0;
      });
    }
  };
}"""
# Waits for an expression to be true, frame by frame. Returns the time at which it was, and the number of frames since the newest state.
APPEARS = """expression => new Promise(resolve => {
  const holds = new Function('return ' + expression);
  const look = () => (holds() ? resolve([Date.now(), window.framesSince]) : requestAnimationFrame(look));
  look();
})"""
CHIP = "[...document.querySelectorAll('.chips > :not([hidden])')].some(chip => chip.textContent.includes(%s))"
BUTTON = "document.querySelector('.row-button[data-name=%s]').ariaLabel.includes(%s)"
# The shown position, in seconds, and whether the page plays.
SHOWN = """[document.querySelector('[data-hook=elapsed]').textContent.split(':').reduce((sum, part) => 60 * sum + Number(part), 0),
  document.querySelector('[data-hook=page]').dataset.playing === 'true']"""


def chip(text):
    return CHIP % json.dumps(text)


def button(name, text):
    return BUTTON % (name, json.dumps(text))


PLAYER = ("PATCH", "player")
# For each member of the state that a client can set: the requests before, the request, and the expression that is then true.
VISIBLE = {
    "rate": ([], (*PLAYER, {"rate": 1.5}), button("speed", "1.5×")),
    "defaultRate": ([], (*PLAYER, {"defaultRate": 1.25}), chip("1.25×")),
    "audioTimePitchAlgorithm": ([(*PLAYER, {"rate": 1.5})], (*PLAYER, {"audioTimePitchAlgorithm": "spectral"}), chip("Music")),
    "volume": ([], (*PLAYER, {"volume": 0.35}), "document.querySelector('[data-hook=volume]').valueAsNumber === 0.35"),
    "isMuted": ([], (*PLAYER, {"isMuted": True}), "document.querySelector('[data-hook=mute]').ariaPressed === 'true'"),
    "repeatMode": ([], (*PLAYER, {"repeatMode": "all"}), chip("Repeat all")),
    "isShuffled": ([], (*PLAYER, {"isShuffled": True}), chip("Shuffle")),
    "isConsuming": ([], (*PLAYER, {"isConsuming": True}), chip("Consume")),
    "crossfadeDuration": ([], (*PLAYER, {"crossfadeDuration": 5}), chip("Crossfade 5 s")),
    "loudnessNormalization": ([], (*PLAYER, {"loudnessNormalization": "album"}), chip("Equal albums")),
    "actionAtItemEnd": ([], (*PLAYER, {"actionAtItemEnd": "pause"}), chip("Pause at the end")),
    "automaticallyWaitsToMinimizeStalling": ([], (*PLAYER, {"automaticallyWaitsToMinimizeStalling": False}), chip("No buffering")),
    "sleepTimer": ([], ("PUT", "sleep-timer", {"seconds": 900}), button("sleep", "14:5") + " || " + button("sleep", "15:00")),
    "loop": ([], ("PUT", "player/loop", {"start": 100, "end": 200}), chip("Passage")),
    "fade": ([], (*PLAYER, {"volume": 0.1, "fade": 30}), chip("Fading to 10")),
    "scheduledStart": ([("POST", "player/pause", {})], ("POST", "player/play", {"date": None}), chip("Cancel")),
    "output": ([], None, button("output", ": ")),
    "anchor": ([], ("POST", "player/seek", {"time": 4000}), "document.querySelector('[data-hook=elapsed]').textContent.startsWith('1:06:4')"),
    "signalPath": ([(*PLAYER, {"volume": 1})], (*PLAYER, {"volume": 0.35}),
                   "document.querySelector('[data-hook=signal]').ariaLabel.startsWith('Signal path: Altered: Volume · ')"),
    "timeControlStatus": ([], ("POST", "player/pause", {}), "document.querySelector('[data-hook=page]').dataset.playing === 'false'"),
}
# Members that say what is, or that other views show. `format.test.mjs` tests the sign of an estimated position, which only remote media have, as
# they have long seeks.
ELSEWHERE = {"isPositionEstimated", "epoch", "revision", "status", "reasonForWaitingToPlay", "ended", "audioSession", "lastChange", "lastPause",
             "queue", "persistence", "currentItem", "nextEntry", "network", "seek"}
USUAL = {"rate": 1, "defaultRate": 1, "volume": 0.5, "isMuted": False, "repeatMode": "off", "isShuffled": False, "isConsuming": False,
         "crossfadeDuration": 0, "loudnessNormalization": "off", "actionAtItemEnd": "advance", "automaticallyWaitsToMinimizeStalling": True,
         "audioTimePitchAlgorithm": "timeDomain"}

WATCH_ELAPSED = """() => {
  window.flips = [];
  const element = document.querySelector('[data-hook=elapsed]');
  new MutationObserver(() => window.flips.push([performance.now(), element.textContent])).observe(
    element, {childList: true, characterData: true, subtree: true});
}"""
COLOURS = """() => {
  const canvas = document.querySelector('.wave-canvas');
  const {width, height} = canvas;
  const pixels = canvas.getContext('2d').getImageData(0, 0, width, height).data;
  const columns = [];
  for (let x = 0; x < width; x += 1) {
    let tall = 0, red = 0;
    for (let y = 0; y < height; y += 1) if (pixels[(y * width + x) * 4 + 3] > 128) { tall += 1; red = pixels[(y * width + x) * 4]; }
    if (tall > 0) columns.push([x / width, tall, red]);
  }
  return columns;
}"""


class Checks:
    """Each method is one check, named by its docstring. They run in order, on one page."""

    def __init__(self, page, options):
        self.page, self.options, self.figures = page, options, {}
        self.finger = Finger(page)
        self.other = Client(options.url).ask
        self.position = page.get_by_role("slider", name="Position", exact=True)
        watch(page, options.url)
        page.add_init_script("(%s)()" % WATCH_STATES)

    # What another client does and sees.

    def heard(self):
        return self.other("GET", "player/time")["currentTime"]

    def usual(self, play=True, at=1000):
        self.other("DELETE", "player/loop")
        self.other("DELETE", "sleep-timer")
        self.other("POST", "player/play" if play else "player/pause", {})
        self.other("PATCH", "player", {**USUAL, "rate": 1 if play else 0})
        self.other("POST", "player/seek", {"time": at})
        self.until("the page shows this state", lambda: self.agrees(play, at))

    def agrees(self, play, at):
        """Whether the page plays, or is paused, and shows the heard position, which is the given one or follows it."""
        (shown, is_playing), heard = self.page.evaluate(SHOWN), self.heard()
        is_heard = at - 1 <= shown and abs(shown + 0.5 - heard) < 1 if play else abs(shown - at) <= 1 and shown == int(heard)
        return is_playing == play and is_heard

    def until(self, what, condition):
        until(self.page, what, condition)

    def shown(self):
        drawn(self.page)
        return float(self.position.input_value())

    def middle(self):
        box = self.position.bounding_box()
        return box["x"], box["width"], box["y"] + box["height"] / 2

    def opened(self, name):
        self.page.locator(".row-button[data-name=%s]" % name).click()
        sheet = self.page.get_by_role("dialog")
        sheet.wait_for()
        return sheet

    def closed(self):
        self.page.keyboard.press("Escape")
        self.page.get_by_role("dialog").wait_for(state="hidden")

    # The checks.

    def loads(self):
        """the page shows a book with its chapters"""
        self.other("PUT", "player/item?wait=10", {"url": self.options.book, "play": True})
        self.page.goto(self.options.url)
        self.position.wait_for()
        self.usual()
        self.page.locator(".row-button[data-name=chapters]").wait_for()

    def draws(self):
        """the waveform is drawn progressively, with different heights, and the played part has another colour"""
        self.usual(play=False, at=3600)
        self.until("the whole waveform", lambda: len({tall for _, tall, _ in self.page.evaluate(COLOURS) if _ > 0.5}) > 5)
        columns = self.page.evaluate(COLOURS)
        played, rest = ({red for x, _, red in columns if low < x < high} for low, high in ((0.05, 0.45), (0.55, 0.95)))
        check(statistics.mean(played) != statistics.mean(rest), "both parts have the colours %s" % played)

    def shows_every_change(self):
        """every member of the state that another client can set is visible, within some frames after the state has arrived"""
        schemas = yaml.safe_load(CONTRACT.read_text())["components"]["schemas"]
        members = set(schemas["PlayerState"]["properties"])
        unknown = members - set(VISIBLE) - ELSEWHERE
        check(not unknown, "the page shows nothing for %s" % sorted(unknown))
        delays, late = {}, []
        for name, (before, action, expression) in VISIBLE.items():
            self.usual()
            for one in before:
                self.other(*one)
            if action is None:
                self.until(name, lambda: self.page.evaluate("() => !!(%s)" % expression))
                continue
            method, path, body = action
            if body.get("date", "") is None:
                body = {"date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + HOUR_AHEAD))}
            self.until("before the change, %s is not visible" % name, lambda: not self.page.evaluate("() => !!(%s)" % expression))
            self.page.evaluate("([appears, expression]) => void (window.seen = eval(appears)(expression))", [APPEARS, expression])
            self.other(method, path, body)
            done = time.time() * 1000
            self.until("%s is visible" % name, lambda: self.page.evaluate("() => !!(%s)" % expression))
            seen, frames = self.page.evaluate("window.seen")
            delays[name] = round(seen - done)
            if frames > MOST_FRAMES:
                late.append("%s after %d frames" % (name, frames))
        self.other("POST", "player/pause", {})
        slowest = max(delays, key=delays.get)
        self.figures["visibleAfterMs"] = {"median": statistics.median(delays.values()), "worst": delays[slowest], "of": slowest}
        check(not late, ", ".join(late))

    def cancels_start(self):
        """a scheduled start by another client is cancelled by a press on its chip"""
        self.usual(play=False)
        self.other("POST", "player/play", {"date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + HOUR_AHEAD))})
        self.page.locator(".chips").get_by_role("button", name="Cancel").click()
        self.until("no start", lambda: "scheduledStart" not in self.other("GET", "player"))

    def tells_time(self):
        """the shown time is the heard time at several speeds, and after a reload"""
        self.figures["shownTimeErrorMs"] = {}
        for rate in (0.5, 1, 1.5, 2, "reload") if THOROUGH else (0.5, 2, "reload"):
            self.usual(at=600)
            if rate == "reload":
                self.page.reload()
                self.position.wait_for()
                self.until("the page plays", lambda: self.agrees(True, 600))
            elif rate != 1:
                self.other("PATCH", "player", {"rate": rate})
                self.until("the rate", lambda: self.page.evaluate("() => " + button("speed", "%g×" % rate)))
            self.page.evaluate(WATCH_ELAPSED)
            self.page.evaluate(WATCH_FRAMES)
            shown = lambda: seconds_shown(self.page.evaluate("window.flips"))
            self.until("some seconds", lambda: len(shown()) >= 3)
            offset, doubt = self.page.evaluate(OFFSET)
            told = self.other("GET", "player/time")
            frames = self.page.evaluate("window.frames")
            due = lambda second: ((second - told["currentTime"]) / told["rate"] + told["hostTime"] - offset) * 1000
            errors = [lateness(at, due(second), frames) for at, second in shown()]
            median = statistics.median(errors)
            self.figures["shownTimeErrorMs"][str(rate)] = {"median": round(median, 1), "worst": round(max(errors, key=abs), 1)}
            check(abs(median) <= self.options.tolerance + doubt * 1000, "at %s a new second is shown %.0f ms late" % (rate, median))

    def scrubs(self):
        """a press anywhere and a drag seek; Escape returns; above and below the bar the position follows slower"""
        self.usual(play=False, at=1000)
        x, width, y = self.middle()
        self.page.mouse.move(x + width * 0.5, y)
        self.page.mouse.down()
        self.until("the press seeks", lambda: abs(self.heard() - 3600) < 30)
        self.page.mouse.move(x + width * 0.6, y, steps=5)
        self.until("the drag seeks", lambda: abs(self.heard() - 0.6 * 7200) < 30)
        before = self.shown()
        self.page.mouse.move(x + width * 0.6, y - 60, steps=5)
        self.page.mouse.move(x + width * 0.7, y - 60, steps=5)
        check(0 < self.shown() - before < 0.1 * 7200 / 2.9, "the slower drag moved by %.1f s" % (self.shown() - before))
        self.page.keyboard.press("Escape")
        self.until("back", lambda: abs(self.heard() - 1000) < 1)
        self.page.mouse.up()
        self.page.wait_for_timeout(300)
        check(abs(self.heard() - 1000) < 1, "the release moved it to %.1f s" % self.heard())

    def snaps(self):
        """a release near the start of a chapter seeks to that start"""
        self.usual(play=False, at=100)
        x, width, y = self.middle()
        self.page.mouse.move(x + width * 0.3, y)
        self.page.mouse.down()
        self.page.mouse.move(x + width * 0.5 + 3, y, steps=8)
        self.page.mouse.up()
        self.until("the chapter", lambda: abs(self.heard() - 3600) < 0.01)

    def undoes_jumps(self):
        """a far jump by another client can be undone for some seconds"""
        self.usual(play=False, at=100)
        self.page.wait_for_timeout(2200)
        self.other("POST", "player/seek", {"time": 5000})
        undo = self.page.get_by_role("button", name="Undo 1:40")
        undo.click()
        self.until("back", lambda: abs(self.heard() - 100) < 0.5)
        undo.wait_for(state="hidden")

    def repeats(self):
        """A and B on the position bar repeat a passage, X ends it"""
        self.usual(play=False, at=300)
        self.position.focus()
        self.page.keyboard.press("a")
        self.page.keyboard.press("PageUp")
        self.until("the end", lambda: abs(self.heard() - 330) < 0.5)
        self.page.keyboard.press("b")
        self.until("the passage", lambda: self.other("GET", "player").get("loop", {}).get("end", 0) > 329)
        self.page.keyboard.press("x")
        self.until("no passage", lambda: "loop" not in self.other("GET", "player"))

    def sets_in_sheets(self):
        """speed, sleep, chapters and modes are set in the sheets, which have no barriers"""
        self.usual(play=False, at=100)
        found = {}
        sheet = self.opened("speed")
        sheet.get_by_role("button", name="1.5×").click()
        self.until("the speed", lambda: self.other("GET", "player")["defaultRate"] == 1.5)
        speed = sheet.get_by_role("slider", name="Speed")
        self.until("the slider", lambda: speed.get_attribute("aria-valuetext") == "1.5×")
        speed.press("ArrowRight")
        self.until("a step", lambda: self.other("GET", "player")["defaultRate"] == 1.55)
        sheet.get_by_role("radio", name="Tape").check()
        self.until("the algorithm", lambda: self.other("GET", "player")["audioTimePitchAlgorithm"] == "varispeed")
        found["speed"] = barriers(self.page)
        self.closed()
        sheet = self.opened("sleep")
        found["sleep"] = barriers(self.page)
        sheet.get_by_role("button", name="30 min").click()
        self.until("the timer", lambda: self.other("GET", "sleep-timer")["kind"] == "time")
        self.page.get_by_role("dialog").wait_for(state="hidden")
        sheet = self.opened("chapters")
        found["chapters"] = barriers(self.page)
        sheet.get_by_role("button", name="A Letter").click()
        self.until("the chapter", lambda: abs(self.heard() - 1800) < 0.1)
        self.closed()
        sheet = self.opened("output")
        sheet.get_by_role("radio").first.wait_for()
        found["output"] = barriers(self.page)
        for name, rate in (("Of the device", "device"), ("Of each item", "item"), ("without pauses", "auto")):
            sheet.get_by_role("radio", name=name).check()
            self.until("the rate " + rate, lambda: {one["outputRate"] for one in self.other("GET", "outputs")["outputs"]} == {rate})
        self.closed()
        sheet = self.opened("more")
        sheet.get_by_role("radio", name="All", exact=True).check()
        self.until("repeats", lambda: self.other("GET", "player")["repeatMode"] == "all")
        found["more"] = barriers(self.page)
        sheet.get_by_role("button", name="Details").click()
        self.page.get_by_role("dialog", name="Details").get_by_text("22.05 kHz").wait_for()
        found["details"] = barriers(self.page)
        self.closed()
        self.page.get_by_role("button", name="Signal path: ").click()
        self.page.get_by_role("dialog", name="Details").get_by_text("Signal path").wait_for()
        self.closed()
        self.usual(play=False)
        found = {name: list_ for name, list_ in found.items() if list_}
        check(not found, found)

    def hits_target(self):
        """on a phone a finger reaches a position of a two-hour book to half a second; a second finger returns"""
        context = self.page.context.browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, locale="en")
        phone = context.new_page()
        watch(phone, self.options.url)
        phone.goto(self.options.url)
        finger, position = Finger(phone), phone.get_by_role("slider", name="Position", exact=True)
        position.wait_for()
        self.usual(play=False, at=100)
        box = position.bounding_box()
        x, width, y = box["x"], box["width"], box["y"] + box["height"] / 2
        began = time.monotonic()
        point, target = [x + width * 4321 / 7200, y], 4321.7

        def move(across, down, steps=6):
            start = list(point)
            for step in range(1, steps + 1):
                point[:] = [start[0] + across * step / steps, start[1] + down * step / steps]
                finger.send("touchMove", point)
                phone.wait_for_timeout(16)
            drawn(phone)
            return float(position.input_value())

        finger.send("touchStart", point)
        move(20, 0)
        at = move(-20, 0)
        for down in (70, 60):
            at = move(0, down)
            # How far a pixel moves the position at this level; whole pixels, as a finger has them.
            step = (move(10, 0) - at) / 10
            at = move(round((target - at) / step) - 10, 0)
        finger.send("touchEnd")
        self.until("the target", lambda: abs(self.heard() - target) <= 0.5)
        phone.wait_for_timeout(400)
        self.figures["target"] = {"errorSeconds": round(self.heard() - target, 3), "seconds": round(time.monotonic() - began, 1)}
        check(abs(self.heard() - target) <= 0.5, "%.2f s in place of %.2f s" % (self.heard(), target))
        before = self.heard()
        finger.send("touchStart", (x + 100, y))
        point[:] = [x + 100, y]
        move(60, 0)
        finger.send("touchStart", point, (x + 20, y - 200))
        self.until("back", lambda: abs(self.heard() - before) < 0.5)
        finger.send("touchEnd")
        phone.wait_for_timeout(200)
        check(abs(self.heard() - before) < 0.5, "the release moved it to %.1f s" % self.heard())
        found = [text for text in complaints(phone) if "404" not in text]
        context.close()
        check(not found, found)

    def stays_quiet(self):
        """nothing was reported on the console"""
        found = [text for text in complaints(self.page) if "404" not in text]
        check(not found, found)

    ALL = [loads, draws, shows_every_change, cancels_start, tells_time, scrubs, snaps, undoes_jumps, repeats, sets_in_sheets, hits_target,
           stays_quiet]


def main():
    options = parser(__doc__)
    options.add_argument("book")
    options.add_argument("--tolerance", type=float, default=50, help="the largest median error of the shown time, in milliseconds")
    options.add_argument("--only", help="a part of the names of the checks to run after the first one")
    parsed = options.parse_args()
    if parsed.only:
        Checks.ALL = [Checks.loads] + [one for one in Checks.ALL if parsed.only in one.__name__]
    report(lambda: run(parsed, Checks, (Checks.loads,), viewport=DESK, locale="en"))


if __name__ == "__main__":
    main()
