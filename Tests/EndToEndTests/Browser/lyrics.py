#!/usr/bin/env python3
"""Reads lyrics on the web remote, in a real Chromium on a phone and on a desk, and compares the shown line with the server's position.

usage: lyrics.py URL FOLDER [--chromium PATH] [--screenshot FILE] [--pictures PREFIX]

FOLDER is a media root with files of 40 seconds: sung.wav with a sung.lrc that has a line for each two seconds ("Line 0" at 0:00), plain.flac with a
LYRICS tag without times, long.wav with a long.lrc of 10,000 lines ("Part 0" at 0:00, one in 4 ms), and none.wav without lyrics.
Prints the output of checking.py, and exits with the same status. With --pictures it also writes screenshots.
"""
import pathlib
import statistics

from browsing import PHONE, ask, drawn
from checking import check, parser, report, run
from lateness import WATCH_FRAMES, lateness
from page import SERVER_TIME, Remote

STEP = 2
# The tolerance, in milliseconds, between the time of a line and its appearance: the error of the page's clock.
TOLERANCE = 70
# The time by which the page shows a line early, in seconds.
EARLY = 0.05
# The maximum number of elements of the panel.
ELEMENTS = 250

# Records when each line becomes current, on the page's clock.
WATCH_LINES = """element => {
  window.lines = [];
  new MutationObserver(list => list.filter(({target}) => target.ariaCurrent === 'true')
    .forEach(({target}) => window.lines.push([performance.now(), target.textContent])))
    .observe(element, {attributes: true, attributeFilter: ['aria-current'], subtree: true});
}"""
# Whether the current line is completely inside the visible part of the panel.
IN_VIEW = """panel => {
  const [line, box] = [panel.querySelector('[aria-current]').getBoundingClientRect(), panel.getBoundingClientRect()];
  return line.top >= box.top && line.bottom <= box.bottom;
}"""

IS_FOCUSED = "element => element === document.activeElement"


