#!/usr/bin/env bash
# Runs fuzz targets one after the other, each until it has had so many seconds of the processor,
# and prints a line a target: executions, seconds, and what was found.
#
#     scripts/fuzz_all.sh SECONDS [TARGET...]        all targets where none is named
#
# It needs `cargo install cargo-fuzz`. Texts that reach something new are kept in fuzz/corpus/ and
# are where the next run begins; what was found is a file in fuzz/artifacts/. Ends with 1 where
# something was found.
set -uo pipefail
cd "$(dirname "$0")/../fuzz"
export RUSTC_BOOTSTRAP=1

seconds=${1:?usage: fuzz_all.sh SECONDS [TARGET...]}
shift
targets=("$@")
if [ ${#targets[@]} = 0 ]; then
    mapfile -t targets < <(sed -n 's|^path = "targets/\(.*\)\.rs"$|\1|p' Cargo.toml)
fi
cargo fuzz build -s none || exit 1
folder=${CARGO_TARGET_DIR:-target}
host=$(rustc -vV | sed -n 's/^host: //p')

# Seconds that a process has had the processor.
spent() {
    local clock
    clock=$(ps -o cputimes= -p "$1" 2>/dev/null) && echo $((clock))
}

found=0
printf '%-26s %12s %8s %9s  %s\n' target executions seconds coverage findings
for target in "${targets[@]}"; do
    corpus=("corpus/$target")
    [ -d "seeds/$target" ] && corpus+=("seeds/$target")
    # Outputs of real programs: what these adapters are for.
    case $target in adapter*) corpus+=(../src/compress/adapter/fixtures) ;; esac
    mkdir -p "corpus/$target" "artifacts/$target"
    log=$(mktemp)
    "$folder/$host/release/$target" "${corpus[@]}" -artifact_prefix="artifacts/$target/" \
        -max_len=8192 -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 >"$log" 2>&1 &
    process=$!
    while clock=$(spent "$process") && [ "$clock" -lt "$seconds" ]; do
        clocked=$clock
        sleep 1
    done
    # Ends it with its figures; it is gone already where something was found.
    kill -USR1 "$process" 2>/dev/null
    if wait "$process"; then
        findings=none
    else
        findings=$(grep -o 'artifacts/[^ ;]*' "$log" | tail -1)
        findings="fuzz/${findings:-: see $log}"
        found=1
    fi
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    coverage=$(grep -o 'cov: [0-9]*' "$log" | tail -1)
    printf '%-26s %12s %8s %9s  %s\n' "$target" "${executions:-?}" "${clock:-${clocked:-0}}" \
        "${coverage#cov: }" "$findings"
    [ "$findings" = none ] && rm -f "$log"
done
exit $found
