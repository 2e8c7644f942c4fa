//! The server's calls for the arena and matches.

pub mod ladder;

mod matches;
mod words;

use server::Endpoint;

/// The calls, in the order of the `OpenAPI` document.
pub const ENDPOINTS: &[Endpoint] = &[
    ladder::CALL,
    ladder::player::CALL,
    ladder::games::LIST,
    ladder::games::ONE,
    ladder::live::CALL,
    ladder::control::PAUSE,
    ladder::control::RESUME,
    ladder::control::RATE_NOW,
    matches::START,
    matches::ONE,
    matches::STOP,
    matches::GAMES,
];
