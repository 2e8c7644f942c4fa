//! `rookery arena`.

use std::fs;

use tournament::GameResult::{Draw, Loss, Win};

use crate::{
    cli::{Outcome, command, outcome},
    support::{
        ConfigFile,
        arena::{ArenaFile, path},
        assert_has, basic1_and,
    },
};

const PLAYERS: &str = "[arena]\nfile = \"arena.db\"\nplayers = [\"basic1\", \"basic1,depth=1\"]\n";

fn arena(file: &ConfigFile, arguments: &[&str]) -> Outcome {
    let mut run = command(&["arena"]);
    outcome(
        run.args(arguments)
            .arg("--config")
            .arg(file.path())
            .current_dir(file.folder()),
    )
}

/// A configuration whose arena has played two pairs.
fn played() -> ConfigFile {
    let file = basic1_and(PLAYERS);
    let games = ArenaFile::new(&file);
    games.add_pair([0, 1], [Win, Draw], None);
    games.add_pair([0, 1], [Win, Loss], None);
    file
}

#[test]
fn shows_the_ladder_and_a_record() {
    let file = played();
    let ladder = arena(&file, &[]).data();
    let lines: Vec<_> = ladder
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .collect();
    assert_eq!(
        lines[0],
        [
            "rank", "id", "player", "version", "Elo", "games", "score", "draws", "faults", "better"
        ]
    );
    assert_eq!(lines[1][..4], ["1", "1", "basic1", "1"]);
    assert_eq!(lines[2][..4], ["2", "2", "basic1,depth=1", "1"]);
    assert_has(
        &ladder,
        &[
            "2 pairs of games, 0 void",
            "relative to an average of 1500",
            " 88 % ",
            " 25 % ",
        ],
    );
    let json = arena(&file, &["--json"]).json();
    assert_eq!(
        (&json["players"][0]["wins"], &json["players"][0]["draws"]),
        (&3.into(), &1.into())
    );
    let record = arena(&file, &["player", "2"]).data();
    assert_has(
        &record,
        &[
            "basic1,depth=1 version 1: ",
            "  against basic1 version 1: +0 =1 -3",
            "in 4 games",
        ],
    );
    let record = arena(&file, &["player", "2", "--json"]).json();
    assert_eq!(
        (
            &record["player"]["rank"],
            &record["opponents"][0]["white"]["losses"]
        ),
        (&2.into(), &1.into())
    );
    assert_eq!(record["versions"][0]["games"], 4);
    arena(&file, &["player", "7"]).fails_with(2, &["the arena has no player 7"]);
}

#[test]
fn an_export_can_be_imported_elsewhere() {
    let file = played();
    let games = arena(&file, &["export"]).data();
    assert_eq!(rules::parse_pgn(&games).unwrap().len(), 4);
    let other = basic1_and(PLAYERS);
    drop(ArenaFile::new(&other));
    fs::write(other.folder().join("games.pgn"), games).unwrap();
    let imported = arena(&other, &["import", "games.pgn"]);
    assert_eq!(imported.status, Some(0), "{}", imported.stderr);
    assert_eq!(
        imported.stdout.trim(),
        "4 games added, 0 already known, 0 refused",
        "{}",
        imported.stderr
    );
    let again = arena(&other, &["import", "games.pgn", "--json"]).json();
    assert_eq!(
        (&again["games"], &again["known"]),
        (&0.into(), &4.into()),
        "{again}"
    );
}

#[test]
fn a_backup_is_a_complete_arena() {
    let file = played();
    let copied = arena(&file, &["backup", "copy.db"]);
    assert_eq!(
        (copied.status, copied.stderr.trim()),
        (Some(0), "copied to copy.db")
    );
    let mut run = command(&["arena", "--arena", "copy.db", "--config"]);
    let ladder = outcome(run.arg(file.path()).current_dir(file.folder())).data();
    assert!(ladder.contains("2 pairs of games"), "{ladder}");
    arena(&file, &["backup", "copy.db"])
        .fails_with(2, &["copy.db", "the file exists; choose another path"]);
}

#[test]
fn says_what_is_wrong_with_a_file() {
    let none = basic1_and("");
    arena(&none, &[]).fails_with(2, &["there is no arena", "give --arena FILE"]);
    let file = basic1_and(PLAYERS);
    arena(&file, &[]).fails_with(2, &["arena.db", "No such file"]);
    fs::write(path(&file), "1. e4 e5 *").unwrap();
    arena(&file, &[]).fails_with(2, &["is not an arena file"]);
    arena(&file, &["run", "--pairs", "1"]).fails_with(2, &["is not an arena file"]);
    arena(&file, &["run", "--pairs", "0"]).fails_with(2, &["0 is not in"]);
    fs::remove_file(path(&file)).unwrap();
    let held = ArenaFile::new(&file);
    arena(&file, &["run", "--pairs", "1"]).fails_with(
        2,
        &[
            "is in use by process",
            "stop that arena, or choose another file",
        ],
    );
    drop(held);
    let text = fs::read_to_string(file.path()).unwrap();
    fs::write(
        file.path(),
        text.replace("[arena]", "[arena]\ntime_control = \"5\""),
    )
    .unwrap();
    arena(&file, &["run", "--pairs", "1"])
        .fails_with(2, &["has games with the time control 10+0.1, not 5"]);
}
