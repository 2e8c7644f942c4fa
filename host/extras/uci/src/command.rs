//! Parses the lines that a chess program sends.

use std::str::FromStr;

use ai_api::{Clocks, Color};

use game::clock::Clock;

/// A supported UCI command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UciCommand {
    Uci,
    IsReady,
    NewGame,
    SetOption { name: String, value: Option<String> },
    Position(PositionForm),
    Go(Box<Go>),
    Stop,
    PonderHit,
    Quit,
}

/// The arguments of `position`, unchecked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PositionForm {
    /// `None` for the standard start position.
    pub(crate) fen: Option<String>,
    pub(crate) moves: Vec<String>,
}

/// The arguments of `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Go {
    pub(crate) depth: Option<u32>,
    pub(crate) nodes: Option<u64>,
    pub(crate) movetime_ms: Option<u64>,
    /// Searches for a mate in this number of moves.
    pub(crate) mate: Option<u32>,
    pub(crate) remaining_ms: [Option<u64>; 2],
    pub(crate) increment_ms: [u64; 2],
    pub(crate) moves_until_control: Option<u64>,
    pub(crate) infinite: bool,
    pub(crate) ponder: bool,
    /// The allowed moves, or empty for all.
    pub(crate) search_moves: Vec<String>,
}

impl Go {
    /// Returns both clocks, or `None` if one is missing.
    pub(crate) fn clocks(&self) -> Option<Clocks> {
        let [Some(white), Some(black)] = self.remaining_ms else {
            return None;
        };
        let moves_to_go = self
            .moves_until_control
            .unwrap_or(0)
            .min(u64::from(u32::MAX)) as u32;
        Some(Clocks {
            remaining_ms: [white, black],
            increment_ms: self.increment_ms,
            moves_to_go,
            ..Clocks::default()
        })
    }

    pub(crate) fn clock(&self, turn: Color) -> Option<Clock> {
        let side = turn.index();
        Some(Clock {
            remaining_ms: self.remaining_ms[side]?,
            increment_ms: self.increment_ms[side],
            moves_to_go: self.moves_until_control,
        })
    }
}

impl UciCommand {
    /// Parses a line. Ignores unknown words before the command, as UCI requires. Returns `None` if
    /// the line contains no supported command.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        loop {
            return Some(match words.next()? {
                "uci" => Self::Uci,
                "isready" => Self::IsReady,
                "ucinewgame" => Self::NewGame,
                "setoption" => return parse_setoption(words),
                "position" => return parse_position(words).map(Self::Position),
                "go" => Self::Go(Box::new(parse_go(words))),
                "stop" => Self::Stop,
                "ponderhit" => Self::PonderHit,
                "quit" => Self::Quit,
                "debug" | "register" => return None,
                _ => continue,
            });
        }
    }
}

/// Parses `name …` and an optional `value …`. Both may contain several words.
fn parse_setoption<'a>(words: impl Iterator<Item = &'a str>) -> Option<UciCommand> {
    let mut words = words.skip_while(|word| *word != "name").skip(1);
    let name: Vec<_> = words.by_ref().take_while(|word| *word != "value").collect();
    let value: Vec<_> = words.collect();
    if name.is_empty() {
        return None;
    }
    let value = (!value.is_empty()).then(|| value.join(" "));
    Some(UciCommand::SetOption {
        name: name.join(" "),
        value,
    })
}

fn parse_position<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<PositionForm> {
    let fen = match words.next()? {
        "startpos" => {
            let _ = words.by_ref().find(|word| *word == "moves");
            None
        }
        "fen" => {
            let fields: Vec<_> = words.by_ref().take_while(|word| *word != "moves").collect();
            Some(fields.join(" "))
        }
        _ => return None,
    };
    Some(PositionForm {
        fen,
        moves: words.map(str::to_owned).collect(),
    })
}

fn parse_go<'a>(words: impl Iterator<Item = &'a str>) -> Go {
    let mut go = Go::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(text) = words.next_if(|next| is_move(next)) {
                    go.search_moves.push(text.to_owned());
                }
            }
            "depth" => go.depth = parse_number(words.next()),
            "nodes" => go.nodes = parse_number(words.next()),
            "movetime" => go.movetime_ms = parse_number(words.next()),
            "mate" => go.mate = parse_number(words.next()),
            "wtime" => go.remaining_ms[Color::White.index()] = parse_number(words.next()),
            "btime" => go.remaining_ms[Color::Black.index()] = parse_number(words.next()),
            "winc" => {
                go.increment_ms[Color::White.index()] = parse_number(words.next()).unwrap_or(0);
            }
            "binc" => {
                go.increment_ms[Color::Black.index()] = parse_number(words.next()).unwrap_or(0);
            }
            "movestogo" => go.moves_until_control = parse_number(words.next()),
            _ => {}
        }
    }
    go
}

