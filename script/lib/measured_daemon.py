"""A run of the program whose cost is measured."""

import http.client
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import program


class Daemon:
    """One run of the program, on the null output if no PulseAudio server is given."""

    def __init__(self, binary, folder, server=None, variables=None):
        self.port = program.free_port()
        arguments = ["serve", "--listen", f"127.0.0.1:{self.port}", "--media-root", str(folder), "--log-level", "error"]
        arguments += ["--output", "pulse" if server else "null"]
        # Each run has a state directory of its own, so that the cost of saving the state is included, and the user's state is never changed.
        self.state = tempfile.TemporaryDirectory()
        arguments += ["--state-dir", self.state.name]
        environment = program.environment() | (variables or {})
        if server:
            environment["PULSE_SERVER"] = server.address
        start = time.monotonic()
        self.process = subprocess.Popen([binary] + arguments, env=environment)
        while True:
            try:
                if self.request("GET", "/healthz")[0] == 200:
                    break
            except OSError:
                if self.process.poll() is not None:
                    sys.exit("bench: the program ended")
                time.sleep(0.0005)
        self.started = (time.monotonic() - start) * 1000

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            fields = {} if body is None else {"Content-Type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), fields)
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        return answer.status, data

    def command(self, method, path, body=None):
        """Sends a command and returns its duration in milliseconds."""
        start = time.monotonic()
        status, data = self.request(method, "/api/v1" + path, {} if body is None and method == "POST" else body)
        taken = (time.monotonic() - start) * 1000
        if status >= 300:
            sys.exit(f"bench: {method} {path}: {status} {data.decode(errors='replace')}")
        return taken

    def play(self, path):
        return self.command("PUT", "/player/item?wait=10", {"url": str(path), "play": True})

    def cpu(self):
        """Returns the processor time so far, in seconds, from the scheduler's statistics."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def memory(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        return int(re.search(r"^Pss:\s+(\d+)", text, re.M).group(1)) / 1024
