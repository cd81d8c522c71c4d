#!/bin/sh
# Print the values of a metric: metric.sh tonearm_http_requests_total
. "${0%/*}/connection.sh"
curl "${api%/api/v1}/metrics" | grep "^$1[ {]"
