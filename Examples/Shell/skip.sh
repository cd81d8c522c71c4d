#!/bin/sh
# Skip forwards or backwards, never beyond the track: skip.sh 30, skip.sh -10
. "${0%/*}/connection.sh"
curl --json "{\"seconds\": $1}" "$api/player/skip"
