"""Shared by the browser tests: another client of the player, which sends requests without the page."""
import json
import pathlib
import urllib.parse
import urllib.request

# The time limit of a response, in seconds, which only ends a check that would hang.
PATIENCE = 120


class Client:
    """A client. The player reports its name to the others; with None it sends no name."""

    def __init__(self, url, name="kitchen", token=None):
        self.base = url + "api/v1/"
        self.fields = {"Content-Type": "application/json"}
        if name:
            self.fields["Tonearm-Client"] = name
        if token:
            self.fields["Authorization"] = "Bearer " + token

    def ask(self, method, path, body=None):
        """Sends a request, and returns the body of the response. An error is an exception."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, self.fields, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            text = response.read()
        return json.loads(text) if text else None

    def state(self):
        return self.ask("GET", "player")

    def ids(self):
        """The ids of the queue's entries."""
        return [entry["id"] for entry in self.ask("GET", "queue")["entries"]]

    def names(self):
        """The names of the queue's files, without their suffixes."""
        return [pathlib.PurePosixPath(urllib.parse.unquote(entry["url"])).stem for entry in self.ask("GET", "queue")["entries"]]

    def play_album(self, folder):
        """Plays the files of a folder, with the usual settings."""
        self.ask("PUT", "queue", {"entries": [{"url": str(path)} for path in sorted(folder.iterdir())], "startIndex": 0, "play": True})
        self.ask("PATCH", "player", {"volume": 0.6, "defaultRate": 1, "rate": 1})
        self.ask("DELETE", "sleep-timer")
        self.ask("DELETE", "player/loop")
        self.ask("PUT", "output", {"id": "auto"})
