//! NATS servers.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use rustix::process::Signal;

use crate::{
    client::Connection,
    processes::{kill, wait_until},
};

/// A NATS server. Dropping it kills the process.
pub struct Nats {
    child: Child,
    pub address: SocketAddr,
    /// The address of its monitoring endpoint.
    monitor: SocketAddr,
    arguments: Vec<String>,
    /// The folder of `JetStream`.
    store: Option<PathBuf>,
}

impl Nats {
    pub fn start() -> Self {
        Self::start_with(Vec::new())
    }

    /// Starts servers that form a cluster.
    pub fn start_cluster(count: usize) -> Vec<Self> {
        let routes: Vec<_> = (0..count)
            .map(|_| format!("nats://{}", free_address()))
            .collect();
        let arguments = |route: &String| {
            [
                "--cluster_name",
                "rookery",
                "--cluster",
                route,
                "--routes",
                &routes.join(","),
            ]
            .map(str::to_owned)
            .to_vec()
        };
        let servers: Vec<_> = routes
            .iter()
            .map(|route| Self::start_with(arguments(route)))
            .collect();
        wait_until("each NATS server knows the others", || {
            servers
                .iter()
                .all(|server| server.number("routes") >= count as u64 - 1)
        });
        servers
    }

    /// Starts a server with `JetStream`, which stores its streams in this folder.
    pub fn start_with_jetstream(store: &Path) -> Self {
        Self::start_with_jetstream_and(store, Vec::new())
    }

    /// Starts a server with `JetStream` and a configuration file.
    pub fn start_with_jetstream_and_file(store: &Path, file: &Path) -> Self {
        Self::start_with_jetstream_and(store, of_file(file))
    }

    fn start_with_jetstream_and(store: &Path, mut arguments: Vec<String>) -> Self {
        arguments.extend(["-js".into(), "-sd".into(), store.display().to_string()]);
        let mut started = Self::start_with(arguments);
        started.store = Some(store.to_owned());
        started
    }

    /// Starts a server with a configuration file.
    pub fn start_with_file(file: &Path) -> Self {
        Self::start_with(of_file(file))
    }

    fn start_with(arguments: Vec<String>) -> Self {
        let (address, monitor) = (free_address(), free_address());
        Self {
            child: spawn(address, monitor, &arguments),
            address,
            monitor,
            arguments,
            store: None,
        }
    }

    pub fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    /// Returns a number that the monitoring endpoint reports.
    pub fn number(&self, name: &str) -> u64 {
        let mut connection = Connection::open(self.monitor).unwrap();
        let reported = connection.get("/varz").unwrap().json();
        reported[name]
            .as_u64()
            .unwrap_or_else(|| panic!("no {name} in {reported}"))
    }

    pub fn kill(&mut self) {
        kill(self.child.id(), Signal::KILL);
        self.child.wait().unwrap();
    }

    /// Restarts the server at the same address.
    pub fn restart(&mut self) {
        self.child = spawn(self.address, self.monitor, &self.arguments);
    }

    /// Restarts the server without the data that `JetStream` stored.
    pub fn restart_without_store(&mut self) {
        let store = self.store.as_ref().expect("a server with JetStream");
        fs::remove_dir_all(store).unwrap();
        self.restart();
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn of_file(file: &Path) -> Vec<String> {
    vec!["--config".into(), file.display().to_string()]
}

fn spawn(address: SocketAddr, monitor: SocketAddr, arguments: &[String]) -> Child {
    // Debian installs it into a folder that is not in every user's `PATH`.
    let of_debian = Path::new("/usr/sbin/nats-server");
    let mut command = Command::new(if of_debian.exists() {
        of_debian
    } else {
        Path::new("nats-server")
    });
    command.args([
        "-a",
        "127.0.0.1",
        "-p",
        &address.port().to_string(),
        "-m",
        &monitor.port().to_string(),
    ]);
    let child = command
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let child = child.expect("nats-server is installed; `make test-all` installs it");
    wait_until("nats-server listens", || {
        [address, monitor]
            .iter()
            .all(|address| TcpStream::connect(address).is_ok())
    });
    child
}

/// Returns a free address. No outgoing connection on this machine gets its port, so the address
/// stays free for a restart.
fn free_address() -> SocketAddr {
    let addresses = std::iter::repeat_with(|| {
        SocketAddr::from((Ipv4Addr::LOCALHOST, fastrand::u16(10_000..32_000)))
    });
    { addresses }
        .find(|address| TcpListener::bind(address).is_ok())
        .unwrap()
}
