"""Media files that are designed to be expensive: small ones of every container by ffmpeg, and variants by a seeded generator."""

import pathlib
import random
import struct
import subprocess
import zlib

TONE = ["-f", "lavfi", "-i", "sine=f=440:d=0.6"]
KINDS = {
    "wav": [], "flac": [], "mp3": [], "m4a": ["-c:a", "aac"], "ogg": ["-c:a", "libvorbis"], "opus": [], "aiff": [], "caf": [],
    "mka": ["-c:a", "libvorbis"], "wv": [], "tta": [], "wma": [], "ts": ["-c:a", "mp2"], "aac": ["-f", "adts"], "au": [], "w64": [],
    "avi": ["-c:a", "mp3"], "flv": ["-c:a", "mp3"],
    "mov": ["-c:a", "pcm_s16le"], "voc": [], "nut": ["-c:a", "flac"],
}
FRAGMENTED = ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov", "-frag_duration", "100000"]
NUMBERS = [0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0xFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 11_000_000]


def seeds(folder):
    """Returns the bytes of one valid file of each kind, with tags, a chapter and a picture if the container supports them."""
    picture = folder / "picture.png"
    ffmpeg("-f", "lavfi", "-i", "testsrc=s=64x64", "-frames:v", "1", picture)
    notes = folder / "notes.txt"
    notes.write_text(";FFMETADATA1\ntitle=Title\nartist=Artist\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=300\ntitle=One\n")
    good = {}
    for kind, options in list(KINDS.items()) + [("fragments.mp4", FRAGMENTED)]:
        path = folder / f"seed.{kind}"
        tags = ["-i", notes, "-map", "0:a", "-map_metadata", "1"]
        if kind in ("mp3", "m4a", "flac"):
            tags = ["-i", notes, "-i", picture, "-map", "0:a", "-map", "2:v", "-c:v", "copy", "-disposition:v", "attached_pic", "-map_metadata", "1"]
        ffmpeg(*TONE, *tags, *options, path)
        good[kind] = path.read_bytes()
    return good


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True)


def box(name, *content):
    content = b"".join(content)
    return struct.pack(">I", len(content) + 8) + name + content


def tables(chance):
    """Returns an MP4 header whose tables are only counts."""
    def track(number):
        count = chance.choice([11_000_000, 1 << 31, 0xFFFFFFFF, 100_000])
        duration = chance.choice([1, 1024])
        described = struct.pack(">QIIHHII", 1, 0, 0, 2, 16, 0, 44100 << 16)
        sample = box(
            b"stbl", box(b"stsd", struct.pack(">II", 0, 1), box(b"sowt", described)), box(b"stts", struct.pack(">IIII", 0, 1, count, duration)),
            box(b"stsc", struct.pack(">IIIII", 0, 1, 1, count, 1)), box(b"stsz", struct.pack(">III", 0, chance.choice([1, 4]), count)),
            box(b"stco", struct.pack(">III", 0, 1, 4096)))
        media = box(
            b"mdia", box(b"mdhd", struct.pack(">IIIIII", 0, 0, 0, 44100, 0, 0)), box(b"hdlr", bytes(8), chance.choice([b"soun", b"vide"]), bytes(13)),
            box(b"minf", sample))
        return box(b"trak", box(b"tkhd", struct.pack(">IIII", 0, 0, 0, number), bytes(68)), media)

    movie = box(b"moov", box(b"mvhd", struct.pack(">IIIII", 0, 0, 0, 1000, 0), bytes(80)), *(track(n + 1) for n in range(chance.randint(1, 30))))
    return box(b"ftyp", b"isom", bytes(4)) + movie + box(b"mdat", bytes(chance.randint(0, 200_000)))


def fragments(chance):
    """Returns fragments whose tables are only counts, of sizes that a parser may skip."""
    extends = box(b"mvex", box(b"trex", struct.pack(">IIIIII", 0, 1, 1, 1024, 4, 0)))
    track = one_track(100, 4)
    head = box(b"ftyp", b"isom", bytes(4)) + box(b"moov", movie_header(), track, extends)
    content = struct.pack(">II", chance.choice([0, 0x100, 0xF00]), chance.choice([64, 100_000, 2_700_000, 16_000_000, 0xFFFFFFFF]))
    table = chance.choice([
        struct.pack(">I", 16) + b"trun" + content, struct.pack(">I", 0) + b"trun" + content, struct.pack(">I", 0x7FFFFFFF) + b"trun" + content,
        struct.pack(">I", 1) + b"trun" + struct.pack(">Q", 24) + content])
    fragment = box(b"moof", box(b"mfhd", bytes(8)), box(b"traf", box(b"tfhd", struct.pack(">II", 0x20000, 1)), table))
    return head + fragment * chance.choice([1, 100, 5000]) + box(b"mdat", bytes(4000))


