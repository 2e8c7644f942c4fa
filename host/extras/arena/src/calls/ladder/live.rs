//! `GET /v1/arena/live`: the running games, in one reply or as a stream.

use actix_web::{HttpRequest, HttpResponse, web};
use ai_api::Color;
use rules::PgnResult;
use serde::Serialize;
use strum::AsRefStr;
use tokio::sync::broadcast::error::RecvError;
use utoipa::ToSchema;

use super::{ArenaStateReply, PlayerReply, View};
use crate::{LiveEvent, LiveGame, LiveMove};
use api::{
    call::{CLIENT, Call},
    problem::{Code, Problem},
    record::{ERROR, HEARTBEAT, RecordRow, result},
    record_queue::RecordQueue,
    replies::game::ScoreReply,
    schemas::schema_of,
};
use server::{Endpoint, stream::stream_or_respond};

pub(crate) const CALL: Endpoint = Endpoint {
    route: || web::to(handle),
    call: Call {
        tag: "arena",
        summary: "List running arena games",
        description: "Returns the running games. A stream continues with new games, moves and \
                      results as they happen. It lasts until the client closes it and counts as \
                      one of the client's open requests. If the client reads it too slowly, it \
                      ends with an error.",
        records: &[
            RecordRow {
                kind: "state",
                name: "StreamArenaState",
                fields: schema_of::<ArenaStateReply>,
            },
            RecordRow {
                kind: "game",
                name: "StreamArenaGame",
                fields: schema_of::<LiveGameReply>,
            },
            RecordRow {
                kind: "move",
                name: "StreamArenaMove",
                fields: schema_of::<LiveMoveReply>,
            },
            RecordRow {
                kind: "end",
                name: "StreamArenaEnd",
                fields: schema_of::<LiveEndReply>,
            },
            HEARTBEAT,
            result("StreamArenaResult", schema_of::<LiveReply>),
            ERROR,
        ],
        example: include_str!("live.json"),
        errors: &[CLIENT, &[Code::NotFound]],
        ..Call::get("liveArena", "/v1/arena/live", schema_of::<LiveReply>)
    },
};

/// The reply of `GET /v1/arena/live`.
#[derive(Serialize, ToSchema)]
struct LiveReply {
    #[serde(flatten)]
    state: ArenaStateReply,
    /// The running games.
    games: Vec<LiveGameReply>,
}

type LiveRecords = RecordQueue<LiveRecord>;

/// A record of the stream.
#[derive(Serialize, AsRefStr)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
enum LiveRecord {
    State(ArenaStateReply),
    Game(LiveGameReply),
    Move(LiveMoveReply),
    End(LiveEndReply),
}

/// A running game.
#[derive(Serialize, ToSchema)]
struct LiveGameReply {
    /// The number of the game, counted from the server's start.
    game: u64,
    /// The player with White.
    white: PlayerReply,
    /// The player with Black.
    black: PlayerReply,
    /// The position in which the game started.
    fen: String,
    /// The moves so far, in UCI.
    moves: Vec<String>,
    /// The clocks.
    #[schema(required)]
    clocks: Option<LiveClocksReply>,
}

/// The clocks of a running game, in milliseconds.
#[derive(Serialize, ToSchema)]
pub(crate) struct LiveClocksReply {
    /// White's clock.
    white_ms: u64,
    /// Black's clock.
    black_ms: u64,
}

/// A move of a running game.
#[derive(Serialize, ToSchema)]
pub(crate) struct LiveMoveReply {
    /// The number of the game.
    game: u64,
    /// The move in UCI.
    uci: String,
    /// The move in SAN.
    san: String,
    /// The position after the move.
    fen: String,
    /// The player's score from White's point of view, or `null` if it gave none.
    #[schema(required)]
    score: Option<ScoreReply>,
    /// The depth of its search in plies.
    depth: u32,
    /// The time spent on the move in milliseconds.
    time_ms: u64,
    /// The clocks after the move.
    #[schema(required)]
    clocks: Option<LiveClocksReply>,
}

