//! Valid and invalid `[arena]` sections.

use arena::{Anchor, ArenaSettings};
use config::{Config, LoadOptions, extra::ExtraSection};
use tempfile::TempDir;
use test_kit::configuration::{self, AI};

const PLAYERS: &str = "= allowed: a list of players, such as [\"basic1\", \"basic1,depth=3\"], \
                       each once (default: every AI on this machine)";
const SECTIONS: &[ExtraSection] = &[ExtraSection::of::<ArenaSettings>()];

fn loaded(text: &str) -> (TempDir, Config) {
    configuration::loaded(text, &LoadOptions::none().with_extras(SECTIONS, &[]))
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let options = LoadOptions::none().with_extras(SECTIONS, &[]);
    configuration::check(text, expected, &options);
}

#[test]
fn reads_players_and_anchors() {
    let (_folder, config) = loaded(&format!(
        "{AI}[arena]\nfile = 'arena.db'\nplayers = ['a', 'a,depth=3']\nanchors = \
         ['a,elo=1500=1850.5']\n"
    ));
    assert!(
        ArenaSettings::of(&config)
            .file
            .is_some_and(|file| file.ends_with("config/arena.db"))
    );
    assert_eq!(
        ArenaSettings::of(&config).players.unwrap(),
        ["a", "a,depth=3"]
    );
    assert_eq!(
        ArenaSettings::of(&config).anchors,
        [Anchor {
            player: "a,elo=1500".into(),
            elo: 1850.5
        }]
    );
}

#[test]
fn rejects_players_with_malformed_or_repeated_settings() {
    check(
        &format!("{AI}[arena]\nplayers = ['a,depth', 'a,x=1,x=2']\nanchors = ['a,depth=1000']\n"),
        &format!(
            r#"
error: `arena.players` contains "a,depth"
--> 4:12 'a,depth'
{PLAYERS}

error: `arena.players` contains "a,x=1,x=2"
--> 4:23 'a,x=1,x=2'
{PLAYERS}

error: `arena.anchors` contains "a,depth=1000"
--> 5:12 'a,depth=1000'
= allowed: a list of players with their ratings, such as ["basic1,depth=3=1000"] (default: [])
"#
        ),
    );
}

#[test]
fn rejects_invalid_players() {
    check(
        &format!(
            "{AI}[arena]\nplayers = ['a', 'b,depth=3', 'a=1800', 'a', '']\nanchors = ['a=1800', \
             'a=1900', 'b=1', 'a', 'a,depth=2=6000']\n"
        ),
        &format!(
            r#"
error: `arena.players` names the AI `b`, which is not configured
--> 4:17 'b,depth=3'
= allowed: a

error: `arena.players` names the AI `a=1800`, which is not configured
--> 4:30 'a=1800'
= allowed: a

error: `arena.players` contains "a" twice
--> 4:40 'a'
= allowed: each player once

error: `arena.players` contains an empty string
--> 4:45 ''
{PLAYERS}

error: `arena.anchors` contains "a" twice
--> 5:22 'a=1900'
= allowed: each player once

error: `arena.anchors` names the AI `b`, which is not configured
--> 5:32 'b=1'
= allowed: a

error: `arena.anchors` contains "a"
--> 5:39 'a'
= allowed: a list of players with their ratings, such as ["basic1,depth=3=1000"] (default: [])

error: `arena.anchors` contains "a,depth=2=6000"
--> 5:44 'a,depth=2=6000'
= allowed: a list of players with their ratings, such as ["basic1,depth=3=1000"] (default: [])
"#
        ),
    );
}

#[test]
fn rejects_nodes_without_a_fleet() {
    check(
        &format!("{AI}[arena]\nfleet = true\n"),
        r"
error: `arena.fleet` is true, but there is no [fleet]
--> 4:9 true
= allowed: true only with a [fleet] whose `nodes` play
",
    );
}
