#!/usr/bin/env python3
"""Uses the web remote with a finger, in a real Chromium that emulates a phone, and compares the effect with the server's state.

usage: phone.py URL FOLDER [--chromium PATH] [--screenshot FILE]

FOLDER is a media root with at least four seekable files of at least 40 seconds. The second one has a picture of 1200 pixels,
the fourth one a picture in a format that the player does not scale.
Prints the output of checking.py, and exits with the same status.
"""
import pathlib

from browsing import DESK, PHONE, ask, layout_shift, open_page, settled
from checking import check, parser, report, run
from finger import Finger
from page import Remote

# The largest layout shift of a page without visible movement; up to 0.1 counts as good.
STILL = 0.02
# The playback time, in seconds, that may pass during another gesture.
MEANWHILE = 5

PICTURES = "list => list.map(({src, naturalWidth}) => [src.split('/').pop().split('&')[0], naturalWidth])"


class Checks:
    """Each method is one check, named by its docstring. They run in order, on one page."""

    def __init__(self, page, options):
        self.page = page
        self.options = options
        self.remote = Remote(page)
        self.finger = Finger(page)
        self.figures = {}
        self.files = sorted(path.as_uri() for path in pathlib.Path(options.folder).iterdir())

    def ask(self, method, path, body=None):
        return ask(self.page, method, path, body)

    def urls(self):
        return [entry["url"] for entry in self.ask("GET", "queue")["entries"]]

    def place(self, slider, part):
        """The point at a fraction of a slider's track, and the length of the track, in pixels."""
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        thumb = slider.evaluate("element => parseFloat(getComputedStyle(element).getPropertyValue('--thumb')) * 16")
        return box["x"] + thumb / 2 + part * (box["width"] - thumb), box["y"] + box["height"] / 2, box["width"] - thumb

    def begins(self):
        """the page loads, with a queue of three entries of which the second plays"""
        self.page.goto(self.options.url)
        self.ask("PUT", "queue", {"entries": [{"url": url} for url in self.files[:3]], "play": False})
        self.ask("PATCH", "player", {"volume": 0.2})
        self.ask("POST", "queue/%s/play" % self.ask("GET", "queue")["entries"][1]["id"])
        self.remote.until("it plays", lambda: self.remote.state()["timeControlStatus"] == "playing")
        check(self.remote.state()["currentItem"]["hasArtwork"], "the entry has no picture")

    def stays_still(self):
        """the layout does not move when the state, the queue and the picture arrive"""
        for name, size in (("desk", DESK), ("phone", PHONE)):
            is_phone = size is PHONE
            with open_page(self.options.url, self.page.context.browser, viewport=size, has_touch=is_phone, is_mobile=is_phone) as other:
                arrivals = [other.get_by_role("button", name="Pause", exact=True), other.locator("img:visible").first]
                # On a phone the queue has a tab of its own, and Now does not name the next entry.
                for what in arrivals + ([] if is_phone else [other.get_by_text("Next", exact=True)]):
                    what.wait_for()
                settled(other)
                shift, shifts = layout_shift(other)
            self.figures["layoutShift" + name.capitalize()] = round(shift, 4)
            check(shift < STILL, "on the %s a shift of %.4f: %s" % (name, shift, shifts))

    def tap_steps_volume(self):
        """a tap beside the thumb of the volume changes it by one step towards the tap"""
        x, y, _ = self.place(self.remote.volume, 1)
        for wanted in (0.25, 0.3):
            self.page.touchscreen.tap(x, y)
            self.remote.until("a step to %.2f" % wanted, lambda: abs(self.remote.state()["volume"] - wanted) < 0.001)
        self.page.touchscreen.tap(self.place(self.remote.volume, 0)[0], y)
        self.remote.until("a step back", lambda: abs(self.remote.state()["volume"] - 0.25) < 0.001)
        self.finger.swipe(x, y, -80, 0)
        self.page.wait_for_timeout(200)
        check(abs(self.remote.state()["volume"] - 0.25) < 0.001, "a finger beside the thumb made it %s" % self.remote.state()["volume"])
        check(float(self.remote.volume.input_value()) == 0.25, "the thumb is at %s" % self.remote.volume.input_value())

    def drag_moves_volume(self):
        """a finger on the thumb of the volume moves it by the same distance"""
        x, y, length = self.place(self.remote.volume, self.remote.state()["volume"])
        self.finger.swipe(x + 8, y, length / 4, 2)
        self.remote.until("a quarter more", lambda: abs(self.remote.state()["volume"] - 0.5) < 0.03)

    def scrolls(self):
        """a vertical swipe that begins on a slider scrolls, and changes neither the position nor the volume"""
        self.page.set_viewport_size({"width": PHONE["width"], "height": 520})
        for slider in (self.remote.position, self.remote.volume):
            self.page.evaluate("scrollTo(0, 0)")
            box = slider.bounding_box()
            heard, volume = self.remote.heard(), self.remote.state()["volume"]
            before = self.page.evaluate("scrollY")
            self.finger.swipe(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2, 0, -100)
            self.remote.until("the page scrolls", lambda: self.page.evaluate("scrollY") > before)
            self.page.wait_for_timeout(200)
            check(0 <= self.remote.heard() - heard < MEANWHILE, "from %.2f s to %.2f s" % (heard, self.remote.heard()))
            check(self.remote.state()["volume"] == volume, "the volume is %s" % self.remote.state()["volume"])
        self.page.set_viewport_size(PHONE)
        self.page.evaluate("scrollTo(0, 0)")

    def tap_seeks(self):
        """a tap on the position bar seeks to its position"""
        duration = self.remote.state()["currentItem"]["duration"]
        x, y, _ = self.place(self.remote.position, 0.5)
        self.page.touchscreen.tap(x, y)
        self.remote.until("the middle", lambda: 0 <= self.remote.heard() - duration / 2 < MEANWHILE)

    def drag_seeks(self):
        """a horizontal swipe seeks; if the browser cancels it, the former position is restored"""
        duration = self.remote.state()["currentItem"]["duration"]
        self.remote.stop()
        x, y, length = self.place(self.remote.position, 0.25)
        self.finger.swipe(x, y, length / 4, 5)
        self.remote.until("the middle", lambda: abs(self.remote.heard() - duration / 2) < duration * 0.02)
        before = self.remote.heard()
        self.finger.swipe(x, y, -length / 8, 5, end="touchCancel")
        self.remote.until("back", lambda: abs(self.remote.heard() - before) < 0.1)

    def undoes(self):
        """opening a file replaces the queue with a message, and Undo restores the entries, the current one and its position"""
        entries, current, heard = self.urls(), self.remote.state()["currentItem"]["url"], self.remote.heard()
        self.page.get_by_role("link", name="Library").tap()
        name = pathlib.PurePosixPath(self.files[3]).name
        row = self.page.get_by_role("listitem").filter(has=self.page.get_by_title(name, exact=True))
        row.get_by_role("button", name="More for").tap()
        self.page.get_by_role("dialog").get_by_role("button", name="Play", exact=True).tap()
        self.page.get_by_role("status").filter(has_text="The queue was replaced. Undo restores its 3 entries").wait_for()
        check(self.urls() == [self.files[3]], "the queue is %s" % self.urls())
        self.page.get_by_role("button", name="Undo").click()
        self.page.get_by_role("status").filter(has_text="The queue was restored").wait_for()
        check(self.urls() == entries, "the queue is %s" % self.urls())
        self.remote.until("the same entry", lambda: self.remote.state()["currentItem"]["url"] == current)
        self.remote.until("at the same place", lambda: abs(self.remote.heard() - heard) < 0.1)
        check(self.remote.state()["rate"] == 0, "it plays, and was paused")
        self.page.get_by_role("link", name="Now", exact=True).tap()

    def shows_whole_pictures(self):
        """a picture is loaded in its shown size, or whole if the player cannot scale it"""
        def shown():
            pictures = self.page.locator("img:visible").evaluate_all(PICTURES)
            return pictures[0] if len(pictures) == 1 else pictures

        self.remote.until("a picture in a size", lambda: shown() in [["artwork?size=%d" % size, min(size, 1200)] for size in (128, 256, 512, 1024)])
        self.ask("PUT", "player/item", {"url": self.files[3], "play": False})
        self.remote.until("the whole picture", lambda: shown() == ["artwork", 1200])

    ALL = [begins, stays_still, tap_steps_volume, drag_moves_volume, scrolls, tap_seeks, drag_seeks, undoes, shows_whole_pictures]


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    parsed = options.parse_args()
    report(lambda: run(parsed, Checks, (Checks.begins,), viewport=PHONE, has_touch=True, is_mobile=True))


if __name__ == "__main__":
    main()
