#!/usr/bin/env python3
"""Tries what the web remote offers at a secure address only, and that it offers nothing else at an insecure one, in a real Chromium.

usage: secure.py URL FOLDER CLOSED TOKEN [--chromium PATH] [--only NAME]

FOLDER is a media root of the player at URL, with at least two seekable files. CLOSED is the address of a player that requires TOKEN and accepts the
host name `name.test`, with the same media root. Prints one JSON object: {"ok", "checks": [{"name", "ok", "detail"}], "figures"}.
"""
import contextlib
import http.server
import json
import pathlib
import tempfile
import threading

from browsing import FLAGS, PATIENCE, ask, complaints, open_browser, open_page, until
from checking import attempt, check, parser, report, summary
from playwright.sync_api import sync_playwright
from proxy import Proxy

WEB = pathlib.Path(__file__).resolve().parents[3] / "web"
# What the page keeps: the names of the caches, each with its addresses.
CACHES = """async () => Object.fromEntries(await Promise.all((await caches.keys()).map(async name =>
  [name, (await (await caches.open(name)).keys()).map(request => request.url)])))"""
HAS_SCRIPT = "async build => !!await caches.match(new URL(build + '/x.js', location))"
# Counts the screen locks that the page holds.
LOCKS = """() => {
  window.locks = 0;
  const request = WakeLock.prototype.request;
  WakeLock.prototype.request = async function (...kind) {
    const lock = await request.apply(this, kind);
    window.locks += 1;
    lock.addEventListener('release', () => window.locks -= 1);
    return lock;
  };
}"""
MEDIA = "[navigator.mediaSession.playbackState, navigator.mediaSession.metadata?.title]"
REGISTER = """async () => {
  await navigator.serviceWorker.register('sw.js');
  await navigator.serviceWorker.ready;
}"""


class Builds(http.server.BaseHTTPRequestHandler):
    """A server of the worker with tiny pages. `build` is the name of its folder; without one it has no list of files. The script of the build `held`
    is sent after `released` is set; `is_asked` is set when it is requested."""

    build, is_away, held = "a" * 16, False, None

    def do_GET(self):
        build = type(self).build
        files = {"/": "text/html", "/%s/x.js" % build: "text/javascript", "/sw.js": "text/javascript", "/api/v1/x": "text/plain"}
        if build:
            files["/files.json"] = "application/json"
        if type(self).is_away or self.path not in files:
            self.send_error(503 if type(self).is_away else 404)
            return
        if type(self).held and self.path == "/%s/x.js" % type(self).held:
            type(self).is_asked.set()
            type(self).released.wait(PATIENCE)
        body = {"/": "<title>%s</title>" % build, "/sw.js": (WEB / "sw.js").read_text(),
                "/files.json": json.dumps({"folder": build, "files": ["./", build + "/x.js"]})}.get(self.path, build)
        self.send_response(200)
        self.send_header("Content-Type", files[self.path])
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def builds():
    handler = type("Handler", (Builds,), {"is_asked": threading.Event(), "released": threading.Event()})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield handler, "http://127.0.0.1:%d/" % server.server_port
    server.shutdown()


