#!/bin/sh
# Play an announcement, then go on where the music was: announce.sh MEDIUM
. "${0%/*}/connection.sh"
curl --json '{}' "$api/player/pause" >/dev/null && music=$(curl "$api/player/item" | member id) || exit
time=$(curl "$api/player/time" | member currentTime)
curl --json "{\"entries\": [{\"url\": $(json "$1")}], \"after\": \"$music\", \"play\": true}" "$api/queue" >/dev/null || exit
curl --request PUT --json '{"endOfItem": true}' "$api/sleep-timer" >/dev/null
announcement=$(curl "$api/player/item" | member id)
wait_for '"rate":0,'
curl --json "{}" "$api/queue/previous" >/dev/null
curl --json "{\"time\": $time}" "$api/player/seek" >/dev/null
curl --json '{"fade": 1}' "$api/player/play"
curl --request DELETE "$api/queue/$announcement" >/dev/null
