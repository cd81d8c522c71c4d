"""The remote recordings of two hours in which `script/bench jumps` jumps. Each codec encodes the signal once."""

import concurrent.futures
import os

import index_tables
import position_signal
from long_recording import BARE, ffmpeg

SECONDS = 7200
# A constant bit rate is only constant if the whole is encoded at once, and tables and pages have exact times only then.
ENCODERS = {
    "constant.mp3": ["-c:a", "libmp3lame", "-b:a", "128k", "-compression_level", "9"],
    "varying.mp3": ["-c:a", "libmp3lame", "-q:a", "4", "-compression_level", "9"],
    "plain.m4a": ["-c:a", "aac", "-b:a", "128k", "-aac_coder", "fast"],
    "plain.flac": ["-c:a", "flac"],
    "plain.ogg": ["-c:a", "libvorbis", "-q:a", "4"],
    "plain.opus": ["-c:a", "libopus", "-b:a", "128k", "-compression_level", "0"],
}


def encode(folder):
    """Encodes the signal with each codec, as many at once as there are processors."""
    source = position_signal.write(folder, SECONDS)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(lambda name: ffmpeg("-i", source, *ENCODERS[name], folder / name), ENCODERS):
            pass
    source.unlink()


def repacked(*options):
    return lambda source, path: ffmpeg("-i", source, "-c", "copy", *options, path)


def vbri(source, path):
    """Replaces the tag of an MP3 file by a VBRI tag."""
    bare = path.with_name("bare.mp3")
    repacked(*BARE)(source, bare)
    index_tables.add_vbri(bare, path)
    bare.unlink()


def joined(source, path):
    """Joins minutes of a recording without encoding them. The times in the tables are rounded at the joints."""
    folder = path.with_name("minutes")
    folder.mkdir()
    ffmpeg("-i", source, "-c", "copy", "-f", "segment", "-segment_time", 60, "-reset_timestamps", 1, folder / "%04d.m4a")
    minutes = sorted(folder.iterdir())
    names = folder / "names"
    names.write_text("".join(f"file '{minute}'\n" for minute in minutes))
    ffmpeg("-f", "concat", "-safe", 0, "-i", names, "-c", "copy", path)
    for part in [*minutes, names]:
        part.unlink()
    folder.rmdir()


# The recordings by their names: the encoded file, and the function that makes the recording from it; None if the recording is the file itself.
RECORDINGS = {
    "mp3 cbr, Info": ("constant.mp3", None),
    "mp3 cbr": ("constant.mp3", repacked(*BARE)),
    "mp3 cbr, VBRI": ("constant.mp3", vbri),
    "mp3 vbr, Xing": ("varying.mp3", None),
    "mp3 vbr": ("varying.mp3", repacked(*BARE)),
    "mp3 vbr, VBRI": ("varying.mp3", vbri),
    "adts": ("plain.m4a", repacked("-f", "adts")),
    "flac": ("plain.flac", None),
    "flac, seek table": ("plain.flac", index_tables.add_seek_table),
    "ogg": ("plain.ogg", None),
    "opus": ("plain.opus", None),
    "m4a": ("plain.m4a", repacked("-movflags", "+faststart")),
    "m4a, index at the end": ("plain.m4a", None),
    "m4a, joined": ("plain.m4a", joined),
}
# The recordings of variable bit rate without a table of positions. Positions in them are estimated from the bit rate of the first frames.
WITHOUT_TABLE = {"mp3 vbr", "adts"}


def recording(folder, name):
    """Returns the path of a recording, which is made from what `encode` has encoded."""
    encoded, change = RECORDINGS[name]
    path = folder / f"jumps{'.aac' if name == 'adts' else os.path.splitext(encoded)[1]}"
    (change or (lambda source, copy: os.link(source, copy)))(folder / encoded, path)
    return path
