"""Measures the first jump far into a long local recording without an index: MP3 of constant and of variable bit rate, without a tag, and ADTS."""

import json
import subprocess
import time

from long_recording import BARE, SOURCE, ffmpeg

HOURS = 12
ENCODINGS = {
    "mp3 cbr": ("mp3", ["-c:a", "libmp3lame", "-b:a", "64k"] + BARE),
    "mp3 vbr": ("mp3", ["-c:a", "libmp3lame", "-q:a", "6"] + BARE),
    "adts": ("aac", ["-c:a", "aac", "-b:a", "64k", "-f", "adts"]),
}


def recording(folder, name):
    """Creates a recording, and returns its path and its length in seconds."""
    extension, options = ENCODINGS[name]
    part, path = folder / f"minute.{extension}", folder / f"far.{extension}"
    ffmpeg("-f", "lavfi", "-i", SOURCE, "-ac", 1, *options, part)
    frames = subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0", part],
                            check=True, capture_output=True, text=True).stdout
    minute = part.read_bytes()
    with path.open("wb") as file:
        for _ in range(60 * HOURS):
            file.write(minute)
    return path, int(frames.strip().strip(",")) * 60 * HOURS * (1024 if extension == "aac" else 1152) / 44_100


def read(path):
    """Reads the file, and returns the time that this takes, in milliseconds."""
    start = time.monotonic()
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 20):
            pass
    return (time.monotonic() - start) * 1000


def duration(daemon):
    item = json.loads(daemon.request("GET", "/api/v1/player")[1])["currentItem"]
    return item.get("duration", 0)


def rows(make_daemon, folder):
    """Returns a row for each encoding. The file is in the page cache, so that the time to read it depends on the machine, not on the disk."""
    result = []
    for name in ENCODINGS:
        path, length = recording(folder, name)
        floor = min(read(path) for _ in range(3))
        with make_daemon() as daemon:
            opened = daemon.command("PUT", "/player/item?wait=30", {"url": str(path)})
            before = duration(daemon)
            seek = daemon.command("POST", "/player/seek", {"time": length - 1200})
        with make_daemon() as daemon:
            start = time.monotonic()
            daemon.play(path)
            while abs(duration(daemon) - length) > 0.1 and time.monotonic() - start < 20:
                time.sleep(0.01)
            exact = (time.monotonic() - start) * 1000
            error = duration(daemon) - length
        path.unlink()
        result.append({
            "": name, "reading the file ms": f"{floor:.0f}", "open ms": f"{opened:.0f}", "first jump ms": f"{seek:.0f}",
            "estimated length wrong by s": f"{before - length:.1f}", "length exact after ms": f"{exact:.0f}", "then wrong by s": f"{error:.2f}",
        })
    return result
