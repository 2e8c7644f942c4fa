//! Valid and invalid records of games.

use pool::Stall;
use proptest::prelude::*;
use rules::{Game, is_legal, start_position};
use tokio::runtime;

use super::*;
use crate::{
    adjudication::{Adjudication, DrawRule, ResignRule},
    game_settings::Disturbances,
    pgn_file::{FaultDetails, Heading, pgn_game},
    time_control::TimeControl,
};

const BASE_MS: u64 = 1000;
const INCREMENT_MS: u64 = 10;
const MARGIN_MS: u64 = 5;

/// Rules that end short games.
const SETTINGS: GameSettings = GameSettings {
    time_control: TimeControl::Clock(config::ClockControl {
        moves: None,
        base_ms: BASE_MS,
        increment_ms: INCREMENT_MS,
    }),
    margin_ms: MARGIN_MS,
    adjudication: Adjudication {
        draw: Some(DrawRule {
            from_move: 5,
            moves: 2,
            centipawns: 50,
        }),
        resign: Some(ResignRule {
            moves: 2,
            centipawns: 300,
        }),
        max_moves: Some(30),
    },
    disturbances: Disturbances::Void,
};

const UNTIMED: GameSettings = GameSettings {
    time_control: TimeControl::Fixed(ai_api::Limits::NONE),
    ..SETTINGS
};

fn opening() -> GameOpening {
    GameOpening {
        name: None,
        game: Game::new(start_position()),
    }
}

fn moved(uci: &str, time_us: u64) -> RecordedMove {
    RecordedMove {
        uci: uci.to_owned(),
        score: Some(Score::centipawns(100)),
        depth: 7,
        time_us,
    }
}

/// Returns moves that took 12 ms each.
fn moves(text: &str) -> Vec<RecordedMove> {
    text.split_whitespace()
        .map(|uci| moved(uci, 12_999))
        .collect()
}

fn replayed(record: &PlayRecord, settings: &GameSettings) -> Result<PlayedGame, ReplayError> {
    let runtime = runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(replay(record, &opening(), settings, None))
}

fn mated() -> PlayRecord {
    PlayRecord {
        moves: moves("f2f3 e7e5 g2g4 d8h4"),
        end: RecordedEnd::Played,
        result: GameResult::Loss,
    }
}

#[test]
fn replays_like_a_game_played_here() {
    let played = replayed(&mated(), &SETTINGS).unwrap();
    assert_eq!(played.record, mated());
    let heading = Heading {
        event: "e",
        round: "1",
        names: ["a", "b"],
        fingerprint: None,
        node: Some("oak"),
        details: FaultDetails::Shown,
    };
    let pgn = pgn_game(heading, &opening(), &SETTINGS, played);
    assert_eq!(pgn.tag("Node"), Some("oak"));
    let comment = |clock| format!("[%eval 1.00,7] [%emt 0:00:00.012] [%clk 0:00:00.{clock}]");
    let mate = format!("{} Black gave checkmate", comment(996));
    assert_eq!(
        pgn.notes.comments,
        [
            String::new(),
            comment(998),
            comment(998),
            comment(996),
            mate
        ]
    );
}

#[test]
fn the_scores_end_a_game() {
    let mut record = PlayRecord {
        moves: moves("e2e4 e7e5 g1f3 b8c6"),
        end: RecordedEnd::Played,
        result: GameResult::Win,
    };
    for recorded in &mut record.moves {
        recorded.score = Some(Score::centipawns(300));
    }
    let played = replayed(&record, &SETTINGS).unwrap();
    assert_eq!(played.end.to_string(), "Black loses by adjudication");
    record.moves[3].score = Some(Score::centipawns(299));
    assert!(matches!(
        replayed(&record, &SETTINGS),
        Err(ReplayError::NoEnd { plies: 4 })
    ));
}

#[test]
fn the_flag_falls_after_the_margin() {
    let late = |time_us| PlayRecord {
        moves: moves("e2e4"),
        end: RecordedEnd::Late { time_us },
        result: GameResult::Win,
    };
    let played = replayed(&late(1_006_000), &SETTINGS).unwrap();
    assert_eq!(played.end.to_string(), "Black loses on time");
    assert_eq!(played.record, late(1_006_000));
    let error = |settings| replayed(&late(1_005_999), settings).unwrap_err();
    assert_eq!(
        error(&SETTINGS).to_string(),
        "the record has a loss on time after 1005 ms at half-move 2; expected more than 1005 ms"
    );
    assert_eq!(
        error(&UNTIMED).to_string(),
        "the record has a loss on time after 1005 ms at half-move 2; expected no loss on time \
         without clocks"
    );
}

