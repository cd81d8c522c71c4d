"""Shared by the browser tests: opens a page that collects what a good page never reports, and searches it for barriers.

A script begins with `with open_page(url, viewport={...}) as page:`, and ends with `page.complaints == []`.
"""
import contextlib
import functools
import importlib.util
import json
import os
import pathlib
import time

from playwright.sync_api import sync_playwright

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
# The folder for what explains the failure of a test; None if it is not kept. A test sets the variable (FailureEvidence.swift).
EVIDENCE = os.environ.get("TEST_EVIDENCE")
# The number of pages that are saved at most, in one test.
SAVED_PAGES = 40
# The browsers that are open.
BROWSERS = []
# The time limit of each wait, in seconds. It ends a check that would hang, and is no statement about the page: the machine may be busy.
PATIENCE = 120
PHONE, SMALL_PHONE, DESK = {"width": 390, "height": 844}, {"width": 320, "height": 568}, {"width": 1280, "height": 800}

# Records violations of the content security policy, and layout shifts without user input, from before the page loads.
WATCH = """() => {
  window.violations = [];
  document.addEventListener('securitypolicyviolation',
    ({violatedDirective, blockedURI}) => window.violations.push(violatedDirective + ' ' + blockedURI));
  window.shifts = [];
  const describe = ({value, sources}) => ({value, of: sources.map(({node}) => node?.className || node?.nodeName)});
  new PerformanceObserver(list => window.shifts.push(...list.getEntries().filter(entry => !entry.hadRecentInput).map(describe)))
    .observe({type: 'layout-shift', buffered: true});
}"""
# Records in `window.heard` what screen readers read by themselves: each new text of a live region that is exposed to them. Behind a modal dialog, and
# in hidden or busy parts, none is. That the connection is checked or the player waits for audio is left out: it depends on the machine.
WATCH_LIVE = r"""() => {
  window.heard = [];
  const live = '[aria-live=polite], [aria-live=assertive], [role=status], [role=alert], output';
  const elementOf = node => node.nodeType === 1 ? node : node.parentElement;
  const regionOf = node => elementOf(node)?.closest('[aria-live=off], ' + live);
  const isExposed = region => {
    const modal = [...document.querySelectorAll('dialog:modal')].at(-1);
    return region.isConnected && region.checkVisibility() && !region.closest('[aria-hidden=true]') && (!modal || modal.contains(region));
  };
  const isOfMachine = region => region.matches('[data-hook=connection-text]')
    || (region.matches('.status') && ['waiting', 'loading'].includes(document.body.dataset.tone));
  const textOf = element => {
    if (!element.checkVisibility() || element.closest('[aria-busy=true]')) return '';
    const text = element.matches('.notice') ? element.querySelector('p') : element;
    return text.innerText.replaceAll('\u00a0', '').trim();
  };
  new MutationObserver(changes => {
    const texts = new Map();
    for (const {target} of changes) {
      const region = regionOf(target);
      if (!region || region.ariaLive === 'off' || !isExposed(region) || isOfMachine(region)) continue;
      texts.set(region, (texts.get(region) ?? new Set()).add(textOf(elementOf(target))));
    }
    for (const found of texts.values()) window.heard.push(...[...found].filter(Boolean));
  }).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['hidden']});
}"""
# Records in `window.tasks` the durations of long tasks, in milliseconds.
WATCH_TASKS = """() => {
  window.tasks = [];
  new PerformanceObserver(list => window.tasks.push(...list.getEntries().map(({duration}) => duration))).observe({type: 'longtask'});
}"""
REQUEST = """async ([method, path, body]) => {
  const headers = {'Content-Type': 'application/json'};
  const response = await fetch('api/v1/' + path, {method, headers, body: body && JSON.stringify(body)});
  const text = await response.text();
  return {status: response.status, body: text && JSON.parse(text)};
}"""


