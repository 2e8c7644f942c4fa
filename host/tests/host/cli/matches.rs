//! `rookery match`.

mod files;
mod foreign;
mod openings;
mod verdicts;

use std::{collections::BTreeSet, path::Path};

use rules::{PgnGame, parse_pgn};
use serde_json::Value;

use crate::{
    cli::{Outcome, command, outcome},
    plugins::promises::counting,
    support::{ConfigFile, assert_has, with_ais},
};

/// A configuration with two players and these faulty AIs.
fn players(faults: &[&str]) -> ConfigFile {
    let two = [
        ("full", "ai_basic1", ""),
        ("quick", "ai_basic1", "options.quiescence = false"),
    ];
    let faults: Vec<_> = faults
        .iter()
        .map(|&fault| (fault, fault, "move_timeout_ms = 300"))
        .collect();
    with_ais(&[&two[..], &faults].concat(), "")
}

/// Plays a match with these words as arguments.
fn play(file: &ConfigFile, arguments: &str) -> Outcome {
    let mut command = command(&["match"]);
    let words = shlex::split(arguments).unwrap();
    outcome(
        command
            .args(words)
            .arg("--config")
            .arg(file.path())
            .current_dir(file.folder()),
    )
}

fn games(path: &Path) -> Vec<PgnGame> {
    let mut games = parse_pgn(&std::fs::read_to_string(path).unwrap()).unwrap();
    games.sort_by_key(|game| game.tag("Round").unwrap().parse::<u32>().unwrap());
    games
}

fn moves(games: &[PgnGame]) -> Vec<String> {
    games
        .iter()
        .map(|game| game.game.uci_moves().join(" "))
        .collect()
}

fn wins(games: &[PgnGame], player: &str) -> usize {
    let won = |game: &&PgnGame| match game.result.text() {
        "1-0" => game.tag("White") == Some(player),
        "0-1" => game.tag("Black") == Some(player),
        _ => false,
    };
    games.iter().filter(won).count()
}

#[test]
fn each_player_gets_one_new_game_call_per_game() {
    let file = counting();
    let text = std::fs::read_to_string(file.path()).unwrap();
    std::fs::write(
        file.path(),
        format!(
            "{text}[ai.full]
library = \"ai_basic1\"
"
        ),
    )
    .unwrap();
    let rules = "--games 4 --nodes 9 --max-moves 12 --draw off --resign off --concurrency 2";
    let outcome = play(&file, &format!("c full {rules} --pgn games.pgn"));
    assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    let text = std::fs::read_to_string(file.folder().join("games.pgn")).unwrap();
    // The file wraps its lines.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let games: Vec<_> = text.split("[Event ").skip(1).collect();
    assert_eq!(games.len(), 4);
    for game in games {
        let scores = game
            .split('{')
            .skip(1)
            .map(|comment| comment.strip_prefix("[%eval ")?.split(',').next());
        let evals = scores.map(|score| score.unwrap_or("0.00"));
        let evals: Vec<_> = evals
            .skip(usize::from(game.contains("[Black \"c\"]")))
            .step_by(2)
            .collect();
        // The 0 of a search at depth 0 is not a score.
        assert_eq!(evals[..3], ["0.00", "1.00", "2.00"], "{game}");
    }
}

#[test]
fn same_seed_and_nodes_give_the_same_games() {
    let file = players(&[]);
    let play = |more: &str| {
        play(
            &file,
            &format!("full quick --games 4 --nodes 400 --max-moves 40 {more}"),
        )
    };
    let first = play("--pgn a.pgn");
    let second = play("--pgn b.pgn --concurrency 2");
    let other = play("--pgn c.pgn --seed 2");
    assert!(
        first.last_line().starts_with("full - quick: "),
        "{}",
        first.stdout
    );
    assert!(
        first.last_line().contains(" Elo (")
            && first.last_line().contains("likelihood of superiority")
    );
    let [a, b, c] = ["a.pgn", "b.pgn", "c.pgn"].map(|name| games(&file.folder().join(name)));
    assert_eq!(moves(&a), moves(&b));
    assert_eq!(first.last_line(), second.last_line());
    assert_ne!(moves(&a), moves(&c), "{}", other.last_line());
    // Each opening is played with both colours.
    let opening = |game: &PgnGame| game.game.moves()[..8].to_vec();
    assert_eq!(
        (opening(&a[0]), opening(&a[2])),
        (opening(&a[1]), opening(&a[3]))
    );
    let white: Vec<_> = a.iter().map(|game| game.tag("White").unwrap()).collect();
    assert_eq!(white, ["full", "quick", "full", "quick"]);
    // Each move's comment contains its score, depth and time.
    assert!(
        a[0].notes.comments[9..]
            .iter()
            .all(|comment| comment.contains("[%eval ") && comment.contains("[%emt 0:00:0"))
    );
}

