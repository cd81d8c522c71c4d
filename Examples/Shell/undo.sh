#!/bin/sh
# Undo the last edit of the queue, whoever made it: undo.sh
. "${0%/*}/connection.sh"
curl --json '{}' "$api/queue/undo"
