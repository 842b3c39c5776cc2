#!/usr/bin/env bash
# Runs the receivers of examples/hooks and the page of examples/events against a server of this
# program: each hook must be seen at work in an answer, each compile on the page.
#
#     scripts/check_hooks.sh target/debug/contexture DIR
#
# DIR gets a virtual environment and a node_modules folder, where it has none yet. The page is opened
# in Chromium (Debian's package `chromium`).
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2/node"
folder=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
python=$folder/venv/bin/python
[ -x "$python" ] || python3 -m venv "$folder/venv"
"$python" -c 'import fastapi, uvicorn, standardwebhooks' 2>/dev/null ||
    "$folder/venv/bin/pip" install --quiet fastapi uvicorn standardwebhooks
[ -d "$folder/node/node_modules/playwright-core" ] ||
    npm install --silent --prefix "$folder/node" standardwebhooks tsx playwright-core
"$python" "$here/check_hooks.py" "$binary" "$folder"
(cd "$folder/node" && node "$here/check_events_page.mjs" "$binary")
