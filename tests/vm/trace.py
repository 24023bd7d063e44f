#!/usr/bin/env python3
"""The instructions that a function of a compiler's assembly executes, loops unrolled, for llvm-mca.

trace.py FILE.s SYMBOL [REGISTER=VALUE...]

SYMBOL is a part of the mangled name. Only loop counters and the arguments given are followed; a branch on
anything else is an error, so the function must be free of data-dependent ones. Calls are left out.
"""

import re
import sys

WIDE = {}
for name in "ax bx cx dx".split():
    for alias in (f"r{name}", f"e{name}", name, f"{name[0]}l"):
        WIDE[alias] = f"r{name}"
for name in "si di bp sp".split():
    for alias in (f"r{name}", f"e{name}", name, f"{name}l"):
        WIDE[alias] = f"r{name}"
for n in range(8, 16):
    for suffix in ("", "d", "w", "b"):
        WIDE[f"r{n}{suffix}"] = f"r{n}"

CONDITIONS = {
    "e": lambda d: d == 0,
    "ne": lambda d: d != 0,
    "b": lambda d: d < 0,
    "ae": lambda d: d >= 0,
    "be": lambda d: d <= 0,
    "a": lambda d: d > 0,
}
LIMIT = 200_000


def function(path, symbol):
    """Its instructions, and where its labels point."""
    code, labels, inside = [], {}, False
    for line in open(path):
        label = re.match(r"([\w.$]+):", line)
        if label and label[1].startswith("_ZN") and symbol in label[1] and not inside:
            inside = True
        elif inside and line.startswith(".Lfunc_end"):
            return code, labels
        if inside and label:
            labels[label[1]] = len(code)
        elif inside and (instruction := re.match(r"\t([a-z]\w*)(?:\t(.*))?$", line)):
            operands = re.findall(r"[^,(]*\([^)]*\)|[^,\s]+", (instruction[2] or "").split("#")[0])
            code.append((instruction[1], [o.strip() for o in operands], line.rstrip()))
    sys.exit(f"trace.py: no function {symbol}")


class State:
    """Known values of registers and of places on the stack."""

    def __init__(self, known):
        self.known = dict(known)

    def place(self, operand):
        if operand.startswith("%"):
            return WIDE.get(operand[1:])
        return operand if operand.endswith("(%rsp)") else None

    def get(self, operand):
        if operand.startswith("$"):
            return int(operand[1:], 0) if re.fullmatch(r"\$-?\w+", operand) and operand[-1].isdigit() else None
        return self.known.get(self.place(operand))

    def set(self, operand, value):
        place = self.place(operand)
        if place:
            self.known[place] = value


def trace(code, labels, known):
    state, flags, at, executed = State(known), None, 0, []
    while len(executed) < LIMIT:
        name, operands, line = code[at]
        at += 1
        jump = re.fullmatch(r"j([a-z]+)", name)
        if name == "retq":
            return executed
        if name == "callq":
            continue
        executed.append(line)
        if jump and operands[0] in labels:
            if jump[1] != "mp":
                if flags is None:
                    sys.exit(f"trace.py: a branch on data: {line.strip()}")
                if not CONDITIONS[jump[1]](flags):
                    continue
            at = labels[operands[0]]
            continue
        values = [state.get(o) for o in operands]
        base = re.sub(r"[bwlq]$", "", name)
        if base in ("cmp", "test"):
            a, b = values
            flags = None if a is None or b is None else (b - a if base == "cmp" else a & b)
        elif operands and not name.startswith("v"):
            target, result = operands[-1], None
            if base in ("mov", "movab", "movzb"):
                result = values[0]
            elif base == "xor" and operands[0] == target:
                result = 0
            elif base in ("add", "sub") and None not in values:
                result = values[1] + (values[0] if base == "add" else -values[0])
            elif base in ("inc", "dec") and values[0] is not None:
                result = values[0] + (1 if base == "inc" else -1)
            if base in ("add", "sub", "inc", "dec", "xor", "and", "or"):
                flags = result
            state.set(target, result)
    sys.exit("trace.py: no end")


def main():
    path, symbol, *arguments = sys.argv[1:]
    known = {}
    for argument in arguments:
        register, value = argument.split("=")
        known[register] = int(value)
    code, labels = function(path, symbol)
    print("\n".join(trace(code, labels, known)))


main()
