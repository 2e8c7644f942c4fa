//! The libraries of the hostile AIs: those in C are compiled here, those in Rust are examples of
//! `test-ais`.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

/// Compiles a source in `ais` to a library in this folder.
pub(crate) fn compile(source: &str, folder: &Path, flags: &[&str]) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attack/ais");
    let library = folder.join(format!("lib{}.so", source.trim_end_matches(".c")));
    let output = Command::new("cc")
        .args([
            "-std=gnu11",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fPIC",
            "-shared",
            "-pthread",
            "-I",
        ])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../ai-api/include"))
        .args(flags)
        .arg(tests.join(source))
        .arg("-o")
        .arg(&library)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    library
}

/// Compiles a source in `ais` to a program in this folder.
pub(crate) fn compile_program(source: &str, folder: &Path, flags: &[&str]) -> PathBuf {
    let program = folder.join(source.trim_end_matches(".c"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/attack/ais")
        .join(source);
    let mut compiler = Command::new("cc");
    compiler
        .args([
            "-std=gnu11",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-static",
        ])
        .args(flags)
        .arg(source);
    let output = compiler.arg("-o").arg(&program).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// Compiles a source in C, or copies an example, into a folder. Returns the file name.
pub(crate) fn provide(library: &str, folder: &TempDir) -> String {
    if Path::new(library)
        .extension()
        .is_some_and(|extension| extension == "c")
    {
        compile(library, folder.path(), &[]);
        return format!("lib{}.so", library.trim_end_matches(".c"));
    }
    let name = format!("lib{library}.so");
    fs::copy(test_kit::built(library), folder.path().join(&name)).unwrap();
    name
}
