//! Interference with operations: reloads, plugin files, working folders, the control socket,
//! shutdown.

use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::{
        fs::{DirBuilderExt as _, chown, symlink},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{CWD, FileType, Mode, inotify, mknodat},
    process::Signal,
};
use serde_json::json;
use test_kit::{Process, poll, processes::kill_if_running, rookery};

use crate::{
    library,
    runner::{Attack, Attempt, Outcome, judge},
    server::{NOBODY, Server, Setup},
};

const TRUSTED_SOCKETS: &str = "root's commands never wait for another user's server";
const NO_BLOCK: &str = "no plugin file blocks a reload or the shutdown";

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        "reload signals never fail a request",
        "1,520 signals under load",
        reload_signals,
    )
    .within(90),
    Attack::new(
        "a signal for log files stops no server",
        "SIGUSR1 under load",
        log_signals,
    ),
    Attack::new(
        "a killed worker fails at most its own request",
        "workers killed under load",
        killed_workers,
    ),
    Attack::new(NO_BLOCK, "a FIFO in place of a library", |attempt| {
        endless_file(attempt, make_fifo)
    }),
    Attack::new(NO_BLOCK, "a link to the kernel's log", |attempt| {
        endless_file(attempt, |path| symlink("/proc/kmsg", path).unwrap())
    })
    .as_root(),
    Attack::new(NO_BLOCK, "a link to an endless device", |attempt| {
        endless_file(attempt, |path| symlink("/dev/zero", path).unwrap())
    }),
    Attack::new(NO_BLOCK, "a file of 8 GiB of zeros", |attempt| {
        endless_file(attempt, |path| {
            fs::File::create(path).unwrap().set_len(8 << 30).unwrap();
        })
    }),
    Attack::new(
        NO_BLOCK,
        "a library and a FIFO in turn, during reloads",
        swapped_file,
    )
    .within(90),
    Attack::new(
        "the names of working folders are unpredictable",
        "watching the temporary folders while workers start",
        working_folders,
    ),
    Attack::new(
        "`rookery reload` shows no control characters and ends",
        "a socket of the configuration's owner with endless replies",
        endless_socket,
    )
    .as_root(),
    Attack::new(
        TRUSTED_SOCKETS,
        "a silent socket of another user, in a private folder and with every command",
        foreign_socket,
    )
    .as_root(),
    Attack::new(
        TRUSTED_SOCKETS,
        "a silent socket of the configuration's owner",
        silent_socket,
    )
    .as_root()
    .long(),
    Attack::new(
        "the folder of the control socket belongs to the server's user",
        "the folder, created first by another user, or as a link",
        squatted_folder,
    )
    .as_root(),
    Attack::new(
        "no command shows control characters of an AI",
        "a manifest with control characters, and output on standard error",
        commands_show_names,
    ),
    Attack::new(
        "a discovered library does not delay the start",
        "a library whose constructor never returns",
        hanging_library,
    ),
    Attack::new(
        "replies contain no path, folder or process id",
        "a removed grant, a removed library, killed workers",
        paths_in_replies,
    ),
    Attack::new(
        "the server exits in time",
        "SIGTERM with dripping, unread, streaming and queued clients",
        shutdown_under_attack,
    ),
];

pub(crate) fn reload(server: &Server, within: Duration) -> Option<Output> {
    let mut command = Command::new(rookery());
    command
        .arg("reload")
        .arg("--config")
        .arg(server.configuration());
    run_within(&mut command, within)
}

/// Runs a command with a timeout.
pub(crate) fn run_within(command: &mut Command, within: Duration) -> Option<Output> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (out, err) = (
        thread::spawn(move || read_some(&mut stdout)),
        thread::spawn(move || read_some(&mut stderr)),
    );
    let status = poll(within, || child.try_wait().unwrap());
    let _ = child.kill();
    let _ = child.wait();
    let (stdout, stderr) = (out.join().unwrap(), err.join().unwrap());
    status.map(|status| Output {
        status,
        stdout,
        stderr,
    })
}

/// Reads everything, but keeps only the first 4 MiB.
fn read_some(from: &mut impl std::io::Read) -> Vec<u8> {
    let mut some = Vec::new();
    let _ = from.take(4 << 20).read_to_end(&mut some);
    let _ = std::io::copy(from, &mut std::io::sink());
    some
}

