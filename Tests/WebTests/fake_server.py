#!/usr/bin/env python3
"""Serves web/ and enough of openapi.yaml to try the page without the program: a player that plays nothing, with a clock that runs.

usage: fake_server.py [--port 7712] [--scenario NAME] [--web DIR] [--delay SECONDS]      (before a command is carried out)

Scenarios: empty, playing (default), paused, long, untagged, ended, failed, loading, waiting, live, silent, interrupted.
POST /fake/drop closes every event stream, /fake/mute stops events without closing, /fake/unmute goes on; POST /fake/change replaces state members.
"""
import argparse
import datetime
import http.server
import json
import mimetypes
import os
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fake_player import MUSIC, TRACKS, FakePlayer, Refused  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
COVER = os.path.join(ROOT, "packaging", "sample", "cover.png")
# What each command understands: anything else is refused, as the real server does.
MEMBERS = {
    "PATCH /api/v1/player": {"rate", "defaultRate", "volume", "isMuted", "repeatMode", "isShuffled", "actionAtItemEnd", "audioTimePitchAlgorithm"},
    "PUT /api/v1/player/item": {"url", "play", "startTime", "title"},
    "POST /api/v1/player/play": {"rate"}, "POST /api/v1/player/pause": set(), "POST /api/v1/player/toggle": set(),
    "POST /api/v1/player/seek": {"time", "offset", "fraction"}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    player: FakePlayer
    web: str
    delay = 0.0
    generation = 0
    is_mute = False

    def log_message(self, format, *arguments):
        pass

    def do_GET(self):
        self.answer()

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET

    def answer(self):
        target = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(target.query))
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        try:
            self.route(self.command + " " + target.path, target.path, query, body)
        except Refused as refusal:
            self.send(refusal.status, refusal.problem, "application/problem+json")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def route(self, request, path, query, body):
        player = self.player
        origin = self.headers.get("Tonearm-Client") or "remote"
        if request in MEMBERS:
            arguments = json.loads(body or b"{}")
            time.sleep(self.delay)
            for name in arguments:
                if name not in MEMBERS[request]:
                    raise Refused(400, "unknown-member", "A member is not known", 'There is no member "%s" here.' % name, pointer="/" + name)
        if request == "GET /api/v1/player":
            self.send(200, player.state)
        elif request == "GET /api/v1/player/time":
            with player.lock:
                now = {"currentTime": player.position(), "rate": player.state["anchor"]["rate"], "hostTime": player.host_time()}
            self.send(200, {**now, "revision": player.state["revision"]})
        elif request == "GET /api/v1/clock":
            self.send(200, {"hostTime": player.host_time(), "date": datetime.datetime.now(datetime.timezone.utc).isoformat()})
        elif request == "PATCH /api/v1/player":
            player.update(arguments, origin)
            self.send(200, player.state)
        elif request == "PUT /api/v1/player/item":
            self.send(201, player.load(arguments, origin))
        elif request == "DELETE /api/v1/player/item":
            player.clear(origin)
            self.send(204)
        elif request == "POST /api/v1/player/play":
            player.play(arguments.get("rate"), origin)
            self.send(200, player.state)
        elif request == "POST /api/v1/player/pause":
            player.pause(origin)
            self.send(200, player.state)
        elif request == "POST /api/v1/player/seek":
            self.send(200, player.seek(next(iter(arguments.items())), origin))
        elif request == "GET /api/v1/library":
            self.send(200, listing(query.get("path")))
        elif request == "GET /api/v1/events":
            self.events(self.headers.get("Last-Event-ID") or query.get("lastEventId"))
        elif path.startswith("/api/v1/items/") and path.endswith("/artwork"):
            self.file(COVER)
        elif request.startswith("POST /fake/"):
            self.control(path.removeprefix("/fake/"), body)
        elif request.startswith("GET /") and not path.startswith("/api/"):
            self.file(os.path.join(self.web, "index.html" if path == "/" else os.path.normpath(path).lstrip("/")))
        else:
            raise Refused(404, "not-found", "There is no such thing", "There is nothing here.")

    def control(self, action, body):
        if action == "drop":
            Handler.generation += 1
        elif action == "change":
            with self.player.lock:
                self.player.change("kitchen-script", "setRateCalled", **json.loads(body))
        else:
            Handler.is_mute = action == "mute"
        with self.player.lock:
            self.player.lock.notify_all()
        self.send(204)

    def events(self, event_id):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        player, generation = self.player, Handler.generation
        with player.lock:
            missed = player.events_after(event_id) if event_id else None
            more = {"resync": True} if event_id and missed is None else {}
            events = [(player.sequence, "state", json.dumps(player.snapshot(**more)))] if missed is None else missed
            last = player.sequence
        beat = time.monotonic() + 15
        while generation == Handler.generation:
            for sequence, kind, data in events:
                self.wfile.write(f"id: {player.epoch}:{sequence}\nevent: {kind}\ndata: {data}\n\n".encode())
            if time.monotonic() > beat and not Handler.is_mute:
                self.wfile.write(f'event: heartbeat\ndata: {{"hostTime": {player.host_time()}}}\n\n'.encode())
                beat = time.monotonic() + 15
            self.wfile.flush()
            with player.lock:
                player.lock.wait(1)
                events = [] if Handler.is_mute else [event for event in player.ring if event[0] > last]
                last = last if Handler.is_mute else player.sequence

    def file(self, path):
        if not os.path.isfile(path):
            raise Refused(404, "not-found", "There is no such thing", "There is nothing here.")
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        with open(path, "rb") as file:
            self.send(200, file.read(), kind)

    def send(self, status, body=b"", kind="application/json"):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        self.wfile.write(content)


