"""Measures jumps to random places of remote recordings of two hours: nginx sends them at 20 Mbit/s, directly and with a round trip of 60 ms."""

import json
import pathlib
import random
import shutil
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
# A constant bit rate is only constant if the whole is encoded at once, and tables and pages have exact times only then.
CONSTANT = ["-c:a", "libmp3lame", "-b:a", "128k", "-compression_level", "9"]
AAC = ["-c:a", "aac", "-b:a", "128k", "-aac_coder", "fast"]
# The encoder of a minute, and what repeats its packets with a tag of the whole; or no encoder, and what encodes the whole.
ENCODINGS = {
    "mp3 cbr, Info": ("mp3", None, CONSTANT),
    "mp3 cbr": ("mp3", None, CONSTANT + BARE),
    "mp3 vbr, Xing": ("mp3", ["-c:a", "libmp3lame", "-q:a", "4"], []),
    "mp3 vbr": ("mp3", ["-c:a", "libmp3lame", "-q:a", "4"], BARE),
    "adts": ("aac", AAC, ["-f", "adts"]),
    "flac": ("flac", None, ["-c:a", "flac"]),
    "flac, seek table": ("flac", None, ["-c:a", "flac"]),
    "ogg": ("ogg", None, ["-c:a", "libvorbis", "-q:a", "4"]),
    "opus": ("opus", None, ["-c:a", "libopus", "-b:a", "128k", "-compression_level", "0"]),
    "m4a": ("m4a", None, AAC + ["-movflags", "+faststart"]),
    "m4a, index at the end": ("m4a", None, AAC),
    # The times in the tables of joined parts are rounded.
    "m4a, joined": ("m4a", AAC, []),
}
# The most milliseconds of a jump without a delay: the median and the 95th percentile; and the most requests of one.
MOST_MEDIAN, MOST_P95, MOST_REQUESTS = 150, 400, 3


def recording(folder, name):
    """Creates a recording, and returns its path; None if the program that adds a seek table is not installed."""
    extension, encoder, muxer = ENCODINGS[name]
    has_table = "seek table" in name
    if has_table and not shutil.which("metaflac"):
        return None
    part, path = folder / f"minute.{extension if encoder else 'wav'}", folder / f"jumps.{extension}"
    ffmpeg("-f", "lavfi", "-i", SOURCE, "-ac", 1, *(encoder or []), part)
    ffmpeg("-stream_loop", 60 * HOURS - 1, "-i", part, *(["-c", "copy"] if encoder else []), *muxer, path)
    if has_table:
        subprocess.run(["metaflac", "--add-seekpoint=10s", path], check=True)
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
    """Returns the median and the 95th percentile of the time of a jump in milliseconds, the most requests of one, and the number of estimated
    landings."""
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
    return statistics.median(times), times[int(0.95 * len(times))], max(requests), estimated


def rows(make_daemon, folder, faults):
    """Returns a row for each recording without a delay, and one with it."""
    result = []
    for name in ENCODINGS:
        path = recording(folder, name)
        if path is None:
            continue
        for delay in (0, ROUND_TRIP):
            with Nginx(folder) as server, proxy.Proxy(f"127.0.0.1:{server.port}") as slow:
                if delay:
                    slow.slow_down(delay, float("inf"), float("inf"))
                address = slow.address if delay else f"127.0.0.1:{server.port}"
                median, late, requests, estimated = jumps(make_daemon, server, address, path.name)
            result.append({"": name, "round trip ms": f"{delay * 1000:.0f}", "median ms": f"{median:.0f}", "p95 ms": f"{late:.0f}",
                           "most requests": str(requests), "estimated": f"{estimated} of {JUMPS}"})
            if median > MOST_MEDIAN + delay * 1000 or late > MOST_P95 or requests > MOST_REQUESTS:
                faults.append(f"jumps: {name}, round trip {delay * 1000:.0f} ms: {median:.0f} ms, {late:.0f} ms, {requests} requests")
            server.log.unlink()
        path.unlink()
    return result
