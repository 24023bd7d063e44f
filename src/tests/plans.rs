//! Permutation calls of each operation.
