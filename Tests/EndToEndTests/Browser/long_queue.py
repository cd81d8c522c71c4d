"""The checks of the web remote with a queue of 10,000 entries: its costs, and movements over thousands of rows."""
import time

from browsing import WATCH_TASKS, drawn
from checking import THOROUGH, check
from processor import Processor
from queue_view import QueueView

ENTRIES = ["Entry %d" % (index + 1) for index in range(10_000)]
# The largest number of elements in the document, and the largest cost, in units, of one step of a scroll, which shows a whole page of other rows, and
# of "next": 1.3 and 3 to 4, also beside a build. The longest task, which depends on the order in which the system runs programs, is only a figure.
MOST_NODES = 500
MOST_SCROLL, MOST_NEXT = 2.5, 8


class LongQueueChecks(QueueView):
    """Each method is one check, named by its docstring."""

    def is_fluid(self):
        """10,000 entries are at most 500 elements, scroll and follow "next" without long tasks at 6 times slower execution"""
        self.refill(ENTRIES)
        for name, page in (("Phone", self.phone), ("Desk", self.desk))[:2 if THOROUGH else 1]:
            processor = Processor(page)
            with processor.slowed_down():
                page.evaluate("(%s)()" % WATCH_TASKS)
                units = [processor.unit()]
                scrolled, nodes = processor.scroll(".queue-view .virtual-list")
                stepped, _ = processor.cost(lambda: self.server.ask("POST", "queue/next", {}), 1500)
                units.append(processor.unit())
                longest = page.evaluate("Math.max(0, ...window.tasks)")
            unit = sum(units) / 2
            figures = {"nodes": nodes, "scrollBy": round(scrolled), "next": round(stepped), "units": [round(one) for one in units],
                       "longestTask": longest}
            self.figures.update({key + name: value for key, value in figures.items()})
            self.until("the rows are read", lambda: page.locator(".queue-row[data-unread]").count() == 0)
            check(nodes <= MOST_NODES, "%d elements" % nodes)
            check(scrolled < MOST_SCROLL * unit and stepped < MOST_NEXT * unit, (scrolled, stepped, units))

    def moves_far(self):
        """entry 4,800 of 10,000 moves to 3 by touch and by keyboard, each with one request"""
        ids = self.refill(ENTRIES)
        for page, by_touch in ((self.phone, True), (self.desk, False)):
            self.sent.clear()
            page.get_by_role("button", name="Filter the queue").click()
            page.get_by_role("searchbox", name="Filter the queue").fill("Entry 4800")
            self.row(page, "Entry 4800").first.wait_for()
            opener = page.get_by_role("button", name="More for “Entry 4800”")
            if by_touch:
                opener.tap()
                page.get_by_role("button", name="Move to a position…").tap()
                page.get_by_role("spinbutton").fill("3")
                page.get_by_role("button", name="Move", exact=True).tap()
            else:
                opener.focus()
                page.keyboard.press("Enter")
                page.get_by_role("button", name="Move to a position…").focus()
                page.keyboard.press("Enter")
                page.keyboard.type("3")
                page.keyboard.press("Enter")
            self.until("it moved", lambda: self.server.ids()[:4] == ids[:2] + [ids[4799], ids[2]])
            self.check_sent(1)
            page.get_by_role("button", name="Undo").click()
            self.until("the ids are back", lambda: self.server.ids() == ids)
            page.get_by_role("button", name="Filter the queue").click()

    def drags_far(self):
        """a finger at the edge scrolls the list, faster and faster, from entry 4,800 to the top"""
        ids = self.refill(ENTRIES)
        page = self.phone
        page.locator(".queue-view .virtual-list").evaluate("list => list.scrollTop = 4797 * list.firstElementChild.firstElementChild.offsetHeight")
        self.row(page, "Entry 4800").first.wait_for()
        box = page.locator(".queue-view .virtual-list").bounding_box()
        x, y = self.center(self.row(page, "Entry 4800").locator(".queue-handle"))
        began = time.monotonic()
        self.finger.send("touchStart", (x, y))
        for step in range(10):
            self.finger.send("touchMove", (x, y + (box["y"] + 4 - y) * (step + 1) / 10))
            page.wait_for_timeout(16)
        self.until("the top", lambda: page.locator(".queue-view .virtual-list").evaluate("list => list.scrollTop") == 0)
        self.figures["secondsFrom4800"] = round(time.monotonic() - began, 1)
        self.finger.send("touchMove", (x, box["y"] + 60 * 2.4))
        drawn(page)
        self.finger.send("touchEnd")
        self.until("it moved", lambda: ids[4799] in self.server.ids()[:4])
        self.check_sent(1)

    ALL = [is_fluid, moves_far, drags_far]
