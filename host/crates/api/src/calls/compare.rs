//! `POST /v1/compare`: several AIs' moves in one position.

use crate::{
    call::{AI, BODY, CLIENT, Call, GAME},
    choice::choose,
    error::{Malformed, RequestError},
    forms::{
        game::{GameForm, ReadGame},
        search::{LimitForm, requested_search, root_moves},
    },
    progress::{AskedAiReply, AskedReply, ProgressRecord, ProgressSender, StartReply},
    record::{ERROR, HEARTBEAT, INFO, RecordRow, result, start_of_several},
    replies::{
        ai::AiReply,
        compared::{ChosenReply, ComparedAi, ComparedAiReply},
        game::{GameReply, MoveReply},
    },
    schemas::{Schemas, schema_of, written},
    search_progress::SearchProgress,
};
use game::{Client, Comparison, GameService, Played, RequestedSearch, SearchLimits, ServiceError};
use pool::{Ai, RequestScope};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{PartialSchema as _, ToSchema};

pub const CALL: Call = Call {
    tag: "ai",
    summary: "Compare AIs on one position",
    description: "Asks several AIs about one position, each with its configured options. If one AI \
                  fails, the others still answer. The reply can be a stream, as for \
                  `/v1/best-move`.",
    records: &[
        START_OF_SEVERAL,
        INFO,
        ANSWER,
        HEARTBEAT,
        result("StreamCompareResult", compared),
        ERROR,
    ],
    errors: &[CLIENT, BODY, GAME, AI],
    example: include_str!("compare/example.json"),
    ..Call::post::<CompareForm>("compareAis", "/v1/compare", compared)
};

/// The body of `POST /v1/compare`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareForm {
    /// The game so far.
    pub game: GameForm,
    /// The ids of the AIs, without duplicates.
    #[schema(value_type = std::collections::BTreeSet<String>, min_items = 1)]
    pub ais: Vec<String>,
    /// The limits of each search. If omitted, each AI's own limits apply.
    pub limit: Option<LimitForm>,
    /// The moves to choose from, in UCI; by default, all legal moves. Each AI must have the
    /// capability `root_moves`.
    #[schema(min_items = 1, max_items = 1000)]
    pub root_moves: Option<Vec<String>>,
    /// The number of best lines to return for each AI, from 1 to 64. 1 by default.
    #[schema(minimum = 1, maximum = 64)]
    pub lines: Option<u64>,
    /// Whether to search even if the answer to an identical request was kept. `false` by default.
    pub fresh: Option<bool>,
}

/// The first record of a stream.
const START_OF_SEVERAL: RecordRow = RecordRow {
    kind: "start",
    name: "StreamCompareStart",
    fields: start_of_several,
};
/// The stream record with one AI's move or problem.
const ANSWER: RecordRow = RecordRow {
    kind: "answer",
    name: "StreamAnswer",
    fields: compared_ai,
};

/// The reply of `POST /v1/compare`.
#[derive(Debug, Serialize)]
pub struct CompareReply {
    game: GameReply,
    answers: Vec<ComparedAiReply>,
    agreement: Vec<AgreementReply>,
}

/// A move and the AIs that chose it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AgreementReply {
    /// The move.
    #[serde(rename = "move")]
    pub chosen: MoveReply,
    /// The AIs.
    pub ais: Vec<String>,
}

/// Asks several AIs for their moves, at most `concurrency` at a time. Dropping the future cancels
/// the searches.
///
/// # Errors
/// The game is illegal, the client may not use one of the AIs, or every AI fails. In the last case,
/// the error is the first AI's.
pub async fn respond(
    service: &GameService,
    client: &Client,
    form: &CompareForm,
    concurrency: usize,
    progress: Option<&ProgressSender>,
) -> Result<CompareReply, RequestError> {
    let ReadGame { game, inferred } = form.game.read(service.config().server.max_plies)?;
    let ais = choose_several(service, client, &form.ais)?;
    let root_moves = root_moves(form.root_moves.as_deref(), game.position())?;
    let search = RequestedSearch {
        root_moves: &root_moves,
        analysis: true,
        ..requested_search(form.limit.as_ref(), form.lines, None, form.fresh)?
    };
    let game_reply = GameReply::new(&game, inferred);
    if let Some(progress) = progress {
        let asked = |ai: &&Ai| {
            let limit = search.limits(ai, client).effective().into();
            AskedAiReply {
                ai: AiReply::new(ai),
                limit,
            }
        };
        let asked = AskedReply::Several {
            ais: ais.iter().map(asked).collect(),
        };
        progress.send_start(StartReply {
            asked,
            game: game_reply.clone(),
            of: None,
        });
    }
    let listener = |ai: &Ai, limits: &SearchLimits| {
        let shown = SearchProgress::new(game.clone(), limits).of_ai(ai.id.clone());
        progress.map(|records| records.listener(shown))
    };
    let finished = |index: usize, result: Result<Played, ServiceError>| {
        let result = result
            .map(ChosenReply::from)
            .map_err(|error| at_index(error, index));
        let compared = ComparedAi {
            ai: AiReply::new(ais[index]),
            result,
        };
        if let Some(progress) = progress {
            let answer = ComparedAiReply::new(&compared, RequestScope::current_id().as_ref());
            progress.send(ProgressRecord::Answer(Box::new(answer)));
        }
        compared
    };
    let comparison = Comparison {
        ais: &ais,
        game: &game,
        search,
        at_once: concurrency,
    };
    let results = service
        .compare(client, comparison, listener, finished)
        .await;
    if results.iter().all(|compared| compared.result.is_err())
        && let Some(Err(first)) = results.first().map(|compared| &compared.result)
    {
        return Err(first.clone());
    }
    let request_id = RequestScope::current_id();
    let answers = results
        .iter()
        .map(|compared| ComparedAiReply::new(compared, request_id.as_ref()));
    Ok(CompareReply {
        game: game_reply,
        answers: answers.collect(),
        agreement: agreement(&results),
    })
}

