"""Measures the reported minus the heard position: clicks are played through a private PulseAudio server, which reports when each is heard."""

import json
import statistics
import tempfile
import time
import wave

import pulse_recorder

# The distance of clicks, in frames of 44.1 kHz.
INTERVAL = 44100 // 4


def clicks(path, seconds):
    """Writes a click each quarter of a second: eight samples up and down, in silence."""
    sound = bytearray(4 * 44100 * seconds)
    for start in range(22050, 44100 * seconds - 44100, INTERVAL):
        for sample in range(start, start + 8):
            level = 24000 if (sample - start) % 4 < 2 else -24000
            sound[4 * sample : 4 * sample + 4] = level.to_bytes(2, "little", signed=True) * 2
    with wave.open(str(path), "wb") as file:
        file.setparams((2, 2, 44100, 0, "NONE", ""))
        file.writeframes(bytes(sound))


def row(make_daemon, folder, seconds):
    """Returns the median difference and its spread at each rate, in milliseconds."""
    track, result = folder / "clicks.wav", {}
    clicks(track, int(4 * seconds) + 8)
    for rate in (0.5, 1, 2):
        with tempfile.TemporaryDirectory() as runtime, pulse_recorder.Server(runtime) as server, make_daemon(server) as daemon:
            daemon.command("PATCH", "/player", {"rate": rate})
            daemon.play(track)
            recorder = pulse_recorder.Recorder(server)
            daemon.command("PATCH", "/player", {"rate": rate})
            time.sleep(2)
            first, polls, end = len(recorder.samples), [], time.monotonic() + seconds
            while time.monotonic() < end:
                before = time.monotonic()
                position = json.loads(daemon.request("GET", "/api/v1/player/time")[1])["currentTime"]
                polls.append((position, before, time.monotonic()))
                time.sleep(0.03)
            recorder.close()
            # The answers with the shortest round trip are the most accurate, so only the better half of the answers is used.
            polls.sort(key=lambda poll: poll[2] - poll[1])
            line = statistics.median(position - rate * (before + after) / 2 for position, before, after in polls[: len(polls) // 2])
            differences, sample = [], first
            while sample < len(recorder.samples):
                if abs(recorder.samples[sample]) > 0.25:
                    reported = line + rate * recorder.heard_at(sample)
                    nearest = round((reported - 0.5) * 4) / 4 + 0.5
                    differences.append((reported - nearest) * 1000)
                    sample += INTERVAL // int(2 * max(rate, 1))
                sample += 1
            result[f"at {rate} ms"] = round(statistics.median(differences), 2)
            result[f"spread at {rate}"] = round(max(differences) - min(differences), 2)
    return result
