"""Measures an audiobook of 72 hours with 5,000 chapters and its index at the end: time to open it, memory above idle, and jumps; from a file, and
from a server that notes its requests. Each request is printed with the box at its first byte. Requests that continue an earlier one do
not count against the limit."""

import http.server
import json
import re
import struct
import subprocess
import threading

HOURS, CHAPTERS, RATE, FRAME = 72, 5_000, 48_000, 1024
CONTAINERS = [b"moov", b"trak", b"mdia", b"minf", b"stbl"]
# The number of packets in a chunk of the file: a second of audio.
PER_CHUNK = 47
# The number of zero bytes at the end of the box with the audio, which is then as long as in a book of 64 kbit/s. The hole occupies no disk space.
HOLE = 1_900_000_000
MOST_MILLISECONDS, MOST_JUMP_MILLISECONDS, MOST_MEGABYTES, MOST_REQUESTS = 50, 20, 16, 3


def boxes(data):
    """Yields the name and the content of each box."""
    at = 0
    while at + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        yield name, data[at + 8:at + size]
        at += size


def box(name, *content):
    content = b"".join(content)
    return struct.pack(">I4s", len(content) + 8, name) + content


def changed(data, path, change):
    """Returns `data` in which the content of one box is changed by `change`: of the first box to which the names in `path` lead."""
    found, output = False, []
    for name, content in boxes(data):
        if name == path[0] and not found:
            found = True
            content = change(content) if len(path) == 1 else changed(content, path[1:], change)
        output.append(box(name, content))
    return b"".join(output)


