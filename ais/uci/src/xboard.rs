//! Engines that speak version 2 of xboard's protocol:
//! <https://www.gnu.org/software/xboard/engine-intf.html>.

use std::time::{Duration, Instant};

use ai_api::{AiError, Color, Host, Limits, Move, Position, Score, SearchRequest};

use crate::{
    command::Command,
    fen::{STANDARD, fen},
    info::{Event, Info},
    notation, number,
    process::{ASK_AGAIN_AFTER, PATIENCE, Process, Wait},
    san,
};

/// How long an engine without `done=0` may take to declare its features.
const FEATURES_TIMEOUT: Duration = Duration::from_secs(2);
/// The silence that ends the replies to `xboard`. GNU Chess overlooks the next line, or crashes, if
/// it arrives before the mode has changed.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(1)];
/// The search time if a request sets none.
const LONG_S: u64 = 3600;
/// The score of a mate in N moves is this plus N. Other engines have their own scores.
const MATE: u32 = 100_000;
const LONGEST_MATE: u32 = 500;
const NO_SETBOARD: &str = "speaks xboard's protocol without the feature setboard, so it can only \
                           play complete games; look for an argument that switches it to UCI, or \
                           use an adapter";

/// What an xboard engine can do, and what it knows about the game.
#[derive(Debug)]
pub(crate) struct Xboard {
    features: Features,
    /// The number in the last `ping`.
    pings: u32,
    /// The start and the moves of the game on its board.
    board: Option<(String, Vec<Move>)>,
    has_depth_limit: bool,
    /// Whether it has written the result of the game.
    is_over: bool,
}

#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent features of the protocol"
)]
struct Features {
    ping: bool,
    setboard: bool,
    usermove: bool,
    san: bool,
    time: bool,
    reuse: bool,
    /// Empty if the engine does not report it.
    name: String,
    /// `None` until the engine says whether its declarations are complete.
    done: Option<bool>,
}

impl Xboard {
    /// Asks a program that has just started for its features. Returns `None` if it declares none.
    ///
    /// # Errors
    /// The engine exits.
    fn greet(process: &mut Process, pause: Duration) -> Result<Option<Self>, AiError> {
        process.send("xboard")?;
        while process.line_within(pause)?.is_some() {}
        process.send("protover 2")?;
        let mut wait = Wait::new("protover 2");
        let asked = Instant::now();
        let (mut found, mut is_asked_again) = (None, false);
        loop {
            let left = FEATURES_TIMEOUT.saturating_sub(asked.elapsed());
            let done = found.as_ref().and_then(|features: &Features| features.done);
            let line = match done {
                Some(true) => break,
                Some(false) => process.line_within(PATIENCE)?,
                None if left.is_zero() => break,
                None => process.line_within(left.min(FEATURES_TIMEOUT / 2))?,
            };
            if line.is_none() && found.is_none() && !is_asked_again {
                is_asked_again = true;
                process.send("protover 2")?;
            }
            // A prompt may precede the features.
            let declared = line
                .as_deref()
                .and_then(|line| Some(line.split_at(line.find("feature ")?).1));
            for (name, value) in declared.into_iter().flat_map(declarations) {
                let features = found.get_or_insert_with(Features::default);
                features.read(&name, &value);
                process.send(&format!("accepted {name}"))?;
            }
            if found.is_some() {
                wait.report(process);
            }
        }
        let Some(features) = found else {
            return Ok(None);
        };
        Ok(Some(Self {
            features,
            pings: 0,
            board: None,
            has_depth_limit: false,
            is_over: false,
        }))
    }

    /// Prepares an engine that has declared its features.
    ///
    /// # Errors
    /// The engine cannot be served, or exits.
    fn prepare(&mut self, process: &mut Process) -> Result<(), AiError> {
        if !self.features.setboard {
            return Err(process.failed(NO_SETBOARD));
        }
        self.command(process, "easy")?;
        self.command(process, "post")
    }

