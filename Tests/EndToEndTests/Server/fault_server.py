"""An HTTP server whose faults a test chooses by the query of a URL.

A request for /NAME?FAULTS is answered with the file NAME of the folder. The faults, each once for a URL unless stated otherwise:

stall=S&at=N       from byte N on, no connection sends anything for S seconds
pause=S&at=N       at byte N one connection sends nothing for S seconds; other connections work
outage=S&at=N      at byte N all connections are reset, and connections are refused for S seconds
drop=N             each connection ends after N bytes (always)
busy=K             the first K requests get 503
resetseek=1        the first request for the last quarter of the file is reset after its head
rate=R             all connections together send R bytes a second (always); after a delay they make up for `slack` seconds of it (0.05)
longer=N           the stated length is N bytes too large (always)
shorter=N          the stated length is N bytes too small (always)
noranges=1         ranges are not supported (always)
change=N           at byte N the connection ends, and the file has another ETag and content
signed=S           the URL redirects to an address that expires after S seconds (always)
slowhead=1         the head is sent at one byte a second (always)
endless=1          the body is chunked and has no end (always)
station=N          the file is repeated without end, as a radio station sends it, with metadata after each N bytes if the client asks for
                   them; the title "Artist - Title K" changes with each repetition. If N is 0, there is no such metadata, as in Ogg. The files
                   NAME.1, NAME.2 … of the folder follow the file if they exist; then the last of them is repeated. `rate` limits all bytes but
                   the first `burst`; `break=M` ends the first connection after M bytes; `outage=S&at=M` as above

GET /log answers with the requests so far, as JSON (time, path, range), the number of TLS handshakes, and of sent bytes of media; and `sent`: the
time and this number after each part that `rate` has limited.
"""
import http.server, json, os, socket, ssl, struct, sys, threading, time, urllib.parse

folder, certificate = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
lock = threading.Lock()
log, done, rates, handshakes, media_bytes, limited = [], set(), {}, [0], [0], []
refused_until = [0.0]
silent_until = [0.0]
connections = set()


def once(url, fault):
    with lock:
        if (url, fault) in done: return False
        done.add((url, fault))
        return True


