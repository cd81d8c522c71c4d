#!/usr/bin/env python3
"""Walks through the views of the web remote on a phone, a desk and a television, in three languages and both themes, in a real Chromium.

usage: shell.py URL FOLDER CLOSED TOKEN [--chromium PATH] [--only NAME] [--pictures PREFIX]

FOLDER is a media root of the player at URL, with at least six seekable files of at least 40 seconds, of which the second has a picture. CLOSED is the
address of a player that requires TOKEN. Prints one JSON object: {"ok", "checks": [{"name", "ok", "detail"}], "figures"}. With --pictures it writes a
screenshot of each view.
"""
import pathlib
import re

from browsing import DESK, PHONE, SMALL_PHONE, ask, barriers, complaints, layout_shift, open_browser, open_page, surplus_width, until
from page import PATIENCE, check, parser, report
from phone import Finger

VIEWS = ["now", "queue", "library", "search", "settings"]
TABS = {"now": "Now", "queue": "Queue", "library": "Library", "search": "Search"}
# The windows whose layout must not move, and the largest sum of the layout shifts.
STILL = {"small phone": SMALL_PHONE, "phone": PHONE, "desk": DESK, "television": {"width": 3840, "height": 2160}}
SHIFT = 0.02
TOUCH = {"has_touch": True, "is_mobile": True}
TITLES = ["<script>document.title = 'attacked'</script>", "🎧🎶👩‍👩‍👧‍👦",
          "أغنية الليل الطويل", "Long " * 60, "a" * 300, ""]
FIRST_TOUCH_TARGET = 44
KEYS = re.compile(r"\b(shell|link|queue|library|now|extra)\.[a-z]\w+")

# The visible text of the page, with its accessible names.
TEXTS = """() => [document.body.innerText, ...[...document.querySelectorAll('[aria-label], [title], [placeholder]')]
  .flatMap(element => [element.ariaLabel, element.title, element.placeholder])].filter(Boolean).join('\\n')"""
# The parts that have to be scrolled sideways, except the rows of buttons that are made for it.
CUT = """() => [...document.querySelectorAll('main, main *, nav, nav *, .topbar, .player, .player *')].filter(element => element.checkVisibility())
  .filter(element => !element.matches('.library-actions, .crumbs'))
  .filter(element => element.scrollWidth > element.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(element).overflowX))
  .map(element => element.className || element.nodeName)"""


