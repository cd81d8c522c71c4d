#!/bin/sh
# Pause after some minutes, without a program that waits: sleep-timer.sh MINUTES
. "${0%/*}/connection.sh"
curl --request PUT --json "{\"seconds\": $(($1 * 60))}" "$api/sleep-timer"
