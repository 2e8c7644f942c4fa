//! `GET /v1/arena` and the calls below it: the endless tournament, its ladder, players and games.

pub(crate) mod control;
pub(crate) mod games;
pub(crate) mod live;
pub(crate) mod player;

use std::{collections::BTreeSet, sync::Arc, time::SystemTime};

use actix_web::{HttpRequest, HttpResponse, web};
use ai_api::Color;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    Arena, ArenaState, GameFault, Ladder, LadderRow, PlayerId, PlayerRecord, StoredPlayer,
    calls::words::ArenaStateWord,
};
use api::{
    call::{CLIENT, Call},
    problem::{Code, Problem},
    schemas::schema_of,
    words::{ColorWord, rfc3339},
};
use game::Client;
use server::{
    Endpoint,
    http::{client::client_of, reply::respond_tagged},
    state::server_state::ServerState,
};
use tournament::{EloEstimate, Rating, Tally};

pub(crate) const CALL: Endpoint = Endpoint {
    route: || web::to(handle),
    call: Call {
        tag: "arena",
        summary: "Show the arena's ladder",
        description: "Lists the players of the arena, best first. The arena is an endless \
                      tournament between the server's AIs. A client sees only players whose AIs \
                      it may use.",
        example: include_str!("ladder/example.json"),
        errors: &[CLIENT, &[Code::NotFound]],
        ..Call::tagged("arenaLadder", "/v1/arena", schema_of::<ArenaReply>)
    },
};

/// The reply to `GET /v1/arena`.
#[derive(Serialize, ToSchema)]
struct ArenaReply {
    #[serde(flatten)]
    state: ArenaStateReply,
    /// The time control of every game: `[MOVES/]SECONDS[+SECONDS]`.
    time_control: String,
    #[serde(flatten)]
    ladder: LadderReply,
}

/// The players with their ratings.
#[derive(Serialize, ToSchema)]
pub struct LadderReply {
    /// Whether ratings are on the scale of the anchors, whose ratings are fixed. Otherwise the
    /// average rating is 1500.
    anchored: bool,
    /// The number of pairs. A pair is two games with the same opening and colours swapped.
    pairs: u32,
    /// The number of games.
    games: u32,
    /// How often other work on the machine disturbed a pair. The disturbed move was played again.
    void_pairs: u32,
    /// The players, best first.
    players: Vec<LadderRowReply>,
    /// The results between these players.
    pairings: Vec<PairingReply>,
}

/// The state of the arena.
#[derive(Serialize, ToSchema)]
pub(crate) struct ArenaStateReply {
    /// `playing` if games are running, `waiting` if they will continue without intervention,
    /// `paused` until they are resumed.
    #[schema(value_type = ArenaStateWord)]
    state: &'static str,
    /// Why no games are running.
    #[schema(required)]
    reason: Option<String>,
}

/// A player of the ladder.
#[derive(Serialize, ToSchema)]
pub(crate) struct LadderRowReply {
    /// The rank, from 1, or `null` for an earlier version.
    #[schema(required)]
    rank: Option<usize>,
    #[serde(flatten)]
    player: PlayerReply,
    /// The id of the AI.
    ai: String,
    /// The name and version of the AI.
    name: String,
    /// The hash of everything that determines its moves.
    fingerprint: String,
    /// Whether its rating is fixed by the configuration.
    anchor: bool,
    /// When its rest after repeated faults ends (RFC 3339).
    #[schema(required)]
    resting_until: Option<String>,
    #[serde(flatten)]
    rating: RatingReply,
    /// The number of games.
    games: u32,
    #[serde(flatten)]
    results: ResultsReply,
    /// The average points per game, from 0 to 1, or `null` before the first game.
    #[schema(required)]
    score: Option<f64>,
    /// The number of games lost because of a fault of the AI.
    faults: u32,
    /// The mean depth of its searches in plies.
    #[schema(required)]
    mean_depth: Option<f64>,
    /// Its mean time per move in milliseconds.
    #[schema(required)]
    mean_ms: Option<f64>,
    /// The likelihood that it is stronger than the next player, from 0 to 1.
    #[schema(required)]
    superiority: Option<f64>,
}

/// A player: one version of an entry in the configuration.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlayerReply {
    /// The number of the player.
    id: i64,
    /// The AI with its options, as the configuration names it.
    player: String,
    /// The version of this entry, from 1.
    version: u32,
}

