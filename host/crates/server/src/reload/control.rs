//! The control socket, over which `rookery reload` reaches a running server. The socket is in a
//! private folder of the server's user. The socket's name contains the process id and a hash of the
//! configuration file's path.

use std::{
    env,
    ffi::OsStr,
    fs::{self, DirBuilder},
    io, iter,
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, MetadataExt},
    },
    path::{self, Path, PathBuf},
    pin::pin,
    process,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream},
    sync::mpsc,
    task::{JoinSet, spawn_blocking},
    time::{Instant, sleep, timeout, timeout_at},
};

use crate::reload::{record::ReloadRecord, reloader::Losses, watch::FileStamps};
use game::Extras;
use library::{
    file_access::{bounded, canonicalize, metadata},
    sha256::Sha256Sum,
};
use pool::Retry;
use text::printable;

const COMMAND: &str = "reload\n";
const ALLOW_LOSSES: &str = "reload --allow-empty\n";
/// The prefix of a command to an extra.
const ASK: &str = "ask ";
/// The maximum size of a command.
const MAX_COMMAND_BYTES: u64 = 1024;
/// The timeout for connecting, for reading a command and for writing.
const IO_TIMEOUT: Duration = Duration::from_secs(5);
/// The time after which a server reports that a reload is waiting for another one.
const WAITING_AFTER: Duration = Duration::from_secs(5);
/// The timeout for a server's first record, long enough for a busy machine.
const FIRST_RECORD_TIMEOUT: Duration = Duration::from_secs(30);
/// The timeout for all reloads of one command. It is long because an AI may read weights, and
/// several AIs start one after another.
const RELOADS_TIMEOUT: Duration = Duration::from_mins(10);
/// The maximum size of a record.
const MAX_RECORD_BYTES: u64 = 1 << 20;
/// The maximum number of records of a reload, and their maximum total size. A reload has only a few
/// steps, but its errors may be long.
const MAX_RECORDS: usize = 1000;
const MAX_BYTES: usize = 4 << 20;
/// The maximum number of concurrent connections.
const MAX_CONNECTIONS: usize = 8;
/// The pause after a failed accept, such as when no file descriptor is free.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);

