//! `GET /v1/arena/games` and `GET /v1/arena/games/{id}`: the games of the arena.

use std::collections::BTreeMap;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{Accept, Header as _, HeaderValue, LINK},
    web,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use text::printable;
use utoipa::ToSchema;

use super::{
    EndingFaultReply, PlayerReply, View,
    player::{blocking, id_parameter},
};
use crate::{
    FaultFilter, GameFilter, GameId, GamePage, GameSummary, PlayerFilter, PlayerId, StoreError,
    StoredGame, calls::matches::owner,
};
use api::{
    call::{CLIENT, Call, ReplyType, text},
    error::Malformed,
    problem::{Code, Problem},
    schemas::schema_of,
    words::rfc3339,
};
use server::{
    Endpoint,
    http::{
        problem::respond_problem,
        query,
        reply::{respond_tagged, respond_text},
    },
};
use tournament::GameResult;

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 200;
const PGN: &str = "application/vnd.chess-pgn";

pub(crate) const LIST: Endpoint = Endpoint {
    route: || web::to(list),
    call: Call {
        tag: "arena",
        summary: "List arena games",
        description: "Lists rated games in pages, newest first. If several filters are set, or \
                      the client may not see all players, a page can have fewer games than \
                      `limit` even if another page follows. To get the games of a page as PGN, \
                      send `Accept: application/vnd.chess-pgn`.",
        parameters: filter_parameters,
        optional_headers: &[(
            "Link",
            "The next page of PGN, if any: `<?before=2>; rel=\"next\"`.",
        )],
        alternative: Some(ReplyType {
            media_type: PGN,
            schema: text,
        }),
        example: include_str!("games.json"),
        errors: &[CLIENT, &[Code::MalformedRequest, Code::NotFound]],
        ..Call::tagged("arenaGames", "/v1/arena/games", schema_of::<GamesReply>)
    },
};
pub(crate) const ONE: Endpoint = Endpoint {
    route: || web::to(one),
    call: Call {
        tag: "arena",
        summary: "Get an arena game",
        description: "Returns a game with its PGN, which includes evaluations, times and clocks. \
                      To get only the PGN, send `Accept: application/vnd.chess-pgn`.",
        parameters: id_parameter,
        alternative: Some(ReplyType {
            media_type: PGN,
            schema: text,
        }),
        example: include_str!("game.json"),
        errors: &[CLIENT, &[Code::NotFound]],
        ..Call::tagged(
            "arenaGame",
            "/v1/arena/games/{id}",
            schema_of::<ArenaGameReply>,
        )
    },
};

/// The query of `GET /v1/arena/games`, as [`filter_parameters`] describes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FilterForm {
    player: Option<String>,
    opponent: Option<String>,
    result: Option<GameResult>,
    fault: Option<bool>,
    opening: Option<String>,
    r#match: Option<String>,
    before: Option<String>,
    limit: Option<String>,
}

/// Parses a number in the query.
///
/// # Errors
/// The text is not a whole number, or is too large.
fn number<T: TryFrom<u32>>(name: &str, text: Option<&str>) -> Result<Option<T>, Malformed> {
    let parse = |digits: &str| {
        digits
            .parse::<u32>()
            .ok()
            .and_then(|number| T::try_from(number).ok())
    };
    let parsed = text.map(|text| {
        parse(text).ok_or_else(|| {
            let detail = format!(
                "{name} is '{}'; it must be a whole number from 0 to 4294967295",
                printable(text)
            );
            Malformed::new(format!("/{name}"), detail)
        })
    });
    parsed.transpose()
}

/// The reply of `GET /v1/arena/games`.
#[derive(Serialize, ToSchema)]
struct GamesReply {
    /// The games, newest first.
    games: Vec<ListedGameReply>,
    /// The value of `before` for the next page, or `null` on the last page.
    #[schema(required)]
    next: Option<i64>,
}

/// The reply of `GET /v1/arena/games/{id}`.
#[derive(Serialize, ToSchema)]
struct ArenaGameReply {
    #[serde(flatten)]
    game: ListedGameReply,
    /// The game in PGN.
    pgn: String,
}

