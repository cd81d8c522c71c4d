"""A TCP proxy on a free port, whose path the test disturbs or slows down.

`mode` is one of: `pass`; `dead`: bytes are dropped, and connections that carried some or were opened meanwhile stay dead; `lossy`: bytes are dropped,
and the same connections later go on without them. `slow_down` gives the path a latency and a throughput.
"""
import collections
import selectors
import socket
import threading
import time

# Fast 3G as browsers emulate it: seconds, and bytes a second.
FAST_3G = {"round_trip": 0.5625, "down": 180e3, "up": 84e3}


class Proxy:
    def __init__(self, target):
        host, port = target.rsplit(":", 1)
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.address = "127.0.0.1:%d" % self._listener.getsockname()[1]
        self.mode = "pass"
        self.forbids_sockets = False
        self._dead = set()
        self._other = {}
        # The bytes on their way: when they arrive, and where.
        self._way = {True: collections.deque(), False: collections.deque()}
        self._free = {True: 0.0, False: 0.0}
        self._clients = set()
        self._delay = 0
        self._rates = {True: float("inf"), False: float("inf")}
        self._kill = False
        self._ended = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended = True
        self._thread.join()
        for one in [self._listener, *self._other]:
            one.close()

    def kill_silently(self):
        """Forgets all present connections, without a word to either side."""
        self._kill = True
        while self._kill:
            time.sleep(0.01)

    def slow_down(self, round_trip, down, up):
        """Seconds, and bytes a second."""
        self._delay, self._rates = round_trip / 2, {True: up, False: down}

    def _run(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            while not self._ended:
                is_waiting = any(self._way.values())
                for key, _ in selector.select(0.002 if is_waiting else 0.02):
                    if key.fileobj is self._listener:
                        self._accept(selector)
                    elif key.fileobj in self._other:
                        self._receive(selector, key.fileobj)
                for way in self._way.values():
                    while way and way[0][0] <= time.monotonic():
                        _, source, data = way.popleft()
                        self._forward(selector, source, data)
                if self._kill:
                    self._dead |= set(self._other)
                    self._kill = False

    def _accept(self, selector):
        client, _ = self._listener.accept()
        server = socket.create_connection(self._target)
        self._clients.add(client)
        for one, other in ((client, server), (server, client)):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._other[one] = other
            selector.register(one, selectors.EVENT_READ)

    def _receive(self, selector, source):
        try:
            data = source.recv(1 << 14)
        except OSError:
            data = b""
        if not data:
            selector.unregister(source)
        if self.mode == "dead":
            self._dead |= {source, self._other[source]}
        if data and (self.mode == "lossy" or source in self._dead):
            return
        is_up = source in self._clients
        now = time.monotonic()
        self._free[is_up] = max(now, self._free[is_up]) + len(data) / self._rates[is_up]
        self._way[is_up].append((self._free[is_up] + self._delay, source, data))

    def _forward(self, selector, source, data):
        other = self._other.get(source)
        if other is None:
            return
        try:
            if data:
                # The server then refuses the handshake, as a proxy does that knows no WebSocket.
                other.sendall(data.replace(b"Upgrade: websocket", b"Downgrade: nothing") if self.forbids_sockets else data)
                return
        except OSError:
            pass
        for one in (source, other):
            if one in selector.get_map():
                selector.unregister(one)
            self._other.pop(one, None)
            self._dead.discard(one)
            self._clients.discard(one)
            one.close()
