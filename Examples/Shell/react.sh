#!/bin/sh
# Run a command with the title and the URL of each new track: react.sh COMMAND…
. "${0%/*}/connection.sh"
events currentItemChanged | while read -r event; do
    "$@" "$(printf '%s\n' "$event" | member title)" "$(printf '%s\n' "$event" | member url)"
done
