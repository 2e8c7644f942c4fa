//! The socket over which `rookery reload` reaches a running server: in a folder of the server's user alone, named after
//! the configuration file and the process, so that each server with a configuration can be told, and none by others.

use std::{
    env,
    ffi::OsStr,
    fs::{self, DirBuilder},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, MetadataExt},
    },
    path::{Path, PathBuf},
    process,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream},
    sync::mpsc,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{ReloadError, Reloaded, running::Trigger};
use library::{file_access::canonicalize, sha256::Sha256Sum};
use pool::{Changes, Retry};
use text::{printable, visible};

const COMMAND: &[u8] = b"reload\n";
/// For one side to take or say what the other waits for at once.
const TALK_TIMEOUT: Duration = Duration::from_secs(5);
/// For the next record while a server reloads: an AI may read weights, and several start one after the other.
const RECORD_TIMEOUT: Duration = Duration::from_mins(10);
/// The longest record that is read.
const LONGEST_RECORD: u64 = 1 << 20;
/// The most records that a server may send before its last one, and the most bytes in all of them. A reload has a few
/// steps; its errors may be long.
const MOST_RECORDS: usize = 1000;
const MOST_BYTES: usize = 4 << 20;
/// Commands that are served at a time.
const CONNECTIONS: usize = 8;
/// Between two tries to accept, when the server has no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);

/// A line of what a server says of a reload. The last one is a result or an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReloadRecord {
    /// What it does now.
    Progress {
        /// In words.
        message: String,
    },
    /// It has taken over what there was.
    Result(Reloaded),
    /// It has changed nothing.
    Error {
        /// Why.
        errors: Vec<String>,
    },
}

impl ReloadRecord {
    /// The same in words that a terminal shows and does not obey: whoever owns the socket has written them.
    fn visible(self) -> Self {
        let all = |texts: Vec<String>| texts.iter().map(|text| visible(text)).collect();
        match self {
            Self::Progress { message } => Self::Progress { message: printable(&message) },
            Self::Result(Reloaded { ais, clients, warnings, time_ms }) => {
                let changes = |Changes { added, changed, removed, unchanged }| Changes {
                    added: all(added),
                    changed: all(changed),
                    removed: all(removed),
                    unchanged: all(unchanged),
                };
                let (ais, clients) = (changes(ais), changes(clients));
                Self::Result(Reloaded { ais, clients, warnings: all(warnings), time_ms })
            }
            Self::Error { errors } => Self::Error { errors: all(errors) },
        }
    }

    pub(super) fn of(reloaded: Result<Reloaded, ReloadError>) -> Self {
        match reloaded {
            Ok(reloaded) => Self::Result(reloaded),
            Err(error) => Self::Error { errors: error.texts() },
        }
    }
}

/// The socket of this server. It goes away with it.
#[derive(Debug)]
pub struct ControlSocket {
    path: PathBuf,
    listener: UnixListener,
}

impl ControlSocket {
    /// Opens the socket for a configuration file, and takes away those that servers have left behind.
    ///
    /// # Errors
    /// There is no private place for it.
    pub async fn open(config: &Path) -> io::Result<Self> {
        let folder = own_folder();
        Self::open_in(&folder, config)
            .await
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))
    }

    async fn open_in(folder: &Path, config: &Path) -> io::Result<Self> {
        make_private(folder)?;
        let own = rustix::process::geteuid().as_raw();
        for socket in sockets_in(folder) {
            // What listens takes this for somebody who has nothing to say.
            drop(connect(&socket, own).await);
        }
        let path = folder.join(format!("{}{}.sock", prefix(config)?, process::id()));
        // Named only once it listens: what has the name and does not answer is stale.
        let unnamed = folder.join(format!("{}.new", process::id()));
        let _ = fs::remove_file(&unnamed);
        let listener = UnixListener::bind(&unnamed)?;
        fs::rename(&unnamed, &path)?;
        Ok(Self { path, listener })
    }

    /// Passes each command on as a trigger, and what comes of it back. Never ends.
    pub(super) async fn serve(self, trigger: mpsc::Sender<Trigger>) {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                Some(_) = connections.join_next() => {}
                accepted = self.listener.accept(), if connections.len() < CONNECTIONS => match accepted {
                    Ok((stream, _)) if is_allowed(&stream) => {
                        connections.spawn(converse(stream, trigger.clone()));
                    }
                    Ok(_) => tracing::warn!("rejected a reload request from another user"),
                    Err(_) => sleep(ACCEPT_PAUSE).await,
                }
            }
        }
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether who is at the other end may command this server: its own user, and root.
fn is_allowed(stream: &UnixStream) -> bool {
    let own = rustix::process::geteuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == own || peer.uid() == 0)
}

async fn converse(mut stream: UnixStream, trigger: mpsc::Sender<Trigger>) {
    let mut command = [0; COMMAND.len()];
    let read = timeout(TALK_TIMEOUT, stream.read_exact(&mut command)).await;
    if !matches!(read, Ok(Ok(_))) || command != COMMAND {
        return;
    }
    // As many as a reload has steps, and never waited for: a slow reader must not hold a reload up.
    let (listener, mut records) = mpsc::unbounded_channel();
    if trigger.send(Trigger::new(Retry::All, Some(listener))).await.is_err() {
        return;
    }
    while let Some(record) = records.recv().await {
        let Ok(mut line) = serde_json::to_vec(&record) else { return };
        line.push(b'\n');
        if !matches!(timeout(TALK_TIMEOUT, stream.write_all(&line)).await, Ok(Ok(()))) {
            return;
        }
    }
}

/// A server that runs with a configuration.
#[derive(Debug)]
pub struct RunningServer {
    /// Its process.
    pub process: u32,
    stream: UnixStream,
}

