#!/bin/sh
# Add files, folders and playlists to the end of the queue: enqueue.sh MEDIUM…
. "${0%/*}/connection.sh"
curl --json "{\"entries\": [$(entries "$@")]}" "$api/queue"