#[test]
fn a_fault_loses_and_is_shown_with_its_code_and_the_ais_last_output() {
    let written = r#"{
        "moves": [],
        "end": {"fault": {"illegal_move": {"summary": "played\u001b e2e5", "details": "a\nb"}}},
        "result": "loss"
    }"#;
    let record: PlayRecord = serde_json::from_str(written).unwrap();
    let played = replayed(&record, &SETTINGS).unwrap();
    assert_eq!(played.record, record);
    assert_eq!(
        format!("{:#}", played.end),
        "White loses: ai_illegal_move: the AI played  e2e5; expected a legal move; a b"
    );
    let long = Fault::Crashed("x".repeat(5000).into());
    let text = serde_json::to_string(&RecordedEnd::Fault(long)).unwrap();
    let RecordedEnd::Fault(cut) = serde_json::from_str(&text).unwrap() else {
        panic!("{text}");
    };
    assert!(cut.to_string().chars().count() < 500, "{cut}");
}

#[test]
fn accepts_a_time_that_no_clock_can_show() {
    let mut record = mated();
    for recorded in &mut record.moves {
        recorded.time_us = u64::MAX;
        recorded.depth = u32::MAX;
    }
    assert!(replayed(&record, &UNTIMED).is_ok());
    let largest = std::time::Duration::MAX;
    let stalled = Fault::Unavailable {
        reason: "x".into(),
        retry_after: largest,
    };
    let shortage = Stall::Short {
        time: largest,
        shortage: pool::Shortage::Memory(u64::MAX),
    };
    let blocked = Fault::BlockedRequest {
        fault: Box::new(Fault::Stalled(shortage)),
        kills: u32::MAX,
        retry_after: largest,
    };
    for fault in [stalled, blocked] {
        let end = RecordedEnd::Fault(fault);
        let text = serde_json::to_string(&end).unwrap();
        assert_eq!(serde_json::from_str::<RecordedEnd>(&text).unwrap(), end);
        let record = PlayRecord {
            moves: Vec::new(),
            end,
            result: GameResult::Loss,
        };
        let played = replayed(&record, &SETTINGS).unwrap();
        assert!(format!("{:#}", played.end).starts_with("White loses: ai_"));
    }
}

#[test]
fn rejects_records_that_break_the_rules() {
    let with = |change: &dyn Fn(&mut PlayRecord)| {
        let mut record = mated();
        change(&mut record);
        replayed(&record, &SETTINGS)
            .err()
            .map(|error| error.to_string())
    };
    let fault = |fault: Fault| {
        with(&move |record| {
            record.moves.pop();
            record.end = RecordedEnd::Fault(fault.clone());
        })
    };
    let time = std::time::Duration::from_secs(1);
    let after_mate = "after half-move 4; expected nothing: Black gave checkmate";
    for (found, expected) in [
        (
            with(&|record| record.moves[1].uci = "e2e4".to_owned()),
            "half-move 2 of the record: e2e4 is illegal: ",
        ),
        (
            with(&|record| record.moves[2].uci = "\u{1b}e2e4".to_owned()),
            "half-move 3 of the record: \"\\u{1b}e2e4\" is not a move in UCI notation",
        ),
        (
            with(&|record| record.moves[2].time_us = 1_004_000),
            "half-move 3 of the record took 1004 ms; the clock allowed 1003 ms, so expected a loss \
             on time",
        ),
        (
            with(&|record| record.moves.push(moved("\u{9b}", 0))),
            &format!("the record has the move   {after_mate}"),
        ),
        (
            with(&|record| record.end = RecordedEnd::Late { time_us: 9_999_000 }),
            &format!("the record has a move after 9999 ms {after_mate}"),
        ),
        (
            with(&|record| record.end = RecordedEnd::Fault(Fault::Crashed("x".into()))),
            &format!("the record has the fault ai_crashed {after_mate}"),
        ),
        (
            with(&|record| record.moves.truncate(3)),
            "the record stops after 3 half-moves, but the game is not over",
        ),
        (
            with(&|record| record.moves.clear()),
            "the record stops after 0 half-moves, but the game is not over",
        ),
        (
            with(&|record| record.moves = vec![moved("e2e4", 0); 20_001]),
            "the record has 20001 half-moves; expected at most 20000",
        ),
        (
            with(&|record| record.result = GameResult::Draw),
            "the record has the result 1/2-1/2; expected 0-1: Black gave checkmate",
        ),
        (
            fault(Fault::Stalled(Stall::Starved(time))),
            "the record contains a machine fault, not a player's: the AI's worker waited 1000 ms",
        ),
        (
            fault(Fault::ShuttingDown(time)),
            "the record contains a machine fault, not a player's: the server is shutting down",
        ),
    ] {
        let found = found.expect("it is rejected");
        assert!(
            found.starts_with(expected),
            "{found}\n  instead of\n{expected}"
        );
    }
}

