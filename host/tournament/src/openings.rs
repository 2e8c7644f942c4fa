//! Openings: a built-in book, or a file in PGN or EPD.

use std::{io::BufRead, ops::ControlFlow};

use formats::{Chunk, ChunkError, Chunks, FormatName, for_each_chunk, read_head};
use rules::{Game, PgnError, PgnGame, SetupIssue, parse_fen, parse_pgn};
use sha2::{Digest, Sha256};

/// Well-known balanced openings of eight plies.
const BOOK: &str = include_str!("openings.pgn");

/// At least one opening, in the order of play.
#[derive(Clone, Debug)]
pub struct Openings(Vec<Opening>);

#[derive(Clone, Debug)]
pub(crate) struct Opening {
    pub(crate) name: Option<String>,
    /// The first position and moves; not over.
    pub(crate) game: Game,
}

#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    #[error(transparent)]
    Text(#[from] ChunkError),
    #[error(transparent)]
    Pgn(#[from] PgnError),
    #[error("line {line}: {}", .issues.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Epd {
        /// From 1.
        line: usize,
        issues: Vec<SetupIssue>,
    },
    #[error("opening {number}: the game is over; expected a position to play on from")]
    GameOver {
        /// From 1.
        number: usize,
    },
    #[error("found no opening; expected games in PGN, or positions in EPD or FEN, one per line")]
    Empty,
}

impl Openings {
    /// Returns the built-in book.
    ///
    /// # Panics
    /// Never: a test parses the book.
    pub fn built_in() -> Self {
        Self::read(BOOK.as_bytes()).expect("the book is in PGN")
    }

    /// Reads games in PGN, with all their moves, or positions in EPD or FEN, one per line.
    ///
    /// # Errors
    /// The source cannot be read, or the first invalid opening.
    pub fn read(source: impl BufRead) -> Result<Self, OpeningsError> {
        let (head, source) = read_head(source).map_err(ChunkError::from)?;
        let (parse, format): (fn(&Chunk) -> _, _) =
            if is_pgn(&head) { (parse_games, FormatName::Pgn) } else { (parse_positions, FormatName::Epd) };
        let chunks = Chunks::new(source, format.format().boundaries());
        let mut openings = Vec::new();
        for_each_chunk(chunks.map(|chunk| chunk.map_err(OpeningsError::from)), parse, |_, parsed| {
            let parsed: Vec<Opening> = parsed.map_err(|error| match error {
                OpeningsError::Pgn(error) => {
                    OpeningsError::Pgn(PgnError { game: error.game + openings.len(), ..error })
                }
                error => error,
            })?;
            openings.extend(parsed);
            Ok(ControlFlow::Continue(()))
        })?;
        if openings.is_empty() {
            return Err(OpeningsError::Empty);
        }
        match openings.iter().position(|opening| opening.game.outcome().is_some()) {
            Some(index) => Err(OpeningsError::GameOver { number: index + 1 }),
            None => Ok(Self(openings)),
        }
    }

    /// Shuffles the openings. The order depends on the seed alone.
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

    /// Returns the opening of a round; after the last opening the first one follows.
    pub(crate) fn for_round(&self, round: usize) -> &Opening {
        &self.0[round % self.0.len()]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Opening> {
        self.0.iter()
    }
}

impl Opening {
    fn from_pgn(pgn: PgnGame) -> Self {
        Self { name: pgn.tag("Opening").map(str::to_owned), game: pgn.game }
    }
}

/// Returns whether a text is PGN: it begins with a tag, a comment or a move, not with the ranks of a position.
fn is_pgn(text: &str) -> bool {
    let first = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .find(|line| !(line.is_empty() || line.starts_with('#')));
    first.is_some_and(|line| line.starts_with(['[', '{', '%']) || !line.contains('/'))
}

fn parse_games(chunk: &Chunk) -> Result<Vec<Opening>, OpeningsError> {
    let games = parse_pgn(&chunk.text)
        .map_err(|error| PgnError { line: error.line + chunk.lines_before, ..error })?;
    Ok(games.into_iter().map(Opening::from_pgn).collect())
}

fn parse_positions(chunk: &Chunk) -> Result<Vec<Opening>, OpeningsError> {
    let lines = (chunk.lines_before + 1..).zip(chunk.text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(line, text)| {
            let position =
                parse_fen(&epd_to_fen(text)).map_err(|issues| OpeningsError::Epd { line, issues })?;
            Ok(Opening { name: operand(text, "id").map(str::to_owned), game: Game::new(position) })
        })
        .collect()
}

/// Returns the FEN of a line: the four fields of EPD, with the clocks of FEN or of the operations `hmvc` and `fmvn`.
fn epd_to_fen(line: &str) -> String {
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

/// Returns the operand of an EPD operation, such as `id "x";`.
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
    fn book_has_fifty_different_openings_of_eight_plies() {
        let book = Openings::built_in();
        assert!(book.iter().count() >= 50);
        assert!(book.iter().all(|opening| opening.game.moves().len() == 8 && opening.name.is_some()));
        assert_eq!(fens(&book).into_iter().collect::<BTreeSet<_>>().len(), book.iter().count());
    }

    #[test]
    fn book_keeps_material_within_a_pawn() {
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
    fn order_depends_on_the_seed() {
        let order = |seed| fens(&Openings::built_in().shuffled(seed));
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        assert_eq!(
            order(1).into_iter().collect::<BTreeSet<_>>(),
            fens(&Openings::built_in()).into_iter().collect()
        );
    }

    #[test]
    fn parses_pgn_epd_and_fen() {
        let pgn = Openings::read("1. e4 e5 *\n\n1. d4 *".as_bytes()).unwrap();
        assert_eq!(pgn.iter().map(|opening| opening.game.moves().len()).collect::<Vec<_>>(), [2, 1]);
        let text = "# mine\nrnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 3; fmvn 7; id \"King's pawns\";\n\n\
            rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 1 2\n4k3/8/8/8/8/8/8/4K2R w K -\n";
        let epd = Openings::read(text.as_bytes()).unwrap();
        assert_eq!(
            fens(&epd),
            [
                "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 3 7",
                "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 1 2",
                "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            ]
        );
        assert_eq!(epd.for_round(0).name.as_deref(), Some("King's pawns"));
        assert_eq!(epd.for_round(5).name, epd.for_round(2).name);
    }

    #[test]
    fn rejects_invalid_openings_with_their_cause() {
        for (text, part) in [
            ("", "found no opening"),
            ("# nothing", "found no opening"),
            ("1. e5", "e5 is illegal"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "line 1: White has no king"),
            ("4k3/8/8/8/8/8/8/4K2R w", "line 1: "),
            ("1. f3 e5 2. g4 Qh4#", "opening 1: the game is over"),
            (
                &("[Event \"?\"]\n1. e4 *\n".repeat(20_000) + "[Event \"?\"]\n1. e5"),
                "game 20001, line 40002, column 4",
            ),
            (&("4k3/8/8/8/8/8/8/4K2R w K -\n".repeat(20_000) + "4k3/8 w"), "line 20001: "),
        ] {
            let error = Openings::read(text.as_bytes()).expect_err(text).to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
