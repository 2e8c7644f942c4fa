//! Moves in SAN, and in the notations of xboard engines.

use ai_api::{Host, Move, Position, Role, Square};

use crate::notation;

/// Formats a legal move in SAN, without a check sign.
pub(crate) fn written(position: &Position, chosen: Move, host: &Host<'_>) -> String {
    let (from, to) = (chosen.from(), chosen.to());
    if position.is_castling(chosen) {
        return if to.file() > from.file() {
            "O-O".into()
        } else {
            "O-O-O".into()
        };
    }
    let is_capture =
        position.role_at(to).is_some() || is_pawn(position, from) && from.file() != to.file();
    let capture = if is_capture { "x" } else { "" };
    if is_pawn(position, from) {
        let file = if is_capture {
            file(from).to_string()
        } else {
            String::new()
        };
        let promotion = chosen
            .promotion()
            .map(|role| format!("={}", letter(role)))
            .unwrap_or_default();
        return format!("{file}{capture}{to}{promotion}");
    }
    let role = position.role_at(from);
    let legal = host.legal_moves(position);
    let is_alike = |other: &&Move| {
        other.to() == to
            && other.from() != from
            && position.role_at(other.from()) == role
            && !position.is_castling(**other)
    };
    let others: Vec<Square> = legal
        .iter()
        .filter(is_alike)
        .map(|other| other.from())
        .collect();
    let of_file = others.iter().any(|other| other.file() == from.file());
    let of_rank = others.iter().any(|other| other.rank() == from.rank());
    let origin = match (others.is_empty(), of_file, of_rank) {
        (true, ..) => String::new(),
        (_, false, _) => file(from).to_string(),
        (_, true, false) => (from.rank() + 1).to_string(),
        (_, true, true) => from.to_string(),
    };
    format!(
        "{}{origin}{capture}{to}",
        role.map(letter).unwrap_or_default()
    )
}

/// Reads a legal move in UCI, SAN or long notation: `e1g1`, `Nbd7+`, `Kg1xg2`, `exd8=Q`, `O-O`.
pub(crate) fn parse(position: &Position, legal: &[Move], word: &str) -> Option<Move> {
    let word = word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric());
    if let Some(found) = notation::parse(position, legal, word) {
        return Some(found);
    }
    let castles = |&&chosen: &&Move, side: bool| {
        position.is_castling(chosen) && (chosen.to().file() > chosen.from().file()) == side
    };
    match word.replace('0', "O").to_ascii_uppercase().as_str() {
        "O-O" => return legal.iter().find(|chosen| castles(chosen, true)).copied(),
        "O-O-O" => return legal.iter().find(|chosen| castles(chosen, false)).copied(),
        _ => {}
    }
    let mut letters: Vec<char> = word
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .filter(|&letter| letter != 'x')
        .collect();
    let promotion = letters
        .pop_if(|last| last.is_ascii_alphabetic())
        .and_then(role);
    let role = match letters.first() {
        Some(first) if first.is_ascii_uppercase() => role(letters.remove(0))?,
        _ => Role::Pawn,
    };
    let to: Square = letters
        .split_off(letters.len().checked_sub(2)?)
        .iter()
        .collect::<String>()
        .parse()
        .ok()?;
    let is_meant = |&&chosen: &&Move| {
        let from = chosen.from();
        chosen.to() == to
            && !position.is_castling(chosen)
            && position.role_at(from) == Some(role)
            && chosen.promotion() == promotion
            && letters
                .iter()
                .all(|&letter| letter == file(from) || letter == char::from(b'1' + from.rank()))
    };
    let mut meant = legal.iter().filter(is_meant);
    meant.next().filter(|_| meant.next().is_none()).copied()
}

fn is_pawn(position: &Position, square: Square) -> bool {
    position.role_at(square) == Some(Role::Pawn)
}

fn file(square: Square) -> char {
    char::from(b'a' + square.file())
}

fn letter(role: Role) -> char {
    role.letter().to_ascii_uppercase()
}

fn role(letter: char) -> Option<Role> {
    Role::ALL
        .into_iter()
        .find(|role| role.letter() == letter.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use ai_api::Flag;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_the_notations_of_engines() {
        const MIDDLE_GAME: &str =
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        for (fen, words, read) in [
            (
                MIDDLE_GAME,
                &["e2a6", "Bxa6", "Be2xa6", "Be2-a6", "<Bxa6>", "Bxa6!?"][..],
                Some("e2a6"),
            ),
            (
                MIDDLE_GAME,
                &["e1g1", "O-O", "0-0", "o-o", "O-O+"],
                Some("e1h1"),
            ),
            (MIDDLE_GAME, &["O-O-O", "e1c1"], Some("e1a1")),
            (MIDDLE_GAME, &["dxe6", "d5xe6", "d5e6"], Some("d5e6")),
            (MIDDLE_GAME, &["Nd3", "Ne5d3", "N5d3"], Some("e5d3")),
            (
                MIDDLE_GAME,
                &["N", "", "12", "Nd9", "a", "(+)", "Rg1g1g1", "Ke3"],
                None,
            ),
            (
                "3r1k2/2P5/8/8/8/8/8/4K3 w - - 0 1",
                &["cxd8=Q", "cxd8Q", "c7d8q", "c7xd8=Q+"],
                Some("c7d8q"),
            ),
            (
                "3r1k2/2P5/8/8/8/8/8/4K3 w - - 0 1",
                &["c8=N", "c8N"],
                Some("c7c8n"),
            ),
            ("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", &["Nbd2"], Some("b1d2")),
            ("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", &["Nd2"], None),
        ] {
            let position = rules::parse_fen(fen).unwrap();
            let legal = rules::legal_moves(&position);
            for word in words {
                let found = parse(&position, &legal, word).map(|found| found.to_string());
                assert_eq!(found.as_deref(), read, "{word}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            cases: 50,
            ..ProptestConfig::default()
        })]

        #[test]
        fn san_round_trips(
            choices in prop::collection::vec(any::<prop::sample::Index>(), 0..120),
        ) {
            let flag = Flag::new(false);
            let host = Host::new(&rules::RULES, &flag, &|_| ());
            let mut game = rules::Game::new(rules::start_position());
            for choice in choices {
                let position = *game.position();
                let legal = rules::legal_moves(&position);
                for &chosen in &legal {
                    let san = written(&position, chosen, &host);
                    let expected = rules::format_san(&position, chosen);
                    prop_assert_eq!(&san, expected.trim_end_matches(['+', '#']));
                    prop_assert_eq!(parse(&position, &legal, &expected), Some(chosen));
                }
                if legal.is_empty() || game.play(*choice.get(&legal)).is_err() {
                    break;
                }
            }
        }

        #[test]
        fn never_panics(word in "[KQRBNPOo0-8a-hx+#=!<>() é-]{0,9}") {
            let position = rules::start_position();
            let _ = parse(&position, &rules::legal_moves(&position), &word);
        }
    }
}
