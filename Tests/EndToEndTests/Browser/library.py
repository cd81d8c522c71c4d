#!/usr/bin/env python3
"""Finds media in the web remote's library and search, opens addresses, and compares the effect with the server's queue, in a real Chromium.

usage: library.py URL FOLDER [--chromium PATH] [--screenshot FILE]

FOLDER is the only media root, with these folders: Album (four media with titles, list.m3u8, and the folder Extras with one medium), Names (media with
hostile names), Many (3,000 media), Other (two media). Prints the output of checking.py, and exits with the same status.
"""
import re

from browsing import DESK, PHONE, WATCH_LIVE, barriers, complaints, open_page, settled, surplus_width
from checking import THOROUGH, check, parser, report, run
from library_addresses import AddressChecks
from library_lists import ListChecks
from library_queue import QueueChecks

# Keys of the tables of texts that are shown, because a language lacks a text.
MISSING_TEXTS = """() => [...document.querySelectorAll('*')].flatMap(element => [element.ariaLabel, element.title, element.placeholder,
  element.childElementCount === 0 && element.textContent]).filter(text => /^(library|shell)\\.\\w/.test(text))"""


class Checks(QueueChecks, AddressChecks, ListChecks):
    """Each method is one check, named by its docstring. They run in order, on one page."""

    def keyboard(self):
        """by the keyboard alone an album is found, its file is chosen to play next, and the focus is never lost"""
        self.put("Other/a.wav", "Other/b.wav")
        self.page.get_by_role("navigation", name="Views").get_by_role("link", name="Search").click()
        self.page.get_by_role("navigation", name="Views").get_by_role("link", name="Library").focus()
        self.page.keyboard.press("Enter")
        self.item("Album").wait_for()
        for _ in range(40):
            self.page.keyboard.press("Tab")
            settled(self.page)
            if self.page.evaluate("!!document.activeElement.closest('.library-view .virtual-list')"):
                break
        self.page.keyboard.press("End")
        self.page.keyboard.press("Home")
        self.until("the focus on the first folder", lambda: self.focused() == "Album")
        self.page.keyboard.press("Enter")
        self.item("02 Two.flac").wait_for()
        self.until("the first row", lambda: self.focused() == "Extras")
        for _ in range(2):
            self.page.keyboard.press("ArrowDown")
        self.until("the focus on the third row", lambda: self.focused() == "Two")
        self.page.keyboard.press("Tab")
        self.page.keyboard.press("Enter")
        menu = self.page.get_by_role("dialog", name="Two")
        menu.wait_for()
        for _ in range(10):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("document.activeElement.textContent") == "Play next":
                break
        self.page.keyboard.press("Enter")
        self.until("next", lambda: self.queue() == ["a.wav", "02 Two.flac", "b.wav"])
        self.until("the focus on the opener", lambda: (self.page.evaluate("document.activeElement.ariaLabel") or "").startswith("More for"))
        self.page.evaluate("history.back()")
        self.item("Album").wait_for()
        self.until("the focus on the folder", lambda: self.focused() == "Album")

    def focused(self):
        return self.page.evaluate("document.activeElement.querySelector('.item-name')?.textContent ?? document.activeElement.outerHTML.slice(0, 80)")

    def searches(self):
        """a search finds files, folders and entries of the queue, says what was searched, and can be repeated"""
        self.put("Other/a.wav", "Other/b.wav")
        self.page.evaluate("location.hash = '#/search'")
        field = self.page.get_by_role("searchbox")
        results = self.page.get_by_role("list", name="Results")
        field.fill("three")
        results.get_by_text("Three", exact=True).wait_for()
        self.page.get_by_text(re.compile("Searched: the queue, and all \\d+ folders")).wait_for()
        results.get_by_role("button", name="More for").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Play next").click()
        self.until("next", lambda: self.queue() == ["a.wav", "03 Three.flac", "b.wav"])
        field.fill("b.wav")
        results.get_by_role("listitem").filter(has_text="In the queue").locator("button").first.click()
        self.until("the entry plays", lambda: self.current() == "b.wav" and len(self.ids()) == 3)
        field.fill("inner")
        results.get_by_role("button", name="More for “inner.wav”").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Show in its folder").click()
        self.page.get_by_role("heading", name="Extras").wait_for()
        self.page.go_back()
        field.fill("nothing has this name")
        self.page.get_by_text("Nothing was found").first.wait_for()
        field.fill("")
        self.page.get_by_role("button", name="three", exact=True).click()
        results.get_by_text("Three", exact=True).first.wait_for()
        # A link, such as that of an artist in the view Now, searches for its text.
        self.page.evaluate("location.hash = '#/search/two'")
        results.get_by_text("Two", exact=True).first.wait_for()
        check(field.input_value() == "two", field.input_value())

    def speaks_once(self):
        """each act is announced exactly once"""
        self.dismiss()
        self.put("Other/a.wav", "Other/b.wav")
        self.page.locator("[data-hook=notice]").filter(has_text="changed the queue.").wait_for()
        self.dismiss()
        self.until("no news are shown", lambda: not self.page.locator(".notice-place").inner_text().strip())
        self.go("Album")
        self.page.evaluate(WATCH_LIVE)
        acts = {"“Album” was added to the end.": lambda: self.act("Add to the end"),
                "“Extras” plays next.": lambda: self.choose("Extras", "Play next")}
        for wanted, act in acts.items():
            self.page.evaluate("window.heard.length = 0")
            act()
            self.until("an announcement: " + wanted, lambda: any(text.startswith(wanted) for text in self.announced()))
            settled(self.page)
            self.page.wait_for_timeout(1200)  # In this time another announcement would follow.
            heard = self.announced()
            check(len(heard) == 1 and heard[0].startswith(wanted), "a screen reader reads %s" % heard)

    def dismiss(self):
        """Dismisses the news about other clients, if the page shows any."""
        self.page.locator("[data-hook=notice-dismiss]").evaluate("button => button.click()")

    def announced(self):
        """What screen readers have read, without the marks of the direction of text."""
        return [re.sub("[\u2066-\u2069]", "", text) for text in self.page.evaluate("window.heard")]

    def has_no_barriers(self):
        """axe finds no barrier in the library, the selection, the sheets and the search, in both themes and three languages"""
        browser = self.page.context.browser
        # In English the other checks read every text.
        for locale, scheme, size in (*((("en", "light", PHONE),) if THOROUGH else ()), ("de", "dark", DESK), ("ar", "light", PHONE)):
            with open_page(self.options.url, browser, locale=locale, color_scheme=scheme, viewport=size) as page:
                places = {"folders": lambda: None, "selection": lambda: page.locator(".library-choices .icon-button").click(),
                          "menu": lambda: (page.keyboard.press("Escape"), page.locator(".item-more").first.click())}
                page.evaluate("path => (location.hash = '#/library/' + encodeURIComponent(path))", str(self.root / "Album"))
                page.locator(".item-name").first.wait_for()
                for name, enter in places.items():
                    enter()
                    settled(page)
                    self.judge(page, "%s %s %s" % (name, locale, scheme))
                page.keyboard.press("Escape")
                page.evaluate("location.hash = '#/search'")
                page.get_by_role("searchbox").fill("one")
                page.locator(".search-view .item-name").first.wait_for()
                self.judge(page, "search %s %s" % (locale, scheme))
                check(not complaints(page), "the console says: %s" % complaints(page))

    def judge(self, page, where):
        found = barriers(page)
        check(not found, "%s: %s" % (where, found))
        missing = page.evaluate(MISSING_TEXTS)
        check(not missing, "%s: texts are missing: %s" % (where, missing))
        check(surplus_width(page) <= 0, "%s: the page is too wide" % where)

    def stays_quiet(self):
        """nothing was reported on the console, including violations of the content security policy"""
        # The browser reports each 4xx as an error of its own; here some are expected.
        found = [text for text in complaints(self.page) if "Failed to load resource" not in text]
        check(not found, "the console says: %s" % found)

    ALL = [*QueueChecks.ALL, *AddressChecks.ALL, *ListChecks.ALL, keyboard, searches, speaks_once, has_no_barriers, stays_quiet]


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    parsed = options.parse_args()
    report(lambda: run(parsed, Checks, (Checks.begins,), viewport=DESK, locale="en"))


if __name__ == "__main__":
    main()
