//! An engine as a child process, with its input and output lines.

use std::{
    fmt::Display,
    io::{ErrorKind, Write},
    process::{Child, ChildStdin, Stdio},
    thread,
    time::{Duration, Instant},
};

use ai_api::AiError;

use crate::{
    command::Command,
    identity::Identity,
    option::{ANALYSE_MODE, EngineOption, LINES},
    output::{Closed, Output},
};

/// Limits `uciok` and `readyok`; shorter than the host's limit for the start of an AI.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// Limits `ucinewgame`; shorter than the host's limit for a new game.
const NEW_GAME_TIMEOUT: Duration = Duration::from_millis(4500);
/// The time after which a silent engine's last words go to standard error: the host may kill this process.
const PATIENCE: Duration = Duration::from_secs(1);
/// Limits the exit of an engine.
const END_TIMEOUT: Duration = Duration::from_millis(200);
/// More options than any engine has.
const MAX_OPTIONS: usize = 500;
/// The hint for a program that is no UCI engine.
const NOT_AN_ENGINE: &str = "; a UCI engine answers 'uci' with 'uciok': start it by hand and try, some want an argument such as \
                          --uci in command";

const XBOARD: &str = "speaks xboard's protocol, not UCI; look for an argument that switches it to UCI, as in rookery add -- \
                      PROGRAM --uci, or put an adapter before it: docs/matches-and-uci.md has one";
const UNKNOWN_COMMAND: &str = "does not know the command 'uci', and may speak xboard's protocol; look for an argument that switches \
                               it to UCI, as in rookery add -- PROGRAM --uci, or put an adapter before it: \
                               docs/matches-and-uci.md has one";
const BUFFERED: &str = "answered 'uci' only when its input ended: its output waits in a buffer; let it flush after each line, or \
                        start Python with -u";

/// A running engine. Dropping it kills the process.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) command: Command,
    pub(crate) identity: Identity,
    options: Vec<EngineOption>,
    child: Child,
    input: Option<ChildStdin>,
    output: Output,
    /// Whether it replied `uciok`.
    is_greeted: bool,
    /// Whether it replied to `uci` as engines for xboard do.
    rejects_uci: bool,
    /// The options set by earlier requests.
    pub(crate) state: State,
}

