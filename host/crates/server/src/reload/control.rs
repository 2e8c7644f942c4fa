//! The control socket, over which `rookery reload` reaches a running server. It lies in a private folder of the server's user, and
//! its name contains a hash of the configuration file's path and the process id.

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

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream},
    sync::mpsc,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::reload::record::ReloadRecord;
use library::{file_access::canonicalize, sha256::Sha256Sum};
use pool::Retry;
use text::printable;

const COMMAND: &[u8] = b"reload\n";
/// The timeout of a connect, a command or a write.
const IO_TIMEOUT: Duration = Duration::from_secs(5);
/// The timeout of the next record of a reload: an AI may read weights, and several AIs start one after the other.
const RECORD_TIMEOUT: Duration = Duration::from_mins(10);
/// The maximum bytes of a record.
const MAX_RECORD_BYTES: u64 = 1 << 20;
/// The maximum records of a reload, and their maximum bytes together. A reload has a few steps; its errors may be long.
const MAX_RECORDS: usize = 1000;
const MAX_BYTES: usize = 4 << 20;
/// The maximum concurrent connections.
const MAX_CONNECTIONS: usize = 8;
/// The pause after a failed accept, such as when no file descriptor is free.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);

/// A request for a reload.
#[derive(Debug)]
pub(super) struct Trigger {
    pub(super) retry: Retry,
    /// Receives the records of the reload.
    pub(super) listener: Option<mpsc::UnboundedSender<ReloadRecord>>,
}

/// The control socket of this server. Dropping it removes the file.
#[derive(Debug)]
pub struct ControlSocket {
    path: PathBuf,
    listener: UnixListener,
}

impl ControlSocket {
    /// Opens the socket for a configuration file, and removes stale sockets.
    ///
    /// # Errors
    /// The folder is not private, or the socket cannot be created in it.
    pub async fn open(config: &Path) -> io::Result<Self> {
        let folder = own_folder();
        Self::open_in(&folder, config)
            .await
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))
    }

    async fn open_in(folder: &Path, config: &Path) -> io::Result<Self> {
        make_private(folder)?;
        let own = own_user();
        for socket in sockets_in(folder) {
            // A running server treats this as a client that sends no command.
            drop(connect(&socket, own).await);
        }
        let path = folder.join(format!("{}{}.sock", prefix(config)?, process::id()));
        // Renamed only once it listens, so that a socket that refuses connections is stale.
        let unnamed = folder.join(format!("{}.new", process::id()));
        let _ = fs::remove_file(&unnamed);
        let listener = UnixListener::bind(&unnamed)?;
        fs::rename(&unnamed, &path)?;
        Ok(Self { path, listener })
    }

    /// Sends a trigger for each command, and the records of its reload to the client. Never returns. Dropping the future closes all
    /// connections.
    pub(super) async fn serve(self, trigger: mpsc::Sender<Trigger>) {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                Some(_) = connections.join_next() => {}
                accepted = self.listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                    Ok((stream, _)) if is_allowed(&stream) => {
                        connections.spawn(serve_connection(stream, trigger.clone()));
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

/// Returns whether the peer is the server's user or root.
fn is_allowed(stream: &UnixStream) -> bool {
    let own = own_user();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == own || peer.uid() == 0)
}

async fn serve_connection(mut stream: UnixStream, trigger: mpsc::Sender<Trigger>) {
    let mut command = [0; COMMAND.len()];
    let read = timeout(IO_TIMEOUT, stream.read_exact(&mut command)).await;
    if !matches!(read, Ok(Ok(_))) || command != COMMAND {
        return;
    }
    // Unbounded, so that a slow client does not block the reload; a reload has few records.
    let (listener, mut records) = mpsc::unbounded_channel();
    if trigger.send(Trigger { retry: Retry::All, listener: Some(listener) }).await.is_err() {
        return;
    }
    while let Some(record) = records.recv().await {
        let Ok(mut line) = serde_json::to_vec(&record) else { return };
        line.push(b'\n');
        if !matches!(timeout(IO_TIMEOUT, stream.write_all(&line)).await, Ok(Ok(()))) {
            return;
        }
    }
}

/// A running server with an open control connection.
#[derive(Debug)]
pub struct RunningServer {
    /// The process id.
    pub process: u32,
    stream: UnixStream,
}

impl RunningServer {
    /// Requests a reload and passes its progress to `progress`. Returns the last record. Dropping the future does not cancel the
    /// reload.
    ///
    /// # Errors
    /// The connection fails or times out, or the server sends an invalid record.
    pub async fn reload(mut self, mut progress: impl FnMut(&str)) -> io::Result<ReloadRecord> {
        self.stream.write_all(COMMAND).await?;
        let mut lines = BufReader::new(self.stream);
        let mut bytes = 0;
        for _ in 0..MAX_RECORDS {
            let mut line = Vec::new();
            let mut bounded = (&mut lines).take(MAX_RECORD_BYTES);
            match timeout(RECORD_TIMEOUT, bounded.read_until(b'\n', &mut line)).await {
                Ok(read) => _ = read?,
                Err(_) => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "the server sent no record in time"));
                }
            }
            if line.is_empty() {
                let ended = "the server closed the connection: it has exited, or does not accept commands of this user";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, ended));
            }
            bytes += line.len();
            // The message of serde may quote the record.
            let record: ReloadRecord = serde_json::from_slice(&line).map_err(|error| {
                let detail = format!("the server sent an invalid record: {error}");
                io::Error::new(io::ErrorKind::InvalidData, printable(&detail))
            })?;
            match record.visible() {
                ReloadRecord::Progress { message } => progress(&message),
                last => return Ok(last),
            }
            if bytes > MAX_BYTES {
                break;
            }
        }
        let detail = "the server sent too many records; it may not be a Rookery server";
        Err(io::Error::new(io::ErrorKind::InvalidData, detail))
    }
}