def movie_header():
    return box(b"mvhd", struct.pack(">IIIII", 0, 0, 0, 1000, 0), bytes(80))


def one_track(count, size, described=b"", edits=b""):
    """Returns a track with samples of one size and a duration of two ticks."""
    entry = box(b"sowt", struct.pack(">QIIHHII", 1, 0, 0, 2, 16, 0, 44100 << 16), described)
    sample = box(
        b"stbl", box(b"stsd", struct.pack(">II", 0, 1), entry), box(b"stts", struct.pack(">IIII", 0, 1, count, 2)),
        box(b"stsc", struct.pack(">IIIII", 0, 1, 1, count, 1)), box(b"stsz", struct.pack(">III", 0, size, count)),
        box(b"stco", struct.pack(">III", 0, 1, 4096)))
    media = box(
        b"mdia", box(b"mdhd", struct.pack(">IIIIII", 0, 0, 0, 44100, 0, 0)), box(b"hdlr", bytes(8), b"soun", bytes(13)), box(b"minf", sample))
    return box(b"trak", box(b"tkhd", struct.pack(">IIII", 0, 0, 0, 1), bytes(68)), edits, media)


def nested(chance):
    """Returns tables inside a sample's description, or edits with more samples than a parser may count."""
    count = chance.choice([60_000, 1_000_000, 16_000_000])
    inner = box(b"stts", struct.pack(">IIII", 0, 1, count, 1024)) + box(b"stsz", struct.pack(">III", 0, 1, count))
    edits = chance.choice([2, 1000, 1025, 30_000])
    if chance.random() < 0.5:
        track = one_track(100, 4, described=chance.choice([inner, box(b"wave", bytes(12), inner)]))
    else:
        edit = struct.pack(">III", 0x7FFFFFFF, chance.choice([0, 0xFFFFFFF0]), 65536)
        track = one_track(min(count, 60_000), 1, edits=box(b"edts", box(b"elst", struct.pack(">II", 0, edits), edit * edits)))
    return box(b"ftyp", b"isom", bytes(4)) + box(b"moov", movie_header(), track) + box(b"mdat", bytes(100_000))


def element(name, *content):
    content = b"".join(content)
    return bytes.fromhex(name) + struct.pack(">Q", len(content) | 1 << 56) + content


# The size of a SeekHead with one entry, with 8 bytes for the size of each element.
SEEK_SIZE = 12 + 10 + (10 + 4) + (10 + 8)


def matroska(chance):
    """Returns a Matroska header of many small elements, or with compressed decoder data, in place or at an offset of its index."""
    count = chance.choice([100, 5000, 300_000])
    extra, inside = b"", b""
    kind = chance.randrange(6)
    if kind == 0:
        encoding = element("6240", element("5032", bytes([chance.choice([2, 3])])), element("5034", element("4254", bytes([chance.choice([0, 3])]))))
        inside = element("63a2", zlib.compress(bytes(9_900_000), 9)) + element("6d80", encoding)
    elif kind == 1:
        inside = element("6d80", b"\x62\x40\x80" * count)
    elif kind == 2:
        extra = element("1254c367", element("7373", b"\x67\xc8\x80" * count))
    elif kind == 3:
        tags = (element("67c8", element("45a3", b"k%d" % n), element("4487", b"v")) for n in range(min(count, 20_000)))
        extra = element("1254c367", element("7373", *tags))
    elif kind == 4:
        numbers = ((struct.pack(">I", n + 1), struct.pack(">I", count - n)) for n in range(min(count, 100_000)))
        atoms = (element("b6", element("73c4", number), element("91", start)) for number, start in numbers)
        extra = element("1043a770", element("45b9", *atoms))
    else:
        extra = element("1654ae6b", b"\xae\x80" * count)
    track = element(
        "ae", element("d7", b"\1"), element("73c5", b"\1"), element("83", b"\2"), element("86", b"A_PCM/INT/LIT"), inside,
        element("e1", element("b5", struct.pack(">f", 44100)), element("9f", b"\1"), element("6264", b"\x10")))
    tracks = element("1654ae6b", track * chance.choice([1, 200, 300]))
    cluster = element("1f43b675", element("e7", b"\0"), *(element("a3", b"\x81\0\0\x80", bytes(2000)) for _ in range(20)))
    info = element("1549a966", element("2ad7b1", b"\x0f\x42\x40"))
    head = element("1a45dfa3", element("4282", b"matroska"))
    if chance.random() < 0.5:
        return head + element("18538067", info, tracks, extra, cluster)
    place = struct.pack(">Q", len(info) + len(tracks) + len(cluster) + SEEK_SIZE)
    seek = element("114d9b74", element("4dbb", element("53ab", extra[:4] or b"\xec"), element("53ac", place)))
    return head + element("18538067", seek, info, tracks, cluster, extra)


