#!/bin/sh
# Play softly while a command runs: duck.sh COMMAND…
. "${0%/*}/connection.sh"
volume=$(curl "$api/player" | member volume)
curl --request PATCH --json '{"volume": 0.1, "fade": 0.5}' "$api/player" >/dev/null
"$@"
curl --request PATCH --json "{\"volume\": $volume, \"fade\": 1}" "$api/player" >/dev/null