/// Options of an engine that may differ between requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one of its own")]
pub(crate) struct State {
    pub(crate) chess960: bool,
    pub(crate) analysis: bool,
    /// Whether it plays from its own book, except in an analysis.
    pub(crate) plays_book: bool,
    pub(crate) lines: u32,
    /// Whether no search followed the last `ucinewgame`.
    pub(crate) is_fresh: bool,
}

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
        let (input, output) = (child.stdin.take(), Output::of(&mut child));
        let state = State { chess960: false, analysis: false, plays_book: false, lines: 1, is_fresh: true };
        let command = command.clone();
        let mut engine = Self {
            command,
            identity: Identity::default(),
            options: Vec::new(),
            is_greeted: false,
            rejects_uci: false,
            child,
            input,
            output,
            state,
        };
        engine.read_options()?;
        engine.is_greeted = true;
        Ok(engine)
    }

    /// Sends `uci` and reads the options until `uciok`.
    fn read_options(&mut self) -> Result<(), AiError> {
        let read = self.read_until_uciok();
        match read {
            Err(_) if self.input.is_some() && self.is_running() => match self.why_not_greeted() {
                Some(why) => Err(self.failed(why)),
                None => read,
            },
            _ => read,
        }
    }

    /// Returns why a program that runs does not reply `uciok`, as far as it can be found out.
    fn why_not_greeted(&mut self) -> Option<&'static str> {
        let _ = self.send_all(&["xboard", "protover 2"]);
        if self.has_line(|line| line.starts_with("feature ")) {
            return Some(XBOARD);
        }
        // At its end a program writes what its buffer still has.
        self.input = None;
        let is_buffered = self.has_line(|line| line == "uciok");
        is_buffered.then_some(BUFFERED).or(self.rejects_uci.then_some(UNKNOWN_COMMAND))
    }

    /// Waits a short time for a line.
    fn has_line(&mut self, is_it: impl Fn(&str) -> bool) -> bool {
        let asked = Instant::now();
        while let Ok(Some(line)) = self.output.line_within(PATIENCE.saturating_sub(asked.elapsed())) {
            if is_it(&line) {
                return true;
            }
        }
        false
    }

    fn read_until_uciok(&mut self) -> Result<(), AiError> {
        self.ask("uci", "uciok", START_TIMEOUT, |engine, line| match line.split_once(' ') {
            Some(("id", text)) => engine.identity.read(text),
            Some(("option", declaration)) if engine.options.len() < MAX_OPTIONS => {
                engine.options.extend(EngineOption::parse(declaration, &engine.options));
            }
            _ => engine.rejects_uci |= line.starts_with("Error (unknown command"),
        })
    }

    pub(crate) fn send(&mut self, line: &str) -> Result<(), AiError> {
        self.send_all(&[line])
    }

    /// Sends lines at once, so that the engine wakes up once.
    fn send_all(&mut self, lines: &[&str]) -> Result<(), AiError> {
        debug_assert!(!lines.iter().any(|line| line.contains(char::is_control)), "{lines:?} are lines");
        let text = lines.iter().flat_map(|line| [line, "\n"]).collect::<String>();
        let written = self.input.as_mut().map(|input| input.write_all(text.as_bytes()));
        match written {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => Err(self.died()),
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Display) -> Result<(), AiError> {
        self.send(&format!("setoption name {name} value {value}"))
    }

    /// Sets the options for an analysis, or for a game.
    pub(crate) fn set_analysis(&mut self, analysis: bool) -> Result<(), AiError> {
        if analysis == self.state.analysis {
            return Ok(());
        }
        if self.has_option(ANALYSE_MODE) {
            self.set(ANALYSE_MODE, analysis)?;
        }
        if self.state.plays_book
            && let Some(own_book) = self.own_book().map(|option| option.name.clone())
        {
            self.set(&own_book, !analysis)?;
        }
        self.state.analysis = analysis;
        Ok(())
    }

    /// The option that lets it play from its own book.
    pub(crate) fn own_book(&self) -> Option<&EngineOption> {
        self.settable().find(|option| option.is_own_book())
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

    /// Starts a search of a position. What the engine has written before belongs to an earlier request, and is ignored.
    pub(crate) fn go(&mut self, position: &str, go: &str) -> Result<(), AiError> {
        self.state.is_fresh = false;
        // It replies to `isready` before it starts, and is not asked to wait in between.
        self.send_all(&[position, "isready", go])?;
        self.wait_for("isready", "readyok", START_TIMEOUT, |_, _| {})
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
        self.wait_for(command, reply, timeout, read)
    }

    fn wait_for(
        &mut self,
        command: &str,
        reply: &str,
        timeout: Duration,
        read: impl Fn(&mut Self, &str),
    ) -> Result<(), AiError> {
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
        self.output.line_within(timeout).map_err(|Closed| self.died())
    }

    /// The error of an engine that failed, with its last output.
    pub(crate) fn failed(&self, what: &str) -> AiError {
        let mut message = format!("the engine {} {what}", self.command.program.display());
        if !self.is_greeted && ![XBOARD, BUFFERED, UNKNOWN_COMMAND].contains(&what) {
            message.push_str(NOT_AN_ENGINE);
        }
        let last = self.output.last();
        if !last.is_empty() {
            message = format!("{message}; its last output: {last}");
        }
        AiError::new(message)
    }

    pub(crate) fn died(&mut self) -> AiError {
        self.input = None;
        match self.exit_status() {
            Some(how) => {
                self.output.finish(Instant::now() + END_TIMEOUT);
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
