"""Measures the running program against its budgets for denial of service: the cost of a hostile request, and of a hostile medium.

Costs are peak resident memory, and processor time from the scheduler's statistics, so that other programs on the machine do not count.
"""

import base64
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import time

import hostile_media
import program
from budget_media import media
from budget_requests import BLOCK, TOKEN, head, requests

# The threads that read requests and write events. Processor time on them delays every client.
HTTP_THREADS = ("MHD-single", "http-events")
# Processor milliseconds for each 16 KiB sent: of the HTTP threads, and of the whole program.
REQUEST_LIMITS = {"without a token": (10, 10), "with the token": (10, 50)}
# MiB above the idle program, and processor seconds of the whole program until the medium is open.
MEDIUM_LIMITS = (64, 2.0)


class Program:
    """One run of the program that requires the token."""

    def __init__(self, binary, folder):
        self.port = program.free_port()
        token = folder / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        media = folder / "media"
        media.mkdir(exist_ok=True)
        environment = program.environment()
        arguments = ["--listen", f"127.0.0.1:{self.port}", "--media-root", media, "--log-level", "error", "--output", "null", "--no-state"]
        arguments += ["--token-file", token]
        self.process = subprocess.Popen([binary, "serve", *map(str, arguments)], env=environment, stderr=subprocess.DEVNULL)
        self.proc = pathlib.Path(f"/proc/{self.process.pid}")
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                time.sleep(0.01)
        raise SystemExit("bench: the program does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def ask(self, method, path, body=None, timeout=60):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            fields = {"Authorization": f"Bearer {TOKEN}"} | ({} if body is None else {"Content-Type": "application/json"})
            connection.request(method, path, None if body is None else json.dumps(body), fields)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def threads(self):
        """Returns the processor milliseconds of the HTTP threads and of all existing threads."""
        http_threads, every = 0, 0
        for task in (self.proc / "task").iterdir():
            try:
                name, used = (task / "comm").read_text().strip(), int((task / "schedstat").read_text().split()[0]) / 1e6
            except OSError:
                continue
            every += used
            http_threads += used if name in HTTP_THREADS else 0
        return http_threads, every

    def settled(self):
        """Returns the processor time of the threads after they have become idle."""
        used = self.threads()
        for _ in range(3000):
            time.sleep(0.01)
            before, used = used, self.threads()
            if used[1] - before[1] < 0.05:
                break
        return used

    def processor(self):
        """Returns the processor seconds of the whole program, including threads that have ended."""
        fields = (self.proc / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, name):
        return int(re.search(rf"^{name}:\s+(\d+)", (self.proc / "status").read_text(), re.M).group(1)) / 1024

    def exchange(self, data):
        """Sends bytes, and returns the first 16 bytes of the response; empty if there is none."""
        with socket.create_connection(("127.0.0.1", self.port), 60) as client:
            try:
                client.sendall(data)
                client.settimeout(60)
                answer = client.recv(65_536)
            except OSError:
                return b""
            return answer[:16]

    def converse(self, message):
        """Sends one WebSocket message and waits for the answer."""
        with socket.create_connection(("127.0.0.1", self.port), 60) as client:
            key = base64.b64encode(bytes(16)).decode()
            client.sendall(head("GET", "/api/v1/socket", ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", key),
                                ("Sec-WebSocket-Version", "13"), ("Authorization", f"Bearer {TOKEN}")))
            held, end = b"", time.monotonic() + 60
            while b"event" not in held and time.monotonic() < end:
                held += client.recv(65_536)
            size = len(message)
            length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65_536 else b"\xff" + struct.pack(">Q", size)
            client.sendall(b"\x81" + length + bytes(4) + message)
            held = b""
            while b'"id"' not in held and b'"problem"' not in held and time.monotonic() < end:
                try:
                    data = client.recv(65_536)
                except OSError:
                    break
                if not data:
                    break
                held += data


def measure_requests(binary, folder):
    """Returns the cost and the name of every request, by kind, and the exceeded budgets."""
    found, faults = {kind: [] for kind in REQUEST_LIMITS}, []
    with Program(binary, folder) as run:
        for _ in range(20):
            run.ask("GET", "/api/v1/player")
        for kind, name, size, send in requests():
            blocks = max(1, size / BLOCK)
            limits, best = REQUEST_LIMITS[kind], None
            # A request that is expensive by chance is not expensive again, so the smallest cost of up to three attempts counts.
            for _ in range(3):
                before = run.settled()
                send(run)
                cost = tuple((after - then) / blocks for after, then in zip(run.settled(), before))
                best = cost if best is None else tuple(map(min, cost, best))
                if all(used <= limit / 2 for used, limit in zip(best, limits)):
                    break
            found[kind].append((best, name))
            if run.process.poll() is not None:
                return found, faults + [f"{name} {kind} ended the program"]
            if any(used > limit for used, limit in zip(best, limits)):
                faults.append(f"{name}, {kind}: {best[0]:.1f} ms of the HTTP threads and {best[1]:.1f} ms of all for each 16 KiB")
    return found, faults


def use(run, path, times=1, rate=1, shrinks=False):
    """Opens a medium, sends all requests about it, and plays it for a while. Returns the processor seconds until the medium was open."""
    url = path.as_uri()
    quoted = path.as_posix()
    before = run.processor()
    if times > 1:
        run.ask("PUT", "/api/v1/queue", {"entries": [{"url": url}] * times, "play": False})
        run.ask("GET", "/api/v1/player?wait=2")
    else:
        run.ask("PUT", "/api/v1/player/item?wait=15", {"url": url, "play": False})
    opened = run.processor() - before
    run.ask("GET", f"/api/v1/assets?url={quoted}&keys=duration,tracks,commonMetadata,metadata")
    queue = json.loads(run.ask("GET", "/api/v1/queue")[1])
    ids = [entry["id"] for entry in queue.get("entries", [])] or ["e1"]
    # The command `play` sets the rate to the default rate, so another rate is set after it.
    run.ask("POST", "/api/v1/player/play", {})
    run.ask("PATCH", "/api/v1/player", {"rate": rate})
    for identity in ids:
        for part in ("", "/chapters", "/artwork", "/artwork?size=512"):
            run.ask("GET", f"/api/v1/items/{identity}{part}")
        if len(ids) > 1:
            run.ask("POST", "/api/v1/queue/next", {})
    if shrinks:
        for size in (3_000_000, 1_000_000, 100_000, 50, 0):
            os.truncate(path, min(size, path.stat().st_size))
            run.ask("POST", "/api/v1/player/seek", {"time": 1 + size / 1e5})
            time.sleep(0.2)
    time.sleep(2 if rate > 1 else 0.5)
    return opened


def measure_media(binary, folder, generated=40):
    """Returns each medium's name, peak MiB above the idle program, and processor seconds until it was open; and the exceeded budgets."""
    (folder / "media").mkdir(exist_ok=True)
    good, found, faults = hostile_media.seeds(folder), [], []
    for name, path, how in media(folder, good, generated):
        with Program(binary, folder) as run:
            time.sleep(0.5)
            idle = run.memory("VmRSS")
            # Resets the peak to the present value.
            (run.proc / "clear_refs").write_text("5")
            opened = use(run, path, **how)
            if run.process.poll() is not None:
                faults.append(f"{name} ended the program")
                continue
            peak = run.memory("VmHWM") - idle
        found.append((peak, opened, name))
        if peak > MEDIUM_LIMITS[0]:
            faults.append(f"{name}: {peak:.0f} MiB above the idle program")
        if opened > MEDIUM_LIMITS[1]:
            faults.append(f"{name}: {opened:.1f} s of the processor until it is open")
    return found, faults