#[test]
fn records_and_settings_round_trip() {
    let text = serde_json::to_string(&mated()).unwrap();
    assert_eq!(
        serde_json::from_str::<PlayRecord>(&text).unwrap(),
        mated(),
        "{text}"
    );
    for settings in [SETTINGS, UNTIMED] {
        let written = serde_json::to_string(&settings).unwrap();
        let read: GameSettings = serde_json::from_str(&written).unwrap();
        assert_eq!(read, settings, "{written}");
    }
    assert_eq!(
        serde_json::to_value(SETTINGS).unwrap(),
        serde_json::json!({
            "time_control": {"clock": "1+0.01"},
            "margin_ms": 5,
            "adjudication": {"draw": "5,2,50", "resign": "2,300", "max_moves": 30},
            "disturbances": "void",
        })
    );
    for (from, to) in [
        ("f2f3", "f2f3f4"),
        ("\"played\"", "\"won\""),
        ("\"depth\":7", "\"depth\":-1"),
        ("\"depth\":7", "\"depth\":7,\"nodes\":1"),
    ] {
        let other = text.replace(from, to);
        assert!(
            serde_json::from_str::<PlayRecord>(&other).is_err(),
            "{other}"
        );
    }
}

/// Records random moves whose times and scores sometimes end the game. Occasionally records a mate
/// instead.
fn random_record(seed: u64) -> PlayRecord {
    let mut random = fastrand::Rng::with_seed(seed);
    if random.u8(0..8) == 0 {
        return mated();
    }
    let mut game = Game::new(start_position());
    let length = random.usize(0..70);
    let mut recorded = Vec::new();
    while recorded.len() < length && game.outcome().is_none() {
        let legal = rules::legal_moves(game.position());
        let chosen = legal[random.usize(0..legal.len())];
        game.play(chosen).unwrap();
        let score = random
            .bool()
            .then(|| Score::from_value(random.i32(-400..400)));
        recorded.push(RecordedMove {
            uci: chosen.to_string(),
            score: score.or(recorded.last().and_then(|last: &RecordedMove| last.score)),
            depth: random.u32(..),
            time_us: random.u64(0..60_000),
        });
    }
    let end = match random.u8(0..3) {
        0 => RecordedEnd::Played,
        1 => RecordedEnd::Late {
            time_us: random.u64(..1_500_000),
        },
        _ => RecordedEnd::Fault(Fault::IllegalMove("played no move".into())),
    };
    PlayRecord {
        moves: recorded,
        end,
        result: GameResult::Draw,
    }
}

/// Corrects a record as its replay error suggests, to make more records valid.
fn corrected(mut record: PlayRecord) -> PlayRecord {
    for _ in 0..4 {
        match replayed(&record, &SETTINGS) {
            Err(ReplayError::AfterEnd { ply, .. }) => {
                record.moves.truncate(ply);
                record.end = RecordedEnd::Played;
            }
            Err(ReplayError::LateMove { ply, spent_ms, .. }) => {
                record.moves.truncate(ply - 1);
                record.end = RecordedEnd::Late {
                    time_us: spent_ms * 1000,
                };
            }
            Err(ReplayError::OtherResult { expected, .. }) => record.result = expected,
            _ => break,
        }
    }
    record
}

#[derive(Clone, Debug)]
enum Mutation {
    Uci(String),
    Time(u64),
    Score(Option<i32>),
    Remove,
    Repeat,
    End(u64),
    Result(GameResult),
    /// No mutation.
    Nothing,
}

fn mutations() -> impl Strategy<Value = Mutation> {
    use GameResult::{Draw, Loss, Win};
    prop_oneof![
        "[a-h][1-8][a-h][1-8][qn]?".prop_map(Mutation::Uci),
        ".{0,5}".prop_map(Mutation::Uci),
        prop_oneof![0_u64..2_000_000, any::<u64>()].prop_map(Mutation::Time),
        any::<Option<i32>>().prop_map(Mutation::Score),
        Just(Mutation::Remove),
        Just(Mutation::Repeat),
        prop_oneof![0_u64..2_000_000, any::<u64>()].prop_map(Mutation::End),
        prop_oneof![Just(Win), Just(Draw), Just(Loss)].prop_map(Mutation::Result),
        Just(Mutation::Nothing),
    ]
}

