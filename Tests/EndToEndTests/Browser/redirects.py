"""A server on the internet tries to redirect the player into the private network.

usage: unshare --user --map-root-user --net python3 redirects.py TONEARM FOLDER

Runs in a network namespace of its own, in which a public address belongs to this machine too. The attacker listens on it. The victim listens on
a private address (loopback), and its file `canary.wav` must not be reachable from the internet. The program itself runs there too, for a client that
may open private addresses. Exit status 0 if every redirect into the private network or to a file was refused without a request to the victim, 77 if
the system permits no network namespace.
"""

import fcntl
import http.server
import json
import re
import socket
import struct
import subprocess
import sys
import threading
import urllib.error
import urllib.request

PUBLIC = "11.22.33.44"
SET_FLAGS, SET_ADDRESS, SET_MASK, UP = 0x8914, 0x8916, 0x891C, 0x1


def configure():
    """Brings up the loopback interface, and adds the public address to it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SET_FLAGS, struct.pack("16sh14x", b"lo", UP))
        for request, address in ((SET_ADDRESS, PUBLIC), (SET_MASK, "255.255.255.255")):
            fcntl.ioctl(control, request, struct.pack("16sH2x4s8x", b"lo:1", socket.AF_INET, socket.inet_aton(address)))


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files of the folder. `/to/N` redirects to the server's target number N."""

    def do_GET(self):
        self.server.requests.append(self.path)
        if not self.path.startswith("/to/"):
            return super().do_GET()
        self.send_response(302)
        self.send_header("Location", self.server.targets[int(self.path[4:])])
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def serve(address, folder, port=0):
    server = http.server.ThreadingHTTPServer(
        (address, port), lambda *arguments: Handler(*arguments, directory=folder)
    )
    server.requests, server.targets = [], []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, server.server_address[1]


def put(port, url):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/player/item?wait=10",
        method="PUT",
        data=json.dumps({"url": url}).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def attack(port, folder):
    """The failures, a line each."""
    attacker, public_port = serve(PUBLIC, folder)
    victim, private_port = serve("127.0.0.1", folder)
    public, private = f"http://{PUBLIC}:{public_port}", f"http://127.0.0.1:{private_port}"
    wrong = []

    # Without a redirect both can be played, so the refusals below are caused by the redirect.
    for url in (f"{private}/canary.wav", f"{public}/canary.wav"):
        status, document = put(port, url)
        if (status, document.get("status")) != (201, "readyToPlay"):
            wrong.append(f"{url} does not play: {status} {document}")
    # A redirect within the internet is followed.
    attacker.targets = [f"{public}/canary.wav"]
    status, document = put(port, f"{public}/to/0")
    if status != 201:
        wrong.append(f"a public redirect does not play: {status} {document}")

    victim.requests.clear()
    attacker.targets = [
        f"{private}/canary.wav",
        f"http://localhost:{private_port}/canary.wav",
        f"http://127.1:{private_port}/canary.wav",
        f"http://[::ffff:127.0.0.1]:{private_port}/canary.wav",
        f"http://0.0.0.0:{private_port}/canary.wav",
        f"//127.0.0.1:{private_port}/canary.wav",
        f"http://{PUBLIC}@127.0.0.1:{private_port}/canary.wav",
        # A further public redirect in between changes nothing.
        f"{public}/to/0",
        f"file://{folder}/canary.wav",
        f"file:{folder}/canary.wav",
        "ftp://127.0.0.1/canary.wav",
    ]
    for number, target in enumerate(attacker.targets):
        status, document = put(port, f"{public}/to/{number}")
        if status != 422:
            wrong.append(f"a redirect to {target}: {status} {document}")
    if victim.requests:
        wrong.append(f"the victim was asked for {victim.requests}")

    # The other direction is allowed: a client with access to private addresses may be redirected to the internet.
    victim.targets = [f"{public}/canary.wav"]
    status, document = put(port, f"{private}/to/0")
    if status != 201:
        wrong.append(f"from the private network to the internet: {status} {document}")
    return wrong


def main():
    binary, folder = sys.argv[1:3]
    try:
        configure()
    except OSError as error:
        print(f"no network of its own: {error}")
        return 77
    program = subprocess.Popen(
        [binary, "serve", "--listen", "127.0.0.1:0", "--output", "null", "--no-state"], stderr=subprocess.PIPE, text=True
    )
    try:
        for line in program.stderr:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                break
        else:
            print("the program does not listen")
            return 1
        threading.Thread(target=program.stderr.read, daemon=True).start()
        wrong = attack(int(found[1]), folder)
    finally:
        program.kill()
        program.wait()
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
