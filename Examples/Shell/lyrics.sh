#!/bin/sh
# Print the line of the lyrics that is heard now: lyrics.sh
. "${0%/*}/connection.sh"
item=$(curl "$api/player/item" | member id) && now=$(curl "$api/player/time" | member currentTime) || exit
curl "$api/items/$item/lyrics" | grep -oE '"time":[0-9.]+,"text":"(\\.|[^"\\])*"' | while read -r line; do
    time=${line#*:}
    [ "${time%%[.,]*}" -gt "${now%%.*}" ] || printf '%s\n' "$line" | member text
done | tail -n 1
