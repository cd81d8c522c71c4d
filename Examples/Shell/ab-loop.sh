#!/bin/sh
# Repeat a part of the track, exact to the sample: ab-loop.sh START END
. "${0%/*}/connection.sh"
curl --request PUT --json "{\"start\": $1, \"end\": $2}" "$api/player/loop"
