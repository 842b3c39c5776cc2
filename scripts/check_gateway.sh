#!/usr/bin/env bash
# Runs LiteLLM's guardrail and headroom's published clients against a server of this program, and the SDKs of
# providers and agents through its gateway (gateway_clients.py).
#
#     scripts/check_gateway.sh target/debug/contexture DIR
#
# DIR gets a virtual environment and a node_modules folder, where it has none yet.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
if [ ! -x "$folder/venv/bin/python" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet 'litellm[proxy]' fastapi headroom-ai 'mcp<2' openai anthropic google-genai
fi
if [ ! -x "$folder/aider/bin/aider" ]; then
    python3 -m venv "$folder/aider"
    "$folder/aider/bin/pip" install --quiet aider-chat
fi
[ -d "$folder/node/node_modules/headroom-ai" ] || npm install --silent --prefix "$folder/node" headroom-ai \
    @anthropic-ai/claude-code @openai/codex opencode-ai @google/gemini-cli

"$binary" serve --listen 127.0.0.1:0 --database-url memory: >"$folder/address" 2>"$folder/log" &
server=$!
trap 'kill $server' EXIT
until grep -q http "$folder/address"; do
    kill -0 $server || { cat "$folder/log"; exit 1; }
    read -rt 0.1 <> <(:) || true
done
url=$(grep -o 'http://[^ ]*' "$folder/address" | head -1)
"$folder/venv/bin/python" "$here/check_gateway.py" "$url"
(cd "$folder/node" && node "$here/check_gateway.mjs" "$url")
"$folder/venv/bin/python" "$here/gateway_clients.py" "$binary" --bin "$folder/node/node_modules/.bin" \
    --aider "$folder/aider/bin/aider"