/// Sends requests while an attack runs. Returns the number of moves and the failures.
fn under_load(server: &Server, attack: impl FnOnce()) -> (usize, Vec<String>) {
    let (is_running, answers) = (AtomicBool::new(true), AtomicUsize::new(0));
    let wrong = thread::scope(|scope| {
        let clients: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut wrong = Vec::new();
                    let mut connection = server.connect();
                    let body = json!({"game": {}, "ai": "good", "fresh": true}).to_string();
                    while is_running.load(Ordering::Relaxed) {
                        match connection.post("/v1/best-move", "", body.as_bytes()) {
                            Ok(reply) if reply.status == 200 => {
                                _ = answers.fetch_add(1, Ordering::Relaxed);
                            }
                            Ok(reply) => wrong.push(format!("{} {}", reply.status, reply.code())),
                            Err(error) => {
                                wrong.push(error);
                                connection = server.connect();
                            }
                        }
                    }
                    wrong
                })
            })
            .collect();
        attack();
        is_running.store(false, Ordering::Relaxed);
        clients
            .into_iter()
            .flat_map(|client| client.join().unwrap())
            .collect()
    });
    (answers.into_inner(), wrong)
}

fn reload_signals(attempt: &Attempt) -> Outcome {
    let server = Setup::good().start(attempt);
    let signals = if Attempt::is_long() { 1520 } else { 200 };
    let (answers, wrong) = under_load(&server, || {
        for _ in 0..signals {
            server.signal(Signal::HUP);
            thread::sleep(Duration::from_millis(4));
        }
    });
    let seen = format!(
        "{signals} signals, {answers} replies, {} failed",
        wrong.len()
    );
    server.is_unharmed("good")?;
    let workers = poll(Duration::from_secs(10), || {
        (server.children().len() == 1).then_some(())
    });
    if !wrong.is_empty() || workers.is_none() {
        return Err(format!(
            "{seen}: {:?}; {} workers",
            wrong.first(),
            server.children().len()
        ));
    }
    Ok(seen)
}

fn log_signals(attempt: &Attempt) -> Outcome {
    let server = Setup::good().start(attempt);
    let (answers, wrong) = under_load(&server, || {
        for _ in 0..20 {
            server.signal(Signal::USR1);
            server.health();
        }
    });
    server.is_unharmed("good")?;
    let seen = format!("20 signals, {answers} replies, {} failed", wrong.len());
    if wrong.is_empty() {
        Ok(seen)
    } else {
        Err(format!("{seen}: {:?}", wrong.first()))
    }
}

fn killed_workers(attempt: &Attempt) -> Outcome {
    let server = Setup::new()
        .ai("good", "ai_basic1", "limit = { depth = 1 }\nworkers = 2")
        .start(attempt);
    let kills = if Attempt::is_long() { 60 } else { 15 };
    let (answers, wrong) = under_load(&server, || {
        for number in 0..kills {
            let workers = server.descendants();
            if let Some(&worker) = workers.get(number % workers.len().max(1)) {
                kill_if_running(worker, Signal::KILL);
            }
            thread::sleep(Duration::from_millis(150));
        }
    });
    let seen = format!("{kills} kills, {answers} replies, {} failed", wrong.len());
    if poll(Duration::from_secs(10), || server.is_unharmed("good").ok()).is_none() {
        return Err(format!("{seen}; the AI stays unavailable"));
    }
    // A request is retried once if its worker dies; a second death is an error.
    if wrong.len() > kills {
        Err(format!("{seen}: {:?}", wrong.first()))
    } else {
        Ok(seen)
    }
}

fn make_fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
}

/// Starts a server with one configured library in its plugin folder. Returns the library's path.
fn with_plugins(attempt: &Attempt) -> (Server, PathBuf) {
    let setup = Setup::good().server(
        "drain_delay_ms = 0\nshutdown_grace_ms = 2000\n[plugins]\ndirectories = [\"plugins\"]",
    );
    let plugins = setup.folder().join("plugins");
    fs::create_dir(&plugins).unwrap();
    let library = plugins.join("libcounts_pawns.so");
    fs::copy(test_kit::built("counts_pawns"), &library).unwrap();
    (setup.start(attempt), library)
}

