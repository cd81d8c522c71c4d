"""The checks of what brings files, folders and selections of the library into the queue."""
import re

from checking import check
from library_view import LibraryView


class QueueChecks(LibraryView):
    """Each method is one check, named by its docstring."""

    def begins(self):
        """without an item the player leads to the library, which lists the only media root"""
        self.page.goto(self.options.url)
        self.put()
        self.page.get_by_role("button", name="Open a file").click()
        for name in ("Album", "Many", "Names", "Other"):
            self.item(name).wait_for()
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
        self.undo("The queue was replaced")
        check(self.ids() == before, self.queue())
        self.choose("02 Two.flac", "Play")
        self.until("the file only", lambda: self.queue() == ["02 Two.flac"])
        self.undo("The queue was replaced")
        check(self.ids() == before, self.queue())

    def titles_of_queue(self):
        """entries of the queue that were not opened yet show title, artist and duration, as the library knows them"""
        self.put("Other/a.wav", "Other/b.wav", "Album/03 Three.flac", "Album/04 Four.flac", play=False)
        entry = self.ask("GET", "queue")["entries"][3]
        check("title" not in entry and entry["status"] == "unknown", "the entry was opened: %s" % entry)
        row = self.page.locator(".queue-row").filter(has=self.page.locator(".queue-title", has_text=re.compile("^Four$")))
        self.until("title, artist and duration", lambda: row.count() == 1 and "Band" in row.inner_text() and "10:00" in row.inner_text())

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

    ALL = [begins, tap_plays_folder, tap_jumps, tap_destroys_nothing, folder_of_header, menus, titles_of_queue, selects]
