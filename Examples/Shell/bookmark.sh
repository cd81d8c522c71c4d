#!/bin/sh
# Save the medium and its position in a file, for resume.sh: bookmark.sh FILE
. "${0%/*}/connection.sh"
url=$(curl "$api/player/item" | member url) && time=$(curl "$api/player/time" | member currentTime) &&
    printf '{"url": %s, "startTime": %s, "play": true}\n' "$(json "$url")" "$time" >"$1"
