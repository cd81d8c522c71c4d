#!/bin/sh
# Remove each track from the queue after it was played, or end that: consume.sh true|false
. "${0%/*}/connection.sh"
curl --request PATCH --json "{\"isConsuming\": $1}" "$api/player"
