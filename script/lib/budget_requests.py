"""The hostile requests whose cost the budgets limit: heads and JSON documents that are slow to read, to compare, to split or to fold."""

BLOCK = 16 << 10
TOKEN = "the-token-of-the-hostile-bench"
MARK = "\u0301"


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

    # The marks are in the wrong order, so normalisation sorts them. A flag consists of two indicators; which of them begins a pair is known only from
    # the start of the sequence.
    return {
        "marks": filled(MARK + "\u0323"), "flags": filled("\U0001F1E9"), "families": filled("👩‍👩‍👧‍👦"), "commas": filled(","),
        "tags": filled('"x", '), "semicolons": filled("a=b;"), "latin": filled(b"\xe9"), "letters": filled("x"),
    }


def heads():
    """Yields requests without a body, of about the maximum length: the name, the method, the target and the fields."""
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
