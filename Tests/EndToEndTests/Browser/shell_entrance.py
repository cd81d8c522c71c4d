"""The checks of a page that cannot be used yet, because it lacks the token."""
from browsing import DESK, PHONE, barriers, open_page
from checking import check
from shell_view import TOUCH, ShellView


class EntranceChecks(ShellView):
    """Each method is one check, named by its docstring."""

    def unlocks(self):
        """a first visit asks for the token and shows nothing else; a wrong one is kept and named; the whole link unlocks, with its route"""
        for size in (PHONE, DESK):
            touch = TOUCH if size is PHONE else {}
            with open_page(self.options.closed + "#/settings", self.browser, viewport=size, **touch) as page:
                dialog = page.get_by_role("dialog")
                dialog.wait_for()
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
                page.get_by_role("alert").filter(has_text="not the token").wait_for()
                check(field.input_value() == "not the token", "the text is lost: %r" % field.input_value())
                page.get_by_role("checkbox").check()
                check(field.get_attribute("type") == "text", "the text cannot be read")
                field.fill("Remote: %s#token=%s" % (self.options.closed, self.options.token))
                page.get_by_role("button", name="Unlock").click()
                dialog.wait_for(state="hidden")
                check(self.is_view(page, "settings"), "another view than the requested one is shown")
                page.get_by_role("heading", name="Appearance").wait_for()
                check(self.options.token not in page.url, "the token is in the address")
                check(not page.evaluate("token => JSON.stringify(localStorage).includes(token)", self.options.token), "the token is stored")
        with open_page(self.options.closed + "#/queue&token=" + self.options.token, self.browser) as page:
            page.locator("body[data-playing]").wait_for()
            check(page.get_by_role("dialog").count() == 0, "the printed link does not unlock")