/// Results between two players, from the first player's point of view.
#[derive(Serialize, ToSchema)]
struct PairingReply {
    /// The id of the first player.
    first: i64,
    /// The id of the second player.
    second: i64,
    #[serde(flatten)]
    results: ResultsReply,
}

/// A player's results.
#[derive(Serialize, ToSchema)]
struct ResultsReply {
    /// The number of games won.
    wins: u32,
    /// The number of games drawn.
    draws: u32,
    /// The number of games lost.
    losses: u32,
}

/// A rating.
#[derive(Serialize, ToSchema)]
struct RatingReply {
    /// The rating. `null` before the first game, unless the player is an anchor.
    #[schema(required)]
    elo: Option<f64>,
    /// Half the width of the 95 % confidence interval.
    #[schema(required)]
    error: Option<f64>,
}

/// The fault that ended a game.
#[derive(Serialize, ToSchema)]
struct EndingFaultReply {
    /// The error code, such as `ai_crashed`.
    code: String,
    /// The number of the half-move that was not played, from 1.
    ply: u32,
    /// The colour of the player.
    #[schema(value_type = ColorWord)]
    color: &'static str,
}

/// A difference in Elo.
#[derive(Serialize, ToSchema)]
struct DifferenceReply {
    /// The difference.
    elo: f64,
    /// Half the width of the 95 % confidence interval.
    error: f64,
}

impl From<ArenaState> for ArenaStateReply {
    fn from(state: ArenaState) -> Self {
        let name = (&state).into();
        let reason = match state {
            ArenaState::Playing => None,
            ArenaState::Waiting(reason) | ArenaState::Paused(reason) => Some(reason),
        };
        Self {
            state: name,
            reason,
        }
    }
}

impl From<&StoredPlayer> for PlayerReply {
    fn from(player: &StoredPlayer) -> Self {
        Self {
            id: player.id.0,
            player: player.entry.clone(),
            version: player.version,
        }
    }
}

impl From<Tally> for ResultsReply {
    fn from(
        Tally {
            wins,
            draws,
            losses,
            ..
        }: Tally,
    ) -> Self {
        Self {
            wins,
            draws,
            losses,
        }
    }
}

impl From<Option<Rating>> for RatingReply {
    fn from(rating: Option<Rating>) -> Self {
        let (elo, error) = rating
            .map(|Rating { elo, error, .. }| (rounded(elo, 10.0), rounded(error, 10.0)))
            .unzip();
        Self { elo, error }
    }
}

impl From<&GameFault> for EndingFaultReply {
    fn from(fault: &GameFault) -> Self {
        Self {
            code: fault.code.clone(),
            ply: fault.ply,
            color: Color::name(fault.color),
        }
    }
}

impl From<EloEstimate> for DifferenceReply {
    fn from(EloEstimate { elo, error, .. }: EloEstimate) -> Self {
        Self {
            elo: rounded(elo, 10.0),
            error: rounded(error, 10.0),
        }
    }
}

impl LadderRowReply {
    /// `next` is the next player in the ladder.
    fn new(
        ladder: &Ladder,
        rank: Option<usize>,
        row: &LadderRow,
        next: Option<&LadderRow>,
    ) -> Self {
        let LadderRow {
            player,
            rating,
            total,
            record: PlayerRecord { faults, effort },
        } = row;
        let superiority = next.and_then(|next| ladder.superiority(row, next));
        let mean = |sum: u64| {
            // In tenths, rounded.
            let mean = (10 * sum + effort.moves / 2).checked_div(effort.moves)?;
            Some(f64::from(u32::try_from(mean).unwrap_or(u32::MAX)) / 10.0)
        };
        let resting = player
            .rests_until
            .filter(|until| *until > SystemTime::now());
        Self {
            rank,
            player: player.into(),
            ai: player.ai.clone(),
            name: player.name.clone(),
            fingerprint: player.fingerprint.clone(),
            anchor: player.anchor_elo.is_some(),
            resting_until: resting.map(rfc3339),
            rating: (*rating).into(),
            games: total.games(),
            results: (*total).into(),
            score: (total.games() > 0)
                .then(|| rounded(total.points() / f64::from(total.games()), 1000.0)),
            faults: *faults,
            mean_depth: mean(effort.depth_sum),
            mean_ms: mean(effort.time_ms),
            superiority: superiority.map(|likelihood| rounded(likelihood, 1000.0)),
        }
    }
}

