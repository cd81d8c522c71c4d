#!/usr/bin/env python3
"""Uses the web remote like a person, in a real Chromium, and compares what it shows with the server's state.

usage: page.py URL [--open ADDRESS] [--title TITLE] [--chromium PATH] [--screenshot FILE]

A seekable item of at least 40 seconds must be loaded, or is loaded by --open (through the page's own sheet).
Elements are found by role and name only, as by a screen reader. Prints one JSON object:
{"ok", "checks": [{"name", "ok", "detail"}], "figures"}. Exit status 0 if every check passed, 1 if one failed, 2 if the checks could not begin.
"""
import json
import statistics

from browsing import drawn, open_address, until
from checking import check, parser, report, run
from lateness import WATCH_FRAMES, lateness, seconds_of, seconds_shown

# The tolerance, in milliseconds, of the shown time when a new second appears: the error of the page's clock.
TIME_TOLERANCE = 100

# Records when each new text of the running time appears, on the page's clock.
WATCH_TIME = """element => {
  window.flips = [];
  new MutationObserver(() => window.flips.push([performance.now(), element.textContent])).observe(
    element, {childList: true, characterData: true, subtree: true});
}"""
# Records the drawn position of the thumb, frame by frame.
WATCH_THUMB = """element => {
  window.thumbs = [];
  const note = () => (window.thumbs.push(element.valueAsNumber), requestAnimationFrame(note));
  note();
}"""
# The heard position from the server, with the page's clock before and after.
SERVER_TIME = """async () => {
  const before = performance.now();
  const answer = await (await fetch('api/v1/player/time')).json();
  return {before, after: performance.now(), ...answer};
}"""
SMALL_TARGETS = """() => [...document.querySelectorAll('button, select, input')].filter(element => element.checkVisibility())
  .map(element => [element.ariaLabel || element.textContent.trim() || element.id, element.getBoundingClientRect()])
  .filter(([, box]) => box.width < 44 || box.height < 44).map(([name, box]) => `${name} ${box.width}x${box.height}`)"""

# The texts of the player that are drawn with less than their full contrast.
FADED = """() => {
  const isFaded = element => element !== null && (getComputedStyle(element).opacity !== '1' || isFaded(element.parentElement));
  return [...document.querySelectorAll('.title, .status, .elapsed, .next-up')].filter(isFaded).map(element => element.className);
}"""


class Remote:
    """The page, with the elements that a user knows."""

    def __init__(self, page):
        self.page = page
        player = page.get_by_role("region", name="Player")
        self.play = player.get_by_role("button", name="Play", exact=True)
        self.pause = player.get_by_role("button", name="Pause", exact=True)
        self.position = page.get_by_role("slider", name="Position")
        self.volume = page.get_by_role("slider", name="Volume")
        self.mute = page.get_by_role("button", name="Mute")
        self.speed = player.get_by_role("button", name="Speed")
        self.elapsed = page.get_by_role("timer", name="Elapsed time")
        self.title = page.get_by_role("main").get_by_role("heading")

    def shown(self):
        """The running time, in seconds."""
        return seconds_of(self.elapsed.inner_text())

    def state(self):
        return self.page.evaluate("async () => (await fetch('api/v1/player')).json()")

    def heard(self):
        return self.page.evaluate(SERVER_TIME)["currentTime"]

    def until(self, what, condition):
        until(self.page, what, condition)

    def stop(self):
        if self.pause.is_visible():
            self.pause.click()
        self.until("paused", lambda: self.play.is_visible() and self.state()["timeControlStatus"] == "paused")

    def start(self):
        if self.play.is_visible():
            self.play.click()
        self.until("playing", lambda: self.pause.is_visible() and self.state()["timeControlStatus"] == "playing")


