# The functions and settings that the scripts of this folder share.
# TONEARM is the address of the server, TONEARM_TOKEN_FILE the file with its token, if it requires one.
api=${TONEARM:-http://127.0.0.1:7711}/api/v1

# curl, with the token. A refusal is a failure, and its problem document is printed.
curl() {
    command curl --silent --show-error --fail-with-body ${TONEARM_TOKEN_FILE:+--oauth2-bearer "$(cat "$TONEARM_TOKEN_FILE")"} "$@"
}

# Prints a text as a JSON string.
json() { printf '"%s"' "$(printf %s "$1" | sed 's/["\\]/\\&/g')"; }

# Prints media as entries of the queue.
entries() {
    separator=
    for medium; do
        printf '%s{"url": %s}' "$separator" "$(json "$medium")"
        separator=', '
    done
}

# Prints the first value of a member in the JSON of standard input. Fails if there is none.
member() {
    grep -oE '"'"$1"'":("(\\.|[^"\\])*"|[^][{}",]+)' | head -n 1 | sed -E 's/^[^:]*://; s/^"(.*)"$/\1/; s/\\(["\\/])/\1/g' | grep .
}

# Prints the data of each event of a type, in one line each, also after a restart of the server.
events() {
    while :; do
        curl --no-buffer "$api/events?types=$1" | sed --unbuffered -n 's/^data: //p'
        sleep 1
    done
}

# Waits until the JSON of the player's state contains a text. The server answers when the state has changed.
wait_for() {
    tag=
    while state=$(curl --include --header "If-None-Match: $tag" "$api/player?wait=60"); do
        case $state in *"$1"*) return ;; esac
        tag=$(printf '%s\n' "$state" | tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')
    done
}
