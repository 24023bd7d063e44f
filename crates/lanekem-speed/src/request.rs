//! Which tests the options ask for.

use crate::cli::{RunArgs, chosen};
use crate::test::{Mode, Op, Set, Test};

/// Seconds a test of a tour through the operations, and of operations or modes that were named.
const SECONDS: [f64; 2] = [0.2, 3.0];

/// Operations a call where the options do not say.
const BATCH: usize = 64;

pub(crate) struct Request {
    pub(crate) tests: Vec<Test>,
    pub(crate) seconds: f64,
}

impl Request {
    pub(crate) fn of(args: &RunArgs) -> Result<Self, String> {
        let (ops, modes) = (chosen::<Op>(&args.op), chosen::<Mode>(&args.mode));
        let named = !ops.is_empty() || !modes.is_empty();
        let calls = calls(&ops, &modes, &args.batch)?;
        let mut tests = vec![];
        for set in chosen::<Set>(&args.set) {
            for &threads in &distinct(&args.threads) {
                tests.extend(calls.iter().map(|&(op, mode, batch)| Test {
                    set,
                    op,
                    mode,
                    batch,
                    threads,
                }));
            }
        }
        let seconds = args.seconds.unwrap_or(SECONDS[usize::from(named)]);
        Ok(Self { tests, seconds })
    }
}

/// Operation, mode and batch of each kind of call.
fn calls(ops: &[Op], modes: &[Mode], sizes: &[usize]) -> Result<Vec<(Op, Mode, usize)>, String> {
    let mut calls = vec![];
    for mode in the_modes(modes, sizes) {
        for op in the_ops(ops, mode, modes.is_empty()) {
            let sizes = match (mode, sizes) {
                (Mode::Batch, []) => vec![BATCH],
                (Mode::Prepared | Mode::Batch, [_, ..]) => distinct(sizes),
                _ => vec![1],
            };
            calls.extend(sizes.into_iter().map(|batch| (op, mode, batch)));
        }
    }
    if !sizes.is_empty() && !modes.is_empty() && !modes.iter().any(|mode| mode.takes_batch()) {
        return Err("--batch is for the modes batch and prepared".to_owned());
    }
    // All means all that there are.
    for &op in ops.iter().filter(|_| ops.len() < Op::ALL.len()) {
        if !calls.iter().any(|call| call.0 == op) {
            let modes: Vec<_> = modes.iter().map(|mode| mode.name()).collect();
            return Err(format!("{} has no form in the mode {}", op.name(), modes.join(", ")));
        }
    }
    Ok(calls)
}

/// A batch without a mode means the mode batch.
fn the_modes(modes: &[Mode], sizes: &[usize]) -> Vec<Mode> {
    match (modes, sizes) {
        ([], []) => vec![Mode::Single, Mode::Prepared, Mode::Batch],
        ([], _) => vec![Mode::Batch],
        _ => modes.to_vec(),
    }
}

/// Those of a mode. Where neither is named: what tells most in a short time.
fn the_ops(ops: &[Op], mode: Mode, tour: bool) -> Vec<Op> {
    let ops = match (ops, mode) {
        // A prepared decapsulation is a single one, as decapsulation keys keep their matrix.
        ([], Mode::Prepared) if tour => &[Op::Encaps][..],
        ([], Mode::Batch) if tour => &[Op::Keygen, Op::Encaps, Op::Decaps],
        ([], _) => &Op::ALL,
        _ => ops,
    };
    ops.iter().copied().filter(|&op| mode.does(op)).collect()
}

/// Each number once, where it is first.
fn distinct(numbers: &[usize]) -> Vec<usize> {
    let mut out = vec![];
    for &number in numbers {
        if !out.contains(&number) {
            out.push(number);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn tour() {
        let tour = calls(&[], &[], &[]).unwrap();
        assert_eq!(tour.len(), 9);
        assert_eq!(tour[5..7], [(Op::Encaps, Mode::Prepared, 1), (Op::Keygen, Mode::Batch, BATCH)]);
    }

    #[test]
    fn combinations() {
        let modes = |ops: &[Op], modes: &[Mode], sizes: &[usize]| {
            let calls = calls(ops, modes, sizes).unwrap();
            calls.into_iter().map(|(_, mode, batch)| (mode, batch)).collect::<Vec<_>>()
        };
        assert_eq!(modes(&[Op::Client], &[], &[]), [(Mode::Single, 1), (Mode::Batch, 64)]);
        assert_eq!(modes(&[Op::Client], &[], &[8, 9, 8]), [(Mode::Batch, 8), (Mode::Batch, 9)]);
        let all = modes(&[Op::Encaps], Mode::value_variants(), &[8]);
        assert_eq!(all, [(Mode::Single, 1), (Mode::Prepared, 8), (Mode::Batch, 8)]);
        assert_eq!(modes(&Op::ALL, &[Mode::Prepared], &[]).len(), 2);
        assert!(calls(&[Op::Keygen], &[Mode::Prepared], &[]).is_err());
        assert!(calls(&[Op::Encaps, Op::Server], &[Mode::Prepared], &[]).is_err());
        assert!(calls(&[], &[Mode::Single], &[8]).is_err());
    }
}
