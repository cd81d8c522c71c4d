#!/usr/bin/env python3
"""Sends malformed and proper requests to running servers, and prints each one that they do not answer alike.

usage: script/verdicts.py COUNT SEED PORT PORT

Each request goes over a connection of its own, followed by an ordinary one for a path that only this program asks for. The verdict is the status of
each answer in order, and whether the connection was closed; the texts of answers may differ. Exit status 1 if a verdict differs that is not in the
list of known differences below.
"""

import collections
import random
import re
import select
import socket
import sys

END = b"\r\n"
# What two versions of libmicrohttpd see otherwise, and RequestReader cannot tell: (what, pattern of the request, the statuses that may differ).
KNOWN = [
    ("0.9.75 skips empty lines, and lines that begin with a NUL, before a request; 1.0 one empty line", rb"\A(\r?\n|\0[^\n]*\n)", None),
    ("0.9.75 replaces CR and LF by NUL, so that a NUL before a bare LF looks like CRLF", rb"\0\n", None),
    ("of several faults one version names the version of HTTP first, the other the rest", rb"HTTP", {(400,), (505,)}),
    ("of several faults one version names the length beyond 64 bits first, the other the rest", rb"9{20}", {(400,), (413,)}),
    ("of several faults one version names the size of the head first, the other the rest", rb".{12000}", {(400,), (431,)}),
    ("0.9.75 closes after 100 Continue to a request without body, if another one follows at once", rb"(?i)100-continue", None),
]

METHODS = [
    b"GET", b"POST", b"PUT", b"PATCH", b"DELETE", b"HEAD", b"OPTIONS", b"TRACE", b"CONNECT",
    b"get", b"G\0T", b"", b"GET ", b" GET", b"(", b"PRI",
]
TARGETS = [
    b"/", b"/api/v1/player", b"/api/v1/player/time", b"/nothing", b"*", b"http://127.0.0.1/", b"a", b"", b"/%", b"/%00", b"/%41", b"/a b", b"/a\tb",
    b"/\0", b"/\x0b", b"/\x0c", b"/\x7f", b"/\xc3\xa4", b"/a#b", b"/?a=b&c", b"/?\0", b"//", b"/../", b"/" + b"x" * 9000,
]
VERSIONS = [b"HTTP/1.1"] * 12 + [
    b"HTTP/1.0", b"HTTP/0.9", b"HTTP/2.0", b"HTTP/1.2", b"HTTP/x.1", b"http/1.1", b"HTTP/1.1 ", b"", b"HTTP/11", b"HTTP/1.1\0",
]
SPACES = [b" "] * 12 + [b"  ", b"\t", b"", b"\x0b", b" \t", b"\r", b"\0"]
ENDS = [END] * 24 + [b"\n", b"\r", b"\r\r\n", b"\n\r", b"\0\r\n", b" \r\n", b"\t\r\n", b"\r\n ", b"\r\n\t"]
NAMES = [
    b"X", b"Accept", b"Cookie", b"Connection", b"Content-Type", b"Content-Length", b"Transfer-Encoding", b"Expect", b"Host", b"Range",
    b"If-None-Match",
    b"Origin", b"X Y", b"X(", b"", b"\0", b"X\0", b" X", b"\tX", b"X ", b"X\t", b"a" * 300,
]
COLONS = [b": "] * 12 + [b":", b" :", b"\t: ", b":\t", b":  ", b"", b"::", b" "]
VALUES = [
    b"a", b"", b" ", b"a ", b"a \t", b"\ta", b"a\0b", b"a\x01b", b"a\rb", b"a\x0bb", b"\x7f", b"\xff", b"close", b"keep-alive", b"0", b"2",
    b"+2", b"-1", b"2, 2",
    b"0x2", b"2 2", b"02", b"99999999999999999999", b"chunked", b"Chunked", b"gzip, chunked", b"xchunked", b"chunked, chunked",
    b"identity", b"100-continue",
    b"miracles", b"application/json", b"text/plain", b'"x"', b"a=b; c=d", b"bytes=0-1", b"localhost", b"evil.example",
]
BODIES = [b"", b"{}", b"2\r\n{}\r\n0\r\n\r\n", b"2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n", b"2\n{}\n0\n\n", b"-1\r\n", b"x" * 100]