def tables(content, times, length):
    """Returns the tables of the whole book. Their chunks refer to the bytes of the first minute again and again. Appends the book's length in seconds
    to the list `length`."""
    old = dict(boxes(content))
    sizes = old[b"stsz"][12:]
    count = len(sizes) // 4
    places, samples, at = [], [], struct.unpack_from(">I", old[b"stco"], 8)[0]
    for first in range(0, count, PER_CHUNK):
        part = sizes[4 * first:4 * (first + PER_CHUNK)]
        places.append(at)
        samples.append(len(part) // 4)
        at += sum(struct.unpack(f">{len(part) // 4}I", part))
    runs = []
    for number in range(len(places) * times):
        each = samples[number % len(samples)]
        if not runs or runs[-1][1] != each:
            runs.append((number + 1, each, 1))
    new = {
        b"stts": struct.pack(">IIII", 0, 1, count * times, FRAME),
        b"stsc": struct.pack(">II", 0, len(runs)) + b"".join(struct.pack(">III", *run) for run in runs),
        b"stsz": struct.pack(">III", 0, 0, count * times) + sizes * times,
        b"stco": struct.pack(">II", 0, len(places) * times) + struct.pack(f">{len(places)}I", *places) * times,
    }
    length.append(count * times * FRAME / RATE)
    return b"".join(box(name, new.get(name, part)) for name, part in boxes(content) if name not in (b"sgpd", b"sbgp"))


def book(folder):
    """Creates the book, and returns its path and its length in seconds."""
    part, notes, path = folder / "minute.m4b", folder / "chapters.txt", folder / "book.m4b"
    step = HOURS * 3_600_000 // CHAPTERS
    notes.write_text(";FFMETADATA1\ntitle=Book\n" + "".join(
        f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={number * step}\nEND={(number + 1) * step}\ntitle=Chapter {number + 1}\n" for number in range(CHAPTERS)))
    source = ["-f", "lavfi", "-i", f"anoisesrc=d=60:a=0.3:seed=7:r={RATE}"]
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y"] + source + ["-i", notes, "-map_metadata", "1", "-ac", "1", "-c:a", "aac",
                    "-b:a", "64k", "-f", "ipod", part], check=True)
    parts = list(boxes(part.read_bytes()))
    movie = next(content for name, content in parts if name == b"moov")
    length = []
    movie = changed(movie, [b"trak", b"mdia", b"minf", b"stbl"], lambda content: tables(content, HOURS * 60, length))
    # Numbers of 64 bits, because the length exceeds 2³² ticks.
    movie = changed(movie, [b"trak", b"mdia", b"mdhd"],
                    lambda content: struct.pack(">IQQIQHH", 1 << 24, 0, 0, RATE, int(length[0] * RATE), 0x55C4, 0))
    milliseconds = struct.pack(">I", int(length[0] * 1000))
    movie = changed(movie, [b"mvhd"], lambda content: content[:16] + milliseconds + content[20:])
    movie = changed(movie, [b"trak", b"tkhd"], lambda content: content[:20] + milliseconds + content[24:])
    movie = changed(movie, [b"trak", b"edts", b"elst"], lambda content: content[:8] + milliseconds + content[12:])
    with path.open("wb") as file:
        for name, content in parts:
            if name == b"mdat":
                file.write(struct.pack(">I4s", len(content) + HOLE + 8, name) + content)
                file.seek(HOLE, 1)
            elif name != b"moov":
                file.write(box(name, content))
        file.write(box(b"moov", movie))
    return path, length[0]


def box_at(file, offset, start, end, path=""):
    """Returns the path (the names) of the innermost box that contains the byte at `offset`, among the boxes between two offsets."""
    while start + 8 <= end:
        file.seek(start)
        size, name = struct.unpack(">I4s", file.read(8))
        if start <= offset < start + size:
            path += "/" + name.decode()
            return box_at(file, offset, start + 8, start + size, path) if name in CONTAINERS and offset > start else path
        start += max(size, 8)
    return path


class Request:
    """A request: its range, the number of bytes sent, and whether it continues an earlier response, from a byte on that was not requested before."""

    def __init__(self, start, end, earlier):
        self.start, self.end, self.sent = start, end, 0
        self.reads_on = any(start == other.end + 1 for other in earlier) and not any(other.start <= start <= other.end for other in earlier)


class Server(http.server.ThreadingHTTPServer):
    """Serves a file in ranges, without reading it into memory, and notes the requests."""

    daemon_threads = True

    def __init__(self, path):
        self.path, self.requests = path, []
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://localhost:{self.server_port}/{path.name}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """Ignores requests that the player has abandoned."""

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        size = self.server.path.stat().st_size
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        start, end = (int(found[1]), min(int(found[2] or size - 1), size - 1)) if found else (0, size - 1)
        request = Request(start, end, self.server.requests)
        self.server.requests.append(request)
        self.send_response(206 if found else 200)
        for name, value in {"Content-Type": "audio/mp4", "ETag": '"book"', "Accept-Ranges": "bytes", "Content-Length": end - start + 1}.items():
            self.send_header(name, str(value))
        if found:
            self.send_header("Content-Range", f"bytes {start}-{end}/{size}")
        self.end_headers()
        try:
            with self.server.path.open("rb") as file:
                file.seek(start)
                while data := file.read(min(1 << 16, end - start + 1 - request.sent)):
                    self.wfile.write(data)
                    request.sent += len(data)
        except OSError:
            self.close_connection = True

    def log_message(self, *_):
        pass


def play(daemon, source):
    """Plays a medium, and returns the milliseconds until it is ready, and its description."""
    taken = daemon.play(source)
    return taken, json.loads(daemon.request("GET", "/api/v1/player")[1])["currentItem"]


def described(path, requests, act):
    """Returns a row for each request of an act of the player."""
    with path.open("rb") as file:
        end = file.seek(0, 2)
        return [{f"book of 72 h, {act}": box_at(file, request.start, 0, end), "bytes": f"{request.start}-{request.end}", "sent": str(request.sent),
                 "": "reads on" if request.reads_on else "begins"} for request in requests]


def jumps(daemon, length):
    return [daemon.command("POST", "/player/seek", {"time": length * part}) for part in (0.9, 0.1, 0.5, 0.99, 0.3)]


def chapters(daemon, item):
    return json.loads(daemon.request("GET", f"/api/v1/items/{item['id']}/chapters")[1])["chapters"]


def rows(make_daemon, folder, faults):
    """Returns a row for the book as a file, and one for the book on a server."""
    path, length = book(folder)
    with make_daemon() as daemon:
        # The first medium of a run also costs what the program needs for any medium, so a short medium is played before the measurement.
        play(daemon, folder / "minute.m4b")
        idle = daemon.memory()
        opened, item = play(daemon, path)
        memory, taken = daemon.memory() - idle, jumps(daemon, length)
        after, marks = daemon.memory() - idle, chapters(daemon, item)
        error = item["duration"] - length
    limits = {
        f"ready after {opened:.0f} ms": opened > MOST_MILLISECONDS, f"{memory:.1f} MB": max(memory, after) > MOST_MEGABYTES,
        f"jumps in {max(taken):.0f} ms": max(taken) > MOST_JUMP_MILLISECONDS, f"{len(marks)} chapters": len(marks) != CHAPTERS,
    }
    with Server(path) as server, make_daemon() as daemon:
        remote, item = play(daemon, server.url)
        opening = list(server.requests)
        requests = sum(not request.reads_on for request in opening)
        limits[f"{requests} requests"] = requests > MOST_REQUESTS
        daemon.command("POST", "/player/seek", {"time": length * 0.7})
        traced = described(path, opening, "opened and played") + described(path, server.requests[len(opening):], "a jump")
        far = jumps(daemon, length)
    faults += [f"book: {text}" for text, is_fault in limits.items() if is_fault]
    return [
        {"book of 72 h": "file", "ready ms": f"{opened:.0f}", "memory above idle MB": f"{memory:.1f}, after jumps {after:.1f}",
         "jumps ms": " ".join(f"{time:.0f}" for time in taken), "error of the length s": f"{error:+.3f}"},
        {"book of 72 h": "server", "ready ms": f"{remote:.0f}", "requests": str(requests),
         "requests that read on": str(len(opening) - requests), "jumps ms": " ".join(f"{time:.0f}" for time in far)},
    ] + traced
