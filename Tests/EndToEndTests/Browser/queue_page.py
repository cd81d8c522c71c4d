#!/usr/bin/env python3
"""Edits the queue in the web remote with a finger, a mouse and a keyboard, in a real Chromium, and compares the effect with the server's queue.

usage: queue_page.py URL FOLDER [--screenshots FOLDER]

FOLDER is a media root with at least four files. Prints one JSON object: {"ok", "checks": [{"name", "ok", "detail"}], "figures"}.
Exit status 0 if every check passed.
"""
import functools
import pathlib

from browsing import DESK, PHONE, WATCH_LIVE, barriers, complaints, open_browser, open_page, surplus_width
from checking import attempt, check, lines, parser, report, summary
from long_queue import LongQueueChecks
from queue_view import TITLES, QueueView

FOCUSED_TITLE = "document.activeElement.querySelector('.queue-title')?.textContent"


class Checks(LongQueueChecks, QueueView):
    """Each method is one check, named by its docstring. They run in order, on one page of a phone and one of a desk."""

    def shows_hostile_titles(self):
        """titles with markup, Arabic and 330 characters are shown as they are, without an error of the page"""
        self.refill()
        check(self.shown(self.phone) == TITLES, self.shown(self.phone))
        for page in (self.phone, self.desk):
            check(page.evaluate("window.broken === undefined"), "a title was executed")
            check(surplus_width(page) <= 0, "the page scrolls sideways")
            found = [one for one in barriers(page) if "queue" in one]
            check(not found, found)
        self.phone.get_by_role("button", name="More for “<script>").click()
        check(self.phone.get_by_role("dialog").get_by_role("heading").inner_text() == TITLES[1], "the sheet has another title")
        self.phone.keyboard.press("Escape")

    def plays_on_tap(self):
        """a tap on a row plays it, and a tap on the current one pauses it"""
        ids = self.refill()
        self.row(self.phone, "Seven").locator(".queue-main").tap()
        self.until("it plays", lambda: self.server.state().get("currentItem", {}).get("id") == ids[6])
        self.until("it is marked", lambda: self.phone.locator(".queue-main[aria-current=true] .queue-title").inner_text() == "Seven")
        self.until("it plays", lambda: self.server.state()["rate"] == 1)
        self.until("the next one is marked", lambda: self.row(self.phone, "Eight").locator("[data-next=Next]").count() == 1)
        self.row(self.phone, "Seven").locator(".queue-main").tap()
        self.until("it pauses", lambda: self.server.state()["rate"] == 0)

    def drags_by_handle(self):
        """a finger on a handle moves an entry with one request and one announcement, and plays nothing"""
        ids = self.refill()
        start, end = (self.center(self.row(self.phone, title).locator(".queue-handle")) for title in ("Eight", "Salt"))
        self.drag(start, end)
        moved = [ids[7]] + ids[:7] + ids[8:]
        self.until("the entry moves", lambda: self.server.ids() == moved)
        self.check_sent(1)
        said = self.heard(self.phone, "“Eight” is now 1 of 10.")
        check(said == ["“Eight” is now 1 of 10."], said)
        self.until("the page agrees", lambda: self.shown(self.phone)[0:1] == ["Eight"])
        check(self.server.state()["rate"] == 0, "it plays")

    def drags_after_press(self):
        """a finger that rests on a row lifts it; one that moves at once scrolls"""
        ids = self.refill()
        start, end = (self.center(self.row(self.phone, title).locator(".queue-main")) for title in ("Five", "Nine"))
        # The first move is too far for a finger that rests, and follows the touch without a pause.
        self.finger.path([(start[0], start[1] - distance) for distance in (0, 24, 48, 72, 96, 120)])
        self.check_sent(0)
        self.phone.locator(".queue-view .virtual-list").evaluate("list => list.scrollTo(0, 0)")
        self.drag(start, end, rest=self.phone.locator(".queue-row[data-lifted]").wait_for)
        self.until("the entry moves", lambda: self.server.ids() == ids[:4] + ids[5:9] + [ids[4]] + ids[9:])
        self.check_sent(1)

    def reorders_by_keyboard(self):
        """Space lifts, arrows move, Escape returns, Space drops; each is announced once, and one request is sent"""
        ids = self.refill()
        page = self.desk
        page.get_by_role("button", name="Move “Salt”").focus()
        page.keyboard.press("Space")
        said = self.heard(page, "“Salt” lifted, 1 of 10.")
        check(len(said) == 1, said)
        for position in (2, 3):
            page.keyboard.press("ArrowDown")
            said = self.heard(page, "“Salt”, %d of 10" % position)
            check(said == ["“Salt”, %d of 10" % position], said)
        check(self.shown(page)[2] == "Salt", self.shown(page))
        page.keyboard.press("Escape")
        said = self.heard(page, "“Salt” is back at 1 of 10.")
        check(said == ["“Salt” is back at 1 of 10."], said)
        check(self.shown(page)[0] == "Salt", self.shown(page))
        self.check_sent(0)
        page.keyboard.press("Space")
        page.keyboard.press("End")
        page.keyboard.press("ArrowUp")
        self.heard(page, "“Salt”, 9 of 10")
        check(page.evaluate("document.activeElement.ariaLabel") == "Move “Salt”", "the focus left the handle")
        page.keyboard.press("Space")
        self.until("it moved", lambda: self.server.ids() == ids[1:9] + [ids[0]] + ids[9:])
        self.until("the page agrees", lambda: self.shown(page)[8:9] == ["Salt"])
        said = self.heard(page, "“Salt” is now 9 of 10.")
        check(said == ["“Salt” is now 9 of 10."], said)
        self.check_sent(1)
        check(page.evaluate("document.activeElement.ariaLabel") == "Move “Salt”", "the focus did not follow the entry")

    def removes_and_undoes(self):
        """Delete removes an entry, announced once; Undo restores the exact ids; another remote undoes as well"""
        ids = self.refill()
        page = self.desk
        self.row(page, "Six").locator(".queue-main").focus()
        page.keyboard.press("Delete")
        self.until("it is removed", lambda: self.server.ids() == ids[:5] + ids[6:])
        self.until("the next one has the focus", lambda: page.evaluate(FOCUSED_TITLE) == "Seven")
        said = self.heard(page, "“Six” was removed.")
        check(said == ["“Six” was removed."], said)
        page.get_by_role("button", name="Undo").click()
        self.until("the ids are back", lambda: self.server.ids() == ids)
        self.until("the page agrees", lambda: self.shown(page)[5:6] == ["Six"])
        self.row(page, "Salt").locator(".queue-main").click(button="right")
        page.get_by_role("button", name="Move to the end").click()
        self.until("it moved", lambda: self.server.ids() == ids[1:] + ids[:1])
        self.server.ask("POST", "queue/undo", {})
        check(self.server.ids() == ids, "the other remote restored something else")
        self.until("the page agrees", lambda: self.shown(page) == TITLES)

    def clears_and_restores(self):
        """the queue is cleared and restored with its ids; the menu names who edited it last"""
        ids = self.refill()
        self.phone.get_by_role("button", name="More for the queue").tap()
        self.phone.get_by_role("button", name="Clear the queue").tap()
        self.until("it is empty", lambda: self.server.ids() == [])
        self.phone.get_by_text("The queue is empty.").wait_for()
        self.phone.get_by_role("button", name="Undo").tap()
        self.until("the ids are back", lambda: self.server.ids() == ids)
        self.server.ask("POST", "queue/remove", {"ids": ids[:2]})
        self.until("the page agrees", lambda: self.shown(self.phone)[:1] == TITLES[2:3])
        self.phone.get_by_role("button", name="More for the queue").tap()
        self.phone.get_by_role("button", name="Undo: 2 entries removed (kitchen)").tap()
        self.until("the ids are back", lambda: self.server.ids() == ids)

    def selects(self):
        """Control and Shift select entries, which are moved and removed together"""
        ids = self.refill()
        page = self.desk
        self.row(page, "Six").locator(".queue-main").click(modifiers=["Control"])
        self.row(page, "Eight").locator(".queue-main").click(modifiers=["Shift"])
        check(page.locator(".queue-main[aria-pressed=true]").count() == 3, "selected")
        page.get_by_role("group", name="Selected entries").get_by_role("button", name="Play next").click()
        self.until("they play next", lambda: self.server.ids() == ids[:1] + ids[5:8] + ids[1:5] + ids[8:])
        self.check_sent(1)
        self.until("the page agrees", lambda: self.shown(page)[1:2] == ["Six"])
        # A handle of a selected entry moves all of them.
        page.get_by_role("button", name="Move “Seven”").focus()
        page.keyboard.press("Space")
        page.keyboard.press("End")
        page.keyboard.press("Space")
        self.until("they are last", lambda: self.server.ids() == ids[:5] + ids[8:] + ids[5:8])
        page.keyboard.press("Delete")
        self.until("they are gone", lambda: self.server.ids() == ids[:5] + ids[8:])
        self.check_sent(3)
        page.get_by_role("button", name="Done").click()

    def shows_broken_entries(self):
        """an entry that cannot be played shows the reason, and can be tried again or removed"""
        missing = str(pathlib.Path(self.options.folder) / "missing.flac")
        entries = [{"url": self.files[0], "title": "Good"}, {"url": missing, "title": "Gone"}]
        self.server.ask("PUT", "queue", {"entries": entries, "keepUnplayable": True})
        self.row(self.phone, "Gone").locator(".queue-main").tap()
        dialog = self.phone.get_by_role("dialog")
        reason = dialog.locator(".choices-note[data-error]").inner_text()
        check(reason and self.row(self.phone, "Gone").locator(".queue-more").inner_text() == reason, reason)
        dialog.get_by_role("button", name="Try again").wait_for()
        dialog.get_by_role("button", name="Remove").tap()
        self.until("it is removed", lambda: len(self.server.ids()) == 1)

    def saves(self):
        """the queue is saved as a playlist file"""
        self.refill()
        self.phone.get_by_role("button", name="More for the queue").tap()
        with self.phone.expect_download() as download:
            self.phone.get_by_role("button", name="Save as a playlist file").tap()
        text = pathlib.Path(download.value.path()).read_text()
        check(download.value.suggested_filename == "Queue.m3u8", download.value.suggested_filename)
        check(text.startswith("#EXTM3U\n") and text.count(self.files[0]) >= 1 and len(text.splitlines()) == 21, text)

    def shows_history(self):
        """the entries that were played before are listed, and a tap plays one again"""
        ids = self.refill()
        for index in (3, 5, 7):
            self.server.ask("POST", "queue/%s/play" % ids[index])
        self.phone.get_by_role("button", name="More for the queue").tap()
        self.phone.get_by_role("button", name="Played before").tap()
        rows = self.phone.get_by_role("dialog").get_by_role("listitem")
        rows.first.wait_for()
        check(rows.first.inner_text().strip().startswith("Six"), rows.first.inner_text())
        rows.first.get_by_role("button").tap()
        self.until("it plays", lambda: self.server.state()["currentItem"]["id"] == ids[5])

    def follows_others(self):
        """edits of another remote are shown without a request, and the focus stays on its entry"""
        ids = self.refill()
        page = self.desk
        self.row(page, "Seven").locator(".queue-main").focus()
        reads = []
        page.on("request", lambda request: "/queue" in request.url and reads.append(request.url))
        self.server.ask("POST", "queue/move", {"ids": [ids[6]], "index": 1})
        self.server.ask("POST", "queue/remove", {"ids": [ids[0], ids[9]]})
        self.until("it is shown", lambda: self.shown(page)[0:1] == ["Seven"] and len(self.shown(page)) == 8)
        check(page.evaluate(FOCUSED_TITLE) == "Seven", "the focus left its entry")
        check(not reads, reads)

    def complains_not(self):
        """the pages report no error, no violation of their policy and no foreign request"""
        for page in (self.phone, self.desk):
            # Media without lyrics and pictures are a 404, which the browser reports by itself.
            found = [text for text in complaints(page) if "404" not in text]
            check(not found, found)

    ALL = [shows_hostile_titles, plays_on_tap, drags_by_handle, drags_after_press, reorders_by_keyboard, removes_and_undoes, clears_and_restores,
           selects, shows_broken_entries, saves, shows_history, follows_others, *LongQueueChecks.ALL, complains_not]


def begin(pages):
    # The commands of a page are seen from the beginning of its connection.
    for page in pages:
        page.reload()
        page.evaluate("(%s)()" % WATCH_LIVE)


def run(options):
    results = []
    with open_browser(options.chromium) as browser:
        phone_kind = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "accept_downloads": True}
        address = options.url + "#/queue"
        with open_page(address, browser, **phone_kind) as phone, open_page(address, browser, viewport=DESK) as desk:
            checks = Checks(phone, desk, options)
            begin((phone, desk))
            for one in Checks.ALL:
                if options.only not in (None, one.__name__):
                    continue
                results.append(attempt(one.__doc__, functools.partial(one, checks), lambda error: "%s: %s" % (lines(error), str(error)[:1500])))
                if results[-1]["ok"]:
                    continue
                if options.screenshots:
                    for name, page in (("phone", phone), ("desk", desk)):
                        page.screenshot(path="%s/%s-%s.png" % (options.screenshots, one.__name__, name))
                begin((phone, desk))
    return summary(results, checks.figures)


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    options.add_argument("--screenshots", help="a folder for a picture of each failed check")
    options.add_argument("--only", help="the name of the only check")
    parsed = options.parse_args()
    report(lambda: run(parsed))


if __name__ == "__main__":
    main()