def request(chance, number):
    pick = chance.choice
    def usual(first, others, odds):
        return first if chance.random() < odds else pick(others)

    lead = b"" if chance.random() < 0.97 else pick([END, b"\n", b"\r", b" ", b"\0", b"\t", END * 2, b"\0x\r\n", b"x\r\n"])
    # Most requests are wrong in one place, some in several.
    odds = pick([1, 0.97, 0.9, 0.7])
    text = lead + usual(pick(METHODS[:7]), METHODS, odds) + usual(b" ", SPACES, odds) + usual(pick(TARGETS[:4]), TARGETS, odds)
    text += usual(b" ", SPACES, odds) + usual(b"HTTP/1.1", VERSIONS, odds) + usual(END, ENDS, odds)
    fields = []
    if chance.random() < 0.95:
        fields.append(b"Host" + usual(b": ", COLONS, odds) + usual(b"127.0.0.1", VALUES, odds))
    for _ in range(pick([0, 0, 1, 1, 2, 3])):
        fields.append(usual(pick(NAMES[:12]), NAMES, odds) + usual(b": ", COLONS, odds) + pick(VALUES))
    body = b""
    if chance.random() < 0.3:
        body = pick(BODIES)
        fields.append(b"Content-Type: application/json")
        fields.append(pick([b"Content-Length: %d" % len(body)] * 3 + [b"Transfer-Encoding: chunked", b"Content-Length: 1"]))
    if chance.random() < 0.02:
        fields += [b"F%d: y" % n for n in range(pick([90, 99, 100, 150, 2000]))]
    if chance.random() < 0.01:
        fields.append(b"L: " + b"z" * pick([8000, 15000, 16300, 20000, 40000]))
    chance.shuffle(fields)
    for field in fields:
        text += field + usual(END, ENDS, odds)
    text += usual(END, ENDS, odds) + body
    if chance.random() < 0.1:
        for _ in range(pick([1, 1, 2, 5])):
            place = chance.randrange(len(text))
            change = pick([b"", bytes([chance.randrange(256)]), b"\0", b"\n", b" ", END])
            text = text[:place] + change + text[place + pick([0, 1]) :]
    return text + b"GET /second-%d HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n" % number


def exchange(port, data):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        answer = b""
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while True:
                ready, _, _ = select.select([connection], [], [], 20)
                if not ready:
                    return answer + b"HTTP/1.1 900 silent\r\n"
                piece = connection.recv(1 << 16)
                if not piece:
                    return answer
                answer += piece
                if len(answer) > 1 << 18:
                    return answer
        except (BrokenPipeError, ConnectionResetError):
            return answer


def verdict(port, data):
    answer = exchange(port, data)
    statuses = []
    # The library repeats the head of an answer of its own to some requests: the same status twice in a row, and then the end, is one answer.
    for status in re.findall(rb"^HTTP/1\.[01] (\d\d\d) ", answer, re.M):
        statuses.append(int(status))
    if 100 in statuses:
        statuses.remove(100)
    if len(statuses) == 2 and statuses[0] == statuses[1] and statuses[0] in (400, 413):
        statuses.pop()
    # Of a later request on a connection some versions refuse a malformed request line by closing, others with 400 first.
    if len(statuses) > 1 and statuses[-1] == 400:
        statuses.pop()
    return tuple(statuses)


def difference(data, verdicts):
    """The known difference that explains these verdicts, if any."""
    for what, pattern, either in KNOWN:
        if re.search(pattern, data, re.S) and (either is None or set(verdicts) <= either):
            return what
    short, long = sorted(verdicts, key=len)
    if short and long[: len(short)] == short:
        return "behind the first request are empty lines or a malformed request line: one version closes there"
    return None


def main():
    count, seed, *ports = (int(word) for word in sys.argv[1:])
    kinds = collections.Counter()
    examples = {}
    for number in range(count):
        data = request(random.Random(seed * 1_000_003 + number), number)
        verdicts = [verdict(port, data) for port in ports]
        if len(set(verdicts)) > 1:
            known = difference(data, verdicts)
            kind = (known, tuple(verdicts))
            kinds[kind] += 1
            examples.setdefault(kind, []).append(data)
        else:
            kinds[("same", verdicts[0])] += 1
    for kind, times in sorted(kinds.items(), key=lambda pair: -pair[1]):
        print(times, kind)
        for data in examples.get(kind, [])[:3]:
            print("      ", data[:300])
    return 1 if any(kind[0] is None for kind in kinds) else 0


if __name__ == "__main__":
    sys.exit(main())
