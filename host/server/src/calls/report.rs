//! `POST /v1/report`: every move of a game, judged.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Payload},
};
use ai_api::Color;
use game::{
    Caller, GameService, JudgedMove, ReportObserver, RequestedOptions, RequestedSearch, Responder,
    SearchLimits,
    judgement::{Judgement, rounded},
};
use pool::Listener;
use rules::Game;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::call::{AI, BODY, CLIENT, Call, GAME};
use crate::{
    body::json,
    choice::choose,
    client::client_of,
    error::RequestError,
    forms::{
        game::{GameForm, ReadGame},
        options::{OptionReply, OptionsForm},
        search::{LimitForm, requested_search},
        strict_json::{object, optional_object},
    },
    generation::Snapshot,
    openapi::records::REPORT_RECORDS,
    replies::{
        ai::AiReply,
        game::{GameReply, MoveReply, ScoreReply},
        search::notations,
        words::{GlyphWord, JudgementWord},
    },
    stream::{
        progress::{AskedReply, ProgressEvent, ProgressSender, StartReply},
        search_progress::SearchProgress,
        stream_or_reply,
    },
};

pub(crate) const CALL: Call = Call {
    tag: "AIs",
    summary: "Every move of a game, judged",
    description: "How much each move lost, what would have been better, and how accurate each side was. The reply can be a \
                  stream, as that of the best move.",
    records: REPORT_RECORDS,
    errors: &[CLIENT, BODY, GAME, AI],
    example: include_str!("report/example.json"),
    ..Call::post::<ReportForm, ReportReply>("report", "/v1/report", || web::to(handle))
};

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
    /// The limits of the search of each position; by default those of the AI.
    #[serde(default, deserialize_with = "optional_object")]
    pub limit: Option<LimitForm>,
}

/// The body of `POST /v1/report`.
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

/// A judged move of a game.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct JudgedReply {
    /// The half-move, from 1.
    pub ply: usize,
    /// The move.
    #[serde(rename = "move")]
    pub played: MoveReply,
    /// The score of the position before the move, for White.
    pub score: ScoreReply,
    /// The score of the position after the move, for White.
    pub score_after: ScoreReply,
    /// White's winning chances.
    pub winning_chances: WinningChancesReply,
    /// The lost points of winning chance.
    pub loss: f64,
    /// The judgement; `null` for a good move, and for the only legal one.
    #[schema(required, value_type = Option<JudgementWord>)]
    pub judgement: Option<&'static str>,
    /// The judgement as an annotation symbol.
    #[schema(required, value_type = Option<GlyphWord>)]
    pub glyph: Option<&'static str>,
    /// The move that the AI would have played instead.
    #[schema(required)]
    pub best: Option<BestReply>,
    /// The accuracy in percent; `null` for the only legal move.
    #[schema(required)]
    pub accuracy: Option<f64>,
}

/// White's winning chances in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct WinningChancesReply {
    /// Before the move.
    pub before: f64,
    /// After the move.
    pub after: f64,
}

/// The best move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BestReply {
    /// The move.
    #[serde(rename = "move")]
    pub chosen: MoveReply,
    /// The line of play in UCI.
    pub pv: Vec<String>,
    /// The same in SAN.
    pub san: Vec<String>,
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

/// A judged move, with the progress of the report.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct JudgedRecord {
    /// The move.
    #[serde(flatten)]
    pub judged: JudgedReply,
    /// The number of judged moves.
    pub done: usize,
    /// The number of moves.
    pub of: usize,
}

async fn handle(request: HttpRequest, payload: Payload) -> HttpResponse {
    let asked = async {
        let generation = Snapshot::of(&request)?;
        let client = client_of(&request)?;
        let form: ReportForm = json(&generation, &request, payload).await?;
        Ok((generation, client, form))
    };
    stream_or_reply(&request, asked.await, async |(generation, client, form), progress| {
        let turn = async || generation.admissions.turn(&client).await;
        Ok(respond(generation.game(), &client, &form, turn, progress.as_ref()).await?)
    })
    .await
}

/// Has an AI judge every move of a game. Waits for `turn` before each search but the first.
///
/// # Errors
/// The game is illegal, the client may not use the AI, the AI fails, or the time is over.
pub async fn respond(
    service: &GameService,
    caller: &Caller,
    form: &ReportForm,
    turn: impl AsyncFn(),
    progress: Option<&ProgressSender>,
) -> Result<ReportReply, RequestError> {
    let ReadGame { game, assumptions } = form.game.read(service.config().server.max_plies)?;
    let ai = choose(service, caller, form.ai.as_deref())?;
    let search = requested_search(form.limit.as_ref(), None, None)?;
    let options = OptionsForm::read(form.options.as_ref(), ai)?;
    let reply = GameReply::new(&game, assumptions);
    let observer = Observer { turn, progress, caller, search, options: &options, game: &game, reply: &reply };
    let report = service.report(caller, ai, &game, search, &options, &observer).await?;
    let accuracy =
        AccuracyReply { white: report.accuracy(Color::White), black: report.accuracy(Color::Black) };
    let moves = report.moves.iter().map(JudgedReply::new).collect();
    Ok(ReportReply { ai: AiReply::of(report.responder, &options), game: reply, moves, accuracy })
}

/// Sends the progress of a report.
struct Observer<'a, T> {
    turn: T,
    progress: Option<&'a ProgressSender>,
    caller: &'a Caller,
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
        // The limit of the request, without the share of each position in the whole time.
        let limit = self.search.limits(responder.ai, self.caller).effective().into();
        let asked = AskedReply::One { ai: AiReply::of(responder, self.options), limit };
        let of = Some(self.game.moves().len());
        self.progress?.starts(StartReply { asked, game: self.reply.clone(), of });
        self.searching(&Game::new(*self.game.start()), limits)
    }

    fn searching(&self, game: &Game, limits: &SearchLimits) -> Option<Box<dyn Listener>> {
        let search = SearchProgress::new(game.clone(), limits).at_its_ply();
        self.progress.map(|progress| progress.listener(search))
    }

    fn judged(&self, judged: &JudgedMove) {
        let Some(progress) = self.progress else { return };
        let (done, of) = (judged.ply, self.game.moves().len());
        let record = JudgedRecord { judged: JudgedReply::new(judged), done, of };
        progress.send(ProgressEvent::Judged(Box::new(record)));
    }
}

impl JudgedReply {
    fn new(judged: &JudgedMove) -> Self {
        let [before, after] = judged.winning_chances.map(rounded);
        let best = judged.best.as_ref().map(|best| {
            let (pv, san) = notations(&best.position, &best.pv);
            BestReply { chosen: MoveReply::new(&best.position, best.chosen), pv, san }
        });
        Self {
            ply: judged.ply,
            played: MoveReply::new(&judged.position, judged.played),
            score: judged.score.into(),
            score_after: judged.score_after.into(),
            winning_chances: WinningChancesReply { before, after },
            loss: judged.loss,
            judgement: judged.judgement.map(Judgement::name),
            glyph: judged.judgement.map(Judgement::glyph),
            best,
            accuracy: judged.accuracy,
        }
    }
}