/// A game without its moves.
#[derive(Serialize, ToSchema)]
struct ListedGameReply {
    /// The number of the game.
    id: i64,
    /// The number of its pair. A pair is two games with the same opening and colours swapped.
    pair: i64,
    /// The id of its match. Only the match's client and admins see it.
    #[schema(required)]
    r#match: Option<String>,
    /// The player with White.
    white: PlayerReply,
    /// The player with Black.
    black: PlayerReply,
    /// `1-0`, `0-1` or `1/2-1/2`.
    result: &'static str,
    /// How the game ended, in English.
    termination: String,
    /// The fault that ended the game.
    #[schema(required)]
    fault: Option<EndingFaultReply>,
    /// The number of the opening.
    #[schema(required)]
    opening: Option<u32>,
    /// The name of the opening.
    #[schema(required)]
    opening_name: Option<&'static str>,
    /// The number of half-moves.
    plies: u32,
    /// When it ended (RFC 3339).
    ended: String,
}

async fn list(request: HttpRequest) -> HttpResponse {
    if !prefers_pgn(&request) {
        return respond_tagged(&request, page(&request).await);
    }
    match pgn_page(&request).await {
        Ok((pgn, next)) => {
            let mut response = respond_text(&request, pgn.into(), PGN);
            if let Some(link) = next.and_then(|next| link_to(&request, next)) {
                response.headers_mut().insert(LINK, link);
            }
            response
        }
        Err(problem) => respond_problem(&request, &problem),
    }
}

async fn page(request: &HttpRequest) -> Result<GamesReply, Problem> {
    let view = View::of(request)?;
    let (filter, limit) = view.wanted(request)?;
    blocking(move || {
        let GamePage { games, next } = view.arena.reader().games(&filter, limit)?;
        Ok(GamesReply {
            games: view.listed(games)?,
            next: next.map(|GameId(id)| id),
        })
    })
    .await
}

/// Returns the PGN of a page's games, and `before` for the next page.
async fn pgn_page(request: &HttpRequest) -> Result<(String, Option<GameId>), Problem> {
    let view = View::of(request)?;
    let (filter, limit) = view.wanted(request)?;
    blocking(move || {
        let reader = view.arena.reader();
        let GamePage { games, next } = reader.games(&filter, limit)?;
        Ok((reader.pgn_of(&games)?, next))
    })
    .await
}

/// Returns the value of `Link` for the next page.
fn link_to(request: &HttpRequest, GameId(next): GameId) -> Option<HeaderValue> {
    let others = request.query_string().split('&');
    let query: String = others
        .filter(|pair| !pair.is_empty() && !pair.starts_with("before="))
        .flat_map(|pair| [pair, "&"])
        .collect();
    HeaderValue::from_str(&format!("<?{query}before={next}>; rel=\"next\"")).ok()
}

async fn one(request: HttpRequest) -> HttpResponse {
    match game(&request).await {
        Ok(reply) if prefers_pgn(&request) => respond_text(&request, reply.pgn.into(), PGN),
        reply => respond_tagged(&request, reply),
    }
}

