#!/usr/bin/env python3
"""Measures the contrast of every visible text and icon with the pixels behind it, in every view, state and theme, over many covers.

usage: contrast.py URL FOLDER CLOSED [--chromium PATH] [--covers NUMBER] [--pictures PREFIX] [--only TEXT]

FOLDER is a media root of the player at URL, with at least three songs that have a picture, and `Damaged.flac`, which cannot be played. CLOSED is the
address of a player that requires a token. The covers are drawn here: light, dark, saturated, noisy. The environment variable PAGE_COVERS is the
number of covers, at most 50. Prints one JSON object: {"ok", "checks": [{"name", "ok", "detail"}], "figures"}.

For each text, the page is drawn without texts and icons. The ratio (WCAG 2) of the text's colour to each pixel of its box is computed; 95 % of the
pixels must reach 4.5, and 3 for large texts and icons. Disabled controls are excluded, as in WCAG.
"""
import base64
import contextlib
import functools
import http.server
import itertools
import os
import pathlib
import subprocess
import threading

from browsing import DESK, PHONE, ask, drawn, open_browser, open_page, settled, until
from checking import THOROUGH, attempt, check, parser, report, summary
from proxy import Proxy

THEMES = ["light", "dark"]
SCREENS = {"phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True}, "desk": {"viewport": DESK}}

# Finds the visible texts and icons: name, box, colour (sRGB with alpha, as it is painted), and the least ratio.
FIND = r"""() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const paint = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((value, index) => index === 3 ? value / 255 : value);
  };
  const ancestors = (element) => element ? [element, ...ancestors(element.parentElement)] : [];
  const painted = (color, element) => {
    let [r, g, b, a] = paint(color);
    for (const one of ancestors(element)) {
      const {opacity, filter} = getComputedStyle(one);
      a *= Number(opacity);
      const s = Number(/^saturate\(([\d.]+)\)$/.exec(filter)?.[1] ?? 1);
      const grey = 0.2126 * r + 0.7152 * g + 0.0722 * b;
      [r, g, b] = [r, g, b].map(value => Math.min(255, Math.max(0, grey + (value - grey) * s)));
    }
    return [r, g, b, a];
  };
  const found = [];
  const add = (name, element, rects, color, least) => {
    if (element.closest(':disabled, [aria-disabled="true"], .spoken, noscript, option')) return;
    if (!element.checkVisibility({visibilityProperty: true, opacityProperty: true})) return;
    // The parts that scroll show a part of their content.
    const clips = ancestors(element).map(one => [one, getComputedStyle(one)])
      .filter(([, {overflow, display}]) => overflow !== 'visible' && !/^(inline|contents)$/.test(display))
      .map(([one]) => one.getBoundingClientRect());
    for (const rect of rects) {
      const all = [rect, ...clips, {left: 0, top: 0, right: innerWidth, bottom: innerHeight}];
      const box = [...['left', 'top'].map(side => Math.max(...all.map(one => one[side]))),
        ...['right', 'bottom'].map(side => Math.min(...all.map(one => one[side])))];
      if (box[2] - box[0] < 2 || box[3] - box[1] < 2) continue;
      // Only what is on top: bars and sheets cover a part of the views.
      const points = [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]]
        .map(([x, y]) => [box[0] + x * (box[2] - box[0]), box[1] + y * (box[3] - box[1])]);
      const isOnTop = points.every(([x, y]) => {
        const top = document.elementFromPoint(x, y);
        return top && (top.contains(element) || element.contains(top) || top.closest('label, button, a, li')?.contains(element));
      });
      if (isOnTop || getComputedStyle(element).pointerEvents === 'none') found.push({name, box, color: painted(color, element), least});
    }
  };
  const leastOf = ({fontSize, fontWeight}) => {
    const size = parseFloat(fontSize);
    return size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700) ? 3 : 4.5;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest('svg, script, select')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const style = getComputedStyle(element);
    const about = element.className || element.closest('[class]')?.className;
    add(`“${node.data.trim().slice(0, 30)}” (${about})`, element, range.getClientRects(), style.color, leastOf(style));
  }
  for (const field of document.querySelectorAll('input:not([type]), input[type="search"], input[type="text"], textarea, select')) {
    const style = field.value ? getComputedStyle(field) : getComputedStyle(field, '::placeholder');
    const {left, top, right, bottom} = field.getBoundingClientRect();
    const inner = {left: left + 16, top: top + 8, right: right - 24, bottom: bottom - 8};
    if (field.value || field.placeholder) add(`field “${field.value || field.placeholder}”`, field, [inner], style.color, leastOf(style));
  }
  for (const svg of document.querySelectorAll('button svg, a svg, summary svg')) {
    add(`icon of “${svg.closest('button, a, summary').ariaLabel || svg.closest('button, a, summary').textContent.trim()}”`, svg,
        [svg.getBoundingClientRect()], getComputedStyle(svg).color, 3);
  }
  return found;
}"""

HIDE = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`*, ::before, ::after, ::placeholder {
    -webkit-text-fill-color: transparent !important; text-decoration-color: transparent !important; text-shadow: none !important;
    caret-color: transparent !important; transition: none !important; animation-play-state: paused !important;
  }
  button svg, a svg, summary svg { visibility: hidden !important; }`);
  document.adoptedStyleSheets = [sheet];
}"""
# Transitions, also very short ones, end within two frames.
SHOW = """() => {
  document.adoptedStyleSheets = [];
  return new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}"""

# Computes the ratios from the picture without texts. It runs in another page, because the policy of the remote forbids pictures from elsewhere.
MEASURE = """async ([picture, found, scale]) => {
  const bytes = Uint8Array.from(atob(picture), letter => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d', {willReadFrequently: true});
  canvas.drawImage(image, 0, 0);
  const linear = Array.from({length: 256}, (_, value) => value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = (r, g, b) => 0.2126 * linear[r] + 0.7152 * linear[g] + 0.0722 * linear[b];
  return found.map(({name, box, color: [r, g, b, a], least}) => {
    const [left, top, right, bottom] = box.map(value => Math.round(value * scale));
    const {data} = canvas.getImageData(left, top, Math.max(1, right - left), Math.max(1, bottom - top));
    const ratios = [];
    for (let at = 0; at < data.length; at += 4) {
      const mixed = [r, g, b].map((value, index) => Math.round(value * a + data[at + index] * (1 - a)));
      const [one, other] = [luminance(...mixed), luminance(data[at], data[at + 1], data[at + 2])];
      ratios.push((Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05));
    }
    ratios.sort((one, other) => one - other);
    return {name, ratio: ratios[Math.floor(ratios.length * 0.05)], least};
  });
}"""


def covers(count):
    """Pictures as SVG, at most 50: light, dark, saturated, noisy ones, gradients, and those without a colour."""
    def draw(number):
        hue, kind = number * 137 % 360, number % 5
        body = "<rect width='600' height='600' fill='%s'/>"
        if number in (45, 46, 47):
            return body % {45: "white", 46: "black", 47: "#808080"}[number]
        if kind == 0:
            return body % ("hsl(%d,100%%,%d%%)" % (hue, 85 + number % 10))
        if kind == 1:
            return body % ("hsl(%d,90%%,%d%%)" % (hue, 4 + number % 12))
        if kind == 2:
            return body % ("hsl(%d,100%%,50%%)" % hue)
        if kind == 3:
            return ("<filter id='f'><feTurbulence type='turbulence' baseFrequency='0.%02d' numOctaves='3' seed='%d'/>"
                    "<feColorMatrix type='hueRotate' values='%d'/></filter>" % (1 + number, number, hue)
                    + body % ("hsl(%d,60%%,50%%)" % hue) + "<rect width='600' height='600' filter='url(#f)'/>")
        return ("<linearGradient id='g'><stop stop-color='hsl(%d,100%%,50%%)'/><stop offset='1' stop-color='hsl(%d,100%%,%d%%)'/></linearGradient>"
                % (hue, (hue + 180) % 360, number % 100) + body % "url(#g)")

    return ["<svg xmlns='http://www.w3.org/2000/svg' width='600' height='600'>%s</svg>" % draw(number) for number in range(min(count, 50))]


def songs(folder):
    return sorted(path for path in pathlib.Path(folder).glob("*.flac") if path.name != "Damaged.flac")


@contextlib.contextmanager
def radio(folder):
    """A server with a live stream (`/live.mp3`) and a medium that stops arriving (`/slow.flac`). Returns its address."""
    def encoded(sound, kind):
        encoder = ["ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", sound, "-f", kind, "-"]
        return subprocess.run(encoder, check=True, capture_output=True).stdout

    # A file without a picture, so that the part that arrives has audio.
    stream, flac, ended = encoded("sine=220:duration=60", "mp3"), encoded("anoisesrc=d=20", "flac"), threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            live = self.path == "/live.mp3"
            self.send_response(200)
            self.send_header("Content-Type", "audio/mpeg" if live else "audio/flac")
            if not live:
                self.send_header("Content-Length", str(100 * len(flac)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(stream if live else flac[:300_000])
                while live and not ended.wait(1):
                    self.wfile.write(stream[:8000])
                ended.wait()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield "http://127.0.0.1:%d" % server.server_port
    ended.set()
    server.shutdown()


class Checks:
    def __init__(self, browser, options, address):
        self.browser, self.options, self.radio = browser, options, address
        self.songs = [path.as_uri() for path in songs(options.folder)]
        self.figures = {"measured": 0, "worst": 21}
        self.meter = browser.new_page()
        self.cover = ""

    @contextlib.contextmanager
    def open(self, url, screen, theme, fragment=""):
        with open_page("about:blank", self.browser, color_scheme=theme, reduced_motion="reduce", service_workers="block", **SCREENS[screen]) as page:
            page.route("**/artwork?*", lambda route: route.fulfill(body=self.cover, content_type="image/svg+xml"))
            page.goto(url + fragment)
            yield page

    def until(self, page, what, condition):
        until(page, what, lambda: page.evaluate(condition))

    def measure(self, page, name):
        """Checks the contrast of all that is visible."""
        # Transitions of colours end, and the picture and the texts are of the same state.
        page.evaluate("() => Promise.all(document.getAnimations().filter(one => one.effect.getComputedTiming().iterations < 9)"
                      ".map(one => one.finished.catch(() => {})))")
        found = page.evaluate(FIND)
        page.evaluate(HIDE)
        picture = page.screenshot()
        page.evaluate(SHOW)
        # What has changed meanwhile, such as a number in whose place a picture was loaded, is not in the picture.
        after = [(one["name"], one["box"]) for one in page.evaluate(FIND)]
        found = [one for one in found if (one["name"], one["box"]) in after]
        if self.options.pictures:
            page.screenshot(path="%s-%s.png" % (self.options.pictures, name.replace(" ", "-")))
        results = self.meter.evaluate(MEASURE, [base64.b64encode(picture).decode(), found, 1])
        check(len(results) > 3, "%s: only %d texts are visible" % (name, len(results)))
        self.figures["measured"] += len(results)
        self.figures["worst"] = min([self.figures["worst"], *[one["ratio"] / one["least"] * 4.5 for one in results]])
        return sorted({"%s: %s %.2f, not %s" % (name, one["name"], one["ratio"], one["least"]) for one in results if one["ratio"] < one["least"]})

    def play(self, page, entries, play=True):
        """Plays entries, and waits until the page shows the first one."""
        ask(page, "PUT", "queue", {"entries": [{"url": url, **rest} for url, rest in entries], "play": play})

    def notices(self):
        """a text without contrast, a pale icon and a text on a noisy picture are found"""
        with self.open(self.options.url, "phone", "light") as page:
            self.play(page, [(url, {}) for url in self.songs])
            # While the time counts, a slow measurement leaves its number out.
            ask(page, "POST", "player/pause")
            self.until(page, "the cover is shown, and the player is paused", """document.body.dataset.artwork === 'shown'
              && document.body.dataset.playing === 'false'""")
            settled(page)
            check(not self.measure(page, "unchanged"), "the page has no contrast of its own")
            for change in (".title { opacity: 0.4 }",
                           "[data-hook=next] { color: rgb(0 0 0 / 0.3) !important }",
                           ".titles { background: repeating-linear-gradient(#000 0 2px, #fff 2px 4px) }",
                           ".elapsed { background: #555 }", ".player { filter: saturate(0); opacity: 0.5 }"):
                page.evaluate("""rule => {
                  const sheet = document.styleSheets[0];
                  window.rule = sheet.insertRule(rule, sheet.cssRules.length);
                }""", change)
                found = self.measure(page, "changed")
                page.evaluate("document.styleSheets[0].deleteRule(window.rule)")
                check(found, "not noticed: " + change)
        self.figures.update(measured=0, worst=21)
        return []

    def views(self, screen, theme, pictures):
        """Every view, and Now while it plays and is paused, for each cover."""
        wrong = []
        with self.open(self.options.url, screen, theme) as page:
            for number, self.cover in enumerate(pictures):
                before = page.evaluate("document.querySelector('[data-hook=mini-cover]').src")
                self.play(page, [(url, {}) for url in self.songs])
                self.until(page, "the cover is shown", """document.body.dataset.artwork === 'shown' && document.body.dataset.playing === 'true'
                  && [...document.images].every(one => one.complete)""")
                self.until(page, "another picture", "document.querySelector('.cover').src !== %r" % before)
                name = "%s %s cover %d " % (screen, theme, number)
                for view in ("now", "queue", "library", "search/song", "settings"):
                    page.evaluate("view => location.hash = '#/' + view", view)
                    settled(page)
                    wrong += self.measure(page, name + view.split("/")[0])
                page.evaluate("location.hash = '#/now'")
                ask(page, "POST", "player/pause", {})
                self.until(page, "a pause", "document.body.dataset.playing === 'false'")
                wrong += self.measure(page, name + "paused")
                if number == 0:
                    for sheet in ("speed", "sleep", "output", "more"):
                        page.locator("[data-name=%s]" % sheet).click()
                        page.get_by_role("dialog").wait_for()
                        settled(page)
                        wrong += self.measure(page, name + "sheet " + sheet)
                        page.keyboard.press("Escape")
        return wrong

    def states(self, screen, theme):
        """The states without a cover of its own: live, waiting, error; and the unsure and the lost connection, and the first visit."""
        wrong = []
        name = "%s %s " % (screen, theme)
        with self.open(self.options.url, screen, theme) as page:
            self.play(page, [(self.radio + "/live.mp3", {"title": "Radio"})])
            self.until(page, "live", "!document.querySelector('[data-hook=live]').hidden")
            wrong += self.measure(page, name + "live")
            self.play(page, [(self.radio + "/slow.flac", {"title": "Slow"})])
            self.until(page, "waiting", "document.body.dataset.tone === 'waiting'")
            wrong += self.measure(page, name + "waiting")
            self.play(page, [((pathlib.Path(self.options.folder) / "Damaged.flac").as_uri(), {})])
            self.until(page, "an error", "document.body.dataset.tone === 'failed'")
            wrong += self.measure(page, name + "error")
            reason = ask(page, "GET", "player")["currentItem"]["error"]["message"]
            # On a desk the queue beside it shows the reason in the entry too.
            shown = page.locator("main, .notice-place").get_by_text(reason).locator("visible=true").count()
            check(shown == 1, "%sthe error is shown %d times" % (name, shown))
            page.evaluate("location.hash = '#/library'")
            page.get_by_text(reason).locator("visible=true").first.wait_for()
            settled(page)
            wrong += self.measure(page, name + "error in the library")
        with Proxy(self.options.url.split("/")[2]) as proxy, self.open("http://%s/" % proxy.address, screen, theme) as page:
            self.play(page, [(url, {}) for url in self.songs])
            self.until(page, "the cover is shown", "document.body.dataset.artwork === 'shown'")
            proxy.mode = "dead"
            page.evaluate("dispatchEvent(new Event('online'))")
            self.until(page, "checking", "document.body.dataset.connection !== 'open'")
            wrong += self.measure(page, name + "checking")
            self.until(page, "lost", "document.body.dataset.connection === 'lost'")
            drawn(page)
            wrong += self.measure(page, name + "lost")
        with self.open(self.options.closed, screen, theme) as page:
            page.get_by_role("dialog").wait_for()
            wrong += self.measure(page, name + "locked")
        return wrong


def finds_nothing(wrong):
    check(not wrong, "\n".join(wrong))


def run(options):
    results = []
    number = options.covers or os.environ.get("PAGE_COVERS")
    # Without a number, the light and the noisy one are enough for every day.
    pictures = covers(int(number or 4))[::1 if number or THOROUGH else 3]
    with open_browser(options.chromium) as browser, radio(options.folder) as address:
        checks = Checks(browser, options, address)
        checks.cover = pictures[0]
        all_checks = [(Checks.notices.__doc__, checks.notices)]
        # Without a thorough run, each screen and each theme once.
        for screen, theme in itertools.product(SCREENS, THEMES) if THOROUGH or number else zip(SCREENS, THEMES):
            name = "%s %s " % (screen, theme)
            all_checks.append((name + "covers", functools.partial(checks.views, screen, theme, pictures)))
            all_checks.append((name + "states", functools.partial(checks.states, screen, theme)))
        for name, make in all_checks:
            if options.only not in name:
                continue
            results.append(attempt(name, lambda: finds_nothing(make())))
    figures = {**checks.figures, "covers": len(pictures)}
    return summary(results, figures)


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    options.add_argument("closed")
    options.add_argument("--covers", help="the number of covers")
    options.add_argument("--only", default="", help="a part of the names of the checks")
    options.add_argument("--pictures", help="the beginning of the names of screenshots")
    parsed = options.parse_args()
    report(lambda: run(parsed))


if __name__ == "__main__":
    main()
