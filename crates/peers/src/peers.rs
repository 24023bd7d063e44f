//! Which libraries there are, and how the worker of each is built.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// One column of the table.
pub struct Peer {
    pub name: String,
    /// Further arguments of the worker.
    pub args: Vec<String>,
    pub build: Build,
    /// What the lock file calls it.
    library: &'static str,
}

/// How a worker is built.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Build {
    /// `worker-…`, the package.
    worker: &'static str,
    /// The worker and all below it may use AVX2 everywhere.
    avx2: bool,
}

/// Name, worker, its argument, library, built with AVX2 on.
const OTHERS: [(&str, &str, &str, &str, bool); 9] = [
    ("aws-lc-rs", "worker-aws-lc-rs", "", "aws-lc-rs", false),
    ("graviola", "worker-graviola", "", "graviola", false),
    ("libcrux", "worker-libcrux", "", "libcrux-ml-kem", false),
    ("libcrux-avx2", "worker-libcrux", "", "libcrux-ml-kem", true),
    ("libcrux-portable", "worker-libcrux", "portable", "libcrux-ml-kem", false),
    ("pqcrypto", "worker-pqcrypto", "", "pqcrypto-mlkem", false),
    ("rscrypto", "worker-rscrypto", "", "rscrypto", false),
    ("ml-kem", "worker-ml-kem", "", "ml-kem", false),
    ("fips203", "worker-fips203", "", "fips203", false),
];

pub const LANEKEM: &str = "lanekem";

/// The peers that were asked for, all if none was named; lanekem once for each backend.
pub fn choose(names: &[String], backends: &[String]) -> Result<Vec<Peer>> {
    for name in names {
        let known = name == LANEKEM || OTHERS.iter().any(|(other, ..)| other == name);
        ensure!(known, "no peer is called {name}");
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    let lanekem = backends.iter().filter(|_| wanted(LANEKEM)).map(|backend| {
        let (name, args) = match backend.as_str() {
            "auto" => (LANEKEM.to_owned(), Vec::new()),
            forced => (format!("{LANEKEM}-{forced}"), vec![forced.to_owned()]),
        };
        Peer {
            name,
            args,
            build: Build { worker: "worker-lanekem", avx2: false },
            library: LANEKEM,
        }
    });
    let others = OTHERS.into_iter().filter(|(name, ..)| wanted(name)).map(
        |(name, worker, arg, library, avx2)| Peer {
            name: name.to_owned(),
            args: if arg.is_empty() { Vec::new() } else { vec![arg.to_owned()] },
            build: Build { worker, avx2 },
            library,
        },
    );
    Ok(lanekem.chain(others).collect())
}

impl Build {
    /// Builds the worker by itself, so that no other peer's choice of features reaches its dependencies.
    pub fn run(self) -> Result<PathBuf> {
        // Beside this program: <target>/release/peers.
        let exe = std::env::current_exe()?;
        let mut target = exe.ancestors().nth(2).context("not in a target folder")?.to_owned();
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        if self.avx2 {
            ensure!(has_avx2(), "this CPU has no AVX2");
            // Flags change the fingerprint of every crate below: a folder of its own keeps both builds.
            target.push("avx2");
            let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
            cargo.env("RUSTFLAGS", format!("{flags} -C target-feature=+avx2"));
            cargo.env_remove("CARGO_ENCODED_RUSTFLAGS");
        }
        eprintln!(
            "building {}{}",
            self.worker,
            if self.avx2 { " with AVX2 on throughout" } else { "" }
        );
        let status = cargo
            .args(["build", "--quiet", "--release", "--package", self.worker, "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .arg("--target-dir")
            .arg(&target)
            .status()
            .context("cargo does not start")?;
        if !status.success() {
            bail!("{} does not build here", self.worker);
        }
        Ok(target.join("release").join(self.worker).with_extension(std::env::consts::EXE_EXTENSION))
    }
}

fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The version of each peer, from the lock file.
pub fn versions(peers: &[Peer]) -> Result<BTreeMap<String, String>> {
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock"))?;
    let lock: toml::Table = lock.parse()?;
    let packages = lock
        .get("package")
        .and_then(toml::Value::as_array)
        .context("a lock file without packages")?;
    let version = |library: &str| {
        let package =
            packages.iter().find(|p| p.get("name").and_then(toml::Value::as_str) == Some(library));
        package.and_then(|p| p.get("version")?.as_str()).unwrap_or("unknown").to_owned()
    };
    Ok(peers.iter().map(|peer| (peer.name.clone(), version(peer.library))).collect())
}
