"""Presses Tab through the web remote, and measures in pictures whether the focus is visible."""
import base64

from browsing import drawn
from hands import MOST_PRESSES, Tree

# The smallest number of pixels that a focus ring changes, by at least this difference of a channel.
RING_PIXELS, RING_DIFFERENCE = 60, 40

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


class FocusRings:
    """The rings around the elements with the focus. `stops` is the number of elements that Tab reaches, place by place."""

    def __init__(self, page):
        self.page, self.stops = page, {}
        # Another page compares the pictures.
        self.judge = page.context.browser.new_context().new_page()

    def picture(self, box):
        left, top, right, bottom = box
        size = self.page.viewport_size
        left, top = max(0, left - 8), max(0, top - 8)
        clip = {"x": left, "y": top, "width": min(size["width"], right + 8) - left, "height": min(size["height"], bottom + 8) - top}
        return base64.b64encode(self.page.screenshot(clip=clip)).decode() if clip["width"] > 0 and clip["height"] > 0 else None

    def ring(self, focus, without):
        """Returns the number of pixels of the ring of an element, whose picture with the focus was taken."""
        return self.judge.evaluate(DIFFERENCE, [focus["picture"], without, RING_DIFFERENCE]) if focus["picture"] and without else 0

    def ring_again(self, stop, other):
        """Returns the number of pixels of the ring of an element, whose place may have changed between two pictures: a notice came or went."""
        self.page.evaluate("stop => window.stops[stop].focus()", stop)
        drawn(self.page)
        focus = self.page.evaluate(FOCUS)
        if focus is None or focus["stop"] != stop:
            return RING_PIXELS  # The element has gone, as a notice does, or cannot have the focus any more.
        focus["picture"] = self.picture(focus["box"])
        self.page.evaluate("([stop, other]) => other === stop ? window.stops[stop].blur() : window.stops[other].focus()", [stop, other])
        drawn(self.page)
        return self.ring(focus, self.picture(focus["box"]))

    def walk(self, place):
        """Presses Tab until the focus is on a former element again, and returns what is wrong with the elements in between."""
        self.page.evaluate("window.stops = []")
        tree, faults, before, seen = Tree(self.page), [], None, set()
        for _ in range(2 * MOST_PRESSES):
            self.page.keyboard.press("Tab")
            drawn(self.page)
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
        self.stops[place] = len(seen)
        if len(seen) < 2:
            faults.append("%s: Tab reaches %d elements" % (place, len(seen)))
        return faults
