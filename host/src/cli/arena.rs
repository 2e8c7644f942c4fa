//! `rookery arena`.

mod table;

use std::{
    io::{self, Write as _},
    path::PathBuf,
    thread,
};

use ai_api::Color;
use clap::{Args, Subcommand};
use rules::PgnGame;
use serde_json::json;

use self::table::{Ladder, Record};
use crate::cli::{
    config_file::{ConfigFile, overrides},
    failure::Failure,
    input::Input,
    output::{print, print_json, print_message},
};
use crate::log::{self, LogFormat};
use arena::{Arena, ArenaState, PlayerId, Store, StoreError, StoreFault, StoreReader, StoredPlayer, Venue};
use config::Config;
use pool::{Activity, WorkerProgram};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct ArenaCommand {
    #[command(flatten)]
    file: ConfigFile,
    /// The arena's file; overrides `file` in [arena]
    #[arg(long, global = true, value_name = "FILE")]
    arena: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Play pairs of games without a server
    Run {
        /// Pairs to play
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        pairs: u32,
        /// Parallel games; by default one for each core
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
        concurrency: Option<u16>,
    },
    /// Show a player's record
    Player {
        /// Its number in the ladder
        #[arg(value_name = "ID")]
        player: i64,
    },
    /// Write the PGN of every game to standard output
    Export,
    /// Add the rated pairs of games in a PGN of `rookery match`
    Import {
        /// The PGN; - is standard input
        #[arg(value_name = "FILE")]
        games: PathBuf,
    },
    /// Copy the file, also while the arena runs
    Backup {
        /// The new file
        #[arg(value_name = "FILE")]
        copy: PathBuf,
    },
}

impl ArenaCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        log::start("warn", LogFormat::Text);
        let config = config::load(&self.file.config, &overrides(None).with_arena(self.arena))?;
        let Some(file) = config.arena.file.clone() else {
            let message =
                "there is no arena: set `file` in [arena] of the configuration, or give --arena FILE";
            return Err(Failure::Usage(message.to_owned()));
        };
        let open = || StoreReader::open(&file);
        match self.action {
            None => {
                let ladder = Ladder::of(&arena::Ladder::read(&open()?)?);
                Ok(if self.json { print_json(&ladder) } else { print(&ladder.to_string()) }?)
            }
            Some(Action::Player { player }) => {
                let ladder = arena::Ladder::read(&open()?)?;
                let Some(record) = Record::of(&ladder, PlayerId(player)) else {
                    let message = format!("the arena has no player {player}; `rookery arena` lists them");
                    return Err(Failure::Usage(message));
                };
                Ok(if self.json { print_json(&record) } else { print(&record.to_string()) }?)
            }
            Some(Action::Run { pairs, concurrency }) => {
                let mut config = config;
                let cores = thread::available_parallelism().map_or(1, usize::from);
                config.arena.concurrency = concurrency.map_or(cores, usize::from);
                let ladder = play(&config, pairs)?;
                Ok(if self.json { print_json(&ladder) } else { print(&ladder.to_string()) }?)
            }
            Some(Action::Export) => {
                let mut out = io::BufWriter::new(io::stdout().lock());
                open()?.export(&mut out)?;
                Ok(out.flush()?)
            }
            Some(Action::Import { games }) => import(&config, &games, self.json),
            Some(Action::Backup { copy }) => {
                open()?.backup(&copy)?;
                print_message(&format!("copied to {}", copy.display()));
                Ok(())
            }
        }
    }
}

/// Plays pairs until the file has so many more, or the user interrupts. Returns the ladder.
fn play(config: &Config, pairs: u32) -> Result<Ladder, Failure> {
    let file = config.arena.file.as_ref().expect("the caller has checked it");
    let arena = Arena::start(config, file, Venue::idle(WorkerProgram::this_binary(), Activity::default()));
    let arena = arena.map_err(|error| Failure::Usage(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let first = arena.ladder().results.pairs();
    runtime.block_on(async {
        let counted = async {
            for done in 1..=pairs {
                arena.pairs_played(first + done).await;
                if let ArenaState::Paused(reason) = arena.state() {
                    return Err(Failure::Usage(reason));
                }
                print_message(&format!("pair {done} of {pairs}"));
            }
            Ok(())
        };
        tokio::select! {
            counted = counted => counted,
            _ = tokio::signal::ctrl_c() => {
                print_message("interrupted; the file has every finished pair");
                Ok(())
            }
        }
    })?;
    Ok(Ladder::of(&arena.ladder()))
}

fn import(config: &Config, games: &std::path::Path, json: bool) -> Result<(), Failure> {
    let settings = &config.arena;
    let file = settings.file.as_ref().expect("the caller has checked it");
    let store = Store::open(file, &settings.time_control.to_string(), settings.max_mb << 20)?;
    let players = store.reader().players()?;
    let player_of = |game: &PgnGame, color: Color| {
        let name = game.tag(if color == Color::White { "White" } else { "Black" })?;
        // The latest version has the entry's name too.
        let named = |player: &&StoredPlayer| player.name_in_games() == name || player.entry == name;
        players.iter().rev().find(named).map(|player| player.id)
    };
    let Input { source, progress, .. } = Input::open(games)?;
    let report = store.import(source, player_of)?;
    progress.finish_and_clear();
    if json {
        let refused: Vec<_> = report
            .refused
            .iter()
            .map(|refusal| json!({"line": refusal.line, "reason": refusal.reason.to_string()}))
            .collect();
        return Ok(print_json(&json!({"games": report.games, "known": report.known, "refused": refused}))?);
    }
    for refusal in &report.refused {
        print_message(&refusal.to_string());
    }
    let text = format!(
        "{} games added, {} known before, {} refused",
        report.games,
        report.known,
        report.refused.len()
    );
    Ok(print(&text)?)
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError { fault: StoreFault::Output(error), .. } => error.into(),
            error => Self::Usage(error.to_string()),
        }
    }
}
