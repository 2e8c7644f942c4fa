//! A report as comments, glyphs and commands in a PGN.

use api::replies::{claim::ClaimReply, game::ScoreReply, judged::JudgedReply};
use formats::{FormatName, GameRecord};
use game::judgement::Judgement;

/// The glyphs (NAGs) that judge a move: `!`, `?`, `!!`, `??`, `!?` and `?!`.
const JUDGING_GLYPHS: std::ops::RangeInclusive<u8> = 1..=6;

/// Returns the game as PGN, with what was found about each move.
pub(super) fn annotated(mut record: GameRecord, moves: &[JudgedReply]) -> String {
    let notes = &mut record.game.notes;
    let plies = record.game.game.moves().len();
    notes.comments.resize(plies + 1, String::new());
    notes.glyphs.resize(plies, Vec::new());
    for judged in moves {
        let glyphs = &mut notes.glyphs[judged.ply - 1];
        let glyph = judged.judgement.and_then(glyph);
        if !glyphs.iter().any(|given| JUDGING_GLYPHS.contains(given)) {
            glyphs.extend(glyph);
        }
        let comment = &mut notes.comments[judged.ply];
        *comment = commented(comment, judged);
    }
    FormatName::Pgn.format().export(&record)
}

fn glyph(judgement: &str) -> Option<u8> {
    let found = Judgement::ALL
        .into_iter()
        .find(|known| known.name() == judgement)?;
    Some(match found {
        Judgement::Inaccuracy => 6,
        Judgement::Mistake => 2,
        Judgement::Blunder => 4,
    })
}

/// Adds the evaluation, and each claim as a command and as a sentence, to a comment that does not
/// have it.
fn commented(comment: &str, judged: &JudgedReply) -> String {
    let evaluation = judged
        .score_after
        .filter(|_| !comment.contains("[%eval"))
        .map(evaluation);
    let commands = judged.claims.iter().map(ClaimReply::pgn_command);
    let sentences = judged.claims.iter().map(ClaimReply::sentence);
    let mut parts: Vec<_> = evaluation
        .into_iter()
        .chain(commands)
        .chain(sentences)
        .collect();
    parts.retain(|part| !comment.contains(part.as_str()));
    if !comment.is_empty() {
        parts.push(comment.to_owned());
    }
    parts.join(" ")
}

fn evaluation(score: ScoreReply) -> String {
    match score {
        ScoreReply::Cp(value) => format!("[%eval {:.2}]", f64::from(value) / 100.0),
        ScoreReply::Mate(moves) => format!("[%eval #{moves}]"),
    }
}