impl RunningServer {
    /// Tells the server to reload and passes on what it says. Returns its last word.
    ///
    /// # Errors
    /// It said none.
    pub async fn reload(mut self, mut progress: impl FnMut(&str)) -> io::Result<ReloadRecord> {
        self.stream.write_all(COMMAND).await?;
        let mut lines = BufReader::new(self.stream);
        let mut bytes = 0;
        for _ in 0..MOST_RECORDS {
            let mut line = Vec::new();
            let mut bounded = (&mut lines).take(LONGEST_RECORD);
            match timeout(RECORD_TIMEOUT, bounded.read_until(b'\n', &mut line)).await {
                Ok(read) => _ = read?,
                Err(_) => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "the server says nothing more"));
                }
            }
            if line.is_empty() {
                let ended = "the server has ended, or does not let this user command it";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, ended));
            }
            bytes += line.len();
            // What serde says of a wrong record may repeat it.
            let record: ReloadRecord = serde_json::from_slice(&line).map_err(|error| {
                let detail = format!("the server sent something else than a record: {error}");
                io::Error::new(io::ErrorKind::InvalidData, printable(&detail))
            })?;
            match record.visible() {
                ReloadRecord::Progress { message } => progress(&message),
                last => return Ok(last),
            }
            if bytes > MOST_BYTES {
                break;
            }
        }
        let detail = "the server sends more than a reload has to tell; it may be no server of Rookery";
        Err(io::Error::new(io::ErrorKind::InvalidData, detail))
    }
}

/// Every server of this user that runs with a configuration file; for root, of every user. Sockets that servers have left
/// behind are taken away.
///
/// # Errors
/// There is no such file.
pub async fn running_servers(config: &Path) -> io::Result<Vec<RunningServer>> {
    let prefix = prefix(config)?;
    let mut servers: Vec<RunningServer> = Vec::new();
    let found = folders().into_iter().filter_map(|folder| {
        let owner = owner_of(&folder)?;
        Some(sockets_in(&folder).into_iter().map(move |socket| (socket, owner)))
    });
    for (socket, owner) in found.flatten() {
        let name = socket.file_stem().and_then(OsStr::to_str);
        let process = name.and_then(|name| name.strip_prefix(&prefix)?.parse().ok());
        let Some(process) = process else { continue };
        if let Some(stream) = connect(&socket, owner).await {
            servers.push(RunningServer { process, stream });
        }
    }
    servers.sort_by_key(|server| server.process);
    Ok(servers)
}

/// Connects to a server of the user who owns the socket's folder. A socket of this user at which nobody listens any more is
/// removed; one of another user is left, since it may lead elsewhere by then.
async fn connect(socket: &Path, owner: u32) -> Option<UnixStream> {
    match timeout(TALK_TIMEOUT, UnixStream::connect(socket)).await.ok()? {
        Ok(stream) => {
            let peer = stream.peer_cred().ok()?.uid();
            if peer == owner {
                return Some(stream);
            }
            tracing::warn!(socket = %printable(&socket.to_string_lossy()), peer, owner, "ignored the socket of another user");
            None
        }
        Err(error) => {
            let is_own = owner == rustix::process::geteuid().as_raw();
            if is_own && error.kind() == io::ErrorKind::ConnectionRefused {
                let _ = fs::remove_file(socket);
            }
            None
        }
    }
}

/// The user whose servers have their sockets in a folder: its owner, where nobody else can write there and this user may
/// command that one's servers. None of what is no folder.
fn owner_of(folder: &Path) -> Option<u32> {
    let found = fs::symlink_metadata(folder).ok()?;
    let own = rustix::process::geteuid().as_raw();
    let is_commanded = found.uid() == own || own == 0;
    (found.is_dir() && found.mode() & 0o022 == 0 && is_commanded).then_some(found.uid())
}

fn sockets_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension() == Some(OsStr::new("sock"))).collect()
}

/// What the names of all sockets for a configuration file begin with.
fn prefix(config: &Path) -> io::Result<String> {
    let sum = Sha256Sum::of(canonicalize(config)?.as_os_str().as_bytes());
    // A socket's path may not be long.
    Ok(format!("{}-", &sum.to_string()[..16]))
}

/// Where a server puts its socket.
fn own_folder() -> PathBuf {
    let runtime = env::var_os("XDG_RUNTIME_DIR").filter(|folder| Path::new(folder).is_absolute());
    runtime.map_or_else(temporary_folder, |folder| Path::new(&folder).join("rookery"))
}

fn temporary_folder() -> PathBuf {
    env::temp_dir().join(format!("rookery-{}", rustix::process::geteuid().as_raw()))
}

/// Where sockets of this user may be, whatever its servers' environments; for root, those of every user.
fn folders() -> Vec<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let of_user = PathBuf::from(format!("/run/user/{user}/rookery"));
    let mut folders = vec![own_folder(), of_user, temporary_folder()];
    if user == 0 {
        let below = |folder: &Path| {
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect::<Vec<_>>()
        };
        let is_ours = |path: &PathBuf| {
            path.file_name()
                .is_some_and(|name| name.as_bytes().starts_with(OsStr::new("rookery-").as_bytes()))
        };
        folders.extend(below(Path::new("/run/user")).iter().map(|folder| folder.join("rookery")));
        folders.extend(below(&env::temp_dir()).into_iter().filter(is_ours));
    }
    folders.sort();
    folders.dedup();
    folders
}

/// Makes the folder, if it is not there, so that nobody else can enter it.
fn make_private(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(folder)?;
    let own = rustix::process::geteuid().as_raw();
    if found.is_dir() && found.uid() == own && found.mode() & 0o777 == 0o700 {
        return Ok(());
    }
    Err(io::Error::other("it must be a folder of this user that nobody else can enter (mode 0700)"))
}