/// A request for a reload.
#[derive(Debug)]
pub(super) struct Trigger {
    pub(super) retry: Retry,
    pub(super) losses: Losses,
    /// The stamps of files that have stopped changing. If `None`, the files are read as they are.
    pub(super) settled: Option<FileStamps>,
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
        // The socket is renamed once it listens, so a socket that refuses connections must be
        // stale.
        let unnamed = folder.join(format!("{}.new", process::id()));
        let _ = fs::remove_file(&unnamed);
        let listener = UnixListener::bind(&unnamed)?;
        fs::rename(&unnamed, &path)?;
        Ok(Self { path, listener })
    }

    /// Sends a trigger for each reload command, and the records of the reload to the client. Passes
    /// other commands to the extras. Never returns. Dropping the future closes all connections.
    pub(super) async fn serve(self, trigger: mpsc::Sender<Trigger>, extras: &Extras) {
        let mut connections = JoinSet::new();
        loop {
            let has_room = connections.len() < MAX_CONNECTIONS;
            tokio::select! {
                Some(_) = connections.join_next() => {}
                accepted = self.listener.accept(), if has_room => match accepted {
                    Ok((stream, _)) if is_allowed(&stream) => {
                        let (trigger, extras) = (trigger.clone(), extras.clone());
                        connections.spawn(serve_connection(stream, trigger, extras));
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
    stream
        .peer_cred()
        .is_ok_and(|peer| peer.uid() == own || peer.uid() == 0)
}

async fn serve_connection(mut stream: UnixStream, trigger: mpsc::Sender<Trigger>, extras: Extras) {
    let mut line = String::new();
    let mut bounded = BufReader::new((&mut stream).take(MAX_COMMAND_BYTES));
    let read = timeout(IO_TIMEOUT, bounded.read_line(&mut line)).await;
    let losses = match (read, line.as_str()) {
        (Ok(Ok(_)), COMMAND) => Losses::Refused,
        (Ok(Ok(_)), ALLOW_LOSSES) => Losses::Allowed,
        (Ok(Ok(_)), _) => return answer(&mut stream, line, extras).await,
        _ => return,
    };
    // Unbounded, so that a slow client does not block the reload; a reload has few records.
    let (listener, mut sent) = mpsc::unbounded_channel();
    let command = Trigger {
        retry: Retry::All,
        losses,
        settled: None,
        listener: Some(listener),
    };
    let mut first = pin!(async move {
        trigger.send(command).await.ok()?;
        Some((sent.recv().await?, sent))
    });
    let received = if let Ok(received) = timeout(WAITING_AFTER, &mut first).await {
        received
    } else {
        let message = "waiting for another reload to finish".to_owned();
        if !send_record(&mut stream, &ReloadRecord::Progress { message }).await {
            return;
        }
        first.await
    };
    let Some((mut record, mut records)) = received else {
        return;
    };
    while send_record(&mut stream, &record).await {
        match records.recv().await {
            Some(next) => record = next,
            None => return,
        }
    }
}

/// Answers a command for an extra.
async fn answer(stream: &mut UnixStream, line: String, extras: Extras) {
    let answered = spawn_blocking(move || {
        let words: Vec<_> = line.strip_prefix(ASK)?.split_whitespace().collect();
        extras.iter().find_map(|extra| extra.command(&words))
    });
    if let Ok(Some(answer)) = answered.await {
        send_record(stream, &ReloadRecord::Answer { answer }).await;
    }
}

/// Sends a record. Returns whether the client is still connected.
async fn send_record(stream: &mut UnixStream, record: &ReloadRecord) -> bool {
    let Ok(mut line) = serde_json::to_vec(record) else {
        return false;
    };
    line.push(b'\n');
    matches!(
        timeout(IO_TIMEOUT, stream.write_all(&line)).await,
        Ok(Ok(()))
    )
}

/// Returns the time by which all reloads of a command must finish.
pub fn reloads_deadline() -> Instant {
    Instant::now() + RELOADS_TIMEOUT
}

/// A running server with an open control connection.
#[derive(Debug)]
pub struct RunningServer {
    /// The process id.
    pub process: u32,
    stream: UnixStream,
}

impl RunningServer {
    /// Returns an extra's answer to a command, in JSON.
    ///
    /// # Errors
    /// The connection fails, no extra of the server knows the command, or the answer is late.
    pub async fn ask(mut self, words: &[&str]) -> io::Result<String> {
        let command = format!("{ASK}{}\n", words.join(" "));
        let answered = async {
            self.stream.write_all(command.as_bytes()).await?;
            next_record(&mut BufReader::new(self.stream)).await
        };
        let answered = timeout(FIRST_RECORD_TIMEOUT, answered).await;
        match answered.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?? {
            (ReloadRecord::Answer { answer }, _) => Ok(answer),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Requests a reload and passes its progress to `progress`. Returns the last record. Dropping
    /// the future does not cancel the reload.
    ///
    /// # Errors
    /// The connection fails, the first record takes too long, the reload does not finish by the
    /// deadline, or a record is invalid.
    pub async fn reload(
        mut self,
        losses: Losses,
        deadline: Instant,
        mut progress: impl FnMut(&str),
    ) -> io::Result<ReloadRecord> {
        let command = match losses {
            Losses::Refused => COMMAND,
            Losses::Allowed => ALLOW_LOSSES,
        };
        let late = |message: &str| io::Error::new(io::ErrorKind::TimedOut, message);
        let mut until = deadline.min(Instant::now() + FIRST_RECORD_TIMEOUT);
        timeout_at(until, self.stream.write_all(command.as_bytes()))
            .await
            .map_err(|_| late("the server does not read the command"))??;
        let mut lines = BufReader::new(self.stream);
        let mut bytes = 0;
        for _ in 0..MAX_RECORDS {
            let (record, length) = match timeout_at(until, next_record(&mut lines)).await {
                Ok(read) => read?,
                Err(_) if until < deadline => return Err(late("the server is not responding")),
                Err(_) => {
                    return Err(late(
                        "the reload did not finish in time; check the server's log for the outcome",
                    ));
                }
            };
            until = deadline;
            bytes += length;
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

/// Reads a record. Returns it with its length in bytes.
async fn next_record(lines: &mut BufReader<UnixStream>) -> io::Result<(ReloadRecord, usize)> {
    let mut line = Vec::new();
    let mut bounded = lines.take(MAX_RECORD_BYTES);
    bounded.read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        let ended = "the server closed the connection: it has exited, does not know the command, \
            or does not accept commands from this user";
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, ended));
    }
    // Serde's message may quote the record.
    let record = serde_json::from_slice(&line).map_err(|error| {
        let detail = format!("the server sent an invalid record: {error}");
        io::Error::new(io::ErrorKind::InvalidData, printable(&detail))
    })?;
    Ok((record, line.len()))
}

/// Connects to every server of this user that runs with a configuration file. Root also reaches the
/// servers of the file's owner and of services. Removes stale sockets.
///
/// # Errors
/// The path of the file cannot be resolved. The file need not exist.
pub async fn running_servers(config: &Path) -> io::Result<Vec<RunningServer>> {
    let prefix = prefix(config)?;
    let own = own_user();
    let trusted = if own == 0 {
        let owner = metadata(config).map(|file| file.uid());
        [own].into_iter().chain(owner).collect()
    } else {
        vec![own]
    };
    let mut servers: Vec<RunningServer> = Vec::new();
    let of_users = folders(&trusted)
        .into_iter()
        .map(|folder| private_folder(&folder, Some(&trusted)));
    let of_services = service_folders()
        .into_iter()
        .map(|folder| private_folder(&folder, None));
    let mut found: Vec<_> = of_users.chain(of_services).flatten().flatten().collect();
    found.sort();
    found.dedup();
    for (socket, owner) in found {
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

/// Connects to a server of the user that owns the socket's folder. Removes a stale socket of this
/// user. Keeps a stale socket of another user, because that user could replace it with a link.
async fn connect(socket: &Path, owner: u32) -> Option<UnixStream> {
    match timeout(IO_TIMEOUT, UnixStream::connect(socket))
        .await
        .ok()?
    {
        Ok(stream) => {
            let peer = stream.peer_cred().ok()?.uid();
            if peer == owner {
                return Some(stream);
            }
            tracing::warn!(socket = %printable(&socket.to_string_lossy()), peer, owner, "ignored \
                a socket of another user");
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

/// Returns the sockets in a folder with their owner, if only the owner can write to it and is one
/// of `trusted`. `None` if the file system does not respond: the owner may have mounted it.
fn private_folder(folder: &Path, trusted: Option<&[u32]>) -> Option<Vec<(PathBuf, u32)>> {
    let trusted = trusted.map(<[_]>::to_vec);
    let sockets = bounded(folder, move |folder, _| {
        let found = fs::symlink_metadata(folder).ok()?;
        let owner = found.uid();
        let is_trusted = trusted.is_none_or(|trusted| trusted.contains(&owner));
        let is_private = found.is_dir() && found.mode() & 0o022 == 0;
        (is_private && is_trusted).then(|| {
            sockets_in(folder)
                .into_iter()
                .map(|socket| (socket, owner))
                .collect()
        })
    });
    sockets.ok()?
}

fn sockets_in(folder: &Path) -> Vec<PathBuf> {
    entries(folder)
        .filter(|path| path.extension() == Some(OsStr::new("sock")))
        .collect()
}

/// Returns the paths in a folder, or none if it cannot be read.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
}

fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns the name prefix of all sockets for a configuration file.
fn prefix(config: &Path) -> io::Result<String> {
    let sum = Sha256Sum::of(real_path(config)?.as_os_str().as_bytes());
    // The path of a socket is limited to about 100 bytes.
    Ok(format!("{}-", &sum.to_string()[..16]))
}

/// Resolves the links in the path of a file. Neither the file nor its folder needs to exist.
fn real_path(file: &Path) -> io::Result<PathBuf> {
    let absolute = path::absolute(file)?;
    for folder in absolute.ancestors() {
        match canonicalize(folder) {
            Ok(real) => {
                let missing = absolute.strip_prefix(folder).unwrap_or(Path::new(""));
                return Ok(real.join(missing).components().collect());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(absolute)
}

/// Returns the folder of this process's socket.
fn own_folder() -> PathBuf {
    let runtime = env::var_os("XDG_RUNTIME_DIR").filter(|folder| Path::new(folder).is_absolute());
    runtime.map_or_else(temporary_folder, |folder| {
        Path::new(&folder).join("rookery")
    })
}

fn temporary_folder() -> PathBuf {
    temporary_folder_of(own_user())
}

fn temporary_folder_of(user: u32) -> PathBuf {
    env::temp_dir().join(format!("rookery-{user}"))
}

/// Returns every folder that may contain sockets of these users, whatever environment their servers
/// run in. Folders of other users are not accessed: their file systems may hang.
fn folders(users: &[u32]) -> Vec<PathBuf> {
    let of_user = |user: &u32| {
        [
            format!("/run/user/{user}/rookery").into(),
            temporary_folder_of(*user),
        ]
    };
    iter::once(own_folder())
        .chain(users.iter().flat_map(of_user))
        .collect()
}

/// Returns the folders of services, as named in the packaged units. Only root can create a folder
/// in `/run`.
fn service_folders() -> Vec<PathBuf> {
    if own_user() != 0 {
        return Vec::new();
    }
    let is_service = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.as_bytes().starts_with(b"rookery"))
    };
    entries(Path::new("/run"))
        .filter(is_service)
        .map(|folder| folder.join("rookery"))
        .collect()
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
    Err(io::Error::other(
        "expected a folder that belongs to this user and has mode 0700",
    ))
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    /// Returns the error from a reload whose peer keeps sending these bytes.
    fn error_of(answer: &'static [u8]) -> io::Error {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let (stream, mut peer) = UnixStream::pair().unwrap();
            let server = RunningServer { process: 1, stream };
            let deadline = Instant::now() + Duration::from_millis(200);
            let answering = async {
                while peer.write_all(answer).await.is_ok() {
                    sleep(Duration::from_millis(20)).await;
                }
                pending::<()>().await;
            };
            tokio::select! {
                outcome = server.reload(Losses::Refused, deadline, |_| ()) => outcome.unwrap_err(),
                () = answering => unreachable!("it answers until the end"),
            }
        })
    }

    #[test]
    fn a_reload_ends_by_its_deadline_whatever_the_server_sends() {
        let progress = b"{\"type\":\"progress\",\"message\":\"one moment\"}\n";
        for answer in [&b""[..], b" ", progress] {
            assert_eq!(
                error_of(answer).kind(),
                io::ErrorKind::TimedOut,
                "{answer:?}"
            );
        }
    }
}
