//! An engine: its options, and the UCI commands for options and games.

use std::{fmt::Display, time::Duration};

use ai_api::AiError;

use crate::{
    command::Command,
    identity::Identity,
    option::{ANALYSE_MODE, EngineOption, LINES},
    process::{ASK_AGAIN_AFTER, PATIENCE, Process, Wait},
    xboard::{Examined, Xboard, examine},
};

/// How long `uci` may go unanswered before the program is examined in another process.
const EXAMINE_AFTER: Duration = Duration::from_secs(2);
/// How long to wait for a program that answers only when its input ends: it may be slow, or buffer
/// its output.
const BUFFERED_AFTER: Duration = Duration::from_secs(10);
/// More options than any engine has.
const MAX_OPTIONS: usize = 500;
const UNKNOWN_COMMAND: &str = "does not know the command 'uci', and declares no features for \
                               xboard; look for an argument that switches it to UCI, such as \
                               rookery add -- PROGRAM --uci, or use an adapter";
const BUFFERED: &str = "answered 'uci' only when its input ended: it buffers its output; make it \
                        flush after each line, or start Python with -u";

/// A running engine. Dropping it kills the process.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) process: Process,
    pub(crate) identity: Identity,
    options: Vec<EngineOption>,
    /// `None` for a UCI engine.
    pub(crate) xboard: Option<Xboard>,
    /// The search time if a request sets none.
    pub(crate) untimed_search_ms: Option<u64>,
    /// The options set by earlier requests.
    pub(crate) state: State,
}

/// The engine's options that may differ between requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent options")]
pub(crate) struct State {
    pub(crate) chess960: bool,
    pub(crate) analysis: bool,
    /// Whether it plays from its own book, except in an analysis.
    pub(crate) plays_book: bool,
    pub(crate) lines: u32,
    /// Whether no search has run since the last `ucinewgame`.
    pub(crate) is_fresh: bool,
}

impl Engine {
    /// Starts the program and reads its options.
    pub(crate) fn start(command: &Command) -> Result<Self, AiError> {
        let mut engine = Self::of(Process::start(command)?, None);
        if let Some((process, xboard)) = engine.read_options()? {
            engine = Self::of(process, Some(xboard));
        }
        Ok(engine)
    }

    fn of(process: Process, xboard: Option<Xboard>) -> Self {
        let mut identity = Identity::default();
        if let Some(xboard) = &xboard {
            identity.read(&format!("name {}", xboard.name(&process.command)));
        }
        let state = State {
            chess960: false,
            analysis: false,
            plays_book: false,
            lines: 1,
            is_fresh: false,
        };
        Self {
            process,
            identity,
            options: Vec::new(),
            xboard,
            untimed_search_ms: None,
            state,
        }
    }

    /// Sends `uci` and reads the options until `uciok`. If the answer does not arrive soon, a
    /// second process finds out why, because the first may just be slow. Returns the second process
    /// if it speaks xboard's protocol.
    fn read_options(&mut self) -> Result<Option<(Process, Xboard)>, AiError> {
        self.process.send("uci")?;
        let mut wait = Wait::new("uci");
        let (mut rejects_uci, mut is_examined, mut is_buffered) = (false, false, false);
        loop {
            let line = self.process.line_within(PATIENCE);
            let text = line
                .as_ref()
                .ok()
                .and_then(|line| line.as_deref())
                .unwrap_or_default();
            match text.split_once(' ').unwrap_or((text, "")) {
                ("uciok", _) => {
                    self.process.is_known = true;
                    return Ok(None);
                }
                ("id", text) => {
                    self.identity.read(text);
                    self.process.is_known = true;
                }
                ("option", declaration) => {
                    if self.options.len() < MAX_OPTIONS {
                        self.options
                            .extend(EngineOption::parse(declaration, &self.options));
                    }
                    self.process.is_known = true;
                }
                _ => rejects_uci |= is_rejection(text),
            }
            wait.report(&self.process);
            let is_doubtful = rejects_uci || line.is_err() || wait.time() >= EXAMINE_AFTER;
            if is_doubtful && !self.process.is_known && !is_examined {
                is_examined = true;
                match examine(&self.process.command) {
                    Examined::Engine(process, xboard) => return Ok(Some((process, xboard))),
                    Examined::Unfit(error) => return Err(error),
                    Examined::Exited => {}
                    Examined::Other(other) => is_buffered = answers_at_its_end(other),
                }
                if rejects_uci && !is_buffered {
                    self.process.is_known = true;
                    return Err(self.process.failed(UNKNOWN_COMMAND));
                }
            }
            // A slow program answers in the other process when its input ends, and in this one a
            // little later.
            if is_buffered && !self.process.is_known && wait.time() >= BUFFERED_AFTER {
                self.process.is_known = true;
                return Err(self.process.failed(BUFFERED));
            }
            line?;
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Display) -> Result<(), AiError> {
        self.process
            .send(&format!("setoption name {name} value {value}"))
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

    /// Returns the option that lets the engine play from its own book.
    pub(crate) fn own_book(&self) -> Option<&EngineOption> {
        self.settable().find(|option| option.is_own_book())
    }

    /// Returns the options that operators can set.
    pub(crate) fn settable(&self) -> impl Iterator<Item = &EngineOption> {
        self.options.iter().filter(|option| option.is_settable())
    }

    pub(crate) fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.is(name))
    }

