#!/usr/bin/env bash
# lanekem and other libraries on an emulated Cortex-M4: NIST's vectors, then the tables of docs/embedded.md and
# their limits. Fails if a vector or a limit does.
#
# Takes a Rust toolchain with the target thumbv7em-none-eabi (added with rustup if missing), QEMU for ARM and
# GNU binutils (Debian: qemu-system-arm, binutils), and Python 3. What it measured stays in
# target/mcu/measured.txt.
set -euo pipefail
cd "$(dirname "$0")"
target=thumbv7em-none-eabi
# The folder that has the library's target directory, too.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../../target}/mcu

for program in qemu-system-arm size python3; do
    command -v $program >/dev/null || { echo "mcu: $program is missing" >&2; exit 2; }
done
if [[ ! -d $(rustc --print sysroot)/lib/rustlib/$target ]] && ! rustup target add $target; then
    echo "mcu: the toolchain has no target $target, and rustup could not add it" >&2
    exit 2
fi
mkdir -p "$CARGO_TARGET_DIR"
measured=$CARGO_TARGET_DIR/measured.txt

# image PROFILE LIBRARY NAME: runs it. Two minutes are ten times what the slowest takes.
image() {
    timeout 120 cargo run --quiet --locked --profile "$1" --features "$2" --bin "$3"
}
# flash LIBRARY: code and constants beyond those of an image without it.
flash() {
    local images=$CARGO_TARGET_DIR/$target/small set
    code() { size "$images/$1" | awk 'NR == 2 {print $1 + $2}'; }
    for set in 512 768 1024; do
        echo "flash library=$1 set=$set bytes=$(($(code flash$set) - $(code empty)))"
    done
}

image release lanekem acvp
for library in lanekem ml-kem fips203 libcrux; do
    cargo build --quiet --locked --profile small --features $library --bins
    flash $library
    image release $library measure | sed 's/^measure /&profile=release /'
    [[ $library != lanekem ]] || image small $library measure | sed 's/^measure /&profile=small /'
done >"$measured"
./report.py <"$measured"
