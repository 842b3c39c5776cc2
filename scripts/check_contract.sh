#!/usr/bin/env bash
# Holds a running server to the API's description with schemathesis (PyPI), every check of it on.
#
#   pip install schemathesis
#   scripts/check_contract.sh [PROGRAM] [EXAMPLES]
#
# PROGRAM: the binary, target/release/contexture when absent. EXAMPLES: generated requests an
# operation, 100 when absent. The stream of events has no end and is left to its own tests.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-target/release/contexture}
examples=${2:-100}
work=$(mktemp --directory)
server=
finish() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# With a key from the start, or the first one that is made would shut all others out.
export CONTEXTURE_BOOTSTRAP_KEY=contract-check-of-at-least-32-characters
"$program" serve --listen 127.0.0.1:0 --database-url "sqlite:$work/contract.db" --dev \
    >"$work/out" 2>"$work/log" &
server=$!
for _ in $(seq 100); do
    url=$(sed -n 's/^listening on //p' "$work/out")
    [[ -z $url ]] || break
    kill -0 "$server"
    sleep 0.1
done
schemathesis --config-file scripts/schemathesis.toml run "$url/openapi.json" \
    --phases examples,coverage,fuzzing,stateful --max-examples "$examples" \
    --header "authorization: Bearer $CONTEXTURE_BOOTSTRAP_KEY" --continue-on-failure --exclude-path /events --seed 1 --warnings off
kill -0 "$server"
! grep --extended-regexp 'panicked|"code":"internal"' "$work/log"
echo "the server answers as it is described"
