//! Opening names and their codes in the Encyclopaedia of Chess Openings (ECO). Openings are found
//! by position, so transpositions have the same name.
//!
//! The `openings` folder contains the list and documents its origin.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::LazyLock,
};

use ai_api::Position;
use rules::{Game, PgnGame, parse_san, play, start_position};

/// The volumes of the encyclopaedia. After a header, each line contains a code, a name and moves.
const VOLUMES: [&str; 5] = [
    include_str!("../openings/a.tsv"),
    include_str!("../openings/b.tsv"),
    include_str!("../openings/c.tsv"),
    include_str!("../openings/d.tsv"),
    include_str!("../openings/e.tsv"),
];

/// The openings by the hashes of their positions.
static OPENINGS: LazyLock<HashMap<u64, Opening, BuildHasherDefault<PositionHasher>>> =
    LazyLock::new(|| {
        let mut reached = HashMap::new();
        let lines = VOLUMES.iter().flat_map(|volume| volume.lines().skip(1));
        let opening = |line: &'static str| {
            let mut columns = line.splitn(3, '\t');
            let mut column = || columns.next().expect("a line has a code, a name and moves");
            let (eco, name, moves) = (column(), column(), column());
            (
                position_after(moves, &mut reached).hash(),
                Opening { eco, name },
            )
        };
        lines.map(opening).collect()
    });

/// A hasher that returns each key unchanged, because the key is a hash.
#[derive(Default)]
struct PositionHasher(u64);

impl Hasher for PositionHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a key is one number")
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Returns the position after numbered moves. `reached` contains the positions after the prefixes
/// of earlier lines.
fn position_after<'a>(moves: &'a str, reached: &mut HashMap<&'a str, Position>) -> Position {
    let mut position = start_position();
    for word in moves.split(' ').filter(|word| !word.ends_with('.')) {
        let end = word.as_ptr().addr() + word.len() - moves.as_ptr().addr();
        position = *reached.entry(&moves[..end]).or_insert_with(|| {
            let chosen = parse_san(&position, word).expect("the moves are legal");
            play(&position, chosen)
        });
    }
    position
}

/// Reads the list now rather than at the first lookup.
pub fn load() {
    LazyLock::force(&OPENINGS);
}

/// An opening with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The code, from `A00` to `E99`.
    pub eco: &'static str,
    /// The name, such as `Sicilian Defense: Najdorf Variation`.
    pub name: &'static str,
}

impl Opening {
    /// Returns the opening of the last named position in a game.
    ///
    /// # Examples
    /// ```
    /// let game = rules::Game::from_moves(None, &["g1f3", "d7d5", "d2d4"]).expect("legal moves");
    /// let opening = formats::eco::Opening::of_game(&game).expect("a position with a name");
    /// assert_eq!((opening.eco, opening.name), ("D02", "Queen's Pawn Game: Zukertort Variation"));
    /// ```
    pub fn of_game(game: &Game) -> Option<Self> {
        game.hashes().rev().find_map(find)
    }

    /// Returns the opening after each move of a game's theory: the moves up to the last named
    /// position. An unnamed position gets the opening of the previous position.
    ///
    /// # Examples
    /// ```
    /// let moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "h7h5"];
    /// let game = rules::Game::from_moves(None, &moves).expect("legal moves");
    /// let theory = formats::eco::Opening::theory(&game);
    /// assert_eq!(theory.len(), 5, "h5 leads to no position with a name");
    /// assert_eq!(theory[4].map(|opening| opening.name), Some("Ruy Lopez"));
    /// ```
    pub fn theory(game: &Game) -> Vec<Option<Self>> {
        let mut theory: Vec<_> = game.hashes().map(find).collect();
        let end = theory
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |last| last + 1);
        theory.truncate(end);
        let mut last = None;
        for opening in &mut theory {
            last = opening.or(last);
            *opening = last;
        }
        // No move leads to the first position.
        theory.into_iter().skip(1).collect()
    }
}

fn find(hash: u64) -> Option<Opening> {
    OPENINGS.get(&hash).copied()
}

