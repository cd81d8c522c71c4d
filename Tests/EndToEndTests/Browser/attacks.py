#!/usr/bin/env python3
"""Attacks the player from pages that its user visits, in a real Chromium, and checks that no attack succeeds.

usage: attacks.py OPEN CLOSED TOKEN [--chromium PATH]

OPEN and CLOSED are the addresses (http://127.0.0.1:PORT/) of two players, of which the second requires TOKEN. Prints one line for each attack
that succeeded and for each legitimate action that failed. Exit status 0 if there is none.
"""
import argparse
import http.server
import json
import sys
import threading
import urllib.request

from playwright.sync_api import sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
         "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests"]
# Another site on this machine, and a foreign name that resolves to the player.
EVIL = "evil.localhost"
REBOUND = "rebound.example"
# Other ways to this machine, to which browsers send fewer fields.
WAYS = ("0.0.0.0", "[::ffff:127.0.0.1]", "[::]", "localhost", "127.1")

# Each returns what a page of another site learnt, or null. Changes of the player are checked on the player itself.
ATTACKS = {
    "a form that posts": """async base => {
      const frame = Object.assign(document.createElement('iframe'), {name: 'sink'});
      document.body.append(frame);
      for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        const form = Object.assign(document.createElement('form'), {action: base + 'api/v1/player/toggle', method: 'post', enctype, target: 'sink'});
        form.append(Object.assign(document.createElement('input'), {name: '{"rate":2,"x":"', value: '"}'}));
        document.body.append(form);
        const over = new Promise(done => frame.addEventListener('load', done, {once: true}));
        form.submit();
        await over;
      }
      return null;
    }""",
    "a simple request": """async base => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        for (const [method, path] of [['POST', 'api/v1/player/toggle'], ['POST', 'api/v1/queue/next'], ['POST', 'api/v1/login']]) {
          await fetch(base + path, {method, mode: 'no-cors', credentials: 'include', headers: {'Content-Type': type}, body: '{}'}).catch(() => null);
        }
      }
      return null;
    }""",
    "a request with JSON": """async base => {
      for (const [method, path] of [['PATCH', 'api/v1/player'], ['POST', 'api/v1/player/toggle'], ['DELETE', 'api/v1/queue']]) {
        try {
          const headers = {'Content-Type': 'application/json'};
          const body = method === 'DELETE' ? undefined : method === 'PATCH' ? '{"volume":0}' : '{}';
          const answer = await fetch(base + path, {method, credentials: 'include', headers, body});
          return `${method} ${path}: ${answer.status}`;
        } catch {}
      }
      return null;
    }""",
    "reading the state": """async base => {
      for (const path of ['api/v1/player', 'api/v1/library', 'metrics', 'healthz', 'openapi.yaml']) {
        try { return (await fetch(base + path, {credentials: 'include'})).status + path; } catch {}
      }
      return null;
    }""",
    "an EventSource": """base => new Promise(done => {
      const source = new EventSource(base + 'api/v1/events', {withCredentials: true});
      source.onopen = () => done('it opened');
      source.addEventListener('state', event => done(event.data));
      source.onerror = () => { source.close(); done(null); };
    })""",
    "a WebSocket": """base => new Promise(done => {
      const socket = new WebSocket(base.replace('http', 'ws') + 'api/v1/socket');
      socket.onopen = () => done('it opened');
      socket.onmessage = event => done(event.data);
      socket.onerror = socket.onclose = () => done(null);
    })""",
    "an image that names an address": """async (base) => {
      for (const path of [`api/v1/assets?url=${encodeURIComponent('http://127.0.0.1:' + location.port + '/probe')}`,
                          `api/v1/assets?url=${encodeURIComponent('http://192.168.0.1/')}`, 'api/v1/items/e1/artwork']) {
        const image = new Image();
        const loaded = await new Promise(done => {
          image.onload = () => done(true);
          image.onerror = () => done(false);
          image.src = base + path;
        });
        if (loaded) return path;
      }
      return null;
    }""",
    "a script, a style": """async base => {
      for (const [tag, member] of [['script', 'src'], ['link', 'href']]) {
        const element = Object.assign(document.createElement(tag), {rel: 'stylesheet', [member]: base + 'api/v1/player'});
        const loaded = await new Promise(done => {
          element.onload = () => done(true);
          element.onerror = () => done(false);
          document.head.append(element);
        });
        if (loaded) return tag;
      }
      return null;
    }""",
}


