//! `rookery match`.

mod faults;
mod fleet;
mod gauntlet;
mod lost_game;
mod progress;
mod report;
mod time_control;

use std::{
    fmt, io::ErrorKind, num::NonZero, path::PathBuf, process::ExitCode, str::FromStr,
    thread::available_parallelism, time::Duration,
};

use clap::Args;

use self::{
    faults::MatchFaults,
    fleet::FleetArguments,
    gauntlet::GivenRating,
    lost_game::LostGame,
    progress::MatchDisplay,
    report::{FaultRule, MatchReport},
    time_control::TimeControlArguments,
};
use crate::cli::{
    book,
    config_file::ConfigFile,
    failure::Failure,
    input::Input,
    output::{print, print_json, print_message},
    player::load_player,
    runtime::CommandRuntime,
};
use crate::log::{self, LogFormat};
use ::fleet::FleetSettings;
use config::{Config, PlayerText};
use pool::WorkerProgram;
use text::counted;
use tournament::{
    Adjudication, Disturbances, DrawRule, ExistingGames, FinishedMatchGame, GameSettings,
    GauntletAnchor, MatchEnd, MatchFormat, Openings, Overload, ParseRuleError, PgnFile, PlayError,
    Player, PlayerError, RecordedGame, ResignRule, Sprt, Tournament, TournamentError, is_path,
};

const STOCKFISH: &str = "/usr/games/stockfish";

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(super) struct PlayMatch {
    /// Players: IDs of AIs, or paths of libraries and UCI engines, with options and the limits
    /// `depth`, `nodes` and `movetime_ms` after commas, as in 'basic1,quiescence=false'
    #[arg(required = true, value_name = "AI")]
    players: Vec<String>,
    #[command(flatten)]
    file: ConfigFile,
    /// Games per pair of players; with --sprt by default two per opening
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "sprt",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    games: Option<u32>,
    #[command(flatten)]
    time_control: TimeControlArguments,
    /// Tolerance for late moves in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50)]
    margin_ms: u64,
    /// Append every game to this PGN file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Continue the match in the PGN file
    #[arg(long, requires = "pgn")]
    resume: bool,
    /// Parallel games
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=256),
    )]
    concurrency: u16,
    #[command(flatten)]
    fleet: FleetArguments,
    /// Openings in EPD, PGN or a Polyglot book (.bin), or - for standard input; by default built in
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Plies of each opening from a Polyglot book
    #[arg(long, value_name = "N", default_value_t = 8, requires = "openings")]
    book_plies: usize,
    /// Adjudicate with the Syzygy tables in this directory; can be repeated
    #[arg(long, value_name = "DIR")]
    tablebases: Vec<PathBuf>,
    /// Seed for the order of openings and for the players' options `seed` and `book_seed`
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Stop when a test decides whether the first player is better by elo1 or only by elo0 (GSPRT
    /// on pairs, errors of 5 %), or after --games
    #[arg(long, value_name = "elo0,elo1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Exit with status 1 after any fault, such as a crash or an illegal move; a loss on time is
    /// not a fault
    #[arg(long)]
    fail_on_fault: bool,
    #[arg(
        help = "Adjudicate a draw from FROM_MOVE on if both scores stay within CENTIPAWNS for \
                MOVES",
        long,
        value_name = "FROM_MOVE,MOVES,CENTIPAWNS|off",
        default_value_t = RuleOrOff(Adjudication::USUAL.draw),
    )]
    draw: RuleOrOff<DrawRule>,
    /// Adjudicate a loss if both scores agree on CENTIPAWNS for MOVES
    #[arg(
        long,
        value_name = "MOVES,CENTIPAWNS|off",
        default_value_t = RuleOrOff(Adjudication::USUAL.resign),
    )]
    resign: RuleOrOff<ResignRule>,
    /// Adjudicate a draw after N moves; 0 means never
    #[arg(long, value_name = "N", default_value_t = Adjudication::USUAL.max_moves.unwrap_or(0))]
    max_moves: u32,
    /// Rate the first AI against opponents with known ratings; by default Stockfish at several
    /// ratings
    #[arg(long, conflicts_with = "sprt")]
    gauntlet: bool,
    /// Opponent with its CCRL Blitz rating; can be repeated. Stockfish with limited strength needs
    /// no rating
    #[arg(long, value_name = "AI=RATING", requires = "gauntlet")]
    anchor: Vec<GivenRating>,
    #[arg(
        help = "Opponents: Stockfish at these values of UCI_Elo",
        long,
        value_name = "ELO,…",
        value_delimiter = ',',
        requires = "gauntlet"
    )]
    steps: Vec<u32>,
    /// Engine for --steps, with Stockfish's options for limited strength
    #[arg(long, value_name = "FILE", default_value = STOCKFISH, requires = "gauntlet")]
    engine: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A rule, or `off`.
#[derive(Clone, Copy, Debug)]
struct RuleOrOff<T>(Option<T>);

