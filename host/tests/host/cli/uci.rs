//! `rookery uci`.

mod foreign;
mod go;

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

use crate::{
    plugins::{c_abi::evaluator_with, promises::counting, uci_engines::faulty_engine},
    support::{ConfigFile, configuration, rookery},
};

/// Longer than any step of a test.
const PATIENCE: Duration = Duration::from_mins(1);

struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    _file: ConfigFile,
}

impl Engine {
    /// Starts `rookery uci` with an AI from this library or with this fault.
    fn of(library: &str) -> Self {
        Self::with(configuration(&[library]))
    }

    /// Starts `rookery uci` with the AI of the default client.
    fn with(file: ConfigFile) -> Self {
        let mut command = Command::new(rookery());
        command
            .args(["uci", "--config"])
            .arg(file.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            lines,
            _file: file,
        }
    }

    fn send(&mut self, lines: &str) {
        self.send_bytes(format!("{lines}\n").as_bytes());
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Reads lines up to the first one with this beginning.
    #[track_caller]
    fn until(&self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => lines.push(line),
                Err(error) => panic!("no '{beginning}': {error}; {lines:#?}"),
            }
            if lines.last().unwrap().starts_with(beginning) {
                return lines;
            }
        }
    }

    /// Sends some lines and returns the output before `readyok`.
    #[track_caller]
    fn reply(&mut self, lines: &str) -> Vec<String> {
        self.send(&format!("{lines}\nisready"));
        let mut printed = self.until("readyok");
        printed.pop();
        printed
    }

    #[track_caller]
    fn best_move(&mut self, lines: &str) -> String {
        self.send(lines);
        self.until("bestmove").pop().unwrap()
    }

    /// Closes standard input and returns the remaining output.
    #[track_caller]
    fn close(mut self) -> Vec<String> {
        drop(self.input.take());
        let printed: Vec<_> = self.lines.iter().collect();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        printed
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn word_after(line: &str, key: &str) -> String {
    let (_, rest) = line
        .split_once(key)
        .unwrap_or_else(|| panic!("no '{key}': {line}"));
    rest.split(' ').next().unwrap().to_owned()
}

fn nodes(lines: &[String]) -> String {
    word_after(
        lines
            .iter()
            .rev()
            .find(|line| line.starts_with("info depth"))
            .unwrap(),
        " nodes ",
    )
}

#[test]
fn lists_the_name_and_options_of_the_ai() {
    let mut engine = Engine::of("ai_basic1");
    engine.send("uci");
    let lines = engine.until("uciok");
    for expected in [
        "id name Basic1 1.0.0",
        "id author The Rookery developers",
        "option name Move Overhead type spin default 30 min 0 max 5000",
        "option name Ponder type check default false",
        "option name UCI_Chess960 type check default false",
        "option name Clear Hash type button",
        "option name Hash type spin default 16 min 1 max 1024",
        "option name quiescence type check default true",
    ] {
        assert!(
            lines.iter().any(|line| line == expected),
            "{expected}: {lines:#?}"
        );
    }
    assert!(engine.close().is_empty());
}

#[test]
fn an_ai_without_an_author_has_no_id_author() {
    let mut engine = Engine::with(evaluator_with("", "create", "create"));
    engine.send("uci");
    let lines = engine.until("uciok");
    assert_eq!(lines[0], "id name C 1");
    assert!(
        !lines.iter().any(|line| line.starts_with("id author")),
        "{lines:#?}"
    );
    assert!(engine.close().is_empty());
}

#[test]
fn other_reports_of_an_engine_pass_through_the_contract() {
    let mut engine = Engine::with(faulty_engine("talks", "", ""));
    for analysis in ["false", "true", "false"] {
        engine.send(&format!(
            "setoption name UCI_AnalyseMode value {analysis}\nposition startpos\ngo depth 1"
        ));
        let lines = engine.until("bestmove");
        let text = format!("info string analysis string {analysis}");
        for expected in [
            &*text,
            "info depth 1 currmove a2a3 currmovenumber 7",
            " hashfull 500 tbhits 7 time ",
        ] {
            assert!(
                lines.iter().any(|line| line.contains(expected)),
                "{expected}: {lines:#?}"
            );
        }
    }
}

#[test]
fn standard_options_pass_through_the_contract() {
    let tables = tempfile::tempdir().unwrap();
    let file = faulty_engine("standard", "", "");
    let text = fs::read_to_string(file.path()).unwrap();
    let grant = format!(
        "[ai.engine]\nallow_read = [{:?}]\nthreads = 8\n",
        tables.path()
    );
    fs::write(file.path(), text.replacen("[ai.engine]\n", &grant, 1)).unwrap();
    let mut engine = Engine::with(file);
    engine.send("uci");
    let lines = engine.until("uciok");
    for option in [
        "name Hash type spin default 16 min 1 max 64",
        "name Threads type spin default 1 min 1 max 4",
        "name SyzygyPath type string default <empty>",
        "name seed type spin default 0 min 0 max 1000000000",
        "name UCI_LimitStrength type check default false",
        "name UCI_Elo type spin default 2850 min 1 max 2850",
        "name MultiPV type spin default 1 min 1 max 4",
        "name UCI_Chess960 type check default false",
        "name UCI_AnalyseMode type check default false",
        "name UCI_ShowWDL type check default false",
    ] {
        assert!(
            lines.contains(&format!("option {option}")),
            "{option}: {lines:#?}"
        );
    }
    let path = tables.path().display();
    // Each option passes from the chess program to the AI, and from the AI to the engine.
    for (sent, got) in [
        ("setoption name Hash value 32", "Hash value 32".to_owned()),
        (
            "setoption name threads value 2",
            "Threads value 2".to_owned(),
        ),
        (
            &format!("setoption name SyzygyPath value {path}"),
            format!("SyzygyPath value {path}"),
        ),
        (
            "setoption name seed value 7",
            "Random Seed value 7".to_owned(),
        ),
        (
            "setoption name UCI_LimitStrength value true",
            "UCI_LimitStrength value true".to_owned(),
        ),
        (
            "setoption name UCI_Elo value 1500",
            "UCI_Elo value 1500".to_owned(),
        ),
        (
            "setoption name MultiPV value 3",
            "MultiPV value 3".to_owned(),
        ),
        (
            "setoption name UCI_AnalyseMode value true",
            "UCI_AnalyseMode value true".to_owned(),
        ),
        (
            "position fen nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1",
            "UCI_Chess960 value true".into(),
        ),
    ] {
        engine.send(&format!("{sent}\ngo depth 1"));
        let lines = engine.until("bestmove");
        assert!(
            lines.contains(&format!("info string setoption name {got}")),
            "{sent}: {lines:#?}"
        );
        assert!(
            !lines.iter().any(|line| line.contains(" wdl ")),
            "{lines:#?}"
        );
    }
    engine.send("setoption name UCI_ShowWDL value true\ngo depth 1");
    let lines = engine.until("bestmove");
    assert!(
        lines
            .iter()
            .any(|line| line.contains(" score cp 5 wdl 300 600 100 ")),
        "{lines:#?}"
    );
}

#[test]
fn a_binding_limit_holds_whatever_the_program_asks_for() {
    let file = faulty_engine("policy", "", "");
    let text = fs::read_to_string(file.path()).unwrap();
    let limit = "limit = { nodes = 1, bind = true }\nmove_timeout_ms";
    fs::write(file.path(), text.replacen("move_timeout_ms", limit, 1)).unwrap();
    let mut engine = Engine::with(file);
    for go in [
        "go movetime 10000",
        "go wtime 600000 btime 600000 winc 1000 binc 1000",
        "go depth 9 nodes 5000",
        "go infinite\nstop",
    ] {
        let first = engine.best_move(&format!("position startpos\n{go}"));
        let reply = engine.best_move(&format!("position startpos moves e2e4\n{go}"));
        assert_eq!(
            [&*first, &*reply],
            ["bestmove e2e4", "bestmove e7e5"],
            "{go}"
        );
    }
    // Without a binding limit, the engine searches for the requested time.
    let mut unbound = Engine::with(faulty_engine("policy", "", ""));
    let searched = unbound.best_move("position startpos\ngo movetime 1000");
    assert_eq!(searched, "bestmove d2d4");
}

#[test]
fn an_engine_uses_its_own_book_only_to_play() {
    // Returns the last value that the engine got before a search.
    let own_book = |engine: &mut Engine, command: &str| {
        engine.send(&format!("{command}\ngo depth 1"));
        let lines = engine.until("bestmove");
        let mut set = lines
            .iter()
            .filter_map(|line| line.strip_prefix("info string setoption name Own Book value "));
        set.next_back().map(|value| value == "true")
    };
    let analyse = |mode: bool| format!("setoption name UCI_AnalyseMode value {mode}");
    let set = |value: bool| format!("setoption name own_book value {value}");
    let mut engine = Engine::with(faulty_engine("standard", "", ""));
    for (command, expected) in [
        ("position startpos".to_owned(), None),
        (analyse(true), Some(false)),
        (analyse(true), None),
        (analyse(false), Some(true)),
        (set(false), Some(false)),
        (analyse(true), None),
        (set(true), Some(false)),
        (analyse(false), Some(true)),
    ] {
        assert_eq!(own_book(&mut engine, &command), expected, "{command}");
    }
    let mut engine = Engine::with(faulty_engine("standard", "own_book = false", ""));
    assert_eq!(own_book(&mut engine, "position startpos"), Some(false));
    assert_eq!(own_book(&mut engine, &analyse(true)), None);
}

#[test]
fn an_engine_that_ignores_searchmoves_never_plays_another_move() {
    let mut engine = Engine::with(faulty_engine("ignores-searchmoves", "", ""));
    assert_eq!(
        engine.best_move("position startpos\ngo depth 1"),
        "bestmove e2e4"
    );
    for moves in ["d2d4", "a2a3 h2h4"] {
        engine.send(&format!("go depth 1 searchmoves {moves}"));
        let lines = engine.until("bestmove");
        assert!(
            lines
                .iter()
                .any(|line| line.contains("ignores searchmoves")),
            "{lines:#?}"
        );
        assert_eq!(lines.last().unwrap(), "bestmove 0000");
    }
    assert_eq!(
        engine.best_move("go depth 1 searchmoves d2d4 e2e4"),
        "bestmove e2e4"
    );
}

#[test]
fn a_game_keeps_what_the_ai_has_found_until_a_new_game() {
    let mut engine = Engine::with(counting());
    for (command, score) in [
        ("position startpos\ngo nodes 9", 0),
        ("position startpos moves e2e4 e7e5\ngo nodes 9", 100),
        (
            "position startpos moves e2e4 e7e5 g1f3 g8f6\ngo depth 1",
            200,
        ),
        (
            "ucinewgame\nposition startpos moves e2e4 e7e5 g1f3 g8f6\ngo nodes 9",
            0,
        ),
        ("go nodes 9", 100),
    ] {
        engine.send(command);
        let lines = engine.until("bestmove");
        assert!(
            lines
                .iter()
                .any(|line| line.contains(&format!(" score cp {score} "))),
            "{command}: {lines:#?}"
        );
    }
}

/// Returns the score, the nodes and the depth of a search.
fn reported(engine: &mut Engine, lines: &str) -> [String; 3] {
    engine.send(&format!("{lines}\nposition startpos\ngo depth 9"));
    let lines = engine.until("bestmove");
    let info = &lines[lines.len() - 2];
    [" cp ", " nodes ", " depth "].map(|key| word_after(info, key))
}

#[test]
fn the_standard_options_set_the_elo_of_the_ai() {
    let mut engine = Engine::of("seeded");
    engine.send("uci");
    let lines = engine.until("uciok");
    for expected in [
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 2800 min 1 max 2800",
    ] {
        assert!(
            lines.iter().any(|line| line == expected),
            "{expected}: {lines:#?}"
        );
    }
    assert!(
        !lines.iter().any(|line| line.contains("name elo")),
        "{lines:#?}"
    );
    let mut elo = |lines: &str| reported(&mut engine, lines)[0].clone();
    assert_eq!(elo("setoption name UCI_Elo value 1500"), "0");
    assert_eq!(elo("setoption name UCI_LimitStrength value true"), "1500");
    assert_eq!(elo("setoption name UCI_Elo value 1300"), "1300");
    assert_eq!(elo("setoption name UCI_LimitStrength value false"), "0");
    let printed = engine.reply("setoption name UCI_Elo value 2801");
    assert_eq!(
        printed,
        ["info string option UCI_Elo is '2801'; expected a whole number from 1 to 2800"]
    );
}

#[test]
fn the_standard_options_reach_an_engine() {
    let mut engine = Engine::with(faulty_engine("rated", "", ""));
    engine.send("uci");
    let lines = engine.until("uciok");
    let of_strength = lines
        .iter()
        .filter(|line| line.to_lowercase().contains("elo "))
        .collect::<Vec<_>>();
    assert_eq!(
        of_strength,
        ["option name UCI_Elo type spin default 2850 min 1 max 2850"]
    );
    let limited = "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value";
    assert_eq!(reported(&mut engine, &format!("{limited} 1500"))[0], "1500");
    // The engine's minimum is 1320.
    assert_eq!(reported(&mut engine, &format!("{limited} 1319"))[0], "1320");
    assert_eq!(
        reported(&mut engine, "setoption name UCI_LimitStrength value false")[0],
        "0"
    );
}

#[test]
fn each_game_has_new_seeds_unless_they_are_set() {
    let mut engine = Engine::of("seeded");
    let first = reported(&mut engine, "ucinewgame");
    assert_eq!(reported(&mut engine, ""), first, "one game keeps its seeds");
    let games: BTreeSet<_> = (0..8)
        .map(|_| reported(&mut engine, "ucinewgame"))
        .collect();
    let [seeds, book_seeds] = [1, 2].map(|part| {
        games
            .iter()
            .map(|game| &game[part])
            .collect::<BTreeSet<_>>()
    });
    assert!(seeds.len() > 4 && book_seeds.len() > 4, "{games:?}");
    let set: BTreeSet<_> = (0..8)
        .map(|_| reported(&mut engine, "setoption name seed value 7\nucinewgame"))
        .collect();
    assert!(
        set.iter().all(|[_, seed, _]| seed == "7") && set.len() > 4,
        "{set:?}"
    );
}

#[test]
fn setoption_applies_to_the_next_search() {
    let mut engine = Engine::of("ai_basic1");
    let position = "position fen r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 \
        3\ngo depth 4";
    engine.send(position);
    let with = nodes(&engine.until("bestmove"));
    assert!(
        engine
            .reply("setoption name Quiescence value false\nsetoption name Hash value 1")
            .is_empty()
    );
    engine.send(position);
    let without = nodes(&engine.until("bestmove"));
    assert_ne!(with, without);
    let errors =
        engine.reply("setoption name quiescence value perhaps\nsetoption name colour value red");
    assert!(
        errors[0].contains("expected true or false") && errors[1].contains("no option 'colour'"),
        "{errors:?}"
    );
    assert!(
        engine
            .reply("setoption name Clear Hash\nsetoption name QUIESCENCE value true")
            .is_empty()
    );
    engine.send(position);
    assert_eq!(nodes(&engine.until("bestmove")), with);
}

#[test]
fn ignores_garbage() {
    let mut engine = Engine::of("ai_basic1");
    engine.send_bytes(b"\xff\xfe\0\0garbage\n\n\n");
    engine.send_bytes(&vec![b'x'; 3 << 20]);
    engine.send_bytes(&vec![0; 100_000]);
    // The unknown words are ignored, so this is a search with the default limit.
    engine.send("\nplease go on, then");
    engine.until("bestmove");
    assert!(
        engine
            .reply("position\nsetoption\nponderhit\nstop\nisready\u{0}")
            .is_empty()
    );
    assert!(
        engine
            .best_move("position startpos moves e2e4\ngo depth 1")
            .starts_with("bestmove ")
    );
}

#[test]
fn returns_0000_for_an_illegal_position() {
    let mut engine = Engine::of("ai_basic1");
    for bad in [
        "startpos moves e2e5",
        "fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "fen x moves y",
        "startpos moves e2e4 bestmove",
    ] {
        let printed = engine.reply(&format!("position {bad}"));
        assert!(
            printed.len() == 1 && printed[0].starts_with("info string "),
            "{bad}: {printed:?}"
        );
        assert_eq!(engine.best_move("go depth 1"), "bestmove 0000", "{bad}");
    }
    assert!(
        engine
            .best_move("position startpos\ngo depth 1")
            .starts_with("bestmove ")
    );
}

#[test]
fn returns_none_only_without_legal_moves() {
    let mut engine = Engine::of("ai_basic1");
    for over in [
        "startpos moves f2f3 e7e5 g2g4 d8h4",
        "fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    ] {
        let best = engine.best_move(&format!("position {over}\ngo depth 3"));
        assert_eq!(best, "bestmove (none)", "{over}");
    }
    let bare_kings = engine.best_move("position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1\ngo depth 3");
    assert!(bare_kings.starts_with("bestmove e1"), "{bare_kings}");
}

#[test]
fn a_search_in_a_finished_game_waits_for_stop() {
    let mut engine = Engine::of("ai_basic1");
    for over in [
        "startpos moves f2f3 e7e5 g2g4 d8h4",
        "fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "startpos moves e2e5",
    ] {
        let none = if over.contains("e2e5") {
            "bestmove 0000"
        } else {
            "bestmove (none)"
        };
        for (go, ends) in [
            ("go infinite", "stop"),
            ("go ponder wtime 1000 btime 1000", "ponderhit"),
            ("go ponder", "stop"),
            ("go infinite", "go depth 1"),
        ] {
            let printed = engine.reply(&format!("position {over}\n{go}"));
            assert!(
                printed.iter().all(|line| line.starts_with("info ")),
                "{over}, {go}: {printed:?}"
            );
            assert_eq!(engine.best_move(ends), none, "{over}, {go}");
            assert!(ends != "go depth 1" || engine.until("bestmove").pop().unwrap() == none);
            assert!(engine.reply("stop").is_empty(), "{over}, {go}: only once");
        }
    }
    engine.send("go infinite\nponderhit\nquit");
    assert_eq!(engine.close().last().unwrap(), "bestmove 0000");
}

#[test]
fn writes_chess960_castling_with_uci_chess960() {
    let mut engine = Engine::of("ai_basic1");
    // Castling is the only move that mates.
    let mate = "position fen 8/8/8/8/8/8/7R/3k1K1R w H - 0 1\ngo depth 1";
    let castles = "position fen 5k2/8/8/8/8/8/6PP/4K2R w K - 0 1 moves e1h1\ngo depth 1";
    assert!(engine.best_move(mate).starts_with("bestmove "));
    assert!(
        engine
            .reply("setoption name UCI_Chess960 value true")
            .is_empty()
    );
    assert!(engine.best_move(castles).starts_with("bestmove f8"));
}

#[test]
fn returns_0000_after_a_fault_and_recovers() {
    for library in ["segfault", "panic", "illegal_move", "no_move"] {
        let mut engine = Engine::of(library);
        for _ in 0..2 {
            engine.send("position startpos\ngo depth 2");
            let lines = engine.until("bestmove");
            assert_eq!(
                lines.last().unwrap(),
                "bestmove 0000",
                "{library}: {lines:?}"
            );
            assert!(
                lines[lines.len() - 2].starts_with("info string ai_"),
                "{library}: {lines:?}"
            );
        }
    }
}

#[test]
fn restarts_a_hanging_ai() {
    let mut engine = Engine::of("hang");
    for go in [
        "go movetime 50",
        "go infinite\nstop",
        "go wtime 100 btime 100",
    ] {
        engine.send(&format!("position startpos\n{go}"));
        let lines = engine.until("bestmove");
        assert_eq!(lines.last().unwrap(), "bestmove 0000", "{go}: {lines:?}");
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with("info string ai_timeout")),
            "{go}: {lines:?}"
        );
    }
    assert!(engine.reply("").is_empty());
}
