//! `rookery report`.

mod pgn;
mod table;

use std::{io::IsTerminal as _, path::PathBuf};

use api::{
    calls::report::{self, OneReportReply, ReportForm, ReportReply},
    error::RequestError,
    forms::{game::GameForm, search::LimitForm},
    progress::{Progress as _, ProgressRecord, ProgressSender},
};
use clap::Args;
use formats::{Chunks, FormatIssue, FormatName, GameRecord, Import, guess, read_head};
use game::{Client, GameService, ServiceError};
use indicatif::{ProgressBar, ProgressStyle};
use rules::{Language, NullMoves, ReadVariations};

use crate::{
    cli::{
        config_file::ConfigFile,
        failure::Failure,
        input::Input,
        local_search::{LimitArguments, failure, start},
        output::{print, print_message, print_table},
        runtime::CommandRuntime,
    },
    log::{self, LogFormat},
};

#[derive(Debug, Args)]
pub(super) struct ReportGames {
    /// File with games; - is standard input
    #[arg(value_name = "FILE")]
    games: PathBuf,
    #[command(flatten)]
    file: ConfigFile,
    /// AI; by default the default client's
    #[arg(long, value_name = "ID")]
    ai: Option<String>,
    #[command(flatten)]
    limit: LimitArguments,
    /// Print annotated PGN with glyphs, comments, evaluations and better lines
    #[arg(long, conflicts_with = "json")]
    pgn: bool,
    /// Print the reply of POST /v1/report as one line of JSON per game
    #[arg(long)]
    json: bool,
}

/// Judges games with one AI.
struct Judge {
    service: GameService,
    client: Client,
    runtime: CommandRuntime,
    max_plies: usize,
}

impl ReportGames {
    pub(super) fn run(self) -> Result<(), Failure> {
        log::start("error", LogFormat::Text);
        let Input { source, name, .. } = Input::open(&self.games)?;
        let failed = |error| Failure::Usage(format!("{name}: {error}"));
        let (head, source) = read_head(source).map_err(|error| failed(error.into()))?;
        let format = guess(&head).unwrap_or(FormatName::Pgn);
        let judge = Judge::start(&self)?;
        let import = Import {
            turn: None,
            variations: ReadVariations::Keep,
            null_moves: NullMoves::Reject,
            language: Language::English,
            max_plies: judge.max_plies,
        };
        let (mut games, mut invalid) = (0, 0);
        for chunk in Chunks::new(source, format.format().boundaries()) {
            let chunk = chunk.map_err(failed)?;
            for game in format.format().import(&chunk.text, import) {
                games += 1;
                match game {
                    Ok(record) => self.print(&judge, record, games)?,
                    Err(issues) => {
                        invalid += 1;
                        print_issues(issues, games, chunk.lines_before);
                    }
                }
            }
        }
        match (games, invalid) {
            (0, _) => Err(Failure::Usage(format!("{name}: found no game"))),
            (_, 0) => Ok(()),
            _ => Err(Failure::Other(anyhow::anyhow!(
                "{invalid} of {games} games are invalid"
            ))),
        }
    }

    /// Judges a game and prints the report.
    fn print(&self, judge: &Judge, record: GameRecord, number: usize) -> Result<(), Failure> {
        let reply = judge.report(&record, self.limit.form(), number)?;
        if self.json {
            print(&serde_json::to_string(&reply).map_err(anyhow::Error::from)?)?;
        } else if self.pgn {
            let annotated = pgn::annotated(record, &reply.report.moves);
            print(&format!("{annotated}\n"))?;
        } else {
            print_table(&table::table(&record, &reply, number), table::INDENT)?;
        }
        Ok(())
    }
}

fn print_issues(issues: Vec<FormatIssue>, game: usize, lines_before: usize) {
    for mut issue in issues {
        let place = &mut issue.place;
        place.game = place.game.map(|_| game);
        place.line = place.line.map(|line| line + lines_before);
        print_message(&format!("error: {issue} ({})", issue.code));
    }
}

/// Creates a bar for the progress in a game. It is hidden without a terminal.
fn progress_bar(plies: usize, game: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(
        "game {msg} {bar:30} {pos} of {len} moves  {elapsed} of {duration}",
    );
    let bar = ProgressBar::new(plies as u64)
        .with_style(style.expect("the template is well-formed"))
        .with_message(game.to_string());
    bar.tick();
    bar
}

impl Judge {
    fn start(arguments: &ReportGames) -> Result<Self, Failure> {
        let (service, client) = start(&arguments.file, arguments.ai.as_deref())?;
        Ok(Self {
            max_plies: service.config().server.max_plies,
            runtime: CommandRuntime::new()?,
            service,
            client,
        })
    }

    /// Judges a game, with a progress bar on a terminal.
    fn report(
        &self,
        record: &GameRecord,
        limit: Option<LimitForm>,
        number: usize,
    ) -> Result<OneReportReply, Failure> {
        let game = &record.game.game;
        let form = ReportForm {
            game: GameForm {
                fen: Some(rules::format_fen(game.start())),
                moves: Some(game.uci_moves()),
                ..GameForm::default()
            },
            limit,
            ..ReportForm::default()
        };
        let sender = ProgressSender::default();
        let progress = progress_bar(game.moves().len(), number);
        let reply = self.runtime.block_on(async {
            let show_progress = async {
                loop {
                    sender.changed().await;
                    while let Some(news) = sender.next_record() {
                        if let ProgressRecord::Judged(judged) = news {
                            progress.set_position(judged.done as u64);
                        }
                    }
                }
            };
            tokio::select! {
                reply = report::respond(
                    &self.service, &self.client, &form, async || {}, Some(&sender),
                ) => reply,
                never = show_progress => never,
            }
        });
        progress.finish_and_clear();
        match reply.map_err(failure)? {
            ReportReply::One(reply) => Ok(*reply),
            ReportReply::Several(_) => Err(failure(RequestError::Service(ServiceError::Internal(
                "one game has several reports",
            )))),
        }
    }
}
