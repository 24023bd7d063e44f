#!/usr/bin/env bash
# Runs release builds of the suites in an emulated PC, on any x86-64 host.
#
#   run.sh [--cpu icelake]     AVX-512 as of Ice Lake: the suites on that backend alone, then the count
#                              of instructions over secrets
#   run.sh --cpu skylake-x     AVX-512 without VBMI: the crate must choose AVX2 and refuse AVX-512
#
# Everything it makes is in target/vm. Two machines share the suites, each on a core of the host; their
# consoles: target/vm/CPU-1/output.txt and target/vm/CPU-2/output.txt.
set -euo pipefail
cd "$(dirname "$0")"
. ./machine.sh

cpu=icelake
[[ ${1-} == --cpu ]] && cpu=${2-}
# Of each machine.
suites=(api accumulated) others=()
case $cpu in
icelake)
    model=corei7_icelake_u best=avx512
    suites+=(lib acvp wycheproof wipe batch model) others=(faults)
    variables="LANEKEM_TEST_SHORT=1 LANEKEM_TEST_BACKENDS=avx512"
    ;;
skylake-x) model=corei7_skylake_x best=avx2 variables="LANEKEM_TEST_SHORT=1" ;;
*)
    echo "usage: run.sh [--cpu icelake|skylake-x]" >&2
    exit 2
    ;;
esac

need binutils bochs bochsbios vgabios xorriso isolinux syslinux-common cpio busybox-static

root() { echo "$vm/$cpu-$1-root"; }
new_root "$(root 1)"
new_root "$(root 2)"
# job MACHINE NAME COMMAND...
job() { echo "$2 ${*:3}" >>"$(root "$1")/jobs"; }

guest=$(guest_build build --manifest-path guest/Cargo.toml)
strip -o "$(root 1)/bin/guest" "$guest"
strip -o "$(root 2)/bin/guest" "$guest"
job 1 backends /bin/guest backends $best
[[ $cpu == icelake ]] && job 2 count "$no_rep" /bin/guest count avx512 avx2
targets=() built=0
for suite in "${suites[@]}" "${others[@]}"; do
    [[ $suite == lib ]] && targets+=(--lib) || targets+=(--test "$suite")
done
while read -r program; do
    suite=${program##*/} suite=${suite%-*}
    [[ $suite == lanekem ]] && suite=lib
    machine=1
    [[ " ${others[*]} " != *" $suite "* ]] || machine=2
    strip -o "$(root $machine)/bin/$suite" "$program"
    # The property tests of `model` take too long in an emulator.
    job $machine "$suite" "$variables" "/bin/$suite" --test-threads=1 --nocapture --skip agrees_on_any
    built=$((built + 1))
done < <(guest_build test --no-run --manifest-path ../../Cargo.toml --package lanekem "${targets[@]}")
((built == ${#suites[@]} + ${#others[@]})) || { echo "vm: only $built suites were built" >&2; exit 1; }
echo "vm cpu=$model built after $SECONDS s"

# Made once, for both.
emulator >/dev/null
kernel >/dev/null
machines=(1)
[[ ! -s $(root 2)/jobs ]] || machines+=(2)
for machine in "${machines[@]}"; do
    boot "$cpu-$machine" $model "$(root "$machine")" "${LANEKEM_VM_SECONDS:-870}" &
done
wait

passed=0
failed=0
for machine in "${machines[@]}"; do
    output=$vm/$cpu-$machine/output.txt
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
    done <"$(root "$machine")/jobs"
    grep -q 'reboot: Power down' "$output" || echo "vm: the guest did not power off in time"
done
echo "vm cpu=$model ended after $SECONDS s"
echo "$passed passed, $failed failed"
((failed == 0))
