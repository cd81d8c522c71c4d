#!/usr/bin/env python3
"""Uses the page in Firefox and in WebKit as a user does: state, playback, seeking, volume, views and languages.

usage: engines.py URL FOLDER [--engine firefox|webkit] [--pictures FOLDER]

Needs Debian's packages firefox-esr, or webkit2gtk-driver and xvfb. FOLDER is a media root of the player at URL, with at least two files of at least
60 seconds. Prints one JSON object: {"ok", "checks": [{"name", "ok", "detail"}]}. CI does not run this script, because the browsers have 500 MB.
"""
import argparse
import base64
import contextlib
import glob
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from client import Client

PATIENCE = 20
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
SIZES = {"phone": (500, 844), "desk": (1280, 800)}
# Collects the errors of scripts that happen after the page has loaded.
WATCH = """window.faults ??= [];
addEventListener('error', ({message}) => window.faults.push(message));
addEventListener('unhandledrejection', ({reason}) => window.faults.push(String(reason)));"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class Firefox:
    """Firefox, by its protocol Marionette: WebDriver's commands as JSON over TCP."""

    def __init__(self, folder):
        port = free_port()
        pathlib.Path(folder, "user.js").write_text("".join('user_pref("%s", %s);\n' % pair for pair in {
            "marionette.port": port, "datareporting.policy.dataSubmissionEnabled": "false", "app.update.enabled": "false",
            "browser.startup.page": 0, "network.captive-portal-service.enabled": "false",
        }.items()))
        self.process = subprocess.Popen(["firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", folder],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": folder})
        self.socket = connected(port, self.process)
        self.stream, self.number = self.socket.makefile("rb"), 0
        self.receive()
        self.send("NewSession", {"capabilities": {"alwaysMatch": {}}})

    def receive(self):
        digits = b""
        while not digits.endswith(b":"):
            digits += self.stream.read(1)
        return json.loads(self.stream.read(int(digits[:-1])))

    def send(self, command, parameters):
        self.number += 1
        text = json.dumps([0, self.number, "WebDriver:" + command, parameters])
        self.socket.sendall(b"%d:%s" % (len(text.encode()), text.encode()))
        _, _, error, result = self.receive()
        if error:
            raise AssertionError("%s: %s" % (command, error["message"]))
        return result["value"] if isinstance(result, dict) and set(result) == {"value"} else result

    def close(self):
        self.process.terminate()
        self.process.wait()


class WebKit:
    """WebKitGTK's test browser, by WebDriver."""

    # The method and the path of each command.
    PATHS = {"Navigate": "url", "ExecuteScript": "execute/sync", "FindElement": "element", "PerformActions": "actions",
             "SetWindowRect": "window/rect", "TakeScreenshot": "screenshot"}

    def __init__(self, folder):
        port = free_port()
        browser = sorted(glob.glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser"))[-1]
        # As the superuser, WebKit has no sandbox.
        environment = {**os.environ, "HOME": folder, "XDG_DATA_HOME": folder, "GDK_BACKEND": "x11", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        self.process = subprocess.Popen(["xvfb-run", "-a", "-s", "-screen 0 1400x1000x24", "WebKitWebDriver", "--port=%d" % port],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, start_new_session=True)
        connected(port, self.process).close()
        self.address = "http://127.0.0.1:%d/session" % port
        capabilities = {"webkitgtk:browserOptions": {"binary": browser, "args": ["--automation"]}}
        self.address += "/" + self.request("POST", "", {"capabilities": {"alwaysMatch": capabilities}})["sessionId"]

    def request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError("%s: %s" % (path, error.read().decode())) from None

    def send(self, command, parameters):
        is_read = command == "TakeScreenshot"
        return self.request("GET" if is_read else "POST", "/" + self.PATHS[command], None if is_read else parameters)

    def close(self):
        with contextlib.suppress(AssertionError, OSError):
            self.request("DELETE", "")
        os.killpg(self.process.pid, 15)
        self.process.wait()


def connected(port, process):
    """Returns a connection to a port at which a browser will listen."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError):
            return socket.create_connection(("127.0.0.1", port))
        time.sleep(0.1)
    raise AssertionError("the browser does not start")


ENGINES = {"firefox": Firefox, "webkit": WebKit}


class Page:
    """The page in one engine."""

    def __init__(self, engine, url):
        self.engine, self.url = engine, url

    def open(self, fragment=""):
        self.engine.send("Navigate", {"url": "about:blank"})
        self.engine.send("Navigate", {"url": self.url + fragment})
        self.run(WATCH)
        self.until("the page is connected", "return document.body.dataset.connection === 'open'")

    def run(self, script, *arguments):
        return self.engine.send("ExecuteScript", {"script": script, "args": list(arguments)})

    def until(self, what, script, *arguments):
        end = time.monotonic() + PATIENCE
        while not (found := self.run(script, *arguments)):
            if time.monotonic() > end:
                raise AssertionError("did not happen: " + what)
            time.sleep(0.05)
        return found

    def element(self, selector):
        return self.engine.send("FindElement", {"using": "css selector", "value": selector})

    def press(self, selector, across=0.5):
        """Presses an element with the mouse, at a part of its width."""
        element = self.element(selector)
        width = self.run("return arguments[0].getBoundingClientRect().width", element)
        moves = [{"type": "pointerMove", "origin": element, "x": round((across - 0.5) * width), "y": 0, "duration": 50},
                 {"type": "pointerDown", "button": 0}, {"type": "pause", "duration": 50}, {"type": "pointerUp", "button": 0}]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}
        self.engine.send("PerformActions", {"actions": [mouse]})

    def keys(self, *names):
        actions = [{"type": kind, "value": name} for name in names for kind in ("keyDown", "keyUp")]
        self.engine.send("PerformActions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def resize(self, size):
        self.engine.send("SetWindowRect", {"width": size[0], "height": size[1]})

    def picture(self):
        answer = self.engine.send("TakeScreenshot", {"full": False})
        return base64.b64decode(answer)


class Checks:
    """Each method is one check, named by its docstring."""

    def __init__(self, page, options):
        self.page, self.options = page, options
        self.ask = Client(options.url, name=None).ask
        self.files = sorted(path.as_uri() for path in pathlib.Path(options.folder).glob("*.*") if path.suffix != ".lrc")

    def player(self, what, condition):
        end = time.monotonic() + PATIENCE
        while not condition(state := self.ask("GET", "player")):
            if time.monotonic() > end:
                raise AssertionError("the player did not change: " + what)
            time.sleep(0.05)
        return state

    def start(self):
        self.ask("PUT", "queue", {"entries": [{"url": url} for url in self.files[:4]], "startIndex": 0, "play": True})
        self.ask("PATCH", "player", {"volume": 0.5})
        self.player("it plays", lambda state: state["timeControlStatus"] == "playing")

    def check_state(self):
        """the page shows what plays, with its picture and its waveform"""
        self.start()
        self.page.open()
        title = self.ask("GET", "player")["currentItem"]["title"]
        self.page.until("the title", "return document.querySelector('[data-hook=title]').textContent === arguments[0]", title)
        self.page.until("the picture", "const cover = document.querySelector('[data-hook=cover]'); return !cover.hidden && cover.naturalWidth > 0")
        self.page.until("the tint", "return document.documentElement.style.getPropertyValue('--hue') !== ''")
        before = self.page.run("return document.querySelector('[data-hook=elapsed]').textContent")
        self.page.until("the time runs", "return document.querySelector('[data-hook=elapsed]').textContent !== arguments[0]", before)

    def check_pause(self):
        """the button pauses and plays"""
        self.page.press("[data-hook=play]")
        self.player("it pauses", lambda state: state["rate"] == 0)
        self.page.until("the button offers to play", "return document.querySelector('[data-hook=play]').ariaLabel === 'Play'")
        self.page.press("[data-hook=play]")
        self.player("it plays", lambda state: state["rate"] == 1)

    def check_seek(self):
        """a press on the waveform seeks, and the arrow keys seek"""
        self.page.press("[data-hook=seek]", 0.5)
        duration = self.ask("GET", "player")["currentItem"]["duration"]
        time_of = lambda: self.ask("GET", "player/time")["currentTime"]
        self.player("it seeks", lambda _: abs(time_of() - duration / 2) < 8)
        self.page.run("document.querySelector('[data-hook=seek]').focus()")
        before = time_of()
        self.page.keys("\ue014")
        self.player("a key seeks", lambda _: time_of() > before + 3)

    def check_volume(self):
        """the arrow keys change the volume, and the button mutes"""
        self.page.run("document.querySelector('[data-hook=volume]').focus()")
        self.page.keys("\ue012")
        self.player("the volume", lambda state: state["volume"] < 0.5)
        self.page.press("[data-hook=mute]")
        self.player("it is mute", lambda state: state["isMuted"])
        self.page.press("[data-hook=mute]")
        self.player("it is not mute", lambda state: not state["isMuted"])

    def check_queue(self):
        """the queue lists the entries, and a press plays one"""
        self.page.run("location.hash = '#/queue'")
        count = min(4, len(self.files))
        self.page.until("the rows", "return document.querySelectorAll('.queue-view [role=listitem]').length >= arguments[0]", count)
        self.page.press(".queue-view [role=listitem]:nth-child(2) button:not(.queue-handle)")
        self.player("the second entry", lambda state: state["queue"]["index"] == 1)

    def check_library(self):
        """the library lists the folder"""
        self.page.run("location.hash = '#/library'")
        self.page.until("the rows", "return document.querySelectorAll('.outlet [role=listitem]').length >= 1")

    def check_search(self):
        """the search finds a file while its name is typed"""
        self.page.run("location.hash = '#/search'")
        self.page.until("the field", "return document.querySelector('.outlet input[type=search]')")
        self.page.run("document.querySelector('.outlet input[type=search]').focus()")
        self.page.keys(*pathlib.Path(self.files[0]).stem[:6])
        self.page.until("a result", "return document.querySelectorAll('.outlet [role=listitem]').length >= 1")

    def check_languages(self):
        """the page is shown in German and in Arabic, from right to left"""
        for language, direction, play in (("de", "ltr", None), ("ar", "rtl", None), ("en", "ltr", "Play")):
            self.page.run("localStorage.setItem('tonearm.language', arguments[0])", language)
            self.page.open("#/now")
            found = self.page.run("const root = document.documentElement; return [root.lang, root.dir, document.body.innerText]")
            if found[:2] != [language, direction] or "shell." in found[2]:
                raise AssertionError("%s: %s" % (language, found))
            self.take(language)

    def check_changes(self):
        """what another client changes is shown"""
        self.page.open("#/now")
        self.ask("POST", "player/pause")
        self.page.until("the button", "return document.querySelector('[data-hook=play]').ariaLabel === 'Play'")
        self.ask("POST", "player/play")
        self.page.until("the button", "return document.querySelector('[data-hook=play]').ariaLabel === 'Pause'")

    def check_pictures(self):
        """every view fits into the window, and no script fails"""
        for name, size in SIZES.items():
            self.page.resize(size)
            for view in ("now", "queue", "library", "search", "settings"):
                self.page.open("#/" + view)
                time.sleep(1)
                self.take("%s-%s" % (name, view))
                surplus = self.page.run("const root = document.documentElement; return root.scrollWidth - root.clientWidth")
                faults = self.page.run("return window.faults")
                if surplus > 0 or faults:
                    raise AssertionError("%s, %s: %s pixels too wide, %s" % (name, view, surplus, faults))

    def take(self, name):
        if self.options.pictures:
            pathlib.Path(self.options.pictures, "%s-%s.png" % (self.options.engine, name)).write_bytes(self.page.picture())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("folder")
    parser.add_argument("--engine", choices=ENGINES, default="firefox")
    parser.add_argument("--pictures")
    options = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as profile:
        engine = ENGINES[options.engine](profile)
        try:
            page = Page(engine, options.url)
            page.resize(SIZES["desk"])
            checks = Checks(page, options)
            for name in [name for name in vars(Checks) if name.startswith("check_")]:
                try:
                    getattr(checks, name)()
                    found.append({"name": getattr(checks, name).__doc__, "ok": True})
                except AssertionError as error:
                    found.append({"name": getattr(checks, name).__doc__, "ok": False, "detail": str(error)})
        finally:
            engine.close()
    print(json.dumps({"ok": all(one["ok"] for one in found), "checks": found}, indent=1))
    sys.exit(0 if all(one["ok"] for one in found) else 1)


if __name__ == "__main__":
    main()
