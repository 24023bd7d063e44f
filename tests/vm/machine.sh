# For the scripts beside it: a PC emulated by Bochs, whose CPU models have AVX-512 where the host's CPU
# has not. Its RDTSC counts retired instructions.
#
#   boot NAME CPU ROOT SECONDS   boots ROOT as the initramfs and runs the jobs in ROOT/jobs, a line each:
#                                a name and a shell command. Console output goes to $vm/NAME/serial.txt,
#                                with `vm exit NAME STATUS` after each job.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
vm=${CARGO_TARGET_DIR:-$repository/target}/vm
mkdir -p "$vm"
vm=$(cd "$vm" && pwd)
triple=x86_64-unknown-linux-gnu

# For programs whose instructions are counted: the emulator counts each byte of a `rep stosb` or `rep
# movsb`, with which glibc fills and copies what is large; a CPU retires one instruction.
no_rep=GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=100000000:glibc.cpu.x86_rep_movsb_threshold=100000000

# Debian packages, installed if missing and if we may.
need() {
    local missing
    mapfile -t missing < <(for p in "$@"; do dpkg -s "$p" >/dev/null 2>&1 || echo "$p"; done)
    ((${#missing[@]} == 0)) && return
    if ((EUID != 0)); then
        echo "missing Debian packages: ${missing[*]}" >&2
        exit 2
    fi
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >&2
}

# guest_build COMMAND OPTION...: the paths of the programs that cargo builds. They are static, for the
# guest has no libraries; with --target, the flags leave procedural macros and build scripts alone.
guest_build() {
    CARGO_TARGET_DIR=$vm/cargo RUSTFLAGS='-C target-feature=+crt-static' \
        cargo "$1" --locked --release --target $triple --message-format=json-render-diagnostics "${@:2}" |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'
}

# Debian's kernel, unpacked and not installed.
kernel() {
    local image=$vm/kernel/vmlinuz package
    if [[ ! -f $image ]]; then
        mkdir -p "$vm/kernel"
        package=$(apt-cache depends linux-image-cloud-amd64 |
            awk '/Depends: linux-image-/ {print $2; exit}')
        (cd "$vm/kernel" && apt-get download -qq "$package" && dpkg -x linux-image-*.deb .) >&2
        cp "$vm"/kernel/boot/vmlinuz-* "$image"
    fi
    echo "$image"
}

# Bochs 2.7 computes (1 << n) - 1 in 32 bits for the n words that VPCOMPRESSW keeps, which is wrong for
# n = 32. The copy shifts in 64 bits: 0x41 becomes 0x49 in `mov $1, %r8d; shl %cl, %r8d; sub $1, %r8d`.
emulator() {
    local patched=$vm/bochs
    if [[ ! -f $patched ]]; then
        perl -0777 -pe 's/\x41\xb8\x01\0\0\0\K\x41(?=\xd3\xe0\x41\x83\xe8\x01)/\x49/g' \
            /usr/bin/bochs-bin >"$patched.new"
        if cmp -s /usr/bin/bochs-bin "$patched.new"; then
            echo "machine.sh: not the known build of Bochs: its VPCOMPRESSW may be wrong" >&2
        fi
        chmod +x "$patched.new"
        mv "$patched.new" "$patched"
    fi
    echo "$patched"
}

# An empty initramfs that runs jobs.
new_root() {
    rm -rf "$1"
    mkdir -p "$1"/{bin,dev,proc,tmp}
    cp /bin/busybox "$1/bin/"
    cat >"$1/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
# No line of the kernel's amid ours.
echo 1 >/proc/sys/kernel/printk
exec </dev/null >/dev/ttyS0 2>&1
while read -r name command; do
    echo "vm begin $name"
    /bin/busybox sh -c "$command" </dev/null
    echo "vm exit $name $?"
done </jobs
# The console's last characters are still to be sent.
/bin/busybox sleep 2
/bin/busybox poweroff -f
INIT
    chmod +x "$1/init"
    : >"$1/jobs"
}

boot() {
    local dir=$vm/$1 cpu=$2 root=$3 seconds=$4
    mkdir -p "$dir/iso/isolinux"
    cp "$(kernel)" "$dir/iso/vmlinuz"
    cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$dir/iso/isolinux/"
    # Not compressed, for unpacking would be emulated.
    (cd "$root" && find . | cpio --quiet -o -H newc) >"$dir/iso/initrd"
    # Bochs 2.7 reports wrong sizes for compacted XSAVE and faults on RDPID. Without a local APIC the timer
    # goes through the 8259, where a program can mask it.
    cat >"$dir/iso/isolinux/isolinux.cfg" <<'CFG'
default linux
prompt 0
timeout 1
label linux
  kernel /vmlinuz
  append initrd=/initrd console=ttyS0,115200 clearcpuid=xsavec,xsaves,pku,rdpid,fsrm,umip noxsaves mitigations=off quiet nokaslr tsc=reliable random.trust_cpu=on nosmp nolapic clocksource=tsc lpj=1000000
CFG
    xorriso -as mkisofs -quiet -b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot \
        -boot-load-size 4 -boot-info-table -o "$dir/disk.iso" "$dir/iso" >"$dir/xorriso.log" 2>&1
    # `ips`: emulated time is counted in instructions. Lower, the timer's interrupts take over; higher,
    # the firmware's delays do.
    cat >"$dir/bochsrc" <<RC
display_library: rfb, options="timeout=0"
config_interface: textconfig
megs: 1024
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
cpu: model=$cpu, count=1, ips=100000000, reset_on_triple_fault=0, ignore_bad_msrs=1
ata0-master: type=cdrom, path=disk.iso, status=inserted
boot: cdrom
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
com1: enabled=1, mode=file, dev=serial.txt
log: bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
clock: sync=none
RC
    # Debian's build starts in its debugger.
    echo c >"$dir/debugger"
    rm -f "$dir/serial.txt"
    # The exit status says nothing: power-off is not 0 either. Long paths crash Bochs.
    (cd "$dir" && timeout "$seconds" "$(emulator)" -q -f bochsrc -rc debugger </dev/null >bochs.out 2>&1) || true
    tr -d '\r' <"$dir/serial.txt" >"$dir/output.txt"
}
