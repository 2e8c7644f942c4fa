//! `POST /v1/report`: judges every move of one or several games.

use std::cell::Cell;

use crate::{
    call::{AI, BODY, CLIENT, Call, GAME},
    choice::choose,
    error::{Malformed, RequestError},
    forms::{
        game::{GameForm, MAX_GAMES, Purpose},
        options::{OptionReply, OptionsForm},
        search::{LimitForm, requested_search},
    },
    progress::{AskedReply, ProgressRecord, ProgressSender, StartReply},
    record::{ERROR, HEARTBEAT, INFO, RecordRow, START, result},
    replies::{
        ai::AiReply,
        game::GameReply,
        judged::{JudgedRecord, JudgedReply},
    },
    schemas::{Schemas, schema_of, written},
    search_progress::SearchProgress,
    theory::Theory,
};
use ai_api::Color;
use game::{
    Client, GameService, JudgedGame, JudgedMove, MovesToJudge, ReportObserver, RequestedOptions,
    RequestedSearch, Responder, SearchLimits,
};
use pool::Listener;
use rules::{Game, ReadVariations};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

pub const CALL: Call = Call {
    tag: "ai",
    summary: "Judge every move of a game",
    description: "An AI judges every move of a game, and the reply explains why each move is good \
                  or bad. The reply can be a stream, as for `/v1/best-move`. For a text with \
                  several games, the reply has `games` instead of one game. Together these games \
                  may have at most `max_plies` half-moves.",
    records: &[
        START,
        INFO,
        JUDGED,
        HEARTBEAT,
        result("StreamReportResult", report),
        ERROR,
    ],
    errors: &[CLIENT, BODY, GAME, AI],
    example: include_str!("report/example.json"),
    ..Call::post::<ReportForm>("reportGame", "/v1/report", report)
};

/// The stream record with a judged move.
const JUDGED: RecordRow = RecordRow {
    kind: "judged",
    name: "StreamJudged",
    fields: schema_of::<JudgedRecord>,
};

/// The body of `POST /v1/report`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportForm {
    /// The game.
    pub game: GameForm,
    /// The AI that judges. Defaults to the client's AI.
    pub ai: Option<String>,
    /// Options of the AI for this request. The configured values apply to all others.
    #[schema(value_type = Option<BTreeMap<String, OptionReply>>)]
    pub options: Option<OptionsForm>,
    /// The search limits for each position. If omitted, the AI's limits apply.
    pub limit: Option<LimitForm>,
    /// Whether to search even if the answer to an identical request was kept. `false` by default.
    pub fresh: Option<bool>,
}

/// The reply of `POST /v1/report`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ReportReply {
    /// A report about one game.
    One(Box<OneReportReply>),
    /// Reports about several games.
    Several(ReportsReply),
}

/// The report about one game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OneReportReply {
    /// The AI that judged.
    pub ai: AiReply,
    /// The game, its moves and their accuracy.
    #[serde(flatten)]
    pub report: GameReportReply,
}

/// The reports about several games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportsReply {
    /// The AI that judged.
    pub ai: AiReply,
    /// All games, if the text has several.
    pub games: Vec<GameReportReply>,
}

/// A game of a report.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct GameReportReply {
    /// The game.
    pub game: GameReply,
    /// Every move of the game.
    pub moves: Vec<JudgedReply>,
    /// The accuracy of each side.
    pub accuracy: AccuracyReply,
}

impl GameReportReply {
    fn new(game: GameReply, judged: &JudgedGame, theory: &Theory) -> Self {
        let accuracy = AccuracyReply {
            white: judged.accuracy(Color::White),
            black: judged.accuracy(Color::Black),
        };
        let moves = judged
            .moves
            .iter()
            .map(|judged| theory.judged(judged))
            .collect();
        Self {
            game,
            moves,
            accuracy,
        }
    }
}

/// Returns the schema of the reply: one object, because generators don't support a union in the
/// reply of a call with a stream.
fn report(schemas: &mut Schemas) -> Value {
    let described = |mut schema: Value, description: &str| {
        schema["description"] = description.into();
        schema
    };
    let moves = json!({"type": "array", "items": schema_of::<JudgedReply>(schemas)});
    let games = json!({"type": "array", "items": schema_of::<GameReportReply>(schemas)});
    let reply = json!({
        "type": "object", "required": ["ai"],
        "properties": {
            "ai": described(schema_of::<AiReply>(schemas), "The AI that judged."),
            "game": described(schema_of::<GameReply>(schemas), "The game. Absent if there are \
                several."),
            "moves": described(moves, "Every move of the game. Absent if there are several \
                games."),
            "accuracy":
                described(schema_of::<AccuracyReply>(schemas), "The accuracy of each side. \
                    Absent if there are several games."),
            "games": described(games, "All games, if the text has several.")
        }
    });
    written("ReportReply", reply, schemas)
}

