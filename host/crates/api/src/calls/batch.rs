//! `POST /v1/batch/best-move` and `POST /v1/batch/evaluate`: one question about many games.

use std::{convert::Infallible, ops::ControlFlow};

use crate::{
    call::{AI, BODY, CLIENT, Call},
    calls::{
        best_move::{self, BestMoveForm, BestMoveReply},
        evaluate::{self, EvaluateForm, EvaluateReply},
    },
    choice::choose,
    error::{Malformed, RequestError},
    forms::{
        game::{GameForm, MAX_GAMES},
        options::{OptionReply, OptionsForm},
        search::{LimitForm, requested_search},
    },
    problem::{Problem, ProblemBody},
    record::{ERROR, HEARTBEAT, RecordRow, result},
    record_queue::RecordQueue,
    schemas::{SchemaOf, Schemas, schema_of, written},
};
use game::{Client, GameService, ServiceError};
use pool::{Ai, RequestScope};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strum::AsRefStr;
use utoipa::ToSchema;

pub const BEST_MOVE: Call = Call {
    summary: "Find moves in many games",
    description: "Asks an AI for its move in up to 1,000 games and uses every worker of the AI. \
                  The searches take turns with other clients in the AI's queue. Each game after \
                  the first waits up to 10 seconds for the client's `rate`. A game that fails has \
                  an `error`, and the other games continue. The stream has a `game` record for \
                  each game, in order.",
    records: &[
        START,
        RecordRow {
            kind: "game",
            name: "StreamBatchBestMove",
            fields: best_move_of_game,
        },
        HEARTBEAT,
        result("StreamBatchBestMoveResult", best_moves_schema),
        ERROR,
    ],
    example: include_str!("batch/best_move.json"),
    ..call::<BatchBestMoveForm>("batchBestMove", "/v1/batch/best-move", best_moves_schema)
};
pub const EVALUATE: Call = Call {
    summary: "Evaluate many positions",
    description: "Evaluates the last position of up to 1,000 games, without a search. The queue, \
                  the rate and the stream work as for `/v1/batch/best-move`.",
    records: &[
        START,
        RecordRow {
            kind: "game",
            name: "StreamBatchEvaluation",
            fields: evaluation_of_game,
        },
        HEARTBEAT,
        result("StreamBatchEvaluateResult", evaluations_schema),
        ERROR,
    ],
    example: include_str!("batch/evaluate.json"),
    ..call::<BatchEvaluateForm>("batchEvaluate", "/v1/batch/evaluate", evaluations_schema)
};

const fn call<F: ToSchema>(id: &'static str, path: &'static str, schema: SchemaOf) -> Call {
    Call {
        tag: "ai",
        errors: &[CLIENT, BODY, AI],
        ..Call::post::<F>(id, path, schema)
    }
}

const START: RecordRow = RecordRow {
    kind: "start",
    name: "StreamBatchStart",
    fields: schema_of::<BatchStartReply>,
};
/// The body of `POST /v1/batch/best-move`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchBestMoveForm {
    /// Between 1 and 1,000 games.
    #[schema(min_items = 1, max_items = 1000)]
    games: Vec<GameForm>,
    /// The id of the AI, or `ID@FINGERPRINT` in a fleet. Defaults to the client's AI.
    ai: Option<String>,
    /// Options of the AI for this request. The configured values apply to all others.
    #[schema(value_type = Option<BTreeMap<String, OptionReply>>)]
    options: Option<OptionsForm>,
    /// The limits of each search. If omitted, the AI's limits apply.
    limit: Option<LimitForm>,
    /// Whether to analyse rather than play. The AI searches without its opening book, and requests
    /// that play go first. A search that is limited only by time pauses for them. `false` by
    /// default.
    analysis: Option<bool>,
    /// Whether to search even if the answer to an identical request was kept. `false` by default.
    fresh: Option<bool>,
}

