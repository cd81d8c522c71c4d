#!/bin/sh
# Play a file or a URL now, in place of the queue: play.sh MEDIUM
. "${0%/*}/connection.sh"
curl --request PUT --json "{\"url\": $(json "$1"), \"play\": true}" "$api/player/item?wait=10"
