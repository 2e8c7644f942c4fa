//! Openings in PGN, EPD or FEN.

use std::{io::BufRead, ops::ControlFlow};

use formats::{Chunk, ChunkError, Chunks, FormatName, for_each_chunk, lines, read_head};
use rules::{Game, PgnError, PgnGame, parse_fen, parse_pgn};

use super::opening::{GameOpening, OpeningsError};

/// Reads games in PGN, with all their moves, or positions in EPD or FEN, one per line.
///
/// # Errors
/// The source cannot be read, or contains an invalid opening. Only the first one is reported.
pub(super) fn read(source: impl BufRead) -> Result<Vec<GameOpening>, OpeningsError> {
    let (head, source) = read_head(source).map_err(ChunkError::from)?;
    let (parse, format): (fn(&Chunk) -> _, _) = if is_pgn(&head) {
        (parse_games, FormatName::Pgn)
    } else {
        (parse_positions, FormatName::Epd)
    };
    let chunks = Chunks::new(source, format.format().boundaries());
    let mut openings = Vec::new();
    for_each_chunk(
        chunks.map(|chunk| chunk.map_err(OpeningsError::from)),
        parse,
        |_, parsed| {
            let parsed: Vec<GameOpening> = parsed.map_err(|error| match error {
                OpeningsError::Pgn(error) => OpeningsError::Pgn(PgnError {
                    game: error.game + openings.len(),
                    ..error
                }),
                error => error,
            })?;
            openings.extend(parsed);
            Ok(ControlFlow::Continue(()))
        },
    )?;
    Ok(openings)
}

impl GameOpening {
    fn from_pgn(pgn: PgnGame) -> Self {
        Self {
            name: pgn.tag("Opening").map(str::to_owned),
            game: pgn.game,
        }
    }
}

/// Returns whether the text is PGN: it begins with a tag, a comment or a move, not with the ranks
/// of a position.
fn is_pgn(text: &str) -> bool {
    let first = lines(text).next().map(|(_, line)| line.trim());
    first.is_some_and(|line| line.starts_with(['[', '{', '%']) || !line.contains('/'))
}

fn parse_games(chunk: &Chunk) -> Result<Vec<GameOpening>, OpeningsError> {
    let games = parse_pgn(&chunk.text).map_err(|error| PgnError {
        line: error.line + chunk.lines_before,
        ..error
    })?;
    Ok(games.into_iter().map(GameOpening::from_pgn).collect())
}

fn parse_positions(chunk: &Chunk) -> Result<Vec<GameOpening>, OpeningsError> {
    lines(&chunk.text)
        .map(|(line, text)| (chunk.lines_before + line, text.trim()))
        .map(|(line, text)| {
            let position = parse_fen(&epd_to_fen(text))
                .map_err(|issues| OpeningsError::Epd { line, issues })?;
            Ok(GameOpening {
                name: operand(text, "id").map(str::to_owned),
                game: Game::new(position),
            })
        })
        .collect()
}

/// Returns a line's FEN: the four fields of EPD, and the clocks as in FEN or from the operations
/// `hmvc` and `fmvn`.
fn epd_to_fen(line: &str) -> String {
    let words: Vec<_> = line.split_ascii_whitespace().collect();
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let fields = words.iter().take(4).copied().collect::<Vec<_>>().join(" ");
    let numbers = words
        .iter()
        .skip(4)
        .take(2)
        .copied()
        .take_while(|word| is_number(word))
        .collect::<Vec<_>>();
    let (halfmoves, fullmoves) = match numbers[..] {
        [halfmoves, fullmoves] => (halfmoves, fullmoves),
        _ => (
            operand(line, "hmvc").unwrap_or("0"),
            operand(line, "fmvn").unwrap_or("1"),
        ),
    };
    if words.len() < 4 {
        line.to_owned()
    } else {
        format!("{fields} {halfmoves} {fullmoves}")
    }
}

/// Returns the operand of an EPD operation, such as `id "x";`.
fn operand<'a>(line: &'a str, code: &str) -> Option<&'a str> {
    let operations = line.splitn(5, ' ').nth(4)?;
    let found = operations
        .split(';')
        .map(str::trim)
        .find_map(|operation| operation.strip_prefix(code))?;
    let value = found.strip_prefix(' ')?.trim().trim_matches('"');
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use crate::openings::Openings;

    fn fens(openings: &Openings) -> Vec<String> {
        let openings = (0..openings.count()).map(|round| openings.for_round(round));
        openings
            .map(|opening| rules::format_fen(opening.game.position()))
            .collect()
    }

    #[test]
    fn parses_pgn_epd_and_fen() {
        let pgn = Openings::read("1. e4 e5 *\n\n1. d4 *".as_bytes()).unwrap();
        assert_eq!(
            [0, 1].map(|round| pgn.for_round(round).game.moves().len()),
            [2, 1]
        );
        let text = "# mine\nrnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 3; fmvn \
            7; id \"King's pawns\";\n\nrnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 1 \
            2\n4k3/8/8/8/8/8/8/4K2R w K -\n";
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
    fn skips_byte_order_marks() {
        let lines = "4k3/8/8/8/8/8/8/4K2R w K -\r\n4k3/8/8/8/8/8/8/4K1R1 w - -\r\n";
        let plain = fens(&Openings::read(lines.as_bytes()).unwrap());
        let joined = format!("\u{feff}# one\r\n{lines}\u{feff}{lines}\u{1a}");
        assert_eq!(
            fens(&Openings::read(joined.as_bytes()).unwrap()),
            [&plain[..], &plain].concat()
        );
        for (order, bytes) in [
            ("little", u16::to_le_bytes as fn(u16) -> [u8; 2]),
            ("big", u16::to_be_bytes),
        ] {
            let utf_16: Vec<_> = format!("\u{feff}{lines}")
                .encode_utf16()
                .flat_map(bytes)
                .collect();
            assert_eq!(
                fens(&Openings::read(&utf_16[..]).unwrap()),
                plain,
                "{order}"
            );
        }
        let pgn = Openings::read("\u{feff}1. e4 *".as_bytes()).unwrap();
        assert_eq!(pgn.for_round(0).game.moves().len(), 1);
    }

    #[test]
    fn rejects_invalid_openings_and_names_the_cause() {
        for (text, part) in [
            ("", "found no opening"),
            ("# nothing", "found no opening"),
            ("1. e5", "e5 is illegal"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "line 1: White has no king"),
            ("4k3/8/8/8/8/8/8/4K2R w", "line 1: "),
            ("1. f3 e5 2. g4 Qh4#", "opening 1: the game is over"),
            (
                "1. e4 *\n\n[FEN \"4k3/8/3N1N2/8/8/8/8/5K2 b - - 0 1\"]\n\n1... Kd8 *",
                "opening 2: the first position cannot be played: the black king on e8 is in check \
                 from",
            ),
            (
                "4k3/8/3N1N2/8/8/8/8/5K2 b - - 0 1",
                "line 1: the black king on e8 is in check from",
            ),
            (
                &("[Event \"?\"]\n1. e4 *\n".repeat(20_000) + "[Event \"?\"]\n1. e5"),
                "game 20001, line 40002, column 4",
            ),
            (
                &("4k3/8/8/8/8/8/8/4K2R w K -\n".repeat(20_000) + "4k3/8 w"),
                "line 20001: ",
            ),
        ] {
            let error = Openings::read(text.as_bytes()).expect_err(text).to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
