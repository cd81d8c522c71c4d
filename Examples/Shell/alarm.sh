#!/bin/sh
# Wake up with a medium at a date, with a fade-in: alarm.sh MEDIUM 2026-12-24T06:30:00Z [SECONDS]
. "${0%/*}/connection.sh"
curl --request PUT --json "{\"url\": $(json "$1"), \"play\": false}" "$api/player/item?wait=10" &&
    curl --json "{\"date\": \"$2\", \"fade\": ${3:-60}}" "$api/player/play"
