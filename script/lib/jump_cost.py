"""Measures jumps to random positions in remote recordings of two hours: nginx sends them at 20 Mbit/s, directly and with a round trip of 60 ms.

The audio is played through a private PulseAudio server and recorded. The audio contains its position (position_signal.py), so the recording
shows when the audio of the new position was heard, and which frame it was.
"""

import concurrent.futures
import json
import multiprocessing
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import jump_media
import position_signal
import program
import pulse_recorder

sys.path.append(str(program.ROOT / "Tests/EndToEndTests/Browser"))
import proxy

# The limit of the transfer rate in bytes per second, and the round trip in seconds.
TRANSFER_RATE, ROUND_TRIP = 2_500_000, 0.06
# The number of bytes that nginx sends at full speed before it limits the rate.
BURST = 64 << 10
# The number of jumps in each recording, and the seed of their positions.
JUMPS, SEED = 100, 22
# The seconds of playback before the first jump.
SETTLING = 3
# The seconds that are recorded after the reported start of the new audio, and the longest wait for it, in seconds.
RECORDED, PATIENCE = 0.08, 10
# The limits of jumps on a link without a delay: of the milliseconds from the request until the audio is heard (median and 95th percentile), and of
# the requests and kilobytes of one jump until then. The limits of the error of a position: in frames, and in seconds if the position is called
# estimated and the recording has a table of positions.
MOST_MEDIAN, MOST_P95, MOST_REQUESTS, MOST_KILOBYTES, MOST_FRAMES, MOST_SECONDS = 150, 400, 3, 512, 1, jump_media.SECONDS / 100
# The largest accepted difference, in frames, between the reported and the heard position. The clock of the recording is not more exact than this.
CLOCK_FRAMES = 40