/// The body of `POST /v1/batch/evaluate`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchEvaluateForm {
    /// Between 1 and 1,000 games, whose last positions are evaluated.
    #[schema(min_items = 1, max_items = 1000)]
    games: Vec<GameForm>,
    /// The id of the AI. Defaults to the client's AI.
    ai: Option<String>,
    /// Options of the AI for this request. The configured values apply to all others.
    #[schema(value_type = Option<BTreeMap<String, OptionReply>>)]
    options: Option<OptionsForm>,
}

/// The reply to a batch. A stream sends the games in earlier records instead.
#[derive(Serialize)]
pub struct BatchReply<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<Vec<GameOfBatch<T>>>,
    /// The number of games with a reply.
    answered: usize,
    /// The number of games with an error.
    failed: usize,
}

/// The start of a batch.
#[derive(Serialize, ToSchema)]
pub struct BatchStartReply {
    /// The number of games.
    of: usize,
}

/// The reply or the error for one game.
#[derive(Serialize)]
pub struct GameOfBatch<T> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ProblemBody>,
}

/// A record of the stream.
#[derive(Serialize, AsRefStr)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum BatchRecord<T> {
    Start(BatchStartReply),
    Game(GameOfBatch<T>),
}

/// A batch's stream records.
pub type BatchRecords<T> = RecordQueue<BatchRecord<T>>;

/// Asks an AI for its move in each game. Waits for `turn` before each game but the first. Dropping
/// the future cancels the batch.
///
/// # Errors
/// The client may not use the AI, or the number of games or a limit is out of bounds.
pub async fn best_moves(
    service: &GameService,
    client: &Client,
    batch: BatchBestMoveForm,
    turn: impl AsyncFn() -> Result<(), Problem>,
    records: Option<BatchRecords<BestMoveReply>>,
) -> Result<BatchReply<BestMoveReply>, Problem> {
    let BatchBestMoveForm {
        games,
        ai,
        options,
        limit,
        analysis,
        fresh,
    } = batch;
    let chosen = check_ai(service, client, ai.as_deref(), options.as_ref())?;
    requested_search(limit.as_ref(), None, None, fresh)?;
    let at_once = client.searches_at_once(chosen);
    let ask = async |game| {
        let form = BestMoveForm {
            game,
            ai: ai.clone(),
            options: options.clone(),
            limit: limit.clone(),
            analysis,
            fresh,
            ..BestMoveForm::default()
        };
        best_move::respond(service, client, &form, None).await
    };
    run(games, at_once, turn, records, ask).await
}

/// Lets an AI evaluate the last position of each game. Waits for `turn` before each game but the
/// first. Dropping the future cancels the batch.
///
/// # Errors
/// The client may not use the AI, the AI does not evaluate, or the number of games is out of
/// bounds.
pub async fn evaluations(
    service: &GameService,
    client: &Client,
    batch: BatchEvaluateForm,
    turn: impl AsyncFn() -> Result<(), Problem>,
    records: Option<BatchRecords<EvaluateReply>>,
) -> Result<BatchReply<EvaluateReply>, Problem> {
    let BatchEvaluateForm { games, ai, options } = batch;
    let chosen = check_ai(service, client, ai.as_deref(), options.as_ref())?;
    if !chosen.about.evaluator {
        return Err(RequestError::from(ServiceError::NoEvaluator {
            ai: chosen.id.clone(),
        })
        .into());
    }
    let at_once = client.searches_at_once(chosen);
    let ask = async |game| {
        let form = EvaluateForm {
            game,
            ai: ai.clone(),
            options: options.clone(),
        };
        evaluate::respond(service, client, &form).await
    };
    run(games, at_once, turn, records, ask).await
}

/// Returns the AI for a batch, after checking the options.
///
/// # Errors
/// The client may not use the AI or set one of the options.
fn check_ai<'a>(
    service: &'a GameService,
    client: &Client,
    ai: Option<&str>,
    options: Option<&OptionsForm>,
) -> Result<&'a Ai, RequestError> {
    let ai = choose(service, client, ai)?;
    OptionsForm::read(options, ai)?;
    Ok(ai)
}

