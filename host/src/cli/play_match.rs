//! `rookery match`.

mod report;

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::{
    config_file::ConfigFile,
    failure::Failure,
    output::{print, print_json, print_message},
};
use crate::log::{self, LogFormat};
use ai_api::Limits;
use config::{DEPTHS, MOVETIMES_MS, NODES};
use pool::WorkerProgram;
use report::{Anchor, MatchReply};
use tournament::{
    Adjudication, ClockControl, Contest, ContestError, Contestant, ContestantError, DrawRule, EloEstimate,
    Existing, Finish, Finished, Format, Openings, ParseRuleError, RecordFile, ResignRule, Sprt, Terms,
    TimeControl,
};

/// `UCI_Elo` of the opponents in a gauntlet, where nothing else is said.
const STEPS: [u32; 6] = [1350, 1500, 1700, 1900, 2100, 2300];
const STOCKFISH: &str = "/usr/games/stockfish";

#[derive(Debug, Args)]
pub(super) struct PlayMatch {
    /// The players: ids of AIs or paths of UCI engines, with options after commas, as in
    /// 'basic1,quiescence=false'
    #[arg(required = true, value_name = "AI")]
    players: Vec<String>,
    #[command(flatten)]
    file: ConfigFile,
    /// Games of each pair of players
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    #[command(flatten)]
    time_control: TimeControlArguments,
    /// Tolerance for a late move in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50)]
    margin_ms: u64,
    /// Append every game to this PGN file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Continue with the games of the file
    #[arg(long, requires = "pgn")]
    resume: bool,
    /// Parallel games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: u16,
    /// Openings (EPD or PGN); by default a small built-in book
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Seed of the order of the openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Stop once a test decides whether the first player is better by elo1 or only by elo0 (GSPRT on pairs of
    /// games, errors of 5 %); --games is the maximum
    #[arg(long, value_name = "elo0,elo1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Adjudicate a draw from this move on if both scores stay within CENTIPAWNS for MOVES; or off
    #[arg(long, value_name = "FROM_MOVE,MOVES,CENTIPAWNS|off", default_value = "34,8,20")]
    draw: Switched<DrawRule>,
    /// Adjudicate a loss if both scores agree on CENTIPAWNS for MOVES; or off
    #[arg(long, value_name = "MOVES,CENTIPAWNS|off", default_value = "3,800")]
    resign: Switched<ResignRule>,
    /// Adjudicate a draw after N moves; 0 is never
    #[arg(long, value_name = "N", default_value_t = 300)]
    max_moves: u32,
    /// Rate one AI against Stockfish at several ratings
    #[arg(long, conflicts_with = "sprt")]
    gauntlet: bool,
    /// Ratings of the opponents in a gauntlet
    #[arg(long, value_name = "ELO,…", value_delimiter = ',', requires = "gauntlet")]
    steps: Vec<u32>,
    /// Engine of a gauntlet, with Stockfish's options for limited strength
    #[arg(long, value_name = "FILE", default_value = STOCKFISH, requires = "gauntlet")]
    engine: PathBuf,
    /// Print the whole result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[group(multiple = false, required = false)]
struct TimeControlArguments {
    /// Depth of each move in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(*DEPTHS.start()..=*DEPTHS.end()))]
    depth: Option<u64>,
    /// Positions of each move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(*NODES.start()..=*NODES.end()))]
    nodes: Option<u64>,
    /// Time of each move in milliseconds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(*MOVETIMES_MS.start()..=*MOVETIMES_MS.end()))]
    movetime_ms: Option<u64>,
    /// A clock: [MOVES/]SECONDS[+SECONDS]
    #[arg(long, value_name = "1+0.1")]
    tc: Option<ClockControl>,
}

impl TimeControlArguments {
    /// What was asked for, or a tenth of a second for each move.
    fn time_control(&self) -> TimeControl {
        const USUAL: Limits = Limits::movetime_ms(100);
        let depth = self.depth.map(|depth| depth as u32);
        let limits = Limits {
            depth,
            nodes: self.nodes,
            soft_ms: self.movetime_ms,
            hard_ms: self.movetime_ms,
            ..Limits::NONE
        };
        let limits = if limits == Limits::NONE { USUAL } else { limits };
        self.tc.map_or(TimeControl::Fixed(limits), TimeControl::Clock)
    }
}

/// A rule, or none.
#[derive(Clone, Copy, Debug)]
struct Switched<T>(Option<T>);

impl<T: std::str::FromStr<Err = ParseRuleError>> std::str::FromStr for Switched<T> {
    type Err = ParseRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "off" { Ok(Self(None)) } else { text.parse().map(|rule| Self(Some(rule))) }
    }
}

impl PlayMatch {
    pub(super) fn run(self) -> Result<(), Failure> {
        log::start("error", LogFormat::Text);
        let config = self.file.load()?;
        let (names, anchor) = self.players()?;
        let openings = self.openings()?;
        let program = WorkerProgram::this_binary();
        let contestants: Result<Vec<_>, _> =
            names.iter().map(|name| Contestant::enter(&config, name, &program)).collect();
        let contest = Contest {
            contestants: contestants?,
            format: if anchor.is_some() { Format::Gauntlet } else { Format::RoundRobin },
            games: self.games as usize,
            terms: Terms {
                time_control: self.time_control.time_control(),
                margin_ms: self.margin_ms,
                adjudication: Adjudication {
                    draw: self.draw.0,
                    resign: self.resign.0,
                    max_moves: (self.max_moves > 0).then_some(self.max_moves),
                },
            },
            openings,
            sprt: self.sprt,
            concurrency: usize::from(self.concurrency),
            program,
        };
        let reply = self.play(contest, anchor.as_ref())?;
        Ok(if self.json { print_json(&reply) } else { print(&reply.to_string()) }?)
    }

