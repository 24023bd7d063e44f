#!/usr/bin/env bash
# Runs release builds of the suites in an emulated PC, on any x86-64 host.
#
#   run.sh [--cpu icelake]     AVX-512 as of Ice Lake: the suites on that backend alone, then the count
#                              of instructions over secrets
#   run.sh --cpu skylake-x     AVX-512 without VBMI: the crate must choose AVX2 and refuse AVX-512
#
# Everything it makes is in target/vm. The guest's console: target/vm/CPU/output.txt.
set -euo pipefail
cd "$(dirname "$0")"
. ./machine.sh

cpu=icelake
[[ ${1-} == --cpu ]] && cpu=${2-}
suites=(api accumulated)
case $cpu in
icelake)
    model=corei7_icelake_u best=avx512
    suites+=(lib acvp wycheproof wipe batch model faults)
    variables="LANEKEM_TEST_SHORT=1 LANEKEM_TEST_BACKENDS=avx512"
    ;;
skylake-x) model=corei7_skylake_x best=avx2 variables="LANEKEM_TEST_SHORT=1" ;;
*)
    echo "usage: run.sh [--cpu icelake|skylake-x]" >&2
    exit 2
    ;;
esac

need binutils bochs bochsbios vgabios xorriso isolinux syslinux-common cpio busybox-static

root=$vm/$cpu-root
new_root "$root"
job() { echo "$1 ${*:2}" >>"$root/jobs"; }

strip -o "$root/bin/guest" "$(guest_build build --manifest-path guest/Cargo.toml)"
job backends /bin/guest backends $best
[[ $cpu == icelake ]] && job count "$no_rep" /bin/guest count avx512 avx2
targets=()
for suite in "${suites[@]}"; do
    [[ $suite == lib ]] && targets+=(--lib) || targets+=(--test "$suite")
done
while read -r program; do
    suite=${program##*/} suite=${suite%-*}
    [[ $suite == lanekem ]] && suite=lib
    strip -o "$root/bin/$suite" "$program"
done < <(guest_build test --no-run --manifest-path ../../Cargo.toml --package lanekem "${targets[@]}")
for suite in "${suites[@]}"; do
    # The property tests of `model` take too long in an emulator.
    job "$suite" "$variables" "/bin/$suite" --test-threads=1 --nocapture --skip agrees_on_any
done
echo "vm cpu=$model built after $SECONDS s"

boot "$cpu" $model "$root" "${LANEKEM_VM_SECONDS:-870}"

output=$vm/$cpu/output.txt
passed=0
failed=0
# `test name ... ` and what the test prints share a line.
sed -E 's/^test [^ ]+ \.\.\. //' "$output" | grep -E ' backends?=|^backend=.* ' || true
while read -r name _; do
    lines=$(sed -n "/^vm begin $name\$/,/^vm exit $name /p" "$output")
    status=$(sed -n "s/^vm exit $name //p" <<<"$lines")
    read -r ok bad < <(awk '/^test result: / {ok += $4; bad += $6} END {print ok + 0, bad + 0}' <<<"$lines")
    if [[ $name == backends || $name == count ]]; then
        [[ $status == 0 ]] && ok=1
    fi
    # A program that crashed, hung or had no tests.
    if [[ $status != 0 || $ok == 0 ]] && ((bad == 0)); then bad=1; fi
    echo "vm program=$name exit=${status:-none} passed=$ok failed=$bad"
    ((bad == 0)) || tail -30 <<<"$lines"
    passed=$((passed + ok))
    failed=$((failed + bad))
done <"$root/jobs"
grep -q 'reboot: Power down' "$output" || echo "vm: the guest did not power off in time"
echo "vm cpu=$model ended after $SECONDS s"
echo "$passed passed, $failed failed"
((failed == 0))