fn endless_file(attempt: &Attempt, make: impl Fn(&Path)) -> Outcome {
    let (mut server, library) = with_plugins(attempt);
    make(&library.with_file_name("libnew.so"));
    fs::remove_file(&library).unwrap();
    make(&library);
    let started = Instant::now();
    let reloads = [
        reload(&server, Duration::from_secs(12)),
        reload(&server, Duration::from_secs(12)),
    ];
    let took = started.elapsed();
    if reloads.iter().any(Option::is_none) {
        return Err(format!("a reload did not finish within 12 s ({took:.1?})"));
    }
    let health = server.health();
    server.is_unharmed("good")?;
    let started = Instant::now();
    if server.stop(Duration::from_secs(12)).is_none() {
        return Err(format!(
            "reloads finished in {took:.1?}, the server did not exit within 12 s"
        ));
    }
    Ok(format!(
        "two reloads in {took:.1?}, health {health:.1?}, exit in {:.1?}",
        started.elapsed()
    ))
}

fn swapped_file(attempt: &Attempt) -> Outcome {
    let (mut server, library) = with_plugins(attempt);
    let is_running = AtomicBool::new(true);
    let (fifo, whole) = (
        library.with_extension("fifo"),
        library.with_extension("whole"),
    );
    let reloads = if Attempt::is_long() { 40 } else { 8 };
    let ended = thread::scope(|scope| {
        scope.spawn(|| {
            while is_running.load(Ordering::Relaxed) {
                make_fifo(&fifo);
                let _ = fs::rename(&fifo, &library);
                let _ = fs::copy(test_kit::built("counts_pawns"), &whole);
                let _ = fs::rename(&whole, &library);
            }
        });
        let ended = (0..reloads).all(|_| reload(&server, Duration::from_secs(12)).is_some());
        is_running.store(false, Ordering::Relaxed);
        ended
    });
    if !ended {
        return Err("a reload did not finish within 12 s".into());
    }
    server.is_unharmed("good")?;
    if server.stop(Duration::from_secs(12)).is_none() {
        return Err("the server did not exit within 12 s".into());
    }
    Ok(format!("{reloads} reloads"))
}

fn working_folders(attempt: &Attempt) -> Outcome {
    let watch =
        inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC).unwrap();
    for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
        let _ = inotify::add_watch(&watch, folder, inotify::WatchFlags::CREATE);
    }
    let server = Setup::new()
        .ai("good", "ai_basic1", "workers = 8")
        .start(attempt);
    let mut buffer = [std::mem::MaybeUninit::uninit(); 1 << 14];
    let mut events = inotify::Reader::new(&watch, &mut buffer);
    let mut names = Vec::new();
    while let Ok(event) = events.next() {
        names.extend(
            event
                .file_name()
                .map(|name| name.to_string_lossy().into_owned()),
        );
    }
    let workers = server.descendants();
    let predictable: Vec<_> = names
        .iter()
        .filter(|name| {
            name.contains("worker")
                && workers
                    .iter()
                    .any(|worker| name.contains(&worker.to_string()))
        })
        .collect();
    let seen = format!("{} workers, {predictable:?}", workers.len());
    judge(predictable.is_empty(), seen)
}

/// A process of the user `nobody` that listens in place of that user's former server.
struct ForgedServer {
    server: Server,
    process: Process,
    socket: PathBuf,
}

impl ForgedServer {
    fn start(attempt: &Attempt, further: &[&str]) -> Result<Self, String> {
        // Finds the name of the socket that another user's server creates for this configuration.
        let mut server = Setup::good().run_as_nobody().start(attempt);
        let folder = std::env::temp_dir().join(format!("rookery-{NOBODY}"));
        let own = |server: &Server| {
            fs::read_dir(&folder)
                .ok()?
                .flatten()
                .map(|entry| entry.path())
                .find(|path| {
                    path.to_string_lossy()
                        .ends_with(&format!("-{}.sock", server.id()))
                })
        };
        let socket = own(&server).ok_or("the server of the user `nobody` has no socket")?;
        if server.stop(Duration::from_secs(20)).is_none() {
            return Err("the server did not exit".into());
        }
        let _ = fs::DirBuilder::new().mode(0o700).create(&folder);
        let _ = chown(&folder, Some(NOBODY), Some(NOBODY));
        // The process that listens belongs to the owner of the folder.
        let program = library::compile_program("socket.c", server.folder(), &[]);
        let mut command = Command::new(&program);
        command.arg(&socket).args(further).uid(NOBODY).gid(NOBODY);
        let forged = Self {
            server,
            process: Process::start_adopted(&mut command, |child| attempt.adopt(child)),
            socket,
        };
        match forged.process.first_line() {
            "listening" => Ok(forged),
            line => Err(format!("no listener: {line:?}")),
        }
    }

