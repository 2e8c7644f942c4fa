//! Reports to systemd.

use std::{
    fs,
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixDatagram, UnixStream},
    },
    process::{Command, Stdio},
    thread::available_parallelism,
    time::Duration,
};

use rustix::process::Signal;

use super::{Server, last_get, listening, one_ai, post_text};
use crate::support::{ConfigFile, rookery, with_ais};

/// A supervisor's socket.
struct Supervisor(UnixDatagram);

impl Supervisor {
    fn of(file: &ConfigFile) -> Self {
        let socket = UnixDatagram::bind(file.folder().join("notify")).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        Self(socket)
    }

    /// Makes a command report to this supervisor.
    fn supervise(file: &ConfigFile, command: &mut Command) {
        command
            .env("NOTIFY_SOCKET", file.folder().join("notify"))
            .stderr(Stdio::null());
    }

    /// Waits for a report.
    fn report(&self) -> String {
        let mut report = [0; 512];
        let length = self.0.recv(&mut report).unwrap();
        String::from_utf8(report[..length].to_vec()).unwrap()
    }

    /// Returns the reports that have arrived.
    fn arrived(&self) -> usize {
        self.0.set_nonblocking(true).unwrap();
        let mut count = 0;
        let end = loop {
            match self.0.recv(&mut [0; 512]) {
                Ok(_) => count += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(end.kind(), ErrorKind::WouldBlock);
        self.0.set_nonblocking(false).unwrap();
        count
    }
}

#[test]
fn reports_when_it_is_ready_reloads_or_stops() {
    let file = one_ai();
    let supervisor = Supervisor::of(&file);
    let mut command = listening(&file);
    Supervisor::supervise(&file, &mut command);
    let mut server = Server::spawn(&mut command);
    assert_eq!(supervisor.report(), "READY=1\n");
    server.signal(Signal::HUP);
    let reload = supervisor.report();
    let time = reload
        .strip_prefix("RELOADING=1\nMONOTONIC_USEC=")
        .and_then(|time| time.strip_suffix('\n'));
    assert!(
        time.is_some_and(|time| time.parse::<u64>().is_ok()),
        "{reload}"
    );
    assert_eq!(supervisor.report(), "READY=1\n");
    server.stop(Signal::TERM);
    // Without WATCHDOG_USEC, the watchdog is silent.
    assert_eq!(supervisor.report(), "STOPPING=1\n");
    assert_eq!(supervisor.arrived(), 0);
}

#[test]
fn reports_that_it_is_alive_only_while_it_answers() {
    // Requests that are never answered occupy each connection that the limit on open files allows.
    let settings = "move_timeout_ms = 600000\nqueue_capacity = 1000";
    let file = with_ais(&[("hangs", "hang", settings)], "");
    let supervisor = Supervisor::of(&file);
    let files = 64 + 4 * available_parallelism().unwrap().get();
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        "ulimit -n $2; exec \"$0\" serve --listen 127.0.0.1:0 --config \"$1\"",
    ]);
    shell
        .arg(rookery())
        .arg(file.path())
        .arg(files.to_string())
        .env("XDG_RUNTIME_DIR", file.folder());
    Supervisor::supervise(&file, &mut shell);
    let mut server = Server::spawn(shell.env("WATCHDOG_USEC", "1000000").stderr(Stdio::piped()));
    let mut log = BufReader::new(server.take_stderr()).lines();
    let mut wait_for_warning = || {
        let warning = log.find(|line| {
            line.as_ref()
                .unwrap()
                .contains("does not answer its own request")
        });
        assert!(warning.is_some(), "the log ended without the warning");
    };
    assert_eq!(supervisor.report(), "READY=1\n");
    for _ in 0..3 {
        assert_eq!(supervisor.report(), "WATCHDOG=1\n");
    }
    let request = post_text("/v1/best-move", &[], r#"{"game": {}}"#);
    let occupied: Vec<_> = (0..files).map(|_| server.send(&request)).collect();
    wait_for_warning();
    supervisor.arrived();
    wait_for_warning();
    assert_eq!(supervisor.arrived(), 0, "the server does not answer");
    drop(occupied);
    assert_eq!(supervisor.report(), "WATCHDOG=1\n");
}

#[test]
fn other_processes_cannot_use_the_servers_private_listener() {
    let file = one_ai();
    let supervisor = Supervisor::of(&file);
    let mut command = listening(&file);
    Supervisor::supervise(&file, &mut command);
    let server = Server::spawn(&mut command);
    assert_eq!(supervisor.report(), "READY=1\n");
    let name = own_socket(server.id());
    let address = SocketAddr::from_abstract_name(name).unwrap();
    let mut stream = UnixStream::connect_addr(&address).unwrap();
    // The server may have closed the connection.
    let _ = stream.write_all(last_get("/healthz").as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
}

/// Returns the name of a process's abstract Unix socket, which has no file.
fn own_socket(process: u32) -> String {
    let links = fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    let links = links.filter_map(|link| fs::read_link(link.unwrap().path()).ok());
    let of_process: Vec<_> = links
        .map(|link| link.to_string_lossy().into_owned())
        .collect();
    let table = fs::read_to_string("/proc/net/unix").unwrap();
    let named = table
        .lines()
        .filter_map(|line| line.split_once(" @rookery-"));
    let own = named.filter(|(columns, _)| {
        let inode = columns.rsplit(' ').next().unwrap();
        of_process.contains(&format!("socket:[{inode}]"))
    });
    own.map(|(_, name)| format!("rookery-{name}"))
        .next()
        .unwrap()
}