class Hostile(http.server.BaseHTTPRequestHandler):
    probes = []

    def do_GET(self):
        if self.path.startswith("/probe"):
            self.probes.append(self.path)
        body = b"<!doctype html><title>Cats</title><body>Cats.</body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def follow(page, address):
    """Follows a link of the page. A navigation without a link would count as the user's own."""
    with page.expect_navigation() as navigation:
        page.evaluate("address => { location.href = address; }", address)
    return navigation.value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("open")
    parser.add_argument("closed")
    parser.add_argument("token")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    findings = []

    def state(base):
        request = urllib.request.Request(base + "api/v1/player", headers={"Authorization": "Bearer " + options.token})
        document = json.load(urllib.request.urlopen(request))
        return document["revision"]

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    evil = f"http://{EVIL}:{server.server_address[1]}/"

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=options.chromium, args=FLAGS + [f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1, MAP {EVIL} 127.0.0.1"])
        context = browser.new_context()

        # The user has a session with the player that requires a token.
        own = context.new_page()
        own.goto(options.closed + "#token=" + options.token)
        own.get_by_text("Connected", exact=True).wait_for()
        if own.url != options.closed:
            findings.append(f"the token stays in the address: {own.url}")
        if own.evaluate("document.cookie"):
            findings.append("a script can read the cookie")
        if own.evaluate("Object.values(localStorage).concat(Object.values(sessionStorage)).join().includes(%s)" % json.dumps(options.token)):
            findings.append("the token is kept where scripts can read it")
        cookies = context.cookies()
        if not (len(cookies) == 1 and cookies[0]["httpOnly"] and cookies[0]["sameSite"] == "Strict"):
            findings.append(f"the cookie is {cookies}")

        # The pages that the browser visits meanwhile.
        for base in (options.open, options.closed):
            before = state(base)
            page = context.new_page()
            page.goto(evil)
            for name, attack in ATTACKS.items():
                learnt = page.evaluate(attack, base)
                if learnt is not None:
                    findings.append(f"{name} at {base}: {learnt}")
                if state(base) != before:
                    findings.append(f"{name} at {base} changed the player")
                    before = state(base)
            for way in WAYS:
                for name in ("an image that names an address", "a simple request"):
                    learnt = page.evaluate(ATTACKS[name], base.replace("127.0.0.1", way))
                    if learnt is not None or Hostile.probes or state(base) != before:
                        findings.append(f"{name} at {base} by {way}: {learnt}, fetched {Hostile.probes}")
                        Hostile.probes.clear()
                        before = state(base)
            # A frame, for clickjacking.
            page.evaluate("base => new Promise(done => { const frame = document.createElement('iframe'); frame.onload = done; "
                          "frame.src = base; document.body.append(frame); })", base)
            if any(frame.url.startswith(base) and frame.get_by_role("button").count() for frame in page.frames):
                findings.append(f"{base} can be framed")
            # A link to something other than the page.
            answer = follow(page, base + "api/v1/player")
            if answer.status != 403:
                findings.append(f"a link of another site to the state of {base}: {answer.status}")
            page.goto(evil)
            answer = follow(page, base)
            if answer.status != 200:
                findings.append(f"a link of another site to the page of {base}: {answer.status}")
            # DNS rebinding: the attacker's name resolves to the player, so that its page is of the same origin.
            foreign = base.replace("127.0.0.1", REBOUND)
            answer = page.goto(foreign)
            if answer.status != 403:
                findings.append(f"{base} answers to a foreign name: {answer.status}")
            # Its page was loaded before the name resolved to the player.
            page.route(foreign + "cats", lambda route: route.fulfill(body="<!doctype html>Cats.", content_type="text/html"))
            page.goto(foreign + "cats")
            for path in ("api/v1/player", "api/v1/events", "openapi.yaml"):
                status = page.evaluate("async path => (await fetch('/' + path, {headers: {'Tonearm-Client': 'cats'}})).status", path)
                if status != 403:
                    findings.append(f"{base}{path} answers to a foreign name: {status}")
            page.close()
        if Hostile.probes:
            findings.append("an image made the player fetch an address")

        # Another browser has no cookie: the page asks for the token, refuses a wrong one and accepts the right one.
        other = browser.new_context().new_page()
        other.goto(options.closed)
        field = other.get_by_label("The player printed the token when it started")
        field.wait_for()
        field.fill("wrong-wrong-wrong-wrong")
        other.get_by_role("button", name="Unlock").click()
        other.get_by_role("alert").get_by_text("not the token of this player").wait_for()
        field.fill(options.token)
        other.get_by_role("button", name="Unlock").click()
        field.wait_for(state="hidden")
        other.get_by_text("Connected", exact=True).wait_for()
        other.reload()
        other.get_by_text("Connected", exact=True).wait_for()
        browser.close()

    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)


main()
