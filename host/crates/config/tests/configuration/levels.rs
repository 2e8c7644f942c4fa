//! `[level.ID]`.

use ai_api::{Limits, OptionSpec, OptionValue};
use config::{ConfigErrors, LevelSettings, SetLimit};

use crate::support::{AI, FULL, check, loaded, option};

fn specs() -> Vec<OptionSpec> {
    vec![
        OptionSpec::integer("elo", 0, 0..=2800, "the strength"),
        OptionSpec::integer("hash_mb", 16, 1..=1024, "size of the table"),
    ]
}

#[test]
fn reads_levels() {
    let (_folder, config) = loaded(FULL);
    let club = LevelSettings {
        id: "club".into(),
        name: "Level 5".into(),
        ai: "basic1".into(),
        elo: 1550,
        elo_error: Some(60),
        scale: Some("CCRL Blitz".into()),
        options: vec![
            option("style", OptionValue::Text("wild".into())),
            option("odd name", OptionValue::Flag(false)),
        ],
        limit: Some(SetLimit::default(Limits::nodes(5000))),
    };
    let strongest = LevelSettings {
        id: "strongest".into(),
        name: "Strongest".into(),
        ai: "uci".into(),
        elo: 3000,
        elo_error: None,
        scale: None,
        options: Vec::new(),
        limit: None,
    };
    assert_eq!(
        config.levels.into_values().collect::<Vec<_>>(),
        [club, strongest]
    );
}

#[test]
fn rejects_incomplete_and_invalid_levels() {
    check(
        &format!(
            "{AI}[level.Club]\n[level.x]\nname = \"\\u001b\"\nai = 'b'\nelo = 1500.5\noptions = \
             3\nlimit = {{}}\nmood = 1\n[level.y]\nname = '{}'\nai = 'a'\nelo = 5001\nlimit = {{ \
             movetime_ms = 10000 }}\nelo_error = -1\nscale = '{}'\n",
            "n".repeat(41),
            "s".repeat(41)
        ),
        r#"
error: `Club` is not a valid id for a level
--> 3:8 Club
= allowed: 1 to 64 of a-z, 0-9, `_` and `-`

error: [level.Club] has no `name`
--> 3:8 Club
= allowed: one line of at most 40 characters

error: [level.Club] has no `ai`
--> 3:8 Club
= allowed: the ID of an AI: from an [ai.ID] in this file, a library in plugins.directories or, with a [fleet], a node

error: [level.Club] has no `elo`
--> 3:8 Club
= allowed: a whole number from 0 to 5000

error: `level.x.name` is "�"
--> 5:8 "\u001b"
= allowed: one line of at most 40 characters

error: `level.x.ai` names the AI `b`, which is not configured
--> 6:6 'b'
= allowed: a

error: `level.x.elo` is 1500.5
--> 7:7 1500.5
= allowed: a whole number from 0 to 5000

error: `level.x.options` is 3
--> 8:11 3
= allowed: a table, as in [level.ID.options]

error: `level.x.limit` sets no limit
--> 9:1 limit
= allowed: one or more of depth, nodes, movetime_ms, mate (default: the AI's own)

error: unknown key `mood` in [level.x]
--> 10:1 mood
= allowed: name, ai, elo, elo_error, scale, options, limit

error: `level.y.name` is "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
--> 12:8 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn'
= allowed: one line of at most 40 characters

error: `level.y.elo` is 5001
--> 14:7 5001
= allowed: a whole number from 0 to 5000

error: `level.y.limit.movetime_ms` is 10000, but `ai.a.move_timeout_ms` is 10000
--> 15:25 10000
= allowed: less than `move_timeout_ms`, after which the request fails

error: `level.y.elo_error` is -1
--> 16:13 -1
= allowed: a whole number from 0 to 5000 (default: unknown)

error: `level.y.scale` is "sssssssssssssssssssssssssssssssssssssssss"
--> 17:9 'sssssssssssssssssssssssssssssssssssssssss'
= allowed: one line of at most 40 characters (default: unknown)
"#,
    );
}

#[test]
fn checks_level_options_against_the_ai() {
    let level = "[level.club]\nname = 'Club'\nai = 'a'\nelo = 1550\n";
    let issues = |overridable: &str, options: &str| {
        let (folder, config) = loaded(&format!(
            "{AI}overridable_options = {overridable}\n{level}options = {options}\n"
        ));
        let issues = config.check_options("a", &specs());
        assert!(
            config.check_options("b", &specs()).is_empty()
                && config.check_levels("b", &specs()).is_empty()
        );
        assert_eq!(config.check_levels("a", &specs()), issues);
        let errors = ConfigErrors::none_of(issues)
            .err()
            .map(|errors| errors.to_string());
        errors.map(|errors| errors.replace(&*folder.path().to_string_lossy(), ""))
    };
    assert_eq!(issues("['elo']", "{ elo = 1550 }"), None);
    let errors = issues("['elo']", "{ elo = 2801, hash_mb = 16, ello = 3 }").unwrap();
    assert_eq!(
        errors,
        r"error: `level.club.options.elo` is 2801
 --> /config/rookery.toml:8:19
  |
8 | options = { elo = 2801, hash_mb = 16, ello = 3 }
  |                   ^^^^
  |
  = allowed: a whole number from 0 to 2800 (default: 0)
  = elo: the strength

error: the AI `a` declares no option `ello`
 --> /config/rookery.toml:8:39
  |
8 | options = { elo = 2801, hash_mb = 16, ello = 3 }
  |                                       ^^^^
  |
  = allowed: elo, hash_mb
  = did you mean `elo`?

error: `level.club.options` sets `hash_mb`, which requests may not set
 --> /config/rookery.toml:8:25
  |
8 | options = { elo = 2801, hash_mb = 16, ello = 3 }
  |                         ^^^^^^^
  |
  = allowed: options in `ai.a.overridable_options`: elo

3 errors in the configuration"
    );
    let errors = issues("[]", "{ elo = 1550 }").unwrap();
    assert!(
        errors.contains("= allowed: options in `ai.a.overridable_options`: none"),
        "{errors}"
    );
}
