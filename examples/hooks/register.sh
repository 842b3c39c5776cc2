#!/bin/sh
# Registers the four hooks of a receiver, all signed with the first secret of HOOK_SECRETS.
#
#     HOOK_SECRETS=whsec_... sh register.sh http://127.0.0.1:8131
#
# CONTEXTURE_URL is the server (http://127.0.0.1:8080), CONTEXTURE_KEY its key, if it needs one. Running it again changes
# nothing, so a deployment may run it each time.
set -eu
receiver=$1
server=${CONTEXTURE_URL:-http://127.0.0.1:8080}
secret=${HOOK_SECRETS%% *}

register() { # ID POINT KIND
    printf '{"point": "%s", "kind": "%s", "url": "%s/%s", "secret": "%s"}' "$2" "$3" "$receiver" "$1" "$secret" |
        curl --silent --show-error --fail-with-body --request PUT "$server/hooks/$1" \
            --header 'content-type: application/json' ${CONTEXTURE_KEY:+--header "authorization: Bearer $CONTEXTURE_KEY"} \
            --output /dev/null --data @-
    echo "registered $1: $3 at $2"
}

register rag before_compile provide
register redact tool_result transform
register veto memory_update guard
register audit memory_changed observe
