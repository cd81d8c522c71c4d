"""The library of the web remote, as its checks use it."""
import pathlib
import re

from browsing import ask, watch
from page import Remote

# The ids of the entries that the page shows, the title of the current one in the queue, and that in the player.
SHOWN_QUEUE = """() => {
  const rows = [...document.querySelectorAll('.queue-row')].filter(row => row.checkVisibility());
  const current = rows.find(row => row.querySelector('[aria-current=true]'));
  return [rows.map(row => row.querySelector('.queue-lead').dataset.of).sort(), current?.querySelector('.queue-title').textContent ?? '',
    document.querySelector('[data-hook=mini-title]').textContent];
}"""


class LibraryView:
    """What a user does and sees in the library, and the queue of the server."""

    def __init__(self, page, options):
        self.page = page
        self.options = options
        self.remote = Remote(page)
        self.figures = {}
        self.root = pathlib.Path(options.folder)
        watch(page, options.url)

    def ask(self, method, path, body=None):
        return ask(self.page, method, path, body)

    def queue(self):
        """The files of the queue, by their names."""
        return [pathlib.PurePosixPath(self.page.evaluate("decodeURIComponent", entry["url"])).name for entry in self.ask("GET", "queue")["entries"]]

    def ids(self):
        return [entry["id"] for entry in self.ask("GET", "queue")["entries"]]

    def current(self):
        state = self.remote.state()
        return pathlib.PurePosixPath(self.page.evaluate("decodeURIComponent", state.get("currentItem", {}).get("url", ""))).name

    def put(self, *names, play=True):
        """Begins with a queue of these files."""
        queue = self.ask("PUT", "queue", {"entries": [{"url": str(self.root / name)} for name in names], "play": play})
        ids = sorted(entry["id"] for entry in queue["entries"])
        self.remote.until("the page has the queue", lambda: self.shows(ids))

    def shows(self, ids):
        """Whether the page shows exactly these entries, one of them as the current one, and the player the title of that one."""
        shown, title, player = self.page.evaluate(SHOWN_QUEUE)
        return shown == ids and (title == player and title != "" if ids else player == "No item is loaded")

    def until(self, what, condition):
        self.remote.until(what, condition)

    def go(self, folder=""):
        """Opens a folder by its address."""
        path = str(self.root / folder)
        self.page.evaluate("path => (location.hash = '#/library/' + encodeURIComponent(path))", path)
        self.page.get_by_role("heading", name=folder or self.root.name, exact=True).wait_for()

    def item(self, name):
        rows = self.page.get_by_role("list", name="Files and folders").get_by_role("listitem")
        quoted = re.sub(r'["\\\n]', lambda match: "\\%x " % ord(match[0]), name)
        return rows.filter(has=self.page.locator('[title="%s"]' % quoted))

    def main(self, name):
        return self.item(name).locator("button").first

    def choose(self, name, choice):
        """Chooses from the menu of a row."""
        self.item(name).get_by_role("button", name="More for").click()
        self.page.get_by_role("dialog").get_by_role("button", name=choice, exact=True).click()

    def act(self, name):
        """Presses one of the three buttons of the folder or of the selection."""
        self.page.locator(".library-header").get_by_role("button", name=name, exact=True).click()

    def undo(self, offer=""):
        """Undoes the edit that the page offers to undo with this text."""
        place = self.page.locator("[data-hook=undo]").filter(has_text=offer)
        place.get_by_role("button", name="Undo", exact=True).click()
        self.page.get_by_role("status").filter(has_text="The queue was restored").wait_for()

    def sheet(self):
        self.page.get_by_role("button", name="Open…").click()
        return self.page.get_by_role("dialog", name="Open address")