async fn handle(request: HttpRequest) -> HttpResponse {
    respond_tagged(&request, View::of(&request).map(|view| view.reply()))
}

/// The arena as a client sees it.
pub(crate) struct View {
    arena: Arc<Arena>,
    seen: SeenLadder,
}

/// The ladder as a client sees it, without players whose AIs it may not use. Operators see all.
pub struct SeenLadder {
    pub ladder: Arc<Ladder>,
    /// `None` for an operator, who sees all players.
    pub client: Option<Client>,
}

impl View {
    /// # Errors
    /// The server has no arena, or the request has no valid client.
    fn of(request: &HttpRequest) -> Result<Self, Problem> {
        let arena = ServerState::of(request)?.extras.get::<Arena>().ok_or_else(|| {
            let detail =
                "this server has no arena; set `file` in [arena], or start it with --arena FILE";
            Problem::new(Code::NotFound, detail)
        })?;
        let seen = SeenLadder {
            ladder: arena.ladder(),
            client: Some(client_of(request)?),
        };
        Ok(Self { arena, seen })
    }

    fn reply(&self) -> ArenaReply {
        let Self { arena, seen } = self;
        let (state, time_control) = (arena.state().into(), arena.time_control().to_string());
        ArenaReply {
            state,
            time_control,
            ladder: seen.reply(),
        }
    }

    /// Finds the player that the request's path names: `/v1/arena/players/{id}` and below.
    ///
    /// # Errors
    /// The player is unknown, or the client may not see it.
    fn player_of(&self, request: &HttpRequest) -> Result<&StoredPlayer, Problem> {
        let text = request.match_info().get("id").unwrap_or_default();
        let found = text
            .parse()
            .ok()
            .and_then(|id| self.seen.player(PlayerId(id)));
        found.ok_or_else(|| {
            let detail = format!(
                "the arena has no player '{}'; GET /v1/arena lists them",
                text::printable(text)
            );
            Problem::new(Code::NotFound, detail)
        })
    }
}

impl SeenLadder {
    pub fn reply(&self) -> LadderReply {
        let ladder = &self.ladder;
        let (rows, results) = (self.rows(), &ladder.results);
        let shown: BTreeSet<_> = rows.iter().map(|row| row.player.id).collect();
        let pairings = results.pairings.iter();
        let pairings =
            pairings.filter(|((first, second), _)| shown.contains(first) && shown.contains(second));
        LadderReply {
            anchored: ladder.is_anchored(),
            pairs: results.pairs(),
            games: results.games(),
            void_pairs: results.void_pairs,
            players: (1..)
                .zip(&rows)
                .map(|(rank, row)| {
                    LadderRowReply::new(ladder, Some(rank), row, rows.get(rank).copied())
                })
                .collect(),
            pairings: pairings
                .map(
                    |(&(PlayerId(first), PlayerId(second)), &tally)| PairingReply {
                        first,
                        second,
                        results: tally.into(),
                    },
                )
                .collect(),
        }
    }

    /// Returns the client unless it may see all matches and fault details.
    fn limited_client(&self) -> Option<&Client> {
        self.client.as_ref().filter(|client| !client.admin)
    }

    fn allows(&self, player: &StoredPlayer) -> bool {
        self.client
            .as_ref()
            .is_none_or(|client| client.allows_ai(&player.ai))
    }

    /// Returns the players of the ladder, best first.
    fn rows(&self) -> Vec<&LadderRow> {
        self.ladder
            .rows
            .iter()
            .filter(|row| self.allows(&row.player))
            .collect()
    }

    /// Returns a player, even if it is not in the ladder.
    fn player(&self, id: PlayerId) -> Option<&StoredPlayer> {
        self.ladder
            .players
            .get(&id)
            .filter(|player| self.allows(player))
    }

    /// Returns whether the client may see rated games of these players.
    fn sees(&self, players: [PlayerId; 2]) -> bool {
        players.into_iter().all(|id| self.player(id).is_some())
    }

    /// Returns the pairings whose rated games the client may see, White first, or `None` if it may
    /// see all.
    fn visible(&self) -> Option<BTreeSet<(PlayerId, PlayerId)>> {
        let all = self.ladder.results.by_color.keys();
        let seen: BTreeSet<_> = all
            .clone()
            .filter(|&&(white, black)| self.sees([white, black]))
            .copied()
            .collect();
        (seen.len() < all.len()).then_some(seen)
    }
}

/// Rounds to a multiple of 1 / `parts`.
fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}