class Checks:
    """Each method is one check, named by its docstring. They run in order, on one page."""

    def __init__(self, page, options):
        self.page = page
        self.options = options
        self.remote = Remote(page)
        self.figures = {}
        folder = pathlib.Path(options.folder)
        self.files = [(folder / name).as_uri() for name in ("sung.wav", "plain.flac", "none.wav", "long.wav")]
        self.button = page.get_by_role("button", name="Lyrics", exact=True)
        self.panel = page.get_by_role("region", name="Lyrics")
        self.current = self.panel.locator("[aria-current]")

    def ask(self, method, path, body=None):
        return ask(self.page, method, path, body)

    def seek(self, time):
        self.ask("POST", "player/seek", {"time": time})

    def picture(self, name):
        if self.options.pictures:
            self.page.screenshot(path="%s-%s-%d.png" % (self.options.pictures, name, self.page.viewport_size["width"]))

    def begins(self):
        """the page loads, and an item with lyrics has a button for them"""
        self.page.goto(self.options.url)
        self.ask("PUT", "queue", {"entries": [{"url": url} for url in self.files], "startIndex": 0, "play": True})
        self.button.wait_for()
        check(self.button.get_attribute("aria-expanded") == "false", "the button claims to show lyrics")
        check(self.panel.is_hidden(), "the lyrics are shown without a request")

    def opens(self):
        """a tap on the button shows the lyrics in the place of the picture, and the controls stay in the window"""
        self.button.tap()
        self.panel.wait_for()
        check(self.button.get_attribute("aria-expanded") == "true", "the button does not claim to show lyrics")
        for size in (PHONE, {"width": 1280, "height": 800}, {"width": 320, "height": 568}):
            self.page.set_viewport_size(size)
            drawn(self.page)
            surplus = self.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
            check(surplus <= 0, "%d px too wide at %s" % (surplus, size))
            check(self.panel.bounding_box()["height"] >= 144, "the lyrics are only %s at %s" % (self.panel.bounding_box(), size))
            if size["width"] > 320:
                box = self.remote.mute.bounding_box()
                check(box["y"] + box["height"] <= size["height"], "the controls are below the window at %s" % size)
                self.picture("sung")
        self.page.set_viewport_size(PHONE)

    def follows(self):
        """the current line changes when it is heard, and stays in view"""
        self.seek(5)
        self.remote.until("the third line", lambda: self.current.all_inner_texts() == ["Line 2"])
        self.panel.evaluate(WATCH_LINES)
        self.page.evaluate(WATCH_FRAMES)
        heard = min((self.page.evaluate(SERVER_TIME) for _ in range(10)), key=lambda one: one["after"] - one["before"])
        self.remote.until("the seventh line", lambda: self.current.all_inner_texts() == ["Line 6"])
        middle, doubt = (heard["before"] + heard["after"]) / 2, (heard["after"] - heard["before"]) / 2
        lines, frames = self.page.evaluate("[window.lines, window.frames]")
        errors = [lateness(at, middle + (int(text.split()[1]) * STEP - EARLY - heard["currentTime"]) * 1000, frames) for at, text in lines]
        check(len(errors) == 4, "the lines were %s" % lines)
        self.figures["newLineShownLateMs"] = {"median": round(statistics.median(errors), 1), "worst": round(max(errors, key=abs), 1)}
        check(abs(statistics.median(errors)) <= TOLERANCE + doubt, "a new line is shown %.0f ms late" % statistics.median(errors))
        self.remote.until("it is in view", lambda: self.panel.evaluate(IN_VIEW))

    def tap_seeks(self):
        """a tap on a line seeks to its time, and this line is current at once"""
        self.ask("POST", "player/pause", {})
        self.panel.get_by_role("button", name="Line 9", exact=True).tap()
        drawn(self.page)
        check(self.current.all_inner_texts() == ["Line 9"], "the current line is %s" % self.current.all_inner_texts())
        self.remote.until("the line's time", lambda: abs(self.remote.heard() - 9 * STEP) < 0.1)
        self.page.wait_for_timeout(300)
        check(self.current.all_inner_texts() == ["Line 9"], "after the seek the current line is %s" % self.current.all_inner_texts())
        self.remote.until("it is in view", lambda: self.panel.evaluate(IN_VIEW))

    def obeys_keys(self):
        """one line is reached by Tab, arrows move, Enter seeks, Escape closes, and L opens again"""
        volume = self.remote.state()["volume"]
        tabs = self.panel.locator('button[tabindex="0"]')
        check(tabs.all_inner_texts() == ["Line 9"], "Tab reaches %s" % tabs.all_inner_texts())
        tabs.focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
            self.page.keyboard.press(key)
        self.remote.until("the next line", lambda: abs(self.remote.heard() - 10 * STEP) < 0.1)
        check(self.remote.state()["volume"] == volume, "the arrows changed the volume")
        self.page.keyboard.press("Escape")
        self.panel.wait_for(state="hidden")
        check(self.button.evaluate(IS_FOCUSED), "the focus is lost")
        self.page.keyboard.press("l")
        self.panel.wait_for()

    def lets_read(self):
        """a list that the user has scrolled does not jump back when the next line begins"""
        self.seek(8.5)
        self.remote.until("the fifth line", lambda: self.current.all_inner_texts() == ["Line 4"] and self.panel.evaluate(IN_VIEW))
        self.page.wait_for_timeout(600)
        self.panel.dispatch_event("wheel")
        self.panel.evaluate("panel => panel.scrollTo({top: panel.scrollHeight, behavior: 'instant'})")
        before = self.panel.evaluate("panel => panel.scrollTop")
        self.seek(10.5)
        self.remote.until("the sixth line", lambda: self.current.all_inner_texts() == ["Line 5"])
        self.page.wait_for_timeout(600)
        check(self.panel.evaluate("panel => panel.scrollTop") == before, "it jumped back")

    def shows_text(self):
        """lyrics without times are shown as a text with verses, for the next item too"""
        self.panel.get_by_role("button", name="Line 5", exact=True).focus()
        self.ask("POST", "queue/next", {})
        self.panel.get_by_text("First verse").wait_for()
        check(self.panel.inner_text() == "First verse\nfirst refrain\n\nSecond verse", "the text is %r" % self.panel.inner_text())
        check(self.panel.get_by_role("button").count() == 0, "a line without time can be pressed")
        check(self.panel.get_attribute("tabindex") == "0", "keys cannot scroll the text")
        check(self.button.evaluate(IS_FOCUSED), "the focus is lost with the lines")
        self.picture("plain")
        volume = self.remote.state()["volume"]
        self.page.set_viewport_size({"width": 320, "height": 400})
        self.panel.focus()
        self.page.keyboard.press("ArrowDown")
        self.remote.until("a key scrolls the text", lambda: self.panel.evaluate("panel => panel.scrollTop") > 0)
        check(self.remote.state()["volume"] == volume, "the key changed the volume")
        self.page.set_viewport_size(PHONE)
        self.button.focus()

    def hides(self):
        """an item without lyrics has neither a button nor a panel, and the picture is shown"""
        self.ask("POST", "queue/next", {})
        self.button.wait_for(state="hidden")
        check(self.panel.is_hidden(), "the panel stays")
        check(self.remote.play.evaluate(IS_FOCUSED), "the focus is lost with the button")
        check(self.page.locator(".sleeve").is_visible(), "there is no picture")
        self.page.keyboard.press("l")
        check(self.panel.is_hidden(), "a key shows no lyrics")

    def shows_long(self):
        """of ten thousand lines few are elements, also after a seek to the end"""
        self.ask("POST", "queue/next", {})
        self.panel.wait_for()
        for time in (0, 30, 39.9):
            text = "Part %d" % ((time + EARLY) / 0.004)
            self.seek(time)
            self.remote.until(text, lambda: self.current.all_inner_texts() == [text])
            self.remote.until("it is in view", lambda: self.panel.evaluate(IN_VIEW))
            count = self.panel.evaluate("panel => panel.querySelectorAll('*').length")
            check(count <= ELEMENTS, "%d elements" % count)
            self.figures["elements"] = count

    ALL = [begins, opens, follows, tap_seeks, obeys_keys, lets_read, shows_text, hides, shows_long]


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    options.add_argument("--pictures", help="the beginning of the paths of screenshots")
    parsed = options.parse_args()
    report(lambda: run(parsed, Checks, (Checks.begins, Checks.opens), viewport=PHONE, has_touch=True, is_mobile=True))


if __name__ == "__main__":
    main()
