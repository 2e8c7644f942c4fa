//! Where games begin: a small book of our own, or a file in PGN or EPD.

use rules::{Game, PgnError, PgnGame, SetupIssue, parse_fen, parse_pgn};
use sha2::{Digest, Sha256};

/// Well-known lines of eight plies each, after which both sides can play for a win.
const BOOK: &str = include_str!("openings.pgn");

/// Openings in the order in which they are played, at least one.
#[derive(Clone, Debug)]
pub struct Openings(Vec<Opening>);

/// The beginning of a game.
#[derive(Clone, Debug)]
pub struct Opening {
    /// What people call it, if anything.
    pub name: Option<String>,
    /// Its first position and moves; the game is not over.
    pub game: Game,
}

/// Why a text holds no openings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningsError {
    /// It begins like PGN, but is none.
    #[error(transparent)]
    Pgn(#[from] PgnError),
    /// A line is no EPD.
    #[error("line {line}: {}", .issues.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Epd {
        /// The line, from 1.
        line: usize,
        /// All that is wrong with its position.
        issues: Vec<SetupIssue>,
    },
    /// A game is over before the players' first move.
    #[error("opening {number} is a game that is over")]
    Over {
        /// Which one, from 1.
        number: usize,
    },
    /// There is nothing in it.
    #[error("there is no opening in it; expected games in PGN, or positions in EPD or FEN, one in a line")]
    Empty,
}

impl Openings {
    /// The built-in book.
    ///
    /// # Panics
    /// Never: the tests read it.
    pub fn built_in() -> Self {
        Self::read(BOOK).expect("the book is in PGN")
    }

    /// The openings of a text: games in PGN, taken to their end, or positions in EPD or FEN, one in a line.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn read(text: &str) -> Result<Self, OpeningsError> {
        let openings: Vec<_> = if is_pgn(text) {
            parse_pgn(text)?.into_iter().map(Opening::of_pgn).collect()
        } else {
            read_positions(text)?
        };
        if openings.is_empty() {
            return Err(OpeningsError::Empty);
        }
        match openings.iter().position(|opening| opening.game.status().outcome.is_some()) {
            Some(index) => Err(OpeningsError::Over { number: index + 1 }),
            None => Ok(Self(openings)),
        }
    }

    /// The same openings in another order, which depends on the seed alone.
    #[must_use]
    pub fn shuffled(mut self, seed: u64) -> Self {
        let mut keyed: Vec<_> = self
            .0
            .drain(..)
            .enumerate()
            .map(|(index, opening)| {
                let mut hash = Sha256::new();
                hash.update(seed.to_le_bytes());
                hash.update((index as u64).to_le_bytes());
                (hash.finalize().to_vec(), opening)
            })
            .collect();
        keyed.sort_by(|(key, _), (other, _)| key.cmp(other));
        Self(keyed.into_iter().map(|(_, opening)| opening).collect())
    }

    /// The opening of a round; after the last one they begin again.
    pub fn of_round(&self, round: usize) -> &Opening {
        &self.0[round % self.0.len()]
    }

    /// Every opening, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Opening> {
        self.0.iter()
    }
}

impl Opening {
    fn of_pgn(read: PgnGame) -> Self {
        Self { name: read.tag("Opening").map(str::to_owned), game: read.game }
    }
}

/// PGN has tags, or begins with a move or its number; the placement of a position begins with a rank of it.
fn is_pgn(text: &str) -> bool {
    let first = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .find(|line| !(line.is_empty() || line.starts_with('#')));
    first.is_some_and(|line| line.starts_with(['[', '{', '%']) || !line.contains('/'))
}

fn read_positions(text: &str) -> Result<Vec<Opening>, OpeningsError> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(line, text)| {
            let position =
                parse_fen(&fen_of_epd(text)).map_err(|issues| OpeningsError::Epd { line, issues })?;
            Ok(Opening { name: operand(text, "id").map(str::to_owned), game: Game::new(position) })
        })
        .collect()
}