    fn give_configuration_to_nobody(&self) {
        chown(self.server.configuration(), Some(NOBODY), None).unwrap();
    }
}

impl Drop for ForgedServer {
    fn drop(&mut self) {
        self.process.kill();
        let _ = fs::remove_file(&self.socket);
    }
}

fn endless_socket(attempt: &Attempt) -> Outcome {
    let forged = ForgedServer::start(attempt, &[])?;
    forged.give_configuration_to_nobody();
    let output = reload(&forged.server, Duration::from_secs(20));
    let Some(output) = output else {
        return Err("the command did not exit within 20 s".into());
    };
    let bytes = output.stdout.len() + output.stderr.len();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if text
        .chars()
        .any(|c| c.is_control() && c != '\n' || c == '\u{202e}')
    {
        return Err(format!("control characters in {text:.100?}"));
    }
    if !text.contains("too many records") {
        return Err(format!("the socket is not used: {text:.200}"));
    }
    if bytes > 1 << 20 {
        Err(format!("{bytes} bytes"))
    } else {
        Ok(format!("{bytes} bytes: {text:.200}"))
    }
}

fn foreign_socket(attempt: &Attempt) -> Outcome {
    let forged = ForgedServer::start(attempt, &["silent"])?;
    let started = Instant::now();
    let commands: [(&[&str], i32); 4] = [
        (&["reload"], 1),
        (&["client", "add", "bob", "--ai", "good", "--write"], 0),
        (&["client", "rotate", "bob"], 0),
        (&["client", "remove", "bob"], 0),
    ];
    for (words, expected) in commands {
        let mut command = Command::new(rookery());
        let command = command
            .args(words)
            .arg("--config")
            .arg(forged.server.configuration());
        let output = run_within(command, Duration::from_secs(12));
        let Some(output) = output else {
            return Err(format!("{words:?} did not exit within 12 s"));
        };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() != Some(expected)
            || said.contains(&format!("server {}", forged.server.id()))
        {
            return Err(format!("{words:?}: {:?} {said}", output.status));
        }
    }
    Ok(format!("four commands in {:.1?}", started.elapsed()))
}

fn silent_socket(attempt: &Attempt) -> Outcome {
    let forged = ForgedServer::start(attempt, &["silent"])?;
    forged.give_configuration_to_nobody();
    let started = Instant::now();
    let output =
        reload(&forged.server, Duration::from_secs(50)).ok_or("it did not exit within 50 s")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let seen = format!("after {:.1?}: {said}", started.elapsed());
    judge(said.contains("the server is not responding"), seen)
}

fn squatted_folder(attempt: &Attempt) -> Outcome {
    for squat in ["folder", "link"] {
        let setup = Setup::good();
        let temporary = setup.folder().join("tmp");
        let own = temporary.join("rookery-0");
        fs::create_dir(&temporary).unwrap();
        let elsewhere = setup.folder().join("elsewhere");
        let mut open = fs::DirBuilder::new();
        open.mode(0o777).create(&elsewhere).unwrap();
        chown(&elsewhere, Some(NOBODY), Some(NOBODY)).unwrap();
        if squat == "folder" {
            open.create(&own).unwrap();
            chown(&own, Some(NOBODY), Some(NOBODY)).unwrap();
        } else {
            symlink(&elsewhere, &own).unwrap();
        }
        let server = setup
            .environment("TMPDIR", temporary.to_str().unwrap())
            .environment("XDG_RUNTIME_DIR", "")
            .start(attempt);
        server.is_unharmed("good")?;
        let held = [&own, &elsewhere].map(|folder| fs::read_dir(folder).map_or(0, Iterator::count));
        if held != [0, 0] {
            return Err(format!("a socket in a {squat} of another user"));
        }
    }
    Ok("no socket there, and the server runs".into())
}

fn commands_show_names(_: &Attempt) -> Outcome {
    let setup = Setup::new().ai("bad", "lies.c", "options = { attack = \"invalid names\" }");
    let file = setup.folder().join("rookery.toml");
    fs::write(&file, setup.text()).unwrap();
    for arguments in [
        &["ais"][..],
        &["config", "show"],
        &["best-move", "--depth", "1"],
        &["config", "check"],
    ] {
        let mut command = Command::new(rookery());
        let output = run_within(
            command.args(arguments).arg("--config").arg(&file),
            Duration::from_secs(20),
        );
        let Some(output) = output else {
            return Err(format!("{arguments:?} did not exit"));
        };
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        if let Some(found) = text
            .chars()
            .find(|c| c.is_control() && *c != '\n' || *c == '\u{202e}')
        {
            return Err(format!("{found:?} in {arguments:?}: {text:.300}"));
        }
    }
    Ok("none".into())
}

