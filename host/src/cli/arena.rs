//! `rookery arena`.

mod table;

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;

use self::table::{LadderTable, RecordTable};
use crate::cli::{
    config_file::{ConfigFile, absolute_text},
    failure::Failure,
    input::Input,
    output::{of_standard_output, print, print_json, print_message},
    runtime::CommandRuntime,
};
use crate::log::{self, LogFormat};
use arena::calls::ladder::SeenLadder;
use arena::{
    Arena, ArenaSettings, ArenaState, ArenaVenue, ImportRefusal, ImportReport, Ladder, PlayerId,
    Store, StoreError, StoreFault, StoreReader,
};
use config::Config;
use pool::{Activity, WorkerProgram};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct ArenaCommand {
    #[command(flatten)]
    file: ConfigFile,
    /// Arena file; overrides `file` in [arena]
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
    /// Play without a server
    Run {
        /// Pairs of games to play
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        pairs: u32,
        /// Parallel games; by default one per core
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
        concurrency: Option<u16>,
    },
    /// Show a player's record
    Player {
        /// The player's number in the ladder
        #[arg(value_name = "ID")]
        player: i64,
    },
    /// Print all games as PGN
    Export,
    /// Add games from `rookery match`
    Import {
        /// PGN with pairs of games; - is standard input
        #[arg(value_name = "FILE")]
        games: PathBuf,
    },
    /// Copy the file of a running arena
    Backup {
        /// File to create
        #[arg(value_name = "FILE")]
        copy: PathBuf,
    },
}

impl ArenaCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        log::start("warn", LogFormat::Text);
        let flag = self.arena.as_deref().map(absolute_text);
        let options = self
            .file
            .options(None)
            .with_flag("arena", ("--arena", "file"), flag);
        let config = config::load(self.file.path(), &options)?;
        let settings = ArenaSettings::of(&config);
        let Some(file) = settings.file.clone() else {
            let message = "there is no arena: set `file` in [arena] of the configuration, or give \
                --arena FILE";
            return Err(Failure::Usage(message.to_owned()));
        };
        let open = || StoreReader::open(&file);
        match self.action {
            None => self.show_ladder(Arc::new(Ladder::read(&open()?)?)),
            Some(Action::Player { player }) => {
                let store = open()?;
                let seen = SeenLadder {
                    ladder: Arc::new(Ladder::read(&store)?),
                    client: None,
                };
                let id = PlayerId(player);
                let (Some(row), Some(record)) = (seen.ladder.row(id), seen.record(&store, id)?)
                else {
                    let message =
                        format!("the arena has no player {player}; `rookery arena` lists them");
                    return Err(Failure::Usage(message));
                };
                self.show(
                    &record,
                    &RecordTable {
                        ladder: &seen.ladder,
                        row,
                    },
                )
            }
            Some(Action::Run { pairs, concurrency }) => {
                let mut config = config;
                let cores = thread::available_parallelism().map_or(1, usize::from);
                config.set_extra(ArenaSettings {
                    concurrency: concurrency.map_or(cores, usize::from),
                    ..settings
                });
                self.show_ladder(play(&config, &file, pairs)?)
            }
            Some(Action::Export) => {
                let mut out = io::BufWriter::new(io::stdout().lock());
                open()?.export(&mut out)?;
                Ok(out.flush().map_err(|error| of_standard_output(&error))?)
            }
            Some(Action::Import { ref games }) => self.import(&config, &file, games),
            Some(Action::Backup { ref copy }) => {
                open()?.backup(copy)?;
                print_message(&format!("copied to {}", copy.display()));
                Ok(())
            }
        }
    }

    fn show(&self, data: &impl Serialize, text: &impl ToString) -> Result<(), Failure> {
        Ok(if self.json {
            print_json(data)
        } else {
            print(&text.to_string())
        }?)
    }

    fn show_ladder(&self, ladder: Arc<Ladder>) -> Result<(), Failure> {
        let seen = SeenLadder {
            ladder,
            client: None,
        };
        self.show(&seen.reply(), &LadderTable(&seen.ladder))
    }

    fn import(&self, config: &Config, file: &Path, pgn: &Path) -> Result<(), Failure> {
        let settings = ArenaSettings::of(config);
        let store = Store::open(
            file,
            &settings.time_control.to_string(),
            settings.max_mb << 20,
        )?;
        let Input {
            source, progress, ..
        } = Input::open(pgn)?;
        let ImportReport {
            games,
            known,
            refused,
        } = store.import(source)?;
        progress.finish_and_clear();
        for refusal in refused.iter().filter(|_| !self.json) {
            print_message(&refusal.to_string());
        }
        let text = format!(
            "{games} games added, {known} already known, {} refused",
            refused.len()
        );
        let refusals: Vec<_> = refused
            .iter()
            .map(|ImportRefusal { line, reason }| {
                json!({"line": line, "reason": reason.to_string()})
            })
            .collect();
        self.show(
            &json!({"games": games, "known": known, "refused": refusals}),
            &text,
        )
    }
}

/// Adds this many pairs to the file unless the user interrupts. Returns the ladder.
fn play(config: &Config, file: &Path, pairs: u32) -> Result<Arc<Ladder>, Failure> {
    let arena = Arena::start(
        config,
        file,
        ArenaVenue::idle(WorkerProgram::this_binary(), Activity::default()),
    );
    let arena = arena.map_err(|error| Failure::Usage(error.to_string()))?;
    let runtime = CommandRuntime::new()?;
    let first = arena.ladder().results.pairs();
    runtime.block_on(async {
        let counting = async {
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
            counted = counting => counted,
            _ = tokio::signal::ctrl_c() => {
                print_message("interrupted; the file contains every finished pair");
                Ok(())
            }
        }
    })?;
    Ok(arena.ladder())
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError {
                fault: StoreFault::Output(error),
                ..
            } => error.into(),
            error => Self::Usage(error.to_string()),
        }
    }
}
