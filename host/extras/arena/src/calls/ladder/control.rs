//! `POST /v1/arena/pause`, `/v1/arena/resume` and `/v1/arena/players/{id}/rate-now`, for admins.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::{ArenaStateReply, PlayerReply, View, player::id_parameter};
use crate::Arena;
use api::{
    call::{CLIENT, Call},
    problem::{Code, Problem},
    schemas::schema_of,
};
use server::{
    Endpoint,
    http::{client::admin_of, reply::respond},
};

pub(crate) const PAUSE: Endpoint = Endpoint {
    route: || web::to(pause),
    call: Call {
        tag: "arena",
        summary: "Pause the arena",
        description: "Cancels the arena's searches. Its games continue after `/v1/arena/resume`. \
                      Requires the key of a client with `admin = true`.",
        example: include_str!("pause.json"),
        errors: &[CLIENT, &[Code::NotFound]],
        ..Call::action(
            "pauseArena",
            "/v1/arena/pause",
            schema_of::<ArenaStateReply>,
        )
    },
};
pub(crate) const RESUME: Endpoint = Endpoint {
    route: || web::to(resume),
    call: Call {
        tag: "arena",
        summary: "Resume the arena",
        description: "Continues the arena's games. Requires the key of a client with `admin = \
                      true`.",
        example: include_str!("resume.json"),
        errors: &[CLIENT, &[Code::NotFound]],
        ..Call::action(
            "resumeArena",
            "/v1/arena/resume",
            schema_of::<ArenaStateReply>,
        )
    },
};
pub(crate) const RATE_NOW: Endpoint = Endpoint {
    route: || web::to(rate_now),
    call: Call {
        tag: "arena",
        summary: "Rate a player first",
        description: "Plays the pairs of this player first until its rating is known to within 60 \
                      Elo. Requires the key of a client with `admin = true`.",
        parameters: id_parameter,
        example: include_str!("rate_now.json"),
        errors: &[CLIENT, &[Code::NotFound]],
        ..Call::action(
            "ratePlayer",
            "/v1/arena/players/{id}/rate-now",
            schema_of::<PreferredReply>,
        )
    },
};

/// The reply of `POST /v1/arena/players/{id}/rate-now`.
#[derive(Serialize, ToSchema)]
struct PreferredReply {
    /// The player.
    player: PlayerReply,
}

async fn pause(request: HttpRequest) -> HttpResponse {
    respond(&request, control(&request, Arena::pause))
}

async fn resume(request: HttpRequest) -> HttpResponse {
    respond(&request, control(&request, Arena::resume))
}

fn control(request: &HttpRequest, change: fn(&Arena)) -> Result<ArenaStateReply, Problem> {
    let View { arena, .. } = view_of_admin(request)?;
    change(&arena);
    Ok(arena.state().into())
}

async fn rate_now(request: HttpRequest) -> HttpResponse {
    let reply = || {
        let view = view_of_admin(&request)?;
        let player = view.player_of(&request)?;
        if !view.arena.rate_now(player.id) {
            let detail =
                "this version of the player no longer plays; choose a current one in GET /v1/arena";
            return Err(Problem::new(Code::NotFound, detail));
        }
        Ok(PreferredReply {
            player: player.into(),
        })
    };
    respond(&request, reply())
}

/// # Errors
/// The client is not an admin.
fn view_of_admin(request: &HttpRequest) -> Result<View, Problem> {
    let view = View::of(request)?;
    admin_of(request, "control the arena")?;
    Ok(view)
}