#[test]
fn seeds_differ_between_games_and_repeat_with_the_match() {
    let file = with_ais(
        &[
            ("seeded", "seeded", ""),
            ("fixed", "seeded", "options.seed = 3"),
        ],
        "",
    );
    std::fs::write(file.folder().join("one.pgn"), "1. e4 *\n\n").unwrap();
    let played = |name: &str, more: &str| {
        let arguments =
            "--games 6 --nodes 1 --max-moves 6 --draw off --resign off --openings one.pgn";
        let outcome = play(&file, &format!("{more} {arguments} --pgn {name}"));
        assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
        moves(&games(&file.folder().join(name)))
    };
    let distinct = |games: &[String]| games.iter().collect::<BTreeSet<_>>().len();
    let first = played("a.pgn", "seeded fixed");
    assert!(distinct(&first) > 2, "{first:?}");
    assert_eq!(played("b.pgn", "seeded fixed --concurrency 2"), first);
    assert_ne!(played("c.pgn", "seeded fixed --seed 2"), first);
    // One game with each colour.
    let set = played("d.pgn", "seeded,seed=5,book_seed=2 fixed,book_seed=2");
    assert_eq!(distinct(&set), 2, "{set:?}");
    let other = play(
        &file,
        "seeded fixed --games 6 --nodes 1 --max-moves 6 --draw off --resign off \
                             --openings one.pgn --pgn a.pgn --resume --seed 2",
    );
    assert_eq!(other.status, Some(2), "{}", other.stderr);
    assert!(
        other
            .stderr
            .contains("its games are from a different match"),
        "{}",
        other.stderr
    );
}

#[test]
fn resumes_an_interrupted_match() {
    let file = players(&[]);
    let play = |nodes: u32, more: &str| {
        play(
            &file,
            &format!("full quick --games 4 --max-moves 30 --nodes {nodes} {more}"),
        )
    };
    let whole = play(200, "--pgn whole.pgn");
    let path = file.folder().join("part.pgn");
    let text = std::fs::read_to_string(file.folder().join("whole.pgn")).unwrap();
    let third = text.match_indices("[Event ").nth(2).unwrap().0;
    // The file contains two games and a truncated third.
    std::fs::write(&path, &text[..third + 300]).unwrap();
    play(200, "--pgn part.pgn").fails_with(2, &["--resume"]);
    let resumed = play(200, "--pgn part.pgn --resume");
    assert_eq!(resumed.last_line(), whole.last_line());
    assert_eq!(
        resumed.stderr.matches("game ").count(),
        2,
        "{}",
        resumed.stderr
    );
    assert_eq!(
        moves(&games(&path)),
        moves(&games(&file.folder().join("whole.pgn")))
    );
    play(201, "--pgn part.pgn --resume").fails_with(2, &["from a different match"]);
}

#[test]
fn tablebases_end_games_with_their_result() {
    let file = players(&[]);
    // White takes the queen, which leaves four pieces.
    std::fs::write(
        file.folder().join("endings.epd"),
        "7k/8/8/8/8/5q2/6P1/K5Q1 w - -\n",
    )
    .unwrap();
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/syzygy");
    let arguments = "full quick --games 2 --depth 3 --draw off --resign off --openings endings.epd \
        --tablebases";
    play(&file, &format!("{arguments} nowhere"))
        .fails_with(2, &["--tablebases", "nowhere", "not a directory"]);
    play(
        &file,
        &format!("{arguments} '{}' --pgn games.pgn", tables.display()),
    );
    let games = games(&file.folder().join("games.pgn"));
    assert_eq!(games.len(), 2);
    for game in &games {
        assert_eq!((game.game.moves().len(), game.result.text()), (1, "1-0"));
        assert_eq!(game.tag("Termination"), Some("adjudication"));
        let last = game.notes.comments.last().unwrap();
        assert!(last.contains("Black loses by tablebase"), "{last}");
    }
}

