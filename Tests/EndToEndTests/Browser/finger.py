"""A finger on a touch screen that Chromium emulates."""


class Finger:
    """Touches, moves and lifts, in steps of a frame."""

    def __init__(self, page):
        self.page = page
        self.devtools = page.context.new_cdp_session(page)

    def send(self, kind, *points):
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(points)]})

    def tap(self, x, y):
        self.send("touchStart", (x, y))
        self.page.wait_for_timeout(40)
        self.send("touchEnd")

    def path(self, points, rest=None, end="touchEnd"):
        """Touches the first point, rests there while `rest` is performed, and moves through the others."""
        self.send("touchStart", points[0])
        if rest:
            rest()
        for point in points[1:]:
            self.send("touchMove", point)
            self.page.wait_for_timeout(16)
        self.send(end)

    def swipe(self, x, y, across, down, steps=12, **how):
        """Moves in a straight line."""
        self.path([(x + across * step / steps, y + down * step / steps) for step in range(steps + 1)], **how)