    /// The players' names, and in a gauntlet the ratings of all but the first.
    fn players(&self) -> Result<(Vec<String>, Option<Anchor>), Failure> {
        if let Some(index) =
            (1..self.players.len()).find(|&index| self.players[..index].contains(&self.players[index]))
        {
            let name = &self.players[index];
            return Err(Failure::Usage(format!(
                "the player '{name}' appears twice; give one of them other options"
            )));
        }
        if !self.gauntlet {
            return match self.players.len() {
                1 => Err(Failure::Usage("a match needs two or more players, or --gauntlet".into())),
                2 => Ok((self.players.clone(), None)),
                _ if self.sprt.is_some() => Err(Failure::Usage("--sprt needs exactly two players".into())),
                _ => Ok((self.players.clone(), None)),
            };
        }
        let [player] = &self.players[..] else {
            return Err(Failure::Usage(
                "--gauntlet needs exactly one AI; its opponents are the ratings of the engine".into(),
            ));
        };
        let steps = if self.steps.is_empty() { STEPS.to_vec() } else { self.steps.clone() };
        let engine = self.engine.display();
        let opponent = |step: &u32| format!("{engine},uci_limit_strength=true,uci_elo={step}");
        let names = std::iter::once(player.clone()).chain(steps.iter().map(opponent)).collect();
        let engine = self.engine.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok((names, Some(Anchor { engine: engine.unwrap_or_default(), steps })))
    }

    fn openings(&self) -> Result<Openings, Failure> {
        let Some(path) = &self.openings else { return Ok(Openings::built_in().shuffled(self.seed)) };
        let wrong = |error: &dyn std::fmt::Display| Failure::Usage(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
        Ok(Openings::read(&text).map_err(|error| wrong(&error))?.shuffled(self.seed))
    }

    fn play(&self, contest: Contest, anchor: Option<&Anchor>) -> Result<MatchReply, Failure> {
        let mark = contest.mark();
        let existing = if self.resume { Existing::Resume } else { Existing::Refuse };
        let opened =
            self.pgn.as_deref().map(|path: &Path| RecordFile::open(path, existing, &mark)).transpose();
        let (mut file, recorded) = match opened.map_err(|error| Failure::Usage(error.to_string()))? {
            Some((file, recorded)) => (Some(file), recorded),
            None => (None, Vec::new()),
        };
        let progress = Progress::new(contest.schedule().len(), recorded.len());
        let contestants = contest.contestants.iter().map(|contestant| contestant.name.clone()).collect();
        let (time_control, sprt) = (contest.terms.time_control, contest.sprt);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let interrupted = async {
            // Where nobody can be heard, nobody interrupts.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let run = contest.run(&recorded, interrupted, |finished| {
            if let Some(file) = &mut file {
                file.add(finished.game)?;
            }
            progress.show(&finished);
            Ok(())
        });
        let outcome = runtime.block_on(run);
        runtime.shutdown_timeout(Duration::from_secs(1));
        progress.end();
        let (standings, finish) = outcome.map_err(|error| match error {
            ContestError::Start(errors) => Failure::Start(errors),
            ContestError::Record(error) => error.into(),
        })?;
        if finish == Finish::Interrupted {
            print_message(match self.pgn {
                Some(_) => "interrupted; --resume continues the match",
                None => "interrupted",
            });
        }
        Ok(MatchReply::new(contestants, time_control, &standings, sprt, finish, anchor))
    }
}

impl From<ContestantError> for Failure {
    fn from(error: ContestantError) -> Self {
        match error {
            ContestantError::Start(errors) => Self::Start(errors),
            error => Self::Usage(error.to_string()),
        }
    }
}

/// How far a match is: a bar on a terminal, else a line for each game.
struct Progress(Option<ProgressBar>);

impl Progress {
    fn new(games: usize, played: usize) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let style =
            ProgressStyle::with_template("{bar:30} {pos}/{len} games  {elapsed} of {duration}  {msg}");
        let bar = ProgressBar::new(games as u64).with_position(played as u64);
        bar.enable_steady_tick(Duration::from_millis(500));
        Self(Some(bar.with_style(style.expect("the template is well-formed"))))
    }

    fn show(&self, finished: &Finished<'_>) {
        let Finished { scheduled, game, standings } = finished;
        let name = |tag| game.tag(tag).unwrap_or_default();
        let how =
            game.notes.comments.last().and_then(|comment| comment.rsplit("] ").next()).unwrap_or_default();
        let line = format!(
            "game {}: {} - {} {} ({how})",
            scheduled.number,
            name("White"),
            name("Black"),
            game.result
        );
        match &self.0 {
            None => print_message(&line),
            Some(bar) => {
                let first = standings.encounters.values().next().and_then(EloEstimate::of);
                bar.set_message(first.map(|estimate| estimate.to_string()).unwrap_or_default());
                bar.inc(1);
                if !matches!(name("Termination"), "normal" | "adjudication") {
                    bar.suspend(|| print_message(&line));
                }
            }
        }
    }

    fn end(&self) {
        self.0.iter().for_each(ProgressBar::finish_and_clear);
    }
}
