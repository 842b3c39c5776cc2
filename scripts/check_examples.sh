#!/usr/bin/env bash
# Runs the examples for the providers' SDKs against a server of this program and a provider that
# never was, which checks the requests it gets.
#
#     scripts/check_examples.sh target/debug/contexture DIR
#
# DIR gets a virtual environment and a node_modules folder, where it has none yet.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2/node"
folder=$(realpath "$2")
examples=$(realpath "$(dirname "$0")/../examples/sdks")
python=$folder/venv/bin/python
[ -x "$python" ] || python3 -m venv "$folder/venv"
"$python" -c 'import openai, anthropic, google.genai, langchain, langchain_openai' 2>/dev/null ||
    "$folder/venv/bin/pip" install --quiet openai anthropic google-genai langchain langchain-openai
"$folder/venv/bin/pip" install --quiet "$examples/../../clients/python"
client=$examples/../../clients/typescript
[ -d "$client/node_modules" ] || npm ci --silent --prefix "$client"
tarball=$(cd "$client" && npm pack --silent --pack-destination "$folder" | tail -1)
[ -d "$folder/node/node_modules/ai" ] ||
    npm install --silent --prefix "$folder/node" ai @ai-sdk/openai-compatible zod
npm install --silent --prefix "$folder/node" "$folder/$tarball"

"$binary" serve --listen 127.0.0.1:0 --database-url memory: >"$folder/address" 2>"$folder/log" &
server=$!
"$python" "$examples/provider.py" 0 >"$folder/port" &
provider=$!
trap 'kill $server $provider' EXIT
until grep -q http "$folder/address" && [ -s "$folder/port" ]; do
    kill -0 $server $provider || { cat "$folder/log"; exit 1; }
    read -rt 0.1 <> <(:) || true
done
url=http://127.0.0.1:$(cat "$folder/port")
CONTEXTURE_URL=$(grep -o 'http://[^ ]*' "$folder/address" | head -1)
export CONTEXTURE_URL OPENAI_API_KEY=none OPENAI_BASE_URL=$url/v1 ANTHROPIC_API_KEY=none
export ANTHROPIC_BASE_URL=$url GEMINI_API_KEY=none GOOGLE_GEMINI_BASE_URL=$url

for example in openai_sdk anthropic_sdk gemini_sdk langchain_sdk; do
    answer=$("$python" "$examples/$example.py" 2>"$folder/$example.log") ||
        { cat "$folder/$example.log"; exit 1; }
    [ "$answer" = "Unit 7 fails: no such column." ] || { echo "$example answered: $answer"; exit 1; }
    echo "$example: $(grep tokens "$folder/$example.log" | tail -1)"
done
# Packages are looked up beside the file.
cp "$examples/vercel_ai_sdk.mjs" "$folder/node/"
answer=$(cd "$folder/node" && node vercel_ai_sdk.mjs 2>"$folder/vercel.log") || { cat "$folder/vercel.log"; exit 1; }
[ "$answer" = "Unit 7 fails: no such column." ] || { echo "vercel_ai_sdk answered: $answer"; exit 1; }
echo "vercel_ai_sdk: $(tail -1 "$folder/vercel.log")"
