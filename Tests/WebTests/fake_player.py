"""A player that plays nothing: it keeps the state document of openapi.yaml and lets its position run with the clock.

For work on the page without building the program. Standard library only.
"""
import collections
import json
import os
import threading
import time
import uuid

RING = 200

# What the fake media root holds: path → what is known of it after loading.
MUSIC = "/music"
TRACKS = {
    "First Light/01 First Light.flac": {
        "title": "First Light", "artist": "Tonearm", "album": "First Light", "duration": 245.3, "hasArtwork": True,
        "format": {"container": "flac", "codec": "flac", "sampleRate": 44100, "channels": 2, "bitsPerSample": 16, "bitRate": 812345}},
    "First Light/02 A much longer title than anybody would expect, with a remark in parentheses (live, remastered).flac": {
        "title": "A much longer title than anybody would expect, with a remark in parentheses (live, remastered)",
        "artist": "The Orchestra of Unreasonably Long Names and Friends", "album": "Collected Recordings, Volume 3", "duration": 3725.9,
        "hasArtwork": True, "format": {"container": "mov", "codec": "alac", "sampleRate": 96000, "channels": 2, "bitsPerSample": 24}},
    "Field recordings/Rain on the roof.wav": {
        "duration": 65.0, "hasArtwork": False,
        "format": {"container": "wav", "codec": "pcm_s16le", "sampleRate": 48000, "channels": 1, "bitsPerSample": 16, "bitRate": 768000}},
    "Field recordings/Five seconds.opus": {
        "title": "Five seconds", "artist": "Nobody", "duration": 5.0, "hasArtwork": False,
        "format": {"container": "ogg", "codec": "opus", "sampleRate": 48000, "channels": 2, "bitRate": 96000}},
    "Field recordings/Broken.mp3": {"error": {"code": "unsupportedFormat", "message": "“Broken.mp3” is not a media file."}},
}
STREAM = {
    "title": "Night Programme", "artist": "Radio Example", "hasArtwork": False, "isLive": True,
    "format": {"container": "mp3", "codec": "mp3", "sampleRate": 44100, "channels": 2, "bitRate": 128000}}


class Refused(Exception):
    """A request that cannot be carried out: becomes a problem document."""

    def __init__(self, status, code, title, detail, **more):
        super().__init__(detail)
        self.status = status
        self.problem = {"type": "/problems/" + code, "title": title, "status": status, "detail": detail, **more}


