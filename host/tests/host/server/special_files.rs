//! Endless files, pipes, and too few file descriptors.

use std::{
    fs,
    os::unix::fs::symlink,
    process::{Command, Stdio},
    time::Instant,
};

use rustix::{
    fs::{CWD, Mode, mkfifoat},
    process::Signal,
};
use serde_json::Value;
use test_kit::wait_until;

use super::{Server, listening, one_ai, reload_command};
use crate::support::{ConfigFile, assert_has, built, rookery};

/// A configuration with a plugin directory whose second library has no section.
fn with_directory() -> ConfigFile {
    let file = ConfigFile::verbatim(
        "[plugins]\ndirectories = [\"ais\"]\n[ai.own]\nlibrary = \"own\"\n[client.default]\nai = \
         \"own\"\n",
    );
    let directory = file.folder().join("ais");
    fs::create_dir(&directory).unwrap();
    fs::copy(built("ai_basic1"), directory.join("libown.so")).unwrap();
    fs::copy(built("counts_pawns"), directory.join("libpawns.so")).unwrap();
    file
}

/// The kernel log: a regular file for `stat` that blocks its readers.
const ENDLESS: &str = "/proc/kmsg";

#[test]
fn an_endless_plugin_file_does_not_block_a_reload() {
    let file = with_directory();
    let mut server = Server::start(&file);
    symlink(ENDLESS, file.folder().join("ais/libendless.so")).unwrap();
    mkfifoat(
        CWD,
        file.folder().join("ais/libpipe.so"),
        Mode::from_raw_mode(0o600),
    )
    .unwrap();
    let reload = reload_command(&file, &["--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reload = KilledOnDrop(reload);
    wait_until("the reload finishes", || {
        reload.0.try_wait().unwrap().is_some()
    });
    let printed: Value = serde_json::from_reader(reload.0.stdout.take().unwrap()).unwrap();
    let warnings = &printed["servers"][0]["reloaded"]["warnings"];
    assert_eq!(warnings.as_array().unwrap().len(), 1, "{printed}");
    let expected =
        "libendless.so is not served: this is a file of proc, which the kernel generates";
    assert!(
        warnings[0].as_str().unwrap().contains(expected),
        "{warnings}"
    );
    assert_eq!(server.get("/v1/ais/counts_pawns").0, 200);
    server.stop(Signal::TERM);
}

struct KilledOnDrop(std::process::Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn rejects_a_configuration_file_that_is_not_regular() {
    let file = one_ai();
    let path = file.folder().join("other.toml");
    let pipe = || mkfifoat(CWD, &path, Mode::from_raw_mode(0o600)).unwrap();
    let link = |target| symlink(target, &path).unwrap();
    let cases: [(&dyn Fn(), &str); 3] = [
        (&pipe, "this is a named pipe, not a regular file"),
        (
            &|| link("/dev/zero"),
            "this is a device, not a regular file",
        ),
        (
            &|| link(ENDLESS),
            "this is a file of proc, which the kernel generates and which may never end",
        ),
    ];
    for (make, expected) in cases {
        make();
        let mut command = Command::new(rookery());
        command
            .args(["config", "check", "--config"])
            .arg(&path)
            .stderr(Stdio::piped());
        let mut check = KilledOnDrop(command.spawn().unwrap());
        wait_until("the check finishes", || {
            check.0.try_wait().unwrap().is_some()
        });
        let reported = std::io::read_to_string(check.0.stderr.take().unwrap()).unwrap();
        assert!(reported.contains(expected), "no {expected} in {reported}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn listens_before_discovered_libraries_are_tested() {
    let file = with_directory();
    fs::copy(built("hangs"), file.folder().join("ais/libhangs.so")).unwrap();
    let log = file.folder().join("log");
    let started = Instant::now();
    let mut server = Server::spawn(listening(&file).stderr(fs::File::create(&log).unwrap()));
    // The library blocks its first smoke test until the timeout.
    let tried = || {
        fs::read_to_string(&log)
            .unwrap()
            .contains("libhangs.so is not served: ")
    };
    assert!(
        !tried(),
        "the server listened only after {:?}",
        started.elapsed()
    );
    assert_eq!(server.get("/readyz").0, 200);
    wait_until("the library is tested", tried);
    wait_until("the other library is served", || {
        server.get("/v1/ais/counts_pawns").0 == 200
    });
    server.stop(Signal::TERM);
}

#[test]
fn exits_while_a_discovered_library_is_tested() {
    let file = with_directory();
    fs::copy(built("hangs"), file.folder().join("ais/libhangs.so")).unwrap();
    let mut server = Server::start(&file);
    wait_until("the library is started", || server.children().len() > 1);
    let signalled = Instant::now();
    server.stop(Signal::INT);
    assert!(
        signalled.elapsed().as_secs() < 8,
        "{:?}",
        signalled.elapsed()
    );
}

#[test]
fn rejects_a_low_limit_of_open_files() {
    let file = one_ai();
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        "ulimit -n 26; exec \"$0\" serve --listen 127.0.0.1:0 --config \"$1\"",
    ]);
    shell
        .arg(rookery())
        .arg(file.path())
        .env("XDG_RUNTIME_DIR", file.folder());
    let output = shell.output().unwrap();
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), output.stdout.as_slice()),
        (Some(1), &b""[..]),
        "{reported}"
    );
    let limit = "error: the limit on open files is 26, ";
    assert_has(
        &reported,
        &[
            limit,
            "needs at least ",
            "'ulimit -n 1024'",
            "'LimitNOFILE=1024'",
        ],
    );
}

/// Runs the server in a mount namespace whose runtime folder the script prepares.
fn with_runtime_folder(file: &ConfigFile, script: &str) -> Command {
    let folder = file.folder().join("runtime");
    fs::create_dir(&folder).unwrap();
    let mut command = Command::new("unshare");
    // An unprivileged user also needs a user namespace.
    command.args(if rustix::process::geteuid().is_root() {
        &["-m"][..]
    } else {
        &["-rm"]
    });
    command.args(["sh", "-c"]);
    command.arg(format!(
        "mount -t tmpfs -o size=4k,nr_inodes=2,mode=700 tmpfs \"$2\" && {script} \
        && exec \"$0\" serve --listen 127.0.0.1:0 --config \"$1\""
    ));
    command.arg(rookery()).arg(file.path()).arg(&folder);
    command
        .env("XDG_RUNTIME_DIR", &folder)
        .env("TMPDIR", &folder);
    command.stderr(fs::File::create(file.folder().join("log")).unwrap());
    command
}

#[test]
fn starts_with_a_full_or_read_only_runtime_folder() {
    for (script, error) in [
        (": > \"$2/full\"", "No space left on device"),
        ("mount -o remount,bind,ro \"$2\"", "Read-only file system"),
    ] {
        let file = one_ai();
        let mut server = Server::spawn(&mut with_runtime_folder(&file, script));
        server.quick_move();
        let log = fs::read_to_string(file.folder().join("log")).unwrap();
        let reported: Vec<_> = log.lines().filter(|line| line.contains(" WARN ")).collect();
        assert!(
            reported.len() == 1
                && reported[0].contains("/runtime/rookery: ")
                && reported[0].contains(error),
            "{log}"
        );
        server.stop(Signal::TERM);
    }
}
