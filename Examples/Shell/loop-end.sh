#!/bin/sh
# End the repetition of a part: loop-end.sh
. "${0%/*}/connection.sh"
curl --request DELETE "$api/player/loop"
