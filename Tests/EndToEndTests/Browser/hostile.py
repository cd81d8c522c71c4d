#!/usr/bin/env python3
"""Shows media with hostile texts in every view, sheet and state of the web remote, on a phone and a desk.

usage: hostile.py URL FOLDER CLOSED [--only NAME] [--chromium PATH] [--screenshot FILE]

FOLDER is the only media root of the player at URL. Its files are TEXTS in order, as titles, artists and albums: "0.flac" to "4.flac", "5.flac"
without any tag, and "book.m4a" with a chapter for each text. CLOSED is the address of a player that requires a token. In no view and sheet may a
text be executed, make the page wider than its window, or make the browser report an error, a violation of the policy or a request to another server.
Prints the output of checking.py, and exits with the same status.
"""
import itertools
import pathlib
import re

from browsing import DESK, PHONE, complaints, open_browser, open_page, settled, surplus_width, until
from checking import THOROUGH, attempt, check, parser, report, summary
from client import Client

TEXTS = ["<script>window.broken=1</script><img src=x onerror='window.broken=1'>", "🎧🎶👩‍👩‍👧‍👦", "أغنية الليل الطويل", "Long " * 60, "a" * 300]
NAME = "<b onclick='window.broken=1'>kitchen"
SIZES = {"phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True}, "desk": {"viewport": DESK}}
SHEETS = ["speed", "sleep", "chapters", "output", "more"]


class Checks:
    """Each method is one check, named by its docstring."""

    def __init__(self, browser, options):
        self.browser, self.options = browser, options
        self.root = pathlib.Path(options.folder)
        self.figures = {"places": []}
        self.sizes = itertools.cycle(SIZES.items())
        # Another client, with a hostile name.
        self.ask = Client(options.url, NAME).ask

    def play(self, name):
        """Plays a file of the folder, followed by all others and one that does not exist."""
        names = [name, *sorted(path.name for path in self.root.iterdir() if path.name != name), TEXTS[0].replace("/", "") + ".flac"]
        self.ask("PUT", "queue", {"entries": [{"url": str(self.root / one)} for one in names], "startIndex": 0, "play": True,
                                   "keepUnplayable": True})
        until(None, "it is ready", lambda: self.ask("GET", "player")["currentItem"]["status"] == "readyToPlay")

    # What the page may not do

    def look(self, page, place):
        settled(page)
        self.figures["places"].append(place)
        check(page.evaluate("window.broken") is None, "%s: a text was executed" % place)
        check(page.locator("script:not([src]), img[src=x], [onerror], [onclick]").count() == 0, "%s: a text became an element" % place)
        check(surplus_width(page) <= 0, "%s: %d px too wide" % (place, surplus_width(page)))

    def clean(self, page):
        # The browser reports each 4xx as an error of its own: an item without lyrics or a picture is one, and so is a wrong token.
        found = [text for text in complaints(page) if not re.search("status of (404|401)|HTTP Authentication failed", text)]
        check(not found, "the page reports %s" % found)

    def go(self, page, fragment):
        page.evaluate("fragment => (location.hash = fragment)", fragment)

    def each(self):
        """Opens the page on a phone and on a desk; without a thorough run on one of them, in turn."""
        for name, kind in SIZES.items() if THOROUGH else [next(self.sizes)]:
            with open_page(self.options.url, self.browser, **kind) as page:
                yield name, page
                self.clean(page)

    def close(self, page):
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="hidden")

    # The checks

    def shows_views(self):
        """each text in every view: now, queue, library, search and settings"""
        for size, page in self.each():
            for index in range(len(TEXTS) + 1):
                wanted = " ".join(TEXTS[index].split()) if index < len(TEXTS) else "5"
                self.play("%d.flac" % index)
                self.go(page, "#/now")
                heading = page.get_by_role("main").get_by_role("heading").first
                until(page, "the title %r" % wanted[:20], lambda: wanted in " ".join(heading.inner_text().split()))
                self.look(page, "%s, now, %d" % (size, index))
                for view in ("queue", "library", "search/" + ("abcdef"[index] if index > 2 else TEXTS[index][:6]), "settings"):
                    self.go(page, "#/" + view)
                    self.look(page, "%s, %s, %d" % (size, view.split("/")[0], index))

    def shows_sheets(self):
        """the sheets of Now, with hostile chapters and the details of the item, and the help"""
        self.play("book.m4a")
        for size, page in self.each():
            page.locator(".row-button[data-name=chapters]").wait_for()
            for name in SHEETS:
                page.locator(".row-button[data-name=%s]" % name).click()
                page.get_by_role("dialog").wait_for()
                self.look(page, "%s, sheet %s" % (size, name))
                for link in ("Details", "History") if name == "more" else ():
                    page.get_by_role("dialog").get_by_role("button", name=link, exact=True).click()
                    page.get_by_role("dialog", name=link).wait_for()
                    self.look(page, "%s, sheet %s" % (size, link))
                    self.close(page)
                    page.locator(".row-button[data-name=more]").click()
                self.close(page)
            page.locator("[data-hook=help]").click()
            self.look(page, "%s, help" % size)
            self.close(page)

    def shows_queue_sheets(self):
        """the menus, details and history of the queue, and an entry that cannot be played"""
        for index in (0, 3, 4):
            self.play("%d.flac" % index)
            self.ask("POST", "queue/next", {})
            for size, page in self.each():
                self.go(page, "#/queue")
                row = page.locator(".queue-row").first
                row.wait_for()
                row.locator(".queue-menu").click()
                self.look(page, "%s, entry, %d" % (size, index))
                page.get_by_role("dialog").get_by_role("button", name="Details").click()
                page.locator("dialog dl.facts").wait_for()
                self.look(page, "%s, details, %d" % (size, index))
                self.close(page)
                row.locator(".queue-menu").click()
                page.get_by_role("dialog").get_by_role("button", name="Move to a position…").click()
                self.look(page, "%s, position, %d" % (size, index))
                self.close(page)
                page.get_by_role("button", name="More for the queue").click()
                self.look(page, "%s, queue menu, %d" % (size, index))
                page.get_by_role("dialog").get_by_role("button", name="Played before").click()
                page.get_by_role("dialog").get_by_role("listitem").first.wait_for()
                self.look(page, "%s, history, %d" % (size, index))
                self.close(page)
        for size, page in self.each():
            last = self.ask("GET", "queue?limit=500")["entries"][-1]["id"]
            self.ask("POST", "queue/%s/play" % last)
            page.get_by_text("cannot be played").first.wait_for()
            self.look(page, "%s, broken entry" % size)

    def shows_library_sheets(self):
        """the menu of a file, the report of an edit with its undo, and a refused address"""
        for size, page in self.each():
            self.play("0.flac")
            self.go(page, "#/library")
            for index in (0, 3, 4):
                page.locator(".item").nth(index).locator(".item-more").click()
                page.get_by_role("dialog").wait_for()
                self.look(page, "%s, file, %d" % (size, index))
                page.get_by_role("dialog").get_by_role("button", name="Play next").click()
                page.get_by_role("button", name="Undo", exact=True).wait_for()
                self.look(page, "%s, undo, %d" % (size, index))
                page.locator("[data-hook=undo-dismiss]").click()
            page.get_by_role("button", name="Open…").click()
            page.get_by_role("textbox", name="Addresses of files").fill("%s/0.flac\n%s/%s" % (self.root, self.root, TEXTS[0]))
            page.get_by_role("dialog").get_by_role("button", name="Play", exact=True).click()
            page.get_by_role("dialog").get_by_role("status").filter(has_text="Line 2").wait_for()
            self.look(page, "%s, refused address" % size)

    def shows_news(self):
        """what a client with a hostile name does"""
        for size, page in self.each():
            self.play("0.flac")
            page.locator("[data-connection=open]").first.wait_for(state="attached")
            settled(page)
            self.ask("POST", "player/pause", {})
            page.get_by_text(NAME).first.wait_for()
            self.look(page, "%s, news" % size)

    def unlocks(self):
        """the dialog that asks for the token, and a wrong one"""
        for size, kind in SIZES.items():
            with open_page(self.options.closed, self.browser, **kind) as page:
                page.get_by_role("dialog").wait_for()
                self.look(page, "%s, unlock" % size)
                page.get_by_label("The player printed").fill(TEXTS[0])
                page.keyboard.press("Enter")
                page.get_by_role("alert").filter(has_text="token").wait_for()
                self.look(page, "%s, wrong token" % size)
                self.clean(page)

    ALL = [shows_views, shows_sheets, shows_queue_sheets, shows_library_sheets, shows_news, unlocks]


def results(options):
    found = []
    with open_browser(options.chromium) as browser:
        checks = Checks(browser, options)
        for one in Checks.ALL:
            if options.only and options.only not in one.__name__:
                continue
            found.append(attempt(one.__doc__, lambda: one(checks), lambda error: "%s: %s" % (checks.figures["places"][-1:], error)))
    checks.figures["places"] = len(checks.figures["places"])
    return summary(found, checks.figures)


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    options.add_argument("closed")
    options.add_argument("--only", help="a part of the names of the checks to run")
    parsed = options.parse_args()
    report(lambda: results(parsed))


if __name__ == "__main__":
    main()
