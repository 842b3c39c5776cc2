#!/usr/bin/env bash
# Checks the clients for Python and TypeScript: linters, type checkers, generated files, the cases of
# clients/conformance, and the built package in an empty folder, against the program.
#
#     scripts/check_clients.sh target/debug/contexture [python] [typescript]
#
# The tools are installed in target/clients-venv and clients/typescript/node_modules. A client whose
# tools neither are there nor can be fetched is skipped with a line that says so.
set -euo pipefail
binary=$(realpath "$1")
shift
cd "$(dirname "$0")/.."
export CONTEXTURE_BIN=$binary

step() { # NAME COMMAND...
    local start=$SECONDS name=$1
    shift
    "$@" || { printf '== clients: %s failed\n' "$name"; return 1; }
    printf '== clients: %s: %d s\n' "$name" "$((SECONDS - start))"
}

# A registry that can be reached makes a failed installation a fault; otherwise the client is skipped.
skip_unless_reachable() { # CLIENT REGISTRY COMMAND...
    if "${@:3}" >/dev/null 2>&1; then
        printf '== clients: the tools for %s cannot be installed, although %s can be reached\n' "$1" "$2"
        return 1
    fi
    printf '== clients: %s: skipped, %s cannot be reached\n' "$1" "$2"
}

# Runs tests that print their output only if one fails. A test that skips fails, too: everything that
# one needs was installed.
tests() { # PATTERN-OF-A-SKIP COMMAND...
    local output
    output=$("${@:2}" 2>&1) || { printf '%s\n' "$output"; return 1; }
    if grep -E "$1" <<<"$output"; then
        printf '%s\n' "$output"
        return 1
    fi
    tail -n 8 <<<"$output"
}

check_python() {
    local venv=$PWD/target/clients-venv
    # The client needs 3.10, the newest frameworks more.
    if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        printf '== clients: python: skipped, python3 is not 3.11 or later\n'
        return
    fi
    [[ -x $venv/bin/pip ]] || python3 -m venv "$venv" || {
        printf '== clients: python: skipped, python3 has no venv\n'
        return
    }
    if ! "$venv/bin/pip" install --quiet --disable-pip-version-check -e clients/python \
        -r clients/python/requirements-dev.txt; then
        skip_unless_reachable python 'the registry of pip' \
            "$venv/bin/pip" download --no-cache-dir --no-deps --dest "$venv/reachable" types-PyYAML
        return
    fi
    (
        cd clients/python
        step 'python: ruff' "$venv/bin/ruff" check --quiet .
        step 'python: mypy' "$venv/bin/mypy" --no-error-summary
        step 'python: generated files' "$venv/bin/python" scripts/generate.py --check
        step 'python: tests' tests '(^| )[0-9]+ skipped' "$venv/bin/pytest" -rs
    )
}

check_typescript() {
    if ! command -v npm >/dev/null; then
        printf '== clients: typescript: skipped, npm is not installed\n'
        return
    fi
    (
        cd clients/typescript
        if ! npm ci --no-audit --no-fund --silent; then
            skip_unless_reachable typescript 'the registry of npm' npm view --prefer-online typescript version
            exit
        fi
        step 'typescript: build' npm run --silent build
        step 'typescript: tsc' npm run --silent check
        step 'typescript: publint' npm run --silent lint
        step 'typescript: generated files' node scripts/generate.mjs --check
        step 'typescript: tests' tests '^(# |ℹ )skipped [1-9]' npm test --silent
    )
}

# Both at once, each with its output at its end: each is mostly one process at a time.
clients=("$@")
[[ $# -gt 0 ]] || clients=(python typescript)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
declare -A running
for client in "${clients[@]}"; do
    "check_$client" >"$folder/$client" 2>&1 &
    running[$client]=$!
done
status=0
for client in "${clients[@]}"; do
    wait "${running[$client]}" || status=1
    cat "$folder/$client"
done
exit $status
