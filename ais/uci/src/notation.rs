//! Moves in UCI notation.

use std::fmt::Write;

use ai_api::{Host, Move, Position, Role, Square};

/// Formats a legal move as UCI does: castling as the king's target or, in Chess960, as king takes
/// rook.
pub(crate) fn written(position: &Position, chosen: Move) -> Move {
    if position.is_castling(chosen) && !position.is_chess960() {
        let (king, rook) = (chosen.from(), chosen.to());
        let file = if rook.file() > king.file() { 6 } else { 2 };
        Move::new(king, Square::new(file, king.rank()))
    } else {
        chosen
    }
}

/// Parses a legal move. Also accepts king takes rook in orthodox chess, and upper-case letters.
pub(crate) fn parse(position: &Position, legal: &[Move], word: &str) -> Option<Move> {
    let named = squares(&word.to_ascii_lowercase())?;
    let meant = |&&chosen: &&Move| written(position, chosen) == named;
    legal
        .iter()
        .find(meant)
        .or_else(|| legal.iter().find(|&&chosen| chosen == named))
        .copied()
}

/// Returns the squares and promotion in a word, legal or not.
pub(crate) fn squares(word: &str) -> Option<Move> {
    let square = |range| {
        word.get(range)
            .and_then(|text: &str| text.parse::<Square>().ok())
    };
    let (from, to) = (square(0..2)?, square(2..4)?);
    match word.get(4..) {
        None | Some("") => Some(Move::new(from, to)),
        Some(letter) => {
            let role = Role::PROMOTIONS
                .into_iter()
                .find(|role| letter.chars().eq([role.letter()]))?;
            Some(Move::promoting(from, to, role))
        }
    }
}

/// Returns the legal prefix of a line.
pub(crate) fn line<'a>(
    position: &Position,
    words: impl Iterator<Item = &'a str>,
    host: &Host<'_>,
) -> Vec<Move> {
    let mut position = *position;
    let mut moves = Vec::new();
    for word in words {
        let Some(chosen) = parse(&position, &host.legal_moves(&position), word) else {
            break;
        };
        position = host.play(&position, chosen);
        moves.push(chosen);
    }
    moves
}

/// Formats the moves of a game, each after a space.
pub(crate) fn game(start: &Position, moves: &[Move], host: &Host<'_>) -> String {
    let mut position = *start;
    let mut words = String::new();
    for &chosen in moves {
        let _ = write!(words, " {}", written(&position, chosen));
        position = host.play(&position, chosen);
    }
    words
}

#[cfg(test)]
mod tests {
    use ai_api::Flag;

    use super::*;

    fn position(fen: &str) -> Position {
        rules::parse_fen(fen).unwrap()
    }

    #[test]
    fn formats_castling_by_variant_and_parses_both() {
        for (fen, own, words) in [
            (
                "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                "e1g1",
                &["e1g1", "e1h1", "E1G1"][..],
            ),
            (
                "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                "e1c1",
                &["e1c1", "e1a1"],
            ),
            ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8c8", &["e8c8", "e8a8"]),
            ("4k3/8/8/8/8/8/8/2R1K1R1 w GC - 0 1", "e1g1", &["e1g1"]),
            ("4k3/8/8/8/8/8/8/2R1K1R1 w GC - 0 1", "e1c1", &["e1c1"]),
        ] {
            let position = position(fen);
            let legal = rules::legal_moves(&position);
            for word in words {
                let read = parse(&position, &legal, word).unwrap();
                assert!(position.is_castling(read), "{word}");
                assert_eq!(written(&position, read).to_string(), own);
            }
        }
    }

    #[test]
    fn distinguishes_a_king_step_from_castling() {
        // The king from b1 to c1 is a step; castling is the king taking its rook on a1.
        let position = position("4k3/8/8/8/8/8/8/RK6 w A - 0 1");
        let legal = rules::legal_moves(&position);
        assert!(!position.is_castling(parse(&position, &legal, "b1c1").unwrap()));
        assert!(position.is_castling(parse(&position, &legal, "b1a1").unwrap()));
    }

    #[test]
    fn a_line_ends_before_an_illegal_move() {
        let stop = Flag::new(false);
        let host = Host::new(&rules::RULES, &stop, &|_| ());
        let words = "e2e4 e7e5 e4e5 g8f6".split(' ');
        let line = line(&rules::start_position(), words, &host);
        assert_eq!(
            line.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["e2e4", "e7e5"]
        );
    }

    #[test]
    fn reads_squares_of_illegal_moves() {
        assert_eq!(
            squares("e2e5").map(|named| named.to_string()).as_deref(),
            Some("e2e5")
        );
        assert_eq!(
            squares("e7e8n").map(|named| named.to_string()).as_deref(),
            Some("e7e8n")
        );
        for word in [
            "(none)", "0000", "e2", "e2e9", "e7e8k", "e7e8qq", "é2e4", "",
        ] {
            assert_eq!(squares(word), None, "{word}");
        }
    }
}
