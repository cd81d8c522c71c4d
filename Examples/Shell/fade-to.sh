#!/bin/sh
# Fade to a volume: fade-to.sh 0.3 SECONDS
. "${0%/*}/connection.sh"
curl --request PATCH --json "{\"volume\": $1, \"fade\": $2}" "$api/player"
