//! `[level.ID]`.

use std::collections::BTreeMap;

use ai_api::OptionSetting;
use text::is_control_or_bidi;

use crate::{
    ai::AiSettings,
    ai_options::OptionTable,
    id::check_id,
    issue::Issues,
    kinds::{number, parsed, text},
    known_ais::{KnownAis, NAMED_AI},
    limit::{LimitTable, SetLimit, check_movetime},
    section::{IntoField as _, Section as _, TableName, section},
    table::Table,
};

const MAX_CHARS: usize = 40;
const LINE: &str = "one line of at most 40 characters";

section! {
    /// `[level.ID]`: an AI with options at a measured strength.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LevelSettings {
        /// The name that programs store for the level.
        id: String = TableName,
        /// The name that players see.
        name: String = parsed(LINE, short_line, String::clone).required().example("\"Level 5\""),
        /// The AI that plays.
        ai: String = text(NAMED_AI).required().example("\"basic1\""),
        /// The measured strength. `GET /v1/levels` and the page sort by it.
        elo: u32 = number(0..=5000).required().example("1550"),
        /// Half the width of the 95 % interval of `elo`.
        elo_error: Option<u32> = number(0..=5000).optional("unknown").example("60"),
        /// What `elo` was measured against, such as a rating list.
        scale: Option<String> = parsed(LINE, short_line, String::clone)
            .optional("unknown")
            .example("\"CCRL Blitz\""),
        /// The AI's options at this level, from its `overridable_options`.
        options: Vec<OptionSetting> = OptionTable {
            allowed: "a table, as in [level.ID.options]",
            default: "the AI's own",
        },
        /// The search limit of this level. `GET /v1/levels` omits the level for clients with lower
        /// limits.
        limit: Option<SetLimit> = LimitTable {
            absent: "the AI's own",
            example: Some("{ depth = 3 }"),
            may_bind: false,
        },
    }
}

fn short_line(text: &str) -> Option<String> {
    let is_short = text.chars().nth(MAX_CHARS).is_none() && !text.contains(is_control_or_bidi);
    is_short.then(|| text.to_owned())
}

/// Reads one `[level.ID]`.
pub(crate) fn read_level(
    table: &Table<'_>,
    known: &KnownAis<'_>,
    ais: &BTreeMap<String, AiSettings>,
    issues: &mut Issues<'_>,
) -> LevelSettings {
    check_id("a level", table, issues);
    let level = LevelSettings::read_table(table, issues);
    if let Some(ai) = table.text("ai") {
        known.check_named(&table.path_of("ai"), ai, &table.span_of("ai"), issues);
    }
    if let Some(ai) = ais.get(&level.ai) {
        let timeout_path = format!("ai.{}.move_timeout_ms", ai.id);
        check_movetime(
            level.limit,
            table,
            (&timeout_path, ai.move_timeout_ms),
            issues,
        );
    }
    level
}
