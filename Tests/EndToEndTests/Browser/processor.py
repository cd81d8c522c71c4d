"""The processor time of a page whose execution is slowed down to that of a phone, in units of a fixed piece of work in the same page.

So a limit in units depends neither on the machine nor on what else it does, as a time would.
"""
import contextlib

SLOWER = 6
STEPS = 40
# Makes, lays out and removes as many rows as two pages of a list have.
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
SCROLL = """async ([selector, steps]) => {
  const list = document.querySelector(selector);
  let most = 0;
  for (let step = 0; step < steps; step += 1) {
    list.scrollTop += step % 10 === 9 ? 90000 : 900;
    await new Promise(resolve => setTimeout(resolve, 32));
    most = Math.max(most, document.getElementsByTagName('*').length);
  }
  return most;
}"""


class Processor:
    def __init__(self, page):
        self.page, self.devtools = page, page.context.new_cdp_session(page)
        self.devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent(self):
        """The processor time so far, in milliseconds."""
        metrics = {one["name"]: one["value"] for one in self.devtools.send("Performance.getMetrics")["metrics"]}
        return metrics["TaskDuration"] * 1000

    def cost(self, act, pause):
        """The processor time for an act and what follows within a pause, in milliseconds, and the result of the act."""
        before = self.spent()
        result = act()
        self.page.wait_for_timeout(pause)
        return self.spent() - before, result

    def unit(self):
        """The processor time of one unit, in milliseconds."""
        return self.cost(lambda: self.page.evaluate(UNIT, STEPS), 100)[0] / STEPS

    def scroll(self, selector):
        """Scrolls a list. Returns the processor time of a step, in milliseconds, and the largest number of elements of the page."""
        cost, nodes = self.cost(lambda: self.page.evaluate(SCROLL, [selector, STEPS]), 500)
        return cost / STEPS, nodes

    @contextlib.contextmanager
    def slowed_down(self):
        self.devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        try:
            yield
        finally:
            self.devtools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