/// The accuracy of each side in percent, or `null` if the side never had a choice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct AccuracyReply {
    /// The accuracy of White's moves.
    #[schema(required)]
    pub white: Option<f64>,
    /// The accuracy of Black's moves.
    #[schema(required)]
    pub black: Option<f64>,
}

/// Lets an AI judge every move of the games. Waits for `turn` before each search except the first.
/// Dropping the future cancels the search.
///
/// # Errors
/// A game is illegal, the client may not use the AI, the AI fails, or the report times out.
pub async fn respond(
    service: &GameService,
    client: &Client,
    form: &ReportForm,
    turn: impl AsyncFn(),
    progress: Option<&ProgressSender>,
) -> Result<ReportReply, RequestError> {
    let max_plies = service.config().server.max_plies;
    let read = form
        .game
        .read_several(Purpose::Play, max_plies, ReadVariations::Skip, MAX_GAMES)?;
    let of = read
        .iter()
        .map(|(record, _)| record.game.game.moves().len())
        .sum();
    if of > max_plies {
        let detail = format!(
            "the games have {of} half-moves; at most {max_plies} are judged in one report \
             (max_plies); send fewer games"
        );
        return Err(Malformed::new("/game", detail).into());
    }
    let ai = choose(service, client, form.ai.as_deref())?;
    let search = RequestedSearch {
        analysis: true,
        ..requested_search(form.limit.as_ref(), None, None, form.fresh)?
    };
    let options = OptionsForm::read(form.options.as_ref(), ai)?;
    let search = search.with_options(ai, &options);
    let (games, mut replies): (Vec<_>, Vec<_>) = read
        .into_iter()
        .map(|(record, inferred)| {
            let reply = GameReply::new(&record.game.game, inferred);
            (record.game.game, reply)
        })
        .unzip();
    let theories: Vec<_> = games.iter().map(Theory::of).collect();
    let observer = ReportProgress {
        turn,
        progress,
        client,
        search,
        options: &options,
        games: &games,
        theories: &theories,
        first: &replies[0],
        done: Cell::new(0),
        of,
    };
    let judged = service
        .report(
            client,
            ai,
            MovesToJudge::Every(&games),
            search,
            &options,
            &observer,
        )
        .await?;
    let responder = AiReply::of(judged.responder, &options);
    let mut reports: Vec<_> = replies
        .drain(..)
        .zip(&judged.games)
        .zip(&theories)
        .map(|((reply, game), theory)| GameReportReply::new(reply, game, theory))
        .collect();
    Ok(match reports.pop() {
        Some(report) if reports.is_empty() => ReportReply::One(Box::new(OneReportReply {
            ai: responder,
            report,
        })),
        last => ReportReply::Several(ReportsReply {
            ai: responder,
            games: reports.into_iter().chain(last).collect(),
        }),
    })
}

/// Sends the progress of a report.
struct ReportProgress<'a, T> {
    turn: T,
    progress: Option<&'a ProgressSender>,
    client: &'a Client,
    search: RequestedSearch<'a>,
    options: &'a RequestedOptions,
    games: &'a [Game],
    theories: &'a [Theory],
    first: &'a GameReply,
    /// The number of judged half-moves.
    done: Cell<usize>,
    /// The total number of half-moves.
    of: usize,
}

impl<T> ReportProgress<'_, T> {
    /// Returns the index of a game if there are several, otherwise `None`.
    fn place(&self, index: usize) -> Option<usize> {
        (self.games.len() > 1).then_some(index)
    }
}

impl<T: AsyncFn()> ReportObserver for ReportProgress<'_, T> {
    async fn turn(&self) {
        (self.turn)().await;
    }

    fn started(&self, responder: Responder<'_>, _: &SearchLimits) {
        // Shows the request's limit, not one position's share of it.
        let limit = self
            .search
            .limits(responder.ai, self.client)
            .effective()
            .into();
        let asked = AskedReply::One {
            ai: Box::new(AiReply::of(responder, self.options)),
            limit,
        };
        if let Some(progress) = self.progress {
            progress.send_start(StartReply {
                asked,
                game: self.first.clone(),
                of: Some(self.of),
            });
        }
    }

    fn searching(
        &self,
        index: usize,
        game: &Game,
        limits: &SearchLimits,
    ) -> Option<Box<dyn Listener>> {
        let search = SearchProgress::new(game.clone(), limits).with_ply(self.place(index));
        self.progress.map(|progress| progress.listener(search))
    }

    fn judged(&self, index: usize, judged: &JudgedMove) {
        self.done.set(self.done.get() + 1);
        let Some(progress) = self.progress else {
            return;
        };
        let (done, of) = (self.done.get(), self.of);
        let judged = self.theories[index].judged(judged);
        let record = JudgedRecord {
            judged,
            index: self.place(index),
            done,
            of,
        };
        progress.send(ProgressRecord::Judged(Box::new(record)));
    }
}
