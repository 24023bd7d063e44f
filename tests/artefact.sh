#!/usr/bin/env bash
# Looks at the machine code: the program of tests/no_std, which is every operation and nothing else, at
# several optimisation levels, and the throughput tool.
# - No symbol of `core_arch`: an intrinsic that was not inlined is a call, 50 times slower.
# - No division instruction: its time depends on its operands.
# - A function that spills vectors of 32 or 64 bytes has its stack frame aligned to them, or each
#   spill may touch two cache lines. The compiler aligns no frame for spills alone. Level 3 only; the
#   builds are for plain x86-64, so that these are the functions that ask for AVX.
set -uo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
passed=0
failed=0

# check NAME FINDINGS: passes if there are none.
check() {
    if [[ -z $2 ]]; then
        passed=$((passed + 1))
        echo "artefact $1: ok"
    else
        failed=$((failed + 1))
        echo "artefact $1: FAILED"
        head -20 <<<"$2"
    fi
}

# CPU detection may call what it needs.
core_arch_symbols() {
    nm -C "$1" | grep core_arch | grep -vE '::(_xgetbv|__cpuid(_count)?)$'
}

# The prebuilt `core` is not ours; what is inlined from it is.
divisions() {
    objdump -dC --no-show-raw-insn "$1" | awk '
        /^[0-9a-f]+ <.*>:$/ { name = $0; ours = name !~ /<(core::|<.* as core::fmt)/ }
        ours && $2 ~ /^i?div[bwlq]?$/ { print name, $0 }'
}

# NAME SPILLS SIZE ALIGNMENT of each function that spills vectors, from the compiler's comments.
spills() {
    awk '
        /^\t\.type\t.*@function/ { split($2, part, ","); name = part[1]; spills = size = aligned = 0 }
        /\tandq\t\$-[0-9]+, %rsp/ && !aligned { split($2, part, /[-,]/); aligned = part[2] }
        /(32|64)-byte (Folded )?Spill/ { spills++; if (size < 32) size = 32 }
        /64-byte (Folded )?Spill/ { size = 64 }
        /^\t\.cfi_endproc/ && spills { print name, spills, size, aligned }' "$@" | c++filt | sed -E 's/\[[0-9a-f]{16}\]//g'
}

for opt in 3 s; do
    name="opt=$opt"
    dir=$target/artefact/opt-$opt
    # The assembly of an earlier build would be looked at too.
    rm -rf "$dir"
    # RUSTC_BOOTSTRAP: the comments in the assembly are an unstable option, which changes no code.
    if ! (cd tests/no_std &&
        RUSTC_BOOTSTRAP=1 RUSTFLAGS="--emit=asm -Z verbose-asm" \
            CARGO_TARGET_DIR=$dir CARGO_PROFILE_RELEASE_OPT_LEVEL=$opt \
            cargo build --quiet --locked --release); then
        check "$name build" "does not build"
        continue
    fi
    program=$dir/release/lanekem-no-std
    check "$name core_arch symbols" "$(core_arch_symbols "$program")"
    check "$name divisions" "$(divisions "$program")"
    [[ $opt == 3 ]] || continue
    found=$(spills "$dir"/release/deps/lanekem*.s)
    sed -E '/./!d; s/^(.*) ([0-9]+) ([0-9]+) ([0-9]+)$/  \2 spills of up to \3 bytes, frame aligned to \4: \1/' <<<"$found"
    check "$name frames of $(grep -c . <<<"$found") functions that spill vectors" \
        "$(awk '$NF < $(NF - 1)' <<<"$found")"
done

if cargo build --quiet --locked --release -p lanekem-speed; then
    check "lanekem-speed core_arch symbols" "$(core_arch_symbols "$target/release/lanekem-speed")"
else
    check "lanekem-speed build" "does not build"
fi
echo "$passed passed, $failed failed"
((failed == 0))