#[test]
fn a_fault_loses_the_game_and_gives_the_reason() {
    let file = players(&["segfault", "hang", "illegal_move", "no_move"]);
    for (player, termination, reason) in [
        ("segfault", "abandoned", "ai_crashed"),
        ("hang", "abandoned", "ai_timeout"),
        ("illegal_move", "rules infraction", "ai_illegal_move"),
        ("no_move", "rules infraction", "played no move"),
    ] {
        let name = format!("{player}.pgn");
        let outcome = play(
            &file,
            &format!("full {player} --games 2 --depth 1 --pgn {name}"),
        );
        assert!(
            outcome.last_line().contains("won all games"),
            "{player}: {}",
            outcome.stdout
        );
        let games = games(&file.folder().join(&name));
        assert_eq!(wins(&games, "full"), 2, "{player}");
        for game in &games {
            assert_eq!(game.tag("Termination"), Some(termination), "{player}");
            let last = game.notes.comments.last().unwrap();
            assert!(
                last.contains(" loses: ") && last.contains(reason),
                "{player}: {last}"
            );
        }
    }
}

#[test]
fn an_sprt_ends_when_it_is_decided() {
    let file = players(&["no_move"]);
    let arguments = "full no_move --games 1000 --depth 1 --sprt 0,100 --json --concurrency 2";
    let outcome = play(&file, arguments);
    assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    let reply: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(
        (&reply["finish"], &reply["sprt"]["accepted"]),
        (&"decided".into(), &"H1".into()),
        "{reply}"
    );
    assert_eq!(reply["sprt"]["test"], "pentanomial GSPRT");
    assert!(reply["games"].as_u64().unwrap() < 500, "{reply}");
    assert_eq!(reply["encounters"][0]["losses"], 0);
}

#[test]
fn lists_games_that_were_lost_from_a_won_position() {
    let file = players(&["no_move"]);
    let queen_up = "4k3/8/8/8/8/8/3QP3/4K3 b - - 0 1";
    std::fs::write(file.folder().join("won.epd"), queen_up).unwrap();
    let arguments = "full no_move --games 2 --depth 2 --openings won.epd --pgn games.pgn";
    let outcome = play(&file, arguments);
    let lost = "  game 2: no_move (white) lost to full; 1... ";
    assert_has(
        &outcome.stdout,
        &[
            "lost from a won position",
            lost,
            " by full; 0-1, White loses: ",
            "; games.pgn:",
        ],
    );
    // The list includes games from an earlier run.
    let resumed = play(&file, &format!("{arguments} --resume --json"));
    let reply: Value = serde_json::from_str(&resumed.stdout).unwrap();
    let [game] = reply["lost_from_won"].as_array().unwrap().as_slice() else {
        panic!("{reply}")
    };
    assert_eq!(
        (&game["game"], &game["loser"], &game["color"]),
        (&2.into(), &"no_move".into(), &"white".into())
    );
    assert!(
        game["score_for_loser"]["cp"].as_i64().unwrap() >= 300,
        "{reply}"
    );
    let text = std::fs::read_to_string(file.folder().join("games.pgn")).unwrap();
    let line = game["line"].as_u64().unwrap() as usize;
    assert_has(
        &text
            .lines()
            .skip(line - 1)
            .take(4)
            .collect::<Vec<_>>()
            .join(" "),
        &["[Event ", "[Round \"2\"]"],
    );
}

