//! A report as a table.

use ai_api::Color;
use api::{calls::report::OneReportReply, replies::judged::JudgedReply};
use formats::GameRecord;
use text::printable;

use crate::cli::best_move::text::score_text;

/// The position at which the last column begins.
pub(super) const INDENT: usize = 27;

/// Formats a game's report: a header, then each move that is judged bad or has a claim.
pub(super) fn table(record: &GameRecord, reply: &OneReportReply, number: usize) -> String {
    let game = &record.game;
    let player = |tag: &str| printable(game.tag(tag).unwrap_or("?"));
    let percent = |accuracy: Option<f64>| {
        accuracy.map_or_else(|| "-".to_owned(), |accuracy| format!("{accuracy:.1} %"))
    };
    let accuracy = reply.report.accuracy;
    let mut lines = vec![format!(
        "Game {number}: {} - {}, {}; accuracy {} and {}",
        player("White"),
        player("Black"),
        game.result.text(),
        percent(accuracy.white),
        percent(accuracy.black)
    )];
    let start = game.game.start();
    let plies_before = usize::from(start.turn() == Color::Black);
    let first_number = usize::from(start.fullmove_number());
    for judged in &reply.report.moves {
        if judged.judgement.is_some() || !judged.claims.is_empty() {
            let ply = judged.ply - 1 + plies_before;
            let dots = if ply.is_multiple_of(2) { "." } else { "..." };
            let label = format!("{}{dots}", first_number + ply / 2);
            lines.push(row(&label, judged));
        }
    }
    lines.join("\n")
}

fn row(label: &str, judged: &JudgedReply) -> String {
    let played = format!("{}{}", judged.played.san, judged.glyph.unwrap_or_default());
    let score = judged.score_after.map_or_else(String::new, score_text);
    let texts: Vec<_> = judged.claims.iter().map(|claim| &claim.text[..]).collect();
    let better = judged
        .best
        .as_ref()
        .filter(|_| judged.judgement.is_some())
        .map(|best| format!("better {label} {}", best.chosen.san));
    let why: Vec<_> = texts.into_iter().map(str::to_owned).chain(better).collect();
    format!("{label:>7} {played:<9} {score:>7}  {}", why.join("; "))
}
