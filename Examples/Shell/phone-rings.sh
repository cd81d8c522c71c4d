#!/bin/sh
# Pause because the phone rings: phone-rings.sh
. "${0%/*}/connection.sh"
curl --header 'Tonearm-Client: phone' --json '{"fade": 0.5}' "$api/player/pause"
