"""Measures the pages of a folder with very many files: time of the first page, of one in the middle and of all, and the memory above idle."""

import ctypes
import json
import os
import random
import time
import urllib.parse

# The numbers of files, the entries of a page, and the entries of a page when a whole folder is read.
COUNTS = (10_000, 90_000)
PAGE, LARGE_PAGE = 100, 10_000
# The limits: in milliseconds, or in multiples of the time in which the kernel lists the names, whichever is more; and in megabytes.
MOST_MILLISECONDS, MOST_FLOORS, MOST_MEGABYTES = 300, 2, 32


def fill(path, start, end):
    """Creates empty files from one number to another, in random order, because a directory has no order of its own."""
    path.mkdir(exist_ok=True)
    numbers = list(range(start, end))
    random.Random(22).shuffle(numbers)
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    for number in numbers:
        os.close(os.open(f"{number:07} Some title.flac", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    os.close(folder)


def floor(path):
    """Returns the time in which the kernel lists all names of a folder, in milliseconds. To find the first page in the order of the names, all names
    are needed, so the page cannot take less time."""
    library, buffer = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(256 << 10)
    folder, start = os.open(path, os.O_RDONLY | os.O_DIRECTORY), time.monotonic()
    while (count := library.getdents64(folder, buffer, len(buffer))) > 0:
        pass
    os.close(folder)
    if count < 0:
        raise SystemExit(f"bench: {path}: {os.strerror(ctypes.get_errno())}")
    return (time.monotonic() - start) * 1000


def page(daemon, path, limit, after=None):
    """Returns a page and its time in milliseconds."""
    query = {"path": str(path), "limit": limit} | ({"after": after} if after else {})
    start = time.monotonic()
    status, body = daemon.request("GET", "/api/v1/library?" + urllib.parse.urlencode(query))
    taken = (time.monotonic() - start) * 1000
    if status != 200:
        raise SystemExit(f"bench: library: {status} {body[:200]}")
    return json.loads(body), taken


def rows(make_daemon, folder, faults):
    """Returns a row for each number of names. The names are in the page cache, because their files were just created."""
    result, path, made = [], folder / "many", 0
    for count in COUNTS:
        fill(path, made, count)
        made = count
        with make_daemon() as daemon:
            page(daemon, folder, 1)
            idle = daemon.memory()
            times = [page(daemon, path, PAGE)[1] for _ in range(5)]
            least = min(floor(path) for _ in range(3))
            middle = page(daemon, path, PAGE, urllib.parse.quote(f"{count // 2:07} Some title.flac"))[1]
            memory = daemon.memory() - idle
        with make_daemon() as daemon:
            names, after, start = 0, None, time.monotonic()
            while True:
                listing, _ = page(daemon, path, LARGE_PAGE, after)
                names += len(listing["entries"])
                after = listing.get("next")
                if after is None:
                    break
            whole = time.monotonic() - start
        result.append({f"{count:,} names: first page ms": f"{times[0]:.0f}, again {min(times):.0f}", "the kernel's list ms": f"{least:.0f}",
                       "middle ms": f"{middle:.0f}", "memory above idle MB": f"{memory:.1f}",
                       f"{names:,} names in pages of {LARGE_PAGE:,} s": f"{whole:.1f}"})
        if min(times) > max(MOST_MILLISECONDS, MOST_FLOORS * least):
            faults.append(f"folder: the first page of {count:,} names took {min(times):.0f} ms")
        if memory > MOST_MEGABYTES:
            faults.append(f"folder: the first page of {count:,} names needed {memory:.1f} MB")
    return result