/// The FEN of a line: its four fields, and the clocks where they are told, as in FEN or by their operations.
fn fen_of_epd(line: &str) -> String {
    let words: Vec<_> = line.split_ascii_whitespace().collect();
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let fields = words.iter().take(4).copied().collect::<Vec<_>>().join(" ");
    let numbers =
        words.iter().skip(4).take(2).copied().take_while(|word| is_number(word)).collect::<Vec<_>>();
    let (halfmoves, fullmoves) = match numbers[..] {
        [halfmoves, fullmoves] => (halfmoves, fullmoves),
        _ => (operand(line, "hmvc").unwrap_or("0"), operand(line, "fmvn").unwrap_or("1")),
    };
    if words.len() < 4 { line.to_owned() } else { format!("{fields} {halfmoves} {fullmoves}") }
}

/// What an operation of EPD says, such as `id "x";`.
fn operand<'a>(line: &'a str, code: &str) -> Option<&'a str> {
    let operations = line.splitn(5, ' ').nth(4)?;
    let found = operations.split(';').map(str::trim).find_map(|operation| operation.strip_prefix(code))?;
    let value = found.strip_prefix(' ')?.trim().trim_matches('"');
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn fens(openings: &Openings) -> Vec<String> {
        openings.iter().map(|opening| rules::format_fen(opening.game.position())).collect()
    }

    #[test]
    fn the_book_has_fifty_openings_of_eight_plies_and_no_position_twice() {
        let book = Openings::built_in();
        assert!(book.iter().count() >= 50);
        assert!(book.iter().all(|opening| opening.game.moves().len() == 8 && opening.name.is_some()));
        assert_eq!(fens(&book).into_iter().collect::<BTreeSet<_>>().len(), book.iter().count());
    }

    #[test]
    fn after_an_opening_of_the_book_nobody_is_ahead_by_more_than_a_pawn() {
        use ai_api::{Color, Role};
        let worth = |position: &ai_api::Position, color| -> u32 {
            [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)]
                .map(|(role, value)| value * position.pieces(color, role).count())
                .iter()
                .sum()
        };
        for opening in Openings::built_in().iter() {
            let position = opening.game.position();
            let [white, black] = Color::ALL.map(|color| worth(position, color));
            assert!(white.abs_diff(black) <= 1 && !position.in_check(), "{:?}", opening.name);
        }
    }

    #[test]
    fn a_seed_gives_an_order_and_another_seed_another_one() {
        let order = |seed| fens(&Openings::built_in().shuffled(seed));
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        assert_eq!(
            order(1).into_iter().collect::<BTreeSet<_>>(),
            fens(&Openings::built_in()).into_iter().collect()
        );
    }

    #[test]
    fn openings_are_read_from_pgn_epd_and_fen() {
        let pgn = Openings::read("1. e4 e5 *\n\n1. d4 *").unwrap();
        assert_eq!(pgn.iter().map(|opening| opening.game.moves().len()).collect::<Vec<_>>(), [2, 1]);
        let text = "# mine\nrnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 3; fmvn 7; id \"King's pawns\";\n\n\
            rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 1 2\n4k3/8/8/8/8/8/8/4K2R w K -\n";
        let epd = Openings::read(text).unwrap();
        assert_eq!(
            fens(&epd),
            [
                "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 3 7",
                "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 1 2",
                "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            ]
        );
        assert_eq!(epd.of_round(0).name.as_deref(), Some("King's pawns"));
        assert_eq!(epd.of_round(5).name, epd.of_round(2).name);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, part) in [
            ("", "there is no opening"),
            ("# nothing", "there is no opening"),
            ("1. e5", "e5 is illegal"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "line 1: White has no king"),
            ("4k3/8/8/8/8/8/8/4K2R w", "line 1: "),
            ("1. f3 e5 2. g4 Qh4#", "opening 1 is a game that is over"),
        ] {
            let error = Openings::read(text).map(|_| ()).expect_err(text).to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
