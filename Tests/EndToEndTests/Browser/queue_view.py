"""The queue of the web remote on a phone and a desk, as its checks use it."""
import json
import pathlib

from browsing import settled, until
from checking import check
from client import Client
from finger import Finger

TITLES = ["Salt", "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>", "أغنية طويلة 🎵",
          "Long title " * 30, "Five", "Six", "Seven", "Eight", "Nine", "Ten"]


class QueueView:
    """The queue on two pages, the requests that they send, and the queue of the server."""

    def __init__(self, phone, desk, options):
        self.phone, self.desk, self.options = phone, desk, options
        self.finger, self.server = Finger(phone), Client(options.url)
        self.files = [str(path) for path in sorted(pathlib.Path(options.folder).iterdir())]
        self.figures = {}
        self.sent = []
        for page in (phone, desk):
            page.on("request", lambda request: request.method != "GET" and self.sent.append(request.url.split("/api/v1/")[-1]))
            page.on("websocket", self.watch_socket)

    def watch_socket(self, socket):
        def sent(text):
            command = json.loads(text).get("command", "")
            if not command.startswith("get"):
                self.sent.append(command)
        socket.on("framesent", sent)

    def until(self, what, condition):
        until(self.phone, what, condition)

    def check_sent(self, count):
        """Fails unless the pages have sent this number of requests that change something."""
        for page in (self.phone, self.desk):
            settled(page)
        check(len(self.sent) == count, self.sent)

    def row(self, page, title):
        return page.locator(".queue-row").filter(has=page.locator(".queue-title", has_text=title))

    def shown(self, page):
        """The titles of the visible rows, from top to bottom."""
        return page.locator(".queue-row").evaluate_all("""rows => rows.filter(row => row.getBoundingClientRect().height > 0)
          .sort((a, b) => a.ariaPosInSet - b.ariaPosInSet).map(row => row.querySelector('.queue-title').textContent)""")

    def refill(self, titles=TITLES, **more):
        entries = [{"url": self.files[index % len(self.files)], **({"title": title} if title else {})} for index, title in enumerate(titles)]
        queue = self.server.ask("PUT", "queue", {"entries": entries, "startIndex": 0, "play": False, **more})
        for page in (self.phone, self.desk):
            page.locator(".queue-view .virtual-list").evaluate("list => list.scrollTop = 0")
        self.until("the queue is shown", lambda: all(
            page.locator(".queue-summary").inner_text().startswith(f"{len(titles):,} entr") and (self.shown(page) or [""])[0] == titles[0]
            for page in (self.phone, self.desk)))
        # What the pages say about the change of the player is no announcement of the following acts.
        for page in (self.phone, self.desk):
            settled(page)
        self.sent.clear()
        for page in (self.phone, self.desk):
            page.evaluate("window.heard.length = 0")
        return [entry["id"] for entry in queue["entries"]]

    def heard(self, page, expected):
        """Waits for an announcement that begins with a text, and returns all since the last call, including those that follow soon."""
        self.until("an announcement: " + expected, lambda: page.evaluate("text => heard.some(one => one.startsWith(text))", expected))
        settled(page)
        texts = page.evaluate("window.heard")
        page.evaluate("window.heard.length = 0")
        return texts

    def center(self, locator):
        box = locator.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(self, start, end, rest=None):
        """A finger that rests while `rest` is performed, moves in steps of a frame, and is lifted."""
        self.finger.path([(start[0] + (end[0] - start[0]) * step / 20, start[1] + (end[1] - start[1]) * step / 20) for step in range(21)], rest)
