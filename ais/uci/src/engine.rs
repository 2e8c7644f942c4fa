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

/// The time after which a silent engine's last words go to standard error. The host alone limits the wait, and may kill this process.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time after which `isready` is sent again. An engine that polls its input and reads it through a buffer overlooks a line that
/// arrives together with another one, until more arrives.
const ASK_AGAIN_AFTER: Duration = Duration::from_millis(20);
/// The silence after `uci` until the program is examined in another process.
const EXAMINE_AFTER: Duration = Duration::from_secs(2);
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
    /// Whether it has written what only engines write.
    is_engine: bool,
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
        let mut engine = Self::spawn(command)?;
        engine.read_options()?;
        Ok(engine)
    }

    fn spawn(command: &Command) -> Result<Self, AiError> {
        let mut child = std::process::Command::new(&command.program)
            .args(&command.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| not_started(command, &error))?;
        let (input, output) = (child.stdin.take(), Output::of(&mut child));
        let state = State { chess960: false, analysis: false, plays_book: false, lines: 1, is_fresh: false };
        Ok(Self {
            command: command.clone(),
            identity: Identity::default(),
            options: Vec::new(),
            is_engine: false,
            child,
            input,
            output,
            state,
        })
    }

    /// Sends `uci` and reads the options until `uciok`. A program that says nothing of it is examined soon.
    fn read_options(&mut self) -> Result<(), AiError> {
        self.send("uci")?;
        let mut wait = Wait::new("uci");
        let (mut rejects_uci, mut is_examined) = (false, false);
        loop {
            match self
                .line_within(PATIENCE)?
                .as_deref()
                .map(|line| line.split_once(' ').unwrap_or((line, "")))
            {
                Some(("uciok", _)) => {
                    self.is_engine = true;
                    return Ok(());
                }
                Some(("id", text)) => {
                    self.identity.read(text);
                    self.is_engine = true;
                }
                Some(("option", declaration)) => {
                    if self.options.len() < MAX_OPTIONS {
                        self.options.extend(EngineOption::parse(declaration, &self.options));
                    }
                    self.is_engine = true;
                }
                Some((first, rest)) => {
                    rejects_uci |= first == "Error" && rest.starts_with("(unknown command")
                }
                None => {}
            }
            wait.report(self);
            let is_doubtful = rejects_uci || wait.asked.elapsed() >= EXAMINE_AFTER;
            if is_doubtful && !self.is_engine && !is_examined {
                is_examined = true;
                if let Some(why) = self.why_not_greeted(rejects_uci) {
                    return Err(self.failed(why));
                }
            }
        }
    }

    /// Returns why the program does not reply `uciok`, as far as another process of it shows: this one may only be slow.
    fn why_not_greeted(&self, rejects_uci: bool) -> Option<&'static str> {
        let mut other = Self::spawn(&self.command).ok()?;
        let _ = other.send("xboard").and_then(|()| other.send("protover 2"));
        if other.has_line(|line| line.starts_with("feature ")) {
            return Some(XBOARD);
        }
        // At its end a program writes what its buffer still has.
        let _ = other.send("uci");
        other.input = None;
        let is_buffered = other.has_line(|line| line == "uciok");
        is_buffered.then_some(BUFFERED).or(rejects_uci.then_some(UNKNOWN_COMMAND))
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

    /// Sends a line, in one write.
    pub(crate) fn send(&mut self, line: &str) -> Result<(), AiError> {
        debug_assert!(!line.contains(char::is_control), "{line:?} is a line");
        let written = self.input.as_mut().map(|input| input.write_all(format!("{line}\n").as_bytes()));
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

    /// Waits until the engine has processed all commands. What it has written before belongs to an earlier request, and is ignored.
    pub(crate) fn wait_until_ready(&mut self) -> Result<(), AiError> {
        self.send("isready")?;
        let mut wait = Wait::new("isready");
        let (mut sent, mut answered, mut pause) = (1, 0, ASK_AGAIN_AFTER);
        while answered < sent {
            match self.line_within(pause)? {
                Some(line) => answered += u32::from(line.split(' ').next() == Some("readyok")),
                None if sent == 1 => {
                    self.send("isready")?;
                    (sent, pause) = (2, PATIENCE);
                }
                // It does not answer each.
                None if answered > 0 => break,
                None => {}
            }
            wait.report(self);
        }
        Ok(())
    }

    /// Clears the engine's state, unless that is done and nothing has followed.
    pub(crate) fn new_game(&mut self) -> Result<(), AiError> {
        if !self.state.is_fresh {
            self.send("ucinewgame")?;
            self.wait_until_ready()?;
            self.state.is_fresh = true;
        }
        Ok(())
    }

    /// Starts a search of a position.
    pub(crate) fn go(&mut self, position: &str, go: &str) -> Result<(), AiError> {
        self.state.is_fresh = false;
        self.send(position)?;
        self.wait_until_ready()?;
        self.send(go)
    }

    /// Returns the next line, or none after the timeout.
    pub(crate) fn line_within(&mut self, timeout: Duration) -> Result<Option<String>, AiError> {
        self.output.line_within(timeout).map_err(|Closed| self.died())
    }

    /// The error of an engine that failed, with its last output.
    pub(crate) fn failed(&self, what: &str) -> AiError {
        let mut message = format!("the engine {} {what}", self.command.program.display());
        if !self.is_engine && ![XBOARD, BUFFERED, UNKNOWN_COMMAND].contains(&what) {
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

/// A wait for the answer to a command.
struct Wait {
    command: &'static str,
    asked: Instant,
    is_reported: bool,
}

impl Wait {
    fn new(command: &'static str) -> Self {
        Self { command, asked: Instant::now(), is_reported: false }
    }

    /// Writes once, to standard error, that the engine has not answered for long.
    fn report(&mut self, engine: &Engine) {
        if !self.is_reported && self.asked.elapsed() >= PATIENCE {
            self.is_reported = true;
            eprintln!("{}", engine.failed(&format!("has not answered '{}' for {PATIENCE:?}", self.command)));
        }
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