/// Parses a number and clamps it: negative numbers, such as after a flag fall, to 0, and large ones
/// to the maximum.
fn parse_number<T: FromStr + TryFrom<u64> + Default>(word: Option<&str>) -> Option<T> {
    let number = word?.parse::<i128>().ok()?.clamp(0, i128::from(u64::MAX)) as u64;
    T::try_from(number)
        .or_else(|_| T::try_from(u64::from(u32::MAX)))
        .ok()
}

/// Returns whether a word looks like a move rather than the next keyword.
fn is_move(word: &str) -> bool {
    let is_square = |square: &[u8]| matches!(square, [b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8']);
    let bytes = word.as_bytes();
    matches!(bytes.len(), 4 | 5) && is_square(&bytes[..2]) && is_square(&bytes[2..4])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn go(line: &str) -> Go {
        match UciCommand::parse(line) {
            Some(UciCommand::Go(go)) => *go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn parses_every_command() {
        for (line, expected) in [
            ("uci", UciCommand::Uci),
            ("  isready\r", UciCommand::IsReady),
            ("ucinewgame", UciCommand::NewGame),
            ("stop", UciCommand::Stop),
            ("ponderhit", UciCommand::PonderHit),
            ("quit", UciCommand::Quit),
            ("joho \u{fffd} uci", UciCommand::Uci),
            (
                "setoption name Move Overhead value 50",
                UciCommand::SetOption {
                    name: "Move Overhead".into(),
                    value: Some("50".into()),
                },
            ),
            (
                "setoption name style value very calm",
                UciCommand::SetOption {
                    name: "style".into(),
                    value: Some("very calm".into()),
                },
            ),
            (
                "setoption name Clear Hash",
                UciCommand::SetOption {
                    name: "Clear Hash".into(),
                    value: None,
                },
            ),
            (
                "position startpos",
                UciCommand::Position(PositionForm::default()),
            ),
            (
                "position startpos moves e2e4 e7e5",
                UciCommand::Position(PositionForm {
                    fen: None,
                    moves: vec!["e2e4".into(), "e7e5".into()],
                }),
            ),
            (
                "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1",
                UciCommand::Position(PositionForm {
                    fen: Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1".into()),
                    moves: vec!["e1g1".into()],
                }),
            ),
        ] {
            assert_eq!(UciCommand::parse(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn ignores_lines_without_a_command() {
        for line in [
            "",
            " ",
            "hello",
            "debug on",
            "register later",
            "position",
            "position x",
            "setoption",
            "setoption name",
        ] {
            assert_eq!(UciCommand::parse(line), None, "{line}");
        }
    }

    #[test]
    fn parses_every_limit() {
        assert_eq!(go("go"), Go::default());
        assert_eq!(go("go depth 5").depth, Some(5));
        assert_eq!(go("go nodes 7 mate 3").nodes, Some(7));
        assert_eq!(go("go nodes 7 mate 3").mate, Some(3));
        assert_eq!(go("go movetime 250").movetime_ms, Some(250));
        assert!(go("go infinite").infinite && go("go ponder wtime 1").ponder);
        let clocks = go("go wtime 1000 btime 2000 winc 10 binc 20 movestogo 40");
        let clock = |remaining_ms, increment_ms| Clock {
            remaining_ms,
            increment_ms,
            moves_to_go: Some(40),
        };
        assert_eq!(clocks.clock(Color::White), Some(clock(1000, 10)));
        assert_eq!(clocks.clock(Color::Black), Some(clock(2000, 20)));
        assert_eq!(go("go wtime 5").clock(Color::Black), None);
        assert_eq!(
            go("go searchmoves e2e4 e7e8q depth 3").search_moves,
            ["e2e4", "e7e8q"]
        );
        assert_eq!(go("go searchmoves e2e4 e7e8q depth 3").depth, Some(3));
        assert_eq!(go("go searchmoves a7a8Q depth 3").search_moves, ["a7a8Q"]);
    }

    #[test]
    fn clamps_numbers() {
        assert_eq!(
            go("go wtime -50")
                .clock(Color::White)
                .map(|clock| clock.remaining_ms),
            Some(0)
        );
        assert_eq!(go("go depth 99999999999999999999").depth, Some(u32::MAX));
        assert_eq!(go("go nodes 99999999999999999999").nodes, Some(u64::MAX));
        assert_eq!(go("go depth x nodes 5").nodes, Some(5));
        assert_eq!(go("go depth").depth, None);
    }

    proptest! {
        #[test]
        fn never_panics(line in "(go|position|setoption|name|value|moves|fen|searchmoves|depth|[ \
            -~é\0]{0,9}| ){0,30}") {
            let _ = UciCommand::parse(&line);
        }
    }
}
