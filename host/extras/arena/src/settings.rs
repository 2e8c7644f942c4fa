//! `[arena]`.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use config::{
    ClockControl, Config, PlayerText,
    extra::ExtraSettings,
    issue::Issues,
    kinds::{Flag, ItemError, List, allowed_text, description_of_text, number, path, text},
    known_ais::KnownAis,
    section,
    section::{IntoField as _, Section as _},
    table::Table,
};
use library::file_access::written;

/// Games are short, so that a client's request rarely interrupts one.
const TIME_CONTROL: ClockControl = ClockControl {
    moves: None,
    base_ms: 10_000,
    increment_ms: 100,
};

section! {
    /// `[arena]`: the endless tournament, which plays while no client is using an AI.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ArenaSettings {
        /// The file of games and ratings. `rookery serve --arena FILE` takes precedence.
        file: Option<PathBuf> =
            path("the path of a file, relative to this file, such as \"arena.db\"; it is created \
                if it does not exist")
                .optional("no arena")
                .example("\"arena.db\""),
        /// The players: AI IDs, with options after commas as in `rookery match`.
        players: Option<Vec<String>> = List::new(
            "a list of players, such as [\"basic1\", \"basic1,depth=3\"], each once",
            entry,
            String::clone,
        ).optional("every AI on this machine").example("[\"basic1\", \"basic1,depth=3\"]"),
        /// Players with fixed ratings, until their files or options change. Without anchors,
        /// ratings are relative to an average of 1500.
        anchors: Vec<Anchor> = List::new(
            "a list of players with their ratings, such as [\"basic1,depth=3=1000\"]",
            anchor,
            shown_anchor,
        ).or(Vec::new()).example("[\"basic1,depth=3=1000\"]"),
        /// The clock of every game. To change it, choose another file.
        time_control: ClockControl = text(
            "[MOVES/]SECONDS[+SECONDS], at most a day, such as \"10+0.1\" or \"40/60\"",
        ).or(TIME_CONTROL),
        /// The number of parallel games.
        concurrency: usize = number(1..=256).or(1),
        /// Whether the nodes in `nodes` of `[fleet]` also play pairs, one per slot. They get the
        /// players' files.
        fleet: bool = Flag.or(false),
        /// Games continue once no client has used an AI for this many seconds.
        idle_s: u64 = number(1..=86_400).or(10),
        /// The size of the file in MiB at which the arena pauses. Clients' matches may take a
        /// quarter of it.
        max_mb: u64 = number(1..=1_000_000).or(1024),
    }
}

/// A player with a fixed rating.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// As in `players`.
    pub player: String,
    pub elo: f64,
}

fn entry(text: &str, _: &Path) -> Result<String, ItemError> {
    allowed_text(text, |text| {
        PlayerText::parse(text).is_ok_and(|player| !player.ai.is_empty())
    })
}

fn anchor(text: &str, folder: &Path) -> Result<Anchor, ItemError> {
    let parsed = text.rsplit_once('=').and_then(|(player, elo)| {
        let elo: f64 = elo
            .parse()
            .ok()
            .filter(|elo: &f64| (-2000.0..=5000.0).contains(elo))?;
        entry(player, folder)
            .ok()
            .map(|player| Anchor { player, elo })
    });
    parsed.ok_or(ItemError::Value)
}

fn shown_anchor(Anchor { player, elo }: &Anchor) -> String {
    format!("{player}={elo}")
}

/// The keys that an arena reads only when it starts.
const READ_ONCE: [&str; 6] = [
    "file",
    "time_control",
    "concurrency",
    "fleet",
    "idle_s",
    "max_mb",
];

impl ArenaSettings {
    /// Returns the settings in a configuration, or the defaults if this section was not read.
    pub fn of(config: &Config) -> Self {
        config.extra().cloned().unwrap_or_else(Self::defaults)
    }
}

impl ExtraSettings for ArenaSettings {
    const NAME: &'static str = "arena";
    const ABOUT: &'static str = "The endless tournament between this machine's AIs, which plays \
        while no client is using an AI; see `docs/arena.md`.";

    fn read_checked(table: &Table<'_>, known: &KnownAis<'_>, issues: &mut Issues<'_>) -> Self {
        let mut arena = Self::read_table(table, issues);
        // The path is not canonicalized, since the file need not exist.
        arena.file = arena.file.map(|file| written(table.document.folder, &file));
        if arena.fleet && !known.has_remote {
            let message = format!(
                "`{}` is true, but there is no [fleet]",
                table.path_of("fleet")
            );
            issues
                .at(&table.span_of("fleet"), &message)
                .allow("true only with a [fleet] whose `nodes` play");
        }
        for key in ["players", "anchors"] {
            let mut seen = BTreeSet::new();
            for (text, span) in table.texts(key) {
                let player = if key == "players" {
                    text
                } else {
                    text.rsplit_once('=').map_or(text, |(player, _)| player)
                };
                if !issues.any_at(&span) && !seen.insert(player) {
                    let message = format!(
                        "`{}` contains {} twice",
                        table.path_of(key),
                        description_of_text(player)
                    );
                    issues.at(&span, &message).allow("each player once");
                }
                let id = PlayerText::ai_of(player);
                if !issues.any_at(&span) && !known.contains(id) {
                    known.report_unknown(&table.path_of(key), id, &span, issues);
                }
            }
        }
        arena
    }

    fn named_ais(&self) -> Vec<String> {
        let anchors = self.anchors.iter().map(|anchor| &anchor.player);
        let named = self.players.iter().flatten().chain(anchors);
        named
            .map(|player| PlayerText::ai_of(player).to_owned())
            .collect()
    }

    fn is_taken_over(key: &str) -> bool {
        !READ_ONCE.contains(&key)
    }
}