impl<T: FromStr<Err = ParseRuleError>> FromStr for RuleOrOff<T> {
    type Err = ParseRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "off" {
            Ok(Self(None))
        } else {
            text.parse().map(|rule| Self(Some(rule)))
        }
    }
}

impl<T: fmt::Display> fmt::Display for RuleOrOff<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(rule) => rule.fmt(f),
            None => f.write_str("off"),
        }
    }
}

impl PlayMatch {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        log::start("error", LogFormat::Text);
        let texts = self.players()?;
        let options = self.fleet.load_options(&self.file);
        let mut config = if texts.iter().all(|text| is_path(PlayerText::ai_of(text))) {
            config::load(self.file.path(), &options)?
        } else {
            self.file.load_with(&options)?
        };
        let fleet = self.fleet.settings(&config, &self.file)?;
        self.fleet.prepare(&mut config);
        let openings = self.openings()?;
        let games = self
            .games
            .map_or(2 * openings.count(), |games| games as usize);
        self.warn_of_repetition(&openings);
        let program = WorkerProgram::this_binary();
        let players = texts
            .iter()
            .map(|text| load_player(&config, text, &program));
        let mut players = players.collect::<Result<Vec<_>, _>>()?;
        let anchors = self
            .gauntlet
            .then(|| gauntlet::anchors(&players, &self.anchor))
            .transpose()?;
        Player::shorten_names(&mut players);
        let tournament = Tournament {
            players,
            format: if self.gauntlet {
                MatchFormat::Gauntlet
            } else {
                MatchFormat::RoundRobin
            },
            games,
            settings: GameSettings {
                time_control: self.time_control.time_control(),
                margin_ms: self.margin_ms,
                adjudication: Adjudication {
                    draw: self.draw.0,
                    resign: self.resign.0,
                    max_moves: (self.max_moves > 0).then_some(self.max_moves),
                },
                disturbances: Disturbances::Ignored,
            },
            tablebases: self.with_tablebases(config)?,
            openings,
            seed: self.seed,
            sprt: self.sprt,
            concurrency: usize::from(self.concurrency),
            program,
        };
        tournament
            .ensure_playable()
            .map_err(|error| Failure::Usage(error.to_string()))?;
        if fleet.is_none() {
            warn_of_overload(&tournament);
        }
        let report = self.play(tournament, anchors.as_deref(), fleet.as_ref())?;
        let printed = if self.json {
            print_json(&report)
        } else {
            print(&report.to_string())
        };
        // The verdict holds even if the reader closes the pipe early.
        if let Err(error) = printed
            && error.kind() != ErrorKind::BrokenPipe
        {
            return Err(error.into());
        }
        report.exit_status(if self.fail_on_fault {
            FaultRule::Fail
        } else {
            FaultRule::Lose
        })
    }

    /// Returns the players as text.
    fn players(&self) -> Result<Vec<String>, Failure> {
        let players = if self.gauntlet {
            gauntlet::players(&self.players, &self.anchor, &self.engine, &self.steps)?
        } else {
            self.players.clone()
        };
        if let Some(index) =
            (1..players.len()).find(|&index| players[..index].contains(&players[index]))
        {
            let name = &players[index];
            return Err(Failure::Usage(format!(
                "the player '{name}' appears twice; give one of them different options"
            )));
        }
        match players.len() {
            1 => Err(Failure::Usage(
                "a match needs two or more players, or --gauntlet".into(),
            )),
            3.. if self.sprt.is_some() => {
                Err(Failure::Usage("--sprt needs exactly two players".into()))
            }
            _ => Ok(players),
        }
    }

    /// Returns a configuration with only the tables for adjudication.
    fn with_tablebases(&self, mut config: Config) -> Result<Option<Config>, Failure> {
        if self.tablebases.is_empty() {
            return Ok(None);
        }
        let mut directories = Vec::new();
        for directory in &self.tablebases {
            if !directory.is_dir() {
                return Err(Failure::Usage(format!(
                    "--tablebases: {} is not a directory; expected one with Syzygy tables",
                    directory.display()
                )));
            }
            directories.push(std::path::absolute(directory)?);
        }
        config.tablebases.directories = Some(directories);
        config.ais.clear();
        Ok(Some(config))
    }

    fn openings(&self) -> Result<Openings, Failure> {
        let Some(path) = &self.openings else {
            return Ok(Openings::built_in().shuffled(self.seed));
        };
        let (openings, name) = if path.extension().is_some_and(|extension| extension == "bin") {
            (
                Openings::of_book(&mut book::file::open(path)?, self.book_plies),
                path.display().to_string(),
            )
        } else {
            let Input {
                source,
                progress,
                name,
            } = Input::open(path)?;
            let openings = Openings::read(source);
            progress.finish_and_clear();
            (openings, name)
        };
        let openings = openings.map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
        let drawn: Vec<_> = openings.drawn().collect();
        if let Some((number, drawn_at)) = drawn.first() {
            let others = drawn.len() - 1;
            let more = if others > 0 {
                format!(", and {others} more like it")
            } else {
                String::new()
            };
            print_message(&format!(
                "note: {name}: opening {number} was {drawn_at} but continues{more}"
            ));
        }
        Ok(openings.shuffled(self.seed))
    }

    /// Reports a match that is too long for its openings.
    fn warn_of_repetition(&self, openings: &Openings) {
        let different = 2 * openings.count();
        if self.games.is_some_and(|games| games as usize > different) {
            print_message(&format!(
                "note: the {} openings give {different} different games between players that \
                 repeat their moves; choose more with --openings",
                openings.count()
            ));
        }
    }

    fn play(
        &self,
        tournament: Tournament,
        anchors: Option<&[GauntletAnchor]>,
        fleet: Option<&(FleetSettings, String)>,
    ) -> Result<MatchReport, Failure> {
        let (mut file, recorded) = self.open_pgn(&tournament.fingerprint())?.unzip();
        let recorded = recorded.unwrap_or_default();
        let progress = MatchDisplay::new(&tournament, recorded.len());
        let mut lost: Vec<_> = recorded
            .iter()
            .filter_map(|game| game.lost_from_won.clone())
            .collect();
        let mut faults: Vec<_> = recorded
            .iter()
            .filter_map(|game| game.lost_by_fault.clone())
            .collect();
        let players: Vec<_> = tournament
            .players
            .iter()
            .map(|player| player.name.clone())
            .collect();
        let schedule = tournament.schedule();
        let (time_control, sprt) = (tournament.settings.time_control, tournament.sprt);
        let runtime = CommandRuntime::new()?;
        let interrupted = async {
            // Without a signal handler, nothing can interrupt the match.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let on_finished = |finished: FinishedMatchGame<'_>| {
            let line = file
                .as_mut()
                .map(|file| file.add(finished.pgn))
                .transpose()?;
            lost.extend(finished.lost_from_won(line));
            faults.extend(finished.lost_by_fault());
            progress.show(&finished);
            Ok(())
        };
        let run = async {
            let Some(fleet) = fleet else {
                let run = tournament.run(&recorded, interrupted, on_finished);
                return run.await.map(|(standings, end)| (standings, end, None));
            };
            let run = self.fleet.run(
                fleet,
                tournament,
                &recorded,
                interrupted,
                &progress,
                on_finished,
            );
            Box::pin(run)
                .await
                .map(|(standings, end, nodes)| (standings, end, Some(nodes)))
        };
        let result = runtime.block_on(run);
        runtime.shut_down(Duration::from_secs(1));
        progress.clear();
        let (standings, stop_reason, nodes) = result.map_err(|error| match error {
            TournamentError::Tables(errors)
            | TournamentError::Game(PlayError::Start { errors, .. }) => Failure::Start(errors),
            TournamentError::Game(error) => Failure::Other(error.into()),
            TournamentError::Thread(_)
            | TournamentError::Record(_)
            | TournamentError::Elsewhere(_) => Failure::Other(error.into()),
        })?;
        if stop_reason == MatchEnd::Interrupted {
            print_message(match self.pgn {
                Some(_) => "interrupted; --resume continues the match",
                None => "interrupted",
            });
        }
        lost.sort_by_key(|game| game.game);
        let lost = lost
            .iter()
            .map(|game| LostGame::new(game, self.pgn.as_deref()))
            .collect();
        let faults = MatchFaults::new(&players, &schedule, faults);
        Ok(MatchReport::new(
            players,
            time_control,
            (&standings, stop_reason),
            sprt,
            anchors,
            lost,
            faults,
        )
        .with_nodes(nodes))
    }

    fn open_pgn(&self, fingerprint: &str) -> Result<Option<(PgnFile, Vec<RecordedGame>)>, Failure> {
        let existing = if self.resume {
            ExistingGames::Resume
        } else {
            ExistingGames::Reject
        };
        let opened = self
            .pgn
            .as_deref()
            .map(|path| PgnFile::open(path, existing, fingerprint))
            .transpose();
        opened.map_err(|error| Failure::Usage(error.to_string()))
    }
}

/// Reports games whose players share processors while their time runs.
fn warn_of_overload(tournament: &Tournament) {
    let processors = available_parallelism().map_or(1, NonZero::get);
    let Some(Overload {
        games,
        threads,
        fitting_games,
    }) = tournament.overload(processors)
    else {
        return;
    };
    let remedy = if games > fitting_games {
        format!("--concurrency {fitting_games}")
    } else {
        "fewer threads per player".to_owned()
    };
    print_message(&format!(
        "note: {} search with {} on {}; players wait for a processor while their clocks run, so \
         they think less and may lose on time: use {remedy}, or --nodes or --depth instead of a \
         time",
        counted(games, "parallel game"),
        counted(threads, "thread"),
        counted(processors, "processor"),
    ));
}

impl From<PlayerError> for Failure {
    fn from(error: PlayerError) -> Self {
        match error {
            PlayerError::Start(errors) => Self::Start(errors),
            error => Self::Usage(error.to_string()),
        }
    }
}
