//! `GET /v1/arena/players/{id}`: a player's record.

use std::fmt::Display;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    DifferenceReply, EndingFaultReply, LadderRowReply, PlayerReply, RatingReply, ResultsReply,
    SeenLadder, View, rounded,
};
use crate::{
    FaultFilter, GameFilter, GameSummary, PlayerId, StoreError, StoreReader, StoredGame,
    StoredPlayer,
};
use api::{
    call::{CLIENT, Call},
    problem::{Code, Problem},
    schemas::schema_of,
    words::rfc3339,
};
use server::{Endpoint, contained, http::reply::respond_tagged};
use tournament::Tally;

/// The maximum number of faults in a reply.
const MAX_FAULTS: usize = 100;

pub(crate) const CALL: Endpoint = Endpoint {
    route: || web::to(handle),
    call: Call {
        tag: "arena",
        summary: "Show a player's record",
        description: "Returns a player's results against each opponent and with each colour, its \
                      faults and its versions. For a client with a key and `admin = true`, the \
                      reply includes the details of the faults.",
        parameters: id_parameter,
        example: include_str!("player.json"),
        errors: &[CLIENT, &[Code::NotFound]],
        ..Call::tagged(
            "arenaPlayer",
            "/v1/arena/players/{id}",
            schema_of::<PlayerRecordReply>,
        )
    },
};

/// The reply of `GET /v1/arena/players/{id}`.
#[derive(Serialize, ToSchema)]
pub struct PlayerRecordReply {
    /// The player.
    player: LadderRowReply,
    /// Its results against each opponent.
    opponents: Vec<OpponentReply>,
    /// Up to 100 games that it lost because of a fault, newest first.
    faults: Vec<FaultReply>,
    /// The versions of this player, oldest first.
    versions: Vec<VersionReply>,
}

/// Results against an opponent.
#[derive(Serialize, ToSchema)]
struct OpponentReply {
    /// The opponent.
    opponent: PlayerReply,
    /// The number of games.
    games: u32,
    /// The average points per game, from 0 to 1.
    score: f64,
    /// Its results with White.
    white: ResultsReply,
    /// Its results with Black.
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
    /// A description, for admins.
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
    /// The hash of everything that determines its moves.
    fingerprint: String,
    /// When it first played in the arena (RFC 3339).
    since: String,
    /// The number of games.
    games: u32,
    #[serde(flatten)]
    rating: RatingReply,
    /// The difference from the previous version, based only on games. `null` if no games connect
    /// the two.
    #[schema(required)]
    difference: Option<DifferenceReply>,
}

async fn handle(request: HttpRequest) -> HttpResponse {
    respond_tagged(&request, record(&request).await)
}

async fn record(request: &HttpRequest) -> Result<PlayerRecordReply, Problem> {
    let view = View::of(request)?;
    let id = view.player_of(request)?.id;
    let record = blocking(move || Ok(view.seen.record(view.arena.reader(), id)?)).await?;
    record.ok_or_else(|| Problem::new(Code::Internal, "a player is missing from the ladder"))
}

impl SeenLadder {
    /// Returns the record of a player, even if it is not in the ladder, or `None` if it is unknown.
    /// Blocks.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn record(
        &self,
        file: &StoreReader,
        id: PlayerId,
    ) -> Result<Option<PlayerRecordReply>, StoreError> {
        let (ladder, rows) = (&self.ladder, self.rows());
        let Some(row) = ladder.row(id) else {
            return Ok(None);
        };
        let fault = Some(FaultFilter::Player(id));
        let filter = GameFilter {
            fault,
            visible: self.visible(),
            ..GameFilter::default()
        };
        let faults = file.games(&filter, MAX_FAULTS)?.games;
        let place = rows.iter().position(|ranked| ranked.player.id == id);
        let next = place.and_then(|place| rows.get(place + 1)).copied();
        let versions = ladder.versions(&row.player.entry);
        Ok(Some(PlayerRecordReply {
            player: LadderRowReply::new(ladder, place.map(|place| place + 1), &row, next),
            opponents: ladder
                .opponents(id)
                .filter_map(|(other, tally)| self.opponent(id, other, tally))
                .collect(),
            faults: faults
                .into_iter()
                .filter_map(|game| self.fault(id, game))
                .collect(),
            versions: versions.filter_map(|player| self.version(player)).collect(),
        }))
    }

    fn opponent(&self, id: PlayerId, opponent: PlayerId, tally: Tally) -> Option<OpponentReply> {
        let player = self.player(opponent).filter(|_| tally.games() > 0)?;
        let by_color = &self.ladder.results.by_color;
        Some(OpponentReply {
            opponent: player.into(),
            games: tally.games(),
            score: rounded(tally.points() / f64::from(tally.games()), 1000.0),
            white: by_color
                .get(&(id, opponent))
                .copied()
                .unwrap_or_default()
                .into(),
            black: by_color
                .get(&(opponent, id))
                .map(Tally::reversed)
                .unwrap_or_default()
                .into(),
        })
    }

    fn fault(&self, id: PlayerId, game: StoredGame) -> Option<FaultReply> {
        let GameSummary {
            white,
            black,
            fault,
            ..
        } = game.record;
        let fault = fault?;
        Some(FaultReply {
            game: game.id.0,
            fault: (&fault).into(),
            opponent: self.player(if white == id { black } else { white })?.into(),
            details: self.limited_client().is_none().then_some(fault.details),
        })
    }

    fn version(&self, player: &StoredPlayer) -> Option<VersionReply> {
        let row = self.ladder.row(player.id)?;
        Some(VersionReply {
            id: player.id.0,
            version: player.version,
            fingerprint: player.fingerprint.clone(),
            since: rfc3339(player.since),
            games: row.total.games(),
            rating: row.rating.into(),
            difference: self.ladder.progress(player.id).map(Into::into),
        })
    }
}

/// Reads or writes the arena's file on a thread that serves no requests.
///
/// # Errors
/// The file cannot be read or written.
pub(crate) async fn blocking<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    web::block(|| contained(read))
        .await
        .map_err(|error| file_problem(&error))?
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        file_problem(&error)
    }
}

/// Returns the problem with a file that cannot be used. Only operators see the reason, which may
/// contain a path.
fn file_problem(error: &impl Display) -> Problem {
    tracing::error!(%error, "the arena's file cannot be read or written");
    Problem::new(
        Code::Internal,
        "the arena's file cannot be read or written; the log says why",
    )
}

pub(super) fn id_parameter() -> Vec<Value> {
    vec![
        json!({"name": "id", "in": "path", "required": true, "description": "The number of the \
            player or game.",
               "schema": {"type": "integer"}, "example": 1}),
    ]
}
