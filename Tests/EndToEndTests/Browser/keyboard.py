#!/usr/bin/env python3
"""Uses the web remote by the keyboard alone, and again by roles and names alone, as a screen reader does, and counts the announcements.

usage: keyboard.py URL FOLDER TOKEN [--only NAME] [--chromium PATH] [--screenshot FILE]

The daemon at URL requires TOKEN, and uses a sound server with the devices Desk and Bathroom. FOLDER is the only media root, with the folders First
and Second: albums of two songs, "One" and "Two", and "Three" and "Four", of some minutes. The first hand knows only keys and the element with the
focus. The second one knows only the browser's accessibility tree: it finds an element by role and name, and performs its action. Each act must be
announced exactly once, and must leave the focus on an element of the page. Prints the output of page.py, and exits with the same status.
"""
import base64
import json
import pathlib
import re
import urllib.parse
import urllib.request

from browsing import DESK, WATCH_LIVE, barriers, complaints, until, watch
from page import check, parser, report, run

# The largest number of presses of Tab, or of an arrow key, from one element to another one.
MOST_PRESSES = 60
# The time in which an act is announced, and in which a second announcement would follow, in milliseconds.
QUIET = 700
# The smallest number of pixels that a focus ring changes, by at least this difference of a channel.
RING_PIXELS, RING_DIFFERENCE = 60, 40
VIEWS = ["now", "queue", "library", "search", "settings"]

# The focused element, if it is visible and not covered, and the box around it.
FOCUS = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const ring = element.closest('.wave, .option, .segment') ?? element;
  const {left, top, right, bottom} = ring.getBoundingClientRect();
  window.stops ??= [];
  let stop = window.stops.indexOf(element);
  if (stop < 0) stop = window.stops.push(element) - 1;
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const found = document.elementFromPoint(Math.min(Math.max(x, 0), innerWidth - 1), Math.min(Math.max(y, 0), innerHeight - 1));
  const isCovered = !found || !(ring.contains(found) || found.contains(ring));
  const name = `${element.nodeName} ${element.className} ${element.ariaLabel ?? element.textContent.trim()}`.slice(0, 80);
  return {stop, name, isSeen: element.checkVisibility() && !isCovered, box: [left, top, right, bottom]};
}"""
# The number of pixels in which two pictures differ.
DIFFERENCE = """async ([first, second, least]) => {
  const read = async text => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + text)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data;
  };
  const [one, other] = [await read(first), await read(second)];
  let count = 0;
  for (let at = 0; at < one.length; at += 4) {
    if ([0, 1, 2].some(channel => Math.abs(one[at + channel] - other[at + channel]) > least)) count += 1;
  }
  return count;
}"""


class Tree:
    """The browser's accessibility tree."""

    def __init__(self, page):
        self.page, self.devtools = page, page.context.new_cdp_session(page)
        self.devtools.send("Accessibility.enable")

    def nodes(self):
        """The exposed nodes: role, name and element."""
        found = self.devtools.send("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", ""), node.get("backendDOMNodeId"))
                for node in found if not node["ignored"] and "role" in node]

    def focused(self):
        """Role and name of the element with the focus."""
        element = self.devtools.send("Runtime.evaluate", {"expression": "document.activeElement"})["result"]["objectId"]
        [node] = self.devtools.send("Accessibility.getPartialAXTree", {"objectId": element, "fetchRelatives": False})["nodes"]
        self.devtools.send("Runtime.releaseObject", {"objectId": element})
        is_none = node["ignored"] or node["role"]["value"] == "RootWebArea"
        return ("", "") if is_none else (node["role"]["value"], node.get("name", {}).get("value", ""))

    def find(self, role, name):
        """The element of a role whose name begins with a text."""
        for found_role, found_name, element in self.nodes():
            if found_role == role and found_name.startswith(name):
                return element
        return None

    def perform(self, element, script):
        target = self.devtools.send("DOM.resolveNode", {"backendNodeId": element})["object"]["objectId"]
        self.devtools.send("Runtime.callFunctionOn", {"objectId": target, "functionDeclaration": "function () { %s }" % script, "userGesture": True})


