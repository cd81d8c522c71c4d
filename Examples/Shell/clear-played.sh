#!/bin/sh
# Remove the entries before the current one: clear-played.sh
. "${0%/*}/connection.sh"
current=$(curl "$api/player/item" | member id) || exit
played=$(curl "$api/queue" | grep -o '"id":"[^"]*"' | cut -d : -f 2 | sed "/\"$current\"/,\$d" | paste -sd , -)
[ -z "$played" ] || curl --json "{\"ids\": [$played]}" "$api/queue/remove"
