//! An engine as a child process, with its input and output lines.

use std::{
    collections::VecDeque,
    fmt::Display,
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    process::{Child, ChildStdin, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use ai_api::AiError;

use crate::{
    command::Command,
    identity::Identity,
    option::{EngineOption, LINES},
};

/// Limits `uciok` and `readyok`; shorter than the host's limit for the start of an AI.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// Limits `ucinewgame`; shorter than the host's limit for a new game.
const NEW_GAME_TIMEOUT: Duration = Duration::from_millis(4500);
/// The time after which a silent engine's last words go to standard error: the host may kill this process.
const PATIENCE: Duration = Duration::from_secs(1);
/// Limits the exit of an engine.
const END_TIMEOUT: Duration = Duration::from_millis(200);
/// Longer lines are split.
const MAX_LINE_BYTES: u64 = 16 * 1024;
/// The capacity of the line queue; when it is full, the engine blocks.
const MAX_WAITING_LINES: usize = 256;
/// More options than any engine has.
const MAX_OPTIONS: usize = 500;
/// The number of last lines in an error message.
const LAST_LINES: usize = 4;
const MAX_LAST_CHARS: usize = 300;
/// The hint for a program that is no UCI engine.
const NOT_AN_ENGINE: &str = "; a UCI engine answers 'uci' with 'uciok': start it by hand and try, some want an argument such as \
                          --uci in command";

/// A running engine. Dropping it kills the process.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) command: Command,
    pub(crate) identity: Identity,
    options: Vec<EngineOption>,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_lines: LastLines,
    /// Whether it replied `uciok`.
    is_greeted: bool,
    /// The options set by earlier requests.
    pub(crate) state: State,
}

/// Options of an engine that may differ between requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) chess960: bool,
    pub(crate) analysis: bool,
    pub(crate) lines: u32,
    /// Whether no search followed the last `ucinewgame`.
    pub(crate) is_fresh: bool,
}

/// The last output lines of an engine.
#[derive(Clone, Debug, Default)]
struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl Engine {
    /// Starts the program and reads its options.
    pub(crate) fn start(command: &Command) -> Result<Self, AiError> {
        let mut child = std::process::Command::new(&command.program)
            .args(&command.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| not_started(command, &error))?;
        let (sender, lines) = sync_channel(MAX_WAITING_LINES);
        let last_lines = LastLines::default();
        let input = child.stdin.take();
        if let Some(output) = child.stdout.take() {
            read_lines(output, last_lines.clone(), Some(sender))?;
        }
        if let Some(output) = child.stderr.take() {
            read_lines(output, last_lines.clone(), None)?;
        }
        let state = State { chess960: false, analysis: false, lines: 1, is_fresh: true };
        let command = command.clone();
        let mut engine = Self {
            command,
            identity: Identity::default(),
            options: Vec::new(),
            is_greeted: false,
            child,
            input,
            lines,
            last_lines,
            state,
        };
        engine.read_options()?;
        engine.is_greeted = true;
        Ok(engine)
    }

    /// Sends `uci` and reads the options until `uciok`.
    fn read_options(&mut self) -> Result<(), AiError> {
        self.ask("uci", "uciok", START_TIMEOUT, |engine, line| match line.split_once(' ') {
            Some(("id", text)) => engine.identity.read(text),
            Some(("option", declaration)) if engine.options.len() < MAX_OPTIONS => {
                engine.options.extend(EngineOption::parse(declaration, &engine.options));
            }
            _ => {}
        })
    }

    pub(crate) fn send(&mut self, line: &str) -> Result<(), AiError> {
        debug_assert!(!line.contains(char::is_control), "{line:?} is one line");
        let written = self.input.as_mut().map(|input| input.write_all(format!("{line}\n").as_bytes()));
        match written {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => Err(self.died()),
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Display) -> Result<(), AiError> {
        self.send(&format!("setoption name {name} value {value}"))
    }

    /// The options that operators can set.
    pub(crate) fn settable(&self) -> impl Iterator<Item = &EngineOption> {
        self.options.iter().filter(|option| option.is_settable())
    }

    pub(crate) fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.is(name))
    }

    /// The most lines that the engine searches at once.
    pub(crate) fn max_lines(&self) -> u32 {
        let declared = self.options.iter().find(|option| option.is(LINES)).and_then(EngineOption::max);
        declared.map_or(1, |most| most.clamp(1, 256) as u32)
    }

    /// Returns whether its process runs.
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits until the engine has processed all commands.
    pub(crate) fn wait_until_ready(&mut self) -> Result<(), AiError> {
        self.ask("isready", "readyok", START_TIMEOUT, |_, _| {})
    }

    /// Clears the engine's state, unless it is unused.
    pub(crate) fn new_game(&mut self) -> Result<(), AiError> {
        if !self.state.is_fresh {
            self.send("ucinewgame")?;
            self.ask("isready", "readyok", NEW_GAME_TIMEOUT, |_, _| {})?;
            self.state.is_fresh = true;
        }
        Ok(())
    }

    /// Sends a command and passes the engine's lines to `read`, until the one that begins with the word `reply`.
    fn ask(
        &mut self,
        command: &str,
        reply: &str,
        timeout: Duration,
        read: impl Fn(&mut Self, &str),
    ) -> Result<(), AiError> {
        self.send(command)?;
        let asked = Instant::now();
        for limit in [PATIENCE.min(timeout), timeout] {
            while let Some(line) = self.line_within(limit.saturating_sub(asked.elapsed()))? {
                if line.split(' ').next() == Some(reply) {
                    return Ok(());
                }
                read(self, &line);
            }
            if self.is_greeted && limit < timeout {
                eprintln!("{}", self.failed(&format!("has not answered '{command}' for {limit:?}")));
            }
        }
        Err(self.failed(&format!("did not answer '{command}' with '{reply}' within {timeout:?}")))
    }

    /// Returns the next line, or none after the timeout.
    pub(crate) fn line_within(&mut self, timeout: Duration) -> Result<Option<String>, AiError> {
        match self.lines.recv_timeout(timeout) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.died()),
        }
    }

    /// The error of an engine that failed, with its last output.
    pub(crate) fn failed(&self, what: &str) -> AiError {
        let mut message = format!("the engine {} {what}", self.command.program.display());
        if !self.is_greeted {
            message.push_str(NOT_AN_ENGINE);
        }
        let last = self.last_lines.text();
        if !last.is_empty() {
            message = format!("{message}; its last output: {last}");
        }
        AiError::new(message)
    }

    pub(crate) fn died(&mut self) -> AiError {
        self.input = None;
        match self.exit_status() {
            Some(how) => {
                // The threads may still be reading its last output.
                within_end_timeout(|| self.last_lines.is_complete().then_some(()));
                self.failed(&format!("exited ({how})"))
            }
            None => self.failed("has closed its standard output or input"),
        }
    }

    /// Returns the exit status, if it exits soon.
    fn exit_status(&mut self) -> Option<String> {
        within_end_timeout(|| self.child.try_wait().transpose())?.ok().map(|status| status.to_string())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // A sandbox may forbid the kill; closing its input makes most engines exit.
        self.input = None;
        let _ = self.child.kill();
        let _ = self.exit_status();
    }
}

