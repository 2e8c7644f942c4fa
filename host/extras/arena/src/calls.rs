//! The calls of the arena and of matches, for the server.

pub mod ladder;

mod matches;
mod words;

use server::calls::call::Call;

/// The calls, in the order of the document.
pub const CALLS: &[Call] = &[
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
