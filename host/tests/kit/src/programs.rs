//! The programs and libraries of this build.

use std::{
    env,
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

static BUILD: LazyLock<PathBuf> = LazyLock::new(|| {
    let test = env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().to_path_buf()
});

static ROOKERY: LazyLock<PathBuf> = LazyLock::new(|| {
    let rookery = env::var_os("TESTED_ROOKERY").map_or_else(|| BUILD.join("rookery"), Into::into);
    assert!(
        rookery.exists(),
        "no {}; `cargo build` builds it",
        rookery.display()
    );
    rookery
});

/// Returns the build folder of the running test.
pub fn build() -> &'static Path {
    &BUILD
}

/// Returns the path of the command under test: this build's, unless `TESTED_ROOKERY` names another.
pub fn rookery() -> &'static Path {
    &ROOKERY
}

/// A folder that does not exist, so that no user configuration is found.
pub const NO_CONFIG_HOME: &str = "/nowhere/of-tests";

/// Returns the command under test, without the variables and the user configuration that would
/// affect it.
pub fn command() -> Command {
    let mut command = Command::new(rookery());
    command.env("XDG_CONFIG_HOME", NO_CONFIG_HOME);
    let variables = env::vars_os().map(|(name, _)| name);
    for name in variables.filter(|name| name.as_encoded_bytes().starts_with(b"ROOKERY_")) {
        command.env_remove(name);
    }
    command
}

/// Returns whether the command under test is optimized.
pub fn is_release() -> bool {
    rookery().parent().unwrap().ends_with("release")
}

/// Returns the path of this build's library.
pub fn built(name: &str) -> PathBuf {
    let file = format!("lib{name}.so");
    // Only `deps` is current after `cargo test`.
    let places = ["deps", "", "examples"].map(|folder| build().join(folder).join(&file));
    let found = places.into_iter().find(|place| place.exists());
    found.unwrap_or_else(|| panic!("no {file} below {}", build().display()))
}

/// Returns the path of a program that cargo builds for tests.
pub fn example(name: &str) -> PathBuf {
    build().join("examples").join(name)
}

/// Copies a program in a separate process. Otherwise, a child that another test forks at the same
/// time could inherit the open copy, and the system does not start a program that is open for
/// writing.
pub fn copy_program(from: &Path, to: &Path) {
    assert!(
        Command::new("cp")
            .args([from, to])
            .status()
            .unwrap()
            .success()
    );
}

/// Writes a program that every user may run, in the same way as [`copy_program`].
pub fn write_program(file: &Path, text: &str) {
    let draft = file.with_extension("draft");
    fs::write(&draft, text).unwrap();
    copy_program(&draft, file);
    fs::remove_file(draft).unwrap();
    fs::set_permissions(file, Permissions::from_mode(0o755)).unwrap();
}

/// Runs a command that succeeds. Returns what it prints on standard output.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let printed = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {printed}{errors}");
    printed
}
