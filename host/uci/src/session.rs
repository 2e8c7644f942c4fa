//! The conversation with a chess program.

use std::io::{self, Read, Write};

use rules::Game;

use super::{
    command::{Command, Go, PositionForm},
    engine::Engine,
    input,
    position::{PositionError, set_up},
    report::{Notation, best_move},
    search::{Ended, Event, Search, SearchConfig},
};
use config::Config;
use pool::{StartErrors, WorkerProgram};
use text::printable;

/// Between the end of thinking and the chess program's clock.
const DEFAULT_OVERHEAD_MS: u64 = 30;
const MAX_OVERHEAD_MS: u64 = 5000;

const MOVE_OVERHEAD: &str = "Move Overhead";
const PONDER: &str = "Ponder";
const CHESS960: &str = "UCI_Chess960";
const CLEAR_HASH: &str = "Clear Hash";
const MULTI_PV: &str = "MultiPV";

/// Why there is no engine to talk with any more.
#[derive(Debug, thiserror::Error)]
pub enum UciError {
    /// The AI can't be started.
    #[error("{0}")]
    Start(#[from] StartErrors),
    /// The chess program can't be heard or told anything.
    #[error("the conversation broke off")]
    Broken(#[from] io::Error),
}

/// Lets the AI `id` of a configuration play as a UCI engine until `quit` or the end of `input`.
///
/// # Errors
/// The AI does not start, or nothing can be written.
pub fn run(
    config: Config,
    id: &str,
    program: WorkerProgram,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> Result<(), UciError> {
    let engine = Engine::start(config, id, program)?;
    let lines = input::lines(input)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let session = Session {
        engine,
        output,
        position: Ok(Game::new(rules::start_position())),
        manner: SearchConfig { overhead_ms: DEFAULT_OVERHEAD_MS, notation: Notation::Orthodox, lines: 1 },
        search: None,
    };
    runtime.block_on(session.run(lines))?;
    // The thread that reads may wait for a line that never comes.
    runtime.shutdown_background();
    Ok(())
}

struct Session<W> {
    engine: Engine,
    output: W,
    /// What the next search is about.
    position: Result<Game, PositionError>,
    manner: SearchConfig,
    search: Option<Search>,
}

impl<W: Write> Session<W> {
    async fn run(mut self, mut lines: tokio::sync::mpsc::Receiver<String>) -> io::Result<()> {
        loop {
            let line = if let Some(search) = &mut self.search {
                tokio::select! {
                    line = lines.recv() => line,
                    event = search.next() => {
                        self.hear(event)?;
                        continue;
                    }
                }
            } else {
                lines.recv().await
            };
            // EOF is treated as `quit`.
            let Some(line) = line else { return self.conclude().await };
            match Command::read(&line) {
                Some(Command::Quit) => return self.conclude().await,
                Some(command) => self.handle(command).await?,
                None => {}
            }
        }
    }

    async fn handle(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => {
                if self.search.is_none() {
                    self.refresh().await?;
                }
                self.say("readyok")
            }
            Command::NewGame => {
                self.position = Ok(Game::new(rules::start_position()));
                Ok(())
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position(form) => self.set_position(&form),
            Command::Go(go) => {
                self.conclude().await?;
                self.go(&go).await
            }
            Command::Stop => {
                self.search.iter_mut().for_each(Search::stop);
                Ok(())
            }
            Command::PonderHit => {
                self.search.iter_mut().for_each(Search::ponder_hit);
                Ok(())
            }
            Command::Quit => self.conclude().await,
        }
    }

    fn introduce(&mut self) -> io::Result<()> {
        let about = &self.engine.ai().about;
        let mut lines =
            vec![format!("id name {} {}", about.name, about.version), format!("id author {}", about.author)];
        lines.push(format!(
            "option name {MOVE_OVERHEAD} type spin default {DEFAULT_OVERHEAD_MS} min 0 max {MAX_OVERHEAD_MS}"
        ));
        lines.push(format!("option name {PONDER} type check default false"));
        if about.capabilities.chess960 {
            lines.push(format!("option name {CHESS960} type check default false"));
        }
        if about.capabilities.max_lines > 1 {
            let most = about.capabilities.max_lines;
            lines.push(format!("option name {MULTI_PV} type spin default 1 min 1 max {most}"));
        }
        if self.engine.has_hash() {
            lines.push(format!("option name {CLEAR_HASH} type button"));
        }
        lines.extend(self.engine.manifest_check(&[MOVE_OVERHEAD, PONDER, CHESS960, MULTI_PV, CLEAR_HASH]));
        lines.push("uciok".to_owned());
        self.say(&lines.join("\n"))
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        let is = |own: &str| own.eq_ignore_ascii_case(name);
        let text = value.unwrap_or_default();
        if is(MOVE_OVERHEAD) {
            match text.parse() {
                Ok(overhead_ms @ 0..=MAX_OVERHEAD_MS) => self.manner.overhead_ms = overhead_ms,
                _ => {
                    return self.warn(&format!(
                        "option {MOVE_OVERHEAD} is '{text}'; expected 0 to {MAX_OVERHEAD_MS}"
                    ));
                }
            }
        } else if is(MULTI_PV) {
            let most = self.engine.ai().about.capabilities.max_lines.max(1);
            match text.parse() {
                Ok(lines) if (1..=most).contains(&lines) => self.manner.lines = lines,
                _ => return self.warn(&format!("option {MULTI_PV} is '{text}'; expected 1 to {most}")),
            }
        } else if is(CHESS960) {
            self.manner.notation =
                if text.eq_ignore_ascii_case("true") { Notation::Chess960 } else { Notation::Orthodox };
        } else if is(CLEAR_HASH) {
            self.engine.forget();
        } else if !is(PONDER)
            && let Err(refusal) = self.engine.set(name, value)
        {
            return self.warn(&refusal.to_string());
        }
        Ok(())
    }

    fn set_position(&mut self, form: &PositionForm) -> io::Result<()> {
        self.position = set_up(form);
        match &self.position {
            Ok(_) => Ok(()),
            Err(error) => {
                let error = error.to_string();
                self.warn(&error)
            }
        }
    }

    /// Begins a search, or answers at once where there is nothing to search.
    async fn go(&mut self, go: &Go) -> io::Result<()> {
        self.refresh().await?;
        let game = match &self.position {
            Ok(game) => game.clone(),
            Err(error) => {
                let why =
                    format!("info string there is no position to search: {}", printable(&error.to_string()));
                return self.say(&format!("{why}\nbestmove 0000"));
            }
        };
        let position = *game.position();
        if position.is_chess960() && !self.engine.ai().about.capabilities.chess960 {
            return self.say(
                "info string the position is one of Chess960, which this AI does not play\nbestmove 0000",
            );
        }
        if let Some(outcome) = game.status().outcome {
            // A draw need not be the end for the chess program.
            let any = rules::legal_moves(&position).first().copied();
            let score = if outcome.winner().is_some() { "mate 0" } else { "cp 0" };
            let lines = [
                format!("info string the game is over: {outcome}"),
                format!("info depth 0 score {score}"),
                best_move(&position, any.as_slice(), self.manner.notation),
            ];
            return self.say(&lines.join("\n"));
        }
        self.search = Some(Search::start(self.engine.ai(), game, go, self.manner));
        Ok(())
    }

    /// Ends the running search, if there is one, and says what it found.
    async fn conclude(&mut self) -> io::Result<()> {
        while let Some(search) = &mut self.search {
            search.stop();
            let event = search.next().await;
            self.hear(event)?;
        }
        Ok(())
    }

    fn hear(&mut self, event: Event) -> io::Result<()> {
        let lines = match event {
            Event::Lines(lines) => lines,
            Event::Done(lines, ended) => {
                self.search = None;
                if ended == Ended::Stalled {
                    self.engine.forget();
                }
                lines
            }
        };
        self.say(&lines.join("\n"))
    }

    /// Brings the AI's options into force.
    async fn refresh(&mut self) -> io::Result<()> {
        match self.engine.refresh().await {
            Ok(()) => Ok(()),
            Err(errors) => self.warn(&format!("the options stay as they were: {errors}")),
        }
    }

    fn warn(&mut self, what: &str) -> io::Result<()> {
        self.say(&format!("info string {}", printable(what)))
    }

    fn say(&mut self, lines: &str) -> io::Result<()> {
        writeln!(self.output, "{lines}")?;
        self.output.flush()
    }
}
