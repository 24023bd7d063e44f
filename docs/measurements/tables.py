#!/usr/bin/env python3
"""Tables of docs/performance.md from a run of crates/peers: tables.py zen4-peers.jsonl"""

import json
import sys
from collections import defaultdict

SETS = [512, 768, 1024]
BACKENDS = {"lanekem": "AVX-512", "lanekem-avx2": "AVX2", "lanekem-portable": "portable"}
AT_MOST_AVX2 = ["libcrux-avx2", "pqcrypto"]
PORTABLE = ["libcrux-portable", "fips203", "ml-kem"]
PEERS = ["graviola", "aws-lc-rs", "libcrux-avx2", "pqcrypto", "rscrypto"] + PORTABLE
ROWS = {
    "keygen": "key generation",
    "encaps": "encapsulation",
    "server": "server: parse, encapsulate",
    "decaps": "decapsulation",
    "parse_decaps": "parse, decapsulate",
    "client": "client: key generation, decapsulation",
    "prepared_encaps": "encapsulation, matrix kept",
    "prepared_decaps": "decapsulation, matrix kept",
}
CHECKED = ("server", "parse_decaps")
BATCHES = {"keygen_batch64": "keygen", "encaps_batch64": "encaps", "decaps_batch64": "decaps"}


class Run:
    def __init__(self, lines):
        self.ns = {}
        self.checks = {}
        for figure in lines:
            if "op" in figure:
                key = figure["set"], figure["op"], figure["rng"], figure["peer"]
                self.ns[key] = figure["min_ns"]
                self.checks[key] = figure["checks"]

    def get(self, s, op, peer, rng=False):
        return self.ns.get((s, op, rng, peer))

    def cell(self, s, op, peer):
        """Of a library that cannot do without, the figure with its own randomness."""
        rng = self.get(s, op, peer) is None
        ns = self.get(s, op, peer, rng)
        if ns is None:
            return ""
        unchecked = op in CHECKED and not self.checks[s, op, rng, peer]
        return f"{ns / 1000:.2f}" + "†" * rng + "*" * unchecked

    def best(self, s, op, mine, peers, peer_op=None):
        """The least of peer ÷ lanekem, like with like."""
        ratios = []
        for peer in peers:
            for rng in (False, True):
                theirs = self.get(s, peer_op or op, peer, rng)
                # Without randomness where both have it so.
                if theirs is None or (rng and self.get(s, peer_op or op, peer) is not None):
                    continue
                if op in CHECKED and not self.checks[s, op, rng, peer]:
                    continue
                ratios.append((theirs / self.get(s, op, mine, rng), peer))
        return min(ratios)


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def ratios(title, run, mine, peers):
    print(title + "\n")
    ops = {op: op for op in ROWS} | BATCHES
    rows = []
    for op, peer_op in ops.items():
        best = [run.best(s, op, mine, peers, peer_op) for s in SETS]
        rows.append([op] + [f"{ratio:.2f} ({peer})" for ratio, peer in best])
    table(["best peer ÷ lanekem", "512", "768", "1024"], rows)


def itself(run):
    def row(name, cell):
        return [name] + [f"{cell(s):.2f}" for s in SETS]

    def quotient(a, b):
        return lambda s: run.get(s, *a) / run.get(s, *b)

    fast, avx2, portable = BACKENDS
    rows = [
        row(f"{op}: AVX2 ÷ AVX-512", quotient((op, avx2), (op, fast)))
        for op in ("keygen", "encaps", "decaps", "compact_decaps", "parse_decaps", "prepared_encaps", "client")
    ]
    for op in ("keygen", "encaps", "decaps"):
        rows.append(
            row(f"{op} with AVX2 ÷ a key of 64 with AVX-512", quotient((op, avx2), (f"{op}_batch64", fast)))
        )
    for mine in (avx2, fast):
        for op in ("keygen", "encaps", "decaps"):
            name = f"{op}: single ÷ a key of 64, {BACKENDS[mine]}"
            rows.append(row(name, quotient((op, mine), (f"{op}_batch64", mine))))
    for op, theirs in [("keygen", "keygen"), ("encaps", "encaps"), ("decaps", "decaps"), ("compact_decaps", "decaps")]:
        rows.append(
            row(f"{op}: fastest portable peer ÷ portable lanekem", lambda s: run.best(s, op, portable, PORTABLE, theirs)[0])
        )
    table(["", "512", "768", "1024"], rows)


def main():
    with open(sys.argv[1]) as file:
        run = Run(map(json.loads, file))
    head = ["µs"] + [f"**lanekem** {name}" for name in BACKENDS.values()] + PEERS
    for s in SETS:
        print(f"### ML-KEM-{s}\n")
        table(head, [[name] + [run.cell(s, op, p) for p in [*BACKENDS, *PEERS]] for op, name in ROWS.items()])
    ratios("AVX-512", run, "lanekem", PEERS)
    ratios("AVX2 forced", run, "lanekem-avx2", PEERS)
    ratios("AVX2 against AVX2", run, "lanekem-avx2", AT_MOST_AVX2)
    itself(run)


if __name__ == "__main__":
    main()