class FakePlayer:
    """The state, its history of events, and the commands. Every method may be called from any thread."""

    def __init__(self, load_seconds=0.3):
        self.lock = threading.Condition()
        self.load_seconds = load_seconds
        self.epoch = uuid.uuid4().hex[:12]
        self.sequence = 0
        self.ring = collections.deque(maxlen=RING)
        self.entries = 0
        self.waiting_until = 0.0
        self.state = {
            "epoch": self.epoch, "revision": 1, "status": "unknown", "rate": 0, "defaultRate": 1, "timeControlStatus": "paused",
            "reasonForWaitingToPlay": "none", "ended": False, "anchor": {"time": 0, "hostTime": self.host_time(), "rate": 0},
            "volume": 0.8, "isMuted": False, "automaticallyWaitsToMinimizeStalling": True, "actionAtItemEnd": "advance",
            "audioTimePitchAlgorithm": "timeDomain", "repeatMode": "off", "isShuffled": False,
            "output": {"kind": "pulse", "id": "alsa_output.analog-stereo", "name": "Built-in Audio Analog Stereo"},
            "session": {"category": "playback", "isActive": False, "isInterrupted": False},
            "lastChange": {"reason": "none", "origin": "player"}, "playlist": {"revision": 0, "count": 0, "index": -1}}
        threading.Thread(target=self._watch_the_end, daemon=True).start()

    @staticmethod
    def host_time():
        return time.monotonic()

    # What is known.

    def position(self):
        anchor = self.state["anchor"]
        position = anchor["time"] + max(0.0, self.host_time() - anchor["hostTime"]) * anchor["rate"]
        duration = self.state.get("currentItem", {}).get("duration")
        return max(0.0, position if duration is None else min(position, duration))

    def snapshot(self, **more):
        return {**self.state, "changed": [], "hostTime": self.host_time(), **more}

    def events_after(self, event_id):
        """The events behind an id, oldest first; None where the id is not remembered."""
        epoch, _, sequence = event_id.rpartition(":")
        if epoch != self.epoch or not sequence.isdigit():
            return None
        oldest = self.ring[0][0] if self.ring else self.sequence + 1
        if not oldest - 1 <= int(sequence) <= self.sequence:
            return None
        return [event for event in self.ring if event[0] > int(sequence)]

    # Events.

    def tell(self, kind, data):
        self.sequence += 1
        self.ring.append((self.sequence, kind, json.dumps({**data, "hostTime": self.host_time()})))
        self.lock.notify_all()

    def change(self, origin="player", reason="none", **members):
        """Replaces members; a member that is None is taken away. One revision, one event."""
        state = {**self.state, **members, "lastChange": {"reason": reason, "origin": origin}}
        state = {name: value for name, value in state.items() if value is not None}
        changed = [name for name in state | self.state if state.get(name) != self.state.get(name)]
        if not changed:
            return
        old_rate = self.state["rate"]
        state["revision"] += 1
        self.state = state
        if state["rate"] != old_rate:
            self.tell("rateDidChange", {"rate": state["rate"], "reason": reason, "origin": origin})
        self.tell("state", {**state, "changed": changed})

    def anchored(self, position=None, rate=None):
        """The members that say where the player is and whether it moves."""
        rate = self.state["rate"] if rate is None else rate
        item = self.state.get("currentItem")
        ready = item is not None and item["status"] == "readyToPlay"
        waits = rate != 0 and (not ready or self.host_time() < self.waiting_until)
        reason = "noItemToPlay" if item is None else "toMinimizeStalls" if ready else "evaluatingBufferingRate"
        return {
            "rate": rate, "timeControlStatus": "paused" if rate == 0 else "waitingToPlayAtSpecifiedRate" if waits else "playing",
            "reasonForWaitingToPlay": reason if waits else "none",
            "anchor": {
                "time": self.position() if position is None else position, "hostTime": self.host_time(), "rate": 0 if waits else rate}}

    # Commands.

    def play(self, rate, origin):
        with self.lock:
            self._need_item()
            position = 0 if self.state["ended"] else None
            self.change(origin, "setRateCalled", ended=False, **self.anchored(position, rate or self.state["defaultRate"]))

    def pause(self, origin):
        with self.lock:
            self.change(origin, "setRateCalled", **self.anchored(rate=0))

    def seek(self, target, origin):
        with self.lock:
            item = self._need_item()
            if item["status"] != "readyToPlay":
                raise Refused(409, "item-not-ready", "The item is not ready", "The item is still loading.")
            if not item["isSeekable"]:
                raise Refused(409, "not-seekable", "The item cannot be sought", "This stream cannot be sought.")
            requested = {
                "time": lambda value: value, "offset": lambda value: self.position() + value,
                "fraction": lambda value: value * item["duration"]}[target[0]](target[1])
            landed = max(0.0, min(requested, item["duration"]))
            self.change(origin, "seek", ended=False, **self.anchored(landed))
            self.tell("timeJumped", {"itemId": item["id"], "time": landed})
            return {"finished": True, "time": landed, "requested": requested}

    def update(self, members, origin):
        with self.lock:
            rate = members.pop("rate", None)
            moved = {} if rate is None else self.anchored(rate=rate)
            self.change(origin, "setRateCalled" if rate is not None else "update", **members, **moved)

    def load(self, request, origin):
        """Makes the item current; it becomes ready or fails a moment later."""
        url = request["url"]
        is_file = url.startswith(("file://", "/"))
        path = os.path.relpath(_unquoted(url.removeprefix("file://")), MUSIC) if is_file else None
        if not is_file and not url.startswith(("http://", "https://")):
            raise Refused(422, "unsupported-scheme", "The scheme is not supported", "Only file, http and https addresses can be played.")
        if is_file and path.startswith(".."):
            raise Refused(403, "outside-media-roots", "Outside the media roots", "The file lies outside the media roots.")
        if is_file and path not in TRACKS:
            raise Refused(404, "file-not-found", "There is no such file", "There is no such file.")
        with self.lock:
            self.entries += 1
            item = {"id": "e%d" % self.entries, "url": url, "status": "unknown", "isLive": False, "isSeekable": False, "hasArtwork": False}
            if "title" in request:
                item["title"] = request["title"]
            play = request.get("play")
            rate = self.state["rate"] if play is None else self.state["defaultRate"] if play else 0
            playlist = {"revision": self.state["playlist"]["revision"] + 1, "count": 1, "index": 0}
            self.state["currentItem"] = item
            self.change(origin, "setItem", ended=False, currentItem=dict(item), playlist=playlist, **self.anchored(0, rate))
            known = TRACKS[path] if is_file else STREAM
        threading.Timer(self.load_seconds, self._loaded, [item, known, request.get("startTime", 0)]).start()
        return item

    def clear(self, origin):
        with self.lock:
            playlist = {"revision": self.state["playlist"]["revision"] + 1, "count": 0, "index": -1}
            self.change(origin, "clear", ended=False, **{**self.anchored(0, 0), "currentItem": None, "playlist": playlist})

    # What happens by itself.

    def _loaded(self, item, known, start):
        with self.lock:
            if self.state.get("currentItem", {}).get("id") != item["id"]:
                return
            if "error" in known:
                item = {**item, "status": "failed", **known}
            else:
                item = {"isSeekable": not known.get("isLive", False), **item, **known, "status": "readyToPlay"}
                item["isSeekable"] = not item["isLive"]
            self.state = {**self.state, "currentItem": item}
            self.state["currentItem"] = item
            if item["isLive"]:
                self.waiting_until = self.host_time() + 1.5
                threading.Timer(1.55, self._go_on).start()
            self.change(status="readyToPlay", reason="load", currentItem={**item}, **self.anchored(start))

    def _go_on(self):
        with self.lock:
            self.change(reason="bufferFilled", **self.anchored())

    def _watch_the_end(self):
        while True:
            time.sleep(0.02)
            with self.lock:
                item = self.state.get("currentItem", {})
                if self.state["anchor"]["rate"] > 0 and self.position() >= item.get("duration", float("inf")):
                    self.tell("didPlayToEndTime", {"itemId": item["id"]})
                    self.change(reason="ended", ended=True, **self.anchored(item["duration"], 0))

    def _need_item(self):
        if "currentItem" not in self.state:
            raise Refused(409, "no-current-item", "Nothing is loaded", "Load an item first.")
        return self.state["currentItem"]


def _unquoted(path):
    import urllib.parse
    return urllib.parse.unquote(path)
