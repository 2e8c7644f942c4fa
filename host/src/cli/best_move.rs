//! `rookery best-move`.

mod tree;

use std::io::IsTerminal;

use clap::Args;

use super::{ConfigFile, Failure, print, print_json, say};
use crate::log::{self, LogFormat};
use config::ClientSettings;
use game::{Caller, GameService, ServiceError};
use pool::{Requester, WorkerProgram};
use server::{
    calls::best_move::{self, BestMoveForm, BestMoveReply},
    error::RequestError,
    forms::{
        game::GameForm,
        search::{LimitForm, TraceForm},
    },
    replies::{game::ScoreReply, search::LineReply},
    stream::{progress::ProgressSender, search_progress::InfoReply},
};

#[derive(Debug, Args)]
pub(super) struct AskBestMove {
    #[command(flatten)]
    file: ConfigFile,
    /// The AI to ask; left out, the default client's
    #[arg(long, value_name = "ID")]
    ai: Option<String>,
    /// The first position; left out, the standard start
    #[arg(long)]
    fen: Option<String>,
    /// The moves since, in UCI
    #[arg(long, value_name = "UCI", num_args = 0.., value_delimiter = ' ')]
    moves: Vec<String>,
    #[command(flatten)]
    limit: LimitArguments,
    /// Tell this many lines, where the AI can: the best one first
    #[arg(long, value_name = "N")]
    lines: Option<u64>,
    /// Show what the AI thought as a tree, of this many nodes at most
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "200")]
    trace: Option<u64>,
    /// For machines: the reply of POST /v1/best-move
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct LimitArguments {
    /// Think this many plies deep
    #[arg(long, value_name = "N")]
    depth: Option<u64>,
    /// Look at this many positions
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Think this many milliseconds
    #[arg(long, value_name = "N")]
    movetime_ms: Option<u64>,
    /// Search for a mate in this many moves
    #[arg(long, value_name = "N")]
    mate: Option<u64>,
}

impl LimitArguments {
    fn form(&self) -> Option<LimitForm> {
        let Self { depth, nodes, movetime_ms, mate } = *self;
        let is_set = [depth, nodes, movetime_ms, mate].iter().any(Option::is_some);
        is_set.then_some(LimitForm { depth, nodes, movetime_ms, mate })
    }
}

impl AskBestMove {
    pub(super) fn run(self) -> Result<(), Failure> {
        log::start("error", LogFormat::Text);
        let mut config = self.file.load()?;
        let id = super::chosen_ai(&mut config, self.ai.as_deref())?;
        // Only this AI has to be loaded.
        config.ais.retain(|other, _| *other == id);
        let service = GameService::start(config, WorkerProgram::this_binary())?;
        let settings = ClientSettings::unbounded(String::new(), id);
        let client = Caller { settings, requester: Requester::Local };
        let form = BestMoveForm {
            game: GameForm { fen: self.fen, moves: Some(self.moves), ..GameForm::default() },
            ai: None,
            options: None,
            limit: self.limit.form(),
            lines: self.lines,
            trace: self.trace.map(|nodes| TraceForm { nodes }),
        };
        let reply = ask(&service, &client, &form)?;
        if self.json {
            return print_json(&reply);
        }
        if let Some(trace) = &reply.trace {
            print(&tree::tree(trace))?;
        }
        Ok(print(&as_text(&reply))?)
    }
}

fn ask(service: &GameService, client: &Caller, form: &BestMoveForm) -> Result<BestMoveReply, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let progress = ProgressSender::default();
    let is_watched = std::io::stderr().is_terminal();
    let reply = runtime.block_on(async {
        let watch = async {
            loop {
                progress.news().await;
                progress.iterations().iter().for_each(|info| say(&progress_line(info)));
            }
        };
        tokio::select! {
            reply = best_move::respond(service, client, form, Some(&progress)) => reply,
            never = watch, if is_watched => never,
        }
    });
    reply.map_err(failure)
}

fn failure(error: RequestError) -> Failure {
    match error {
        RequestError::IllegalGame(game) => {
            let lines = game.issues.iter().map(|issue| format!("{} ({})", issue.message, issue.code));
            Failure::Usage(format!("the game is not legal:\n  {}", lines.collect::<Vec<_>>().join("\n  ")))
        }
        RequestError::Malformed(_)
        | RequestError::UnknownAi { .. }
        | RequestError::Service(
            ServiceError::NoEvaluator { .. } | ServiceError::NoChess960 { .. } | ServiceError::NoTrace { .. },
        ) => Failure::Usage(error.to_string()),
        RequestError::Service(ServiceError::Fault { ai, fault }) => {
            Failure::Other(anyhow::anyhow!("AI '{ai}': {}", fault.in_full()))
        }
        _ => Failure::Other(error.into()),
    }
}

fn progress_line(info: &InfoReply) -> String {
    let InfoReply { depth, nodes, san, .. } = info;
    let line = san.iter().take(12).map(String::as_str).collect::<Vec<_>>().join(" ");
    format!("depth {depth:>2}  {}  {nodes} nodes  {line}", shown(info.score))
}

fn shown(score: ScoreReply) -> String {
    match score {
        ScoreReply::Cp(value) => format!("{:+.2}", f64::from(value) / 100.0),
        ScoreReply::Mate(moves) => format!("#{moves}"),
    }
}

fn as_text(reply: &BestMoveReply) -> String {
    let score = shown(reply.score);
    let Some(chosen) = &reply.chosen else {
        let status = &reply.game.status;
        return format!("the game is over: {} ({})", status.state, status.reason.unwrap_or_default());
    };
    let search = &reply.search;
    let best = format!(
        "{}  {}  {score} for White  depth {}  {} nodes  {} ms  {}",
        chosen.uci,
        chosen.san,
        search.depth,
        search.nodes,
        search.time_ms,
        search.pv.join(" ")
    );
    let further = search.lines.iter().flatten().skip(1).filter_map(|line| {
        let LineReply { score, depth, pv, san, .. } = line;
        let (uci, san) = (pv.first()?, san.first()?);
        Some(format!("\n{uci}  {san}  {} for White  depth {depth}  {}", shown(*score), pv.join(" ")))
    });
    best + &further.collect::<String>()
}