fn hanging_library(attempt: &Attempt) -> Outcome {
    let setup = Setup::good().server("[plugins]\ndirectories = [\"plugins\"]");
    let plugins = setup.folder().join("plugins");
    fs::create_dir(&plugins).unwrap();
    library::compile(
        "speaks.c",
        &plugins,
        &["-DSPEAK_IN_CONSTRUCTOR=\"nothing\""],
    );
    let server = setup.start(attempt);
    server.is_unharmed("good")?;
    let seen = format!("listened after {:.1?}", server.start);
    judge(server.start <= Duration::from_secs(12), seen)
}

fn paths_in_replies(attempt: &Attempt) -> Outcome {
    let grants = Setup::new();
    let granted = grants.folder().join("granted");
    fs::create_dir(&granted).unwrap();
    let lines = format!("allow_read = [\"{}\"]", granted.display());
    let server = Setup::new()
        .ai("bad", "counts_pawns", &lines)
        .with_good()
        .ai("gone", "echo", "")
        .start(attempt);
    fs::remove_dir(&granted).unwrap();
    let _ = fs::remove_file(server.folder().join("libecho.so"));
    let _ = reload(&server, Duration::from_secs(20));
    let temporary = std::env::temp_dir().to_string_lossy().into_owned() + "/";
    let mut found = Vec::new();
    for _ in 0..7 {
        let processes = server.descendants();
        server.kill_descendants();
        let are_gone = || {
            !server
                .descendants()
                .iter()
                .any(|process| processes.contains(process))
        };
        poll(Duration::from_secs(10), || are_gone().then_some(()))
            .ok_or("killed workers are not reaped")?;
        for ai in ["bad", "gone", "good"] {
            let replies = [
                server.best_move(ai),
                server.get(&format!("/v1/ais/{ai}")),
                server.get("/v1/ais"),
                server.get("/readyz"),
            ];
            for reply in replies {
                let text = String::from_utf8_lossy(&reply.body).into_owned();
                let secrets = [
                    server.folder(),
                    &granted,
                    Path::new("/proc/"),
                    Path::new(&temporary),
                ];
                let leak = secrets
                    .iter()
                    .find(|secret| text.contains(&*secret.to_string_lossy()));
                if let Some(leak) = leak {
                    found.push(format!(
                        "{} in {} {text:.300}",
                        leak.display(),
                        reply.status
                    ));
                }
                for process in processes.iter().chain([&server.id()]) {
                    // A shorter number might not be a process id.
                    if *process > 9999 && text.contains(&format!(" {process}")) {
                        found.push(format!("process {process} in {} {text:.300}", reply.status));
                    }
                }
            }
        }
    }
    match found.first() {
        Some(first) => Err(format!("{} replies: {first}", found.len())),
        None => Ok("none".into()),
    }
}

fn shutdown_under_attack(attempt: &Attempt) -> Outcome {
    let mut server = Setup::good()
        .server("drain_delay_ms = 0\nshutdown_grace_ms = 1500")
        .start(attempt);
    let mut held = Vec::new();
    let stream = "POST /v1/best-move HTTP/1.1\r\nHost: localhost\r\nAccept: \
        application/x-ndjson\r\nContent-Type: application/json\r\n";
    let body = r#"{"game":{},"limit":{"movetime_ms":9000}}"#;
    let requests = [
        format!("{stream}Content-Length: {}\r\n\r\n{body}", body.len()),
        format!("{stream}Transfer-Encoding: chunked\r\n\r\n1\r\n{{"),
        "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(500),
        "GET / HTTP/1.1\r\nX: ".to_owned(),
        String::new(),
    ];
    for number in 0..60 {
        let mut socket = server.socket();
        socket.set_nonblocking(true).unwrap();
        let _ = socket.write(requests[number % requests.len()].as_bytes());
        held.push(socket);
    }
    server.await_search("good");
    let started = Instant::now();
    let ended = server.stop(Duration::from_secs(25));
    let seen = format!("{ended:?} after {:.1?}", started.elapsed());
    drop(held);
    judge(
        ended.is_some() && started.elapsed() < Duration::from_secs(12),
        seen,
    )
}
