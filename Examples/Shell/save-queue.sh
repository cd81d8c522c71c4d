#!/bin/sh
# Save the queue and the position in a file, for restore-queue.sh: save-queue.sh FILE
. "${0%/*}/connection.sh"
index=$(curl "$api/player" | member index) && time=$(curl "$api/player/time" | member currentTime) && [ "$index" -ge 0 ] || exit
curl "$api/queue" | sed 's/{"id":/\n&/g' | sed -nE 's/^\{"id":"[^"]*",("url":"[^"]*")(.*(,"title":"(\\.|[^"\\])*"))?.*/{\1\3}/p' |
    paste -sd , - | sed "s/.*/{\"entries\": [&], \"startIndex\": $index, \"startTime\": $time}/" >"$1"
