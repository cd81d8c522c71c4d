#!/usr/bin/env python3
"""Does what new users want to do, with the web remote alone, on a phone or with the mouse of a desk, and counts the taps or clicks.

usage: tasks.py URL FOLDER [--desk] [--pictures PREFIX] [--only NAME]

FOLDER is the only media root, with the folders First and Second: albums of two songs of ten minutes, "One" and "Two", and "Three" and "Four". The
daemon at URL uses a sound server with the devices Desk and Bathroom. No task may take more than four taps; a drag counts as a tap, typing does not.
With --pictures, a screenshot is written after each tap. Prints the output of checking.py with the taps of each task, and exits with the same status.
"""
import pathlib

from browsing import DESK, PHONE, complaints, settled, until, watch
from checking import check, parser, report, run
from client import Client
from finger import Finger

MOST_TAPS = 4


class Checks:
    """Each method is one task, named by its docstring. A task begins on the view Now playing, while "One" plays."""

    def __init__(self, page, options):
        self.page, self.options, self.figures = page, options, {}
        self.finger, self.client = Finger(page), Client(options.url)
        self.task, self.taps = "", []
        watch(page, options.url)

    def until(self, what, condition):
        until(self.page, what, condition)

    # What a thumb or a mouse does

    def tap(self, role, name, exact=True):
        """Taps what a screen reader calls `name`; within the open sheet if there is one."""
        sheet = self.page.get_by_role("dialog")
        place = sheet if sheet.count() and sheet.first.is_visible() else self.page
        found = place.get_by_role(role, name=name, exact=exact).locator("visible=true").first
        (found.click if self.options.desk else found.tap)()
        self.tapped(name)

    def open_menu(self, name, exact=True):
        """Taps a button that opens a menu, and waits for the menu: a tap returns before the page knows of it."""
        self.tap("button", name, exact)
        self.page.get_by_role("dialog").wait_for()

    def tapped(self, name):
        self.taps.append(name)
        if self.options.pictures:
            self.page.wait_for_timeout(500)
            self.page.screenshot(path="%s-%s-%d.png" % (self.options.pictures, self.task, len(self.taps)))

    def box(self, name):
        return self.page.get_by_role("slider", name=name, exact=True).bounding_box()

    def done(self, name):
        self.figures[name] = self.taps
        if self.options.pictures:
            self.page.wait_for_timeout(500)
            self.page.screenshot(path="%s-%s-done.png" % (self.options.pictures, self.task))
        check(len(self.taps) <= MOST_TAPS, "%d taps: %s" % (len(self.taps), ", ".join(self.taps)))

    def begin(self, task, seconds=20):
        self.task = task
        self.client.play_album(pathlib.Path(self.options.folder, "First"))
        self.page.goto("about:blank")
        self.page.goto(self.options.url)
        self.page.get_by_role("heading", name="One", exact=True).wait_for()
        self.client.ask("POST", "player/seek", {"time": seconds})
        self.page.locator("[data-connection=open]").first.wait_for(state="attached")
        settled(self.page)
        self.taps = []

    # The tasks

    def plays_next_album(self):
        """play an album after this song"""
        self.begin("plays-next-album")
        self.tap("link", "Library")
        self.open_menu("More for “Second”")
        self.tap("button", "Play next")
        self.until("the album is next", lambda: self.client.names() == ["One", "Four", "Three", "Two"])
        self.done("play an album next")

    def turns_down(self):
        """turn it down"""
        self.begin("turns-down")
        box = self.box("Volume")
        y, left = box["y"] + box["height"] / 2, box["x"] + 14
        width = box["width"] - 28
        path = [(left + width * (0.6 - step * 0.05), y) for step in range(7)]
        if self.options.desk:
            self.page.mouse.move(*path[0])
            self.page.mouse.down()
            for point in path[1:]:
                self.page.mouse.move(*point)
            self.page.mouse.up()
        else:
            self.finger.path(path)
        self.tapped("Volume (drag)")
        self.until("quieter", lambda: 0.2 < self.client.state()["volume"] < 0.4)
        self.done("turn it down")

    def sleeps(self):
        """sleep in half an hour"""
        self.begin("sleeps")
        self.tap("button", "Sleep", exact=False)
        self.tap("button", "30 min")
        self.until("the timer", lambda: 900 < self.client.ask("GET", "sleep-timer")["remaining"] <= 1800)
        self.done("sleep in half an hour")

    def returns(self):
        """go back to where I was"""
        self.begin("returns", seconds=20)
        self.page.wait_for_timeout(2500)
        box = self.box("Position")
        (self.page.mouse.click if self.options.desk else self.finger.tap)(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
        self.until("far ahead", lambda: self.client.ask("GET", "player/time")["currentTime"] > 400)
        self.tap("button", "Undo ", exact=False)
        self.until("back", lambda: 20 <= self.client.ask("GET", "player/time")["currentTime"] < 400)
        self.done("go back to where I was")

    def loops(self):
        """repeat a passage"""
        self.begin("loops")
        heard = lambda: self.client.ask("GET", "player/time")["currentTime"]
        before = heard()
        self.tap("button", "More")
        self.tap("button", "From here (A)")
        middle = heard() + 1
        self.until("a second later", lambda: heard() > middle)
        self.tap("button", "To here (B)")
        self.until("the passage", lambda: "loop" in self.client.state())
        passage = self.client.state()["loop"]
        check(before <= passage["start"] < middle < passage["end"], "the passage %s around %s, from %s on" % (passage, middle, before))
        self.done("repeat a passage")

    def speeds_up(self):
        """play faster"""
        self.begin("speeds-up")
        self.tap("button", "Speed", exact=False)
        self.tap("button", "1.5×")
        self.until("faster", lambda: self.client.state()["rate"] == 1.5)
        self.done("play faster")

    def moves_output(self):
        """play on another device"""
        self.begin("moves-output")
        self.tap("button", "Output", exact=False)
        self.tap("radio", "Bathroom", exact=False)
        self.until("it plays there", lambda: self.client.state()["output"].get("name") == "Bathroom")
        self.done("play on another device")

    def removes_and_undoes(self):
        """remove an entry, and undo that"""
        self.begin("removes-and-undoes")
        if not self.options.desk:
            self.tap("link", "Queue")
        self.open_menu("More for “Two”")
        self.tap("button", "Remove")
        self.until("removed", lambda: self.client.names() == ["One"])
        self.tap("button", "Undo")
        self.until("restored", lambda: self.client.names() == ["One", "Two"])
        self.done("remove an entry, and undo")

    def finds(self):
        """find a song, and play it next"""
        self.begin("finds")
        self.tap("link", "Search")
        self.tap("searchbox", "Search the queue and the folders")
        self.until("the field has the focus", lambda: self.page.evaluate("document.activeElement.type") == "search")
        self.page.keyboard.type("four")
        self.open_menu("More for “Four", exact=False)
        self.tap("button", "Play next")
        self.until("the song is next", lambda: self.client.names() == ["One", "Four", "Two"])
        self.done("find a song, play it next")

    def knows_format(self):
        """see which format it is, and what happens to it"""
        self.begin("knows-format")
        self.tap("button", "Signal path: ", exact=False)
        self.page.get_by_role("dialog", name="Details").get_by_text("44.1 kHz").first.wait_for()
        self.page.get_by_role("dialog", name="Details").get_by_text("Signal path").wait_for()
        self.done("see the format")

    def stays_quiet(self):
        """no error is logged"""
        check(complaints(self.page) == [], str(complaints(self.page)))

    ALL = [plays_next_album, turns_down, sleeps, returns, loops, speeds_up, moves_output, removes_and_undoes, finds, knows_format, stays_quiet]


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    options.add_argument("--desk", action="store_true", help="uses the mouse in a window of a desk, in place of a finger on a phone")
    options.add_argument("--pictures", help="the beginning of the names of the screenshots")
    options.add_argument("--only", help="a part of the names of the tasks to do")
    parsed = options.parse_args()
    if parsed.only:
        Checks.ALL = [one for one in Checks.ALL if parsed.only in one.__name__]
    context = {"viewport": DESK} if parsed.desk else {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    report(lambda: run(parsed, Checks, (), locale="en", **context))


if __name__ == "__main__":
    main()
