"""The checks of the lists of files: hostile names, a folder of 3,000 files, and the position of a list that was left."""
import re

from browsing import WATCH_TASKS, surplus_width
from checking import check
from library_view import LibraryView
from processor import Processor

# The largest number of elements in the document with a folder of 3,000 files, and the largest cost, in units, of the opening of the folder and of one
# step of a scroll: 14 and 1, beside a build.
MOST_NODES = 500
MOST_OPENING, MOST_SCROLL = 40, 2.5
# The scroll positions of folders that the page has stored.
STORED_SCROLLS = "JSON.parse(sessionStorage.getItem('tonearm.library') ?? '{}').scrolls ?? []"


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
        """a folder of 3,000 files is opened, scrolled and filtered at little cost, and has few elements, at 6 times slower execution"""
        self.go("Other")
        processor = Processor(self.page)
        with processor.slowed_down():
            units = [processor.unit()]
            self.page.evaluate(WATCH_TASKS)

            def opens():
                self.page.evaluate("path => (location.hash = '#/library/' + encodeURIComponent(path))", str(self.root / "Many"))
                self.item("0001.wav").wait_for()
                self.page.get_by_text(re.compile("3,000 files")).wait_for()
            opening, _ = processor.cost(opens, 500)
            scrolled, nodes = processor.scroll(".library-view .virtual-list")
            tasks = self.page.evaluate("window.tasks")
            units.append(processor.unit())
            self.page.get_by_role("searchbox", name="Filter this folder").fill("2875")
            self.item("2875.wav").wait_for()
            self.until("one row", lambda: self.page.get_by_role("list", name="Files and folders").get_by_role("listitem").count() == 1)
            self.page.get_by_role("searchbox", name="Filter this folder").fill("")
        self.figures["manyFiles"] = {"opening": round(opening), "scrollBy": round(scrolled), "units": [round(one) for one in units],
                                     "nodes": nodes, "longestTask": max(tasks, default=0)}
        unit = sum(units) / 2
        check(nodes <= MOST_NODES and opening < MOST_OPENING * unit and scrolled < MOST_SCROLL * unit, str(self.figures["manyFiles"]))

    def keeps_place(self):
        """Back is immediate and keeps the scroll position, which a reload keeps too, and the tab returns to the folder"""
        self.go("Many")
        self.item("0001.wav").wait_for()
        scroller = self.page.get_by_role("list", name="Files and folders").locator("..")
        scroller.evaluate("element => (element.scrollTop = 30000)")
        self.until("the rows of there", lambda: self.item("0505.wav").is_visible())
        self.go("Other")
        self.item("a.wav").wait_for()
        rows = self.page.evaluate("""() => new Promise(resolve => {
          const read = () => resolve(document.querySelector('.library-view .virtual-list').scrollTop);
          addEventListener('hashchange', () => requestAnimationFrame(read), {once: true});
          history.back();
        })""")
        check(abs(rows - 30000) < 2, "in the next frame the list is at %s" % rows)
        # The page stores the positions after a pause.
        self.until("the position is stored", lambda: [str(self.root / "Many"), 30000] in self.page.evaluate(STORED_SCROLLS))
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
