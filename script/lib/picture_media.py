"""Media and servers for the pictures of the page (script/screenshots). The music exists nowhere else."""

import contextlib
import http.server
import subprocess
import sys
import threading

import program

# The pictures are drawn by FFmpeg, the music is a few sine waves.
ALBUMS = [
    ("Salt and Slate", "Harbour Lights", ["Low Water", "Salt", "The Ferryman", "Slate", "Grey Morning", "Ebb"], "0x1d3557:0xe63946"),
    ("Paper Planets", "Ida Moreau", ["Orbit", "Paper Moon", "Perihelion", "A Small Gravity", "Re-entry"], "0x264653:0xe9c46a"),
    ("قمر على النيل", "ليلى حسن", ["قمر", "نسيم الليل", "الضفة الأخرى"], "0x3d348b:0xf7b801"),
    ("Night Bus", "Tom Ackermann & The Late Shift", ["Terminus", "Window Seat", "Request Stop", "Last Change Before the Bridge"],
     "0x0b132b:0x5bc0be"),
]

KINDS = ["linear", "spiral", "circular"]


def make_media(folder):
    """Writes the albums, and a long recording with chapters."""
    for number, (album, artist, titles, colours) in enumerate(ALBUMS):
        place = folder / artist / album
        place.mkdir(parents=True)
        cover = place / "cover.png"
        first, second = colours.split(":")
        gradient = (f"gradients=s=600x600:c0={first}:c1={second}:x0={150 * number}:y0=0:x1=300:y1=600"
                    f":nb_colors=2:type={KINDS[number % 3]}")
        ffmpeg("-f", "lavfi", "-i", gradient, "-frames:v", "1", str(cover))
        for index, title in enumerate(titles):
            seconds = 150 + 37 * ((index * 3 + number) % 5)
            pitch = 110 * 2 ** ((index * 7 + number * 3) % 12 / 12)
            sound = (f"aevalsrc='0.3*sin(2*PI*t*{pitch})*(0.4+0.6*abs(sin(t/7)))*exp(-mod(t,{0.5 + 0.1 * index})*3)"
                     f"+0.1*sin(3*PI*t*{pitch})*abs(sin(t/23))':d={seconds}:s=44100")
            tags = {"title": title, "artist": artist, "album": album, "track": index + 1}
            options = [word for name, value in tags.items() for word in ("-metadata", f"{name}={value}")]
            ffmpeg("-f", "lavfi", "-i", sound, "-ac", "2", *options, "-compression_level", "0",
                   str(place / f"{index + 1:02} {title}.flac"))
    chapters = folder / "chapters.txt"
    names = ["Cast Off", "The Shoals", "A Letter from the Mainland", "Storm", "Landfall"]
    chapters.write_text(";FFMETADATA1\ntitle=The Lighthouse\nartist=Read by Ruth Imber\n" + "".join(
        f"[CHAPTER]\nTIMEBASE=1/1\nSTART={index * 420}\nEND={(index + 1) * 420}\ntitle={name}\n" for index, name in enumerate(names)))
    ffmpeg("-f", "lavfi", "-i", "anoisesrc=d=2100:c=brown:a=0.5:r=22050,tremolo=f=0.3:d=0.8", "-i", str(chapters),
           "-map_metadata", "1", "-b:a", "32k", str(folder / "The Lighthouse.m4a"))
    chapters.unlink()
    (folder / "Damaged.flac").write_bytes(b"fLaC" + bytes(2000))
    songs = sorted((folder / ALBUMS[1][1]).glob("**/*.flac"))
    (folder / "Evening.m3u8").write_text("#EXTM3U\n" + "".join(f"{song.relative_to(folder)}\n" for song in songs))


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-y", "-nostdin", "-v", "error", *arguments], check=True)


@contextlib.contextmanager
def serving(media):
    """Starts a server with a live stream (`/live.mp3`), a stream that is lost after a while (`/away.mp3`), a medium that stops arriving
    (`/slow.flac`), and a web page (`/page`). It refuses the requests to a proxy (`CONNECT`). Yields its address."""
    song = next(media.glob("**/01*.flac"))
    encoder = ["ffmpeg", "-v", "error", "-i", str(song), "-t", "60", "-map_metadata", "-1", "-f", "mp3", "-b:a", "128k", "-"]
    stream = subprocess.run(encoder, check=True, capture_output=True).stdout
    stopped = threading.Event()
    lost = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            status = 503 if self.path == "/away.mp3" and lost else 200
            kind = {"/slow.flac": "audio/flac", "/page": "text/html"}.get(self.path.split("?")[0], "audio/mpeg")
            self.send_response(status)
            self.send_header("Content-Type", kind)
            if kind == "audio/mpeg":
                self.send_header("icy-name", "Harbour Radio")
            elif kind == "audio/flac":
                self.send_header("Content-Length", str(song.stat().st_size))
            self.end_headers()
            if status != 200:
                return
            with contextlib.suppress(OSError):
                if kind == "text/html":
                    return self.wfile.write(b"<!doctype html><html><title>A page</title><p>No music here.</html>")
                for start in range(0, 10**9, 16000) if kind == "audio/mpeg" else ():
                    at = start % (len(stream) // 16000 * 16000)
                    self.wfile.write(stream[at:at + 16000])
                    if self.path == "/away.mp3" and start > 160_000:
                        return lost.append(True)
                    if stopped.wait(0.2):
                        return
                self.wfile.write(song.read_bytes()[:400_000])
                stopped.wait()

        def do_CONNECT(self):
            self.send_error(403)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        stopped.set()
        server.shutdown()


@contextlib.contextmanager
def failing(media, certificate=None):
    """Starts the server of the end-to-end tests, whose faults the address of a request determines (Tests/EndToEndTests/Server). Yields its
    address."""
    script = program.ROOT / "Tests/EndToEndTests/Server/fault_server.py"
    command = [sys.executable, script, media, *([certificate] if certificate else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield f"{'https' if certificate else 'http'}://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


def make_certificate(folder):
    """Writes a certificate that nobody has signed, with its key."""
    path = folder / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=radio.example", "-keyout", path,
                    "-out", folder / "only.pem"], check=True, capture_output=True)
    path.write_text(path.read_text() + (folder / "only.pem").read_text())
    return path
