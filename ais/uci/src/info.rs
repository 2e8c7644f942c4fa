//! An engine's `info` lines.

use ai_api::{Bound, Color, Score, Wdl};

/// The known fields of an `info` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Info {
    pub(crate) depth: Option<u32>,
    pub(crate) selective_depth: Option<u32>,
    pub(crate) nodes: Option<u64>,
    /// For White.
    pub(crate) score: Option<Score>,
    pub(crate) bound: Bound,
    /// For White.
    pub(crate) wdl: Option<Wdl>,
    /// The number of the line (`multipv`), from 1.
    pub(crate) line_number: u32,
    /// The moves of the line, as the engine writes them, each after a space.
    pub(crate) line: String,
    /// Per mille.
    pub(crate) hashfull: Option<u16>,
    pub(crate) tablebase_hits: Option<u64>,
    /// The move that is being searched, as the engine writes it, and its number.
    pub(crate) current: Option<(String, u32)>,
    pub(crate) text: Option<String>,
}

/// What a line from an engine says about a search.
#[derive(Debug, PartialEq)]
pub(crate) enum Event {
    Info(Info),
    /// The word written as the move.
    BestMove(String),
    Other,
}

/// Longer lines are truncated.
const MAX_MOVES: usize = 256;

impl Info {
    pub(crate) const EMPTY: Self = Self {
        depth: None,
        selective_depth: None,
        nodes: None,
        score: None,
        bound: Bound::Exact,
        wdl: None,
        line_number: 1,
        line: String::new(),
        hashfull: None,
        tablebase_hits: None,
        current: None,
        text: None,
    };

    /// Parses the text after `info`. The engine's scores are for `turn`, the side to move.
    pub(crate) fn parse(text: &str, turn: Color) -> Self {
        let mut info = Self::EMPTY;
        let [lower, upper] = match turn {
            Color::White => [Bound::Lower, Bound::Upper],
            Color::Black => [Bound::Upper, Bound::Lower],
        };
        let (text, words_of_text) = match text.split_once("string ") {
            Some((before, words)) if before.is_empty() || before.ends_with(char::is_whitespace) => {
                (before, Some(words.trim()))
            }
            _ => (text, None),
        };
        info.text = words_of_text
            .filter(|words| !words.is_empty())
            .map(str::to_owned);
        let (mut current_move, mut current_number) = (None, 1);
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = number(words.next()),
                "seldepth" => info.selective_depth = number(words.next()),
                "nodes" => info.nodes = number(words.next()),
                "multipv" => info.line_number = number(words.next()).unwrap_or(1),
                "score" => info.score = score(words.next(), words.next(), turn),
                "lowerbound" => info.bound = lower,
                "upperbound" => info.bound = upper,
                "wdl" => info.wdl = wdl(&mut words, turn),
                "pv" => {
                    info.line.reserve(text.len());
                    words.by_ref().take(MAX_MOVES).for_each(|chosen| {
                        info.line.push(' ');
                        info.line.push_str(chosen);
                    });
                }
                "hashfull" => info.hashfull = number(words.next()),
                "tbhits" => info.tablebase_hits = number(words.next()),
                "currmove" => current_move = words.next(),
                "currmovenumber" => current_number = number(words.next()).unwrap_or(1),
                _ => {}
            }
        }
        info.current = current_move.map(|chosen| (chosen.to_owned(), current_number));
        info
    }

    /// Takes a missing score and missing moves from an earlier line.
    pub(crate) fn add_to(&mut self, earlier: &Self) {
        if self.score.is_none() {
            (self.score, self.bound, self.wdl) = (earlier.score, earlier.bound, earlier.wdl);
        }
        if self.line.is_empty() {
            self.line.clone_from(&earlier.line);
        }
    }
}

fn number<T: std::str::FromStr>(word: Option<&str>) -> Option<T> {
    word.and_then(|word| word.parse().ok())
}

