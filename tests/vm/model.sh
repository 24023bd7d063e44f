#!/usr/bin/env bash
# What AVX-512 costs, without a machine that has it, as tables in Markdown: retired instructions of the
# operations, counted in the emulator, and cycles of the hot kernels by llvm-mca's models of CPUs.
set -euo pipefail
cd "$(dirname "$0")"
. ./machine.sh

need binutils bochs bochsbios vgabios xorriso isolinux syslinux-common cpio busybox-static llvm-19 python3

root=$vm/model-root
new_root "$root"
strip -o "$root/bin/guest" "$(guest_build build --manifest-path guest/Cargo.toml)"
echo "cost $no_rep /bin/guest cost portable avx2 avx512" >"$root/jobs"
boot model corei7_icelake_u "$root" "${LANEKEM_VM_SECONDS:-600}"
if ! grep -qx 'vm exit cost 0' "$vm/model/output.txt"; then
    tail -20 "$vm/model/output.txt"
    exit 1
fi
echo "Retired instructions, of an operation or for each key of a batch:"
echo
grep '^|' "$vm/model/output.txt"

# The portable inverse NTT is not among them: it begins with a comparison of addresses.
# Name, part of the symbol, arguments that decide its control flow: registers and values.
kernels=(
    "Keccak ×1, portable|portable6keccak7permute17h|"
    "Keccak ×1, avx2|avx26keccak7permute17h|"
    "Keccak ×1, avx512|avx5126keccak7permute17h|"
    "Keccak ×4, avx2|avx26keccak8permute417h|"
    "Keccak ×4, avx512|2x48permute417h|"
    "Keccak ×8, avx512|2x88permute817h|"
    "ntt, portable|portable3ntt3ntt17h|"
    "ntt, avx2|avx23ntt3ntt17h|"
    "ntt, avx512|avx5123ntt3ntt17h|"
    "inv_ntt, avx2|avx23ntt7inv_ntt17h|"
    "inv_ntt, avx512|avx5123ntt7inv_ntt17h|"
    "dot, k = 3, portable|portable3ntt3dot17h|rsi=3 rcx=3 r9=3"
    "dot, k = 3, avx2|avx23ntt3dot17h|rsi=3 rcx=3 r9=3"
    "dot, k = 3, avx512|avx5123ntt3dot17h|rsi=3 rcx=3 r9=3"
)
cpus=(icelake-server sapphirerapids znver4 znver5)
# Cargo does not know that the assembly is gone unless the build is, too.
rm -rf "$vm/cargo/$triple/release/deps"/lanekem-*.s "$vm/cargo/$triple/release/.fingerprint"/lanekem-*
# No debug information, so that the text is the functions.
guest_build rustc --manifest-path ../../Cargo.toml --package lanekem --lib -- --emit asm -C debuginfo=0
assembly=("$vm/cargo/$triple/release/deps"/lanekem-*.s)

echo
echo "Cycles of a call by $(llvm-mca-19 --version | sed -n 's/^ *\(.*LLVM version\)/\1/p'), of 8 calls in a row; loads do not wait for stores:"
echo
(IFS='|' && echo "| kernel | instructions | ${cpus[*]/%/ |}" | sed 's/ ||/ | /g')
echo "|---|--:|--:|--:|--:|--:|"
same=1
for kernel in "${kernels[@]}"; do
    IFS='|' read -r name symbol arguments <<<"$kernel"
    # Words, each an argument.
    # shellcheck disable=SC2086
    python3 trace.py "${assembly[0]}" "$symbol" $arguments >"$vm/trace.s"
    row="| $name | $(wc -l <"$vm/trace.s")"
    for cpu in "${cpus[@]}"; do
        cycles=$(llvm-mca-19 -mtriple=$triple -mcpu="$cpu" -iterations=8 "$vm/trace.s" |
            awk '/^Total Cycles:/ {printf "%.0f", $3 / 8}')
        row+=" | $cycles"
        [[ $cpu == znver4 ]] && zen4=$cycles
    done
    # The last column's CPU.
    ((cycles == zen4)) || same=0
    echo "$row |"
done
if ((same)); then
    echo
    echo "This LLVM has no model of Zen 5 of its own: znver5 is znver4."
fi
