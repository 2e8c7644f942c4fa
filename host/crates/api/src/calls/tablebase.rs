//! `POST /v1/tablebase` and `GET /v1/tablebases`: what the tablebases hold about a position, and
//! how many pieces they cover.

use crate::{
    call::{BODY, CLIENT, Call, GAME},
    error::RequestError,
    forms::game::GameForm,
    problem::Code,
    replies::game::MoveReply,
    schemas::schema_of,
    words::TableResultWord,
};
use ai_api::{Position, TableMove, TableProbe};
use game::{Client, GameService};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

const TABLE: &[Code] = &[Code::TablebaseMissing, Code::QueueFull];

pub const CALL: Call = Call {
    summary: "Look up a tablebase result",
    description: "Returns the exact result of a position with few pieces, for the side to move. \
                  Rookery includes tables for up to four pieces. Positions with castling rights \
                  are in no table.",
    errors: &[CLIENT, BODY, GAME, TABLE],
    example: include_str!("tablebase/example.json"),
    ..Call::post::<TablebaseForm>(
        "probeTablebase",
        "/v1/tablebase",
        schema_of::<TablebaseReply>,
    )
};

pub const ALL: Call = Call {
    summary: "Get the tablebase size",
    description: "Returns the largest number of pieces, including kings, that `/v1/tablebase` can \
                  look up.",
    errors: &[CLIENT, &[Code::QueueFull]],
    example: include_str!("tablebase/all.json"),
    ..Call::get(
        "tablebaseSize",
        "/v1/tablebases",
        schema_of::<TablebasesReply>,
    )
};

/// The reply of `GET /v1/tablebases`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TablebasesReply {
    /// The largest number of pieces in a table, or 0 without tables.
    max_pieces: u32,
}

/// Returns the largest number of pieces in a table. Dropping the future cancels the probe.
///
/// # Errors
/// The tablebase worker fails.
pub async fn size(service: &GameService, client: &Client) -> Result<TablebasesReply, RequestError> {
    let max_pieces = service.tablebase_pieces(client).await?;
    Ok(TablebasesReply { max_pieces })
}

/// The body of `POST /v1/tablebase`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TablebaseForm {
    /// The game whose last position is examined.
    game: GameForm,
}

/// The reply of `POST /v1/tablebase`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TablebaseReply {
    /// The result for the side to move. A `cursed_win` or a `blessed_loss` is drawn by the
    /// fifty-move rule before mate. The half-moves played so far count, but repetitions do not.
    #[schema(value_type = TableResultWord)]
    wdl: &'static str,
    /// The distance to zeroing: half-moves until a capture, a pawn move or mate. It is negative for
    /// a loss and 0 for a draw. Tables round some distances up by one.
    dtz: i32,
    /// Every legal move with its `wdl` and `dtz`, the best first.
    moves: Vec<TableMoveReply>,
}

/// A move in a position that a table contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
struct TableMoveReply {
    #[serde(flatten)]
    chosen: MoveReply,
    /// The result after the move, for the side that makes it.
    #[schema(value_type = TableResultWord)]
    wdl: &'static str,
    /// The `dtz` of the position if this move is played.
    dtz: i32,
}

impl TablebaseReply {
    fn new(position: &Position, found: &TableProbe) -> Self {
        let reply = |after: &TableMove| TableMoveReply {
            chosen: MoveReply::new(position, after.chosen),
            wdl: after.result.name(),
            dtz: after.dtz,
        };
        Self {
            wdl: found.result.name(),
            dtz: found.dtz,
            moves: found.moves.iter().map(reply).collect(),
        }
    }
}

/// Returns what the tablebases hold about a position. Dropping the future cancels the probe.
///
/// # Errors
/// The game is illegal, no table has its last position, or the tablebase worker fails.
pub async fn respond(
    service: &GameService,
    client: &Client,
    form: &TablebaseForm,
) -> Result<TablebaseReply, RequestError> {
    let record = form.game.read(service.config().server.max_plies)?;
    let found = service.tablebase(client, &record.game).await?;
    Ok(TablebaseReply::new(record.game.position(), &found))
}
