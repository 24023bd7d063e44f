//! No start-up code, no libraries: the program brings its own entry point.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for arg in ["-nostartfiles", "-nostdlib", "-static", "-no-pie"] {
        println!("cargo::rustc-link-arg-bins={arg}");
    }
}
