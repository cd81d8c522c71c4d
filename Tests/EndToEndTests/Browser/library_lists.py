"""The checks of the lists of files: hostile names, a folder of 3,000 files, and the position of a list that was left."""
import re
import time

from browsing import WATCH_TASKS, surplus_width
from checking import check
from library_view import LibraryView

# The limits of a folder of 3,000 files, at 6 times slower execution: the time to the first rows in seconds, the longest task while the list scrolls
# in milliseconds, and the number of elements in the document. Exact figures are in the output; the limits allow for a busy machine.
FIRST_ROWS, LONGEST_TASK, MOST_NODES = 5, 1500, 500


class ListChecks(LibraryView):
    """Each method is one check, named by its docstring."""

    def hostile_names(self):
        """files with hostile names are shown as text, found, and played"""
        names = sorted(path.name for path in (self.root / "Names").iterdir())
        self.put("Other/a.wav")
        self.go("Names")
        for number, name in enumerate(names):
            self.choose(name, "Add to the end")
            self.until("%r is added" % name, lambda: self.queue()[number + 1:] == [name])
        check(self.page.evaluate("[window.broken, document.querySelectorAll('.item script, .item b').length]") == [None, 0], "a name became markup")
        surplus = surplus_width(self.page)
        check(surplus <= 0, "the page is %d px too wide" % surplus)

    def many_files(self):
        """a folder of 3,000 files shows its first rows soon, scrolls, filters and has few elements, at 6 times slower execution"""
        self.go("Other")
        devtools = self.page.context.new_cdp_session(self.page)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": 6})
        try:
            begin = time.monotonic()
            self.page.evaluate("path => (location.hash = '#/library/' + encodeURIComponent(path))", str(self.root / "Many"))
            self.item("0001.wav").wait_for()
            first = time.monotonic() - begin
            self.page.get_by_text(re.compile("3,000 files")).wait_for()
            complete = time.monotonic() - begin
            nodes = 0
            self.page.evaluate(WATCH_TASKS)
            box = self.page.get_by_role("list", name="Files and folders").locator("..").bounding_box()
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            for _ in range(40):
                self.page.mouse.wheel(0, 3000)
                self.page.wait_for_timeout(40)
                nodes = max(nodes, self.page.evaluate("document.querySelectorAll('*').length"))
            tasks = self.page.evaluate("window.tasks")
            typed = time.monotonic()
            self.page.get_by_role("searchbox", name="Filter this folder").fill("2875")
            self.item("2875.wav").wait_for()
            self.until("one row", lambda: self.page.get_by_role("list", name="Files and folders").get_by_role("listitem").count() == 1)
            filtered = time.monotonic() - typed
            self.page.get_by_role("searchbox", name="Filter this folder").fill("")
        finally:
            devtools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        self.figures["manyFiles"] = {"firstRowsS": round(first, 2), "allNamesS": round(complete, 2), "longestTaskMs": max(tasks, default=0),
                                     "nodes": nodes, "filterS": round(filtered, 2)}
        check(first < FIRST_ROWS and max(tasks, default=0) < LONGEST_TASK and nodes <= MOST_NODES, str(self.figures["manyFiles"]))

    def keeps_place(self):
        """Back is immediate and keeps the scroll position, which a reload keeps too, and the tab returns to the folder"""
        self.go("Many")
        self.item("0001.wav").wait_for()
        scroller = self.page.get_by_role("list", name="Files and folders").locator("..")
        scroller.evaluate("element => (element.scrollTop = 30000)")
        self.until("the rows of there", lambda: self.item("0505.wav").is_visible())
        self.go("Other")
        self.item("a.wav").wait_for()
        self.page.wait_for_timeout(500)
        rows = self.page.evaluate("""() => new Promise(resolve => {
          const read = () => resolve(document.querySelector('.library-view .virtual-list').scrollTop);
          addEventListener('hashchange', () => requestAnimationFrame(read), {once: true});
          history.back();
        })""")
        check(abs(rows - 30000) < 2, "in the next frame the list is at %s" % rows)
        self.page.wait_for_timeout(500)
        self.page.reload()
        self.item("0505.wav").wait_for()
        self.until("the position", lambda: abs(scroller.evaluate("element => element.scrollTop") - 30000) < 2)
        views = self.page.get_by_role("navigation", name="Views")
        views.get_by_role("link", name="Now").click()
        views.get_by_role("link", name="Library").click()
        self.item("0505.wav").wait_for()
        views.get_by_role("link", name="Library").click()
        self.item("Album").wait_for()

    ALL = [hostile_names, many_files, keeps_place]
