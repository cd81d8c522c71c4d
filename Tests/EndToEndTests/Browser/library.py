#!/usr/bin/env python3
"""Finds media in the web remote's library and search, opens addresses, and compares the effect with the server's queue, in a real Chromium.

usage: library.py URL FOLDER [--chromium PATH] [--screenshot FILE]

FOLDER is the only media root, with these folders: Album (four media with titles, list.m3u8, and the folder Extras with one medium), Names (media with
hostile names), Many (3,000 media), Other (two media). Prints the output of page.py, and exits with the same status.
"""
import pathlib
import re
import time

import browsing
from page import PATIENCE, Remote, check, parser, report, run

# The limits of a folder of 3,000 files, at 6 times slower execution: the time to the first rows in seconds, the longest task while the list scrolls
# in milliseconds, and the number of elements in the document. Exact figures are in the output; the limits allow for a busy machine.
FIRST_ROWS, LONGEST_TASK, MOST_NODES = 5, 1500, 500
WATCH_TASKS = """() => {
  window.tasks = [];
  new PerformanceObserver(list => window.tasks.push(...list.getEntries().map(({duration}) => duration))).observe({type: 'longtask'});
}"""
PASTE = """text => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true}));
}"""
DROP = """([kind, text]) => {
  const dataTransfer = new DataTransfer();
  if (kind === 'file') dataTransfer.items.add(new File(['x'], text));
  else dataTransfer.setData(kind, text);
  const over = new DragEvent('dragover', {dataTransfer, bubbles: true, cancelable: true});
  document.body.dispatchEvent(over);
  document.body.dispatchEvent(new DragEvent('drop', {dataTransfer, bubbles: true, cancelable: true}));
  return over.defaultPrevented;
}"""
# Keys of the tables of texts that are shown, because a language lacks a text.
MISSING_TEXTS = """() => [...document.querySelectorAll('*')].flatMap(element => [element.ariaLabel, element.title, element.placeholder,
  element.childElementCount === 0 && element.textContent]).filter(text => /^(library|shell)\\.\\w/.test(text))"""