/// Returns the AIs with these ids, which must be unique.
fn choose_several<'a>(
    service: &'a GameService,
    client: &Client,
    ids: &[String],
) -> Result<Vec<&'a Ai>, RequestError> {
    if ids.is_empty() {
        let detail = "'ais' is empty; name the AIs to compare, such as [\"basic1\", \"stockfish\"]";
        return Err(Malformed::new("/ais", detail).into());
    }
    let choose = |(index, id): (usize, &String)| {
        let ai = choose(service, client, Some(id))?;
        if ids[..index].contains(id) {
            let detail = format!("'ais' names the AI '{id}' twice; name each once");
            return Err(Malformed::new(format!("/ais/{index}"), detail).into());
        }
        Ok(ai)
    };
    ids.iter().enumerate().map(choose).collect()
}

/// Returns the error for the AI at an index. If the choice of the AI is wrong, the error points to
/// it.
fn at_index(error: ServiceError, index: usize) -> RequestError {
    match error {
        ServiceError::NoChess960 { .. } | ServiceError::NoRootMoves { .. } => {
            Malformed::new(format!("/ais/{index}"), error.to_string()).into()
        }
        error => error.into(),
    }
}

/// Groups the AIs by move, the most frequent move first.
fn agreement(results: &[ComparedAi]) -> Vec<AgreementReply> {
    let mut agreement = Vec::<AgreementReply>::new();
    for compared in results {
        let Ok(ChosenReply {
            chosen: Some(chosen),
            ..
        }) = &compared.result
        else {
            continue;
        };
        let ai = compared.ai.id.clone();
        match agreement
            .iter_mut()
            .find(|agreed| agreed.chosen.uci == chosen.uci)
        {
            Some(agreed) => agreed.ais.push(ai),
            None => agreement.push(AgreementReply {
                chosen: chosen.clone(),
                ais: vec![ai],
            }),
        }
    }
    // The sort is stable, so equally frequent moves keep their order.
    agreement.sort_by_key(|agreed| std::cmp::Reverse(agreed.ais.len()));
    agreement
}

/// Returns the schema of the reply.
fn compared(schemas: &mut Schemas) -> Value {
    let game = schema_of::<GameReply>(schemas);
    let agreement = schema_of::<AgreementReply>(schemas);
    let answer = compared_ai(schemas);
    let reply = json!({
        "type": "object",
        "required": ["game", "answers", "agreement"],
        "properties": {
            "game": game,
            "answers": {"type": "array", "items": answer, "description": "The `move`, `score` \
                and `search` of each AI, or its `error`."},
            "agreement": {"type": "array", "items": agreement, "description": "The moves, sorted \
                by the number of AIs that chose them."}
        }
    });
    written("CompareReply", reply, schemas)
}

/// Returns the schema of one AI's move or problem.
fn compared_ai(schemas: &mut Schemas) -> Value {
    let ai = schema_of::<AiReply>(schemas);
    let moved = json!(ChosenReply::schema());
    let mut properties = moved["properties"].clone();
    properties["ai"] = ai;
    properties["error"] = json!({"$ref": "#/components/schemas/PartialProblem"});
    schema_of::<ChosenReply>(schemas);
    // Not `oneOf`: a generated type would lack the fields of both alternatives.
    let reply = json!({
        "type": "object",
        "description": "The `move`, `score` and `search` of one AI, or its `error`.",
        "required": ["ai"],
        "properties": properties,
        "if": {"required": ["error"]},
        "then": {"propertyNames": {"enum": ["type", "ai", "error"]}},
        "else": {"required": moved["required"]}
    });
    written("ComparedAiReply", reply, schemas)
}
