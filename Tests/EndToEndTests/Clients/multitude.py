"""Connects many clients, every other one over a WebSocket, changes the player several times, and counts the clients that received each change.

usage: multitude.py PORT COUNT ROUNDS

prints JSON: clients, complete (clients that received every change, in order), and closed (connections that ended)
prints "connected" after all clients are connected, then waits for a line on standard input
"""
import http.client
import json
import resource
import select
import socket
import sys

port, count, rounds = (int(argument) for argument in sys.argv[1:])
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
if hard != resource.RLIM_INFINITY:
    count = min(count, hard - 100)

EVENTS = f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\n\r\n".encode()
SOCKET = (
    f"GET /api/v1/socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
).encode()
# A change, in either framing: the state's member with each of its values.
MARKS = [b'"isMuted":true', b'"isMuted":false']


class Client:
    def __init__(self, index):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.sendall(SOCKET if index % 2 else EVENTS)
        self.socket.setblocking(False)
        self.rest = b""
        self.seen = []
        self.is_closed = False

    def read(self):
        try:
            data = self.socket.recv(1 << 16)
        except BlockingIOError:
            return
        self.is_closed = self.is_closed or not data
        text = self.rest + data
        # The same value again means that another part of the state changed.
        position = 0
        while True:
            found = [(place, which) for which, mark in enumerate(MARKS) if (place := text.find(mark, position)) >= 0]
            if not found:
                break
            place, which = min(found)
            if not self.seen or self.seen[-1] != which:
                self.seen.append(which)
            position = place + len(MARKS[which])
        self.rest = text[max(position, len(text) - 64):]


clients = []
poll = select.epoll()
for index in range(count):
    client = Client(index)
    clients.append(client)
    poll.register(client.socket.fileno(), select.EPOLLIN)
by_descriptor = {client.socket.fileno(): client for client in clients}


def read_until(is_done):
    """Reads until `is_done`, or until nothing has arrived for 20 seconds."""
    while not is_done():
        ready = poll.poll(20)
        if not ready:
            return
        for descriptor, _ in ready:
            client = by_descriptor[descriptor]
            client.read()
            if client.is_closed:
                poll.unregister(descriptor)


read_until(lambda: all(client.seen or client.is_closed for client in clients))
print("connected", count, flush=True)
sys.stdin.readline()
connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
for number in range(rounds):
    # Playback goes on, so that an underrun would be heard.
    body = json.dumps({"isMuted": number % 2 == 0})
    connection.request("PATCH", "/api/v1/player", body, {"Content-Type": "application/json"})
    connection.getresponse().read()
    read_until(lambda: all(len(client.seen) >= number + 2 or client.is_closed for client in clients))
wanted = [(number + 1) % 2 for number in range(rounds + 1)]
print(json.dumps({
    "clients": count,
    "complete": sum(client.seen == wanted for client in clients),
    "closed": sum(client.is_closed for client in clients),
}))
