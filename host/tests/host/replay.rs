//! Games replayed from their records.

use std::path::Path;

use pool::{Ais, WorkerProgram};
use tokio::runtime;
use tournament::{
    Adjudication, Disturbances, FaultDetails, GameOpening, GameSettings, Heading, NoReferee,
    Openings, PlayRecord, PlayedGame, Player, ReplayError, TimeControl, Venue, pgn_game, replay,
};

use crate::support::{ConfigFile, rookery, with_ais};

fn settings(clock: &str) -> GameSettings {
    GameSettings {
        time_control: TimeControl::Clock(clock.parse().unwrap()),
        margin_ms: 0,
        adjudication: Adjudication {
            max_moves: Some(20),
            ..Adjudication::USUAL
        },
        disturbances: Disturbances::Ignored,
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future)
}

/// Plays a game and returns its record as read by another machine.
fn play(
    file: &ConfigFile,
    players: [&str; 2],
    opening: &GameOpening,
    settings: &GameSettings,
) -> (PlayedGame, PlayRecord) {
    let program = WorkerProgram::at(rookery());
    let players = players.map(|text| Player::load(&file.load(), text, &program).unwrap());
    let played = block_on(async {
        let handle = runtime::Handle::current();
        let mut table = Venue::new(program, handle, None);
        let playing = table.play(players.each_ref(), [0, 0], opening, settings, &NoReferee);
        playing.await.unwrap()
    });
    let text = serde_json::to_string(&played.record).unwrap();
    let read = serde_json::from_str(&text).unwrap();
    (played, read)
}

fn pgn(opening: &GameOpening, settings: &GameSettings, played: PlayedGame) -> String {
    let heading = Heading {
        event: "a game",
        round: "1",
        names: ["white", "black"],
        fingerprint: None,
        node: None,
        details: FaultDetails::Shown,
    };
    pgn_game(heading, opening, settings, played).to_string()
}

#[test]
fn a_replayed_game_has_the_same_pgn() {
    let faults = ["segfault", "illegal_move", "no_move", "error"];
    let mut ais = vec![("basic1", "ai_basic1", "")];
    ais.extend(faults.map(|fault| (fault, fault, "")));
    let (file, opening) = (with_ais(&ais, ""), Openings::built_in().for_round(0));
    let timed = settings("600+0.1");
    for (players, settings, end) in [
        (["basic1,depth=1", "basic1,nodes=200"], timed, ""),
        // basic1 searches for at least a millisecond.
        (
            ["basic1", "basic1,depth=99"],
            settings("0.001"),
            "loses on time",
        ),
        (["basic1,depth=1", "segfault"], timed, "loses: ai_crashed"),
        (["illegal_move", "basic1"], timed, "loses: ai_illegal_move"),
        (["no_move", "basic1"], timed, "loses: ai_illegal_move"),
        (["basic1,depth=1", "error"], timed, "loses: ai_failed"),
    ] {
        let (played, record) = play(&file, players, &opening, &settings);
        assert!(played.end.to_string().ends_with(end), "{}", played.end);
        let again = block_on(replay(&record, &opening, &settings, None)).unwrap();
        assert_eq!(again.record, record);
        assert_eq!(again.effort, played.effort);
        assert_eq!(
            pgn(&opening, &settings, again),
            pgn(&opening, &settings, played)
        );
    }
}

#[test]
fn tablebases_end_the_replay_of_a_game_played_without_them() {
    let file = with_ais(&[("basic1", "ai_basic1", "")], "");
    let epd = "7k/8/8/8/8/5q2/6P1/K5Q1 w - -\n";
    let opening = Openings::read(epd.as_bytes()).unwrap().for_round(0);
    let settings = settings("600");
    let (played, mut record) = play(
        &file,
        ["basic1,depth=3", "basic1,depth=2"],
        &opening,
        &settings,
    );
    assert!(played.game.moves().len() > 1);
    // The replay ends before this move.
    record.moves[1].uci = "a1a1".to_owned();
    let mut config = file.load();
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/syzygy");
    config.tablebases.directories = Some(vec![tables]);
    config.ais.clear();
    let ais = Ais::start(&config, WorkerProgram::at(rookery())).unwrap();
    let replaying = replay(&record, &opening, &settings, Some(ais.tablebases()));
    let ended = block_on(replaying).unwrap();
    assert_eq!(ended.end.to_string(), "Black loses by tablebase");
    assert_eq!(ended.record.moves, record.moves[..1]);
    let without = block_on(replay(&record, &opening, &settings, None));
    assert!(matches!(without, Err(ReplayError::Move { ply: 2, .. })));
}