def frame(name, content, flags=0):
    return name + struct.pack(">IH", len(content), flags) + content


def tagged(chance, sound):
    """Returns an MP3 with a tag that is large, compressed, or has keys that are slow to compare."""
    kind = chance.randrange(4)
    if kind == 0:
        text = b"\x03" + b"a" * chance.choice([100_000, 2_000_000])
        frames = frame(b"TXXX", struct.pack(">I", len(text)) + zlib.compress(text), 9) * chance.randint(1, 400)
    elif kind == 1:
        marks = "a" + "\u0301\u0323" * chance.choice([20, 120, 5000])
        frames = b"".join(frame(b"TXXX", b"\x03" + f"{marks}{n}".encode() + b"\0value") for n in range(chance.randint(1, 20)))
    elif kind == 2:
        frames = frame(b"COMM", b"\x03eng\0" + b"x" * chance.choice([58_000, 1 << 20])) * chance.randint(1, 4)
    else:
        chapters = range(chance.choice([10, 4000]))
        title = frame(b"TIT2", b"\x03" + b"c" * chance.choice([10, 400]))
        frames = b"".join(
            frame(b"CHAP", f"c{n}\0".encode() + struct.pack(">IIII", n, n + 1, 0xFFFFFFFF, 0xFFFFFFFF) + title) for n in chapters)
    size = len(frames)
    return b"ID3\x03\0\0" + bytes((size >> shift) & 0x7F for shift in (21, 14, 7, 0)) + frames + sound


def pictured(chance, sound):
    """Returns an MP3 whose picture requests gigabytes."""
    side = chance.choice([5000, 20_000, 0x7FFFFFFF])
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    picture = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + head + struct.pack(">I", zlib.crc32(b"IHDR" + head))
    picture += bytes(chance.choice([100, 1 << 20]))
    frames = frame(b"APIC", b"\0image/png\0\x03\0" + picture)
    size = len(frames)
    return b"ID3\x03\0\0" + bytes((size >> shift) & 0x7F for shift in (21, 14, 7, 0)) + frames + sound


def comments(chance):
    """Returns FLAC, WAV or MP4 with tags that FFmpeg would compare for minutes, or a file of chapters that it would search."""
    kind = chance.randrange(5)
    count = chance.choice([3000, 60_000, 300_000])
    keys = [b"%04X" % n for n in range(min(count, 65_536))]
    sound = b"data" + struct.pack("<I", 8000) + bytes(8000)
    form = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 44100, 88200, 2, 16)
    if kind == 0:
        keys = [b"%X" % n for n in range(count)]
        return flac([key + b"=v" for key in keys]), "flac"
    if kind == 1:
        long = b"K" * 10_000
        return flac([long + key + b"=v" for key in keys[:800]] + [b"A=" + bytes(1000).replace(b"\0", b"x")] * chance.choice([1, 8000])), "flac"
    if kind == 2:
        content = b"INFO" + b"".join(key + struct.pack("<I", 2) + b"v\0" for key in keys)
        content = form + b"LIST" + struct.pack("<I", len(content)) + content + sound
    elif kind == 3:
        cues = struct.pack("<I", count) + b"".join(struct.pack("<I16xI", count - n, n) for n in range(count))
        labels = b"adtl" + b"".join(b"labl" + struct.pack("<II", 4, count + n) for n in range(count))
        content = form + b"cue " + struct.pack("<I", len(cues)) + cues + b"LIST" + struct.pack("<I", len(labels)) + labels + sound
    else:
        tags = box(b"udta", *(box(b"\xa9" + key[1:], struct.pack(">HH", 1, 0x55C4) + b"v") for key in keys))
        return box(b"ftyp", b"isom", bytes(4)) + box(b"moov", box(b"mvhd", struct.pack(">IIIII", 0, 0, 0, 1000, 0), bytes(80)), tags), "m4a"
    return b"RIFF" + struct.pack("<I", len(content)) + content, "wav"


