//! `rookery bench`.

use std::{
    fs,
    io::{self, IsTerminal},
    num::NonZero,
    thread::available_parallelism,
    time::{Duration, Instant},
};

use ai_api::Limits;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rules::Game;
use serde::Serialize;

use crate::cli::{
    config_file::{ConfigFile, choose_ai},
    failure::Failure,
    output::{print, print_json},
    player::load_player,
    runtime::CommandRuntime,
};
use crate::log::{self, LogFormat};
use config::{DEPTHS, NODES};
use game::{job, legal_move, wrong_response};
use pool::{Ai, RequestContext, RetryPolicy, WorkerProgram};
use protocol::{Response, Task};

/// Fifty positions from games between AIs: openings, middlegames and endings.
const POSITIONS: &str = include_str!("bench/positions.fen");
const DEFAULT_DEPTH: u32 = 6;
/// The time limit for one position.
const LONGEST: Duration = Duration::from_mins(10);

#[derive(Debug, Args)]
pub(super) struct Bench {
    #[command(flatten)]
    file: ConfigFile,
    /// AI, or the path of a library or UCI engine, with options after commas, as in
    /// 'basic1,pvs=false'; by default the default client's
    #[arg(long, value_name = "ID")]
    ai: Option<String>,
    /// Depth of each search in plies [default: 6]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(*DEPTHS.start()..=*DEPTHS.end()),
    )]
    depth: Option<u64>,
    /// Nodes of each search, instead of a depth
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "depth",
        value_parser = clap::value_parser!(u64).range(*NODES.start()..=*NODES.end()),
    )]
    nodes: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct BenchReport {
    ai: String,
    name: String,
    version: String,
    rookery: &'static str,
    machine: Machine,
    depth: Option<u32>,
    nodes_each: Option<u64>,
    positions: Vec<BenchedPosition>,
    /// The sum over all positions. If an AI's count changes, it searches a different tree.
    nodes: u64,
    time_ms: u64,
    nodes_per_second: u64,
}

#[derive(Debug, Serialize)]
struct Machine {
    cpu: String,
    cores: usize,
    os: &'static str,
    arch: &'static str,
}

#[derive(Debug, Serialize)]
struct BenchedPosition {
    fen: &'static str,
    chosen: String,
    depth: u32,
    nodes: u64,
    time_ms: u64,
}

impl Bench {
    pub(super) fn run(self) -> Result<(), Failure> {
        log::start("error", LogFormat::Text);
        let mut config = self.file.load()?;
        let name = match &self.ai {
            Some(name) => name.clone(),
            None => choose_ai(&mut config, None)?,
        };
        let program = WorkerProgram::this_binary();
        let player = load_player(&config, &name, &program)?;
        let ais = player.start(&program)?;
        let ai = ais
            .get(player.id())
            .expect("the AI was started under this id");
        let depth = self
            .nodes
            .is_none()
            .then(|| self.depth.map_or(DEFAULT_DEPTH, |depth| depth as u32));
        let limits = Limits {
            depth,
            nodes: self.nodes,
            ..Limits::NONE
        };
        let runtime = CommandRuntime::new()?;
        let started = Instant::now();
        let positions = runtime.block_on(search_all(ai, limits))?;
        let time = started.elapsed();
        let nodes = positions.iter().map(|searched| searched.nodes).sum();
        let report = BenchReport {
            ai: name,
            name: ai.about.name.clone(),
            version: ai.about.version.clone(),
            rookery: env!("CARGO_PKG_VERSION"),
            machine: Machine::this(),
            depth,
            nodes_each: self.nodes,
            positions,
            nodes,
            time_ms: time.as_millis() as u64,
            nodes_per_second: (u128::from(nodes) * 1_000_000 / time.as_micros().max(1)) as u64,
        };
        Ok(if self.json {
            print_json(&report)
        } else {
            print(&report.text())
        }?)
    }
}

/// Searches each position as a separate game. On a terminal, a bar shows the progress.
async fn search_all(ai: &Ai, limits: Limits) -> Result<Vec<BenchedPosition>, Failure> {
    let bar = if io::stderr().is_terminal() {
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} positions  {elapsed}");
        ProgressBar::new(POSITIONS.lines().count() as u64)
            .with_style(style.expect("the template is well-formed"))
    } else {
        ProgressBar::hidden()
    };
    let mut searched = Vec::new();
    for fen in POSITIONS.lines() {
        searched.push(
            search(ai, fen, limits)
                .await
                .map_err(|fault| anyhow::anyhow!("{fen}: {}", fault.in_full()))?,
        );
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(searched)
}

async fn search(
    ai: &Ai,
    fen: &'static str,
    limits: Limits,
) -> Result<BenchedPosition, pool::Fault> {
    let game = Game::new(rules::parse_fen(fen).expect("the positions are legal"));
    let context = RequestContext {
        time_allowed: Some(LONGEST),
        retry: RetryPolicy::Never,
        ..RequestContext::default()
    };
    let started = Instant::now();
    let Response::Searched(result) = ai
        .ask(context, job(&game, Task::Search(limits)), None)
        .await?
    else {
        return Err(wrong_response());
    };
    let time_ms = started.elapsed().as_millis() as u64;
    let chosen = rules::format_uci(game.position(), legal_move(&game, &result)?);
    Ok(BenchedPosition {
        fen,
        chosen: chosen.to_string(),
        depth: result.depth,
        nodes: result.nodes,
        time_ms,
    })
}

impl Machine {
    fn this() -> Self {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Self {
            cpu: model
                .map_or("unknown processor", |(_, name)| name)
                .to_owned(),
            cores: available_parallelism().map_or(1, NonZero::get),
            os: std::env::consts::OS,
            arch: std::env::consts::ARCH,
        }
    }
}

impl BenchReport {
    fn text(&self) -> String {
        let mut lines: Vec<String> = self.positions.iter().map(BenchedPosition::text).collect();
        let Self {
            ai,
            name,
            version,
            rookery,
            machine,
            nodes,
            time_ms,
            nodes_per_second,
            ..
        } = self;
        let Machine {
            cpu,
            cores,
            os,
            arch,
        } = machine;
        lines.push(format!(
            "\n{nodes} nodes  {time_ms} ms  {nodes_per_second} nodes per second"
        ));
        let name = format!("{name} {version}");
        let name = name.trim_end();
        lines.push(format!(
            "{ai}: {name}, rookery {rookery}, {cpu}, {cores} cores, {os} {arch}"
        ));
        lines.join("\n")
    }
}

impl BenchedPosition {
    fn text(&self) -> String {
        let Self {
            fen,
            chosen,
            depth,
            nodes,
            time_ms,
        } = self;
        format!("{chosen:<5}  depth {depth:>2}  {nodes:>9} nodes  {time_ms:>6} ms  {fen}")
    }
}
