//! `POST /v1/best-move` and `GET /v1/best-move`: an AI's move.

use crate::{
    call::{AI, BODY, CLIENT, Call, GAME},
    choice::{choose, held_to_version},
    error::{Malformed, RequestError},
    forms::{
        game::{FEN, GameForm, MOVES, ReadGame, check_playable},
        options::{OptionReply, OptionsForm},
        search::{ClocksForm, LimitForm, TraceForm, requested_search, root_moves},
    },
    problem::Code,
    progress::{AskedReply, ProgressSender, StartReply},
    query_form::{self, FieldKind, QueryField},
    record::{ERROR, HEARTBEAT, INFO, START, result},
    replies::{
        ai::AiReply,
        claim::ClaimReply,
        game::{GameReply, MoveReply, ScoreReply},
        search::SearchReply,
        trace::TraceReply,
    },
    schemas::schema_of,
    search_progress::SearchProgress,
    words::JudgementWord,
};
use game::{Client, GameService, RequestedSearch, Responder, SearchLimits, judgement::Judgement};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub const CALL: Call = Call {
    tag: "ai",
    summary: "Find the best move",
    description: "Asks an AI for a move, checks the move and plays it. The reply has the move, the \
                  new game and the search. `options` sets options of the AI for this request, \
                  except options that `/v1/ais` marks as `readOnly`. With `Accept: \
                  application/x-ndjson` or `text/event-stream` the reply is a stream: a `start` \
                  record, `info` records, and one last `result` or `error`.",
    reply_description: "The move, the new game and the search. `move` is `null` if the game is \
        over.",
    records: &[
        START,
        INFO,
        HEARTBEAT,
        result("StreamBestMoveResult", schema_of::<BestMoveReply>),
        ERROR,
    ],
    errors: &[CLIENT, BODY, GAME, AI],
    example: include_str!("best_move/example.json"),
    ..Call::post::<BestMoveForm>("bestMove", "/v1/best-move", schema_of::<BestMoveReply>)
};

pub const BY_URL: Call = Call {
    tag: "ai",
    summary: "Find the best move with GET",
    description: "Asks for a best move without a body. The reply is the same as with `POST`, and \
                  can also be a stream for `EventSource`. A browser can send this request from a \
                  page on another site only if `cors_origins` allows the page's origin.",
    parameters: || query_form::parameters(FIELDS),
    reply_description: CALL.reply_description,
    records: CALL.records,
    errors: &[
        CLIENT,
        &[Code::MalformedRequest, Code::CrossSiteRequest],
        GAME,
        AI,
    ],
    example: include_str!("best_move/by_url.json"),
    ..Call::get("bestMoveByUrl", CALL.path, schema_of::<BestMoveReply>)
};

pub const FIELDS: &[QueryField] = &[
    FEN,
    MOVES,
    QueryField {
        name: "ai",
        pointer: "/ai",
        kind: FieldKind::Text,
        description: "The id of the AI. Defaults to the client's AI.",
        example: None,
    },
    QueryField {
        name: "depth",
        pointer: "/limit/depth",
        kind: FieldKind::Number(*config::DEPTHS.end()),
        description: "The depth in plies. If you set no limit, the AI's limit applies.",
        example: Some("2"),
    },
    QueryField {
        name: "nodes",
        pointer: "/limit/nodes",
        kind: FieldKind::Number(*config::NODES.end()),
        description: "The number of nodes.",
        example: None,
    },
    QueryField {
        name: "movetime_ms",
        pointer: "/limit/movetime_ms",
        kind: FieldKind::Number(*config::MOVETIMES_MS.end()),
        description: "The time in milliseconds.",
        example: None,
    },
];

/// The body of `POST /v1/best-move`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BestMoveForm {
    /// The game so far.
    pub game: GameForm,
    /// The id of the AI, or `ID@FINGERPRINT` in a fleet. Defaults to the client's AI.
    pub ai: Option<String>,
    /// Options of the AI for this request. The configured values apply to all others.
    #[schema(value_type = Option<BTreeMap<String, OptionReply>>)]
    pub options: Option<OptionsForm>,
    /// The search limits. If omitted, the AI's limits apply or, with `clocks`, only the time on the
    /// clock.
    pub limit: Option<LimitForm>,
    /// The clocks of both players. The AI gets a share of the time. Without `limit`, nothing else
    /// limits the search.
    pub clocks: Option<ClocksForm>,
    /// The moves to choose from, in UCI; by default, all legal moves. The AI must have the
    /// capability `root_moves`.
    #[schema(min_items = 1, max_items = 1000)]
    pub root_moves: Option<Vec<String>>,
    /// The number of best lines to return, from 1 to 64. 1 by default.
    #[schema(minimum = 1, maximum = 64)]
    pub lines: Option<u64>,
    /// `{"nodes": N}` requests the search tree with up to N nodes, at most 4000.
    pub trace: Option<TraceForm>,
    /// Whether to analyse rather than play. The AI searches without its opening book, and requests
    /// that play go first. A search that is limited only by time pauses for them. `false` by
    /// default.
    pub analysis: Option<bool>,
    /// Whether to search even if the answer to an identical request was kept. `false` by default.
    pub fresh: Option<bool>,
    /// Whether to explain why the AI's move is better than the move of its second line. Requires
    /// `lines` of at least 2. `false` by default.
    pub why: Option<bool>,
}