def flac(notes):
    """Returns a FLAC file without audio, with these comments."""
    info = struct.pack(">HH", 4096, 4096) + bytes(6) + (44100 << 44 | 1 << 41 | 15 << 36).to_bytes(8, "big") + bytes(16)
    block = struct.pack("<II", 0, len(notes)) + b"".join(struct.pack("<I", len(note)) + note for note in notes)
    return b"fLaC\0" + len(info).to_bytes(3, "big") + info + b"\x84" + len(block).to_bytes(3, "big") + block + bytes(1000)


def repeated(chance, sound):
    """Returns consecutive tags, pages or boxes, each of which is searched for the next one."""
    kind = chance.randrange(4)
    count = chance.choice([100, 100_000, 800_000])
    if kind == 0:
        return b"ID3\x02\0\0\0\0\0\0" * count + sound, "mp3"
    page = b"OggS\0\x02" + bytes(8) + b"\1\0\0\0" + bytes(9)
    if kind == 1:
        return page * (count // 3), "ogg"
    if kind == 2:
        return page + b"OggS\xff\xff" * count + bytes(200_000) + page.replace(b"\1", b"\2"), "ogg"
    inner = bytes(8 * count)
    for _ in range(11):
        inner = box(b"meta", inner)
    return box(b"ftyp", b"isom", bytes(4)) + box(b"moov", box(b"mvhd", struct.pack(">IIIII", 0, 0, 0, 1000, 0), bytes(80)), inner), "m4a"


def damaged(chance, data):
    """Returns a valid file with wrong numbers, wrong lengths, or changed bytes."""
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 8])):
        # Damaged headers find more faults than damaged audio.
        reach = min(len(data), chance.choice([64, 512, 4096, len(data)]))
        at = chance.randrange(max(1, reach - 4))
        kind = chance.randrange(6)
        if kind == 0:
            data[at] = chance.randrange(256)
        elif kind == 1:
            data[at:at + 4] = struct.pack(chance.choice("<>") + "I", chance.choice(NUMBERS))
        elif kind == 2:
            data[at:at + 8] = struct.pack(chance.choice("<>") + "Q", chance.choice(NUMBERS) << chance.choice([0, 31]))
        elif kind == 3:
            del data[chance.randrange(len(data)):]
        elif kind == 4:
            part = data[at:at + chance.randint(1, 300)]
            data[at:at] = part * chance.choice([1, 10, 1000])
        else:
            data += bytes(chance.choice([100, 100_000])) if chance.random() < 0.5 else chance.randbytes(1000)
        if len(data) < 8:
            data += bytes(8)
    return bytes(data[:8 << 20])


def hostile(chance, good):
    """Returns the bytes of one file, and its name's extension."""
    kind = chance.choice(list(good))
    choice = chance.random()
    if choice > 0.97:
        return fragments(chance), "m4a"
    if choice > 0.94:
        return nested(chance), "m4a"
    if choice > 0.88:
        return matroska(chance), "mka"
    if choice < 0.08:
        return tables(chance), "m4a"
    if choice < 0.2:
        return tagged(chance, good["mp3"]), "mp3"
    if choice < 0.25:
        return pictured(chance, good["mp3"]), "mp3"
    if choice < 0.29:
        return comments(chance)
    if choice < 0.32:
        return repeated(chance, good["mp3"])
    if choice < 0.36:
        return good[kind], kind.split(".")[-1]
    return damaged(chance, good[kind]), kind.split(".")[-1]


if __name__ == "__main__":
    import tempfile
    with tempfile.TemporaryDirectory() as name:
        made = seeds(pathlib.Path(name))
        chance = random.Random(1)
        for _ in range(300):
            hostile(chance, made)
        print({kind: len(data) for kind, data in made.items()})
