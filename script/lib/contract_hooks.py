"""Hooks for schemathesis: make its cases reach the player, and count the responses.

By default schemathesis uses files that do not exist, removed entries, old revisions, and one Idempotency-Key for everything: nearly every case would
end with a 403, 404, 412 or 422. So the hooks replace most well-formed values by existing ones. A part of them is not changed, and intentionally
invalid values stay invalid. The case itself determines the choice, so that the same case always gives the same request.

Set by script/contract: CONTRACT_ADDRESS, the address of the program; CONTRACT_SAMPLE, the path of a file that it may play; CONTRACT_TALLY, the file
for the number of responses by operation and status. (The program's own /metrics also count the requests of the preparation.)
"""
import atexit
import collections
import json
import os
import random
import time
import urllib.parse
import urllib.request

import schemathesis
from schemathesis.core.media_types import YAML_MEDIA_TYPES
from schemathesis.generation import GenerationMode
from schemathesis.generation.meta import TestPhase

ADDRESS = os.environ["CONTRACT_ADDRESS"]
SAMPLE = os.environ["CONTRACT_SAMPLE"]
SAMPLE_URL = "file://" + urllib.parse.quote(SAMPLE)
# The maximum number of entries in the queue. It is small, because each case that needs an existing entry reads the whole queue.
MOST_ENTRIES = 40
# The time limit of a preparation, in seconds, which only ends a run that would hang.
PATIENCE = 120

tally = collections.Counter()
keys = 0


@schemathesis.deserializer(*YAML_MEDIA_TYPES)
def contract_text(context, response):
    """Reads the contract as text, because reading it as YAML in each case takes seconds."""
    return response.text


# The state of the program.


