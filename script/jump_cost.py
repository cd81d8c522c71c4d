"""Measures jumps to random places of remote recordings of two hours: nginx sends them at 20 Mbit/s, directly and with a round trip of 60 ms."""

import json
import pathlib
import random
import statistics
import subprocess
import sys
import time

import program
from long_recording import BARE, SOURCE, ffmpeg

sys.path.append(str(program.ROOT / "Tests/EndToEndTests/Browser"))
import proxy

HOURS, RATE, ROUND_TRIP = 2, "2500k", 0.06
# The number of jumps in each recording, and the seed of their places.
JUMPS, SEED = 100, 22
# A constant bit rate is only constant if the whole is encoded at once.
CONSTANT = ["-c:a", "libmp3lame", "-b:a", "128k", "-compression_level", "9"]
# The encoder of a minute, and what repeats its packets with a tag or an index of the whole; or no encoder, and what encodes the whole.
ENCODINGS = {
    "mp3 cbr, Info": ("mp3", None, CONSTANT),
    "mp3 cbr": ("mp3", None, CONSTANT + BARE),
    "mp3 vbr, Xing": ("mp3", ["-c:a", "libmp3lame", "-q:a", "4"], []),
    "mp3 vbr": ("mp3", ["-c:a", "libmp3lame", "-q:a", "4"], BARE),
    "adts": ("aac", ["-c:a", "aac", "-b:a", "128k"], ["-f", "adts"]),
    "flac": ("flac", None, ["-c:a", "flac"]),
    "ogg": ("ogg", ["-c:a", "libvorbis", "-q:a", "4"], []),
    "opus": ("opus", ["-c:a", "libopus", "-b:a", "128k"], []),
    "m4a": ("m4a", ["-c:a", "aac", "-b:a", "128k"], ["-movflags", "+faststart"]),
    "m4a, index at the end": ("m4a", ["-c:a", "aac", "-b:a", "128k"], []),
}


def recording(folder, name):
    """Creates a recording, and returns its path."""
    extension, encoder, muxer = ENCODINGS[name]
    part, path = folder / f"minute.{extension if encoder else 'wav'}", folder / f"jumps.{extension}"
    ffmpeg("-f", "lavfi", "-i", SOURCE, "-ac", 1, *(encoder or []), part)
    ffmpeg("-stream_loop", 60 * HOURS - 1, "-i", part, *(["-c", "copy"] if encoder else []), *muxer, path)
    return path


class Nginx:
    """A server for the files of a folder, which logs the moment at which each request arrived."""

    def __init__(self, folder):
        self.port, self.log = program.free_port(), folder / "nginx.log"
        self.folder = folder
        configuration = folder / "nginx.conf"
        paths = "".join(f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        configuration.write_text(f"""daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.error; events {{}}
http {{ {paths} log_format time '$msec $request_time'; access_log {self.log} time;
server {{ listen 127.0.0.1:{self.port}; root {folder}; limit_rate {RATE}; }} }}""")
        self.process = subprocess.Popen(["nginx", "-p", folder, "-c", configuration], stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def begun(self):
        """Returns the times since 1970 at which the requests arrived that have ended, in seconds."""
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [float(end) - float(taken) for end, taken in lines]


def jumps(make_daemon, server, address, name):
    """Returns the median and the 95th percentile of the time of a jump in milliseconds, the most requests of one, and the estimated landings."""
    times, spans, estimated = [], [], 0
    places = random.Random(SEED)
    with make_daemon() as daemon:
        daemon.play(f"http://{address}/{name}")
        state = lambda: json.loads(daemon.request("GET", "/api/v1/player")[1])
        length = state()["currentItem"]["duration"]
        for _ in range(JUMPS):
            start = time.time()
            times.append(daemon.command("POST", "/player/seek", {"time": places.uniform(60, length - 60)}))
            spans.append((start, time.time()))
            estimated += state().get("isPositionEstimated", False)
    # The last requests are logged after the program has closed its connections.
    time.sleep(0.5)
    begun = server.begun()
    requests = [sum(start <= moment <= end for moment in begun) for start, end in spans]
    times.sort()
    return {"median ms": f"{statistics.median(times):.0f}", "p95 ms": f"{times[int(0.95 * len(times))]:.0f}", "most requests": max(requests),
            "estimated": f"{estimated} of {JUMPS}"}


def rows(make_daemon, folder):
    """Returns a row for each recording without a delay, and one with it."""
    result = []
    for name in ENCODINGS:
        path = recording(folder, name)
        for delay in (0, ROUND_TRIP):
            with Nginx(folder) as server, proxy.Proxy(f"127.0.0.1:{server.port}") as slow:
                if delay:
                    slow.slow_down(delay, float("inf"), float("inf"))
                address = slow.address if delay else f"127.0.0.1:{server.port}"
                result.append({"": name, "round trip ms": round(delay * 1000)} | jumps(make_daemon, server, address, path.name))
            server.log.unlink()
        path.unlink()
    return result
