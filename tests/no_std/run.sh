#!/usr/bin/env bash
# Links lanekem without std, alloc and libc, runs the program, and shows that nothing of them is in it.
set -euo pipefail
cd "$(dirname "$0")"

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
cargo build --quiet --locked --release
program=$CARGO_TARGET_DIR/release/lanekem-no-std

status=0
"$program" || status=$?
if ((status != 0)); then
    echo "no_std: the program failed with exit status $status"
    exit 1
fi
if nm -C "$program" | grep -E '\b(std|alloc)::|__rust_(alloc|dealloc|realloc)|__rdl_|__libc|@GLIBC' ||
    readelf -d "$program" | grep NEEDED || nm -u "$program" | grep .; then
    echo "no_std: these symbols should not be there"
    exit 1
fi
count=$(nm "$program" | wc -l)
size=$(size "$program" | awk 'END {print $1}')
echo "no_std: ok, exit status 0; none of $count symbols is of std, alloc or libc; $size bytes of code"