class Keyboard:
    """A hand that knows only keys, and what the focused element is called."""

    def __init__(self, page):
        self.page, self.tree, self.count = page, Tree(page), 0

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
            self.count += 1
        self.page.wait_for_timeout(30)

    def reach(self, role, name, key="Tab"):
        """Presses a key until an element has the focus."""
        seen = []
        for _ in range(MOST_PRESSES):
            found = self.tree.focused()
            if found[0] == role and found[1].startswith(name):
                return
            seen.append(found)
            self.press(key)
        raise AssertionError("%s does not reach %s “%s”: %s" % (key, role, name, seen))

    def activate(self, role, name, is_before=False):
        """Presses an element, which is before the focused one if `is_before`."""
        self.reach(role, name, "Shift+Tab" if is_before else "Tab")
        self.press("Enter")

    def activate_row(self, list_name, name):
        """Presses a row of a list, in which arrow keys move the focus."""
        self.reach_row(list_name, name)
        self.press("Enter")

    def reach_row(self, list_name, name):
        is_inside = "name => document.activeElement.closest('[role=list]')?.ariaLabel === name"
        for _ in range(MOST_PRESSES):
            if self.page.evaluate(is_inside, list_name):
                return self.reach("button", name, "ArrowDown")
            self.press("Tab")
        raise AssertionError("Tab does not reach the list “%s”" % list_name)

    def type(self, role, name, text):
        self.reach(role, name)
        self.page.keyboard.type(text)

    def choose(self, name, others):
        """Yields the act that chooses a radio button of a list: Tab reaches the chosen one, the arrow keys move the focus, Space chooses."""
        for _ in range(MOST_PRESSES):
            if self.tree.focused()[0] == "radio":
                break
            self.press("Tab")
        acts = 0
        while not self.tree.focused()[1].startswith(name):
            check(acts <= others, "the arrow keys do not reach the choice “%s”" % name)
            acts += 1
            self.press("ArrowDown")
        yield lambda: self.press("Space")

    def close(self):
        self.press("Escape")

    def move(self, list_name, title, checks):
        """Moves an entry up by one row: lifts it by its handle, moves and drops it."""
        self.reach_row(list_name, title)
        self.reach("button", "Move “%s”" % title)
        for key, text in (("Space", "lifted, 4 of 4"), ("ArrowUp", "3 of 4"), ("Space", "is now 3 of 4")):
            checks.act(lambda key=key: self.press(key), text)


class Reader:
    """A hand that knows only the roles and names of the accessibility tree. It performs the action of an element, as screen readers do."""

    def __init__(self, page):
        self.page, self.tree, self.count = page, Tree(page), 0

    def activate(self, role, name, is_before=False, script="this.focus(); this.click()"):
        found = []
        until(self.page, "%s “%s” is in the accessibility tree" % (role, name),
              lambda: found.append(self.tree.find(role, name)) or found[-1] is not None)
        self.tree.perform(found[-1], script)
        self.count += 1
        self.page.wait_for_timeout(30)

    def activate_row(self, list_name, name):
        self.activate("button", name)

    def type(self, role, name, text):
        self.activate(role, name, script="this.focus(); this.value = ''")
        self.page.keyboard.insert_text(text)

    def choose(self, name, others):
        yield lambda: self.activate("radio", name)

    def close(self):
        self.activate("button", "Close")

    def move(self, list_name, title, checks):
        """Moves an entry by the number of its new position, for which a press on its handle asks."""
        self.activate("button", "Move “%s”" % title)
        self.type("spinbutton", "New position", "3")
        checks.act(lambda: self.activate("button", "Move"), "is now 3 of 4")