fn mutate(record: &mut PlayRecord, at: usize, mutation: Mutation) {
    let index = at % record.moves.len().max(1);
    match (mutation, record.moves.get_mut(index)) {
        (Mutation::Uci(uci), Some(recorded)) => recorded.uci = uci,
        (Mutation::Time(time_us), Some(recorded)) => recorded.time_us = time_us,
        (Mutation::Score(score), Some(recorded)) => {
            let text = serde_json::to_string(&score).unwrap();
            recorded.score = serde_json::from_str(&text).unwrap();
        }
        (Mutation::Remove, Some(_)) => drop(record.moves.remove(index)),
        (Mutation::Repeat, Some(recorded)) => {
            let twice = recorded.clone();
            record.moves.insert(index, twice);
        }
        (Mutation::End(time_us), _) => record.end = RecordedEnd::Late { time_us },
        (Mutation::Result(result), _) => record.result = result,
        _ => {}
    }
}

/// Checks a result without using the code that computed it.
fn check(record: &PlayRecord, played: &PlayedGame) -> Result<(), TestCaseError> {
    let mut game = Game::new(start_position());
    let mut clocks = [BASE_MS; 2];
    let mut scores = Vec::new();
    for recorded in &record.moves {
        let turn = game.position().turn();
        let chosen = parse_uci(game.position(), &recorded.uci).unwrap();
        prop_assert!(is_legal(game.position(), chosen) && game.outcome().is_none());
        game.play(chosen).unwrap();
        let (clock, spent_ms) = (&mut clocks[turn.index()], recorded.time_us / 1000);
        prop_assert!(spent_ms <= *clock + MARGIN_MS);
        *clock = clock.saturating_sub(spent_ms) + INCREMENT_MS;
        scores.push(recorded.score);
    }
    prop_assert_eq!(played.game.moves(), game.moves());
    let (turn, plies) = (game.position().turn(), game.moves().len());
    let last_four = |holds: &dyn Fn(i32) -> bool| {
        scores.len() >= 4
            && scores[scores.len() - 4..]
                .iter()
                .all(|score| score.is_some_and(|score| holds(score.value())))
    };
    let expected = match (&played.end.reason, &record.end) {
        (EndReason::Rules(outcome), RecordedEnd::Played) => {
            prop_assert_eq!(game.outcome(), Some(*outcome));
            outcome.winner()
        }
        (EndReason::Claim(claim), RecordedEnd::Played) => {
            prop_assert!(game.status().claims.contains(claim));
            None
        }
        (EndReason::Adjudicated(result), RecordedEnd::Played) => match result {
            AdjudicatedResult::Draw => {
                prop_assert!(plies >= 10 && last_four(&|score| score.abs() <= 50));
                None
            }
            AdjudicatedResult::Win(Color::White) => {
                prop_assert!(last_four(&|score| score >= 300));
                Some(Color::White)
            }
            AdjudicatedResult::Win(Color::Black) => {
                prop_assert!(last_four(&|score| score <= -300));
                Some(Color::Black)
            }
            AdjudicatedResult::MaxMoves => {
                prop_assert_eq!(plies, 60);
                None
            }
            AdjudicatedResult::Tablebase(_) => panic!("there are no tables"),
        },
        (EndReason::Time, RecordedEnd::Late { time_us }) => {
            prop_assert!(time_us / 1000 > clocks[turn.index()] + MARGIN_MS);
            Some(!turn)
        }
        (EndReason::Fault(fault), RecordedEnd::Fault(recorded)) => {
            prop_assert_eq!(fault, recorded);
            Some(!turn)
        }
        (reason, end) => panic!("{reason:?} of {end:?}"),
    };
    prop_assert_eq!(played.end.winner, expected);
    prop_assert_eq!(played.end.result_for(Color::White), record.result);
    Ok(())
}

proptest! {
    #[test]
    fn no_record_causes_a_panic_or_a_result_that_breaks_the_rules(
        seed in any::<u64>(),
        changes in proptest::collection::vec((any::<usize>(), mutations()), 0..3),
    ) {
        let mut record = corrected(random_record(seed));
        for (at, mutation) in changes {
            mutate(&mut record, at, mutation);
        }
        match replayed(&record, &SETTINGS) {
            Ok(played) => check(&record, &played)?,
            Err(error) => prop_assert!(!error.to_string().chars().any(char::is_control)),
        }
    }
}