#[test]
fn a_gauntlet_accepts_given_ratings() {
    let file = players(&["no_move"]);
    let rules = "--games 2 --nodes 50 --max-moves 8 --draw off --resign off";
    let play = |arguments: &str| play(&file, &format!("full {arguments} --gauntlet {rules}"));
    // Every game against `quick` is drawn, and all others are won.
    let outcome = play("quick --anchor quick=2000 --anchor no_move=1900 --json");
    let reply: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let rating = &reply["ratings"][0];
    assert_eq!(
        (&rating["player"], &rating["rating"]["bound"]),
        (&"full".into(), &"exact".into()),
        "{reply}"
    );
    assert!(
        rating["rating"]["elo"].as_f64().unwrap() > 2000.0,
        "{reply}"
    );
    assert!(
        rating["rating"]["error"].as_f64().unwrap() >= 50.0,
        "{reply}"
    );
    let gauntlet = &reply["gauntlet"];
    assert!(
        gauntlet["uci_elo"]["elo"].as_f64().unwrap() > 1800.0,
        "{reply}"
    );
    assert_eq!(gauntlet["missing_anchor"], "stronger", "{reply}");
    let [quick, no_move] = [0, 1].map(|index| &gauntlet["anchors"][index]);
    assert_eq!(
        (&quick["player"], &quick["source"]),
        (&"quick".into(), &"given".into()),
        "{reply}"
    );
    assert_eq!(
        (&quick["ccrl_blitz"], &quick["implied"]["bound"]),
        (&2000.0.into(), &"exact".into()),
        "{reply}"
    );
    assert_eq!(
        (&no_move["player"], &no_move["implied"]["bound"]),
        (&"no_move".into(), &"lower".into()),
        "{reply}"
    );
    // Two wins against an opponent that is 216 Elo stronger have a probability of 5 %. The scale
    // adds another 50 Elo.
    let won = play("--anchor no_move=1000");
    assert_eq!(
        won.last_line(),
        "full: at least 734 Elo (95 %) on CCRL Blitz, off the UCI_Elo scale, from 1 anchor"
    );
    assert_has(&won.stdout, &["No anchor is stronger than full; add one"]);
}

#[test]
fn a_round_robin_rates_every_player() {
    let file = players(&["no_move"]);
    let outcome = play(
        &file,
        "full quick no_move --games 2 --nodes 100 --max-moves 20",
    );
    assert_has(
        outcome.last_line(),
        &["full: ", "quick: ", "no_move: at most "],
    );
    assert!(
        outcome.stdout.starts_with("6 games, 100 nodes\n"),
        "{}",
        outcome.stdout
    );
    assert_eq!(
        outcome.stderr.lines().count(),
        6,
        "one line per game: {}",
        outcome.stderr
    );
}

#[test]
fn a_player_without_chess960_is_refused_before_the_first_game() {
    let file = players(&["seeded"]);
    let shuffled = "nrbnkrqb/pppp1p1p/4p1p1/8/7P/2P1P3/PPNP1PP1/1RBNKRQB w FBfb - 0 9\n";
    let usual = "4k3/8/8/8/8/8/3QP3/4K3 w - - 0 1\n";
    std::fs::write(file.folder().join("960.epd"), format!("{usual}{shuffled}")).unwrap();
    let rules = "--nodes 9 --max-moves 9 --openings 960.epd --pgn games.pgn";
    let refused = play(&file, &format!("full seeded --games 4 {rules}"));
    refused.fails_with(
        2,
        &[
            "opening 2 is Chess960, which 'seeded' does not play",
            "UCI_Chess960",
        ],
    );
    assert!(!file.folder().join("games.pgn").exists());
    for possible in ["full seeded --games 2 --seed 1", "full quick --games 4"] {
        let outcome = play(&file, &format!("{possible} {rules}"));
        assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
        std::fs::remove_file(file.folder().join("games.pgn")).unwrap();
    }
}

#[test]
fn warns_before_the_first_game_if_games_outnumber_processors() {
    let file = players(&[]);
    let processors = std::thread::available_parallelism().unwrap().get();
    let games = processors + 1;
    let play = |limit: &str| {
        let outcome = play(
            &file,
            &format!("full quick --games {games} --concurrency 256 --max-moves 2 {limit}"),
        );
        assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
        outcome.stderr
    };
    let first = play("--movetime-ms 5");
    let first = first.lines().next().unwrap();
    let expected = [
        format!(
            "note: {games} parallel games search with {games} threads on {processors} processor"
        ),
        "may lose on time".to_owned(),
        format!("--concurrency {processors},"),
    ];
    assert_has(first, &expected);
    assert!(
        !play("--nodes 9").contains("parallel"),
        "a node limit needs no clock"
    );
}

