#!/bin/sh
# Wait until the queue has been played, for instance before a shutdown: wait-for-end.sh
. "${0%/*}/connection.sh"
wait_for '"ended":true'
