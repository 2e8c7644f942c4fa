//! `GET /v1/arena/players/{id}`: a player's record.

use std::fmt::Display;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    DifferenceReply, EndingFaultReply, LadderRowReply, PlayerReply, RatingReply, ResultsReply, arena_of,
    player_of, rounded, visible,
};
use crate::{
    calls::{
        call::{CLIENT, Call},
        schemas::schema_of,
    },
    http::{client::client_of, reply::respond_tagged},
    problem::{Code, Problem},
    words::rfc3339,
};
use arena::{FaultFilter, GameFilter, GameRecord, Ladder, PlayerId, StoreError, StoredGame, StoredPlayer};
use config::ClientSettings;
use tournament::Tally;

/// The most faults of a reply.
const MAX_FAULTS: usize = 100;

pub(crate) const CALL: Call = Call {
    tag: "arena",
    summary: "Player of the arena",
    description: "Returns the record of a player: against each opponent and with each colour, its faults and its versions. The reply \
                  for a client with a key and `admin = true` has the details of the faults.",
    parameters: id_parameter,
    example: include_str!("player.json"),
    errors: &[CLIENT, &[Code::NotFound]],
    ..Call::tagged(
        "arenaPlayer",
        "/v1/arena/players/{id}",
        || web::to(handle),
        schema_of::<PlayerRecordReply>,
    )
};

/// The reply of `GET /v1/arena/players/{id}`.
#[derive(Serialize, ToSchema)]
struct PlayerRecordReply {
    /// The player.
    player: LadderRowReply,
    /// Its results against each opponent.
    opponents: Vec<OpponentReply>,
    /// The games that it lost by a fault, the newest first, at most 100.
    faults: Vec<FaultReply>,
    /// The versions of its text, the oldest first.
    versions: Vec<VersionReply>,
}

/// Results against an opponent.
#[derive(Serialize, ToSchema)]
struct OpponentReply {
    /// The opponent.
    opponent: PlayerReply,
    /// The games.
    games: u32,
    /// The points of a game, from 0 to 1.
    score: f64,
    /// With White.
    white: ResultsReply,
    /// With Black.
    black: ResultsReply,
}

/// A game that a fault ended.
#[derive(Serialize, ToSchema)]
struct FaultReply {
    /// The id of the game.
    game: i64,
    #[serde(flatten)]
    fault: EndingFaultReply,
    /// The opponent.
    opponent: PlayerReply,
    /// What happened, for admins.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<String>,
}

/// A version of a player.
#[derive(Serialize, ToSchema)]
struct VersionReply {
    /// The number of the player.
    id: i64,
    /// The version, from 1.
    version: u32,
    /// The hash of all that determines its moves.
    fingerprint: String,
    /// When it came into the arena (RFC 3339).
    since: String,
    /// The games.
    games: u32,
    #[serde(flatten)]
    rating: RatingReply,
    /// The difference to the version before, from games alone; `null` without games that connect them.
    #[schema(required)]
    difference: Option<DifferenceReply>,
}

async fn handle(request: HttpRequest) -> HttpResponse {
    respond_tagged(&request, record(&request).await)
}

async fn record(request: &HttpRequest) -> Result<PlayerRecordReply, Problem> {
    let (arena, client) = (arena_of(request)?, client_of(request)?);
    let ladder = arena.ladder();
    let player = player_of(request, &ladder, &client)?;
    let (reader, id) = (arena.reader().clone(), player.id);
    let filter = GameFilter {
        fault: Some(FaultFilter::Player(id)),
        visible: visible(&ladder, &client),
        ..GameFilter::default()
    };
    let faults = blocking(move || reader.games(&filter, MAX_FAULTS)).await?.games;
    let rows: Vec<_> = ladder.rows.iter().filter(|row| client.allows_ai(&row.player.ai)).collect();
    let place = rows.iter().position(|row| row.player.id == id);
    let row = ladder.row(id).ok_or_else(|| Problem::new(Code::Internal, "the ladder lacks a player"))?;
    let next = place.and_then(|place| rows.get(place + 1)).copied();
    Ok(PlayerRecordReply {
        player: LadderRowReply::new(&ladder, place.map(|place| place + 1), &row, next),
        opponents: opponents(&ladder, id, &client),
        faults: faults.into_iter().filter_map(|game| fault(game, &ladder, id, client.admin)).collect(),
        versions: ladder.versions(&player.entry).filter_map(|player| version(player, &ladder)).collect(),
    })
}

fn opponents(ladder: &Ladder, id: PlayerId, client: &ClientSettings) -> Vec<OpponentReply> {
    let seen = ladder.opponents(id).filter_map(|(opponent, tally)| {
        let player = ladder.players.get(&opponent)?;
        client.allows_ai(&player.ai).then_some((player, tally))
    });
    let by_color = &ladder.results.by_color;
    let reply = |(opponent, tally): (&StoredPlayer, Tally)| OpponentReply {
        opponent: opponent.into(),
        games: tally.games(),
        score: rounded(tally.points() / f64::from(tally.games()), 1000.0),
        white: by_color.get(&(id, opponent.id)).copied().unwrap_or_default().into(),
        black: by_color.get(&(opponent.id, id)).map(Tally::reversed).unwrap_or_default().into(),
    };
    seen.filter(|(_, tally)| tally.games() > 0).map(reply).collect()
}

fn fault(game: StoredGame, ladder: &Ladder, id: PlayerId, with_details: bool) -> Option<FaultReply> {
    let GameRecord { white, black, fault, .. } = game.record;
    let fault = fault?;
    Some(FaultReply {
        game: game.id.0,
        fault: (&fault).into(),
        opponent: ladder.players.get(if white == id { &black } else { &white })?.into(),
        details: with_details.then_some(fault.details),
    })
}

fn version(player: &StoredPlayer, ladder: &Ladder) -> Option<VersionReply> {
    let row = ladder.row(player.id)?;
    Some(VersionReply {
        id: player.id.0,
        version: player.version,
        fingerprint: player.fingerprint.clone(),
        since: rfc3339(player.since),
        games: row.total.games(),
        rating: row.rating.into(),
        difference: ladder.progress(player.id).map(Into::into),
    })
}

/// Reads or writes the arena's file beside the thread that serves requests.
///
/// # Errors
/// It cannot be read or written.
pub(crate) async fn blocking<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Problem> {
    let read = web::block(read).await.map_err(|error| file_problem(&error))?;
    read.map_err(|error| file_problem(&error))
}

/// Returns the problem of a file that cannot be used. Only operators see the reason, which may have its path.
pub(crate) fn file_problem(error: &impl Display) -> Problem {
    tracing::error!(%error, "the file of the arena cannot be read or written");
    Problem::new(Code::Internal, "the file of the arena cannot be read or written; the log says why")
}

pub(super) fn id_parameter() -> Vec<Value> {
    vec![
        json!({"name": "id", "in": "path", "required": true, "description": "The number of the player or of the game.",
               "schema": {"type": "integer"}, "example": 1}),
    ]
}
