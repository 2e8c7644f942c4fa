//! An engine as a child process, and the lines that go to and fro.

use std::{
    collections::VecDeque,
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

use crate::{command::Command, option::EngineOption};

/// For an engine to say what it is, and to get ready; less than the host gives an AI to start.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// For an engine to forget a game; less than the host gives an AI for it.
const NEW_GAME_TIMEOUT: Duration = Duration::from_millis(4500);
/// For an engine that is told to end.
const END_TIMEOUT: Duration = Duration::from_millis(200);
/// The longest line that is read whole.
const MAX_LINE_BYTES: u64 = 16 * 1024;
/// Lines that may wait to be read; then the engine waits.
const MAX_WAITING_LINES: usize = 256;
/// More options than any engine has.
const MAX_OPTIONS: usize = 500;
/// The longest name that is shown.
const MAX_NAME_CHARS: usize = 60;
/// How many of its last lines are told.
const LAST_LINES: usize = 4;
const MAX_LAST_CHARS: usize = 300;
/// What helps where a program does nothing of what an engine does.
const HOW_TO_TRY: &str = "; a UCI engine answers 'uci' with 'uciok': start it by hand and try, some want an argument such as \
                          --uci in command";

/// A running engine. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) command: Command,
    /// As it calls itself.
    pub(crate) name: String,
    pub(crate) options: Vec<EngineOption>,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_lines: LastLines,
    /// Whether it has answered as an engine does.
    is_greeted: bool,
    /// What has been set for the questions so far.
    pub(crate) state: State,
}

/// What an engine has been told that the next question may want otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) chess960: bool,
    pub(crate) lines: u32,
    /// Nothing has been asked since it last forgot everything.
    pub(crate) is_fresh: bool,
}

/// The end of what an engine has said.
#[derive(Clone, Debug, Default)]
struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl Engine {
    /// Starts the program and hears what options it has.
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
        let state = State { chess960: false, lines: 1, is_fresh: true };
        let command = command.clone();
        let mut engine = Self {
            command,
            name: String::new(),
            options: Vec::new(),
            is_greeted: false,
            child,
            input,
            lines,
            last_lines,
            state,
        };
        engine.hear_options()?;
        engine.is_greeted = true;
        Ok(engine)
    }

    /// Greets it, and hears of its options until it says that these are all.
    fn hear_options(&mut self) -> Result<(), AiError> {
        self.say("uci")?;
        let deadline = Instant::now() + START_TIMEOUT;
        loop {
            let line = self.next_line(deadline, || {
                format!("did not answer 'uci' with 'uciok' within {START_TIMEOUT:?}")
            })?;
            match line.split_once(' ').unwrap_or((&line, "")) {
                ("uciok", _) => return Ok(()),
                ("id", name) => {
                    if let Some(name) = name.strip_prefix("name ") {
                        self.name = name.chars().take(MAX_NAME_CHARS).collect();
                    }
                }
                ("option", declaration) if self.options.len() < MAX_OPTIONS => {
                    self.options.extend(EngineOption::parse(declaration));
                }
                _ => {}
            }
        }
    }

    /// Sends a line.
    pub(crate) fn say(&mut self, line: &str) -> Result<(), AiError> {
        debug_assert!(!line.contains(char::is_control), "{line:?} is one line");
        let written = self.input.as_mut().map(|input| input.write_all(format!("{line}\n").as_bytes()));
        match written {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => Err(self.died()),
        }
    }

    /// Waits until the engine has done all that it was told.
    pub(crate) fn wait_until_ready(&mut self) -> Result<(), AiError> {
        self.wait_for_ready(START_TIMEOUT)
    }

    /// Lets the engine forget everything.
    pub(crate) fn new_game(&mut self) -> Result<(), AiError> {
        if !self.state.is_fresh {
            self.say("ucinewgame")?;
            self.wait_for_ready(NEW_GAME_TIMEOUT)?;
            self.state.is_fresh = true;
        }
        Ok(())
    }

    fn wait_for_ready(&mut self, at_most: Duration) -> Result<(), AiError> {
        self.say("isready")?;
        let deadline = Instant::now() + at_most;
        loop {
            let line = self.next_line(deadline, || {
                format!("did not answer 'isready' with 'readyok' within {at_most:?}")
            })?;
            if line == "readyok" {
                return Ok(());
            }
        }
    }

    /// The next line, if there is one within some time.
    pub(crate) fn line_within(&mut self, at_most: Duration) -> Result<Option<String>, AiError> {
        match self.lines.recv_timeout(at_most) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.died()),
        }
    }

    /// What the engine has failed to do.
    pub(crate) fn failed(&self, what: &str) -> AiError {
        let mut message = format!("the engine {} {what}", self.command.program.display());
        if !self.is_greeted {
            message.push_str(HOW_TO_TRY);
        }
        let last = self.last_lines.text();
        if !last.is_empty() {
            message = format!("{message}; its last words: {last}");
        }
        AiError::new(message)
    }

    fn next_line(&mut self, deadline: Instant, late: impl FnOnce() -> String) -> Result<String, AiError> {
        match self.line_within(deadline.saturating_duration_since(Instant::now()))? {
            Some(line) => Ok(line),
            None => Err(self.failed(&late())),
        }
    }

    fn died(&mut self) -> AiError {
        self.input = None;
        match self.ended() {
            Some(how) => {
                // The other output may not have been read to its end yet.
                within_end_timeout(|| self.last_lines.is_complete().then_some(()));
                self.failed(&format!("has ended ({how})"))
            }
            None => self.failed("has closed its standard output or input"),
        }
    }

    /// How it has ended, if it does so soon.
    fn ended(&mut self) -> Option<String> {
        within_end_timeout(|| self.child.try_wait().transpose())?.ok().map(|status| status.to_string())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // A sandbox may forbid to kill it; one that ends with its input needs no more.
        self.input = None;
        let _ = self.child.kill();
        let _ = self.ended();
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

    /// Whether all output has been read: each thread that reads holds one of these.
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

/// What is there within the time for an engine to end.
fn within_end_timeout<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + END_TIMEOUT;
    loop {
        let found = look();
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
            "the engine {program} can't be started: {error}; grant it with allow_exec = [\"{program}\"] in [ai.ID], and let \
             everybody execute it"
        ),
        _ => format!("the engine {program} can't be started: {error}"),
    })
}

/// Reads lines on a thread of its own until there are no more. What is not handed on is only remembered.
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
            // When nobody listens and much waits, the engine does too.
            if to.send(text.to_owned()).is_err() {
                return;
            }
        }
    };
    let reader = thread::Builder::new().name("engine-output".into()).stack_size(256 * 1024).spawn(read);
    reader.map(drop).map_err(|error| {
        AiError::new(format!("no thread to read what the engine says: {error}; raise threads in [ai.ID]"))
    })
}
