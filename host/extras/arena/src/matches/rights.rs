//! Whether a client may play its match.

use std::time::SystemTime;

use config::{ClientSettings, Config, ExpiryState, PlayerText, ensure_known};

use super::{record::Match, request::MatchRequest};
use crate::retention::has_key;

/// Returns whether a configuration lets a client play its match now. It must still contain the
/// client, with or without a key as before, and let it use both AIs. If nodes play the match, it
/// must also let the client use nodes.
pub(super) fn may_play(config: &Config, found: &Match) -> bool {
    let Match {
        client, request, ..
    } = found;
    let Some(settings) = settings_of(config, client) else {
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
        && (settings.fleet_matches || !found.is_for_nodes())
        && ais(request).all(|ai| config.lets_name(settings, ai))
}

/// Returns the settings of a match's client.
pub(super) fn settings_of<'a>(config: &'a Config, client: &str) -> Option<&'a ClientSettings> {
    let id = client.split_once(' ').map_or(client, |(id, _)| id);
    config.clients.get(id)
}

/// Returns whether a configuration or its plugin directories contain both AIs.
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