def reset(connection):
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    except OSError: pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        with lock: connections.add(self.connection)

    def finish(self):
        with lock: connections.discard(self.connection)
        try: super().finish()
        except OSError: pass

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        query = {key: float(value[0]) for key, value in urllib.parse.parse_qs(parts.query).items() if key != "name"}
        if parts.path == "/log": return self.answer_log()
        fields = {"range": self.headers.get("Range"), "ifRange": self.headers.get("If-Range")}
        with lock: log.append({"time": time.monotonic(), "path": self.path} | fields)
        url = self.path
        if "signed" in query and "until" not in query:
            target = f"{self.path}&until={time.monotonic() + query['signed']}"
            self.send_response(302)
            self.send_header("Location", target)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if "until" in query and time.monotonic() > query["until"]: return self.refuse(403)
        with lock:
            served = rates.setdefault(url, {"requests": 0, "sent": 0, "since": None})
            served["requests"] += 1
        if served["requests"] <= query.get("busy", 0): return self.refuse(503)
        try:
            with open(os.path.join(folder, os.path.basename(parts.path)), "rb") as file: content = file.read()
        except FileNotFoundError: return self.refuse(404)
        tag = '"one"'
        if (url, "changed") in done: content, tag = bytes(byte ^ 0x55 for byte in content), '"two"'
        if "endless" in query: return self.send_endless(content)
        if "station" in query: return self.send_station(url, query, content)
        self.serve(url, query, content, tag, served)

    def refuse(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer_log(self):
        with lock:
            facts = {"requests": log, "handshakes": handshakes[0], "bytes": media_bytes[0], "sent": limited}
            body = json.dumps(facts).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_endless(self, content):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while True:
            for start in range(0, len(content), 65536):
                part = content[start:start + 65536]
                self.wfile.write(b"%x\r\n" % len(part) + part + b"\r\n")

    def send_station(self, url, query, content):
        interval = int(query["station"])
        wants_titles = interval > 0 and self.headers.get("Icy-MetaData") == "1"
        name = urllib.parse.urlsplit(url).path
        kind = {".mp3": "audio/mpeg", ".aac": "audio/aac"}.get(os.path.splitext(name)[1], "application/ogg")
        files = [content]
        while os.path.exists(following := os.path.join(folder, f"{os.path.basename(name)}.{len(files)}")):
            with open(following, "rb") as file: files.append(file.read())
        head = f"ICY 200 OK\r\nContent-Type: {kind}\r\nicy-name: Station of the test\r\nicy-br: 128\r\n"
        self.wfile.write((head + (f"icy-metaint: {interval}\r\n" if wants_titles else "") + "\r\n").encode())
        self.close_connection = True
        began, sent, shown = time.monotonic(), 0, None
        number, at = 0, 0
        is_broken = "break" in query and once(url, "break")
        while not is_broken or sent < query["break"]:
            file = files[min(number, len(files) - 1)]
            part = file[at:at + (min(1024, interval - sent % interval) if interval else 1024)]
            if "rate" in query:
                due = began + (sent + len(part) - query.get("burst", 0)) / query["rate"]
                time.sleep(max(0, due - time.monotonic()))
            if "outage" in query and sent + len(part) > query["at"] and once(url, "outage"): return self.begin_outage(query["outage"])
            self.wfile.write(part)
            sent += len(part)
            at += len(part)
            if at == len(file): number, at = number + 1, 0
            if not wants_titles or sent % interval != 0: continue
            title = f"Artist - Title {number}"
            text = b"" if title == shown else f"StreamTitle='{title}';".encode()
            shown = title
            units = (len(text) + 15) // 16
            self.wfile.write(bytes([units]) + text.ljust(units * 16, b"\0"))

    def serve(self, url, query, content, tag, served):
        length = len(content) + int(query.get("longer", 0)) - int(query.get("shorter", 0))
        start, end = 0, length - 1
        asked = self.headers.get("Range", "")
        condition = self.headers.get("If-Range")
        ranged = asked.startswith("bytes=") and "noranges" not in query and condition in (None, tag)
        if ranged:
            first, last = asked[6:].split("-")
            start = int(first)
            if last: end = min(end, int(last))
            if start >= len(content):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(content)}")
                self.send_header("Content-Length", "0")
                return self.end_headers()
        head = [f"HTTP/1.1 {206 if ranged else 200} OK", "Content-Type: audio/flac", f"Content-Length: {end - start + 1}"]
        if "noetag" not in query: head.append(f"ETag: {tag}")
        if ranged: head.append(f"Content-Range: bytes {start}-{end}/{length}")
        head = ("\r\n".join(head) + "\r\n\r\n").encode()
        if "slowhead" in query:
            for byte in head:
                self.wfile.write(bytes([byte]))
                time.sleep(1)
            return
        self.wfile.write(head)
        if "resetseek" in query and start > len(content) * 3 // 4 and once(url, "resetseek"): return reset(self.connection)
        sent = 0
        for at in range(start, end + 1, 8192):
            part = content[at:min(at + 8192, end + 1)]
            if not part:  # The stated length is too large.
                self.close_connection = True
                return
            self.wait(url, query, served, len(part))
            if "stall" in query and at + len(part) > query["at"] and once(url, "stall"):
                silent_until[0] = time.monotonic() + query["stall"]
            while time.monotonic() < silent_until[0]: time.sleep(0.02)
            if "pause" in query and at + len(part) > query["at"] and once(url, "pause"): time.sleep(query["pause"])
            if "outage" in query and at + len(part) > query["at"] and once(url, "outage"): return self.begin_outage(query["outage"])
            if "change" in query and at + len(part) > query["change"] and once(url, "changed"): return reset(self.connection)
            if "drop" in query and sent + len(part) > query["drop"]:
                self.wfile.write(part[:int(query["drop"]) - sent])
                self.wfile.flush()
                self.close_connection = True
                return
            self.wfile.write(part)
            sent += len(part)
            with lock:
                media_bytes[0] += len(part)
                if "rate" in query: limited.append((time.monotonic(), media_bytes[0]))

    def wait(self, url, query, served, count):
        if "rate" not in query: return
        with lock:
            now = time.monotonic()
            due = served["since"] or now
            due = max(due, now - query.get("slack", 0.05))
            served["since"] = due + count / query["rate"]
        if due > now: time.sleep(due - now)

    def begin_outage(self, seconds):
        refused_until[0] = time.monotonic() + seconds
        server.pause(seconds)
        with lock: open_ones = list(connections)
        for connection in open_ones:
            try: connection.shutdown(socket.SHUT_RDWR)
            except OSError: pass
        reset(self.connection)

    def log_message(self, *arguments): pass


class Server:
    """Listens on one port, and closes the listener during an outage, so that connections are refused."""

    def __init__(self):
        self.listener = self.listen(0)
        self.port = self.listener.getsockname()[1]
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate)

    def listen(self, port):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        listener.bind(("127.0.0.1", port))
        listener.listen(64)
        listener.settimeout(0.05)
        return listener

    def pause(self, seconds): pass

    def run(self):
        while True:
            if time.monotonic() < refused_until[0]:
                self.listener.close()
                while time.monotonic() < refused_until[0]: time.sleep(0.02)
                self.listener = self.listen(self.port)
            try: connection, address = self.listener.accept()
            except (TimeoutError, socket.timeout): continue
            connection.settimeout(None)
            if time.monotonic() < refused_until[0]:  # The connection was made before the listener was closed.
                reset(connection)
                continue
            threading.Thread(target=self.serve, args=(connection, address), daemon=True).start()

    def serve(self, connection, address):
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
                with lock: handshakes[0] += 1
            Handler(connection, address, self)
        except (OSError, ValueError): pass
        finally:
            try: connection.close()
            except OSError: pass


server = Server()
print(server.port, flush=True)
server.run()
