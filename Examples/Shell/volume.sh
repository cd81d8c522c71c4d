#!/bin/sh
# Make it louder or softer by a step: volume.sh 0.05, volume.sh -0.05
. "${0%/*}/connection.sh"
curl --json "{\"by\": $1, \"fade\": 0.2}" "$api/player/volume"
