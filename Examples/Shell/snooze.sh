#!/bin/sh
# Pause now, and play again in some minutes, with a fade-in: snooze.sh MINUTES
. "${0%/*}/connection.sh"
curl --json '{}' "$api/player/pause" &&
    curl --json "{\"date\": \"$(date --utc --date "+$1 minutes" +%FT%TZ)\", \"fade\": 30}" "$api/player/play"