    /// Returns the engine's name and version, or the name of the program.
    pub(crate) fn name(&self, command: &Command) -> String {
        if self.features.name.is_empty() {
            return command
                .program
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
        }
        self.features.name.clone()
    }

    /// Returns whether the engine can play several games.
    pub(crate) const fn is_reusable(&self) -> bool {
        self.features.reuse
    }

    pub(crate) fn new_game(&mut self, process: &mut Process) -> Result<(), AiError> {
        self.command(process, "new")?;
        self.command(process, "force")?;
        self.board = Some((STANDARD.to_owned(), Vec::new()));
        (self.has_depth_limit, self.is_over) = (false, false);
        Ok(())
    }

    /// Starts a search.
    pub(crate) fn go(
        &mut self,
        process: &mut Process,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<(), AiError> {
        let depth = request.limits.depth.or(request.limits.mate_plies);
        if self.has_depth_limit && depth.is_none() {
            self.board = None;
        }
        self.is_over = false;
        self.set_up(process, &request.start, request.moves, host)?;
        self.set_limits(process, request, depth)?;
        if self.is_over {
            // GNU Chess ends a game at a third repetition. Without the previous moves, it plays on.
            self.board = None;
            self.set_up(process, &request.position, &[], host)?;
            self.set_limits(process, request, depth)?;
        }
        process.send("go")
    }

    fn set_limits(
        &mut self,
        process: &mut Process,
        request: &SearchRequest<'_>,
        depth: Option<u32>,
    ) -> Result<(), AiError> {
        self.has_depth_limit = depth.is_some();
        self.limits(request, depth)
            .iter()
            .try_for_each(|command| self.command(process, command))
    }

    /// Sets up the game, or plays the moves that are new to the engine.
    fn set_up(
        &mut self,
        process: &mut Process,
        start: &Position,
        moves: &[Move],
        host: &Host<'_>,
    ) -> Result<(), AiError> {
        let mut position = *start;
        let start = fen(start);
        let known = match self.board.take() {
            Some((before, known)) if before == start && moves.starts_with(&known) => known.len(),
            before => {
                let is_start = |(earlier, played): (String, Vec<Move>)| {
                    earlier == STANDARD && played.is_empty()
                };
                if !before.is_some_and(is_start) {
                    self.new_game(process)?;
                }
                if start != STANDARD {
                    self.position_command(process, &format!("setboard {start}"))?;
                }
                0
            }
        };
        for (index, &chosen) in moves.iter().enumerate() {
            if index >= known {
                let word = if self.features.san {
                    san::written(&position, chosen, host)
                } else {
                    notation::written(&position, chosen).to_string()
                };
                let usermove = if self.features.usermove {
                    "usermove "
                } else {
                    ""
                };
                self.position_command(process, &format!("{usermove}{word}"))?;
            }
            position = host.play(&position, chosen);
        }
        self.board = Some((start, moves.to_vec()));
        Ok(())
    }

    /// Returns the commands for the limits that the engine supports. Other limits are enforced with
    /// a stop.
    fn limits(&self, request: &SearchRequest<'_>, depth: Option<u32>) -> Vec<String> {
        let Limits { soft_ms, .. } = request.limits;
        let mut commands = Vec::new();
        if let Some(clocks) = request.clocks {
            let side = request.position.turn().index();
            let [own_ms, others_ms] =
                [side, 1 - side].map(|side| number::clock_ms(clocks.remaining_ms[side]));
            let seconds = (own_ms / 1000).max(1);
            let increment_ms = number::clock_ms(clocks.increment_ms[side]);
            let increment = match (increment_ms / 1000, increment_ms % 1000) {
                (whole, 0) => whole.to_string(),
                (whole, ms) => format!("{whole}.{ms:03}"),
            };
            commands.push(format!(
                "level 0 {}:{:02} {increment}",
                seconds / 60,
                seconds % 60
            ));
            if self.features.time {
                commands.push(format!("time {}", own_ms / 10));
                commands.push(format!("otim {}", others_ms / 10));
            }
        } else {
            commands.push(format!(
                "st {}",
                soft_ms.map_or(LONG_S, |ms| ms.div_ceil(1000).clamp(1, LONG_S))
            ));
        }
        commands.extend(
            depth
                .and_then(|depth| number::limit(depth.into()))
                .map(|depth| format!("sd {depth}")),
        );
        commands
    }

    /// Sends a command and waits until the engine has processed it. Some engines lose a line that
    /// follows too soon.
    fn command(&mut self, process: &mut Process, command: &str) -> Result<(), AiError> {
        process.send(command)?;
        self.wait_until_ready(process, |_| false)
    }

    /// Sends a part of a position.
    ///
    /// # Errors
    /// The engine rejects it.
    fn position_command(&mut self, process: &mut Process, command: &str) -> Result<(), AiError> {
        process.send(command)?;
        self.wait_until_ready(process, is_refusal)
    }

    /// Waits until the engine has processed all commands.
    ///
    /// # Errors
    /// The engine answers with a line for which `is_error` returns `true`.
    fn wait_until_ready(
        &mut self,
        process: &mut Process,
        is_error: fn(&str) -> bool,
    ) -> Result<(), AiError> {
        let check = |engine: &Process, line: &str| {
            if is_error(line) {
                Err(engine.failed(&format!("rejects the position: {line}")))
            } else {
                Ok(())
            }
        };
        if !self.features.ping {
            while let Some(line) = process.line_within(Duration::ZERO)? {
                check(process, &line)?;
                self.is_over |= is_result(&line);
            }
            return Ok(());
        }
        self.ping(process)?;
        let (first, mut pause) = (self.pings, ASK_AGAIN_AFTER);
        let mut wait = Wait::new("ping");
        let mut is_answered = false;
        loop {
            match process.line_within(pause)? {
                Some(line) => {
                    check(process, &line)?;
                    self.is_over |= is_result(&line);
                    let number = line
                        .split_once("pong ")
                        .and_then(|(_, number)| number.trim().parse().ok());
                    if number == Some(self.pings) {
                        return Ok(());
                    }
                    is_answered |= number == Some(first);
                }
                None if self.pings == first => {
                    self.ping(process)?;
                    pause = PATIENCE;
                }
                None if is_answered => return Ok(()),
                None => {}
            }
            wait.report(process);
        }
    }

    fn ping(&mut self, process: &mut Process) -> Result<(), AiError> {
        self.pings += 1;
        process.send(&format!("ping {}", self.pings))
    }

    /// Reads a line of a search. A move in it is played on the engine's board.
    ///
    /// # Errors
    /// The engine resigns or ends the game.
    pub(crate) fn event(
        &mut self,
        process: &mut Process,
        line: &str,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<Event, AiError> {
        if let Some(word) = played(line) {
            let chosen = san::parse(
                &request.position,
                &host.legal_moves(&request.position),
                word,
            );
            match (&mut self.board, chosen) {
                (Some((_, moves)), Some(chosen)) => moves.push(chosen),
                (board, _) => *board = None,
            }
            process.send("force")?;
            let uci = chosen.map(|chosen| notation::written(&request.position, chosen).to_string());
            return Ok(Event::BestMove(uci.unwrap_or_else(|| word.to_owned())));
        }
        let is_late_refusal = !self.features.ping && is_refusal(line);
        if line == "resign" || is_result(line) || is_late_refusal {
            return Err(process.failed(&format!("wrote '{line}' instead of a move")));
        }
        Ok(thinking(line, request, host).map_or(Event::Other, Event::Info))
    }
}

impl Default for Features {
    fn default() -> Self {
        let (time, reuse) = (true, true);
        let name = String::new();
        Self {
            ping: false,
            setboard: false,
            usermove: false,
            san: false,
            time,
            reuse,
            name,
            done: None,
        }
    }
}

impl Features {
    fn read(&mut self, name: &str, value: &str) {
        let is_set = value == "1";
        match name {
            "ping" => self.ping = is_set,
            "setboard" => self.setboard = is_set,
            "usermove" => self.usermove = is_set,
            "san" => self.san = is_set,
            "time" => self.time = is_set,
            "reuse" => self.reuse = is_set,
            "done" => self.done = Some(is_set),
            "myname" => value.clone_into(&mut self.name),
            _ => {}
        }
    }
}

/// The result of examining a program for xboard's protocol.
pub(crate) enum Examined {
    Engine(Process, Xboard),
    /// It speaks the protocol, but cannot be served for this reason.
    Unfit(AiError),
    /// It runs, but declared no features.
    Other(Process),
    Exited,
}

/// Starts a program the way xboard does, and asks for its features.
pub(crate) fn examine(command: &Command) -> Examined {
    for pause in PAUSES {
        let Ok(mut process) = Process::start(command) else {
            break;
        };
        let mut xboard = match Xboard::greet(&mut process, pause) {
            Ok(Some(xboard)) => xboard,
            Ok(None) => return Examined::Other(process),
            Err(_) => continue,
        };
        process.is_known = true;
        return match xboard.prepare(&mut process) {
            Ok(()) => Examined::Engine(process, xboard),
            Err(error) => Examined::Unfit(error),
        };
    }
    Examined::Exited
}

/// Returns the names and values in a line of features. A value may be quoted.
fn declarations(line: &str) -> Vec<(String, String)> {
    let mut rest = line.strip_prefix("feature ").unwrap_or_default();
    let mut found = Vec::new();
    while let Some((name, after)) = rest.split_once('=') {
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        let name = name.trim();
        if name.chars().all(|letter| letter.is_ascii_alphanumeric()) {
            found.push((name.to_owned(), value.to_owned()));
        }
        rest = after;
    }
    found
}

/// Returns the move that a line plays: `move e2e4`, or `My move is : e2e4` from old engines.
fn played(line: &str) -> Option<&str> {
    let old = || {
        Some(
            line.split_once("My move is")?
                .1
                .trim_start_matches([' ', ':']),
        )
    };
    let word = line.strip_prefix("move ").or_else(old)?;
    word.split_whitespace().next()
}

/// Returns whether a line is the result of the game.
fn is_result(line: &str) -> bool {
    ["1-0", "0-1", "1/2-1/2"].contains(&line.split(' ').next().unwrap_or_default())
}

/// Returns whether a line rejects a move or a position.
fn is_refusal(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    [
        "illegal move",
        "invalid move",
        "illegal position",
        "invalid position",
    ]
    .iter()
    .any(|text| line.contains(text))
        || line.contains("error") && line.contains("setboard")
}

/// Parses a line of thinking output: the depth, the score for the side to move, the time, the nodes
/// and the moves.
fn thinking(line: &str, request: &SearchRequest<'_>, host: &Host<'_>) -> Option<Info> {
    let mut words = line.split_whitespace();
    let depth = words.next()?;
    let depth = depth
        .trim_end_matches(|letter: char| !letter.is_ascii_digit())
        .parse()
        .ok()?;
    let score: i32 = words.next()?.parse().ok()?;
    let _: u64 = words.next()?.parse().ok()?;
    let nodes = words.next()?.parse().ok()?;
    let mut position = request.position;
    let mut moves = String::new();
    // Some engines number the moves, as in `1.e4`, and add signs.
    let words = words.map(|word| word.rsplit('.').next().unwrap_or(word));
    for word in words.filter(|word| {
        word.contains(|letter: char| letter.is_ascii_alphabetic()) || word.starts_with("0-0")
    }) {
        let Some(chosen) = san::parse(&position, &host.legal_moves(&position), word) else {
            break;
        };
        moves.push(' ');
        moves.push_str(&notation::written(&position, chosen).to_string());
        position = host.play(&position, chosen);
    }
    let moves_to_mate = score.unsigned_abs().wrapping_sub(MATE);
    let own = match (moves_to_mate, score > 0) {
        (LONGEST_MATE.., _) => Score::centipawns(score),
        (_, true) => Score::mate_in_plies((2 * moves_to_mate).max(2) - 1),
        (_, false) => Score::mated_in_plies(2 * moves_to_mate),
    };
    let whites = if request.position.turn() == Color::White {
        own
    } else {
        -own
    };
    Some(Info {
        depth: Some(depth),
        score: Some(whites),
        nodes: Some(nodes),
        line: moves,
        ..Info::EMPTY
    })
}

#[cfg(test)]
mod tests {
    use ai_api::Flag;
    use proptest::prelude::*;

    use super::*;

    /// Parses a line that an engine prints while it searches the start position, or the position
    /// after e4 if Black is to move.
    fn thought(line: &str, turn: Color) -> Option<Info> {
        let flag = Flag::new(false);
        let host = Host::new(&rules::RULES, &flag, &|_| ());
        let mut game = rules::Game::new(rules::start_position());
        if turn == Color::Black {
            game.play(rules::parse_uci(game.position(), "e2e4").unwrap())
                .unwrap();
        }
        thinking(
            line,
            &SearchRequest::new(*game.position(), Limits::NONE),
            &host,
        )
    }

    #[test]
    fn reads_the_thinking_output_of_engines() {
        for (line, depth, score, nodes, moves) in [
            (
                "4 +284 2 48321 e4 e5 Nf3",
                4,
                Score::centipawns(284),
                48321,
                " e2e4 e7e5 g1f3",
            ),
            (
                " 6.    -12    15    2000  e2-e4  e7-e5  Ng1-f3",
                6,
                Score::centipawns(-12),
                2000,
                " e2e4 e7e5 g1f3",
            ),
            (
                "8& 0 15 1 1. e4 e5 2. Nf3 Nc6 (+)",
                8,
                Score::centipawns(0),
                1,
                " e2e4 e7e5 g1f3 b8c6",
            ),
            (
                "8 5 15 1 1.e2e4 e9e9 Nf3",
                8,
                Score::centipawns(5),
                1,
                " e2e4",
            ),
            ("8 5 15 1", 8, Score::centipawns(5), 1, ""),
            ("9 100003 1 7 e4", 9, Score::mate_in_plies(5), 7, " e2e4"),
            ("9 -100003 1 7 e4", 9, Score::mated_in_plies(6), 7, " e2e4"),
            ("9 999998 1 7 e4", 9, Score::centipawns(999_998), 7, " e2e4"),
        ] {
            let expected = Info {
                depth: Some(depth),
                score: Some(score),
                nodes: Some(nodes),
                line: moves.into(),
                ..Info::EMPTY
            };
            assert_eq!(thought(line, Color::White), Some(expected), "{line}");
        }
        assert_eq!(
            thought("4 10 2 9 e5", Color::Black).unwrap().score,
            Some(Score::centipawns(-10))
        );
        for line in [
            "1. e2e4",
            "move e2e4",
            "# times @ 12",
            "tellics whisper d5 +0.18",
            "stat01: 5 6 7 8 e4",
            "4 5 6",
        ] {
            assert_eq!(thought(line, Color::White), None, "{line}");
        }
    }

    #[test]
    fn reads_features_with_quoted_values() {
        let line = "feature ping=1 myname=\"Phalanx XXV\" option=\"Risk (0-50) -slider 0\" done=0";
        let names: Vec<_> = declarations(line)
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(
            names,
            [
                "ping=1",
                "myname=Phalanx XXV",
                "option=Risk (0-50) -slider 0",
                "done=0"
            ]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn never_panics(
            line in "(feature |[a-z]{1,5}=|\"|-?[0-9]{1,20}|e4|O-O|[ -~é]{0,9}| ){0,20}",
        ) {
            let _ = (
                declarations(&line),
                thought(&line, Color::Black),
                played(&line),
                is_refusal(&line),
            );
        }
    }
}
