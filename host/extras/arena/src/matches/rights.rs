//! Whether a client may play its match.

use std::time::SystemTime;

use config::{Config, ExpiryState, PlayerText, ensure_known};

use super::request::MatchRequest;
use crate::retention::has_key;

/// Returns whether a configuration lets a client play a match now: it knows the client, with or
/// without a key as before, and lets it ask both AIs.
pub(super) fn may_play(config: &Config, client: &str, request: &MatchRequest) -> bool {
    let id = client.split_once(' ').map_or(client, |(id, _)| id);
    let Some(settings) = config.clients.get(id) else {
        return false;
    };
    let now = SystemTime::now();
    has_key(client) != settings.keys().is_empty()
        && settings
            .expires
            .is_none_or(|expiry| expiry.state(now) != ExpiryState::Expired)
        && settings
            .max_match_games
            .is_some_and(|most| request.games <= most)
        && ais(request).all(|ai| config.lets_name(settings, ai))
}

/// Returns whether a configuration or its plugin directories have both AIs.
pub(super) fn has_ais(config: &Config, request: &MatchRequest) -> bool {
    ais(request)
        .all(|ai| config.ais.contains_key(ai) || ensure_known(&mut config.clone(), ai).is_ok())
}

fn ais(request: &MatchRequest) -> impl Iterator<Item = &str> {
    request
        .players
        .iter()
        .map(|player| PlayerText::ai_of(player))
}
