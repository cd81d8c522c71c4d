"""Measures the running program against its budgets for denial of service: the cost of a hostile request, and of a hostile medium.

Costs are peak resident memory, and processor time from the scheduler's statistics, so that other programs on the machine do not count.
"""

import base64
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import time
import zlib

import hostile_media
import program

BLOCK = 16 << 10
TOKEN = "the-token-of-the-hostile-bench"
# The threads that read requests and write events. Processor time on them delays every client.
HTTP_THREADS = ("MHD-single", "http-events")
# Processor milliseconds for each 16 KiB sent: of the HTTP threads, and of the whole program.
REQUEST_LIMITS = {"without a token": (10, 10), "with the token": (10, 50)}
# MiB above the idle program, and processor seconds of the whole program until the medium is open.
MEDIUM_LIMITS = (64, 2.0)
MARK = "\u0301"


class Program:
    """One run of the program that requires the token."""

    def __init__(self, binary, folder):
        self.port = program.free_port()
        token = folder / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        media = folder / "media"
        media.mkdir(exist_ok=True)
        environment = program.environment()
        arguments = ["--listen", f"127.0.0.1:{self.port}", "--media-root", media, "--log-level", "error", "--output", "null", "--no-state"]
        arguments += ["--token-file", token]
        self.process = subprocess.Popen([binary, "serve", *map(str, arguments)], env=environment, stderr=subprocess.DEVNULL)
        self.proc = pathlib.Path(f"/proc/{self.process.pid}")
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                time.sleep(0.01)
        raise SystemExit("bench: the program does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def ask(self, method, path, body=None, timeout=60):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            fields = {"Authorization": f"Bearer {TOKEN}"} | ({} if body is None else {"Content-Type": "application/json"})
            connection.request(method, path, None if body is None else json.dumps(body), fields)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def threads(self):
        """Returns the processor milliseconds of the HTTP threads and of all existing threads."""
        http_threads, every = 0, 0
        for task in (self.proc / "task").iterdir():
            try:
                name, used = (task / "comm").read_text().strip(), int((task / "schedstat").read_text().split()[0]) / 1e6
            except OSError:
                continue
            every += used
            http_threads += used if name in HTTP_THREADS else 0
        return http_threads, every

    def settled(self):
        """Returns the processor time of the threads after they have become idle."""
        used = self.threads()
        for _ in range(3000):
            time.sleep(0.01)
            before, used = used, self.threads()
            if used[1] - before[1] < 0.05:
                break
        return used

    def processor(self):
        """Returns the processor seconds of the whole program, including threads that have ended."""
        fields = (self.proc / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, name):
        return int(re.search(rf"^{name}:\s+(\d+)", (self.proc / "status").read_text(), re.M).group(1)) / 1024

    def exchange(self, data):
        """Sends bytes, reads until the end or until no more data arrives, and returns the first bytes of the response."""
        with socket.create_connection(("127.0.0.1", self.port), 60) as client:
            try:
                client.sendall(data)
                client.settimeout(60)
                answer = client.recv(65_536)
            except OSError:
                return b""
            return answer[:16]

    def converse(self, message):
        """Sends one WebSocket message and waits for the answer."""
        with socket.create_connection(("127.0.0.1", self.port), 60) as client:
            key = base64.b64encode(bytes(16)).decode()
            client.sendall(head("GET", "/api/v1/socket", ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", key),
                                ("Sec-WebSocket-Version", "13"), ("Authorization", f"Bearer {TOKEN}")))
            held, end = b"", time.monotonic() + 60
            while b"event" not in held and time.monotonic() < end:
                held += client.recv(65_536)
            size = len(message)
            length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65_536 else b"\xff" + struct.pack(">Q", size)
            client.sendall(b"\x81" + length + bytes(4) + message)
            held = b""
            while b'"id"' not in held and b'"problem"' not in held and time.monotonic() < end:
                try:
                    data = client.recv(65_536)
                except OSError:
                    break
                if not data:
                    break
                held += data


def head(method, target, *fields, body=b""):
    """Returns a request as bytes; a value of type bytes is not changed."""
    lines = [f"{method} {target} HTTP/1.1".encode()]
    named = {name for name, _ in fields}
    for name, value in (() if "Host" in named else (("Host", "127.0.0.1"),)) + fields + (("Connection", "close"),) * ("Connection" not in named):
        lines.append(name.encode() + b": " + (value if isinstance(value, bytes) else value.encode()))
    if body:
        lines += [b"Content-Type: application/json", f"Content-Length: {len(body)}".encode()]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


FIELDS = [
    "Host", "Origin", "Cookie", "Authorization", "If-None-Match", "If-Match", "If-Range", "Range", "Accept-Encoding", "Accept", "Content-Type",
    "Last-Event-ID", "Idempotency-Key", "Tonearm-Client", "Sec-Fetch-Site", "Forwarded", "X-Forwarded-For", "Sec-WebSocket-Protocol", "Connection",
    "Access-Control-Request-Method", "Content-Length",
]


def values(size):
    """Returns texts of `size` bytes that are slow to compare, to split or to fold."""
    def filled(part):
        data = part if isinstance(part, bytes) else part.encode()
        return data * (size // len(data))

    # Two marks in the wrong order are sorted. A flag is two indicators, and the first of a pair is found only from the start of the run.
    return {
        "marks": filled(MARK + "\u0323"), "flags": filled("\U0001F1E9"), "families": filled("👩‍👩‍👧‍👦"), "commas": filled(","),
        "tags": filled('"x", '), "semicolons": filled("a=b;"), "latin": filled(b"\xe9"), "letters": filled("x"),
    }


def heads():
    """Yields requests of a head alone, with the maximum length, each with its name; the fields with the token are the first ones."""
    room = 15_000
    for field in FIELDS:
        for name, value in values(room).items():
            yield f"{field}: {name}", "GET", "/api/v1/player", [(field, value)]
    for name, value in values(room // 3).items():
        quoted = "".join(f"%{byte:02X}" for byte in value)
        yield f"path of {name}", "GET", "/" + quoted, []
        yield f"id of {name}", "GET", f"/api/v1/items/{quoted}/artwork", []
        yield f"entry of {name}", "DELETE", f"/api/v1/queue/{quoted}", []
        yield f"query of {name}", "GET", f"/api/v1/player?wait={quoted}", []
        yield f"name in a query of {name}", "GET", f"/api/v1/player?{quoted}=1", []
        yield f"keys of {name}", "GET", f"/api/v1/assets?url=/x&keys={quoted}", []
        yield f"address of {name}", "GET", f"/api/v1/assets?url={quoted}", []
        yield f"folder of {name}", "GET", f"/api/v1/library?path=/{quoted}", []
        yield f"last event of {name}", "GET", f"/api/v1/player?lastEventId={quoted}", []
    yield "components of a path", "GET", "/a" * (room // 2), []
    yield "components of a folder", "GET", "/api/v1/library?path=" + "/a" * (room // 2), []
    yield "components of an address", "GET", "/api/v1/assets?url=" + "/a" * (room // 2), []
    yield "many parameters", "GET", "/api/v1/player?" + "a&" * (room // 2), []
    yield "one parameter many times", "GET", "/api/v1/player?" + "wait=0&" * (room // 7), []
    yield "many fields", "GET", "/api/v1/player", [("a", "b")] * (room // 8)
    yield "many cookies", "GET", "/api/v1/player", [("Cookie", "tonearm=x")] * (room // 20)


def documents(size):
    """Yields JSON documents of about `size` bytes, each with its name."""
    def text(data):
        return data.decode(errors="replace").replace('"', '\\"')

    for name, value in values(size - 64).items():
        if name != "latin":
            yield f"a member's name of {name}", '{"' + text(value) + '":1}'
            yield f"an address of {name}", '{"url":"' + text(value) + '"}'
            yield f"an id of {name}", '{"id":"' + text(value) + '","index":0}'
    yield "escaped marks", '{"url":"' + "\\u0301" * (size // 6) + '"}'
    yield "names of marks", "{" + ",".join(f'"{MARK * 100}{at}":0' for at in range(size // 210)) + "}"
    yield "titles of marks", '{"entries":[' + ",".join('{"url":"/x","title":"' + MARK * 500 + '"}' for _ in range(size // 1040)) + "]}"
    yield "many members", "{" + ",".join(f'"{at}":0' for at in range(size // 10)) + "}"
    yield "a member many times", "{" + ",".join('"a":0' for _ in range(size // 6)) + "}"
    yield "a long array", '{"entries":[' + "0," * (size // 2 - 10) + "0]}"
    yield "many entries", '{"entries":[' + ",".join('{"url":"/x"}' for _ in range(size // 13)) + "]}"
    yield "empty objects", '{"entries":[' + "{}," * (size // 3 - 10) + "{}]}"
    yield "depth", "[" * (size // 2) + "]" * (size // 2)
    yield "arrays of arrays", "[" + ",".join("[" * 30 + "]" * 30 for _ in range(size // 61)) + "]"
    yield "a long number", '{"volume":' + "1" * (size - 20) + "}"
    yield "a small number", '{"volume":0.' + "0" * (size - 20) + "1}"
    yield "an exponent", '{"volume":1e' + "9" * (size - 20) + "}"
    yield "components of a path", '{"url":"' + "/a" * 4080 + '"}'
    yield "not UTF-8", '{"url":"' + "\\ud800" * (size // 6) + '"}'
    yield "white space", "{" + " " * (size - 10) + "}"
    yield "open string", '{"url":"' + "x" * (size - 10)


DOCUMENT_ROUTES = [("PUT", "/api/v1/player/item"), ("PUT", "/api/v1/queue"), ("PATCH", "/api/v1/player"), ("PUT", "/api/v1/output")]
COMMANDS = ["putItem", "putQueue", "removeEntry", "getAsset", "getArtwork", "updatePlayer"]


def requests():
    """Yields every hostile request: whether it has the token, its name, its number of bytes, and the function that sends it."""
    for name, method, target, fields in heads():
        data = head(method, target, *fields)
        yield "without a token", name, len(data), lambda program, data=data: program.exchange(data)
        if not any(field == "Authorization" for field, _ in fields):
            shown = head(method, target, ("Authorization", f"Bearer {TOKEN}"), *fields)
            yield "with the token", name, len(shown), lambda program, data=shown: program.exchange(data)
    for size in (1 << 10,):
        for name, text in documents(size):
            data = head("POST", "/api/v1/login", body=text.encode(errors="surrogatepass"))
            yield "without a token", f"session, {name}", len(data), lambda program, data=data: program.exchange(data)
    for size in (BLOCK, 1_000_000):
        for name, text in documents(size):
            for method, path in DOCUMENT_ROUTES if size == BLOCK else DOCUMENT_ROUTES[:2]:
                data = head(method, path, ("Authorization", f"Bearer {TOKEN}"), body=text.encode(errors="surrogatepass"))
                yield "with the token", f"{method} {path}, {size >> 10} KiB, {name}", len(data), lambda program, data=data: program.exchange(data)
    for size in (BLOCK, 1_000_000):
        for name, value in values(size - 200).items():
            if name == "latin":
                continue
            text = value.decode(errors="replace").replace('"', '\\"')
            for command in COMMANDS:
                for member in ("id", "keys", "url") if command in ("removeEntry", "getAsset", "getArtwork") else ("url",):
                    arguments = '{"url":"/x",' if member != "url" else "{"
                    message = f'{{"id":"1","command":"{command}","arguments":{arguments}"{member}":"{text}"}}}}'.encode()
                    yield ("with the token", f"{command} by WebSocket, {size >> 10} KiB, {member} of {name}", len(message),
                           lambda program, data=message: program.converse(data))
            message = f'{{"id":"1","command":"{text}"}}'.encode()
            yield "with the token", f"command by WebSocket, {size >> 10} KiB, {name}", len(message), lambda p, data=message: p.converse(data)


def measure_requests(binary, folder):
    """Returns the most expensive requests of each kind, and the exceeded budgets."""
    found, faults = {kind: [] for kind in REQUEST_LIMITS}, []
    with Program(binary, folder) as run:
        for _ in range(20):
            run.ask("GET", "/api/v1/player")
        for kind, name, size, send in requests():
            blocks = max(1, size / BLOCK)
            limits, best = REQUEST_LIMITS[kind], None
            # A request that is expensive by chance is not expensive again.
            for _ in range(3):
                before = run.settled()
                send(run)
                cost = tuple((after - then) / blocks for after, then in zip(run.settled(), before))
                best = cost if best is None else tuple(map(min, cost, best))
                if all(used <= limit / 2 for used, limit in zip(best, limits)):
                    break
            found[kind].append((best, name))
            if run.process.poll() is not None:
                return found, faults + [f"{name} {kind} ended the program"]
            if any(used > limit for used, limit in zip(best, limits)):
                faults.append(f"{name}, {kind}: {best[0]:.1f} ms of the HTTP threads and {best[1]:.1f} ms of all for each 16 KiB")
    return found, faults


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
    """Returns an MP3 whose tag has a PNG: a head with these dimensions, followed by `size` bytes."""
    stated = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + stated + struct.pack(">I", zlib.crc32(b"IHDR" + stated)) + bytes(size)
    return hostile_media.frame(b"APIC", b"\0image/png\0\x03\0" + data)


def scaled_picture(folder):
    """Creates an MP3 whose tag has a PNG that needs almost the maximum memory to scale."""
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
    """Creates some minutes of FLAC."""
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


def use(run, path, times=1, rate=1, shrinks=False):
    """Opens a medium, sends all requests about it, plays it for a while; returns the processor seconds until it was open."""
    url = path.as_uri()
    quoted = path.as_posix()
    before = run.processor()
    if times > 1:
        run.ask("PUT", "/api/v1/queue", {"entries": [{"url": url}] * times, "play": False})
        run.ask("GET", "/api/v1/player?wait=2")
    else:
        run.ask("PUT", "/api/v1/player/item?wait=15", {"url": url, "play": False})
    opened = run.processor() - before
    run.ask("GET", f"/api/v1/assets?url={quoted}&keys=duration,tracks,commonMetadata,metadata")
    queue = json.loads(run.ask("GET", "/api/v1/queue")[1])
    ids = [entry["id"] for entry in queue.get("entries", [])] or ["e1"]
    # Playing sets the default rate, so another rate comes after it.
    run.ask("POST", "/api/v1/player/play", {})
    run.ask("PATCH", "/api/v1/player", {"rate": rate})
    for identity in ids:
        for part in ("", "/chapters", "/artwork", "/artwork?size=512"):
            run.ask("GET", f"/api/v1/items/{identity}{part}")
        if len(ids) > 1:
            run.ask("POST", "/api/v1/queue/next", {})
    if shrinks:
        for size in (3_000_000, 1_000_000, 100_000, 50, 0):
            os.truncate(path, min(size, path.stat().st_size))
            run.ask("POST", "/api/v1/player/seek", {"time": 1 + size / 1e5})
            time.sleep(0.2)
    time.sleep(2 if rate > 1 else 0.5)
    return opened


def measure_media(binary, folder, generated=40):
    """Returns each medium's name, peak MiB above the idle program, and processor seconds until it was open; and the exceeded budgets."""
    (folder / "media").mkdir(exist_ok=True)
    good, found, faults = hostile_media.seeds(folder), [], []
    for name, path, how in media(folder, good, generated):
        with Program(binary, folder) as run:
            time.sleep(0.5)
            idle = run.memory("VmRSS")
            # Resets the peak to the present value.
            (run.proc / "clear_refs").write_text("5")
            opened = use(run, path, **how)
            if run.process.poll() is not None:
                faults.append(f"{name} ended the program")
                continue
            peak = run.memory("VmHWM") - idle
        found.append((peak, opened, name))
        if peak > MEDIUM_LIMITS[0]:
            faults.append(f"{name}: {peak:.0f} MiB above the idle program")
        if opened > MEDIUM_LIMITS[1]:
            faults.append(f"{name}: {opened:.1f} s of the processor until it is open")
    return found, faults
