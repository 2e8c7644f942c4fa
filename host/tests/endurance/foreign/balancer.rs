//! HAProxy with the configuration from `deploy`.

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;
use test_kit::wait_until;

/// A running balancer. Dropping it kills the process.
pub(crate) struct Balancer {
    child: Child,
    pub(crate) address: SocketAddr,
    _folder: TempDir,
}

impl Balancer {
    /// Starts HAProxy with `deploy/haproxy.cfg`, in front of these servers instead of the
    /// configured ones.
    pub(crate) fn start(servers: &[SocketAddr]) -> Self {
        let documented = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/haproxy.cfg");
        let documented = fs::read_to_string(documented).unwrap();
        let address = free_address();
        let first_word = |line: &str| {
            line.trim_start()
                .split(' ')
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        let mut lines: Vec<String> = documented.lines().map(str::to_owned).collect();
        lines.retain(|line| first_word(line) != "server");
        let bind = lines
            .iter_mut()
            .find(|line| first_word(line) == "bind")
            .unwrap();
        *bind = format!("    bind {address}");
        lines.extend(
            servers
                .iter()
                .enumerate()
                .map(|(number, server)| format!("    server server{number} {server}")),
        );
        let text = lines.join("\n") + "\n";
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("haproxy.cfg");
        fs::write(&file, text).unwrap();
        // Debian installs it into a folder that is not in every user's `PATH`.
        let of_debian = Path::new("/usr/sbin/haproxy");
        let mut command = Command::new(if of_debian.exists() {
            of_debian
        } else {
            Path::new("haproxy")
        });
        let child = command
            .arg("-db")
            .arg("-f")
            .arg(&file)
            .stdout(Stdio::null())
            .spawn();
        let child = child.expect("HAProxy is installed; `make test-all` installs it");
        wait_until("HAProxy listens", || TcpStream::connect(address).is_ok());
        Self {
            child,
            address,
            _folder: folder,
        }
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns an address with a port that was free a moment ago.
fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
}
