"""The checks of addresses that are typed, pasted or dropped."""
from checking import check
from library_view import LibraryView

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


class AddressChecks(LibraryView):
    """Each method is one check, named by its docstring."""

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
        sheet.get_by_role("status").filter(has_text="Line 2, ").filter(has_text="no file").wait_for()
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

    ALL = [addresses, drops]
