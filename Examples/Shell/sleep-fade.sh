#!/bin/sh
# Fade out to a pause after some minutes: sleep-fade.sh MINUTES [SECONDS]
. "${0%/*}/connection.sh"
sleep "$(($1 * 60))" && curl --json "{\"fade\": ${2:-30}}" "$api/player/pause"