class Checks:
    """Each method is one check, named by its docstring."""

    def __init__(self, browser, options):
        self.browser, self.options, self.figures = browser, options, {}
        self.files = sorted(path.as_uri() for path in pathlib.Path(options.folder).iterdir())

    def fill(self, page, play=True):
        # Without an index, the entry that plays since the first check would go on, and end after a minute.
        ask(page, "PUT", "queue", {"entries": [{"url": url} for url in self.files[:2]], "startIndex": 0, "play": play})
        self.until(page, "an item", lambda: ask(page, "GET", "player").get("currentItem", {}).get("status") == "readyToPlay")

    def until(self, page, what, condition):
        until(page, what, condition)

    def state(self, page):
        return ask(page, "GET", "player")

    def clean(self, page):
        # An item without lyrics is a 404. At an insecure address Chromium reports the isolation header, which it ignores there.
        usual = ("status of 404", "Cross-Origin-Opener-Policy header has been ignored")
        found = [text for text in complaints(page) if not any(one in text for one in usual)]
        check(not found, "the page reports %s" % found)

    def settings(self, page):
        """Shows the settings of this device, and returns the names of the controls."""
        page.evaluate("location.hash = '#/settings'")
        place = page.locator("[data-hook=settings-extra]")
        place.wait_for()
        return [" ".join(row.inner_text().split("\n")[:1]) for row in place.locator(".setting").all()]

    def keeps_the_shell(self):
        """the page opens while the player is away or silent, says so, and keeps nothing of the API"""
        with Proxy(self.options.url.split("/")[2]) as proxy, open_page("http://%s/" % proxy.address, self.browser) as page:
            self.fill(page)
            page.evaluate("navigator.serviceWorker.ready.then(() => null)")
            self.until(page, "a stored page", lambda: page.evaluate(CACHES))
            page.reload()
            self.until(page, "control", lambda: page.evaluate("!!navigator.serviceWorker.controller"))
            kept = sum(page.evaluate(CACHES).values(), [])
            check(kept and not [url for url in kept if "/api/" in url or "/healthz" in url], "it keeps %s" % kept)
            self.clean(page)
            proxy.mode = "dead"
            page.goto("http://%s/" % proxy.address)
            self.until(page, "the page of a silent player", lambda: page.locator("body").get_attribute("data-connection") in ("connecting", "lost"))
            check(page.get_by_role("navigation", name="Views").is_visible(), "the page is not drawn")
            check(page.get_by_role("heading", name="Tonearm").count() == 1, "the page has no heading")
            proxy.mode = "pass"
            self.until(page, "the connection returns", lambda: page.locator("body").get_attribute("data-connection") == "open")

    def follows_builds(self):
        """a new build replaces the stored one, a server with an error shows the stored page, and a server without files removes the worker"""
        with builds() as (server, url), open_page(url, self.browser) as page:
            page.evaluate(REGISTER)
            self.until(page, "control", lambda: page.evaluate("!!navigator.serviceWorker.controller"))
            names = lambda: self.stored_builds(page)
            check(names() == ["a" * 16], "it keeps %s" % names())
            server.is_away = True
            page.goto(url)
            check(page.title() == "a" * 16, "a server with an error shows %r" % page.title())
            check(page.evaluate("fetch('%s/x.js').then(r => r.text())" % ("a" * 16)) == "a" * 16, "a stored file is requested")
            check(page.evaluate("fetch('api/v1/x').then(r => r.status)") == 503, "the API is stored")
            server.is_away = False
            for before, build in (("a" * 16, "b" * 16), ("b" * 16, "c" * 16)):
                server.build = build
                page.goto(url)
                check(page.title() == build, "a new build shows %r" % page.title())
                self.until(page, "only the build and the one before it are stored", lambda: names() == [before, build])
                self.until(page, "its script is stored", lambda: page.evaluate(HAS_SCRIPT, build))
            server.build = ""
            page.goto(url)
            self.until(page, "the worker is removed", lambda: page.evaluate("navigator.serviceWorker.getRegistrations().then(all => !all.length)"))
            self.until(page, "the files are removed", lambda: not names())

    def stored_builds(self, page):
        return [name[-16:] for name in page.evaluate("caches.keys()")]

    def follows_quick_builds(self):
        """a visit after the next new build, while a build is still being stored, stores the next one too"""
        with builds() as (server, url), open_page(url, self.browser) as page:
            page.evaluate(REGISTER)
            self.until(page, "control", lambda: page.evaluate("!!navigator.serviceWorker.controller"))
            server.build = server.held = "b" * 16
            page.goto(url)
            self.until(page, "the build is being stored", server.is_asked.is_set)
            server.build = "c" * 16
            page.goto(url)
            check(page.title() == "c" * 16, "the next build shows %r" % page.title())
            check(self.stored_builds(page) == ["a" * 16], "it keeps %s" % self.stored_builds(page))
            server.released.set()
            self.until(page, "both are stored", lambda: self.stored_builds(page) == ["b" * 16, "c" * 16])

    def installs(self):
        """Chromium can install the page"""
        with tempfile.TemporaryDirectory() as profile, open_profile(profile, self.options.chromium) as context:
            page = context.new_page()
            page.goto(self.options.url)
            session = context.new_cdp_session(page)
            errors = lambda: session.send("Page.getInstallabilityErrors")["installabilityErrors"]
            self.until(page, "no errors", lambda: not errors())
            manifest = json.loads(session.send("Page.getAppManifest")["data"])
            check(manifest["share_target"]["method"] == "GET", "the manifest is %s" % manifest)

    def offers_to_install(self):
        """the settings offer to install the page after the browser has, and ask the browser once"""
        with open_page(self.options.url, self.browser) as page:
            check("Install the remote" not in self.settings(page), "it is offered before the browser can")
            page.evaluate("""() => {
              window.asked = 0;
              dispatchEvent(Object.assign(new Event('beforeinstallprompt', {cancelable: true}), {prompt: () => window.asked += 1}));
            }""")
            page.get_by_role("button", name="Install", exact=True).click()
            check(page.evaluate("window.asked") == 1, "the browser was not asked")
            check("Install the remote" not in self.settings(page), "it is offered again")
            self.clean(page)

    def keeps_awake(self):
        """with the option, the screen stays on while music plays, also after a reload; otherwise not"""
        with open_page("about:blank", self.browser) as page:
            page.add_init_script("(%s)()" % LOCKS)
            page.goto(self.options.url)
            self.fill(page)
            self.settings(page)
            check(page.evaluate("window.locks") == 0, "a lock without the option")
            page.get_by_role("switch", name="Keep the screen on").click()
            self.until(page, "a lock", lambda: page.evaluate("window.locks") == 1)
            ask(page, "POST", "player/pause", {})
            self.until(page, "no lock while paused", lambda: page.evaluate("window.locks") == 0)
            ask(page, "POST", "player/play", {})
            self.until(page, "a lock again", lambda: page.evaluate("window.locks") == 1)
            page.reload()
            self.until(page, "a lock after a reload", lambda: page.evaluate("window.locks") == 1)
            self.settings(page)
            page.get_by_role("switch", name="Keep the screen on").click()
            self.until(page, "no lock without the option", lambda: page.evaluate("window.locks") == 0)

    def opens_apart(self):
        """a small window shows the cover and the title, follows the player, and controls it"""
        with open_page(self.options.url, self.browser) as page:
            self.fill(page)
            self.settings(page)
            with page.context.expect_page() as opened:
                page.get_by_role("button", name="Open", exact=True).click()
            small = opened.value
            title = lambda: small.locator(".mini-title").inner_text()
            first = self.state(page)["currentItem"].get("title")
            self.until(page, "the title", lambda: title() == first)
            small.get_by_role("button", name="Pause").click()
            self.until(page, "a pause", lambda: self.state(page)["rate"] == 0)
            small.get_by_role("button", name="Play").wait_for()
            small.get_by_role("button", name="Next").click()
            self.until(page, "the next entry", lambda: self.state(page)["queue"]["index"] == 1 and title() != first)
            self.until(page, "a cover", lambda: small.evaluate("[...document.images].some(one => one.checkVisibility() && one.naturalWidth > 0)"))
            self.clean(page)

    def offers_shared(self):
        """a shared link opens the sheet with the address, and leaves nothing in the page's address"""
        with open_page(self.options.url + "?title=A&text=Hear+https%3A%2F%2Fradio.example%2Fx.mp3+now&url=", self.browser) as page:
            field = page.get_by_role("dialog", name="Open address").get_by_role("textbox")
            field.wait_for()
            check(field.input_value() == "https://radio.example/x.mp3", "it offers %r" % field.input_value())
            check("?" not in page.url, "the address is %s" % page.url)
            for name in ("Play", "Play next", "Add to the end"):
                check(page.get_by_role("dialog").get_by_role("button", name=name, exact=True).is_visible(), "no button " + name)
            self.clean(page)

    def has_media_keys(self):
        """with the option, the system's media controls know the item; without it the page has no sound of its own"""
        with open_page(self.options.url, self.browser) as page:
            self.fill(page)
            self.settings(page)
            check(page.evaluate(MEDIA) == ["none", None], "without the option: %s" % page.evaluate(MEDIA))
            page.get_by_role("switch", name="Media keys").click()
            title = self.state(page)["currentItem"]["title"]
            self.until(page, "the item is shown", lambda: page.evaluate(MEDIA) == ["playing", title])
            ask(page, "POST", "player/pause", {})
            self.until(page, "the pause is shown", lambda: page.evaluate(MEDIA) == ["paused", title])
            page.get_by_role("switch", name="Media keys").click()
            self.until(page, "the option is off", lambda: page.evaluate(MEDIA) == ["none", None])
            self.clean(page)

    def is_honest(self):
        """at an insecure address nothing is offered that cannot work there"""
        port = self.options.closed.rstrip("/").rsplit(":", 1)[1]
        with open_mapped(self.options.chromium) as browser, open_page("http://name.test:%s/#token=%s" % (port, self.options.token), browser) as page:
            self.until(page, "the page is unlocked", lambda: page.locator("body").get_attribute("data-connection") == "open")
            check(not page.evaluate("isSecureContext"), "the address is secure")
            self.fill(page)
            offered = self.settings(page)
            page.evaluate("dispatchEvent(new Event('beforeinstallprompt', {cancelable: true}))")
            # The media keys work at every address.
            check(offered == self.settings(page) == ["Media keys and lock screen"], "it offers %s" % self.settings(page))
            page.get_by_role("switch", name="Media keys").click()
            title = self.state(page)["currentItem"]["title"]
            self.until(page, "the media keys work", lambda: page.evaluate(MEDIA) == ["playing", title])
            check(page.evaluate("navigator.serviceWorker") is None, "there is a worker")
            text = page.evaluate("document.body.innerText").lower()
            check(not [word for word in ("install", "clipboard", "share", "keep the screen") if word in text], "the page speaks of it: %s" % text)
            self.clean(page)

    ALL = [keeps_the_shell, follows_builds, follows_quick_builds, installs, offers_to_install, keeps_awake, opens_apart, offers_shared,
           has_media_keys, is_honest]


@contextlib.contextmanager
def open_profile(profile, chromium):
    """A browser with a stored profile. Chromium installs nothing from a context without one."""
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(profile, executable_path=chromium, args=FLAGS, locale="en")
        yield context
        context.close()


@contextlib.contextmanager
def open_mapped(chromium):
    """A browser that finds `name.test` on this machine."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=[*FLAGS, "--host-resolver-rules=MAP name.test 127.0.0.1"])
        yield browser
        browser.close()


def perform(one, options, own):
    with contextlib.nullcontext() if own else open_browser(options.chromium) as browser:
        one(Checks(browser, options))


def run(options):
    results = []
    for one in Checks.ALL:
        if options.only not in (None, one.__name__):
            continue
        # The synchronous interface of the browser exists once at a time.
        own = one in (Checks.installs, Checks.is_honest)
        results.append(attempt(one.__doc__, lambda: perform(one, options, own)))
    return summary(results, {})


def main():
    options = parser(__doc__)
    options.add_argument("folder")
    options.add_argument("closed")
    options.add_argument("token")
    options.add_argument("--only", help="the name of one check")
    parsed = options.parse_args()
    report(lambda: run(parsed))


if __name__ == "__main__":
    main()
