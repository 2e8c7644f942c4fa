//! The session with a chess program.

use std::{
    hash::{BuildHasher as _, RandomState},
    io::{self, Read, Write},
};

use rules::Game;

use crate::{
    command::{Go, PositionForm, UciCommand},
    engine::Engine,
    input,
    position::{PositionError, set_up},
    pv_info::{Notation, best_move},
    search::{AiState, Hold, Search, SearchConfig, SearchEvent},
    strength::{ELO, LIMIT_STRENGTH, Strength, UCI_ELO},
};
use config::Config;
use pool::{StartErrors, WorkerProgram};
use text::printable;

const DEFAULT_OVERHEAD_MS: u64 = 30;
const MAX_OVERHEAD_MS: u64 = 5000;

const MOVE_OVERHEAD: &str = "Move Overhead";
const PONDER: &str = "Ponder";
const CHESS960: &str = "UCI_Chess960";
const ANALYSE_MODE: &str = "UCI_AnalyseMode";
const SHOW_WDL: &str = "UCI_ShowWDL";
const CLEAR_HASH: &str = "Clear Hash";
const MULTI_PV: &str = "MultiPV";
/// The reply to `go` without a position.
const NO_MOVE: &str = "bestmove 0000";

#[derive(Debug, thiserror::Error)]
pub enum UciError {
    #[error("{0}")]
    Start(#[from] StartErrors),
    #[error("cannot talk to the chess program")]
    Io(#[from] io::Error),
}

/// Runs the AI `id` of a configuration as a UCI engine until `quit` or the end of `input`.
///
/// # Errors
/// The AI does not start, or the output cannot be written.
pub fn run(
    config: Config,
    id: &str,
    program: WorkerProgram,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> Result<(), UciError> {
    let engine = Engine::start(config, id, program)?;
    let lines = input::lines(input)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let session = UciSession {
        strength: engine.strength(),
        engine,
        output,
        position: Ok(Game::new(rules::start_position())),
        search_config: SearchConfig {
            overhead_ms: DEFAULT_OVERHEAD_MS,
            notation: Notation::Orthodox,
            lines: 1,
            fresh: true,
            analysis: false,
            shows_wdl: false,
            game_number: random_number(),
        },
        search: None,
        held: None,
    };
    runtime.block_on(session.run(lines))?;
    // The input thread can block forever.
    runtime.shutdown_background();
    Ok(())
}

struct UciSession<W> {
    engine: Engine,
    strength: Option<Strength>,
    output: W,
    /// The position for the next search.
    position: Result<Game, PositionError>,
    search_config: SearchConfig,
    search: Option<Search>,
    /// The `bestmove` of a position without a search, held until the command that it waits for.
    held: Option<(Hold, String)>,
}

impl<W: Write> UciSession<W> {
    async fn run(mut self, mut lines: tokio::sync::mpsc::Receiver<String>) -> io::Result<()> {
        loop {
            let line = if let Some(search) = &mut self.search {
                tokio::select! {
                    line = lines.recv() => line,
                    event = search.next() => {
                        self.on_event(event)?;
                        continue;
                    }
                }
            } else {
                lines.recv().await
            };
            // EOF is treated as `quit`.
            let Some(line) = line else {
                return self.finish_search().await;
            };
            match UciCommand::parse(&line) {
                Some(UciCommand::Quit) => return self.finish_search().await,
                Some(command) => self.handle(command).await?,
                None => {}
            }
        }
    }

    async fn handle(&mut self, command: UciCommand) -> io::Result<()> {
        match command {
            UciCommand::Uci => self.identify(),
            UciCommand::IsReady => {
                if self.search.is_none() {
                    self.apply_options().await?;
                }
                self.write("readyok")
            }
            UciCommand::NewGame => {
                self.position = Ok(Game::new(rules::start_position()));
                self.search_config.game_number = random_number();
                self.search_config.fresh = true;
                Ok(())
            }
            UciCommand::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            UciCommand::Position(form) => self.set_position(&form),
            UciCommand::Go(go) => {
                self.finish_search().await?;
                self.go(&go).await
            }
            UciCommand::Stop => {
                self.search.iter_mut().for_each(Search::stop);
                self.release(&[Hold::UntilStop, Hold::UntilPonderHit])
            }
            UciCommand::PonderHit => {
                self.search.iter_mut().for_each(Search::ponder_hit);
                self.release(&[Hold::UntilPonderHit])
            }
            UciCommand::Quit => self.finish_search().await,
        }
    }

    fn identify(&mut self) -> io::Result<()> {
        let about = &self.engine.ai().about;
        let mut lines = vec![format!("id name {}", about.full_name())];
        if !about.author.is_empty() {
            lines.push(format!("id author {}", about.author));
        }
        lines.push(format!(
            "option name {MOVE_OVERHEAD} type spin default {DEFAULT_OVERHEAD_MS} min 0 max \
             {MAX_OVERHEAD_MS}"
        ));
        for switch in [PONDER, ANALYSE_MODE, SHOW_WDL] {
            lines.push(format!("option name {switch} type check default false"));
        }
        if about.capabilities.chess960 {
            lines.push(format!("option name {CHESS960} type check default false"));
        }
        if about.capabilities.max_lines > 1 {
            let max = about.capabilities.max_lines;
            lines.push(format!(
                "option name {MULTI_PV} type spin default 1 min 1 max {max}"
            ));
        }
        if self.engine.has_hash() {
            lines.push(format!("option name {CLEAR_HASH} type button"));
        }
        let mut except = vec![
            MOVE_OVERHEAD,
            PONDER,
            ANALYSE_MODE,
            SHOW_WDL,
            CHESS960,
            MULTI_PV,
            CLEAR_HASH,
        ];
        if let Some(strength) = &self.strength {
            lines.extend(strength.declarations());
            except.extend([ELO, LIMIT_STRENGTH, UCI_ELO]);
        }
        lines.extend(self.engine.option_lines(&except));
        lines.push("uciok".to_owned());
        self.write(&lines.join("\n"))
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        let is = |own: &str| own.eq_ignore_ascii_case(name);
        let text = value.unwrap_or_default();
        if is(MOVE_OVERHEAD) {
            match text.parse() {
                Ok(overhead_ms @ 0..=MAX_OVERHEAD_MS) => {
                    self.search_config.overhead_ms = overhead_ms;
                }
                _ => {
                    return self.warn(&format!(
                        "option {MOVE_OVERHEAD} is '{text}'; expected 0 to {MAX_OVERHEAD_MS}"
                    ));
                }
            }
        } else if is(MULTI_PV) {
            let max = self.engine.ai().about.capabilities.max_lines.max(1);
            match text.parse() {
                Ok(lines) if (1..=max).contains(&lines) => self.search_config.lines = lines,
                _ => {
                    return self.warn(&format!(
                        "option {MULTI_PV} is '{text}'; expected 1 to {max}"
                    ));
                }
            }
        } else if is(ANALYSE_MODE) {
            self.search_config.analysis = text.eq_ignore_ascii_case("true");
        } else if is(SHOW_WDL) {
            self.search_config.shows_wdl = text.eq_ignore_ascii_case("true");
        } else if is(CHESS960) {
            self.search_config.notation = if text.eq_ignore_ascii_case("true") {
                Notation::Chess960
            } else {
                Notation::Orthodox
            };
        } else if let Some(elo) = self
            .strength
            .as_mut()
            .and_then(|strength| strength.set(name, text))
        {
            let set = elo.and_then(|elo| self.engine.set(ELO, Some(&elo.to_string())));
            return set.map_or_else(|error| self.warn(&error.to_string()), Ok);
        } else if is(CLEAR_HASH) {
            self.engine.request_restart();
        } else if !is(PONDER)
            && let Err(error) = self.engine.set(name, value)
        {
            return self.warn(&error.to_string());
        }
        Ok(())
    }

    fn set_position(&mut self, form: &PositionForm) -> io::Result<()> {
        self.position = set_up(form);
        let error = self.position.as_ref().err().map(ToString::to_string);
        error.map_or(Ok(()), |error| self.warn(&error))
    }

    /// Starts a search, or writes `bestmove` if there is nothing to search.
    async fn go(&mut self, go: &Go) -> io::Result<()> {
        self.apply_options().await?;
        let game = match &self.position {
            Ok(game) => game.clone(),
            Err(error) => {
                let info = format!(
                    "info string no position to search: {}",
                    printable(&error.to_string())
                );
                return self.write_at_once(go, &[info], NO_MOVE);
            }
        };
        let position = *game.position();
        if position.is_chess960() && !self.engine.ai().about.capabilities.chess960 {
            let info = "info string this AI does not play Chess960".to_owned();
            return self.write_at_once(go, &[info], NO_MOVE);
        }
        if let Some(outcome) = game.status().outcome {
            // A chess program can continue after a draw, so this plays any legal move.
            let any = rules::legal_moves(&position).first().copied();
            let score = if outcome.winner().is_some() {
                "mate 0"
            } else {
                "cp 0"
            };
            let best = best_move(&position, any.as_slice(), self.search_config.notation);
            let infos = [
                format!("info string the game is over: {outcome}"),
                format!("info depth 0 score {score}"),
            ];
            return self.write_at_once(go, &infos, &best);
        }
        self.search = Some(Search::start(
            self.engine.ai(),
            game,
            go,
            self.search_config,
        ));
        self.search_config.fresh = false;
        Ok(())
    }

    /// Writes the result of a position without a search. Its `bestmove` waits for a command.
    fn write_at_once(&mut self, go: &Go, infos: &[String], best: &str) -> io::Result<()> {
        self.write(&infos.join("\n"))?;
        self.held = Some((Hold::of(go), best.to_owned()));
        self.release(&[Hold::Nothing])
    }

    /// Writes the held `bestmove` if it waits for one of these commands.
    fn release(&mut self, holds: &[Hold]) -> io::Result<()> {
        match self.held.take_if(|(hold, _)| holds.contains(hold)) {
            Some((_, best)) => self.write(&best),
            None => Ok(()),
        }
    }

    /// Stops the running search and writes its result.
    async fn finish_search(&mut self) -> io::Result<()> {
        self.release(&[Hold::UntilStop, Hold::UntilPonderHit])?;
        while let Some(search) = &mut self.search {
            search.stop();
            let event = search.next().await;
            self.on_event(event)?;
        }
        Ok(())
    }

    fn on_event(&mut self, event: SearchEvent) -> io::Result<()> {
        let lines = match event {
            SearchEvent::Lines(lines) => lines,
            SearchEvent::Done(lines, state) => {
                self.search = None;
                if state == AiState::Stalled {
                    self.engine.request_restart();
                }
                lines
            }
        };
        self.write(&lines.join("\n"))
    }

    async fn apply_options(&mut self) -> io::Result<()> {
        match self.engine.apply().await {
            Ok(()) => Ok(()),
            Err(errors) => {
                self.strength = self.engine.strength();
                self.warn(&format!(
                    "cannot apply the options; keeping the old ones: {errors}"
                ))
            }
        }
    }

    fn warn(&mut self, message: &str) -> io::Result<()> {
        self.write(&format!("info string {}", printable(message)))
    }

    fn write(&mut self, lines: &str) -> io::Result<()> {
        writeln!(self.output, "{lines}")?;
        self.output.flush()
    }
}

/// Returns a random number from which a game's seeds are derived.
fn random_number() -> u64 {
    RandomState::new().hash_one(())
}