/// Connects to every server of this user that runs with a configuration file; for root, of every user. Removes stale sockets.
///
/// # Errors
/// The file does not exist.
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

/// Connects to a server of the user that owns the socket's folder. Removes a stale socket of this user. Keeps one of another user,
/// because that user could replace it by a link.
async fn connect(socket: &Path, owner: u32) -> Option<UnixStream> {
    match timeout(IO_TIMEOUT, UnixStream::connect(socket)).await.ok()? {
        Ok(stream) => {
            let peer = stream.peer_cred().ok()?.uid();
            if peer == owner {
                return Some(stream);
            }
            tracing::warn!(socket = %printable(&socket.to_string_lossy()), peer, owner, "ignored the socket of another user");
            None
        }
        Err(error) => {
            let is_own = owner == own_user();
            if is_own && error.kind() == io::ErrorKind::ConnectionRefused {
                let _ = fs::remove_file(socket);
            }
            None
        }
    }
}

/// Returns the owner of a folder, if no other user can write to it and this user may command the servers of the owner.
fn owner_of(folder: &Path) -> Option<u32> {
    let found = fs::symlink_metadata(folder).ok()?;
    let own = own_user();
    let may_command = found.uid() == own || own == 0;
    (found.is_dir() && found.mode() & 0o022 == 0 && may_command).then_some(found.uid())
}

fn sockets_in(folder: &Path) -> Vec<PathBuf> {
    entries(folder).filter(|path| path.extension() == Some(OsStr::new("sock"))).collect()
}

/// Returns the paths in a folder; none if it cannot be read.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns the prefix of the names of all sockets for a configuration file.
fn prefix(config: &Path) -> io::Result<String> {
    let sum = Sha256Sum::of(canonicalize(config)?.as_os_str().as_bytes());
    // The path of a socket is limited to about 100 bytes.
    Ok(format!("{}-", &sum.to_string()[..16]))
}

/// Returns the folder of this process's socket.
fn own_folder() -> PathBuf {
    let runtime = env::var_os("XDG_RUNTIME_DIR").filter(|folder| Path::new(folder).is_absolute());
    runtime.map_or_else(temporary_folder, |folder| Path::new(&folder).join("rookery"))
}

fn temporary_folder() -> PathBuf {
    env::temp_dir().join(format!("rookery-{}", own_user()))
}

/// Returns every folder that may contain sockets of this user, whatever the environments of its servers; for root, of every user.
fn folders() -> Vec<PathBuf> {
    let user = own_user();
    let of_user = PathBuf::from(format!("/run/user/{user}/rookery"));
    let mut folders = vec![own_folder(), of_user, temporary_folder()];
    if user == 0 {
        let is_ours =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"rookery-"));
        folders.extend(entries(Path::new("/run/user")).map(|folder| folder.join("rookery")));
        // The folders of services, as the packaged units name them.
        let is_service =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"rookery"));
        folders.extend(entries(Path::new("/run")).filter(is_service).map(|folder| folder.join("rookery")));
        folders.extend(entries(&env::temp_dir()).filter(is_ours));
    }
    folders.sort();
    folders.dedup();
    folders
}

/// Creates the folder with mode 0700, or checks an existing one.
fn make_private(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(folder)?;
    let own = own_user();
    if found.is_dir() && found.uid() == own && found.mode() & 0o777 == 0o700 {
        return Ok(());
    }
    Err(io::Error::other("expected a folder of this user with mode 0700"))
}
