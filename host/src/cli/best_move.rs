//! `rookery best-move`.

pub(super) mod text;
pub(super) mod tree;

use std::io::IsTerminal;

use clap::Args;

use self::text::{progress_text, reply_text};
use crate::cli::{
    config_file::ConfigFile,
    failure::Failure,
    local_search::{LimitArguments, failure, start},
    output::{print, print_json, print_message},
    runtime::CommandRuntime,
};
use crate::log::{self, LogFormat};
use api::{
    calls::best_move::{self, BestMoveForm, BestMoveReply},
    forms::{game::GameForm, search::TraceForm},
    progress::ProgressSender,
};
use game::{Client, GameService};

#[derive(Debug, Args)]
pub(super) struct BestMove {
    #[command(flatten)]
    file: ConfigFile,
    /// AI; by default the default client's
    #[arg(long, value_name = "ID")]
    ai: Option<String>,
    /// Position before the moves; by default the start position
    #[arg(long)]
    fen: Option<String>,
    /// Moves in UCI, separated by spaces
    #[arg(long, value_name = "UCI", num_args = 0.., value_delimiter = ' ')]
    moves: Vec<String>,
    #[command(flatten)]
    limit: LimitArguments,
    /// Number of best lines, if the AI supports it
    #[arg(long, value_name = "N")]
    lines: Option<u64>,
    /// Print the search tree, with at most N nodes
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "200")]
    trace: Option<u64>,
    /// Analyse without an opening book
    #[arg(long)]
    analysis: bool,
    /// Print the reply of POST /v1/best-move as JSON
    #[arg(long)]
    json: bool,
}

impl BestMove {
    pub(super) fn run(self) -> Result<(), Failure> {
        log::start("error", LogFormat::Text);
        let (service, client) = start(&self.file, self.ai.as_deref())?;
        let form = BestMoveForm {
            game: GameForm {
                fen: self.fen,
                moves: Some(self.moves),
                ..GameForm::default()
            },
            limit: self.limit.form(),
            lines: self.lines,
            trace: self.trace.map(|nodes| TraceForm { nodes }),
            analysis: Some(self.analysis),
            ..BestMoveForm::default()
        };
        let reply = search(&service, &client, &form)?;
        if self.json {
            return Ok(print_json(&reply)?);
        }
        if let Some(trace) = &reply.trace {
            print(&tree::tree(trace))?;
        }
        Ok(print(&reply_text(&reply))?)
    }
}

fn search(
    service: &GameService,
    client: &Client,
    form: &BestMoveForm,
) -> Result<BestMoveReply, Failure> {
    let runtime = CommandRuntime::new()?;
    let progress = ProgressSender::default();
    let is_terminal = std::io::stderr().is_terminal();
    let reply = runtime.block_on(async {
        let show_progress = async {
            loop {
                progress.changed().await;
                progress
                    .iterations()
                    .iter()
                    .for_each(|info| print_message(&progress_text(info)));
            }
        };
        tokio::select! {
            reply = best_move::respond(service, client, form, Some(&progress)) => reply,
            never = show_progress, if is_terminal => never,
        }
    });
    reply.map_err(failure)
}
