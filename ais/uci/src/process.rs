//! An engine as a child process, with its input and output lines.

use std::{
    io::{ErrorKind, Write},
    process::{Child, ChildStdin, Stdio},
    thread,
    time::{Duration, Instant},
};

use ai_api::AiError;

use crate::{
    command::Command,
    output::{Closed, Output},
};

/// How long an engine may be silent before its last output goes to standard error. Only the host
/// limits the wait: it can kill this process.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);
/// How long an engine may take before it is asked again whether it is ready. An engine that polls
/// its input but reads it through a buffer overlooks a line that arrives together with another one,
/// until more input arrives.
pub(crate) const ASK_AGAIN_AFTER: Duration = Duration::from_millis(20);
/// Where a script finds the programs that it starts, including the folder of Debian's engines. The
/// sandbox decides which of them it may run.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games";
/// How long an engine may take to exit.
const END_TIMEOUT: Duration = Duration::from_millis(200);
/// The hint for a program that is not an engine.
const NOT_AN_ENGINE: &str = "; a UCI engine answers 'uci' with 'uciok', and an xboard engine \
                          answers 'protover 2' with its features: try it by hand; some engines \
                          require an argument such as --uci in command";

/// A running program. Dropping it kills the process.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) command: Command,
    child: Child,
    input: Option<ChildStdin>,
    output: Output,
    /// Whether the program is known to be an engine. If so, errors omit the hint.
    pub(crate) is_known: bool,
}

impl Process {
    pub(crate) fn start(command: &Command) -> Result<Self, AiError> {
        let mut child = std::process::Command::new(&command.program)
            .args(&command.arguments)
            .env("PATH", PATH)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| not_started(command, &error))?;
        let (input, output) = (child.stdin.take(), Output::of(&mut child));
        Ok(Self {
            command: command.clone(),
            child,
            input,
            output,
            is_known: false,
        })
    }

    /// Returns whether the process is running.
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends a line, in one write.
    pub(crate) fn send(&mut self, line: &str) -> Result<(), AiError> {
        debug_assert!(!line.contains(char::is_control), "{line:?} is a line");
        let written = self
            .input
            .as_mut()
            .map(|input| input.write_all(format!("{line}\n").as_bytes()));
        match written {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => Err(self.died()),
        }
    }

    /// Closes the program's input.
    pub(crate) fn end_input(&mut self) {
        self.input = None;
    }

    /// Waits a short time for a line that `is_it` accepts.
    pub(crate) fn has_line(&mut self, is_it: impl Fn(&str) -> bool) -> bool {
        let asked = Instant::now();
        while let Ok(Some(line)) = self
            .output
            .line_within(PATIENCE.saturating_sub(asked.elapsed()))
        {
            if is_it(&line) {
                return true;
            }
        }
        false
    }

    /// Returns the next line, or `None` after the timeout.
    pub(crate) fn line_within(&mut self, timeout: Duration) -> Result<Option<String>, AiError> {
        self.output
            .line_within(timeout)
            .map_err(|Closed| self.died())
    }

    /// Returns the error for an engine that failed, with its last output.
    pub(crate) fn failed(&self, what: &str) -> AiError {
        let mut message = format!("the engine {} {what}", self.command.program.display());
        if !self.is_known {
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
        within_end_timeout(|| self.child.try_wait().transpose())?
            .ok()
            .map(|status| status.to_string())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A sandbox may forbid the kill. Closing the input makes most engines exit.
        self.input = None;
        let _ = self.child.kill();
        let _ = self.exit_status();
    }
}

/// A wait for the answer to a command.
pub(crate) struct Wait {
    command: &'static str,
    asked: Instant,
    is_reported: bool,
}

impl Wait {
    pub(crate) fn new(command: &'static str) -> Self {
        Self {
            command,
            asked: Instant::now(),
            is_reported: false,
        }
    }

    /// Returns how long the wait has lasted.
    pub(crate) fn time(&self) -> Duration {
        self.asked.elapsed()
    }

    /// Writes once, to standard error, that the engine has not answered for a long time.
    pub(crate) fn report(&mut self, process: &Process) {
        if !self.is_reported && self.asked.elapsed() >= PATIENCE {
            self.is_reported = true;
            eprintln!(
                "{}",
                process.failed(&format!(
                    "has not answered '{}' for {PATIENCE:?}",
                    self.command
                ))
            );
        }
    }
}

/// Polls until `poll` returns a value or the exit timeout has passed.
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
            "the engine {program} can't be started: {error}; grant it with allow_exec = \
             [\"{program}\"] in [ai.ID], and make it executable by everybody"
        ),
        _ => format!("the engine {program} can't be started: {error}"),
    })
}