/// Adds the `ECO` and `Opening` tags if a game lacks them.
pub fn add_tags(pgn: &mut PgnGame) {
    let Some(Opening { eco, name }) = Opening::of_game(&pgn.game) else {
        return;
    };
    for (tag, value) in [("ECO", eco), ("Opening", name)] {
        if pgn.tag(tag).is_none() {
            pgn.tags.push((tag.to_owned(), value.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(moves: &str) -> Option<(&'static str, &'static str)> {
        let game = Game::from_san(None, &moves.split_whitespace().collect::<Vec<_>>()).unwrap();
        Opening::of_game(&game).map(|opening| (opening.eco, opening.name))
    }

    #[test]
    fn finds_every_opening_in_the_list() {
        let mut found = 0;
        for line in VOLUMES.iter().flat_map(|volume| volume.lines().skip(1)) {
            let [eco, name, moves] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let game = rules::parse_pgn(moves).unwrap().remove(0).game;
            assert_eq!(
                Opening::of_game(&game),
                Some(Opening { eco, name }),
                "{moves}"
            );
            found += 1;
        }
        assert!(
            found > 3_700 && found == OPENINGS.len(),
            "{found}: no position has two names"
        );
    }

    #[test]
    fn gives_transpositions_the_same_name() {
        let declined = Some(("D37", "Queen's Gambit Declined: Three Knights Variation"));
        assert_eq!(opening("d4 d5 c4 e6 Nc3 Nf6 Nf3"), declined);
        assert_eq!(opening("Nf3 Nf6 c4 e6 Nc3 d5 d4"), declined);
    }

    #[test]
    fn the_last_named_position_counts() {
        let najdorf = Some(("B90", "Sicilian Defense: Najdorf Variation"));
        assert_eq!(opening("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6"), najdorf);
        assert_eq!(
            opening("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Rb1 h6 Ra1 Rg8"),
            najdorf
        );
    }

    #[test]
    fn theory_ends_at_the_last_named_position() {
        let names = |moves: &str| {
            let game = Game::from_san(None, &moves.split_whitespace().collect::<Vec<_>>()).unwrap();
            let theory = Opening::theory(&game).into_iter();
            theory
                .map(|opening| opening.map_or("", |opening| opening.name))
                .collect::<Vec<_>>()
        };
        let spanish = names("e4 e5 Nf3 Nc6 Bb5 h5 h4");
        assert_eq!(spanish.len(), 5, "{spanish:?}");
        assert_eq!(spanish.last(), Some(&"Ruy Lopez"));
        // Moves that lead to a named position are theory, even from unnamed positions.
        let transposed = names("Nf3 Nf6 c4 e6 Nc3 d5 d4 h5");
        assert_eq!(transposed.len(), 7, "{transposed:?}");
        assert_eq!(
            transposed.last(),
            Some(&"Queen's Gambit Declined: Three Knights Variation")
        );
        assert_eq!(names(""), [""; 0]);
        let end = Game::from_moves(Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), &["e2e4"]).unwrap();
        assert_eq!(Opening::theory(&end), []);
        let sicilian = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        let left = Game::from_moves(Some(sicilian), &["h2h3", "h7h5"]).unwrap();
        assert_eq!(
            Opening::theory(&left),
            [],
            "the first position has a name but is not theory"
        );
    }

    #[test]
    fn unnamed_positions_have_no_opening() {
        assert_eq!(opening(""), None);
        let end = Game::from_moves(Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), &["e2e4"]).unwrap();
        assert_eq!(Opening::of_game(&end), None);
    }

    #[test]
    fn names_the_first_position_of_a_game() {
        let sicilian = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        let game = Game::from_moves(Some(sicilian), &[] as &[&str]).unwrap();
        assert_eq!(
            Opening::of_game(&game).map(|opening| opening.eco),
            Some("B20")
        );
    }

    #[test]
    fn keeps_existing_tags() {
        let mut pgn = rules::parse_pgn("[Opening \"Mine\"]\n\n1. e4 c5 *")
            .unwrap()
            .remove(0);
        add_tags(&mut pgn);
        assert_eq!(
            (pgn.tag("Opening"), pgn.tag("ECO")),
            (Some("Mine"), Some("B20"))
        );
    }
}
