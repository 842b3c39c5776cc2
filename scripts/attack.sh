#!/usr/bin/env bash
# Attacks running servers by every class of input in scripts/attack/, and prints one table: what was
# tried, what held, and the worst figure of each class.
#
#     scripts/attack.sh [--quick] [CLASS...]        all classes where none is named
#
# It builds the release binary, unless CONTEXTURE_BIN names one. Servers listen on free ports of the
# loopback, each with a database of its own that is removed. Needs Python alone; what needs more (network
# namespaces, strace, a mount, Chromium) says that it is skipped, and why. A run takes less than
# twenty minutes on two cores, and with --quick less than three. Ends with 1 where something did not hold.
set -euo pipefail
cd "$(dirname "$0")/.."

case " $* " in *" --help "* | *" -h "*) exec python3 scripts/attack --help ;; esac
if [ -z "${CONTEXTURE_BIN:-}" ]; then
    cargo build --release --locked
    CONTEXTURE_BIN=${CARGO_TARGET_DIR:-target}/release/contexture
fi
export CONTEXTURE_BIN
exec python3 scripts/attack "$@"
