"""The checks of the web remote with a queue of 10,000 entries: its costs, and movements over thousands of rows."""
import time

from browsing import WATCH_TASKS
from checking import THOROUGH, check
from queue_view import QueueView

ENTRIES = ["Entry %d" % (index + 1) for index in range(10_000)]
# The largest number of elements in the document, and the largest processor time of the page for one step of a scroll, which shows a whole page of
# other rows, and for "next". The time depends on the machine and on what else it does, so its unit is that of a fixed piece of work in the same page
# (`UNIT`), measured before and after: 1.3 and 3 to 4 units, also beside a build. The longest task, which depends on the order in which the system
# runs programs, is only a figure.
MOST_NODES = 500
MOST_SCROLL, MOST_NEXT = 2.5, 8

STEPS = 40
# Makes, lays out and removes as many rows as two pages of the list have.
UNIT = """async (rounds) => {
  for (let round = 0; round < rounds; round += 1) {
    const box = document.body.appendChild(document.createElement('div'));
    box.style.cssText = 'position: fixed; inset: 0; overflow: auto; visibility: hidden';
    for (let row = 0; row < 32; row += 1) {
      const line = box.appendChild(document.createElement('div'));
      for (let part = 0; part < 8; part += 1) line.appendChild(document.createElement('button')).textContent = `Part ${part} of ${row}`;
    }
    box.scrollTop = box.scrollHeight;
    box.remove();
    await new Promise(resolve => setTimeout(resolve, 32));
  }
}"""
# Scrolls by a page of rows in each step, sometimes far, and returns the largest number of elements. One call, because those of a debugger cost more
# processor time than the page.
SCROLL = """async (steps) => {
  const list = document.querySelector('.queue-view .virtual-list');
  let most = 0;
  for (let step = 0; step < steps; step += 1) {
    list.scrollTop += step % 10 === 9 ? 90000 : 900;
    await new Promise(resolve => setTimeout(resolve, 32));
    most = Math.max(most, document.getElementsByTagName('*').length);
  }
  return most;
}"""


class LongQueueChecks(QueueView):
    """Each method is one check, named by its docstring."""

    def is_fluid(self):
        """10,000 entries are at most 500 elements, scroll and follow "next" without long tasks at 6 times slower execution"""
        self.refill(ENTRIES)
        # The slower processor is that of a phone.
        for name, page in (("Phone", self.phone), ("Desk", self.desk))[:2 if THOROUGH else 1]:
            devtools = page.context.new_cdp_session(page)
            devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
            devtools.send("Emulation.setCPUThrottlingRate", {"rate": 6})
            page.evaluate("(%s)()" % WATCH_TASKS)

            def cost(act, pause):
                """The processor time of the page for an act and what follows within a pause, in milliseconds, and the result of the act."""
                def spent():
                    metrics = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
                    return metrics["TaskDuration"] * 1000
                before = spent()
                result = act()
                page.wait_for_timeout(pause)
                return spent() - before, result

            units = [cost(lambda: page.evaluate(UNIT, STEPS), 100)[0] / STEPS]
            scrolled, nodes = cost(lambda: page.evaluate(SCROLL, STEPS), 500)
            scrolled /= STEPS
            stepped, _ = cost(lambda: self.server.ask("POST", "queue/next", {}), 1500)
            units.append(cost(lambda: page.evaluate(UNIT, STEPS), 100)[0] / STEPS)
            unit = sum(units) / 2
            longest = page.evaluate("Math.max(0, ...window.tasks)")
            devtools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
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
        page.wait_for_timeout(50)
        self.finger.send("touchEnd")
        self.until("it moved", lambda: ids[4799] in self.server.ids()[:4])
        self.check_sent(1)

    ALL = [is_fluid, moves_far, drags_far]
