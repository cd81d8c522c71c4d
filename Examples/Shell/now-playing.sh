#!/bin/sh
# Print artist and title, for a status bar: now-playing.sh
. "${0%/*}/connection.sh"
item=$(curl "$api/player/item") || exit
printf '%s – %s\n' "$(printf %s "$item" | member artist)" "$(printf %s "$item" | member title)"
