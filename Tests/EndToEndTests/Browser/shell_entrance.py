"""The checks of a page that cannot be used yet: it lacks the token, or a part of it could not be loaded."""
from browsing import DESK, PHONE, barriers, open_page
from checking import check
from page import PATIENCE
from shell_view import TOUCH, ShellView


class EntranceChecks(ShellView):
    """Each method is one check, named by its docstring."""

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