def listing(path):
    """What openapi.yaml calls LibraryListing."""
    if path is None:
        return {"entries": [{"name": "music", "path": MUSIC, "kind": "directory"}], "isTruncated": False}
    relative = os.path.relpath(path, MUSIC)
    files = [name for name in TRACKS if os.path.dirname(name) == ("" if relative == "." else relative)]
    folders = sorted({name.split("/")[0] for name in TRACKS}) if relative == "." else []
    if not files and not folders:
        raise Refused(404, "file-not-found", "There is no such folder", "There is no such folder.")
    entries = [{"name": name, "path": f"{MUSIC}/{name}", "kind": "directory"} for name in folders]
    for name in sorted(files):
        url = "file://" + urllib.parse.quote(f"{MUSIC}/{name}")
        entries.append({"name": os.path.basename(name), "path": f"{MUSIC}/{name}", "kind": "audio", "url": url, "size": 21034567})
    parent = {} if relative == "." else {"parent": os.path.dirname(path)}
    return {"path": path, **parent, "entries": entries, "isTruncated": False}


def prepare(player, scenario):
    """Brings the player into the state that a scenario is about."""
    names = list(TRACKS)
    track = {"long": 1, "untagged": 2, "ended": 3, "failed": 4}.get(scenario, 0)
    if scenario == "empty":
        return
    url = "https://radio.example/night" if scenario == "live" else "file://" + urllib.parse.quote(f"{MUSIC}/{names[track]}")
    if scenario == "loading":
        player.load_seconds = 3600
    start = {"ended": 4.5, "untagged": 31}.get(scenario, 65.2)
    player.load({"url": url, "play": scenario not in ("paused", "interrupted"), "startTime": start}, "web")
    time.sleep(0.5)
    with player.lock:
        if scenario == "waiting":
            player.change(timeControlStatus="waitingToPlayAtSpecifiedRate", reasonForWaitingToPlay="toMinimizeStalls",
                          anchor={**player.state["anchor"], "rate": 0})
        elif scenario == "silent":
            player.change(output={"kind": "null", "id": "", "name": "No sound"})
        elif scenario == "interrupted":
            player.change(session={"category": "playback", "isActive": True, "isInterrupted": True})
    time.sleep(0.7 if scenario == "ended" else 0)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--port", type=int, default=7712)
    options.add_argument("--scenario", default="playing")
    options.add_argument("--delay", type=float, default=0)
    options.add_argument("--web", default=os.path.join(ROOT, "web"))
    chosen = options.parse_args()
    mimetypes.add_type("text/javascript", ".js")
    mimetypes.add_type("application/manifest+json", ".webmanifest")
    Handler.player = FakePlayer()
    Handler.web = chosen.web
    Handler.delay = chosen.delay
    server = http.server.ThreadingHTTPServer(("127.0.0.1", chosen.port), Handler)
    server.daemon_threads = True
    threading.Thread(target=prepare, args=(Handler.player, chosen.scenario), daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
