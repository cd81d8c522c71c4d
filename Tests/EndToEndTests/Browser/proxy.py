"""A TCP proxy on a free port, whose path the test disturbs.

`mode` is one of: `pass`; `dead`: bytes are dropped, and connections that were open or opened meanwhile stay dead; `lossy`: bytes are dropped, and the
same connections later go on without them.
"""
import selectors
import socket
import threading
import time


class Proxy:
    def __init__(self, target):
        host, port = target.rsplit(":", 1)
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.address = "127.0.0.1:%d" % self._listener.getsockname()[1]
        self.mode = "pass"
        self.delay = 0
        self._dead = set()
        self._other = {}
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

    def _run(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            while not self._ended:
                for key, _ in selector.select(0.02):
                    if key.fileobj is self._listener:
                        self._accept(selector)
                    elif key.fileobj in self._other:
                        self._forward(selector, key.fileobj)
                if self._kill:
                    self._dead |= set(self._other)
                    self._kill = False

    def _accept(self, selector):
        client, _ = self._listener.accept()
        server = socket.create_connection(self._target)
        for one, other in ((client, server), (server, client)):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._other[one] = other
            selector.register(one, selectors.EVENT_READ)

    def _forward(self, selector, source):
        other = self._other[source]
        try:
            data = source.recv(1 << 16)
        except OSError:
            data = b""
        if self.mode == "dead":
            self._dead |= {source, other}
        if data and (self.mode == "lossy" or source in self._dead):
            return
        try:
            if data:
                other.sendall(data)
                return
        except OSError:
            pass
        for one in (source, other):
            selector.unregister(one)
            self._other.pop(one, None)
            self._dead.discard(one)
            one.close()
