"""The hostile media whose cost the budgets limit: tables, tags and pictures of a size that is just accepted, and generated variants."""

import random
import struct
import zlib

import hostile_media


def tagged(frames, sound):
    """Returns audio after an ID3v2.3 tag."""
    size = len(frames)
    return b"ID3\x03\0\0" + bytes((size >> shift) & 0x7F for shift in (21, 14, 7, 0)) + frames + sound


def tables(tracks, bytes_in_all):
    """Returns an MP4 with `tracks` tracks of samples of one size, with the largest number that is accepted for a file of this length."""
    box, count = hostile_media.box, bytes_in_all // 2 // tracks

    def track(number):
        described = struct.pack(">QIIHHII", 1, 0, 0, 2, 16, 0, 44100 << 16)
        sample = box(
            b"stbl", box(b"stsd", struct.pack(">II", 0, 1), box(b"sowt", described)), box(b"stts", struct.pack(">IIII", 0, 1, count, 1)),
            box(b"stsc", struct.pack(">IIIII", 0, 1, 1, count, 1)), box(b"stsz", struct.pack(">III", 0, 4, count)),
            box(b"stco", struct.pack(">III", 0, 1, 4096)))
        media = box(b"mdia", box(b"mdhd", struct.pack(">IIIIII", 0, 0, 0, 44100, 0, 0)), box(b"hdlr", bytes(8), b"soun", bytes(13)),
                    box(b"minf", sample))
        return box(b"trak", box(b"tkhd", struct.pack(">IIII", 0, 0, 0, number), bytes(68)), media)

    movie = box(b"moov", box(b"mvhd", struct.pack(">IIIII", 0, 0, 0, 1000, 0), bytes(80)), *(track(number + 1) for number in range(tracks)))
    data = box(b"ftyp", b"isom", bytes(4)) + movie
    return data + box(b"mdat", bytes(max(0, bytes_in_all - len(data) - 8)))


def picture(width, height, size):
    """Returns the frame of an ID3 tag with a PNG: a head with these dimensions, followed by `size` bytes."""
    stated = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + stated + struct.pack(">I", zlib.crc32(b"IHDR" + stated)) + bytes(size)
    return hostile_media.frame(b"APIC", b"\0image/png\0\x03\0" + data)


def scaled_picture(folder):
    """Returns the frame of an ID3 tag with a PNG that needs almost the maximum memory to scale."""
    path = folder / "large.png"
    hostile_media.ffmpeg("-f", "lavfi", "-i", "testsrc2=size=3500x3300,format=rgba", "-frames:v", "1", path)
    return hostile_media.frame(b"APIC", b"\0image/png\0\x03\0" + path.read_bytes())


def sparse_wave(path, channels, rate, size):
    """Creates a WAV of silence that occupies no blocks of the disk."""
    block = channels * 4
    with open(path, "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", size + 36) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 3, channels, rate, rate * block, block, 32))
        file.write(b"data" + struct.pack("<I", size))
        file.truncate(size + 44)


def long_flac(folder):
    """Returns a minute of FLAC."""
    path = folder / "long.flac"
    hostile_media.ffmpeg("-f", "lavfi", "-i", "anoisesrc=d=60:r=44100", path)
    return path.read_bytes()


def media(folder, good, generated):
    """Yields every hostile medium: its name, its file, and the arguments of use()."""
    frame, place = hostile_media.frame, folder / "media"

    def written(name, data):
        (place / name).write_bytes(data)
        return place / name

    text = b"\x03" + b"a" * 4_000_000
    compressed = frame(b"TXXX", struct.pack(">I", len(text)) + zlib.compress(text), 9)
    marks = "".join(chr(0x300 + at % 0x50) for at in range(29_000)).encode()
    title = frame(b"TIT2", b"\x03c")
    chapters = b"".join(
        frame(b"CHAP", f"{at}\0".encode() + struct.pack(">IIII", at, at + 1, 0xFFFFFFFF, 0xFFFFFFFF) + title) for at in range(55_000 // 41))
    yield "20 tables of constant size, 73 KB", written("tables.m4a", tables(20, 73_000)), {}
    yield "20 tables of constant size, 8 MB", written("tables8.m4a", tables(20, 8_000_000)), {}
    yield "compressed tags, 2 MB", written("compressed.mp3", tagged(compressed * (2_000_000 // len(compressed)), good["mp3"])), {}
    yield "58 KB of tags, 60 times", written("tags.mp3", tagged(frame(b"COMM", b"\x03eng\0" + b"x" * 58_000), good["mp3"])), {"times": 60}
    yield "58 KB of marks, 60 times", written("marks.mp3", tagged(frame(b"COMM", b"\x03eng\0" + marks), good["mp3"])), {"times": 60}
    yield "1 MB of tags", written("megabyte.mp3", tagged(frame(b"COMM", b"\x03eng\0" + marks * 18), good["mp3"])), {}
    yield "chapters, 55 KB", written("chapters.mp3", tagged(chapters, good["mp3"])), {}
    yield "a picture of 15 MB", written("picture.mp3", tagged(picture(6000, 6000, 15 << 20), good["mp3"])), {}
    yield "a picture that is scaled", written("scaled.mp3", tagged(scaled_picture(folder), good["mp3"])), {}
    yield "a picture of gigapixels", written("pixels.mp3", tagged(picture(60_000, 60_000, 1000), good["mp3"])), {}
    sparse_wave(place / "wide.wav", 8, 384_000, 2 << 30)
    yield "8 channels at 384 kHz, rate 32", place / "wide.wav", {"rate": 32}
    yield "8 channels at 384 kHz", place / "wide.wav", {}
    yield "FLAC that shrinks", written("shrinks.flac", long_flac(folder)), {"shrinks": True}
    chance = random.Random(7)
    for number in range(generated):
        data, ending = hostile_media.hostile(chance, good)
        yield f"generated, number {number}", written(f"generated{number}.{ending}", data), {}
