//! The libraries of the hostile AIs. C sources are compiled here, and Rust sources are examples of
//! `test-ais`.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use test_kit::run;

/// Compiles a source in `ais` to a library in this folder.
pub(crate) fn compile(source: &str, folder: &Path, flags: &[&str]) -> PathBuf {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ai-api/include");
    let header = format!("-I{}", header.display());
    let library = folder.join(format!("lib{}.so", source.trim_end_matches(".c")));
    let of_libraries = ["-fPIC", "-shared", "-pthread", &header];
    run_compiler(source, &library, &[&of_libraries, flags].concat());
    library
}

/// Compiles a source in `ais` to a program in this folder.
pub(crate) fn compile_program(source: &str, folder: &Path, flags: &[&str]) -> PathBuf {
    let program = folder.join(source.trim_end_matches(".c"));
    run_compiler(source, &program, &[&["-static"], flags].concat());
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

fn run_compiler(source: &str, to: &Path, flags: &[&str]) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attack/ais");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"]);
    run(compiler
        .args(flags)
        .arg(sources.join(source))
        .arg("-o")
        .arg(to));
}

/// Compiles a C source or copies an example into a folder. Returns the file name.
pub(crate) fn provide(library: &str, folder: &Path) -> String {
    if Path::new(library)
        .extension()
        .is_some_and(|extension| extension == "c")
    {
        compile(library, folder, &[]);
        return format!("lib{}.so", library.trim_end_matches(".c"));
    }
    let name = format!("lib{library}.so");
    fs::copy(test_kit::built(library), folder.join(&name)).unwrap();
    name
}
