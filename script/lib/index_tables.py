"""Tables of positions that no available encoder writes: the VBRI tag of an MP3 file, and the seek table of a FLAC file."""

import math
import subprocess

# The bit rates of MPEG-1 layer 3 in kbit/s, by their number in a frame's header.
BIT_RATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
RATE, FRAME = 44100, 1152
# The frame with the VBRI tag has 128 kbit/s and no padding; the tag begins 32 bytes after the frame's header, and its table 26 bytes after that.
TAG_HEADER, TAG_BYTES, TAG_START, TABLE_START = b"\xff\xfb\x90", 417, 36, 62


def big(value, size):
    return value.to_bytes(size, "big")


def frame_offsets(data):
    """Returns the byte offsets of the frames of an MP3 file at 44.1 kHz without tags, and its end."""
    offsets, at = [0], 0
    while at < len(data):
        head = data[at : at + 4]
        if len(head) < 4 or head[0] != 0xFF or head[1] & 0xFE != 0xFA or head[2] & 0x0C or not 0 < head[2] >> 4 < 15:
            raise ValueError(f"no frame of MPEG-1 layer 3 at 44.1 kHz at byte {at}")
        at += 144_000 * BIT_RATES[head[2] >> 4] // RATE + (head[2] >> 1 & 1)
        offsets.append(at)
    return offsets


def add_vbri(source, path):
    """Puts a frame with a VBRI tag before the frames of an MP3 file without tags. The tag has Fraunhofer's layout, version 1, with a table: it
    divides the frames into parts of equal numbers of frames, and has the number of bytes of each part."""
    data = source.read_bytes()
    offsets = frame_offsets(data)
    frames, entries = len(offsets) - 1, (TAG_BYTES - TABLE_START) // 2
    frames_per_entry = math.ceil(frames / entries)
    ends = [offsets[min(first + frames_per_entry, frames)] for first in range(0, frames, frames_per_entry)]
    # The entries have 16 bits. The ends of the parts are rounded, not the entries, so that the errors of the entries do not add up.
    scale = math.ceil(max(end - start for start, end in zip([0] + ends, ends)) / 65_000)
    rounded = [0] + [round(end / scale) for end in ends]
    tag = b"VBRI" + big(1, 2) + big(0, 2) + big(75, 2) + big(len(data) + TAG_BYTES, 4) + big(frames, 4)
    tag += big(len(ends), 2) + big(scale, 2) + big(2, 2) + big(frames_per_entry, 2)
    tag += b"".join(big(end - start, 2) for start, end in zip(rounded, rounded[1:]))
    frame = (TAG_HEADER + data[3:4] + bytes(TAG_START - 4) + tag).ljust(TAG_BYTES, b"\0")
    path.write_bytes(frame + data)
    length = float(probed(path, "-show_entries", "format=duration")[0][0])
    if abs(length - frames * FRAME / RATE) > 0.1:
        raise ValueError(f"FFmpeg does not read the VBRI tag of {path}: {length} s")


def add_seek_table(source, path, seconds=10):
    """Adds a block with the byte offsets of frames to a FLAC file, one for each ten seconds (RFC 9639, 8.5)."""
    data = source.read_bytes()
    blocks, at, is_last = [], 4, False
    while not is_last:
        size = int.from_bytes(data[at + 1 : at + 4], "big")
        is_last = data[at] >= 0x80
        blocks.append((data[at] & 0x7F, data[at + 4 : at + 4 + size]))
        at += 4 + size
    # For each packet, ffprobe prints its first sample, its number of samples and its byte offset. A frame begins at the first sample of its packet.
    packets = [tuple(map(int, row)) for row in probed(source, "-show_entries", "packet=pts,duration,pos")]
    points, rate = [], int.from_bytes(blocks[0][1][10:13], "big") >> 4
    for first, count, offset in ((pts, duration, pos) for pts, duration, pos in packets):
        if first >= len(points) * seconds * rate:
            points.append(big(first, 8) + big(offset - at, 8) + big(count, 2))
    blocks.insert(1, (3, b"".join(points)))
    written = b"fLaC"
    for number, (kind, block) in enumerate(blocks):
        written += big(kind | 0x80 * (number == len(blocks) - 1), 1) + big(len(block), 3) + block
    path.write_bytes(written + data[at:])


def probed(path, *options):
    """Returns the rows that ffprobe prints."""
    shown = subprocess.run(["ffprobe", "-v", "error", *options, "-of", "csv=p=0", path], check=True, capture_output=True, text=True).stdout
    return [line.strip(",").split(",") for line in shown.splitlines() if line]
