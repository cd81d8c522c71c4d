"""Measures listings of folders with very many names, for script/bench."""

import json
import os
import re
import statistics
import time
import urllib.parse

SIZES = (1_000, 100_000, 1_000_000)
FIRST = 100
LARGEST = 10_000


def peak(process):
    """Returns the largest resident memory since the last call of reset, in MB."""
    with open(f"/proc/{process}/status") as status:
        return int(re.search(r"^VmHWM:\s+(\d+)", status.read(), re.M).group(1)) / 1024


def reset(process):
    with open(f"/proc/{process}/clear_refs", "w") as file:
        file.write("5")


def fill(folder, count):
    """Makes empty media files in an order that is not that of their names, one of which is not UTF-8."""
    os.makedirs(folder)
    directory = os.open(folder, os.O_RDONLY)
    for number in range(count - 1):
        name = f"{number * 7919 % (count - 1):07} A song of many.flac"
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=directory))
    os.close(os.open(b"caf\xe9.flac", os.O_CREAT | os.O_WRONLY, dir_fd=directory))
    os.close(directory)


def empty(folder):
    directory = os.open(folder, os.O_RDONLY)
    for entry in list(os.scandir(os.fsencode(folder))):
        os.unlink(entry.name, dir_fd=directory)
    os.close(directory)
    os.rmdir(folder)


def page(daemon, folder, **parameters):
    """Requests a page and returns it, with its duration in milliseconds."""
    query = urllib.parse.urlencode({"path": str(folder), **parameters})
    start = time.monotonic()
    status, data = daemon.request("GET", "/api/v1/library?" + query)
    taken = (time.monotonic() - start) * 1000
    if status != 200:
        raise SystemExit(f"bench: a listing was refused: {data.decode(errors='replace')}")
    return json.loads(data), taken


def grown(daemon, act):
    """Returns the growth of the resident memory at its peak during an act, in MB."""
    time.sleep(0.5)
    reset(daemon.process.pid)
    before = peak(daemon.process.pid)
    act()
    return peak(daemon.process.pid) - before


def all_names(daemon, folder):
    """Reads all pages, and returns the paths."""
    paths, following = [], {}
    while True:
        listing, _ = page(daemon, folder, limit=LARGEST, **following)
        paths += [entry["path"] for entry in listing["entries"]]
        if "next" not in listing:
            return paths
        following = {"after": listing["next"]}


def rows(make, folder):
    """Prints a row for each size of a folder."""
    result = []
    for count in SIZES:
        many = folder / f"names-{count}"
        fill(many, count)
        with make() as daemon:
            # The first request loads code; the pages of a small folder are the floor of the memory.
            page(daemon, folder, limit=FIRST)
            first = []
            memory = grown(daemon, lambda: first.extend(page(daemon, many, limit=FIRST)[1] for _ in range(5)))
            largest = grown(daemon, lambda: page(daemon, many, limit=LARGEST))
            _, last = page(daemon, many, offset=max(0, count - FIRST), limit=FIRST)
            start = time.monotonic()
            paths = all_names(daemon, many)
            whole = time.monotonic() - start
        if len(paths) != count or len(set(paths)) != count:
            raise SystemExit(f"bench: {len(paths)} names, {len(set(paths))} different ones, of {count}")
        empty(many)
        result.append({
            "names": count, "first page ms": round(statistics.median(first), 1), "worst ms": round(max(first), 1), "memory MB": round(memory, 1),
            f"page of {LARGEST} MB": round(largest, 1), "last page by offset ms": round(last, 1), "all pages s": round(whole, 2),
        })
    return result
