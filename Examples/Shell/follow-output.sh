#!/bin/sh
# Run a command with the output's name when the audio moves, for instance to headphones: follow-output.sh COMMAND…
. "${0%/*}/connection.sh"
events routeChange | while read -r _; do
    "$@" "$(curl "$api/player" | sed -nE 's/.*"output":\{("kind[^}]*)\}.*/\1/p' | member name)"
done
