#!/usr/bin/env bash
# Installs a wheel of scripts/package.sh in an empty environment and uses the program.
#
#   bash scripts/check_wheel.sh WHEEL
#
# It asks for the version, starts a server, compiles a conversation over HTTP, and stops the server. Needs python3
# with venv, and curl. PORT is the server's port, 18081 unless set.
set -euo pipefail
wheel=$(realpath "${1?the path of a wheel}")
port=${PORT-18081}

work=$(mktemp -d)
server=
cleanup() {
    [[ -z "$server" ]] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

fail() {
    echo "$1" >&2
    exit 1
}

echo "== what is in it"
python3 - "$wheel" <<'PYTHON'
import sys, zipfile
for entry in zipfile.ZipFile(sys.argv[1]).infolist():
    print(f"{entry.file_size:>12,} {entry.compress_size:>12,} {entry.filename}")
PYTHON

echo "== install it in an empty environment, without an index"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "$wheel"
others=$("$work/venv/bin/pip" list --format freeze | grep -Ev '^(pip|setuptools|wheel|contexture-compiler)==' || true)
[[ -z "$others" ]] || fail "it brought other packages: $others"

# The environment of this machine must not change what is checked.
program=(env --ignore-environment HOME="$work" PATH="$work/venv/bin" contexture)
echo "== version"
version=$("${program[@]}" --version)
echo "$version"
named=$(basename "$wheel" | cut -d- -f2)
[[ "$version" == "contexture $named" ]] || fail "the wheel is named $named, the program says $version"

echo "== serve"
"${program[@]}" serve --listen "127.0.0.1:$port" --database-url "sqlite:$work/contexture.db" 2>"$work/log" &
server=$!
curl --silent --fail --retry 20 --retry-connrefused --retry-delay 1 "http://127.0.0.1:$port/readyz" ||
    fail "the server does not start: $(cat "$work/log")"
echo

echo "== compile"
body=$(curl --silent --fail-with-body "http://127.0.0.1:$port/compile" \
    --header 'content-type: application/json' \
    --data '{"messages":[{"role":"user","content":"Hello"}],"target":"openai"}')
echo "${body:0:400}"
python3 - "$body" <<'PYTHON' || fail "the compiled payload is not the conversation"
import json, sys
payload = json.loads(sys.argv[1])["payload"]
sys.exit(payload["messages"] != [{"role": "user", "content": "Hello"}])
PYTHON

echo "== stop it"
kill -TERM "$server"
wait "$server" || fail "the server ends with $?"
server=
echo "the wheel works"
