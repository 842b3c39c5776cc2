#!/usr/bin/env bash
# Builds the program for one platform and packs it as releases have it.
#
#   bash scripts/package.sh [TRIPLE] [FOLDER]              builds; this machine's triple, target/packages
#   bash scripts/package.sh --wheel WHEEL TRIPLE [FOLDER]  packs the program of a wheel that is built already
#   bash scripts/package.sh --name TRIPLE                  prints the name of the archive, and nothing else
#
# FOLDER gets a wheel that carries the program, contexture-VERSION-TRIPLE.tar.gz (program, licence, README,
# completions, man pages; the same bytes for the same program), and SHA256SUMS of all packages in it. One build makes
# both: maturin builds, and the archive has the program of the wheel.
#
# Linux programs are linked by zig, so that they need no C library newer than GLIBC, 2.17 unless set, and that is
# checked. Others are linked by the platform's own tools, on it. For x86_64-unknown-linux-gnu, linking, packing and the wheel are tried;
# aarch64-unknown-linux-gnu and the triples of macOS are untried. Needs rustup, python3 with venv, and objdump for Linux;
# maturin and zig come from PyPI if they are not installed. Completions and man pages are written by the program itself:
# if it is for another platform, CONTEXTURE_BIN names one of the same version that runs here.
set -euo pipefail
cd "$(dirname "$0")/.."

wheel=
only_name=
case "${1-}" in
--wheel) wheel=$(realpath "$2") && shift 2 ;;
--name) only_name=yes && shift ;;
-*) echo "unknown flag: $1; known flags: --wheel, --name" >&2 && exit 2 ;;
esac
triple=${1-$(rustc -vV | sed -n 's/^host: //p')}
folder=${2-target/packages}
glibc=${GLIBC-2.17}
version=$(sed -n '/^\[package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=contexture-$version-$triple
if [[ -n "$only_name" ]]; then
    echo "$name.tar.gz"
    exit
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$1" >&2
    exit 1
}

linux=
[[ "$triple" != *-linux-gnu ]] || linux=yes
[[ "$triple" != *-apple-darwin || "$(uname)" == Darwin ]] || fail "$triple is built on macOS"

build() {
    export CARGO_TARGET_DIR="${CARGO_TARGET_DIR-$PWD/target}"
    if ! command -v maturin >/dev/null || ! { [[ -z "$linux" ]] || python3 -m ziglang version >/dev/null 2>&1; }; then
        python3 -m venv "$CARGO_TARGET_DIR/package-tools"
        export PATH="$CARGO_TARGET_DIR/package-tools/bin:$PATH"
        pip install --quiet --disable-pip-version-check maturin==1.16.0 ziglang==0.17.1
    fi
    rustup target add "$triple"
    local options=(--profile dist --locked --target "$triple" --out "$work/wheel")
    [[ -z "$linux" ]] || options+=(--zig --compatibility "manylinux_${glibc/./_}")
    (cd deploy/pypi && maturin build "${options[@]}")
    wheel=$(echo "$work"/wheel/*.whl)
}

[[ -n "$wheel" ]] || build

echo "== take the program out of the wheel"
root=$work/$name
mkdir -p "$root/completions" "$root/man/man1"
python3 - "$wheel" "$root/contexture" <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    [path] = [path for path in wheel.namelist() if path.endswith(".data/scripts/contexture")]
    with open(sys.argv[2], "wb") as program:
        program.write(wheel.read(path))
PYTHON
chmod 755 "$root/contexture"

if [[ -n "$linux" ]]; then
    newest=$(objdump -T "$root/contexture" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -Vu | tail -1)
    echo "== it needs glibc $newest"
    [[ "$(printf '%s\n' "$newest" "$glibc" | sort -V | tail -1)" == "$glibc" ]] ||
        fail "$triple must run with glibc $glibc, and needs $newest"
fi

echo "== completions and man pages"
speaker=$root/contexture
said=$("$speaker" --version 2>/dev/null) || {
    speaker=${CONTEXTURE_BIN?"the program of $triple does not run here: set CONTEXTURE_BIN to one that does"}
    said=$("$speaker" --version)
}
[[ "$said" == "contexture $version" ]] || fail "$speaker is \"$said\", not contexture $version"
"$speaker" completions bash >"$root/completions/contexture.bash"
"$speaker" completions zsh >"$root/completions/_contexture"
"$speaker" completions fish >"$root/completions/contexture.fish"
"$speaker" man --dir "$root/man/man1"
cp LICENSE README.md "$root/"

echo "== pack"
cp "$wheel" "$folder/"
python3 - "$root" "$folder" <<'PYTHON'
import gzip, hashlib, pathlib, sys, tarfile

root, folder = map(pathlib.Path, sys.argv[1:])


def plain(entry):
    """An entry without what differs from one machine to another."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.isdir() or entry.name.endswith("/contexture") else 0o644
    return entry


archive = folder / f"{root.name}.tar.gz"
with archive.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in [root, *sorted(root.rglob("*"))]:
            tar.add(path, path.relative_to(root.parent).as_posix(), recursive=False, filter=plain)
packages = sorted([*folder.glob("*.tar.gz"), *folder.glob("*.whl")])
lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in packages]
(folder / "SHA256SUMS").write_text("".join(lines))
for path in packages:
    print(f"{path.stat().st_size:>12,} {path.name}")
PYTHON
