//! The control sockets that `rookery reload` finds, which may belong to other users.

use std::{
    fs::{self, Permissions},
    io::{Read, Write},
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, chown},
        net::UnixListener,
    },
    path::PathBuf,
    process::Output,
    thread::{self, JoinHandle},
};

use library::sha256::Sha256Sum;
use serde_json::json;

use super::{basic1, reload_command};
use crate::support::ConfigFile;

/// A forged control socket, and whether it received a command.
struct ForgedServer {
    path: PathBuf,
    answering: JoinHandle<bool>,
}

impl ForgedServer {
    /// Answers the first command with these lines. The folder gets this mode and owner.
    fn start(file: &ConfigFile, mode: u32, owner: Option<u32>, lines: Vec<String>) -> Self {
        let folder = file.folder().join("rookery");
        fs::create_dir_all(&folder).unwrap();
        let config = fs::canonicalize(file.path()).unwrap();
        let sum = Sha256Sum::of(config.as_os_str().as_bytes()).to_string();
        let path = folder.join(format!("{}-4711.sock", &sum[..16]));
        let listener = UnixListener::bind(&path).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
        chown(&folder, owner, None).unwrap();
        let answering = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut command = [0; 7];
            if stream.read_exact(&mut command).is_err() || command != *b"reload\n" {
                return false;
            }
            // The client may close the socket early.
            lines.iter().all(|line| writeln!(stream, "{line}").is_ok());
            true
        });
        Self { path, answering }
    }

    /// Stops the server and returns whether it received a command.
    fn received_command(self) -> bool {
        drop(std::os::unix::net::UnixStream::connect(&self.path));
        self.answering.join().unwrap()
    }
}

fn all(Output { stdout, stderr, .. }: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(stdout),
        String::from_utf8_lossy(stderr)
    )
}

const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;title\u{7}wanted\u{202e}\u{9b}31m\r";

#[test]
fn strips_control_characters_from_a_server() {
    let ids = json!({"added": [HOSTILE], "changed": [], "removed": [], "unchanged": []});
    for last in [
        json!({"type": "error", "errors": [HOSTILE, format!("one\ntwo {HOSTILE}")]}),
        json!({"type": "result", "ais": ids, "clients": ids, "warnings": [HOSTILE], "time_ms": 1}),
        json!({"type": HOSTILE}),
        json!(HOSTILE),
    ] {
        for arguments in [&[][..], &["--json"]] {
            let file = ConfigFile::new(&basic1(1));
            let progress = json!({"type": "progress", "message": HOSTILE}).to_string();
            let server = ForgedServer::start(&file, 0o700, None, vec![progress, last.to_string()]);
            let printed = all(&reload_command(&file, arguments).output().unwrap());
            assert!(server.received_command());
            assert!(printed.contains("wanted"), "{printed:?}");
            let is_control = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(
                !printed.contains(is_control),
                "{last} {arguments:?}: {printed:?}"
            );
        }
    }
}

#[test]
fn trusts_only_sockets_of_the_same_owner() {
    let result = || {
        let none = json!({"added": [], "changed": [], "removed": [], "unchanged": []});
        let record =
            json!({"type": "result", "ais": none, "clients": none, "warnings": [], "time_ms": 1});
        vec![record.to_string()]
    };
    let nobody = 65534;
    let is_root = rustix::process::geteuid().is_root();
    let mut cases = vec![
        (0o700, None, true),
        (0o755, None, true),
        (0o777, None, false),
        (0o770, None, false),
    ];
    if is_root {
        // The peer is root, but the folder belongs to another user.
        cases.push((0o700, Some(nobody), false));
    }
    for (mode, owner, is_accepted) in cases {
        let file = ConfigFile::new(&basic1(1));
        let server = ForgedServer::start(&file, mode, owner, result());
        let output = reload_command(&file, &[]).output().unwrap();
        let path = server.path.clone();
        let case = format!("{mode:o} {owner:?}: {}", all(&output));
        assert_eq!(server.received_command(), is_accepted, "{case}");
        assert_eq!(
            output.status.code(),
            Some(i32::from(!is_accepted)),
            "{case}"
        );
        assert!(
            is_accepted || case.contains("no server of this user runs"),
            "{case}"
        );
        assert!(path.exists(), "the socket of another user remains");
    }
}

#[test]
fn bounds_the_reply_of_a_server() {
    let many = |count: usize, length: usize| {
        let progress = json!({"type": "progress", "message": "x".repeat(length)}).to_string();
        let mut lines = vec![progress; count];
        lines.push(json!({"type": "error", "errors": ["the end"]}).to_string());
        lines
    };
    for (lines, is_accepted) in [
        (many(100, 10), true),
        (many(2000, 10), false),
        (many(10, 600_000), false),
    ] {
        let file = ConfigFile::new(&basic1(1));
        let server = ForgedServer::start(&file, 0o700, None, lines);
        let output = reload_command(&file, &[]).output().unwrap();
        assert!(server.received_command());
        assert_eq!(all(&output).contains("the end"), is_accepted);
        assert_eq!(all(&output).contains("too many records"), !is_accepted);
    }
}
