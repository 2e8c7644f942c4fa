//! Guesses the format of a text.

use crate::{FormatName, lines::lines};

/// Guesses the format of a text. Only importing the text shows whether the guess is right.
pub fn guess(text: &str) -> FormatName {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with('<') {
        let is_page = text.contains("data-col") || !text.contains("<svg");
        return if is_page { FormatName::Html } else { FormatName::Svg };
    }
    let mut rest = text.chars().filter(|c| !c.is_whitespace());
    match (rest.next(), rest.next()) {
        (Some('['), Some('[')) | (Some('{'), Some('"')) => return FormatName::Boards,
        (Some('[' | '%' | ';' | '{' | '('), _) => return FormatName::Pgn,
        _ => {}
    }
    let first = lines(text).next().map_or("", |(_, line)| line.trim());
    let words: Vec<&str> = first.split_whitespace().collect();
    let is_placement = |word: &&str| word.matches('/').count() == 7;
    if words.first().is_some_and(is_placement) {
        let operations = words.len() > 6 || (words.len() > 4 && first.contains(';')) || words.len() == 5;
        return if operations { FormatName::Epd } else { FormatName::Fen };
    }
    let is_uci = |word: &&str| matches!(word.as_bytes(), [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', rest @ ..] if rest.len() <= 1);
    if words.first() == Some(&"position") || (!words.is_empty() && words.iter().all(is_uci)) {
        return FormatName::Uci;
    }
    let is_move = |word: &str| {
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('.');
        word.is_empty() || word.starts_with(|c: char| "KQRBNOabcdefgh0".contains(c)) && word.len() <= 7
    };
    let moves = words.iter().filter(|word| is_move(word)).count();
    let starts_with_move =
        first.starts_with("1.") || words.first().is_some_and(|word| is_move(word) && word.len() > 1);
    if starts_with_move && moves == words.len() {
        let all_numbered =
            lines(text).count() == 1 || lines(text).all(|(_, line)| line.trim_start().starts_with("1."));
        return if all_numbered && !text.contains(['{', '(', '$', '*']) {
            FormatName::San
        } else {
            FormatName::Pgn
        };
    }
    if first.starts_with("1.") { FormatName::Pgn } else { FormatName::Text }
}
