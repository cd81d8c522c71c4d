#!/bin/sh
# Pause at the end of the chapter: stop-after-chapter.sh
. "${0%/*}/connection.sh"
curl --request PUT --json '{"endOfChapter": true}' "$api/sleep-timer"
