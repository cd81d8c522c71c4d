#!/bin/sh
# Play media after the current track: play-next.sh MEDIUM…
. "${0%/*}/connection.sh"
curl --json "{\"entries\": [$(entries "$@")], \"position\": \"next\"}" "$api/queue"
