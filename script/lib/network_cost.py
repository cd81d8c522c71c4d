"""Measures what remote media cost: requests, TLS handshakes and bytes for the start and for a seek, processor time and memory on a slow link."""

import json
import pathlib
import random
import re
import shutil
import ssl
import statistics
import subprocess
import sys
import time
import urllib.request

import program

SERVER = program.ROOT / "Tests/EndToEndTests/Server/fault_server.py"
# Rates in bytes per second: 1.5 Mbit/s, and 8 Mbit/s. At 8 Mbit/s, the target of the seek has not been transferred when the seek begins.
SLOW, FAST = 187_500, 1_000_000
# The number of seeks without a limit of the rate, each in a new item, and the seed of their positions.
NEAR_SEEKS, SEED = 21, 17


class Server:
    """A server for the files of a folder, over TLS if it has a certificate."""

    def __init__(self, folder, certificate=None):
        command = [sys.executable, "-B", SERVER, folder] + ([certificate] if certificate else [])
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        port = self.process.stdout.readline().strip()
        self.base = f"{'https' if certificate else 'http'}://localhost:{port}/"
        self.context = ssl._create_unverified_context() if certificate else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def counts(self):
        """Returns the numbers of requests, handshakes and bytes of media so far. The reading itself makes one handshake, which is not counted."""
        with urllib.request.urlopen(self.base + "log", context=self.context) as answer:
            log = json.load(answer)
        self.readings = getattr(self, "readings", 0) + 1
        return len(log["requests"]), log["handshakes"] - (self.readings if self.context else 0), log["bytes"]


def certificate(folder):
    """Makes a key with a certificate for localhost, and returns the path of the file with both."""
    path = folder / "localhost.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "key", "-out", folder / "certificate"]
    subprocess.run(made, check=True, stderr=subprocess.DEVNULL)
    path.write_bytes((folder / "key").read_bytes() + (folder / "certificate").read_bytes())
    return path


def seeks(make_daemon, folder, paths):
    """Returns a row for each medium. At 8 Mbit/s: the costs until the medium plays, and the costs of a seek far ahead, half a second later. On
    loopback without a limit of the rate: the median time of a seek, and the largest number of requests of one seek until it has landed."""
    media = dict(paths)
    media["m4a, index at the end"] = folder / "end.m4a"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", paths["m4a"], "-c:a", "copy", "-movflags", "-faststart",
                    media["m4a, index at the end"]], check=True)
    if shutil.which("metaflac"):
        media["flac with a table"] = shutil.copyfile(paths["flac"], folder / "table.flac")
        subprocess.run(["metaflac", "--add-seekpoint=10s", media["flac with a table"]], check=True)
    media["mp3 without index"] = folder / "plain.mp3"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", paths["mp3"], "-c:a", "copy", "-write_xing", "0", media["mp3 without index"]],
                   check=True)
    pem = certificate(folder)
    rows = []
    for name, path in media.items():
        with Server(folder, pem) as server, make_daemon({"SSL_CERT_FILE": str(folder / "certificate")}) as daemon:
            start = daemon.play(f"{server.base}{pathlib.Path(path).name}?rate={FAST}")
            opened = server.counts()
            time.sleep(0.5)
            before = server.counts()
            seek = daemon.command("POST", "/player/seek", {"time": 170})
            time.sleep(0.5)
            after = server.counts()
            near = near_seeks(daemon, server, pathlib.Path(path).name)
        rows.append({
            "": name, "open ms": f"{start:.0f}", "requests": opened[0], "KB": f"{opened[2] / 1e3:.0f}",
            "seek ms": f"{seek:.0f}", "its requests": after[0] - before[0],
            "its KB": f"{(after[2] - before[2]) / 1e3:.0f}", "handshakes in all": after[1], **near,
        })
    return rows


def near_seeks(daemon, server, name):
    """Returns the costs of seeks to random positions without a limit of the rate. Each seek follows the opening of a new item at once, so that most
    of the file has not been transferred."""
    times, requests = [], []
    places = random.Random(SEED)
    for turn in range(NEAR_SEEKS):
        daemon.play(f"{server.base}{name}?turn={turn}")
        before = server.counts()
        times.append(daemon.command("POST", "/player/seek", {"time": places.uniform(60, 175)}))
        requests.append(server.counts()[0] - before[0])
    return {"seek ms on loopback": f"{statistics.median(times):.0f}", "its most requests": max(requests)}


def processor_time(process):
    """The processor time of a process so far, in seconds."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{process}/task").iterdir()) / 1e9


def memory(process):
    """The proportional set size of a process, in MB."""
    return int(re.search(r"^Pss:\s+(\d+)", pathlib.Path(f"/proc/{process}/smaps_rollup").read_text(), re.M).group(1)) / 1024


def slow_link(make_daemon, folder, paths, seconds):
    """Returns a row for each player: its costs while a FLAC file arrives slowly, after two seconds of playback."""
    with Server(folder) as server:
        url = server.base + f"{pathlib.Path(paths['flac']).name}?rate={SLOW}"
        with make_daemon(None) as daemon:
            daemon.play(url + "&player=1")
            rows = [{"": "FLAC at 1.5 Mbit/s"} | watched(daemon.process.pid, seconds)]
        if shutil.which("mpv"):
            command = ["mpv", "--no-config", "--no-terminal", "--no-video", "--ao=null", url + "&player=2"]
            mpv = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                rows.append({"": "the same, mpv"} | watched(mpv.pid, seconds))
            finally:
                mpv.kill()
                mpv.wait()
    return rows


def watched(process, seconds):
    time.sleep(2)
    before = processor_time(process)
    time.sleep(seconds)
    return {"cpu %": f"{(processor_time(process) - before) / seconds * 100:.2f}", "MB": f"{memory(process):.1f}"}