    /// Returns the maximum number of lines that the engine searches at once.
    pub(crate) fn max_lines(&self) -> u32 {
        let declared = self
            .options
            .iter()
            .find(|option| option.is(LINES))
            .and_then(EngineOption::max);
        declared.map_or(1, |most| most.clamp(1, 256) as u32)
    }

    /// Waits until the engine has processed all commands. Earlier output belongs to an earlier
    /// request and is ignored.
    pub(crate) fn wait_until_ready(&mut self) -> Result<(), AiError> {
        self.process.send("isready")?;
        let mut wait = Wait::new("isready");
        let (mut sent, mut answered, mut pause) = (1, 0, ASK_AGAIN_AFTER);
        while answered < sent {
            match self.process.line_within(pause)? {
                Some(line) => answered += u32::from(line.split(' ').next() == Some("readyok")),
                None if sent == 1 => {
                    self.process.send("isready")?;
                    (sent, pause) = (2, PATIENCE);
                }
                // The engine does not answer every ping.
                None if answered > 0 => break,
                None => {}
            }
            wait.report(&self.process);
        }
        Ok(())
    }

    /// Clears the engine's state, unless it has just been cleared.
    pub(crate) fn new_game(&mut self) -> Result<(), AiError> {
        if !self.state.is_fresh {
            if let Some(xboard) = &mut self.xboard {
                xboard.new_game(&mut self.process)?;
            } else {
                self.process.send("ucinewgame")?;
                self.wait_until_ready()?;
            }
            self.state.is_fresh = true;
        }
        Ok(())
    }

    /// Returns whether the process can play another game.
    pub(crate) fn is_reusable(&self) -> bool {
        self.state.is_fresh || self.xboard.as_ref().is_none_or(Xboard::is_reusable)
    }

    /// Stops a search.
    pub(crate) fn stop(&mut self) -> Result<(), AiError> {
        self.process
            .send(if self.xboard.is_some() { "?" } else { "stop" })
    }

    /// Starts a search of a position.
    pub(crate) fn go(&mut self, position: &str, go: &str) -> Result<(), AiError> {
        self.process.send(position)?;
        self.wait_until_ready()?;
        self.process.send(go)
    }
}

/// Returns whether a program replies to `uci` only when its input ends and it flushes its buffer.
fn answers_at_its_end(mut other: Process) -> bool {
    let _ = other.send("uci");
    other.end_input();
    other.has_line(|line| line == "uciok")
}

/// Returns whether a line is an xboard engine's reply to `uci`.
fn is_rejection(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let is_rejecting = ["illegal", "invalid", "unknown", "error"]
        .iter()
        .any(|word| line.contains(word));
    is_rejecting
        && line
            .trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric())
            .ends_with("uci")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xboard_engines_reject_uci() {
        for line in [
            "Error (unknown command): uci",
            "White (1) : Invalid move: uci",
            "Sjeng: Illegal move: uci",
            "unknown command 'uci'",
        ] {
            assert!(is_rejection(line), "{line}");
        }
        for line in ["", "uci", "id name Unknown", "info string error: no net"] {
            assert!(!is_rejection(line), "{line}");
        }
    }
}