class Checks:
    """Each method is one check, named by its docstring."""

    def __init__(self, browser, options):
        self.browser, self.options, self.figures = browser, options, {}
        self.files = sorted(path.as_uri() for path in pathlib.Path(options.folder).iterdir() if path.suffix != ".lrc")

    def open(self, fragment="", size=DESK, **context):
        touch = TOUCH if size["width"] < 700 else {}
        return open_page(self.options.url + fragment, self.browser, viewport=size, **touch, **context)

    def fill(self, page, index=1, play=False, titles=()):
        entries = [{"url": url} for url in self.files[:6]]
        for entry, title in zip(entries, titles):
            if title:
                entry["title"] = title
        ask(page, "PUT", "queue", {"entries": entries, "startIndex": index, "play": play})
        self.button(page, "Pause" if play else "Play").wait_for(timeout=PATIENCE * 1000)
        self.until("the entry is ready", lambda: ask(page, "GET", "player").get("currentItem", {}).get("status") == "readyToPlay", page)

    def until(self, what, condition, page):
        until(page, what, condition, PATIENCE)

    def button(self, page, name):
        """A control of playback. Views and notices have buttons of the same name."""
        return page.get_by_role("region", name="Player").get_by_role("button", name=name, exact=True)

    def index(self, page):
        return ask(page, "GET", "player")["queue"]["index"]

    def is_view(self, page, view):
        return page.evaluate("document.documentElement.dataset.view") == view

    def clean(self, page):
        # The browser reports each 4xx as an error of its own: an item without lyrics is one.
        found = [text for text in complaints(page) if "status of 404" not in text]
        check(not found, "the page reports %s" % found)

    def picture(self, page, name):
        if self.options.pictures:
            page.screenshot(path="%s-%s-%d.png" % (self.options.pictures, name, page.viewport_size["width"]))

    def tabs(self):
        """on a phone four tabs at the bottom show the views, Back returns, and a link to a view opens it"""
        with self.open(size=PHONE) as page:
            self.fill(page)
            tabs = page.get_by_role("navigation", name="Views").get_by_role("link")
            boxes = [tab.bounding_box() for tab in tabs.all() if tab.is_visible()]
            check(len(boxes) == 4, "%d tabs are visible" % len(boxes))
            check(all(box["height"] >= FIRST_TOUCH_TARGET and box["y"] + box["height"] <= PHONE["height"] for box in boxes),
                  "the tabs are at %s" % boxes)
            for view in ["queue", "library", "search", "now"]:
                page.get_by_role("link", name=TABS[view], exact=True).tap()
                self.until(view, lambda: self.is_view(page, view), page)
                current = page.locator("nav [aria-current=page]").all_inner_texts()
                check([text.strip() for text in current] == [TABS[view]], "the current tab is %s" % current)
            page.go_back()
            self.until("Back shows the search", lambda: self.is_view(page, "search"), page)
            page.go_back()
            self.until("Back shows the library", lambda: self.is_view(page, "library"), page)
            self.clean(page)
        for view in VIEWS:
            with self.open("#/" + view, PHONE) as page:
                self.until("a link to " + view, lambda: self.is_view(page, view), page)

    def mini_player(self):
        """on a phone a mini player is in every view but Now: it plays, opens Now by a tap or a swipe up, and changes the entry by a swipe"""
        with self.open("#/library", PHONE) as page:
            self.fill(page, index=2)
            player, mini = page.get_by_role("region", name="Player"), page.locator("[data-hook=mini]")
            for view in ["queue", "search", "settings", "library"]:
                page.evaluate("view => location.hash = '#/' + view", view)
                self.until("a mini player", lambda: 54 <= player.bounding_box()["height"] <= 60, page)
            box = mini.bounding_box()
            check(box["height"] >= FIRST_TOUCH_TARGET, "the mini player is %s" % box)
            self.button(page, "Play").tap()
            self.until("it plays", lambda: ask(page, "GET", "player")["rate"] == 1, page)
            finger, x, y = Finger(page), box["x"] + 150, box["y"] + 25
            finger.swipe(x, y, -100, 4)
            self.until("the next entry", lambda: self.index(page) == 3, page)
            check(self.is_view(page, "library"), "the swipe opened another view")
            ask(page, "POST", "player/pause", {})
            finger.swipe(x, y, 100, 4)
            self.until("the previous entry", lambda: self.index(page) == 2, page)
            finger.swipe(x, y, 20, 4)
            page.wait_for_timeout(100)
            check(self.index(page) == 2, "a short movement changed the entry")
            page.evaluate("location.hash = '#/library'")
            self.until("the library", lambda: self.is_view(page, "library"), page)
            finger.swipe(x, y, 4, -90)
            self.until("a swipe up opens Now", lambda: self.is_view(page, "now"), page)
            check(not mini.is_visible(), "the mini player stays in Now")
            page.evaluate("location.hash = '#/search'")
            mini.tap()
            self.until("a tap opens Now", lambda: self.is_view(page, "now"), page)
            page.evaluate("location.hash = '#/search'")
            mini.focus()
            page.keyboard.press("n")
            self.until("N selects the next entry", lambda: self.index(page) == 3, page)
            page.keyboard.press("Enter")
            self.until("Enter opens Now", lambda: self.is_view(page, "now"), page)
            self.clean(page)

    def desk(self):
        """on a desk a rail, the queue and the player bar are beside every view; a closed queue stays closed after a reload"""
        with self.open() as page:
            self.fill(page)
            panel, player = page.get_by_role("complementary", name="Queue"), page.get_by_role("region", name="Player")
            for view in ["library", "search", "settings", "now"]:
                page.get_by_role("navigation", name="Views").get_by_role("link", name=view.capitalize()).click()
                self.until(view, lambda: self.is_view(page, view), page)
                box = player.bounding_box()
                check(box["y"] + box["height"] == DESK["height"] and abs(box["height"] - 88) <= 2, "in %s the bar is %s" % (view, box))
                check(panel.bounding_box()["width"] == 360, "in %s the queue is %s" % (view, panel.bounding_box()))
            button = player.get_by_role("button", name="Queue", exact=True)
            check(button.get_attribute("aria-expanded") == "true", "the button does not say that the queue is open")
            button.click()
            panel.wait_for(state="hidden")
            check(button.get_attribute("aria-expanded") == "false", "the button says that the queue is open")
            page.reload()
            self.button(page, "Play").wait_for()
            check(panel.is_hidden(), "a reload opens the queue")
            check(layout_shift(page)[0] <= SHIFT, "the layout moves: %s" % (layout_shift(page),))
            button.click()
            panel.wait_for()
            self.clean(page)

    def stays_still(self):
        """the layout does not move when texts, state and picture arrive, at 320, 390, 1280 and 3840 pixels, in any view"""
        with self.open() as page:
            self.fill(page, play=True)
        for name, size in STILL.items():
            for view in VIEWS:
                for locale in ["en", "ar"] if view == "now" else ["en"]:
                    with self.open("#/" + view, size, locale=locale) as page:
                        page.locator("body[data-playing=true]").wait_for(timeout=PATIENCE * 1000)
                        if view == "now":
                            page.locator("img:visible").first.wait_for(timeout=PATIENCE * 1000)
                        page.wait_for_timeout(300)
                        shift, shifts = layout_shift(page)
                        self.figures["shift %s %s %s" % (name, view, locale)] = round(shift, 4)
                        check(shift <= SHIFT, "%s, %s, %s: a shift of %.4f: %s" % (name, view, locale, shift, shifts))

    def speaks(self):
        """in German and Arabic no text is missing, Arabic is written from right to left, and no view is too wide"""
        for locale, direction, word in (("de-AT", "ltr", "Bibliothek"), ("ar-EG", "rtl", "المكتبة")):
            for size in (SMALL_PHONE, PHONE, DESK):
                with self.open(size=size, locale=locale) as page:
                    page.locator("body[data-playing]").wait_for()
                    check(page.evaluate("document.documentElement.dir") == direction, "%s is written in another direction" % locale)
                    language = page.evaluate("document.documentElement.lang")
                    check(language == locale[:2], "the language is %s" % language)
                    for view in VIEWS:
                        page.evaluate("view => location.hash = '#/' + view", view)
                        page.wait_for_timeout(150)
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
            page.wait_for_timeout(150)
            check(ask(page, "GET", "player")["rate"] == 0, "Space on Next plays too")
            ask(page, "POST", "player/seek", {"time": 20})
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press("Home")
            page.keyboard.press("End")
            page.wait_for_timeout(150)
            check(abs(ask(page, "GET", "player/time")["currentTime"] - 20) < 0.5, "Home or End sought")
            page.keyboard.press("0")
            self.until("0 seeks to the start", lambda: ask(page, "GET", "player/time")["currentTime"] < 0.5, page)
            page.keyboard.press("ArrowUp")
            self.until("louder", lambda: abs(ask(page, "GET", "player")["volume"] - 0.45) < 0.01, page)
            page.evaluate("location.hash = '#/settings'")
            page.get_by_role("radio", name="Automatic").focus()
            for key in ("ArrowDown", "ArrowRight", "ArrowLeft", "m"):
                page.keyboard.press(key)
            page.wait_for_timeout(150)
            state = ask(page, "GET", "player")
            check(abs(state["volume"] - 0.45) < 0.01 and not state["isMuted"], "a key of a radio button changed %s" % state["volume"])
            switch = page.get_by_role("switch", name="Use these keys")
            switch.uncheck()
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press("k")
            page.wait_for_timeout(150)
            check(ask(page, "GET", "player")["rate"] == 0, "K plays although the keys are switched off")
            switch.check()
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press("k")
            self.until("K plays", lambda: ask(page, "GET", "player")["rate"] == 1, page)
            page.keyboard.press("k")
            page.keyboard.press("?")
            page.get_by_role("dialog", name="Keyboard").wait_for()
            page.keyboard.press("Escape")
            check(page.get_by_role("dialog").count() == 0, "Escape leaves the sheet open")
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
            check(page.evaluate("document.activeElement.ariaLabel") == "Help",
                  "the focus is on %s" % page.evaluate("document.activeElement.outerHTML"))

    def has_no_barriers(self):
        """axe finds no barrier in any view, in both themes and all languages, on a phone and a desk"""
        for theme in ("light", "dark"):
            for size, locale in ((PHONE, "en"), (DESK, "en"), (DESK, "ar"), (PHONE, "de")):
                with self.open(size=size, color_scheme=theme, locale=locale, reduced_motion="reduce") as page:
                    page.locator("body[data-playing]").wait_for()
                    for view in VIEWS:
                        page.evaluate("view => location.hash = '#/' + view", view)
                        page.wait_for_timeout(400)
                        found = barriers(page)
                        self.picture(page, "%s-%s-%s" % (view, theme, locale))
                        check(not found, "%s, %s, %s, %d px: %s" % (view, theme, locale, size["width"], found))
                    page.locator("[data-hook=help]").click()
                    page.wait_for_timeout(300)
                    found = barriers(page)
                    check(not found, "the keyboard sheet, %s, %s: %s" % (theme, locale, found))

    def shows_hostile_titles(self):
        """titles with markup, emoji, Arabic, 300 characters and none are shown as they are, in every view, without errors and sideways scrolling"""
        for size in (SMALL_PHONE, DESK):
            with self.open(size=size) as page:
                for index, title in enumerate(TITLES):
                    self.fill(page, index, titles=TITLES)
                    page.evaluate("location.hash = '#/now'")
                    wanted = " ".join(title.split()) or None
                    heading = page.get_by_role("main").get_by_role("heading").first
                    shown = lambda: " ".join(heading.inner_text().split())
                    self.until("the title %r" % title[:20], lambda: shown() == wanted if wanted else shown(), page)
                    whole = heading.locator("[title]").first.get_attribute("title") or ""
                    check(whole.strip() == (title.strip() or heading.inner_text()), "the whole title cannot be read")
                    for view in VIEWS:
                        page.evaluate("view => location.hash = '#/' + view", view)
                        page.wait_for_timeout(60)
                        check(surplus_width(page) <= 0, "%r makes %s %d px too wide" % (title[:20], view, surplus_width(page)))
                    check("attacked" not in page.title() or "<script>" in page.title(), "a script in a title ran")
                self.clean(page)

    def unlocks(self):
        """a first visit asks for the token and shows nothing else; a wrong one is kept and named; the whole link unlocks, with its route"""
        for size in (PHONE, DESK):
            touch = TOUCH if size is PHONE else {}
            with open_page(self.options.closed + "#/settings", self.browser, viewport=size, **touch) as page:
                dialog = page.get_by_role("dialog")
                dialog.wait_for(timeout=PATIENCE * 1000)
                for role in ("main", "navigation", "banner", "slider", "region"):
                    check(page.get_by_role(role).count() == 0, "the locked page has a %s" % role)
                visible = page.evaluate(
                    "[...document.querySelectorAll('body > :not(dialog)')].filter(e => e.checkVisibility({visibilityProperty: true})).length")
                check(visible == 0, "%d parts of the page are visible behind the form" % visible)
                found = [one for one in barriers(page)]
                check(not found, "the form has barriers: %s" % found)
                self.picture(page, "unlock")
                field = page.get_by_role("textbox")
                check(field.evaluate("element => element === document.activeElement"), "the field has no focus")
                field.fill("not the token")
                page.keyboard.press("Enter")
                page.get_by_role("alert").filter(has_text="not the token").wait_for(timeout=PATIENCE * 1000)
                check(field.input_value() == "not the token", "the text is lost: %r" % field.input_value())
                page.get_by_role("checkbox").check()
                check(field.get_attribute("type") == "text", "the text cannot be read")
                field.fill("Remote: %s#token=%s" % (self.options.closed, self.options.token))
                page.get_by_role("button", name="Unlock").click()
                dialog.wait_for(state="hidden", timeout=PATIENCE * 1000)
                check(self.is_view(page, "settings"), "another view than the requested one is shown")
                page.get_by_role("heading", name="Appearance").wait_for()
                check(self.options.token not in page.url, "the token is in the address")
                check(not page.evaluate("token => JSON.stringify(localStorage).includes(token)", self.options.token), "the token is stored")
        with open_page(self.options.closed + "#/queue&token=" + self.options.token, self.browser) as page:
            page.locator("body[data-playing]").wait_for(timeout=PATIENCE * 1000)
            check(page.get_by_role("dialog").count() == 0, "the printed link does not unlock")

    def leans_back(self):
        """a large screen without input shows only the music after a minute, until the next input"""
        with self.open(size={"width": 1920, "height": 1080}) as page:
            self.fill(page)
            page.clock.install()
            page.reload()
            self.button(page, "Play").wait_for()
            page.mouse.move(300, 300)
            page.clock.fast_forward(59_000)
            check(page.locator("[data-idle]").count() == 0, "the controls disappear too early")
            page.clock.fast_forward(2_000)
            check(page.locator("[data-idle]").count() == 1, "the controls stay")
            check(surplus_width(page) <= 0, "the page is %d px too wide" % surplus_width(page))
            self.picture(page, "idle")
            page.mouse.move(310, 300)
            check(page.locator("[data-idle]").count() == 0, "the controls do not return")

    def loads_later(self):
        """a view or a sheet that could not be loaded says so, and is tried again; after an update the page offers to be loaded again"""
        with self.open() as page:
            self.fill(page)
        for size in (PHONE, DESK):
            answers = {"script": None, "page": None}

            def respond(kind, route):
                if kind == "page" and route.request.method != "HEAD" or answers[kind] == "there":
                    return route.continue_()
                return route.abort() if answers[kind] is None else route.fulfill(status=answers[kind])

            with open_page("about:blank", self.browser, viewport=size, service_workers="block") as page:
                page.route("**/js/rest.js*", lambda route: respond("script", route))
                page.route(self.options.url, lambda route: respond("page", route))
                page.goto(self.options.url + "#/library")
                main, files = page.get_by_role("main"), page.get_by_role("list", name="Files and folders")
                main.get_by_text("No connection to the player").wait_for(timeout=PATIENCE * 1000)
                self.picture(page, "not-loaded")
                check(not barriers(page), "barriers: %s" % barriers(page))
                answers.update(script=404, page="there")
                main.get_by_role("button", name="Try now").click()
                main.get_by_text("The player was updated.").wait_for(timeout=PATIENCE * 1000)
                self.picture(page, "outdated")
                answers["script"] = "there"
                main.get_by_role("button", name="Load again").click()
                files.wait_for(timeout=PATIENCE * 1000)
                answers.update(script=None, page=None)
                page.goto("about:blank")
                page.goto(self.options.url)
                player = page.get_by_role("region", name="Player")
                player.get_by_role("button", name="Sleep", exact=True).click()
                page.get_by_text("No connection to the player").first.wait_for(timeout=PATIENCE * 1000)
                answers.update(script="there", page="there")
                page.get_by_role("button", name="Try now").click()
                page.get_by_role("dialog", name="Sleep").wait_for(timeout=PATIENCE * 1000)

    ALL = [loads_later, tabs, mini_player, desk, stays_still, speaks, chooses, obeys_only_free_keys, closes_sheets, has_no_barriers,
           shows_hostile_titles, unlocks, leans_back]


def run(options):
    results = []
    with open_browser(options.chromium) as browser:
        checks = Checks(browser, options)
        for one in Checks.ALL:
            if options.only not in (None, one.__name__):
                continue
            try:
                one(checks)
                results.append({"name": one.__doc__, "ok": True, "detail": ""})
            except Exception as error:
                results.append({"name": one.__doc__, "ok": False, "detail": str(error)})
    return {"ok": bool(results) and all(result["ok"] for result in results), "checks": results, "figures": checks.figures}


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    options.add_argument("closed")
    options.add_argument("token")
    options.add_argument("--only", help="the name of one check")
    options.add_argument("--pictures", help="the beginning of the names of screenshots")
    parsed = options.parse_args()
    report(lambda: run(parsed))


if __name__ == "__main__":
    main()
