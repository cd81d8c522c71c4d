#!/bin/sh
# Play speech faster, at the same pitch: podcast.sh MEDIUM RATE
. "${0%/*}/connection.sh"
curl --request PUT --json "{\"url\": $(json "$1"), \"play\": true}" "$api/player/item?wait=10" >/dev/null &&
    curl --request PATCH --json "{\"rate\": $2, \"audioTimePitchAlgorithm\": \"timeDomain\"}" "$api/player"
