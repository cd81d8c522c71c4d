#!/usr/bin/env python3
"""Walks through the views of the web remote on a phone, a desk and a television, in three languages and both themes, in a real Chromium.

usage: shell.py URL FOLDER CLOSED TOKEN [--chromium PATH] [--only GROUP] [--pictures PREFIX]

FOLDER is a media root of the player at URL, with at least six seekable files of at least 40 seconds, of which the second has a picture. CLOSED is the
address of a player that requires TOKEN. Prints one JSON object: {"ok", "checks": [{"name", "ok", "detail"}], "figures"}. With --pictures it writes a
screenshot of each view.
"""
import functools
import itertools
import re

from browsing import DESK, PHONE, SMALL_PHONE, ask, barriers, layout_shift, open_browser, settled, surplus_width
from checking import THOROUGH, attempt, check, parser, report, summary
from shell_entrance import EntranceChecks
from shell_navigation import NavigationChecks
from shell_view import SHIFT, VIEWS, ShellView

# The windows whose layout must not move.
STILL = {"small phone": SMALL_PHONE, "phone": PHONE, "desk": DESK, "television": {"width": 3840, "height": 2160}}
TITLES = ["<script>document.title = 'attacked'</script>", "🎧🎶👩‍👩‍👧‍👦",
          "أغنية الليل الطويل", "Long " * 60, "a" * 300, ""]
KEYS = re.compile(r"\b(shell|link|queue|library|now|extra)\.[a-z]\w+")

# The visible text of the page, with its accessible names.
TEXTS = """() => [document.body.innerText, ...[...document.querySelectorAll('[aria-label], [title], [placeholder]')]
  .flatMap(element => [element.ariaLabel, element.title, element.placeholder])].filter(Boolean).join('\\n')"""
# The parts that have to be scrolled sideways, except the rows of buttons that are made for it.
CUT = """() => [...document.querySelectorAll('main, main *, nav, nav *, .topbar, .player, .player *')].filter(element => element.checkVisibility())
  .filter(element => !element.matches('.library-actions, .crumbs'))
  .filter(element => element.scrollWidth > element.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(element).overflowX))
  .map(element => element.className || element.nodeName)"""