/// Calls `ask` for each game, with at most `at_once` calls at a time. Dropping the future cancels
/// every search.
async fn run<T: Serialize + 'static>(
    games: Vec<GameForm>,
    at_once: usize,
    turn: impl AsyncFn() -> Result<(), Problem>,
    records: Option<BatchRecords<T>>,
    ask: impl AsyncFn(GameForm) -> Result<T, RequestError>,
) -> Result<BatchReply<T>, Problem> {
    let of = games.len();
    if !(1..=MAX_GAMES).contains(&of) {
        let detail = format!("'games' has {of} games; send 1 to {MAX_GAMES}");
        return Err(Malformed::new("/games", detail).into());
    }
    if let Some(records) = &records {
        records.send(BatchRecord::Start(BatchStartReply { of }));
    }
    let ask_in_turn = async |index: usize| {
        if index > 0 {
            turn().await?;
            // Many illegal games, which never wait, must not hold up other requests.
            tokio::task::yield_now().await;
        }
        Ok::<_, Problem>(ask(games[index].clone()).await?)
    };
    let (mut replies, mut failed) = (Vec::new(), 0);
    let answered = |index: usize, answer: Result<T, Problem>| {
        let (reply, error) = match answer {
            Ok(reply) => (Some(reply), None),
            Err(problem) => {
                failed += 1;
                let place = |pointer: &str| match pointer.strip_prefix("/game") {
                    Some(rest) => format!("/games/{index}{rest}"),
                    None => pointer.to_owned(),
                };
                let request_id = RequestScope::current_id();
                (None, Some(problem.located(place).part(request_id.as_ref())))
            }
        };
        let game = GameOfBatch {
            index,
            reply,
            error,
        };
        match &records {
            Some(records) => records.send(BatchRecord::Game(game)),
            None => replies.push(game),
        }
        ControlFlow::<Infallible>::Continue(())
    };
    let is_queue_full =
        |answer: &Result<T, Problem>| answer.as_ref().is_err_and(Problem::is_queue_full);
    let ControlFlow::Continue(()) =
        game::spread(of, at_once, ask_in_turn, is_queue_full, answered).await;
    Ok(BatchReply {
        games: records.is_none().then_some(replies),
        answered: of - failed,
        failed,
    })
}

fn best_move_of_game(schemas: &mut Schemas) -> Value {
    let reply = schema_of::<BestMoveReply>(schemas);
    game_of_batch("BatchedBestMove", &reply, schemas)
}

fn evaluation_of_game(schemas: &mut Schemas) -> Value {
    let reply = schema_of::<EvaluateReply>(schemas);
    game_of_batch("BatchedEvaluation", &reply, schemas)
}

fn best_moves_schema(schemas: &mut Schemas) -> Value {
    let game = best_move_of_game(schemas);
    batch("BatchBestMoveReply", &game, schemas)
}

fn evaluations_schema(schemas: &mut Schemas) -> Value {
    let game = evaluation_of_game(schemas);
    batch("BatchEvaluateReply", &game, schemas)
}

/// Returns the schema of one game's reply or error.
fn game_of_batch(name: &str, reply: &Value, schemas: &mut Schemas) -> Value {
    let index = json!({"type": "integer", "minimum": 0, "description": "The index of the game in \
        `games`, from 0."});
    let game = json!({
        "type": "object", "required": ["index"],
        "properties": {
            "index": index,
            "reply": {"$ref": reply["$ref"], "description": "The reply, as for a request with \
                this game alone."},
            "error": {"$ref": "#/components/schemas/PartialProblem", "description": "The error, \
                instead of a reply."}
        }
    });
    written(name, game, schemas)
}

/// Returns the schema of the complete reply.
fn batch(name: &str, game: &Value, schemas: &mut Schemas) -> Value {
    let count =
        |description: &str| json!({"type": "integer", "minimum": 0, "description": description});
    let games = json!({
        "type": "array", "items": game,
        "description": "The reply or `error` of each game, in order. Absent in a stream, which \
            sends them in earlier records."
    });
    let reply = json!({
        "type": "object", "required": ["answered", "failed"],
        "properties": {
            "games": games,
            "answered": count("The number of games with a reply."),
            "failed": count("The number of games with an error.")
        }
    });
    written(name, reply, schemas)
}
