#!/usr/bin/env python3
"""Sends malformed and valid requests to two running servers, one with libmicrohttpd 0.9.75 and one with 1.0, and prints those with
different responses.

usage: script/verdicts.py COUNT SEED PORT-OF-0.9.75 PORT-OF-1.0

Each case uses a connection of its own, and is followed by an ordinary request for a unique path. The verdict is the status of each response in
order, and whether the connection was closed within 20 seconds; the texts of responses may differ. Exit status 1 if two verdicts differ and none of
the known differences below explains it.
"""

import collections
import random
import re
import select
import socket
import sys

END = b"\r\n"
REFUSED = {(400,)}

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
    # Most requests have one fault; some have several faults.
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
    # No response of the server has a status line in its body, so each match is a response.
    statuses = [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d\d\d) [a-zA-Z]", exchange(port, data))]
    # An interim response is not a verdict. For an invalid length 0.9.75 sends the head of its response twice, and then closes.
    statuses = [status for status in statuses if status != 100]
    if len(statuses) == 2 and statuses[0] == statuses[1] and statuses[0] in (400, 413):
        statuses.pop()
    return tuple(statuses)


def rest(data):
    """Returns the bytes between the first request, by its Content-Length, and the appended one."""
    head = data.find(b"\r\n\r\n") + 4
    length = re.search(rb"\nContent-Length: (\d{1,6})\r\n", data[:head])
    return data[head + (int(length[1]) if length else 0) : data.rfind(b"GET /second-")]


def difference(data, old, new):
    """Returns the known difference between 0.9.75 and 1.0 that explains these verdicts, if any."""
    first_line = data.lstrip(b"\r\n").split(b"\n")[0]
    both = {old, new}
    if re.match(rb"\r?\n|\0[^\n]*\n", data) and new in REFUSED:
        return "0.9.75 skips any number of empty lines, and lines that begin with a NUL, before a request; 1.0 skips one empty line"
    if re.search(rb"\0[\r\n]|\n\0", data) and new in REFUSED:
        return "0.9.75 makes a NUL of CR and of LF, so that a NUL in the place of either cannot be told from it"
    if both == {(400,), (505,)} and not re.search(rb" HTTP/1\.[01]\r$", first_line):
        return "of two faults one version names that of the version of HTTP first, the other the other one"
    if both == {(400,), (413,)} and b"9" * 20 in data:
        return "of two faults one version names the length beyond 64 bits first, the other the other one"
    if both == {(400,), (431,)} and len(data) > 12000:
        return "of two faults one version names the size of the head first, the other the other one"
    if old == () and re.search(rb"(?i)\nExpect:[ \t]*100-continue", data):
        return "0.9.75 closes after 100 Continue to a request without body, if another one follows at once"
    shorter, longer = sorted(both, key=len)
    if longer == shorter + (400,):
        return "1.0 answers a malformed request line by closing"
    if old and old[:-1] == new and re.fullmatch(rb"[\r\n]+", rest(data)):
        return "0.9.75 skips empty lines between two requests; 1.0 closes if there are several, or one that ends in LF alone"
    return None


def main():
    count, seed, *ports = (int(word) for word in sys.argv[1:])
    kinds = collections.Counter()
    examples = {}
    for number in range(count):
        data = request(random.Random(seed * 1_000_003 + number), number)
        old, new = (verdict(port, data) for port in ports)
        kind = ("same", old, new) if old == new else (difference(data, old, new), old, new)
        kinds[kind] += 1
        if old != new:
            examples.setdefault(kind, []).append(data)
    for kind, times in sorted(kinds.items(), key=lambda pair: -pair[1]):
        print(times, kind)
        for data in examples.get(kind, [])[:3]:
            print("      ", data[:300])
    return 1 if any(kind[0] is None for kind in kinds) else 0


if __name__ == "__main__":
    sys.exit(main())