/// The end of a running game.
#[derive(Serialize, ToSchema)]
struct LiveEndReply {
    /// The number of the game.
    game: u64,
    /// `1-0`, `0-1` or `1/2-1/2`. `null` if the game was interrupted, for example by other work on
    /// the machine. An interrupted game can continue under another number.
    #[schema(required)]
    result: Option<&'static str>,
    /// How the game ended, in English.
    #[schema(required)]
    termination: Option<String>,
}

async fn handle(request: HttpRequest) -> HttpResponse {
    let view = View::of(&request);
    let run = async move |progress: Option<LiveRecords>| match progress {
        None => Ok(view?.running()),
        Some(progress) => view?.follow(&progress).await,
    };
    stream_or_respond(request, run).await
}

impl View {
    fn running(&self) -> LiveReply {
        let (games, _) = self.arena.watch();
        let games = games
            .into_iter()
            .filter_map(|game| self.shown(game))
            .collect();
        LiveReply {
            state: self.arena.state().into(),
            games,
        }
    }

    /// Sends events until the client falls too far behind.
    async fn follow(mut self, records: &LiveRecords) -> Result<LiveReply, Problem> {
        let (games, mut events) = self.arena.watch();
        records.send(LiveRecord::State(self.arena.state().into()));
        let mut running = games
            .into_iter()
            .map(|game| LiveEvent::Game(Box::new(game)));
        let mut seen = Vec::new();
        loop {
            let event = match running.next() {
                Some(event) => Ok(event),
                None => events.recv().await,
            };
            match event {
                Ok(LiveEvent::State(state)) => records.send(LiveRecord::State(state.into())),
                Ok(LiveEvent::Game(game)) => {
                    self.seen.ladder = self.arena.ladder();
                    if let Some(game) = self.shown(*game) {
                        seen.push(game.game);
                        records.send(LiveRecord::Game(game));
                    }
                }
                Ok(LiveEvent::Move(played)) if seen.contains(&played.number) => {
                    records.send(LiveRecord::Move((*played).into()));
                }
                Ok(LiveEvent::End { number, end }) if seen.contains(&number) => {
                    seen.retain(|seen| *seen != number);
                    let (result, termination) = end.unzip();
                    let result = result.map(PgnResult::text);
                    records.send(LiveRecord::End(LiveEndReply {
                        game: number,
                        result,
                        termination,
                    }));
                }
                Ok(LiveEvent::Move(_) | LiveEvent::End { .. }) => {}
                Err(RecvError::Lagged(_)) => {
                    let detail = "the client read the stream too slowly; open it again to continue \
                        with the running games";
                    return Err(Problem::new(Code::RequestTimeout, detail));
                }
                Err(RecvError::Closed) => {
                    return Err(Problem::new(Code::NotFound, "the arena has stopped"));
                }
            }
        }
    }

    fn shown(&self, running: LiveGame) -> Option<LiveGameReply> {
        let LiveGame {
            number,
            players: [white, black],
            game,
            clocks_ms,
        } = running;
        Some(LiveGameReply {
            game: number,
            white: self.seen.player(white)?.into(),
            black: self.seen.player(black)?.into(),
            fen: rules::format_fen(game.start()),
            moves: game.uci_moves(),
            clocks: clocks_ms.map(Into::into),
        })
    }
}

impl From<[u64; 2]> for LiveClocksReply {
    fn from(clocks_ms: [u64; 2]) -> Self {
        let [white_ms, black_ms] =
            [Color::White, Color::Black].map(|color| clocks_ms[color.index()]);
        Self { white_ms, black_ms }
    }
}

impl From<LiveMove> for LiveMoveReply {
    fn from(played: LiveMove) -> Self {
        let LiveMove {
            number,
            uci,
            san,
            fen,
            score,
            depth,
            time_ms,
            clocks_ms,
        } = played;
        Self {
            game: number,
            uci,
            san,
            fen,
            score: score.map(Into::into),
            depth,
            time_ms,
            clocks: clocks_ms.map(Into::into),
        }
    }
}
