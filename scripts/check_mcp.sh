#!/usr/bin/env bash
# Speaks MCP to this program with the official SDKs, over standard input and over HTTP.
#
#     scripts/check_mcp.sh target/debug/contexture DIR
#
# DIR gets a virtual environment and a node_modules folder, where it has none yet.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
if [ ! -x "$folder/venv/bin/python" ]; then
    python3 -m venv "$folder/venv"
fi
"$folder/venv/bin/python" -c 'import mcp' 2>/dev/null || "$folder/venv/bin/pip" install --quiet 'mcp<2'
[ -d "$folder/node/node_modules/@modelcontextprotocol/sdk" ] ||
    npm install --silent --prefix "$folder/node" @modelcontextprotocol/sdk

"$binary" serve --listen 127.0.0.1:0 --database-url memory: >"$folder/address" 2>"$folder/log" &
server=$!
trap 'kill $server' EXIT
until grep -q http "$folder/address"; do
    kill -0 $server || { cat "$folder/log"; exit 1; }
    read -rt 0.1 <> <(:) || true
done
url=$(grep -o 'http://[^ ]*' "$folder/address" | head -1)
rm -f "$folder/mcp.db"*
"$folder/venv/bin/python" "$here/check_mcp.py" "$binary" "sqlite:$folder/mcp.db" "$url/mcp"
(cd "$folder/node" && node "$here/check_mcp.mjs" "$binary" "sqlite:$folder/mcp.db" "$url/mcp")
