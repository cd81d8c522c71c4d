#!/usr/bin/env python3
"""Uses the web remote by the keyboard alone, and again by roles and names alone, as a screen reader does, and counts the announcements.

usage: keyboard.py URL FOLDER TOKEN [--only NAME] [--chromium PATH] [--screenshot FILE]

The daemon at URL requires TOKEN, and uses a sound server with the devices Desk and Bathroom. FOLDER is the only media root, with the folders First
and Second: albums of two songs, "One" and "Two", and "Three" and "Four", of some minutes. The first hand knows only keys and the element with the
focus. The second one knows only the browser's accessibility tree: it finds an element by role and name, and performs its action. Each act must be
announced exactly once, and must leave the focus on an element of the page. Prints the output of checking.py, and exits with the same status.
"""
import pathlib
import re

from browsing import DESK, WATCH_LIVE, barriers, complaints, settled, until, watch
from checking import THOROUGH, check, parser, report, run
from client import Client
from focus_rings import FocusRings
from hands import Keyboard, Reader

# The time in which a second announcement would follow, in milliseconds.
QUIET = 700
VIEWS = ["now", "queue", "library", "search", "settings"]


class Checks:
    """Each method is one check, named by its docstring. They run in order, on one page."""

    def __init__(self, page, options):
        self.page, self.options, self.figures = page, options, {}
        self.client = Client(options.url, token=options.token)
        watch(page, options.url)
        page.add_init_script("addEventListener('DOMContentLoaded', %s)" % WATCH_LIVE)

    def until(self, what, condition):
        until(self.page, what, condition)

    # What an act leaves behind

    def quiet(self):
        """Waits until all that was done before is announced."""
        settled(self.page)
        self.page.wait_for_timeout(QUIET)

    def act(self, perform, text):
        """Performs an act, which is announced once, by a sentence that contains a text, and leaves the focus on an element."""
        self.page.evaluate("window.heard.length = 0")
        perform()
        self.until("an announcement with “%s”" % text, lambda: any(text in one for one in self.page.evaluate("window.heard")))
        self.quiet()
        heard = self.page.evaluate("window.heard")
        check(len(heard) == 1 and text in heard[0], "announced: %s" % heard)
        self.has_focus()

    def has_focus(self):
        check(self.page.evaluate("document.activeElement !== document.body && document.activeElement.checkVisibility()"), "the focus is lost")

    def uses(self, make):
        """Does every task with one hand, and writes down how many keys or actions it takes."""
        self.client.play_album(pathlib.Path(self.options.folder, "First"))
        self.page.context.clear_cookies()
        self.page.goto(self.options.url)
        self.page.evaluate("localStorage.clear(), sessionStorage.clear()")
        self.page.goto("about:blank")
        self.page.goto(self.options.url)
        hand, counts = make(self.page), {}

        def done(task):
            counts[task] = hand.count - sum(counts.values())
            self.figures[make.__name__] = counts

        self.page.get_by_role("dialog").wait_for()
        # The title that is announced stays.
        self.until("it plays", lambda: self.client.state()["timeControlStatus"] == "playing")
        hand.type("textbox", "The player printed the token", self.options.token)
        self.act(lambda: hand.activate("button", "Unlock"), "One")
        done("unlock")

        hand.activate("link", "Library", is_before=True)
        hand.activate_row("Files and folders", "Second")
        self.page.get_by_role("heading", name="Second", exact=True).wait_for()
        self.until("its first song has the focus", lambda: hand.tree.focused()[1].startswith("Four") or make is Reader)
        self.has_focus()
        done("find an album")

        self.quiet()
        self.act(lambda: hand.activate("button", "Add to the end", is_before=True), "was added to the end")
        self.until("the album is queued", lambda: self.client.names() == ["One", "Two", "Four", "Three"])
        done("queue it")

        hand.move("Entries of the queue", "Three", self)
        self.until("the entry has moved", lambda: self.client.names() == ["One", "Two", "Three", "Four"])
        done("reorder")

        self.quiet()
        hand.activate("button", "Sleep")
        self.act(lambda: hand.activate("button", "30 min"), "Sleep timer set")
        # The neighbours of this choice are 15 and 45 minutes.
        self.until("the timer", lambda: 900 < self.client.ask("GET", "sleep-timer")["remaining"] <= 1800)
        done("set sleep")

        hand.activate("button", "Output")
        self.page.get_by_role("dialog").get_by_role("radio", name="Bathroom").wait_for()
        self.quiet()
        for choose in hand.choose("Bathroom", 4):
            check(self.client.ask("GET", "outputs")["chosenId"] == "auto", "the way to an output has chosen another one")
            self.act(choose, "Plays on")
        self.until("it plays there", lambda: self.client.state()["output"].get("name") == "Bathroom")
        hand.close()
        self.has_focus()
        done("move the output")

        hand.activate("button", "More")
        self.quiet()
        self.act(lambda: hand.activate("button", "From here (A)"), "Passage begins")
        self.act(lambda: hand.activate("button", "To here (B)"), "Repeats")
        self.until("the passage", lambda: "loop" in self.client.state())
        passage = self.client.state()["loop"]
        check(passage["start"] < passage["end"] < self.client.state()["currentItem"]["duration"] - 60, "the passage is %s" % passage)
        hand.close()
        self.has_focus()
        done("loop a passage")

    def by_keyboard(self):
        """by the keyboard alone: unlock, find an album, queue it, reorder, set sleep, move the output, loop a passage; each act is announced once"""
        self.uses(Keyboard)

    def by_reader(self):
        """by role and name alone, in the accessibility tree: the same tasks, each act announced once"""
        self.uses(Reader)

    def shows_focus(self):
        """in every view and sheet Tab reaches every control and returns, and each focus is visible: named, not covered, with a ring"""
        self.client.ask("POST", "player/pause", {})
        self.page.emulate_media(reduced_motion="reduce")
        rings = FocusRings(self.page)
        self.figures["stops"] = rings.stops
        faults = []
        for view in VIEWS:
            self.page.evaluate("view => (location.hash = '#/' + view)", view)
            settled(self.page)
            faults += rings.walk(view)
        self.page.evaluate("location.hash = '#/now'")
        settled(self.page)
        for name in ("Speed", "Sleep", "Output", "More", "Help", "Open…"):
            self.page.get_by_role("button", name=name).locator("visible=true").first.focus()
            self.page.keyboard.press("Enter")
            self.page.get_by_role("dialog").wait_for()
            settled(self.page)
            faults += rings.walk(name)
            self.page.keyboard.press("Escape")
            self.page.get_by_role("dialog").wait_for(state="hidden")
        check(not faults, "\n".join(faults))

    def has_no_barriers(self):
        """axe-core finds no barriers in the present view"""
        found = barriers(self.page)
        check(found == [], "axe: %s" % found)

    def stays_quiet(self):
        """no error is logged"""
        # The browser reports each 4xx as an error of its own: an item without lyrics, and requests before the page is unlocked.
        found = [text for text in complaints(self.page) if not re.search("404|401|HTTP Authentication failed", text)]
        check(not found, found)

    # `tasks.py` finds controls by role and name too.
    ALL = [by_keyboard, *([by_reader] if THOROUGH else []), shows_focus, has_no_barriers, stays_quiet]


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    options.add_argument("token")
    options.add_argument("--only", help="a part of the names of the checks to run")
    parsed = options.parse_args()
    if parsed.only:
        Checks.ALL = [one for one in Checks.ALL if parsed.only in one.__name__]
    report(lambda: run(parsed, Checks, (), viewport=DESK, locale="en"))


if __name__ == "__main__":
    main()
