#!/bin/sh
# Play a book from the position that bookmark.sh has saved: resume.sh FILE
. "${0%/*}/connection.sh"
curl --request PUT --json "@$1" "$api/player/item?wait=10"