/// The reply of `POST /v1/best-move`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BestMoveReply {
    /// The AI's move, or `null` if the game is over.
    #[serde(rename = "move")]
    #[schema(required)]
    pub chosen: Option<MoveReply>,
    /// The score, from White's point of view. If `search.depth` is 0 and `search.nodes` is 1, the
    /// AI did not search, for example because it played from its book. The score is then 0 or a
    /// guess.
    pub score: ScoreReply,
    /// The game, including the move.
    pub game: GameReply,
    /// The search.
    pub search: SearchReply,
    /// The AI that answered. `fallback_for` names the AI that it replaced, `canary_for` the AI
    /// whose candidate it is, and `options` the options of the request.
    pub ai: AiReply,
    /// The search tree, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceReply>,
    /// Why the move is good, if `why` was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<Vec<ClaimReply>>,
    /// The move of the second line and why it is worse, if `why` was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<SecondReply>,
}

/// The move of an AI's second line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SecondReply {
    /// The move.
    #[serde(rename = "move")]
    pub chosen: MoveReply,
    /// The judgement, as in a report. `null` if the move loses less than 5 points.
    #[schema(required, value_type = Option<JudgementWord>)]
    pub judgement: Option<&'static str>,
    /// Why it is worse.
    pub claims: Vec<ClaimReply>,
}

/// Plays an AI's move. `progress` receives the start and the iterations of the search. Dropping the
/// future cancels the search.
///
/// # Errors
/// The game is illegal, the client may not use the AI, or the AI fails.
pub async fn respond(
    service: &GameService,
    client: &Client,
    form: &BestMoveForm,
    progress: Option<&ProgressSender>,
) -> Result<BestMoveReply, RequestError> {
    let ReadGame { game, inferred } = form.game.read(service.config().server.max_plies)?;
    if form.analysis != Some(true) {
        check_playable(&game, "/game")?;
    }
    let ai = choose(service, client, form.ai.as_deref())?;
    let options = OptionsForm::read(form.options.as_ref(), ai)?;
    let turn = game.position().turn();
    let root_moves = root_moves(form.root_moves.as_deref(), game.position())?;
    let search = RequestedSearch {
        root_moves: &root_moves,
        clocks: form.clocks.map(|clocks| clocks.read(turn)).transpose()?,
        analysis: form.analysis.unwrap_or_default(),
        ..requested_search(form.limit.as_ref(), form.lines, form.trace, form.fresh)?
    }
    .with_options(ai, &options);
    let listener = |responder: Responder<'_>, limits: &SearchLimits| {
        let progress = progress?;
        let asked = AskedReply::One {
            ai: Box::new(AiReply::of(responder, &options)),
            limit: limits.effective().into(),
        };
        progress.send_start(StartReply {
            asked,
            game: GameReply::new(&game, inferred.clone()),
            of: None,
        });
        Some(progress.listener(SearchProgress::new(game.clone(), limits)))
    };
    let wants_reasons = form.why.unwrap_or_default();
    if wants_reasons && form.lines.unwrap_or(1) < 2 {
        let detail = "'why' compares the best move with the second best; set 'lines' to 2 or more";
        return Err(Malformed::new("/why", detail).into());
    }
    let (played, responder) = service
        .play(
            &held_to_version(client, form.ai.as_deref()),
            ai,
            &game,
            search,
            &options,
            &listener,
        )
        .await?;
    let chosen = played.chosen.as_ref();
    let reasons = wants_reasons
        .then(|| game::reasons(&game, &played))
        .flatten();
    let position = game.position();
    Ok(BestMoveReply {
        claims: reasons
            .as_ref()
            .zip(chosen)
            .map(|(reasons, chosen)| ClaimReply::list(position, chosen.chosen, &reasons.claims)),
        second: reasons
            .and_then(|reasons| reasons.second)
            .map(|second| SecondReply {
                chosen: MoveReply::new(position, second.chosen),
                judgement: second.judgement.map(Judgement::name),
                claims: ClaimReply::list(position, second.chosen, &second.claims),
            }),
        chosen: chosen.map(|chosen| MoveReply::new(&chosen.position, chosen.chosen)),
        score: played.score.into(),
        game: GameReply::new(&played.game, inferred),
        search: SearchReply::new(&played),
        ai: AiReply::of(responder, &options),
        trace: TraceReply::of(&played),
    })
}
