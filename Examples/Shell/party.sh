#!/bin/sh
# Shuffle, crossfade and equal loudness, without end: party.sh [SEED]
. "${0%/*}/connection.sh"
curl --request PATCH --json '{"repeatMode": "all", "crossfadeDuration": 4, "loudnessNormalization": "track", "shuffleSeed": '"${1:-1}}" "$api/player"