class Checks:
    """Each method is one check, named by its docstring. They run in order, on one page."""

    def __init__(self, page, options):
        self.page = page
        self.options = options
        self.remote = Remote(page)
        self.figures = {}
        self.root = pathlib.Path(options.folder)
        browsing.watch(page, options.url)

    # What a user does and sees

    def ask(self, method, path, body=None):
        return browsing.ask(self.page, method, path, body)

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
        self.ask("PUT", "queue", {"entries": [{"url": str(self.root / name)} for name in names], "play": play})
        title = pathlib.PurePosixPath(names[0]).stem.split(" ")[-1] if names else ""
        shown = self.page.locator("[data-hook=mini-title]")
        self.remote.until("the page has the queue", lambda: title in shown.text_content() and (title != "") == (shown.text_content() != ""))

    def until(self, what, condition):
        self.remote.until(what, condition)

    def go(self, folder=""):
        """Opens a folder by its address."""
        path = str(self.root / folder)
        self.page.evaluate("path => (location.hash = '#/library/' + encodeURIComponent(path))", path)
        self.page.get_by_role("heading", name=folder or self.root.name, exact=True).wait_for(timeout=PATIENCE * 1000)

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

    def undo(self):
        self.page.get_by_role("button", name="Undo", exact=True).click()
        self.page.get_by_role("status").filter(has_text="The queue was restored").wait_for(timeout=PATIENCE * 1000)

    def sheet(self):
        self.page.get_by_role("button", name="Open…").click()
        return self.page.get_by_role("dialog", name="Open address")

    # The checks

    def begins(self):
        """without an item the player leads to the library, which lists the only media root"""
        self.page.goto(self.options.url)
        self.put()
        self.page.get_by_role("button", name="Open a file").click()
        for name in ("Album", "Many", "Names", "Other"):
            self.item(name).wait_for(timeout=PATIENCE * 1000)
        check("#/library" in self.page.url, "the address is %s" % self.page.url)

    def tap_plays_folder(self):
        """in an empty queue, a tap on a file plays its folder from there on"""
        self.main("Album").click()
        self.main("02 Two.flac").click()
        self.until("the folder", lambda: self.queue() == ["01 One.flac", "02 Two.flac", "03 Three.flac", "04 Four.flac"])
        self.until("it plays", lambda: self.remote.state()["rate"] != 0)
        check(self.current() == "02 Two.flac", self.current())
        self.until("the row shows it", lambda: self.item("02 Two.flac").get_attribute("data-current") == "true")
        check(not self.page.get_by_role("button", name="Undo", exact=True).is_visible(), "an undo is offered, but nothing was lost")

    def tap_jumps(self):
        """a tap on a file of the folder that plays jumps to its entry"""
        before = self.ids()
        self.main("04 Four.flac").click()
        self.until("it plays", lambda: self.current() == "04 Four.flac")
        check(self.ids() == before, "the queue changed to %s" % self.queue())

    def tap_destroys_nothing(self):
        """a tap on another file inserts and plays it, and Undo returns to the former entry"""
        self.put("Album/01 One.flac", "Album/02 Two.flac")
        before = self.ids()
        self.go("Other")
        self.main("b.wav").click()
        self.until("it plays", lambda: self.current() == "b.wav")
        check(self.queue() == ["01 One.flac", "b.wav", "02 Two.flac"], self.queue())
        self.undo()
        self.until("the former entry", lambda: self.ids() == before and self.current() == "01 One.flac")

    def folder_of_header(self):
        """the header plays its folder with all media in it, plays it next, or adds it to the end"""
        self.put("Other/a.wav", "Other/b.wav")
        before = self.ids()
        album = sorted(["01 One.flac", "02 Two.flac", "03 Three.flac", "04 Four.flac", "inner.wav"])
        self.go("Album")
        self.act("Play next")
        self.until("next", lambda: len(self.queue()) == 7)
        check((self.queue()[0], sorted(self.queue()[1:6]), self.queue()[6]) == ("a.wav", album, "b.wav"), self.queue())
        self.undo()
        check(self.ids() == before, self.queue())
        self.act("Add to the end")
        self.until("at the end", lambda: len(self.queue()) == 7)
        check((self.queue()[:2], sorted(self.queue()[2:])) == (["a.wav", "b.wav"], album), self.queue())
        self.undo()
        self.act("Play")
        self.until("replaced", lambda: sorted(self.queue()) == album)
        check(self.remote.state()["rate"] != 0, "it does not play")
        self.undo()
        check(self.ids() == before, "other ids: %s, before %s" % (self.ids(), before))
        check(self.current() == "a.wav", self.current())

    def menus(self):
        """the menu of a row brings a file, a folder or a playlist file into the queue"""
        self.put("Other/a.wav", "Other/b.wav")
        self.go("Album")
        self.choose("list.m3u8", "Play next")
        self.until("the playlist", lambda: self.queue() == ["a.wav", "03 Three.flac", "01 One.flac", "b.wav"])
        self.choose("Extras", "Add to the end")
        self.until("the folder", lambda: self.queue()[4:] == ["inner.wav"])
        self.choose("02 Two.flac", "Add to the end")
        self.until("the file", lambda: self.queue()[5:] == ["02 Two.flac"])
        check(self.current() == "a.wav", "the playback changed")
        before = self.ids()
        self.choose("03 Three.flac", "Play the folder from here")
        self.until("from here", lambda: self.current() == "03 Three.flac")
        check(self.queue() == ["01 One.flac", "02 Two.flac", "03 Three.flac", "04 Four.flac"], self.queue())
        self.undo()
        check(self.ids() == before, self.queue())
        self.choose("02 Two.flac", "Play")
        self.until("the file only", lambda: self.queue() == ["02 Two.flac"])
        self.undo()
        check(self.ids() == before, self.queue())

    def titles_of_queue(self):
        """entries of the queue that were not opened yet show title, artist and duration, as the library knows them"""
        self.put("Other/a.wav", "Other/b.wav", "Album/03 Three.flac", "Album/04 Four.flac", play=False)
        entry = self.ask("GET", "queue")["entries"][3]
        check("title" not in entry and entry["status"] == "unknown", "the entry was opened: %s" % entry)
        row = self.page.locator(".queue-row").filter(has=self.page.locator(".queue-title", has_text=re.compile("^Four$")))
        self.until("title, artist and duration", lambda: row.count() == 1 and "Band" in row.inner_text() and "1:00" in row.inner_text())

    def selects(self):
        """a selection, also a range with Shift, is brought into the queue in the order of the folder"""
        self.put("Other/a.wav")
        self.go("Album")
        self.page.get_by_role("button", name="Select", exact=True).click()
        boxes = self.page.get_by_role("checkbox")
        boxes.filter(has_text="Three").click()
        boxes.filter(has_text="One").click(modifiers=["Shift"])
        check(self.page.get_by_text("3 selected").is_visible(), self.page.locator(".library-about").inner_text())
        boxes.filter(has_text="Two").click()
        check(boxes.filter(has_text="Two").get_attribute("aria-checked") == "false", "Two is selected")
        self.act("Add to the end")
        self.until("added", lambda: self.queue() == ["a.wav", "01 One.flac", "03 Three.flac"])
        check(boxes.count() == 0, "the selection goes on")
        self.main("02 Two.flac").click(modifiers=["Control"])
        self.page.keyboard.press("Control+a")
        check(self.page.get_by_text("6 selected").is_visible(), self.page.locator(".library-about").inner_text())
        self.page.keyboard.press("Escape")
        check(boxes.count() == 0, "Escape does not end the selection")

    def addresses(self):
        """addresses are opened, one on each line; a refused one keeps the sheet, the text and the queue, and the reason is shown"""
        self.put("Other/a.wav", "Other/b.wav")
        sheet = self.sheet()
        field = sheet.get_by_role("textbox")
        sheet.get_by_role("button", name="Play", exact=True).click()
        sheet.get_by_text("Type the address").wait_for()
        text = "%s\n%s" % (self.root / "Album/01 One.flac", self.root / "Album/nothing.flac")
        field.fill(text)
        sheet.get_by_role("button", name="Play", exact=True).click()
        sheet.get_by_role("status").filter(has_text="Line 2, ").filter(has_text="no file").wait_for(timeout=PATIENCE * 1000)
        check(field.input_value() == text and sheet.is_visible(), "the text is %r" % field.input_value())
        check(self.queue() == ["a.wav", "b.wav"], self.queue())
        # A text is selected from within the sheet to outside of it.
        box = field.bounding_box()
        self.page.mouse.move(box["x"] + 40, box["y"] + 20)
        self.page.mouse.down()
        self.page.mouse.move(3, 3, steps=4)
        self.page.mouse.up()
        check(sheet.is_visible(), "a selection closed the sheet")
        # A closed sheet does not lose what was not opened.
        self.page.keyboard.press("Escape")
        field = self.sheet().get_by_role("textbox")
        check(field.input_value() == text, "the text is %r" % field.input_value())
        field.fill("# a comment\n%s\n\n%s" % (self.root / "Album/01 One.flac", (self.root / "Album/list.m3u8").as_uri()))
        sheet.get_by_role("button", name="Play next", exact=True).click()
        self.until("next", lambda: self.queue() == ["a.wav", "01 One.flac", "03 Three.flac", "01 One.flac", "b.wav"])
        self.until("the sheet is closed", lambda: not sheet.is_visible())
        self.undo()
        before = self.ids()
        self.sheet().get_by_role("textbox").fill("http://127.0.0.1:9/radio.mp3")
        self.page.keyboard.press("Enter")
        self.until("replaced", lambda: self.queue() == ["radio.mp3"])
        self.undo()
        check(self.ids() == before, self.queue())

    def drops(self):
        """dropped and pasted addresses are offered with three buttons, other text is not, and files cannot be sent"""
        self.put("Other/a.wav", "Other/b.wav")
        chip = self.page.get_by_role("region", name="Play what was dropped or pasted")
        self.page.evaluate(PASTE, "just some words")
        check(chip.count() == 0, "words are offered")
        self.page.evaluate(PASTE, "%s\n%s" % (self.root / "Album/01 One.flac", self.root / "Album/02 Two.flac"))
        chip.get_by_text("2 addresses").wait_for()
        check(self.page.evaluate("document.activeElement.textContent") == "Play", "the focus is elsewhere")
        chip.get_by_role("button", name="Add to the end").click()
        self.until("pasted", lambda: self.queue() == ["a.wav", "b.wav", "01 One.flac", "02 Two.flac"])
        check(chip.count() == 0, "the offer stays")
        check(self.page.evaluate(DROP, ["text/uri-list", (self.root / "Album/03 Three.flac").as_uri()]), "the browser opens what is dropped")
        chip.get_by_role("button", name="Play next").click()
        self.until("dropped", lambda: self.queue()[1] == "03 Three.flac")
        self.page.evaluate(DROP, ["text/plain", "http://127.0.0.1:9/x"])
        chip.wait_for()
        self.page.keyboard.press("Escape")
        check(chip.count() == 0, "Escape does not end the offer")
        before = self.ids()
        self.page.evaluate(DROP, ["file", "song.mp3"])
        self.page.get_by_text("Files of this computer cannot be sent").wait_for()
        check(self.ids() == before, self.queue())
        # In a field, a paste is text.
        self.page.evaluate("location.hash = '#/search'")
        self.page.get_by_role("searchbox").focus()
        self.page.evaluate("document.activeElement.dispatchEvent(new ClipboardEvent('paste', {bubbles: true, clipboardData: new DataTransfer()}))")
        check(chip.count() == 0, "a paste into a field is offered")

    def hostile_names(self):
        """files with hostile names are shown as text, found, and played"""
        names = sorted(path.name for path in (self.root / "Names").iterdir())
        self.put("Other/a.wav")
        self.go("Names")
        for number, name in enumerate(names):
            self.choose(name, "Add to the end")
            self.until("%r is added" % name, lambda: self.queue()[number + 1:] == [name])
        check(self.page.evaluate("[window.broken, document.querySelectorAll('.item script, .item b').length]") == [None, 0], "a name became markup")
        surplus = browsing.surplus_width(self.page)
        check(surplus <= 0, "the page is %d px too wide" % surplus)

    def many_files(self):
        """a folder of 3,000 files shows its first rows soon, scrolls, filters and has few elements, at 6 times slower execution"""
        self.go("Other")
        devtools = self.page.context.new_cdp_session(self.page)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": 6})
        try:
            begin = time.monotonic()
            self.page.evaluate("path => (location.hash = '#/library/' + encodeURIComponent(path))", str(self.root / "Many"))
            self.item("0001.wav").wait_for(timeout=PATIENCE * 1000)
            first = time.monotonic() - begin
            self.page.get_by_text(re.compile("3,000 files")).wait_for(timeout=4 * PATIENCE * 1000)
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
            self.item("2875.wav").wait_for(timeout=PATIENCE * 1000)
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
        self.item("0001.wav").wait_for(timeout=PATIENCE * 1000)
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
        self.item("0505.wav").wait_for(timeout=PATIENCE * 1000)
        self.until("the position", lambda: abs(scroller.evaluate("element => element.scrollTop") - 30000) < 2)
        views = self.page.get_by_role("navigation", name="Views")
        views.get_by_role("link", name="Now").click()
        views.get_by_role("link", name="Library").click()
        self.item("0505.wav").wait_for(timeout=PATIENCE * 1000)
        views.get_by_role("link", name="Library").click()
        self.item("Album").wait_for(timeout=PATIENCE * 1000)

    def keyboard(self):
        """by the keyboard alone an album is found, its file is chosen to play next, and the focus is never lost"""
        self.put("Other/a.wav", "Other/b.wav")
        self.page.get_by_role("navigation", name="Views").get_by_role("link", name="Search").click()
        self.page.get_by_role("navigation", name="Views").get_by_role("link", name="Library").focus()
        self.page.keyboard.press("Enter")
        self.item("Album").wait_for(timeout=PATIENCE * 1000)
        for _ in range(40):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("!!document.activeElement.closest('.library-view .virtual-list')"):
                break
        self.page.keyboard.press("End")
        self.page.keyboard.press("Home")
        check(self.focused() == "Album", "the focus is on %s" % self.focused())
        self.page.keyboard.press("Enter")
        self.item("02 Two.flac").wait_for(timeout=PATIENCE * 1000)
        self.until("the first row", lambda: self.focused() == "Extras")
        for _ in range(2):
            self.page.keyboard.press("ArrowDown")
        check(self.focused() == "Two", "the focus is on %s" % self.focused())
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
        check(self.page.evaluate("document.activeElement.ariaLabel")[:8] == "More for", "the focus is elsewhere")
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
        results.get_by_text("Three", exact=True).wait_for(timeout=PATIENCE * 1000)
        self.page.get_by_text(re.compile("Searched: the queue, and all \\d+ folders")).wait_for(timeout=4 * PATIENCE * 1000)
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
        self.page.get_by_text("Nothing was found").first.wait_for(timeout=4 * PATIENCE * 1000)
        field.fill("")
        self.page.get_by_role("button", name="three", exact=True).click()
        results.get_by_text("Three", exact=True).first.wait_for(timeout=PATIENCE * 1000)
        # A link, such as that of an artist in the view Now, searches for its text.
        self.page.evaluate("location.hash = '#/search/two'")
        results.get_by_text("Two", exact=True).first.wait_for(timeout=PATIENCE * 1000)
        check(field.input_value() == "two", field.input_value())

    def speaks_once(self):
        """each act is announced exactly once"""
        self.put("Other/a.wav", "Other/b.wav")
        self.go("Album")
        # The page reports that another client has changed the queue.
        self.until("that report ended", lambda: not self.page.locator(".notice-place").inner_text().strip())
        self.page.evaluate(browsing.WATCH_LIVE)
        acts = {"“Album” was added to the end.": lambda: self.act("Add to the end"),
                "“Extras” plays next.": lambda: self.choose("Extras", "Play next")}
        for wanted, act in acts.items():
            self.page.evaluate("window.heard.length = 0")
            act()
            self.page.wait_for_timeout(1200)
            heard = [re.sub("[\u2066-\u2069]", "", text) for text in self.page.evaluate("window.heard")]
            check(len(heard) == 1 and heard[0].startswith(wanted), "a screen reader reads %s" % heard)

    def has_no_barriers(self):
        """axe finds no barrier in the library, the selection, the sheets and the search, in both themes and three languages"""
        browser = self.page.context.browser
        for locale, scheme, size in (("en", "light", browsing.PHONE), ("de", "dark", browsing.DESK), ("ar", "light", browsing.PHONE)):
            with browsing.open_page(self.options.url, browser, locale=locale, color_scheme=scheme, viewport=size) as page:
                places = {"folders": lambda: None, "selection": lambda: page.locator(".library-choices .icon-button").click(),
                          "menu": lambda: (page.keyboard.press("Escape"), page.locator(".item-more").first.click())}
                page.evaluate("path => (location.hash = '#/library/' + encodeURIComponent(path))", str(self.root / "Album"))
                page.locator(".item-name").first.wait_for()
                for name, enter in places.items():
                    enter()
                    page.wait_for_timeout(400)
                    self.judge(page, "%s %s %s" % (name, locale, scheme))
                page.keyboard.press("Escape")
                page.evaluate("location.hash = '#/search'")
                page.get_by_role("searchbox").fill("one")
                page.locator(".search-view .item-name").first.wait_for()
                self.judge(page, "search %s %s" % (locale, scheme))
                check(not browsing.complaints(page), "the console says: %s" % browsing.complaints(page))

    def judge(self, page, where):
        barriers = browsing.barriers(page)
        check(not barriers, "%s: %s" % (where, barriers))
        missing = page.evaluate(MISSING_TEXTS)
        check(not missing, "%s: texts are missing: %s" % (where, missing))
        check(browsing.surplus_width(page) <= 0, "%s: the page is too wide" % where)

    def stays_quiet(self):
        """nothing was reported on the console, including violations of the content security policy"""
        # The browser reports each 4xx as an error of its own; here some are expected.
        found = [text for text in browsing.complaints(self.page) if "Failed to load resource" not in text]
        check(not found, "the console says: %s" % found)

    ALL = [begins, tap_plays_folder, tap_jumps, tap_destroys_nothing, folder_of_header, menus, titles_of_queue, selects, addresses, drops,
           hostile_names, many_files, keeps_place, keyboard, searches, speaks_once, has_no_barriers, stays_quiet]


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    parsed = options.parse_args()
    report(lambda: run(parsed, Checks, (Checks.begins,), viewport=browsing.DESK, locale="en"))


if __name__ == "__main__":
    main()
