"""The views of the web remote, as the checks of the whole page open them."""
import pathlib

from browsing import DESK, ask, complaints, open_page, until
from checking import check

VIEWS = ["now", "queue", "library", "search", "settings"]
# The largest sum of the layout shifts of a page that stays still.
SHIFT = 0.02
TOUCH = {"has_touch": True, "is_mobile": True}


class ShellView:
    """Opens the page in any size, fills the queue, and reads what the page shows."""

    def __init__(self, browser, options):
        self.browser, self.options, self.figures = browser, options, {}
        self.files = sorted(path.as_uri() for path in pathlib.Path(options.folder).iterdir() if path.suffix != ".lrc")

    def open(self, fragment="", size=DESK, **context):
        touch = TOUCH if size["width"] < 700 else {}
        return open_page(self.options.url + fragment, self.browser, viewport=size, **touch, **context)

    def fill(self, page, index=1, play=False, titles=()):
        entries = [{"url": url} for url in self.files[:6]]
        for entry, title in zip(entries, titles):
            if title:
                entry["title"] = title
        ask(page, "PUT", "queue", {"entries": entries, "startIndex": index, "play": play})
        self.button(page, "Pause" if play else "Play").wait_for()
        self.until("the entry is ready", lambda: ask(page, "GET", "player").get("currentItem", {}).get("status") == "readyToPlay", page)

    def until(self, what, condition, page):
        until(page, what, condition)

    def button(self, page, name):
        """A control of playback. Views and notices have buttons of the same name."""
        return page.get_by_role("region", name="Player").get_by_role("button", name=name, exact=True)

    def index(self, page):
        return ask(page, "GET", "player")["queue"]["index"]

    def is_view(self, page, view):
        return page.evaluate("document.documentElement.dataset.view") == view

    def clean(self, page):
        # The browser reports each 4xx as an error of its own: an item without lyrics is one.
        found = [text for text in complaints(page) if "status of 404" not in text]
        check(not found, "the page reports %s" % found)

    def picture(self, page, name):
        if self.options.pictures:
            page.screenshot(path="%s-%s-%d.png" % (self.options.pictures, name, page.viewport_size["width"]))
