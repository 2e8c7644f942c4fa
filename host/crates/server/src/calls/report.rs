//! `POST /v1/report`: every move of a game, judged.

use crate::{
    calls::{
        call::{AI, BODY, CLIENT, Call, GAME},
        choice::choose,
        forms::{
            game::{GameForm, ReadGame},
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
        schemas::schema_of,
        search_progress::SearchProgress,
    },
    error::RequestError,
    http::strict_json::{object, optional_object},
    problem::Problem,
    state::generation::Generation,
    stream::stream_or_reply,
};
use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Payload},
};
use ai_api::Color;
use game::{
    Client, GameService, JudgedMove, ReportObserver, RequestedOptions, RequestedSearch, Responder,
    SearchLimits,
};
use pool::Listener;
use rules::Game;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub(crate) const CALL: Call = Call {
    tag: "ai",
    summary: "Report",
    description: "Has an AI judge every move of a game. The reply can be a stream, as for the best move.",
    records: &[START, INFO, JUDGED, HEARTBEAT, result("StreamReportResult", schema_of::<ReportReply>), ERROR],
    errors: &[CLIENT, BODY, GAME, AI],
    example: include_str!("report/example.json"),
    ..Call::post::<ReportForm>("reportGame", "/v1/report", || web::to(handle), schema_of::<ReportReply>)
};

/// The record of a stream with a judged move.
const JUDGED: RecordRow =
    RecordRow { kind: "judged", name: "StreamJudged", fields: schema_of::<JudgedRecord> };

/// The body of `POST /v1/report`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportForm {
    /// The game.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// The AI that judges; by default the client's.
    pub ai: Option<String>,
    /// Options of that AI that requests may set; by default as configured.
    #[schema(value_type = Option<BTreeMap<String, OptionReply>>)]
    pub options: Option<OptionsForm>,
    /// The search limits for each position; by default the AI's.
    #[serde(default, deserialize_with = "optional_object")]
    pub limit: Option<LimitForm>,
}

/// The reply of `POST /v1/report`.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ReportReply {
    /// The AI that judged.
    pub ai: AiReply,
    /// The game.
    pub game: GameReply,
    /// Every move of the game.
    pub moves: Vec<JudgedReply>,
    /// The accuracy of each side.
    pub accuracy: AccuracyReply,
}

/// The mean accuracy of each side in percent; `null` if it had no choice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct AccuracyReply {
    /// White.
    #[schema(required)]
    pub white: Option<f64>,
    /// Black.
    #[schema(required)]
    pub black: Option<f64>,
}

async fn handle(request: HttpRequest, payload: Payload) -> HttpResponse {
    stream_or_reply(request, payload, async |generation, client, form: ReportForm, progress| {
        admitted(&generation, &client, &form, progress.as_ref()).await
    })
    .await
}

/// As [`respond`], with each search at the rate of the client.
///
/// # Errors
/// Those of [`respond`].
pub(crate) async fn admitted(
    generation: &Generation,
    client: &Client,
    form: &ReportForm,
    progress: Option<&ProgressSender>,
) -> Result<ReportReply, Problem> {
    let turn = async || generation.admissions.wait_for_rate(client).await;
    Ok(respond(generation.service(), client, form, turn, progress).await?)
}

/// Lets an AI judge every move of a game. Waits for `turn` before each search except the first. Dropping the future cancels the
/// search.
///
/// # Errors
/// The game is illegal, the client may not use the AI, the AI fails, or the report times out.
pub async fn respond(
    service: &GameService,
    client: &Client,
    form: &ReportForm,
    turn: impl AsyncFn(),
    progress: Option<&ProgressSender>,
) -> Result<ReportReply, RequestError> {
    let ReadGame { game, inferred } = form.game.read(service.config().server.max_plies)?;
    let ai = choose(service, client, form.ai.as_deref())?;
    let search = RequestedSearch { analysis: true, ..requested_search(form.limit.as_ref(), None, None)? };
    let options = OptionsForm::read(form.options.as_ref(), ai)?;
    let reply = GameReply::new(&game, inferred);
    let observer = Observer { turn, progress, client, search, options: &options, game: &game, reply: &reply };
    let report = service.report(client, ai, &game, search, &options, &observer).await?;
    let accuracy =
        AccuracyReply { white: report.accuracy(Color::White), black: report.accuracy(Color::Black) };
    let moves = report.moves.iter().map(JudgedReply::new).collect();
    Ok(ReportReply { ai: AiReply::of(report.responder, &options), game: reply, moves, accuracy })
}

/// Sends the progress of a report.
struct Observer<'a, T> {
    turn: T,
    progress: Option<&'a ProgressSender>,
    client: &'a Client,
    search: RequestedSearch,
    options: &'a RequestedOptions,
    game: &'a Game,
    reply: &'a GameReply,
}

impl<T: AsyncFn()> ReportObserver for Observer<'_, T> {
    async fn turn(&self) {
        (self.turn)().await;
    }

    fn started(&self, responder: Responder<'_>, limits: &SearchLimits) -> Option<Box<dyn Listener>> {
        // The limit of the whole request, not the share of one position.
        let limit = self.search.limits(responder.ai, self.client).effective().into();
        let asked = AskedReply::One { ai: AiReply::of(responder, self.options), limit };
        let of = Some(self.game.moves().len());
        self.progress?.send_start(StartReply { asked, game: self.reply.clone(), of });
        self.searching(&Game::new(*self.game.start()), limits)
    }

    fn searching(&self, game: &Game, limits: &SearchLimits) -> Option<Box<dyn Listener>> {
        let search = SearchProgress::new(game.clone(), limits).with_ply();
        self.progress.map(|progress| progress.listener(search))
    }

    fn judged(&self, judged: &JudgedMove) {
        let Some(progress) = self.progress else { return };
        let (done, of) = (judged.ply, self.game.moves().len());
        let record = JudgedRecord { judged: JudgedReply::new(judged), done, of };
        progress.send(ProgressRecord::Judged(Box::new(record)));
    }
}