class Checks(NavigationChecks, EntranceChecks, ShellView):
    """Each method is one check, named by its docstring."""

    def stays_still(self):
        """the layout does not move when texts, state and picture arrive, at 320, 390, 1280 and 3840 pixels, in any view"""
        with self.open() as page:
            self.fill(page, play=True)
        for (name, size), view, locale in itertools.product(STILL.items(), VIEWS, ("en", "ar")):
            # The smallest window and the largest one, which draws eight million pixels without a graphics processor, have their other views in a
            # thorough run.
            if view != "now" and (locale == "ar" or name in ("small phone", "television") and not THOROUGH):
                continue
            with self.open("#/" + view, size, locale=locale) as page:
                page.locator("body[data-playing=true]").wait_for()
                if view == "now":
                    page.locator("img:visible").first.wait_for()
                settled(page)
                shift, shifts = layout_shift(page)
                self.figures["shift %s %s %s" % (name, view, locale)] = round(shift, 4)
                check(shift <= SHIFT, "%s, %s, %s: a shift of %.4f: %s" % (name, view, locale, shift, shifts))

    def speaks(self):
        """in German and Arabic no text is missing, Arabic is written from right to left, and no view is too wide"""
        for locale, direction, word in (("de-AT", "ltr", "Bibliothek"), ("ar-EG", "rtl", "المكتبة")):
            for size in (SMALL_PHONE, PHONE, DESK) if THOROUGH else (SMALL_PHONE, DESK):
                with self.open(size=size, locale=locale) as page:
                    page.locator("body[data-playing]").wait_for()
                    check(page.evaluate("document.documentElement.dir") == direction, "%s is written in another direction" % locale)
                    language = page.evaluate("document.documentElement.lang")
                    check(language == locale[:2], "the language is %s" % language)
                    for view in VIEWS:
                        page.evaluate("view => location.hash = '#/' + view", view)
                        settled(page)
                        text = page.evaluate(TEXTS)
                        check(word in text, "%s has no word %s" % (view, word))
                        check(not KEYS.search(text), "a text is missing: %s" % KEYS.findall(text))
                        check(surplus_width(page) <= 0, "%s is %d px too wide in %s at %s" % (view, surplus_width(page), locale, size))
                        check(not page.evaluate(CUT), "%s scrolls sideways in %s at %s: %s" % (view, locale, size, page.evaluate(CUT)))
                        self.picture(page, "%s-%s" % (view, locale))
                    self.clean(page)

    def chooses(self):
        """a chosen language and theme apply at once, and after a reload; automatic returns to the browser's"""
        # The cover gives the page its hue.
        tinted = "document.documentElement.style.getPropertyValue('--hue') !== ''"
        with self.open("#/settings", locale="en-GB") as page:
            self.fill(page)
            page.get_by_role("combobox", name="Language").select_option(label="Deutsch")
            page.get_by_role("heading", name="Darstellung").wait_for()
            check(page.evaluate("document.documentElement.lang") == "de", "the page is not German")
            check(self.is_view(page, "settings"), "another view is shown")
            self.until("the hue of the cover", lambda: page.evaluate(tinted), page)
            light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
            page.get_by_role("radio", name="Dunkel").check()
            dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
            check(light != dark, "the theme does not apply at once")
            page.reload()
            page.get_by_role("heading", name="Darstellung").wait_for()
            self.until("the hue of the cover", lambda: page.evaluate(tinted), page)
            check(page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == dark, "the theme is lost")
            check(page.evaluate("getComputedStyle(document.documentElement).colorScheme") in ("dark", "normal"), "the browser's controls are light")
            page.get_by_role("radio", name="Automatisch").check()
            check(page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == light, "automatic is not the theme of the system")
            page.get_by_role("combobox", name="Sprache").select_option("auto")
            page.get_by_role("heading", name="Appearance").wait_for()
            self.clean(page)

    def obeys_only_free_keys(self):
        """a key does only what the focused control means by it: Space presses the button, Home and arrows scroll, and keys can be switched off"""
        with self.open() as page:
            self.fill(page, play=False)
            ask(page, "PATCH", "player", {"volume": 0.4})
            ask(page, "POST", "player/seek", {"time": 20})
            self.button(page, "Next").focus()
            page.keyboard.press("Space")
            self.until("Space presses Next", lambda: self.index(page) == 2, page)
            settled(page)
            check(ask(page, "GET", "player")["rate"] == 0, "Space on Next plays too")
            ask(page, "POST", "player/seek", {"time": 20})
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press("Home")
            page.keyboard.press("End")
            settled(page)
            check(abs(ask(page, "GET", "player/time")["currentTime"] - 20) < 0.5, "Home or End sought")
            page.keyboard.press("0")
            self.until("0 seeks to the start", lambda: ask(page, "GET", "player/time")["currentTime"] < 0.5, page)
            page.keyboard.press("ArrowUp")
            self.until("louder", lambda: abs(ask(page, "GET", "player")["volume"] - 0.45) < 0.01, page)
            page.evaluate("location.hash = '#/settings'")
            page.get_by_role("radio", name="Automatic").focus()
            for key in ("ArrowDown", "ArrowRight", "ArrowLeft", "m"):
                page.keyboard.press(key)
            settled(page)
            state = ask(page, "GET", "player")
            check(abs(state["volume"] - 0.45) < 0.01 and not state["isMuted"], "a key of a radio button changed %s" % state["volume"])
            switch = page.get_by_role("switch", name="Use these keys")
            switch.uncheck()
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press("k")
            settled(page)
            check(ask(page, "GET", "player")["rate"] == 0, "K plays although the keys are switched off")
            switch.check()
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press("k")
            self.until("K plays", lambda: ask(page, "GET", "player")["rate"] == 1, page)
            page.keyboard.press("k")
            page.keyboard.press("?")
            page.get_by_role("dialog", name="Keyboard").wait_for()
            page.keyboard.press("Escape")
            page.get_by_role("dialog").wait_for(state="hidden")
            self.clean(page)

    def closes_sheets(self):
        """a sheet closes by a press outside, but not by a selection that is dragged outside, and the focus returns"""
        with self.open("#/settings") as page:
            page.get_by_role("button", name="Help").click()
            sheet = page.get_by_role("dialog", name="Keyboard")
            box = sheet.bounding_box()
            page.mouse.move(box["x"] + 100, box["y"] + 200)
            page.mouse.down()
            page.mouse.move(box["x"] - 60, box["y"] + 220, steps=4)
            page.mouse.up()
            check(sheet.is_visible(), "a dragged selection closed the sheet")
            page.mouse.click(box["x"] - 60, box["y"] + 20)
            sheet.wait_for(state="hidden")
            self.until("the focus is on Help", lambda: page.evaluate("document.activeElement.ariaLabel") == "Help", page)

    def has_no_barriers(self):
        """axe finds no barrier in any view, in both themes and all languages, on a phone and a desk"""
        # The first screen shows a player without an item.
        screens = (("light", PHONE, "en"), ("light", PHONE, "ar"), ("dark", DESK, "de"))
        if THOROUGH:
            screens = itertools.product(("light", "dark"), (PHONE, DESK), ("en", "ar", "de"))
        for number, (theme, size, locale) in enumerate(screens):
            if number == 1:
                with self.open() as page:
                    self.fill(page)
            with self.open(size=size, color_scheme=theme, locale=locale, reduced_motion="reduce") as page:
                page.locator("body[data-playing]").wait_for()
                for view in VIEWS:
                    page.evaluate("view => location.hash = '#/' + view", view)
                    settled(page)
                    found = barriers(page)
                    self.picture(page, "%s-%s-%s" % (view, theme, locale))
                    check(not found, "%s, %s, %s, %d px: %s" % (view, theme, locale, size["width"], found))
                page.locator("[data-hook=help]").click()
                page.get_by_role("dialog").wait_for()
                found = barriers(page)
                check(not found, "the keyboard sheet, %s, %s: %s" % (theme, locale, found))

    def shows_hostile_titles(self):
        """titles with markup, emoji, Arabic, 300 characters and none are shown as they are, in every view, without errors and sideways scrolling"""
        # On a desk `hostile.py` shows them too.
        for size in (SMALL_PHONE, DESK) if THOROUGH else (SMALL_PHONE,):
            with self.open(size=size) as page:
                for index, title in enumerate(TITLES):
                    self.fill(page, index, titles=TITLES)
                    page.evaluate("location.hash = '#/now'")
                    # Without a title of the entry, that of the file is shown.
                    wanted = " ".join((title or ask(page, "GET", "player")["currentItem"]["title"]).split())
                    heading = page.get_by_role("main").get_by_role("heading").first
                    shown = lambda: " ".join(heading.inner_text().split())
                    self.until("the title %r" % title[:20], lambda: shown() == wanted, page)
                    whole = heading.locator("[title]").first.get_attribute("title") or ""
                    check(whole.strip() == (title.strip() or heading.inner_text()), "the whole title cannot be read")
                    for view in VIEWS:
                        page.evaluate("view => location.hash = '#/' + view", view)
                        settled(page)
                        check(surplus_width(page) <= 0, "%r makes %s %d px too wide" % (title[:20], view, surplus_width(page)))
                    check("attacked" not in page.title() or "<script>" in page.title(), "a script in a title ran")
                self.clean(page)

    def leans_back(self):
        """a large screen without input shows only the music after a minute, until the next input"""
        with self.open(size={"width": 1920, "height": 1080}) as page:
            self.fill(page)
            page.clock.install()
            page.reload()
            self.button(page, "Play").wait_for()
            # The clock stands between the steps, however long they take.
            page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
            page.mouse.move(300, 300)
            page.clock.fast_forward(59_000)
            check(page.locator("[data-idle]").count() == 0, "the controls disappear too early")
            page.clock.fast_forward(2_000)
            check(page.locator("[data-idle]").count() == 1, "the controls stay")
            check(surplus_width(page) <= 0, "the page is %d px too wide" % surplus_width(page))
            self.picture(page, "idle")
            page.mouse.move(310, 300)
            check(page.locator("[data-idle]").count() == 0, "the controls do not return")

    GROUPS = {
        "entrance": [*NavigationChecks.ALL, EntranceChecks.unlocks],
        "controls": [chooses, obeys_only_free_keys, closes_sheets, leans_back],
        **{check.__name__: [check] for check in (stays_still, speaks, has_no_barriers, shows_hostile_titles)}}


def run(options):
    with open_browser(options.chromium) as browser:
        checks = Checks(browser, options)
        chosen = [one for name, group in Checks.GROUPS.items() if options.only in (None, name) for one in group]
        results = [attempt(one.__doc__, functools.partial(one, checks)) for one in chosen]
    return summary(results, checks.figures)


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    options.add_argument("closed")
    options.add_argument("token")
    options.add_argument("--only", help="the name of a group of checks")
    options.add_argument("--pictures", help="the beginning of the names of screenshots")
    parsed = options.parse_args()
    report(lambda: run(parsed))


if __name__ == "__main__":
    main()
