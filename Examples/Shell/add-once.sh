#!/bin/sh
# Add a medium once, even over a bad connection or if called again with its key within an hour: add-once.sh MEDIUM KEY
. "${0%/*}/connection.sh"
curl --retry 5 --retry-all-errors --header "Idempotency-Key: $2" --json "{\"entries\": [{\"url\": $(json "$1")}]}" "$api/queue"