impl LastLines {
    fn push(&self, line: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push_back(line.to_owned());
        while lines.len() > LAST_LINES {
            lines.pop_front();
        }
    }

    /// Returns whether all output was read: each reading thread holds a clone.
    fn is_complete(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    fn text(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = lines.iter().map(String::as_str).collect::<Vec<_>>().join(" / ");
        let start = text.char_indices().rev().nth(MAX_LAST_CHARS - 1).map_or(0, |(index, _)| index);
        text[start..].to_owned()
    }
}

/// Polls until `poll` returns a value or the timeout for the exit has passed.
fn within_end_timeout<T>(mut poll: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + END_TIMEOUT;
    loop {
        let found = poll();
        if found.is_some() || Instant::now() >= deadline {
            return found;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn not_started(command: &Command, error: &std::io::Error) -> AiError {
    let program = command.program.display();
    AiError::new(match error.kind() {
        ErrorKind::PermissionDenied => format!(
            "the engine {program} can't be started: {error}; grant it with allow_exec = [\"{program}\"] in [ai.ID], and make \
             it executable by everybody"
        ),
        _ => format!("the engine {program} can't be started: {error}"),
    })
}

/// Reads lines on a thread until the end of the output. Sends them, if there is a receiver, and keeps the last ones.
fn read_lines(
    output: impl Read + Send + 'static,
    last_lines: LastLines,
    to: Option<SyncSender<String>>,
) -> Result<(), AiError> {
    let read = move || {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        loop {
            line.clear();
            match output.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            last_lines.push(text);
            let Some(to) = &to else { continue };
            // Blocks while the queue is full, and so the engine.
            if to.send(text.to_owned()).is_err() {
                return;
            }
        }
    };
    let reader = thread::Builder::new().name("engine-output".into()).stack_size(256 * 1024).spawn(read);
    reader.map(drop).map_err(|error| {
        AiError::new(format!(
            "cannot start a thread for the engine's output: {error}; raise threads in [ai.ID]"
        ))
    })
}