#[test]
fn loses_no_game_on_time() {
    let file = players(&[]);
    let outcome = play(
        &file,
        "full quick --games 2 --tc 2+0.1 --pgn clock.pgn --max-moves 30",
    );
    assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    for game in games(&file.folder().join("clock.pgn")) {
        assert_eq!(game.tag("TimeControl"), Some("2+0.1"));
        assert_ne!(game.tag("Termination"), Some("time forfeit"), "{game}");
    }
}

#[test]
fn a_player_may_have_its_own_limit() {
    let file = players(&[]);
    let outcome = play(
        &file,
        "full full,depth=1 --games 2 --nodes 2000 --pgn limit.pgn --max-moves 9",
    );
    assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    for game in games(&file.folder().join("limit.pgn")) {
        let limited = usize::from(game.tag("Black") == Some("full,depth=1"));
        let plies = game.game.moves().len() - 8;
        assert!(plies > 8, "{game}");
        for ply in 8..8 + plies {
            let is_at_depth_1 = game.notes.comments[ply + 1].contains(",1] ");
            assert_eq!(is_at_depth_1, ply % 2 == limited, "ply {ply} of {game}");
        }
    }
}

#[test]
fn rejects_wrong_usage_before_the_first_game() {
    let file = players(&[]);
    std::fs::write(file.folder().join("bad.epd"), "8/8/8/8/8/8/8/8 w - - 0 1").unwrap();
    for (arguments, part) in [
        ("full --games 2", "two or more players"),
        ("full full --games 2", "the player 'full' appears twice"),
        ("full quik --games 2", "did you mean 'quick'?"),
        ("full quick", "--games <N>"),
        (
            "full ./no.so --games 2",
            "'./no.so': the library can't be read: there is no such file",
        ),
        ("full quick --games 0", "0 is not in"),
        (
            "full quick,height=3 --games 2",
            "the AI has no option 'height'",
        ),
        (
            "full quick,depth=x --games 2",
            "'depth=x' is not a valid limit; depth must be a whole number from 1 to 1000",
        ),
        (
            "full quick,depth=0 --games 2",
            "'depth=0' is not a valid limit; depth must be a whole number from 1 to 1000",
        ),
        (
            "full quick,nodes=9,nodes=8 --games 2",
            "'nodes' is set twice; set it once",
        ),
        (
            "full quick,quiesence=true --games 2",
            "; did you mean 'quiescence'?",
        ),
        (
            "full quick,hash_mb=0 --games 2",
            "a whole number from 1 to 1024",
        ),
        ("full quick,hash_mb --games 2", "expected name=value"),
        (
            "full /no/such/engine --games 2",
            "'/no/such/engine': /no/such/engine can't be read",
        ),
        (
            "full quick --games 2 --nodes 1 --depth 1",
            "cannot be used with",
        ),
        ("full quick --games 2 --tc fast", "expected [MOVES/]SECONDS"),
        ("full quick --games 2 --sprt 5,0", "the lower one first"),
        ("full quick --games 2 --draw x", "or off"),
        ("full quick --games 2 --resume", "--pgn <FILE>"),
        (
            "full quick --games 2 --openings bad.epd",
            "bad.epd: line 1: White has no king",
        ),
        ("full quick --games 2 --openings none.epd", "none.epd: "),
        (
            "full quick --games 2 --gauntlet",
            "'quick' has no known rating; set --anchor quick=RATING",
        ),
        (
            "full quick --games 2 --gauntlet --anchor full=2000",
            "--anchor rates 'full'",
        ),
        (
            "full quick --games 2 --gauntlet --anchor quick=strong",
            "expected AI=RATING",
        ),
        ("full quick --games 2 --anchor quick=2000", "--gauntlet"),
    ] {
        play(&file, arguments).fails_with(2, &[part]);
    }
}