def ask(method, path, body=None):
    """Returns a response of the program as JSON; None if it is an error."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(ADDRESS + path, data, {"Content-Type": "application/json"} if data else {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read() or b"{}")
    except urllib.error.HTTPError:
        return None


def fresh_queue():
    """Creates a queue of three entries, with the second current and open."""
    ask("PUT", "/api/v1/queue", {"entries": [{"url": SAMPLE_URL}] * 3})
    ask("POST", "/api/v1/queue/next", {})
    end = time.monotonic() + PATIENCE
    while (ask("GET", "/api/v1/player/item") or {}).get("status") != "readyToPlay":
        if time.monotonic() > end:
            raise RuntimeError("the sample has not been opened")
        time.sleep(0.01)
    return ask("GET", "/api/v1/queue")


def prepared_queue(operation):
    """Returns the queue, or a fresh one if the operation would certainly fail with the present one."""
    queue = ask("GET", "/api/v1/queue")
    entries = queue["entries"]
    current = next((index for index, entry in enumerate(entries) if entry["id"] == queue.get("currentId")), None)
    fits = current is not None and entries[current]["status"] == "readyToPlay" and len(entries) <= MOST_ENTRIES
    if operation == "nextEntry":
        fits = fits and "nextId" in queue
    elif operation == "previousEntry":
        fits = fits and (queue["history"] or current > 0)
    return queue if fits else fresh_queue()


# The parts of a case.

PREPARED = {"nextEntry", "previousEntry", "seek", "skip", "getItem", "play", "toggle", "setSleepTimer", "updatePlayer"}


def with_entry(identifiers, queue, chance):
    """Returns the given id if the queue has it. Otherwise returns the id of an open entry if there is one: other entries have neither chapters nor a
    waveform."""
    ids = [entry["id"] for entry in queue["entries"]]
    opened = [entry["id"] for entry in queue["entries"] if entry["status"] == "readyToPlay"]
    return identifiers if identifiers in ids else chance.choice(opened or ids)


def with_item(item):
    return item | {"url": SAMPLE_URL} if "url" in item else item


def with_reference(entry, queue, chance):
    """Gives an entry a URL that exists. If the entry has an id that the queue does not have, replaces this id by one that the queue has."""
    if "id" in entry and queue and queue["entries"]:
        entry = entry | {"id": with_entry(entry["id"], queue, chance)}
    elif "id" in entry:
        entry = {name: value for name, value in entry.items() if name != "id"} | {"url": SAMPLE_URL}
    return with_item(entry if "id" in entry or "url" in entry else entry | {"url": SAMPLE_URL})


def only_one(body, names, chance):
    """Removes all members that exclude each other (`names`) except one."""
    given = [name for name in names if name in body]
    keep = chance.choice(given) if given else None
    return {name: value for name, value in body.items() if name == keep or name not in names}


POSITIONS = ["position", "before", "after", "index"]


def with_position(body, queue, chance):
    """Keeps only one of the members that name a position. An id in it is replaced by the id of an existing entry if necessary."""
    body = only_one(body, POSITIONS, chance)
    return body | {name: with_entry(body[name], queue, chance) for name in ("before", "after") if name in body and queue}


def fitting_body(operation, body, queue, chance, is_linked):
    if operation == "putItem":
        return with_item(body) | ({"startTime": body["startTime"] % 5} if "startTime" in body else {})
    if operation in ("putQueue", "addToQueue"):
        if any("id" in entry for entry in body.get("entries", []) if isinstance(entry, dict)):
            queue = queue or prepared_queue(operation)
        items = [with_reference(entry, queue, chance) for entry in body.get("entries", [])][:MOST_ENTRIES]
        # The following cases of a sequence use the first of these entries.
        if is_linked and not items:
            items = [{"url": SAMPLE_URL}]
        if "startIndex" in body:
            body = body | {"startIndex": body["startIndex"] % max(1, len(items))}
        return with_position(body | {"entries": items}, queue, chance)
    if operation in ("removeEntries", "moveEntries") and queue:
        ids = [entry["id"] for entry in queue["entries"]]
        body = with_position(body, queue, chance)
        if operation == "moveEntries" and not any(name in body for name in POSITIONS):
            body = body | {"position": "next"}
        return body | {"ids": chance.sample(ids, min(len(ids), max(1, len(body.get("ids", [])))))}
    if operation == "seek":
        body = only_one(body, ["time", "offset", "fraction", "exactTime"], chance)
        if "time" in body:
            body["time"] = abs(body["time"]) % 10
        if "exactTime" in body and isinstance(body["exactTime"], dict):
            body["exactTime"] = {"value": chance.randrange(0, 480_000), "timescale": 48_000}
        if body.get("tolerance") != "range":
            body = {name: value for name, value in body.items() if name not in ("toleranceBefore", "toleranceAfter")}
        return body
    if operation == "play":
        return only_one(body, ["hostTime", "date"], chance)
    if operation == "setLoop" and {"start", "end"} <= body.keys():
        start = abs(body["start"]) % 5
        return body | {"start": start, "end": start + 1 + abs(body["end"]) % 2}
    if operation == "setSleepTimer":
        body = only_one(body, ["seconds", "endOfItem", "endOfChapter", "items"], chance)
        return body | {name: True for name in ("endOfItem", "endOfChapter") if name in body}
    if operation == "setOutput":
        return body | {"id": "null"}
    if operation in ("nextEntry", "previousEntry", "playEntry"):
        current = (ask("GET", "/api/v1/queue") or {}).get("currentId")
        return body | ({"current": current} if "current" in body and current else {})
    if operation == "moveEntry":
        return body | {"index": body["index"] % MOST_ENTRIES}
    return body


def fitting_query(operation, query):
    if operation == "getAsset" and "url" in query:
        return query | {"url": SAMPLE}
    if operation == "listLibrary" and ("path" in query or "after" in query):
        return query | {"path": os.path.dirname(SAMPLE)}
    if operation == "getLibraryArtwork" and "path" in query:
        return query | {"path": SAMPLE}
    if operation == "getWaveform":
        # The part must lie inside the sample, and its end after its start.
        return query | {name: value for name, value in (("from", 1), ("to", 5)) if name in query}
    return query


@schemathesis.hook
def before_call(context, case, kwargs):
    global keys
    operation = case.operation.definition.raw.get("operationId")
    chance = random.Random(repr((operation, case.path_parameters, sorted(case.headers.items()), case.query, case.body)))
    wrong = {place for place, component in case.meta.components.items() if component.mode == GenerationMode.NEGATIVE} if case.meta else set()
    wrong = {place.value for place in wrong}

    is_linked = case.meta is not None and case.meta.phase.name == TestPhase.STATEFUL

    # The server accepts null in place of a body that is not required, because some generated clients send it. So null is not an invalid body there.
    if "body" in wrong and case.body is None and not case.operation.definition.raw["requestBody"].get("required"):
        case.body = 7

    def mostly():
        return chance.randrange(8) > 0

    queue = None
    if operation in PREPARED and mostly():
        queue = prepared_queue(operation)
    if operation == "redoEdit" and mostly():
        # An edit is repeated only after it was undone.
        ask("POST", "/api/v1/queue/undo", {})
    elif operation == "undoEdit" and mostly():
        fresh_queue()
    if case.path_parameters.get("id") is not None and "path" not in wrong and mostly():
        queue = prepared_queue(operation)
        case.path_parameters = case.path_parameters | {"id": with_entry(case.path_parameters["id"], queue, chance)}
    if "header" not in wrong:
        if "If-Match" in case.headers:
            # Of eight cases, five get no If-Match, two get one that always matches, and one is not changed.
            choice = chance.randrange(8)
            if choice < 5:
                del case.headers["If-Match"]
            elif choice < 7:
                case.headers["If-Match"] = "*"
        if "Tonearm-Not-After" in case.headers and mostly():
            del case.headers["Tonearm-Not-After"]
        if "Idempotency-Key" in case.headers and mostly():
            keys += 1
            case.headers["Idempotency-Key"] = f"key-{keys}"
    if "query" not in wrong and mostly():
        case.query = fitting_query(operation, case.query)
    if "body" not in wrong and isinstance(case.body, dict) and (is_linked or mostly()):
        if "after" in case.body or "before" in case.body or operation in ("removeEntries", "moveEntries"):
            queue = prepared_queue(operation)
        case.body = fitting_body(operation, case.body, queue, chance, is_linked)


@schemathesis.hook
def after_call(context, case, response):
    # A case with a method other than the operation's must be rejected, and is not counted.
    if case.method.upper() == case.operation.method.upper():
        tally[case.operation.definition.raw.get("operationId"), response.status_code] += 1


@atexit.register
def write_tally():
    with open(os.environ["CONTRACT_TALLY"], "w") as file:
        for (operation, status), count in sorted(tally.items(), key=str):
            print(operation, status, count, file=file)