@contextlib.contextmanager
def open_browser(chromium=CHROMIUM):
    """A new browser without stored data."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        BROWSERS.append(browser)
        try:
            yield browser
        except Exception as error:
            save_pages(error)
            raise
        finally:
            BROWSERS.remove(browser)
            browser.close()


@contextlib.contextmanager
def open_page(url, browser=None, chromium=CHROMIUM, **context):
    """A page in a context of its own, in the language of the arguments (`locale`, English by default). `page.complaints` are its errors so far."""
    if browser is None:
        with open_browser(chromium) as own, open_page(url, own, **context) as page:
            yield page
        return
    place = browser.new_context(**{"locale": "en", **context})
    page = place.new_page()
    watch(page, url)
    page.goto(url)
    try:
        yield page
    except Exception as error:
        save_pages(error)
        raise
    finally:
        place.close()


def save_pages(error):
    """Saves pictures and the consoles of all open pages once for an error, if the evidence of the test is kept."""
    if not EVIDENCE or getattr(error, "has_saved_pages", False):
        return
    error.has_saved_pages = True
    folder = pathlib.Path(EVIDENCE)
    for page in [page for browser in BROWSERS for context in browser.contexts for page in context.pages]:
        number = len(list(folder.glob("page-*.txt"))) + 1
        if number > SAVED_PAGES:
            return
        file = folder / ("page-%d.txt" % number)
        # A page that does not answer must not hide the error.
        with contextlib.suppress(Exception):
            file.write_text("%s\n%s\n" % (page.url, error))
            page.screenshot(path=file.with_suffix(".png"), timeout=5000)
        with contextlib.suppress(Exception), file.open("a") as text:
            text.writelines("%s: %s\n" % (message.type, message.text) for message in page.console_messages())
            text.writelines("error: %s\n" % fault for fault in page.page_errors())


class Unanswered:
    """The requests of a page, and its commands on a WebSocket, that have no answer yet. An event stream has none."""

    def __init__(self, page):
        self.requests, self.commands, self.answered = set(), set(), set()
        page.on("request", lambda request: self.begin(page, request))
        for end in ("requestfinished", "requestfailed"):
            page.on(end, lambda request: self.requests.discard(request))
        page.on("websocket", self.watch_socket)

    def begin(self, page, request):
        # With its document, a page leaves all that it has asked for.
        if request.is_navigation_request() and request.frame == page.main_frame:
            self.requests.clear()
            self.commands.clear()
        if request.resource_type != "eventsource":
            self.requests.add(request)

    def watch_socket(self, socket):
        # The browser's debugger may tell of an answer before it tells of the command.
        def note(text, this, other):
            frame = socket, json.loads(text).get("id")
            if frame in other:
                other.remove(frame)
            elif frame[1] is not None:
                this.add(frame)
        socket.on("framesent", lambda text: note(text, self.commands, self.answered))
        socket.on("framereceived", lambda text: note(text, self.answered, self.commands))
        socket.on("close", lambda _: self.commands.difference_update({one for one in self.commands if one[0] is socket}))

    def __bool__(self):
        return bool(self.requests or self.commands)

    def __str__(self):
        return "an answer to %s" % [*[request.url for request in self.requests], *[number for _, number in self.commands]]


def watch(page, url):
    """Collects errors of the console and of scripts, and requests to other servers, in `page.complaints`, and what has no answer yet in
    `page.unanswered`."""
    page.set_default_timeout(PATIENCE * 1000)
    page.complaints, page.unanswered = [], Unanswered(page)
    origin = "/".join(url.split("/")[:3])
    page.add_init_script("(%s)()" % WATCH)
    page.on("console", lambda message: message.type == "error" and page.complaints.append(
        "console: %s %s" % (message.text, message.location.get("url", ""))))
    page.on("pageerror", lambda error: page.complaints.append("error: %s" % error))
    page.on("request", lambda request: request.url.startswith((origin, "data:", "blob:", origin.replace("http", "ws", 1)))
            or page.complaints.append("foreign request: " + request.url))


def complaints(page):
    """The errors, the requests to other servers, and the violations of the content security policy."""
    return page.complaints + page.evaluate("window.violations.map(text => 'policy: ' + text)")


def layout_shift(page):
    """The sum of the layout shifts so far, and the shifts."""
    shifts = page.evaluate("window.shifts")
    return sum(shift["value"] for shift in shifts), shifts


def surplus_width(page):
    """The width by which the page has to be scrolled sideways, in pixels; right-to-left pages too."""
    return page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")


def ask(page, method, path, body=None):
    """Sends a request to the server from the page, and returns the body of the response. An error is an exception."""
    answer = page.evaluate(REQUEST, [method, path, body])
    if answer["status"] >= 400:
        raise AssertionError("%s %s: %s %s" % (method, path, answer["status"], answer["body"]))
    return answer["body"]


def drawn(page):
    """Waits until a page has drawn what has changed: the page changes before the next repaint, and the browser draws in it."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def settled(page):
    """Waits until a page has handled all input: everything that it has asked for is answered, and what the answers change is drawn."""
    def has_answers():
        drawn(page)
        return not page.unanswered
    drawn(page)
    until(page, page.unanswered, has_answers)


def until(page, what, condition):
    """Waits for a condition, and fails with its name after the patience. A missing member of a state is a condition that does not hold. `page` may be
    None if the condition is not one of a page."""
    def holds():
        try:
            return condition()
        except KeyError:
            return False
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("did not happen: %s" % what)
        page.wait_for_timeout(30) if page else time.sleep(0.03)


def open_address(page, text):
    """Types addresses into the page's sheet, presses Enter, and returns the sheet."""
    page.get_by_role("button", name="Open…").click()
    sheet = page.get_by_role("dialog", name="Open address")
    sheet.get_by_role("textbox", name="Addresses of files").fill(text)
    page.keyboard.press("Enter")
    return sheet


@functools.cache
def axe_source():
    """The script of axe-core, which is a part of a Python package (script/lib/requirements.txt)."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None:
        raise RuntimeError("axe-core is missing; run script/bootstrap")
    return (pathlib.Path(found.origin).parent / "axe.min.js").read_text()


def barriers(page, **options):
    """The violations that axe-core finds, as texts: rule, reason and elements. What axe-core itself does to the page is no complaint."""
    before = list(getattr(page, "complaints", []))
    # The policy of the page forbids foreign scripts, but not those of the browser's debugger.
    page.evaluate(axe_source() + "; 0")
    found = page.evaluate("""async options => {
      // A sheet that is still fading in has less contrast.
      const ending = document.getAnimations().filter((each) => each.effect?.getComputedTiming().endTime !== Infinity);
      await Promise.all(ending.map((each) => each.finished.catch(() => {})));
      const before = window.violations?.length;
      const {violations} = await axe.run(document, {preload: false, ...options});
      if (window.violations) window.violations.length = before;
      return violations;
    }""", options)
    if hasattr(page, "complaints"):
        page.complaints[:] = before

    def describe(node):
        reasons = node["failureSummary"].split("\n")
        return "%s (%s)" % (" ".join(map(str, node["target"])), reasons[1].strip() if len(reasons) > 1 else "")

    return ["%s: %s: %s" % (one["id"], one["help"], "; ".join(map(describe, one["nodes"][:4]))) for one in found]
