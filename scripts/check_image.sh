#!/usr/bin/env bash
# Runs the steps of the Dockerfile by hand, where there is no container engine.
#
#   sudo bash scripts/check_image.sh            builds, as the Dockerfile does
#   sudo bash scripts/check_image.sh PROGRAM    takes a program that is built already
#
# It builds from the files that .dockerignore lets through and no others, puts the program and
# the libraries that it names into an empty folder, and starts it there: the folder is the root
# and read-only but for /data, the user is 65532, nothing of the environment is left but the
# image's own. Then it asks for the health as the image does, compiles, stores a text, and stops
# the program. Needs root (for chroot and mount), curl and ldd.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
port=${PORT:-18080}
server=
cleanup() {
    [[ -z "$server" ]] || kill "$server" 2>/dev/null || true
    umount "$work/root/data" 2>/dev/null || true
    umount "$work/root" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

program=${1-}
if [[ -z "$program" ]]; then
    echo "== build from what .dockerignore lets through"
    mkdir "$work/src"
    sed -n 's/^!//p' .dockerignore | tar --create --files-from - | tar --extract -C "$work/src"
    export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
    (cd "$work/src" && cargo build --release --locked --bin contexture)
    program=$CARGO_TARGET_DIR/release/contexture
fi

echo "== the files of the image"
mkdir -p "$work/root/usr/local/bin" "$work/root/data"
cp "$program" "$work/root/usr/local/bin/contexture"
ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$work/root$(dirname "$library")"
    cp --dereference "$library" "$work/root$library"
done
mount --bind "$work/root" "$work/root"
mount --options remount,ro,bind "$work/root"
mount --types tmpfs --options uid=65532,gid=65532,mode=700 data "$work/root/data"
(cd "$work/root" && find . -type f | sort)

inside=(
    env --ignore-environment CONTEXTURE_LISTEN="0.0.0.0:$port" CONTEXTURE_LOG_FORMAT=json
    CONTEXTURE_DATABASE_URL=sqlite:/data/contexture.db
    "$(command -v chroot)" --userspec=65532:65532 "$work/root" /usr/local/bin/contexture
)

echo "== start it without the word that it asks for"
if "${inside[@]}" serve 2>"$work/refusal"; then
    echo "it listens to everybody unasked" >&2
    exit 1
fi
grep -- --allow-anonymous "$work/refusal"

echo "== start it"
"${inside[@]}" serve --allow-anonymous &
server=$!
curl --silent --fail --retry 10 --retry-connrefused --retry-delay 1 \
    "http://127.0.0.1:$port/readyz"
echo
echo "== health, as the image asks for it"
"${inside[@]}" health

echo "== compile"
curl --silent --fail-with-body "http://127.0.0.1:$port/compile" \
    --header 'content-type: application/json' \
    --data '{"messages":[{"role":"user","content":"Hello"}],"target":"openai"}'
echo
echo "== store"
seq 9000 | curl --silent --fail-with-body "http://127.0.0.1:$port/artifacts" \
    --header 'content-type: text/plain' --data-binary @- | grep --only-matching '"id":"[^"]*"'
echo "== stop it"
kill -TERM "$server"
wait "$server"
server=
echo "== health of a stopped one"
if "${inside[@]}" health; then
    echo "health says yes of a server that is not there" >&2
    exit 1
fi
echo "the steps of the Dockerfile work"
