//! Makes a book of an AI's best moves, beginning at the start position.

use std::{
    collections::HashSet,
    io::{self, IsTerminal},
    time::Duration,
};

use ai_api::{Limits, Move, PvLine};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    cli::{
        config_file::ConfigFile, failure::Failure, player::load_player, runtime::CommandRuntime,
    },
    log::{self, LogFormat},
};
use ::book::{BookBuilder, GameMove};
use config::{DEPTHS, NODES};
use game::{job, legal_move, playable_lines, wrong_response};
use pool::{Ai, Fault, RequestContext, RetryPolicy, WorkerProgram};
use protocol::{Job, MAX_LINES, Response, SearchParams, Task};
use rules::Game;

const DEFAULT_NODES: u64 = 50_000;
/// The time limit for one search.
const LONGEST: Duration = Duration::from_mins(10);

#[derive(Debug, Args)]
pub(super) struct Exploration {
    /// AI or path of a UCI engine, with options after commas, as in 'basic1,pvs=false'
    #[arg(long, value_name = "ID")]
    pub(super) ai: Option<String>,
    /// Depth of each search in plies
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "files",
        value_parser = clap::value_parser!(u64).range(*DEPTHS.start()..=*DEPTHS.end()),
    )]
    depth: Option<u64>,
    /// Nodes of each search, instead of a depth [default: 50000]
    #[arg(
        long,
        value_name = "N",
        conflicts_with_all = ["files", "depth"],
        value_parser = clap::value_parser!(u64).range(*NODES.start()..=*NODES.end()),
    )]
    nodes: Option<u64>,
    /// Maximum number of moves per position
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "files",
        default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_LINES)),
    )]
    lines: u32,
    /// Keep moves that are at most this much worse than the best move
    #[arg(
        long,
        value_name = "CENTIPAWNS",
        conflicts_with = "files",
        default_value_t = 40,
        value_parser = clap::value_parser!(u16).range(..10_000),
    )]
    margin: u16,
    /// Maximum number of positions to search, nearest to the start first
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "files",
        default_value_t = 500
    )]
    positions: usize,
    /// Maximum number of moves in the book: the best of each position, then others near the start
    #[arg(long, value_name = "N", conflicts_with = "files")]
    moves: Option<usize>,
}

fn key_of(game: &Game) -> u64 {
    ai_book::key_after(game.position(), game.passed())
}

/// The result of an exploration.
#[derive(Debug, Default)]
pub(super) struct Explored {
    pub(super) builder: BookBuilder,
    pub(super) searches: usize,
}

impl Exploration {
    pub(super) fn run(&self, file: &ConfigFile, plies: usize) -> Result<Explored, Failure> {
        log::start("error", LogFormat::Text);
        let config = file.load()?;
        let program = WorkerProgram::this_binary();
        let player = load_player(&config, self.ai.as_deref().unwrap_or_default(), &program)?;
        let ais = player.start(&program)?;
        let ai = ais
            .get(player.id())
            .expect("the AI was started under this id");
        let most = ai.about.capabilities.max_lines.max(1);
        if self.lines > most {
            return Err(Failure::Usage(format!(
                "--lines is {}, but '{}' finds at most {most} at a time; lower --lines",
                self.lines,
                player.id()
            )));
        }
        let runtime = CommandRuntime::new()?;
        runtime.block_on(self.explore(ai, plies))
    }

    async fn explore(&self, ai: &Ai, plies: usize) -> Result<Explored, Failure> {
        let bar = self.progress_bar();
        let most_moves = self.moves.unwrap_or(usize::MAX);
        let most_searches = self.positions.min(most_moves);
        let mut explored = Explored::default();
        let mut further_moves = Vec::new();
        let start = Game::new(rules::start_position());
        let mut seen = HashSet::from([start.position().hash()]);
        let mut level = vec![start];
        for _ in 0..plies {
            let mut next = Vec::new();
            for game in level {
                if explored.searches == most_searches {
                    break;
                }
                let moves = self.search(ai, &game).await.map_err(|fault| {
                    anyhow::anyhow!(
                        "{}: {}",
                        rules::format_fen(game.position()),
                        fault.in_full()
                    )
                })?;
                explored.searches += 1;
                bar.inc(1);
                for (rank, (chosen, points)) in moves.into_iter().enumerate() {
                    let found = GameMove {
                        key: key_of(&game),
                        chosen,
                        points,
                    };
                    match rank {
                        0 => explored.builder.add(found),
                        _ => further_moves.push(found),
                    }
                    let mut after = game.clone();
                    let is_open = after.play(chosen).is_ok() && after.outcome().is_none();
                    if is_open && seen.insert(after.position().hash()) {
                        next.push(after);
                    }
                }
            }
            level = next;
            if level.is_empty() {
                break;
            }
        }
        bar.finish_and_clear();
        further_moves.truncate(most_moves - explored.searches);
        for found in further_moves {
            explored.builder.add(found);
        }
        Ok(explored)
    }

    /// Returns the moves within the margin. The weight of a move is 1 plus the centipawns by which
    /// it is better than the worst move that the margin allows.
    async fn search(&self, ai: &Ai, game: &Game) -> Result<Vec<(Move, u16)>, Fault> {
        let depth = self.depth.map(|depth| depth as u32);
        let nodes = self.nodes.or(if depth.is_none() {
            Some(DEFAULT_NODES)
        } else {
            None
        });
        let task = Task::Search(Limits {
            depth,
            nodes,
            ..Limits::NONE
        });
        let params = SearchParams {
            lines: self.lines,
            analysis: true,
            ..SearchParams::default()
        };
        let context = RequestContext {
            time_allowed: Some(LONGEST),
            retry: RetryPolicy::Never,
            ..RequestContext::default()
        };
        let Response::Searched(result) = ai
            .ask(
                context,
                Job {
                    params,
                    ..job(game, task)
                },
                None,
            )
            .await?
        else {
            return Err(wrong_response());
        };
        let best = PvLine::new(result.depth, result.score, vec![legal_move(game, &result)?]);
        let sign = i64::from(game.position().turn().sign());
        let value = |line: &PvLine| sign * i64::from(line.score.value());
        let margin = i64::from(self.margin);
        let floor = value(&best) - margin;
        let lines = playable_lines(game, std::iter::once(best).chain(result.multipv));
        let moves = lines.iter().filter_map(|line| {
            let above = value(line) - floor;
            (above >= 0).then(|| (line.moves[0], above.min(margin) as u16 + 1))
        });
        Ok(moves.collect())
    }

    fn progress_bar(&self) -> ProgressBar {
        if !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style =
            ProgressStyle::with_template("{bar:30} {pos} of at most {len} positions  {elapsed}");
        ProgressBar::new(self.positions as u64)
            .with_style(style.expect("the template is well-formed"))
    }
}
