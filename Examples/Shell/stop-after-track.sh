#!/bin/sh
# Pause at the end of the track: stop-after-track.sh
. "${0%/*}/connection.sh"
curl --request PUT --json '{"endOfItem": true}' "$api/sleep-timer"