class Checks:
    """Each method is one check, named by its docstring. They run in order, on one page."""

    def __init__(self, page, options):
        self.remote = Remote(page)
        self.page = page
        self.options = options
        self.figures = {}
        self.complaints = []
        page.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def loads(self):
        """the page loads and connects"""
        self.page.goto(self.options.url)
        self.page.get_by_text("Connected", exact=True).wait_for(state="attached")
        check(not self.complaints, "the console says: %s" % self.complaints)

    def opens(self):
        """an address is opened in the sheet, and its title is shown"""
        if self.options.open:
            open_address(self.page, self.options.open)
        self.remote.until("the item is ready", lambda: self.remote.state().get("currentItem", {}).get("status") == "readyToPlay")
        self.page.get_by_role("dialog").wait_for(state="hidden")
        if self.options.title:
            self.remote.until("the title is shown", lambda: self.remote.title.inner_text() == self.options.title)
        check(self.remote.title.inner_text() in self.page.title(), "the window is called %r" % self.page.title())

    def browses(self):
        """the library lists a playable entry, reached by keyboard alone"""
        views = self.page.get_by_role("navigation", name="Views")
        views.get_by_role("link", name="Library").focus()
        self.page.keyboard.press("Enter")
        files = self.page.get_by_role("list", name="Files and folders")
        files.get_by_role("button").first.wait_for()
        for _ in range(20):
            self.page.keyboard.press("Tab")
            drawn(self.page)
            if files.evaluate("list => list.contains(document.activeElement)"):
                break
        check(files.evaluate("list => list.contains(document.activeElement)"), "Tab does not reach the files")
        views.get_by_role("link", name="Now").focus()
        self.page.keyboard.press("Enter")
        files.wait_for(state="hidden")

    def plays(self):
        """Play starts playback, and the player records the web remote as origin"""
        self.remote.stop()
        self.remote.play.click()
        self.remote.until("playing", lambda: self.remote.pause.is_visible())
        state = self.remote.state()
        check(state["rate"] == state["defaultRate"], "the rate is %s" % state["rate"])
        check(state["lastChange"]["origin"].endswith("(web)"), "the origin is %s" % state["lastChange"])

    def shows_time(self):
        """the running time changes when the second is heard"""
        self.remote.position.focus()
        self.page.keyboard.press("Home")
        self.remote.until("from the start", lambda: self.remote.heard() < 5)
        self.remote.start()
        self.remote.elapsed.evaluate(WATCH_TIME)
        self.page.evaluate(WATCH_FRAMES)
        heard = min((self.page.evaluate(SERVER_TIME) for _ in range(10)), key=lambda one: one["after"] - one["before"])
        shown = lambda: seconds_shown(self.page.evaluate("window.flips"))
        self.remote.until("some seconds", lambda: len(shown()) >= 3)
        middle, doubt = (heard["before"] + heard["after"]) / 2, (heard["after"] - heard["before"]) / 2
        frames = self.page.evaluate("window.frames")
        errors = [lateness(at, middle + (second - heard["currentTime"]) * 1000, frames) for at, second in shown()]
        self.figures["newSecondShownLateMs"] = {"median": round(statistics.median(errors), 1), "worst": round(max(errors, key=abs), 1)}
        check(abs(statistics.median(errors)) <= TIME_TOLERANCE + doubt, "a new second is shown %.0f ms late" % statistics.median(errors))

    def pauses(self):
        """Pause stops the shown time at the player's position"""
        self.remote.pause.click()
        self.remote.until("paused", lambda: self.remote.state()["timeControlStatus"] == "paused" and self.remote.play.is_visible())
        self.remote.until("the heard time is shown", lambda: self.remote.shown() == int(self.remote.heard()))
        shown = self.remote.shown()
        self.page.wait_for_timeout(1200)
        check(self.remote.shown() == shown, "it continued to %d s" % self.remote.shown())

    def seeks_by_key(self):
        """keys on the position bar seek, and its value text has the new time"""
        self.remote.position.focus()
        for key, wanted in (("Home", 0), ("PageUp", 30), ("ArrowRight", 35), ("ArrowLeft", 30), ("PageDown", 0)):
            self.page.keyboard.press(key)
            drawn(self.page)
            check(self.remote.shown() == wanted, "after %s the page shows %d s" % (key, self.remote.shown()))
            self.remote.until("%s seeks to %d s" % (key, wanted), lambda: abs(self.remote.heard() - wanted) < 0.1)
        self.page.keyboard.press("PageUp")
        drawn(self.page)
        spoken = self.remote.position.get_attribute("aria-valuetext")
        check(spoken.startswith("30 seconds of "), "the bar says %r" % spoken)

    def seeks_by_pointer(self):
        """a press on the bar seeks to that position"""
        box = self.remote.position.bounding_box()
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        duration = self.remote.state()["currentItem"]["duration"]
        self.remote.until("the middle", lambda: abs(self.remote.heard() - duration / 2) < duration * 0.02)
        self.remote.until("it is shown", lambda: self.remote.shown() == int(self.remote.heard()))

    def drags(self):
        """the thumb follows the pointer, seeks do not accumulate, and the last position is final (R-SEEK-15)"""
        sent, in_flight, most = [], set(), [0]

        def started(event):
            message = json.loads(event["response"]["payloadData"])
            if message["command"] == "seek":
                sent.append(message["arguments"]["time"])
                in_flight.add(message["id"])
                most[0] = max(most[0], len(in_flight))

        devtools = self.page.context.new_cdp_session(self.page)
        devtools.send("Network.enable")
        devtools.on("Network.webSocketFrameSent", started)
        devtools.on("Network.webSocketFrameReceived", lambda event: in_flight.discard(json.loads(event["response"]["payloadData"]).get("id")))
        box = self.remote.position.bounding_box()
        duration = self.remote.state()["currentItem"]["duration"]
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(box["x"] + box["width"] * 0.5, y)
        self.page.mouse.down()
        for step in range(50, 19, -1):
            self.page.mouse.move(box["x"] + box["width"] * step / 100, y)
            drawn(self.page)
            thumb = float(self.remote.position.input_value()) / duration
            check(abs(thumb - step / 100) < 0.04, "the thumb is at %.2f, the pointer at %.2f" % (thumb, step / 100))
        wanted = float(self.remote.position.input_value())
        self.remote.position.evaluate(WATCH_THUMB)
        self.page.mouse.up()
        self.remote.until("the last place", lambda: abs(self.remote.heard() - wanted) < 0.1)
        self.page.wait_for_timeout(400)
        strayed = [value for value in self.page.evaluate("window.thumbs") if abs(value - wanted) > 0.1]
        check(not strayed, "after letting go at %s the thumb went to %s" % (wanted, strayed[:5]))
        check(most[0] == 1, "%d seeks were in flight at once" % most[0])
        check(abs(sent[-1] - wanted) < 1e-6, "the last seek went to %s" % sent[-1])
        self.remote.until("the heard time is shown", lambda: self.remote.shown() == int(self.remote.heard()))
        self.figures["drag"] = {"moves": 31, "seeks": len(sent)}

    def changes_sound(self):
        """volume, mute and speed are sent, and shown as the player has them"""
        self.remote.volume.focus()
        before = self.remote.state()["volume"]
        self.page.keyboard.press("ArrowLeft")
        self.remote.until("quieter", lambda: abs(self.remote.state()["volume"] - (before - 0.05)) < 0.011)
        self.remote.mute.click()
        self.remote.until("muted", lambda: self.remote.state()["isMuted"] and self.remote.mute.get_attribute("aria-pressed") == "true")
        self.remote.mute.click()
        self.remote.until("heard again", lambda: not self.remote.state()["isMuted"] and self.remote.mute.get_attribute("aria-pressed") == "false")
        self.remote.speed.click()
        sheet = self.page.get_by_role("dialog", name="Speed")
        for rate in ("1.5", "1"):
            preset = sheet.get_by_role("button", name=rate + "×", exact=True)
            preset.click()
            self.remote.until("the speed", lambda: self.remote.state()["defaultRate"] == float(rate)
                              and preset.get_attribute("aria-pressed") == "true")
        self.page.keyboard.press("Escape")
        sheet.wait_for(state="hidden")

    def follows_others(self):
        """an action of another client is shown, with its name"""
        self.remote.start()
        self.page.evaluate("""() => fetch('api/v1/player/pause', {method: 'POST', body: '{}',
          headers: {'Content-Type': 'application/json', 'Tonearm-Client': 'kitchen'}})""")
        self.page.get_by_text("Paused by kitchen").wait_for()
        self.remote.until("the button shows Play", self.remote.play.is_visible)

    def obeys_keys(self):
        """the keys of the help dialog work anywhere on the page"""
        self.page.mouse.click(5, 300)
        self.page.keyboard.press("Space")
        self.remote.until("Space plays", lambda: self.remote.state()["rate"] != 0 and self.remote.pause.is_visible())
        self.page.keyboard.press("Space")
        self.remote.until("Space pauses", lambda: self.remote.state()["rate"] == 0 and self.remote.play.is_visible())
        self.page.keyboard.press("m")
        self.remote.until("M mutes", lambda: self.remote.state()["isMuted"] and self.remote.mute.get_attribute("aria-pressed") == "true")
        self.page.keyboard.press("m")
        self.remote.until("M mutes no more", lambda: not self.remote.state()["isMuted"] and self.remote.mute.get_attribute("aria-pressed") == "false")
        self.page.keyboard.press("0")
        self.remote.until("0", lambda: self.remote.heard() < 0.1)
        self.page.keyboard.press("ArrowRight")
        self.remote.until("an arrow", lambda: abs(self.remote.heard() - 5) < 0.1)
        self.page.keyboard.press("?")
        self.page.get_by_role("dialog", name="Keyboard").wait_for()
        self.page.keyboard.press("Escape")

    def refuses(self):
        """a refused address gives a message, and the loaded item stays"""
        before = self.remote.state()["currentItem"]["id"]
        message = open_address(self.page, "gopher://example.org/song").locator(".dialog-message")
        self.remote.until("a message", lambda: len(message.inner_text()) > 20)
        self.figures["refusal"] = message.inner_text()
        self.page.keyboard.press("Escape")
        check(self.remote.state()["currentItem"]["id"] == before, "the item was replaced")
        # The browser reports each 4xx as an error of its own; here it is expected.
        self.complaints[:] = [text for text in self.complaints if "Failed to load resource" not in text]

    def ends(self):
        """the end is shown, and Play starts again from the beginning"""
        self.remote.start()
        duration = self.remote.state()["currentItem"]["duration"]
        self.page.evaluate("""time => fetch('api/v1/player/seek', {method: 'POST', body: JSON.stringify({time}),
          headers: {'Content-Type': 'application/json'}})""", duration - 1)
        self.page.get_by_text("Ended").wait_for()
        self.remote.until("the end is shown", lambda: self.remote.shown() == int(duration))
        self.remote.play.click()
        self.remote.until("from the beginning", lambda: self.remote.pause.is_visible() and self.remote.shown() < 5)

    def reconnects(self):
        """without a network the page reports it and stops its clock; with a network it recovers automatically"""
        self.remote.start()
        self.page.context.set_offline(True)
        self.page.evaluate("() => dispatchEvent(new PageTransitionEvent('pagehide'))")
        self.page.evaluate("() => dispatchEvent(new PageTransitionEvent('pageshow'))")
        self.page.get_by_text("Disconnected", exact=False).wait_for()
        drawn(self.page)
        shown = self.remote.shown()
        self.remote.pause.click()
        self.page.get_by_text("The player cannot be reached").wait_for()
        check(self.remote.pause.is_visible(), "the page claims that it paused")
        self.page.wait_for_timeout(1500)
        check(self.remote.shown() == shown, "the time goes on without a player")
        faded = self.page.evaluate(FADED)
        check(not faded, "texts are too pale to read: %s" % faded)
        self.page.context.set_offline(False)
        self.page.get_by_text("Connected", exact=True).wait_for(state="attached")
        self.remote.until("the right time", lambda: abs(self.remote.shown() + 0.5 - self.remote.heard()) < 1)
        self.page.get_by_text("The player cannot be reached").wait_for(state="hidden")
        self.complaints[:] = [text for text in self.complaints if "ERR_INTERNET_DISCONNECTED" not in text]

    def fits(self):
        """on a phone the page fits the width, and all controls are large enough to touch"""
        for width, height in ((390, 844), (320, 568)):
            self.page.set_viewport_size({"width": width, "height": height})
            drawn(self.page)
            surplus = self.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
            check(surplus <= 0, "%d px too wide at %d px" % (surplus, width))
            small = self.page.evaluate(SMALL_TARGETS)
            check(not small, "too small to touch at %d px: %s" % (width, small))

    def stays_quiet(self):
        """nothing was reported on the console, including violations of the content security policy"""
        self.remote.stop()
        check(not self.complaints, "the console says: %s" % self.complaints)

    ALL = [loads, opens, browses, plays, shows_time, pauses, seeks_by_key, seeks_by_pointer, drags, changes_sound, follows_others, obeys_keys,
           refuses, ends, reconnects, fits, stays_quiet]


def main():
    options = parser(__doc__)
    options.add_argument("--open", help="loads this first: a path or an address")
    options.add_argument("--title", help="the title that must be shown")
    parsed = options.parse_args()
    report(lambda: run(parsed, Checks, (Checks.loads, Checks.opens), viewport={"width": 1440, "height": 900}))


if __name__ == "__main__":
    main()