fn wdl<'a>(words: &mut impl Iterator<Item = &'a str>, turn: Color) -> Option<Wdl> {
    let own = Wdl {
        win: number(words.next())?,
        draw: number(words.next())?,
        loss: number(words.next())?,
    };
    let whites = if turn == Color::White {
        own
    } else {
        own.swapped()
    };
    Some(whites).filter(|wdl| wdl.is_whole())
}

fn score(kind: Option<&str>, value: Option<&str>, turn: Color) -> Option<Score> {
    let value: i32 = number(value)?;
    let own = match kind? {
        "cp" => Score::centipawns(value),
        // The engine counts moves of the side to move, not plies.
        "mate" if value > 0 => Score::mate_in_plies(value.unsigned_abs().saturating_mul(2) - 1),
        "mate" => Score::mated_in_plies(value.unsigned_abs().saturating_mul(2)),
        _ => return None,
    };
    Some(if turn == Color::White { own } else { -own })
}

#[cfg(test)]
mod tests {
    use ai_api::ScoreKind;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_depth_nodes_score_and_line() {
        let text = "depth 12 seldepth 18 multipv 2 score cp -35 nodes 123456 nps 1000 hashfull 1 \
            time 9 pv e7e5 g1f3";
        let expected = Info {
            depth: Some(12),
            selective_depth: Some(18),
            nodes: Some(123_456),
            score: Some(Score::centipawns(35)),
            line_number: 2,
            line: " e7e5 g1f3".into(),
            hashfull: Some(1),
            ..Info::EMPTY
        };
        assert_eq!(Info::parse(text, Color::Black), expected);
    }

    #[test]
    fn converts_mates_to_whites_view() {
        for (text, turn, moves) in [
            ("score mate 1", Color::White, 1),
            ("score mate 3", Color::Black, -3),
            ("score mate -2", Color::White, -2),
            ("score mate -2", Color::Black, 2),
        ] {
            let kind = Info::parse(text, turn).score.unwrap().kind();
            assert_eq!(kind, ScoreKind::Mate(moves), "{text}");
        }
        assert_eq!(
            Info::parse("score mate 1", Color::White)
                .score
                .unwrap()
                .plies_to_mate(),
            Some(1)
        );
        assert_eq!(
            Info::parse("score mate -1", Color::White)
                .score
                .unwrap()
                .plies_to_mate(),
            Some(2)
        );
    }

    #[test]
    fn converts_bounds_and_chances_to_whites_view() {
        for (word, turn, bound) in [
            ("lowerbound", Color::White, Bound::Lower),
            ("upperbound", Color::White, Bound::Upper),
            ("lowerbound", Color::Black, Bound::Upper),
            ("upperbound", Color::Black, Bound::Lower),
        ] {
            let info = Info::parse(
                &format!("depth 3 score cp 10 {word} wdl 300 600 100 nodes 5"),
                turn,
            );
            let own = Wdl {
                win: 300,
                draw: 600,
                loss: 100,
            };
            let wdl = if turn == Color::White {
                own
            } else {
                own.swapped()
            };
            assert_eq!(
                (info.bound, info.wdl, info.nodes),
                (bound, Some(wdl), Some(5)),
                "{word} {turn:?}"
            );
        }
        assert_eq!(
            Info::parse("score cp 1 wdl 300 600 101", Color::White).wdl,
            None
        );
    }

    #[test]
    fn reads_the_rest_after_string_as_text() {
        let text = |text: &str| Info {
            text: Some(text.into()),
            ..Info::EMPTY
        };
        for (line, expected) in [
            ("string depth 9 score cp 10", text("depth 9 score cp 10")),
            ("string a string b", text("a string b")),
            (
                "depth 3 string  x ",
                Info {
                    depth: Some(3),
                    ..text("x")
                },
            ),
            ("string", Info::EMPTY),
            ("string  ", Info::EMPTY),
            ("substring x", Info::EMPTY),
        ] {
            assert_eq!(Info::parse(line, Color::White), expected, "{line}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn never_panics(text in "(depth|score|cp|mate|nodes|pv|multipv|-?[0-9]{1,20}|[a-z0-9 \
            ]{0,9}| ){0,20}") {
            let _ = Info::parse(&text, Color::Black);
        }
    }
}