class Checks:
    """Each method is one check, named by its docstring. They run in order, on one page."""

    def __init__(self, page, options):
        self.page, self.options, self.figures = page, options, {}
        watch(page, options.url)
        page.add_init_script("addEventListener('DOMContentLoaded', %s)" % WATCH_LIVE)

    # What another client does and sees

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        fields = {"Content-Type": "application/json", "Tonearm-Client": "kitchen", "Authorization": "Bearer " + self.options.token}
        with urllib.request.urlopen(urllib.request.Request(self.options.url + "api/v1/" + path, data, fields, method=method), timeout=20) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def state(self):
        return self.ask("GET", "player")

    def queue(self):
        return [pathlib.PurePosixPath(urllib.parse.unquote(entry["url"])).stem for entry in self.ask("GET", "queue")["entries"]]

    def until(self, what, condition):
        until(self.page, what, condition)

    # What an act leaves behind

    def quiet(self):
        self.page.wait_for_timeout(QUIET)
        self.page.evaluate("window.heard.length = 0")

    def act(self, perform, text):
        """Performs an act, which is announced once, by a sentence that contains a text, and leaves the focus on an element."""
        self.page.evaluate("window.heard.length = 0")
        perform()
        self.until("an announcement with “%s”: %s" % (text, self.page.evaluate("heard")),
                   lambda: any(text in one for one in self.page.evaluate("window.heard")))
        self.page.wait_for_timeout(QUIET)
        heard = self.page.evaluate("window.heard")
        check(len(heard) == 1 and text in heard[0], "announced: %s" % heard)
        self.has_focus()

    def has_focus(self):
        check(self.page.evaluate("document.activeElement !== document.body && document.activeElement.checkVisibility()"), "the focus is lost")

    def uses(self, make):
        """Does every task with one hand, and writes down how many keys or actions it takes."""
        root = pathlib.Path(self.options.folder)
        self.ask("PUT", "queue", {"entries": [{"url": str(path)} for path in sorted((root / "First").iterdir())], "startIndex": 0, "play": True})
        self.ask("PATCH", "player", {"volume": 0.6, "defaultRate": 1, "rate": 1})
        self.ask("DELETE", "sleep-timer")
        self.ask("DELETE", "player/loop")
        self.ask("PUT", "output", {"id": "auto"})
        self.page.context.clear_cookies()
        self.page.goto(self.options.url)
        self.page.evaluate("localStorage.clear(), sessionStorage.clear()")
        self.page.goto("about:blank")
        self.page.goto(self.options.url)
        hand, counts = make(self.page), {}

        def done(task):
            counts[task] = hand.count - sum(counts.values())
            self.figures[make.__name__] = counts

        self.page.get_by_role("dialog").wait_for()
        hand.type("textbox", "The player printed the token", self.options.token)
        self.act(lambda: hand.activate("button", "Unlock"), "One")
        done("unlock")

        hand.activate("link", "Library", is_before=True)
        hand.activate_row("Files and folders", "Second")
        self.page.get_by_role("heading", name="Second", exact=True).wait_for()
        self.until("its first song has the focus", lambda: hand.tree.focused()[1].startswith("Four") or make is Reader)
        self.has_focus()
        done("find an album")

        self.quiet()
        self.act(lambda: hand.activate("button", "Add to the end", is_before=True), "was added to the end")
        self.until("the album is queued", lambda: self.queue() == ["One", "Two", "Four", "Three"])
        done("queue it")

        hand.move("Entries of the queue", "Three", self)
        self.until("the entry has moved", lambda: self.queue() == ["One", "Two", "Three", "Four"])
        done("reorder")

        self.quiet()
        hand.activate("button", "Sleep")
        self.act(lambda: hand.activate("button", "30 min"), "Sleep timer set")
        self.until("the timer", lambda: 1780 < self.ask("GET", "sleep-timer")["remaining"] <= 1800)
        done("set sleep")

        hand.activate("button", "Output")
        self.page.get_by_role("dialog").get_by_role("radio", name="Bathroom").wait_for()
        self.quiet()
        for choose in hand.choose("Bathroom", 4):
            check(self.ask("GET", "outputs")["chosenId"] == "auto", "the way to an output has chosen another one")
            self.act(choose, "Plays on")
        self.until("it plays there", lambda: self.state()["output"].get("name") == "Bathroom")
        hand.close()
        self.has_focus()
        done("move the output")

        hand.activate("button", "More")
        self.quiet()
        self.act(lambda: hand.activate("button", "From here (A)"), "Passage begins")
        self.act(lambda: hand.activate("button", "To here (B)"), "Repeats")
        self.until("the passage", lambda: 0 < self.state()["loop"]["end"] - self.state()["loop"]["start"] < 10)
        hand.close()
        self.has_focus()
        done("loop a passage")

    def by_keyboard(self):
        """by the keyboard alone: unlock, find an album, queue it, reorder, set sleep, move the output, loop a passage; each act is announced once"""
        self.uses(Keyboard)

    def by_reader(self):
        """by role and name alone, in the accessibility tree: the same tasks, each act announced once"""
        self.uses(Reader)

    def shows_focus(self):
        """in every view and sheet Tab reaches every control and returns, and each focus is visible: named, not covered, with a ring"""
        self.ask("POST", "player/pause", {})
        self.page.emulate_media(reduced_motion="reduce")
        self.judge = self.page.context.browser.new_context().new_page()
        faults = []
        for view in VIEWS:
            self.page.evaluate("view => (location.hash = '#/' + view)", view)
            self.page.wait_for_timeout(400)
            faults += self.walk(view)
        self.page.evaluate("location.hash = '#/now'")
        self.page.wait_for_timeout(300)
        for name in ("Speed", "Sleep", "Output", "More", "Help", "Open…"):
            self.page.get_by_role("button", name=name).locator("visible=true").first.focus()
            self.page.keyboard.press("Enter")
            self.page.get_by_role("dialog").wait_for()
            self.page.wait_for_timeout(600)
            faults += self.walk(name)
            self.page.keyboard.press("Escape")
            self.page.get_by_role("dialog").wait_for(state="hidden")
        check(not faults, "\n".join(faults))

    def picture(self, box):
        left, top, right, bottom = box
        size = self.page.viewport_size
        left, top = max(0, left - 8), max(0, top - 8)
        clip = {"x": left, "y": top, "width": min(size["width"], right + 8) - left, "height": min(size["height"], bottom + 8) - top}
        return base64.b64encode(self.page.screenshot(clip=clip)).decode() if clip["width"] > 0 and clip["height"] > 0 else None

    def is_drawn(self):
        """Waits until the browser has drawn the present state: on a busy machine a picture may show the one before."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def ring(self, focus, without):
        """Returns the number of pixels of the ring of an element, whose picture with the focus was taken."""
        return self.judge.evaluate(DIFFERENCE, [focus["picture"], without, RING_DIFFERENCE]) if focus["picture"] and without else 0

    def ring_again(self, stop, other):
        """Returns the number of pixels of the ring of an element, whose place may have changed between two pictures: a notice came or went."""
        self.page.evaluate("stop => window.stops[stop].focus()", stop)
        self.is_drawn()
        focus = self.page.evaluate(FOCUS)
        if focus is None or focus["stop"] != stop:
            return RING_PIXELS  # The element has gone, as a notice does, or cannot have the focus any more.
        focus["picture"] = self.picture(focus["box"])
        self.page.evaluate("([stop, other]) => other === stop ? window.stops[stop].blur() : window.stops[other].focus()", [stop, other])
        self.is_drawn()
        return self.ring(focus, self.picture(focus["box"]))

    def walk(self, place):
        """Presses Tab until the focus is on a former element again, and returns what is wrong with the elements in between."""
        self.page.evaluate("window.stops = []")
        tree, faults, before, seen = Tree(self.page), [], None, set()
        for _ in range(2 * MOST_PRESSES):
            self.page.keyboard.press("Tab")
            self.page.wait_for_timeout(40)
            self.is_drawn()
            focus = self.page.evaluate(FOCUS)
            if before:
                # Without the focus, the element looks different.
                pixels = self.ring(before, self.picture(before["box"]))
                if pixels < RING_PIXELS:
                    pixels = self.ring_again(before["stop"], focus["stop"] if focus else before["stop"])
                if pixels < RING_PIXELS:
                    faults.append("%s: the ring of %s has %d pixels" % (place, before["name"], pixels))
                before = None
            if focus is None:
                continue  # Here a browser would leave the page.
            if focus["stop"] in seen:
                break
            seen.add(focus["stop"])
            if not focus["isSeen"]:
                faults.append("%s: %s has the focus, but is not visible" % (place, focus["name"]))
            elif not tree.focused()[1]:
                faults.append("%s: %s has no name" % (place, focus["name"]))
            before = {**focus, "picture": self.picture(focus["box"])}
        else:
            faults.append("%s: Tab does not return" % place)
        self.figures.setdefault("stops", {})[place] = len(seen)
        if len(seen) < 2:
            faults.append("%s: Tab reaches %d elements" % (place, len(seen)))
        return faults

    def has_no_barriers(self):
        """axe-core finds no barriers in the present view"""
        found = barriers(self.page)
        check(found == [], "axe: %s" % found)

    def stays_quiet(self):
        """no error is logged"""
        # The browser reports each 4xx as an error of its own: an item without lyrics, and requests before the page is unlocked.
        found = [text for text in complaints(self.page) if not re.search("404|401|HTTP Authentication failed", text)]
        check(not found, found)

    ALL = [by_keyboard, by_reader, shows_focus, has_no_barriers, stays_quiet]


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    options.add_argument("token")
    options.add_argument("--only", help="a part of the names of the checks to run")
    parsed = options.parse_args()
    if parsed.only:
        Checks.ALL = [one for one in Checks.ALL if parsed.only in one.__name__]
    report(lambda: run(parsed, Checks, (), viewport=DESK, locale="en"))


if __name__ == "__main__":
    main()
