#!/bin/sh
# Draw the track: waveform.sh
. "${0%/*}/connection.sh"
item=$(curl "$api/player/item" | member id) || exit
curl "$api/items/$item/waveform?points=60&wait=60" | sed 's/.*"rms":\[//; s/\].*//' | grep -o '[^,]*' | while read -r level; do
    case $level in
    0.00* | 0 | *e-*) printf '▁' ;; 0.0[1-4]*) printf '▂' ;; 0.0*) printf '▃' ;; 0.1[0-4]*) printf '▄' ;;
    0.1*) printf '▅' ;; 0.2*) printf '▆' ;; 0.3*) printf '▇' ;; *) printf '█' ;;
    esac
done
