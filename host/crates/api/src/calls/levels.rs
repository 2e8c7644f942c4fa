//! `GET /v1/levels`: the levels that a client may play against, with their strength.

use std::collections::BTreeMap;

use ai_api::{Limits, OptionSetting};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    call::Call,
    forms::options::{OptionReply, is_open},
    replies::search::LimitReply,
    schemas::schema_of,
};
use config::{ClientSettings, LevelSettings, SearchMaxima};
use game::{GameService, Limit};
use pool::Ai;

pub const CALL: Call = Call {
    tag: "ai",
    summary: "List levels",
    description: "Lists the levels that the client may play against, the weakest first. A level is \
                  an AI with options and limits whose strength was measured. To play against it, \
                  send its `ai`, `options` and `limit` to `/v1/best-move`.",
    example: include_str!("levels/example.json"),
    ..Call::tagged("listLevels", "/v1/levels", schema_of::<LevelsReply>)
};

/// The reply of `GET /v1/levels`.
#[derive(Debug, Serialize, ToSchema)]
pub struct LevelsReply {
    /// The levels, the weakest first.
    levels: Vec<LevelReply>,
}

/// A level.
#[derive(Debug, Serialize, ToSchema)]
struct LevelReply {
    /// The id.
    id: String,
    /// The name for players.
    name: String,
    /// The measured strength.
    elo: u32,
    /// Half the width of the 95 % confidence interval of `elo`. Absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    elo_error: Option<u32>,
    /// The scale of `elo`, such as a rating list. Absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<String>,
    /// The AI that plays. Send it as `ai`.
    ai: String,
    /// The options of the level. Send them as `options`.
    options: BTreeMap<String, OptionReply>,
    /// The limit of the level. Send it as `limit`.
    limit: LimitReply,
}

/// Returns the levels that a client may play against.
pub fn respond(service: &GameService, client: &ClientSettings) -> LevelsReply {
    let mut levels: Vec<_> = service.config().levels.values().collect();
    levels.sort_by_key(|level| level.elo);
    let offered = levels
        .into_iter()
        .filter_map(|level| offered(level, service, client));
    LevelsReply {
        levels: offered.collect(),
    }
}

/// Returns a level as the client sees it; `None` if the client cannot request it.
fn offered(
    level: &LevelSettings,
    service: &GameService,
    client: &ClientSettings,
) -> Option<LevelReply> {
    let LevelSettings {
        id,
        name,
        ai,
        elo,
        elo_error,
        scale,
        options,
        limit,
    } = level.clone();
    let player = service.ais().get(&ai)?;
    let limit = limit.map_or_else(
        || player.settings.default_limit_with(&options),
        |limit| limit.limits,
    );
    let may_ask =
        service.config().lets_name(client, &ai) && !(client.local_only && player.is_remote());
    if !may_ask || !accepts(player, &options) || !is_within(limit, &client.max_search) {
        return None;
    }
    let options = OptionReply::map(&options).unwrap_or_default();
    Some(LevelReply {
        id,
        name,
        elo,
        elo_error,
        scale,
        ai,
        options,
        limit: Limit::of(&limit).into(),
    })
}

/// Returns whether requests may set these options. The configuration check cannot test this for a
/// node's AI.
fn accepts(ai: &Ai, options: &[OptionSetting]) -> bool {
    options.iter().all(|OptionSetting { name, value }| {
        let spec = ai.about.options.iter().find(|spec| spec.name == *name);
        spec.is_some_and(|spec| {
            is_open(spec, &ai.settings.overridable_options) && spec.allows(value)
        })
    })
}

/// Returns whether a client's maxima leave a level's search as it was when its strength was
/// measured. A depth or node limit may be combined with a maximum time.
fn is_within(limit: Limits, most: &SearchMaxima) -> bool {
    let Limit {
        depth,
        nodes,
        movetime_ms,
        ..
    } = Limit::of(&limit);
    let depth = most
        .depth
        .is_none_or(|most| depth.is_some_and(|depth| depth <= most));
    let nodes = most
        .nodes
        .is_none_or(|most| nodes.is_some_and(|nodes| nodes <= most));
    let time = most
        .movetime_ms
        .is_none_or(|most| movetime_ms.is_none_or(|movetime| movetime <= most));
    depth && nodes && time
}
