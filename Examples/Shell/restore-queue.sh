#!/bin/sh
# Replace the queue by one that save-queue.sh has saved, at its position: restore-queue.sh FILE
. "${0%/*}/connection.sh"
curl --request PUT --json "@$1" "$api/queue"
