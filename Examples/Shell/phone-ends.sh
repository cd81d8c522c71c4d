#!/bin/sh
# Go on after the call, but only if it was phone-rings.sh that paused: phone-ends.sh
. "${0%/*}/connection.sh"
curl "$api/player" | grep --quiet '"lastPause":{[^}]*"origin":"phone"' && curl --json '{"fade": 2}' "$api/player/play"
