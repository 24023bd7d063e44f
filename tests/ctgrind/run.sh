#!/usr/bin/env bash
# Builds the suite at several optimisation levels and runs each build under valgrind's memcheck.
# --quick: levels 3 and s alone. Needs valgrind and libclang (Debian: valgrind, libclang1-14,
# libclang-common-14-dev).
set -uo pipefail
cd "$(dirname "$0")"

builds=("1 x86-64" "2 x86-64" "3 x86-64" "s x86-64" "3 x86-64-v3")
[[ ${1-} == --quick ]] && builds=("3 x86-64" "s x86-64")

triple=x86_64-unknown-linux-gnu
target=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR=$target
mkdir -p "$target/ctgrind"
passed=0
failed=0
for build in "${builds[@]}"; do
    read -r opt cpu <<<"$build"
    program=$target/ctgrind/opt-$opt-$cpu
    log=$program.log
    # With an explicit target, build scripts and their dependencies are the same for all builds.
    if CARGO_PROFILE_RELEASE_OPT_LEVEL=$opt \
        RUSTFLAGS="--cfg lanekem_ctgrind -C target-cpu=$cpu" \
        cargo build --quiet --locked --release --target "$triple" &&
        cp "$target/$triple/release/lanekem-ctgrind" "$program" &&
        valgrind --quiet --error-limit=no --log-file="$log" "$program"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "ctgrind opt=$opt cpu=$cpu FAILED; first reports of $log:"
        # Without those of the controls, which are wanted.
        [[ -f $log ]] && awk '/^\*\*/ {wanted = /backend=/} wanted' "$log" | head -60
    fi
done
echo "$passed passed, $failed failed"
((failed == 0))
