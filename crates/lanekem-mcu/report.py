#!/usr/bin/env python3
"""Reads what the images printed; prints tables in Markdown and fails if a limit is passed."""

import sys

SETS = ["512", "768", "1024"]
OPS = ["keygen", "encaps", "decaps"]
CLOCKS_MHZ = [70, 168, 240]
# Assumed: most instructions take one cycle of a Cortex-M4, loads and taken branches two or three.
CYCLES_PER_INSTRUCTION = 1.5

FORMS = [
    ("release", "lanekem", "low-memory", "lanekem, low-memory"),
    ("small", "lanekem", "low-memory", "lanekem, low-memory, opt-level s"),
    ("release", "lanekem", "expanding", "lanekem, matrix made and kept for the call"),
    ("release", "lanekem", "ordinary", "lanekem, matrix kept in the key"),
    ("release", "libcrux", "-", "libcrux-ml-kem, portable"),
    ("release", "fips203", "-", "fips203"),
    ("release", "ml-kem", "-", "ml-kem"),
]
LOW, LOW_SMALL, EXPANDING, ORDINARY, LIBCRUX, FIPS203, ML_KEM = (form[:3] for form in FORMS)

LOW_STACK_LIMIT = {"512": 6 << 10, "768": 7 << 10, "1024": 8 << 10}
STACK_LIMIT = {
    LOW: LOW_STACK_LIMIT,
    LOW_SMALL: LOW_STACK_LIMIT,
    ORDINARY: {"512": 12 << 10, "768": 14 << 10, "1024": 16 << 10},
}
FLASH_LIMIT = 24 << 10
# SysTick counts once in so many instructions.
TICK = 40


def read(lines):
    measured, flash = {}, {}
    for line in lines:
        kind, *fields = line.split()
        fields = dict(field.split("=", 1) for field in fields if "=" in field)
        if kind == "measure":
            form = fields["profile"], fields["library"], fields["form"]
            numbers = {k: int(fields[k]) for k in ("runs", "mean", "min", "max", "stack", "pair", "ek", "ct")}
            measured[form, fields["set"], fields["op"]] = numbers
        elif kind == "flash":
            flash[fields["library"], fields["set"]] = int(fields["bytes"])
    return measured, flash


def table(title, head, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def operations_table(title, forms, cell):
    rows = [[name] + [" / ".join(cell(form, s, op) for s in SETS) for op in OPS] for *form, name in forms]
    table(title, ["512 / 768 / 1024"] + OPS, rows)


def report(measured, flash):
    def cell(field):
        return lambda form, s, op: f"{measured[tuple(form), s, op][field]:,}"

    def thousands(form, s, op):
        return f"{measured[tuple(form), s, op]['mean'] / 1000:,.0f}"

    runs = {m["runs"] for m in measured.values()}
    operations_table(f"Thousands of instructions, mean of {runs} runs", FORMS, thousands)
    operations_table("Instructions, minimum", FORMS, cell("min"))
    operations_table("Instructions, maximum", FORMS, cell("max"))
    operations_table("Peak stack, bytes", FORMS, cell("stack"))
    rows = []
    for *form, name in FORMS:
        of = [measured[tuple(form), s, "keygen"] for s in SETS]
        rows.append([name] + [" / ".join(f"{m[k]:,}" for m in of) for k in ("pair", "ek", "ct")])
    table("RAM, bytes", ["512 / 768 / 1024", "key pair", "peer's key", "ciphertext"], rows)
    libraries = dict.fromkeys(form[1] for form in FORMS)
    rows = [[library] + [f"{flash[library, s]:,}" for s in SETS] for library in libraries]
    table("Flash, bytes, three operations of one set at opt-level s", ["library"] + SETS, rows)
    rows = []
    for s in SETS:
        for op in OPS:
            cycles = measured[LOW, s, op]["mean"] * CYCLES_PER_INSTRUCTION
            rows.append([f"{s} {op}"] + [f"{cycles / mhz / 1000:.1f}" for mhz in CLOCKS_MHZ])
    table(
        f"Milliseconds, estimated at {CYCLES_PER_INSTRUCTION} cycles an instruction, low-memory",
        ["operation"] + [f"{mhz} MHz" for mhz in CLOCKS_MHZ],
        rows,
    )


def limits(measured, flash):
    """Yields what was compared and whether it holds."""
    for s in SETS:
        for op in OPS:
            low = measured[LOW, s, op]
            ordinary = measured[ORDINARY, s, op]
            for peer in (ML_KEM, FIPS203, LIBCRUX):
                most = measured[peer, s, op]["mean"]
                for mean in (low["mean"], ordinary["mean"]):
                    yield f"{s} {op}: {mean} instructions, {peer[1]} {most}", mean < most
            # From the same bytes: the form that makes the matrix first, or key generation.
            other = ordinary if op == "keygen" else measured[EXPANDING, s, op]
            yield f"{s} {op}: low-memory {low['mean']}, else {other['mean']}", low["mean"] <= 1.25 * other["mean"]
            for form, limit in STACK_LIMIT.items():
                stack = measured[form, s, op]["stack"]
                yield f"{s} {op}, {form[2]}, {form[0]}: {stack} bytes of stack, limit {limit[s]}", stack <= limit[s]
            if op != "keygen":
                # With the matrix at hand nothing is left whose length depends on any value.
                spread = ordinary["max"] - ordinary["min"]
                yield f"{s} {op}: instructions differ by {spread}", spread <= TICK
        size = flash["lanekem", s]
        yield f"{s}: {size} bytes of flash, limit {FLASH_LIMIT}", size <= FLASH_LIMIT


def main():
    measured, flash = read(sys.stdin)
    report(measured, flash)
    held = missed = 0
    print()
    for what, holds in limits(measured, flash):
        held += holds
        missed += not holds
        if not holds:
            print(f"MISSED {what}")
    print(f"mcu: {held} limits held, {missed} missed")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