async fn game(request: &HttpRequest) -> Result<ArenaGameReply, Problem> {
    let view = View::of(request)?;
    let text = request.match_info().get("id").unwrap_or_default();
    let unknown = || {
        let detail = format!(
            "the arena has no game '{}'; GET /v1/arena/games lists them",
            printable(text)
        );
        Problem::new(Code::NotFound, detail)
    };
    let id = text.parse().map_err(|_| unknown())?;
    let found = blocking(move || {
        let Some((stored, pgn)) = view.arena.reader().game(GameId(id))? else {
            return Ok(None);
        };
        let is_public =
            stored.is_rated && view.seen.sees([stored.record.white, stored.record.black]);
        let seen = view
            .listed(vec![stored])?
            .pop()
            .filter(|game| is_public || game.r#match.is_some());
        Ok(seen.map(|game| ArenaGameReply { game, pgn }))
    });
    found.await?.ok_or_else(unknown)
}

/// Returns whether the client asks for PGN. JSON is the default.
fn prefers_pgn(request: &HttpRequest) -> bool {
    let Ok(accept) = Accept::parse(request) else {
        return false;
    };
    accept
        .ranked()
        .first()
        .is_some_and(|first| first.essence_str() == PGN)
}

impl View {
    /// Returns the filter for the games that a request asks for, and the maximum number of games.
    fn wanted(&self, request: &HttpRequest) -> Result<(GameFilter, usize), Problem> {
        let form: FilterForm = query::read(request)?;
        let of = |name, text: &Option<String>| number::<i64>(name, text.as_deref());
        let limit = number::<usize>("limit", form.limit.as_deref())?
            .unwrap_or(DEFAULT_LIMIT)
            .clamp(1, MAX_LIMIT);
        let filter = GameFilter {
            players: match (of("player", &form.player)?, of("opponent", &form.opponent)?) {
                (Some(player), Some(opponent)) => {
                    PlayerFilter::Pairing(PlayerId(player), PlayerId(opponent))
                }
                (Some(player), None) | (None, Some(player)) => {
                    PlayerFilter::Player(PlayerId(player))
                }
                (None, None) => PlayerFilter::Any,
            },
            result: form.result,
            fault: form.fault.filter(|fault| *fault).map(|_| FaultFilter::Any),
            opening: number("opening", form.opening.as_deref())?,
            visible: form
                .r#match
                .is_none()
                .then(|| self.seen.visible())
                .flatten(),
            match_client: form
                .r#match
                .as_ref()
                .and_then(|_| self.seen.limited_client().map(owner)),
            match_id: form.r#match,
            before: of("before", &form.before)?.map(GameId),
        };
        Ok((filter, limit))
    }

    /// Converts games to replies. Shows match ids only where the client may see them.
    fn listed(&self, games: Vec<StoredGame>) -> Result<Vec<ListedGameReply>, StoreError> {
        // Unlike the ladder, these include players that have only unrated games.
        let players = self.arena.reader().players()?;
        let players: BTreeMap<_, _> = players.iter().map(|player| (player.id, player)).collect();
        let owner = self.seen.limited_client().map(owner);
        let mut listed = Vec::new();
        for StoredGame {
            id,
            pair,
            match_id,
            match_client,
            record,
            ..
        } in games
        {
            let GameSummary {
                white,
                black,
                result,
                termination,
                fault,
                opening,
                plies,
                ended,
            } = record;
            let (Some(white), Some(black)) = (players.get(&white), players.get(&black)) else {
                continue;
            };
            listed.push(ListedGameReply {
                id: id.0,
                pair,
                r#match: match_id.filter(|_| owner.is_none() || match_client == owner),
                white: (*white).into(),
                black: (*black).into(),
                result: result.in_pgn().text(),
                termination,
                fault: fault.as_ref().map(Into::into),
                opening,
                opening_name: opening.and_then(|number| self.arena.opening_name(number)),
                plies,
                ended: rfc3339(ended),
            });
        }
        Ok(listed)
    }
}

fn filter_parameters() -> Vec<Value> {
    let parameter = |name: &str, description: &str, schema: Value| {
        json!({
            "name": name,
            "in": "query",
            "description": description,
            "schema": schema,
        })
    };
    let number = || json!({"type": "integer", "minimum": 0, "maximum": u32::MAX});
    vec![
        parameter(
            "player",
            "List games of the player with this number.",
            number(),
        ),
        parameter(
            "opponent",
            "List games against the player with this number.",
            number(),
        ),
        parameter(
            "result",
            "The result for `player`, or for White if `player` is not set.",
            json!({"type": "string", "enum": ["win", "draw", "loss"]}),
        ),
        parameter(
            "fault",
            "Whether to list only games that a fault ended.",
            json!({"type": "boolean"}),
        ),
        parameter(
            "opening",
            "List games with the opening that has this number.",
            number(),
        ),
        parameter(
            "match",
            "List games of this match, rated or not. Only its client and admins may list them.",
            json!({"type": "string"}),
        ),
        parameter(
            "before",
            "List games before the game with this number.",
            number(),
        ),
        parameter(
            "limit",
            "The maximum number of games on a page. Values above 200 count as 200.",
            json!({
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_LIMIT,
                "default": DEFAULT_LIMIT,
            }),
        ),
    ]
}
