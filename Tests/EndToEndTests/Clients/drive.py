"""Uses a player through a generated client: loads, plays, seeks, edits the queue, and checks errors.

usage: PYTHONPATH=FOLDER drive.py ADDRESS URL [TOKEN]

FOLDER has the generated package "tonearm"; ADDRESS is the server's, URL a medium of ten seconds.
"""
import sys
import uuid

import httpx

from tonearm import AuthenticatedClient, Client
from tonearm.api.item import get_item_details, get_waveform, put_item
from tonearm.api.player import get_player, pause, play, seek, update_player
from tonearm.api.queue import add_to_queue, get_queue, next_entry, put_queue
from tonearm.api.service import get_contract
from tonearm.models import (
    ItemRequest, PlayerUpdate, PlayRequest, Problem, QueueAddition, NewEntry, QueueRequest, SeekRequest,
)

address, medium = sys.argv[1:3]
client = AuthenticatedClient(base_url=address, token=sys.argv[3]) if len(sys.argv) > 3 else Client(base_url=address)


def check(condition, what):
    if not condition:
        sys.exit(f"drive.py: {what}")


# Load and play.
item = put_item.sync(client=client, body=ItemRequest(url=medium, play=False), wait=10)
check(item.status == "readyToPlay" and abs(item.duration - 10) < 0.1, f"loaded {item}")
state = play.sync(client=client, body=PlayRequest(rate=1), tonearm_client="generated")
check(state.rate == 1 and state.last_change.origin == "generated", f"played {state}")
check(state.current_item.id == item.id, "the current item is the one that was loaded")

# Seek, and settings.
check(pause.sync(client=client).rate == 0, "paused")
result = seek.sync(client=client, body=SeekRequest(time=4.5))
check(result.finished and result.time == 4.5, f"sought {result}")
state = update_player.sync(client=client, body=PlayerUpdate(volume=0.25, is_muted=True))
check(state.volume == 0.25 and state.is_muted, f"updated {state}")

# A host time keeps its microseconds, also if the server has been up for months.
while True:
    raw = httpx.get(address + "/api/v1/player", headers={"Authorization": f"Bearer {sys.argv[3]}"} if len(sys.argv) > 3 else {}).json()
    state = get_player.sync(client=client)
    if raw["revision"] == state.revision:
        check(abs(state.anchor.host_time - raw["anchor"]["hostTime"]) < 1e-6, "a host time lost digits")
        break

# The queue; a repeated request is not performed again.
queue = put_queue.sync(client=client, body=QueueRequest(entries=[NewEntry(url=medium), NewEntry(url=medium, title="Second")]))
check(queue.count == 2 and queue.entries[1].title == "Second", f"queued {queue}")
key = str(uuid.uuid4())
for _ in range(2):
    add_to_queue.sync(client=client, body=QueueAddition(entries=[NewEntry(url=medium)]), idempotency_key=key)
check(get_queue.sync(client=client).count == 3, "added once")
check(next_entry.sync(client=client).queue.index == 1, "the next entry is current")
check(get_item_details.sync(id=queue.entries[1].id, client=client).title == "Second", "details")
check(len(get_waveform.sync(id=queue.entries[0].id, client=client, points=50, wait=60).maximum) == 50, "waveform")

# An unchanged state is not sent again, and errors are problems.
answer = get_player.sync_detailed(client=client)
check(get_player.sync_detailed(client=client, if_none_match=answer.headers["ETag"]).status_code == 304, "not modified")
problem = seek.sync(client=client, body=SeekRequest(time=1000))
check(isinstance(problem, Problem) and problem.type_ == "/problems/seek-out-of-range" and abs(problem.end - 10) < 0.1, f"{problem}")
problem = put_item.sync(client=client, body=ItemRequest(url="file:///etc/passwd"))
check(isinstance(problem, Problem) and problem.status == 403 and problem.pointer == "/url", f"{problem}")
stale = update_player.sync(client=client, body=PlayerUpdate(volume=1), if_match='"x"')
check(isinstance(stale, Problem) and stale.status == 412, f"{stale}")
check(b"openapi: 3.1" in get_contract.sync_detailed(client=client).content, "the contract")
print("ok")
