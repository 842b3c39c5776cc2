#!/usr/bin/env bash
# Writes what the program is made of, as CycloneDX: each crate with its version, licence and checksum.
#
#   bash scripts/sbom.sh [FILE]       contexture.cdx.json unless another name is given
#
# By cargo-cyclonedx, which it installs where it is missing. Crates that only tests, benchmarks or other
# platforms need are not in the list.
set -euo pipefail
file=$(realpath --canonicalize-missing "${1-contexture.cdx.json}")
cd "$(dirname "$0")/.."
command -v cargo-cyclonedx >/dev/null || cargo install --locked cargo-cyclonedx
cargo cyclonedx --format json --spec-version 1.5 --target x86_64-unknown-linux-gnu \
    --override-filename sbom
mv sbom.json "$file"
python3 - "$file" <<'PYTHON'
import json, sys
bom = json.load(open(sys.argv[1]))
listed = bom["components"]
print(f"{sys.argv[1]}: {len(listed)} components, {sum('licenses' not in one for one in listed)} without a licence")
PYTHON
