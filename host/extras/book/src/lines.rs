//! The lines of a book.

use std::{
    collections::HashSet,
    io::{self, Read, Seek},
};

use ai_book::{Book, key_after};
use rules::{Game, legal_moves, start_position};

/// The maximum number of lines from a book. From a larger book, the most likely lines are kept.
pub const MAX_LINES: usize = 10_000;

/// A line with its probability, if moves are chosen by weight.
struct BookLine {
    game: Game,
    probability: f64,
}

/// Returns the lines of a book from the start position, the most likely first. Each line has
/// `plies` plies, or fewer if the book ends earlier. If several lines lead to one position, returns
/// only the most likely one.
///
/// # Errors
/// The source cannot be read.
pub fn lines<S: Read + Seek>(book: &mut Book<S>, plies: usize) -> io::Result<Vec<Game>> {
    let mut open = vec![BookLine {
        game: Game::new(start_position()),
        probability: 1.0,
    }];
    let mut complete = Vec::new();
    for _ in 0..plies {
        if open.is_empty() {
            break;
        }
        let mut longer = Vec::new();
        for line in open {
            if longer.len() > 4 * MAX_LINES {
                longer = likeliest(longer);
            }
            let before = longer.len();
            extend(book, &line, &mut longer)?;
            if longer.len() == before {
                complete.push(line);
            }
        }
        open = likeliest(longer);
    }
    complete.extend(open);
    complete.retain(|line| !line.game.moves().is_empty());
    Ok(likeliest(complete)
        .into_iter()
        .map(|line| line.game)
        .collect())
}

/// Extends the line by each move that the book plays, and adds the results to `longer`. A move that
/// ends the game is not an opening.
fn extend<S: Read + Seek>(
    book: &mut Book<S>,
    line: &BookLine,
    longer: &mut Vec<BookLine>,
) -> io::Result<()> {
    let position = line.game.position();
    let key = key_after(position, line.game.passed());
    let moves = book.moves_of(key, position, &legal_moves(position))?;
    let total: f64 = moves
        .iter()
        .map(|book_move| f64::from(book_move.weight))
        .sum();
    for book_move in moves.iter().filter(|book_move| book_move.weight > 0) {
        let mut game = line.game.clone();
        if game.play(book_move.chosen).is_ok() && game.outcome().is_none() {
            let probability = line.probability * f64::from(book_move.weight) / total;
            longer.push(BookLine { game, probability });
        }
    }
    Ok(())
}

/// Sorts the lines. Drops less likely lines to the same position and lines beyond the maximum.
fn likeliest(mut lines: Vec<BookLine>) -> Vec<BookLine> {
    lines.sort_by(|line, other| {
        let by_probability = other.probability.total_cmp(&line.probability);
        by_probability.then_with(|| line.game.moves().cmp(other.game.moves()))
    });
    let mut seen = HashSet::new();
    lines.retain(|line| seen.insert(line.game.position().hash()));
    lines.truncate(MAX_LINES);
    lines
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::{BookBuilder, Points, moves_of_game};

    fn lines_of(pgn: &str, plies: usize) -> Vec<String> {
        let mut builder = BookBuilder::default();
        let points = Points {
            win: 2,
            draw: 1,
            loss: 0,
        };
        for game in rules::parse_pgn(pgn).unwrap() {
            for found in moves_of_game(&game, 99, points) {
                builder.add(found);
            }
        }
        let mut bytes = Vec::new();
        ai_book::write(&mut builder.entries(1), &mut bytes).unwrap();
        let mut book = Book::new(Cursor::new(bytes)).unwrap();
        lines(&mut book, plies)
            .unwrap()
            .iter()
            .map(|game| game.uci_moves().join(" "))
            .collect()
    }

    const GAMES: &str =
        "1. e4 e5 2. Nf3 Nc6 *\n\n1. e4 c5 2. Nf3 *\n\n1. e4 c5 2. Nc3 *\n\n1. d4 *\n\n";

    #[test]
    fn sorts_lines_by_probability() {
        assert_eq!(lines_of(GAMES, 1), ["e2e4", "d2d4"]);
        assert_eq!(lines_of(GAMES, 2), ["e2e4 c7c5", "d2d4", "e2e4 e7e5"]);
    }

    #[test]
    fn lines_end_where_the_book_ends() {
        let all = [
            "d2d4",
            "e2e4 c7c5 b1c3",
            "e2e4 c7c5 g1f3",
            "e2e4 e7e5 g1f3 b8c6",
        ];
        assert_eq!(lines_of(GAMES, 8), all);
        assert_eq!(lines_of("", 8), [""; 0]);
    }

    #[test]
    fn keeps_one_line_for_each_position() {
        let transposed = "1. d4 d5 2. c4 *\n\n1. d4 d5 2. c4 *\n\n1. c4 d5 2. d4 *\n\n";
        assert_eq!(lines_of(transposed, 3), ["d2d4 d7d5 c2c4"]);
    }

    #[test]
    fn drops_lines_that_end_the_game() {
        assert_eq!(lines_of("1. f3 e5 2. g4 Qh4# 0-1\n\n", 4), [""; 0]);
    }
}
