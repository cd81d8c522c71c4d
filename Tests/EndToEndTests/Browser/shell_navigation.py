"""The checks of the ways between the views: the tabs and the mini player of a phone, and the rail and the queue of a desk."""
from browsing import DESK, PHONE, ask, layout_shift, settled
from checking import check
from finger import Finger
from shell_view import SHIFT, VIEWS, ShellView

TABS = {"now": "Now", "queue": "Queue", "library": "Library", "search": "Search"}
FIRST_TOUCH_TARGET = 44


class NavigationChecks(ShellView):
    """Each method is one check, named by its docstring."""

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
            settled(page)
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

    ALL = [tabs, mini_player, desk]
