//! Games of 8,000 half-moves in every form.

use std::time::Duration;

use ai_api::{Move, Role};
use formats::FormatName;
use rules::{Game, legal_moves, start_position};
use serde_json::{Value, json};
use test_kit::Reply;

use crate::{
    runner::{Attack, Attempt, Outcome},
    server::Setup,
};

const PLIES: usize = 8000;
const LIMITS: &str = "max_plies = 20000\nmax_body_bytes = 67108864\nreport_timeout_ms = 20000";

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        "the longest games are read in bounded time and memory",
        "8,000 half-moves in every form, converted, validated and answered",
        |attempt| {
            long_games(
                attempt,
                &FormatName::ALL
                    .iter()
                    .map(FormatName::into_str)
                    .collect::<Vec<_>>(),
            )
        },
    )
    .within(300)
    .long(),
    Attack::new(
        "the longest games are read in bounded time and memory",
        "8,000 half-moves as moves, SAN and PGN",
        |attempt| long_games(attempt, &["uci", "san", "pgn"]),
    )
    .within(120),
    Attack::new(
        "`max_plies` bounds every form",
        "2,001 half-moves in every form, with the default limit of 2,000",
        too_long_games,
    ),
];

/// Returns a long game that neither the fivefold repetition nor the 75-move rule ends.
fn long_game(plies: usize) -> Game {
    (1..)
        .find_map(|seed| try_long_game(plies, seed))
        .expect("random play finds one")
}

fn try_long_game(plies: usize, seed: u64) -> Option<Game> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut game = Game::new(start_position());
    while game.moves().len() < plies {
        let moves = legal_moves(game.position());
        let position = game.position();
        let changes = |chosen: &&Move| {
            position.role_at(chosen.from()) == Some(Role::Pawn) || position.is_capture(**chosen)
        };
        let time_for_a_change = position.halfmove_clock() >= 138;
        let wanted: Vec<_> = moves
            .iter()
            .filter(|chosen| changes(chosen) == time_for_a_change)
            .collect();
        let chosen = if wanted.is_empty() {
            moves[random.usize(..moves.len())]
        } else {
            *wanted[random.usize(..wanted.len())]
        };
        game.play(chosen).ok()?;
        if game.status().outcome.is_some() {
            return None;
        }
    }
    Some(game)
}

/// Returns a game in one form of a request.
fn form(format: &str, converted: &Value) -> Value {
    // Requests and replies use different names for these formats.
    let name = match format {
        "uci" => "moves",
        "xfen" => "fen",
        name => name,
    };
    json!({name: converted})
}

fn long_games(attempt: &Attempt, formats: &[&str]) -> Outcome {
    let server = Setup::good().server(LIMITS).start(attempt);
    let game = long_game(PLIES);
    let moves = json!({"moves": game.uci_moves()});
    let mut seen = Vec::new();
    let slowest = Duration::from_secs(15);
    for format in formats {
        let converted = server.post("/v1/convert", &json!({"game": moves, "to": format}));
        if converted.status != 200 {
            // Converting to a format without moves is an error.
            if converted.status == 422 || converted.status == 400 {
                seen.push(format!(
                    "{format}: {} {}",
                    converted.status,
                    converted.code()
                ));
                continue;
            }
            return Err(format!(
                "to {format}: {} {}",
                converted.status,
                converted.text()
            ));
        }
        let form = form(format, &converted.json()[format]);
        for (call, body) in [
            ("/v1/validate", json!({"game": form})),
            ("/v1/legal-moves", json!({"game": form})),
            ("/v1/best-move", json!({"game": form, "ai": "good"})),
            ("/v1/convert", json!({"game": form, "to": "pgn"})),
        ] {
            let reply = server.post(call, &body);
            if reply.status != 200 || reply.time > slowest {
                // A board lacks the side to move, so its status may be 4xx.
                if reply.status >= 500 || reply.time > slowest {
                    return Err(format!(
                        "{call} of {format}: {} after {:.1?}: {}",
                        reply.status,
                        reply.time,
                        reply.text()
                    ));
                }
            }
            seen.push(format!(
                "{format} {}: {} in {:.2?}, reply of {} kB",
                call.trim_start_matches("/v1/"),
                reply.status,
                reply.time,
                reply.body.len() >> 10
            ));
        }
    }
    server.is_unharmed("good")?;
    let megabytes = server.peak_mb();
    seen.push(format!("server {megabytes} MiB"));
    if megabytes > 700 {
        Err(seen.join("; "))
    } else {
        Ok(seen.join("; "))
    }
}

fn too_long_games(attempt: &Attempt) -> Outcome {
    let generous = Setup::good().server(LIMITS).start(attempt);
    let game = long_game(2001);
    let moves = json!({"moves": game.uci_moves()});
    let server = Setup::good()
        .server("max_body_bytes = 67108864")
        .start(attempt);
    let mut seen = Vec::new();
    for format in ["uci", "san", "pgn", "boards", "html"] {
        let converted = generous.post("/v1/convert", &json!({"game": moves, "to": format}));
        if converted.status != 200 {
            continue;
        }
        let game = form(format, &converted.json()[format]);
        for call in ["/v1/validate", "/v1/best-move", "/v1/report"] {
            let reply = server.post(call, &json!({"game": game}));
            if reply.status != 422 && reply.status != 400 && !holds_no_game(&reply) {
                return Err(format!(
                    "{call} of {format}: {} {}",
                    reply.status,
                    reply.text()
                ));
            }
        }
        seen.push(format);
    }
    Ok(format!("rejected as {}", seen.join(", ")))
}

/// Returns whether the format holds only a position.
fn holds_no_game(reply: &Reply) -> bool {
    reply.json()["game"]["moves"]
        .as_array()
        .is_some_and(|moves| moves.len() < 2)
}
