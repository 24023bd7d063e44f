//! Constant time under valgrind: memcheck takes undefined memory for what no branch and no address
//! may depend on, so each case marks its secrets undefined, runs an operation and counts what
//! memcheck reported. Secrets stay undefined until the operation has returned; the crate itself marks
//! nothing but ρ as public (`--cfg lanekem_ctgrind`).

mod cases;
mod controls;
mod one_time;
mod taint;

use crabgrind::valgrind::{RunningMode, count_errors, running_mode};
use lanekem::{Backend, MlKem512, MlKem768, MlKem1024};
use std::process::ExitCode;

#[cfg(not(lanekem_ctgrind))]
compile_error!("ρ would stay secret: build with RUSTFLAGS='--cfg lanekem_ctgrind'");

/// What a backend's cases add up to.
struct Suite {
    backend: Backend,
    cases: usize,
    errors: usize,
}

impl Suite {
    /// Runs one case, errors of memcheck within it counted.
    fn case(&mut self, name: &str, run: impl FnOnce()) {
        let name = format!("backend={} {name}", self.backend);
        let errors = errors_of(&name, run);
        println!("{name} errors={errors}");
        self.cases += 1;
        self.errors += errors;
    }
}

/// How often memcheck reported something while `run` ran. The log has the name above the reports.
fn errors_of(name: &str, run: impl FnOnce()) -> usize {
    taint::log(name);
    let before = count_errors();
    run();
    count_errors() - before
}

fn main() -> ExitCode {
    if running_mode() != RunningMode::Valgrind {
        eprintln!("not under valgrind: see run.sh");
        return ExitCode::FAILURE;
    }
    let cpu = if cfg!(target_feature = "avx2") { "x86-64-v3" } else { "x86-64" };
    let build = format!("opt={} cpu={cpu}", env!("OPT_LEVEL"));
    let mut passed = controls::run();
    for &backend in Backend::ALL {
        if backend.force().is_err() {
            // memcheck emulates a CPU of AVX2 at most and says so in CPUID.
            println!("ctgrind backend={backend} {build} skipped: not on the CPU valgrind shows");
            continue;
        }
        let mut suite = Suite { backend, cases: 0, errors: 0 };
        cases::shared_secret(&mut suite);
        cases::run::<MlKem512>(&mut suite);
        cases::run::<MlKem768>(&mut suite);
        cases::run::<MlKem1024>(&mut suite);
        one_time::run::<MlKem512>(&mut suite);
        one_time::run::<MlKem768>(&mut suite);
        one_time::run::<MlKem1024>(&mut suite);
        println!("ctgrind backend={backend} {build} cases={} errors={}", suite.cases, suite.errors);
        passed &= suite.errors == 0;
    }
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