class Nginx:
    """A server for the files of a folder, which logs when each request arrived and ended, and its bytes."""

    def __init__(self, folder):
        self.port, self.log = program.free_port(), folder / "nginx.log"
        configuration = folder / "nginx.conf"
        paths = "".join(f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        configuration.write_text(f"""daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.error; events {{}}
http {{ {paths} log_format costs '$msec $request_time $bytes_sent'; access_log {self.log} costs;
server {{ listen 127.0.0.1:{self.port}; root {folder}; limit_rate {TRANSFER_RATE}; }} }}""")
        self.process = subprocess.Popen(["nginx", "-p", folder, "-c", configuration], stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def requests(self):
        """Returns the requests that have ended: when each arrived and ended, in seconds of the monotonic clock, and its bytes."""
        now = time.time() - time.monotonic()
        lines = [map(float, line.split()) for line in self.log.read_text().splitlines()]
        return [(end - taken - now, end - now, count) for end, taken, count in lines]


def cost(requests, start, end):
    """Returns the number of requests that arrived between two times, and the most bytes that they can have sent until the second. Of a request that
    had not ended, as many bytes count as the rate allows."""
    during = [(arrived, min(over, end), count) for arrived, over, count in requests if start <= arrived <= end]
    return len(during), sum(min(count, (until - arrived) * TRANSFER_RATE + BURST) for arrived, until, count in during)


class Jump:
    """One jump: `target` is in frames, times are of the monotonic clock. The samples of the record from `first` to `last` belong to the jump."""

    def __init__(self, daemon, recorder, target):
        self.target, self.first = target, len(recorder.samples)
        self.start = time.monotonic()
        self.answer = daemon.command("POST", "/player/seek", {"exactTime": {"value": target, "timescale": position_signal.RATE}})
        state = player(daemon)
        self.is_estimated = state.get("isPositionEstimated", False)
        while state["anchor"]["rate"] == 0 and time.monotonic() < self.start + PATIENCE:
            time.sleep(0.005)
            state = player(daemon)
        self.anchor = state["anchor"]
        end = self.anchor["hostTime"] + RECORDED
        while recorder.heard_near(len(recorder.samples)) < end and time.monotonic() < end + PATIENCE:
            time.sleep(0.005)
        self.last = len(recorder.samples)

    def record(self, recorder, shift):
        """Returns the arguments of `position_signal.landing`. `shift` is the position of the medium's first frame in the signal."""
        part = self.last - position_signal.PART
        reported = self.anchor["time"] + recorder.heard_near(part) - self.anchor["hostTime"]
        expected = round(reported * position_signal.RATE) + shift
        return recorder.samples[self.first : self.last], part - self.first, expected, self.target + shift

    def land(self, recorder, shift, landing):
        """Sets `heard`, the milliseconds from the request until the new audio was heard; `off`, the frames from the target to its first frame; and
        `is_cut`, whether only its first frames are missing, because it was late, and the reported position is right. `heard` is None if the record
        has no audio of the signal."""
        self.heard = self.off = None
        self.is_cut = False
        if landing is not None:
            frame, position = landing
            heard = recorder.heard_near(self.first + frame)
            self.heard, self.off = (heard - self.start) * 1000, position - shift - self.target
            reported = (self.anchor["time"] + heard - self.anchor["hostTime"]) * position_signal.RATE + shift
            self.is_cut = self.off > MOST_FRAMES and abs(position - reported) < CLOCK_FRAMES


def player(daemon):
    return json.loads(daemon.request("GET", "/api/v1/player")[1])


def jumps(make_daemon, pool, address, path):
    """Returns the jumps in a recording, and the latency of the device in milliseconds."""
    shift, targets = position_signal.shift(path), random.Random(SEED)
    with tempfile.TemporaryDirectory() as runtime, pulse_recorder.Server(runtime) as sound:
        recorder = pulse_recorder.Recorder(sound)
        try:
            with make_daemon(sound) as daemon:
                daemon.play(f"http://{address}/{path.name}")
                time.sleep(SETTLING)
                length = min(player(daemon)["currentItem"]["duration"], jump_media.SECONDS)
                # The first jump is not counted, because the player tries only then whether the device can be rewound.
                _, *found = [Jump(daemon, recorder, round(targets.uniform(60, length - 60) * position_signal.RATE)) for _ in range(JUMPS + 1)]
        finally:
            recorder.close()
    for jump, landing in zip(found, pool.map(position_signal.landing, *zip(*(jump.record(recorder, shift) for jump in found)))):
        jump.land(recorder, shift, landing)
    return found, statistics.median(recorder.latencies) * 1000


def row(name, delay, found, latency, requests, faults):
    """Returns the row of a recording, and adds what exceeds its limit to `faults`."""
    heard = [jump for jump in found if jump.heard is not None]
    delays = sorted(jump.heard for jump in heard)
    median, late = (statistics.median(delays), delays[int(0.95 * len(delays))]) if heard else (float("inf"), float("inf"))
    costs = [cost(requests, jump.start, jump.start + jump.heard / 1000) for jump in heard]
    most, kilobytes = (max(values) for values in zip(*costs, (0, 0)))
    exact = max((abs(jump.off) for jump in heard if not jump.is_estimated and not jump.is_cut), default=0)
    estimated = max((abs(jump.off) / position_signal.RATE for jump in heard if jump.is_estimated), default=0)
    faulty = [text for is_fault, text in [
        (len(heard) < len(found), f"{len(found) - len(heard)} jumps without the audio of a position"),
        (median > MOST_MEDIAN + delay * 1000, f"median {median:.0f} ms"), (late > MOST_P95, f"95th percentile {late:.0f} ms"),
        (most > MOST_REQUESTS, f"{most} requests"), (kilobytes > MOST_KILOBYTES * 1000, f"{kilobytes / 1000:.0f} KB"),
        (exact > MOST_FRAMES, f"{exact} frames off"),
        (estimated > MOST_SECONDS and name not in jump_media.WITHOUT_TABLE, f"estimated, {estimated:.1f} s off"),
    ] if is_fault]
    if faulty:
        faults.append(f"jumps: {name}, round trip {delay * 1000:.0f} ms: {', '.join(faulty)}")
    return {
        "": name, "round trip ms": f"{delay * 1000:.0f}", "answer ms": f"{statistics.median(jump.answer for jump in found):.0f}",
        "heard ms": f"{median:.0f}", "its p95": f"{late:.0f}", "device ms": f"{latency:.0f}", "most requests": most,
        "most KB": f"{kilobytes / 1000:.0f}", "estimated": f"{sum(jump.is_estimated for jump in found)} of {len(found)}",
        "these off by s": f"{estimated:.1f}", "others off by frames": exact, "start cut": sum(jump.is_cut for jump in heard),
    }


def rows(make_daemon, folder, faults):
    """Returns a row for each recording without a delay, and one with it."""
    result = []
    jump_media.encode(folder)
    with concurrent.futures.ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        for name in jump_media.RECORDINGS:
            path = jump_media.recording(folder, name)
            for delay in (0, ROUND_TRIP):
                with Nginx(folder) as server, proxy.Proxy(f"127.0.0.1:{server.port}") as slow:
                    if delay:
                        slow.slow_down(delay, float("inf"), float("inf"))
                    found, latency = jumps(make_daemon, pool, slow.address if delay else f"127.0.0.1:{server.port}", path)
                    # The last requests are logged after the program has closed its connections.
                    time.sleep(0.5)
                    requests = server.requests()
                server.log.unlink()
                result.append(row(name, delay, found, latency, requests, faults))
            path.unlink()
    return result
