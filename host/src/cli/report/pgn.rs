//! A report as comments, glyphs, commands and better lines in a PGN.

use api::replies::{
    claim::{ClaimReply, sentence_starts},
    game::ScoreReply,
    judged::JudgedReply,
};
use formats::{FormatName, GameRecord};
use game::judgement::Judgement;
use rules::{Game, Notes, Variation, parse_uci};

/// The glyphs (NAGs) that judge a move: `!`, `?`, `!!`, `??`, `!?` and `?!`.
const JUDGING_GLYPHS: std::ops::RangeInclusive<u8> = 1..=6;

/// Returns the game as PGN, with the findings on each move.
pub(super) fn annotated(mut record: GameRecord, moves: &[JudgedReply]) -> String {
    let game = &record.game.game;
    let notes = &mut record.game.notes;
    let plies = game.moves().len();
    notes.comments.resize(plies + 1, String::new());
    notes.glyphs.resize(plies, Vec::new());
    for judged in moves {
        let glyphs = &mut notes.glyphs[judged.ply - 1];
        let judgement = Judgement::ALL
            .into_iter()
            .find(|known| judged.judgement == Some(known.name()));
        if !glyphs.iter().any(|given| JUDGING_GLYPHS.contains(given)) {
            glyphs.extend(judgement.map(Judgement::nag));
        }
        let comment = &mut notes.comments[judged.ply];
        *comment = commented(comment, judged);
        add_better_line(notes, game, judged);
    }
    FormatName::Pgn.format().export(&record)
}

/// Adds the better line to a bad move as a variation, unless a variation already begins with the
/// line's first move.
fn add_better_line(notes: &mut Notes, game: &Game, judged: &JudgedReply) {
    let Some(best) = judged.best.as_ref().filter(|_| judged.judgement.is_some()) else {
        return;
    };
    let instead_of = judged.ply - 1;
    let mut line = game.until(instead_of);
    for uci in &best.pv {
        let Ok(chosen) = parse_uci(line.position(), uci) else {
            break;
        };
        if line.play_on(chosen).is_err() {
            break;
        }
    }
    let moves = line.moves()[instead_of..].to_vec();
    let variations = &mut notes.variations;
    let is_known = variations
        .iter()
        .any(|known| known.instead_of == instead_of && known.moves.first() == moves.first());
    if !is_known && !moves.is_empty() {
        let place = variations.partition_point(|known| known.instead_of <= instead_of);
        variations.insert(
            place,
            Variation {
                instead_of,
                moves,
                notes: Notes::default(),
            },
        );
    }
}

/// Adds the evaluation, and each claim as a command and a sentence. They replace the ones from an
/// earlier report.
fn commented(comment: &str, judged: &JudgedReply) -> String {
    let comment = &without_claims(comment);
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
    if !comment.is_empty() {
        parts.push(comment.clone());
    }
    parts.join(" ")
}

/// Removes the claims of an earlier report from a comment, with their sentences and its evaluation.
fn without_claims(comment: &str) -> String {
    let mut text = comment.to_owned();
    let mut has_claims = false;
    while let Some(command) = take_command(&mut text, "[%why ") {
        has_claims = true;
        let kind = command.split([' ', ']']).next().unwrap_or_default();
        for start in sentence_starts(kind) {
            take_sentence(&mut text, start);
        }
    }
    if has_claims {
        take_command(&mut text, "[%eval ");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes the first command that begins with `start`, and returns the rest of it.
fn take_command(text: &mut String, start: &str) -> Option<String> {
    let from = text.find(start)?;
    let to = from + text[from..].find(']')? + 1;
    let command = text[from + start.len()..to].to_owned();
    text.replace_range(from..to, "");
    Some(command)
}

/// Removes the first sentence that begins with `start`, up to the first full stop outside
/// parentheses.
fn take_sentence(text: &mut String, start: &str) {
    let Some(first) = start.chars().next() else {
        return;
    };
    let start = first.to_uppercase().collect::<String>() + &start[first.len_utf8()..];
    let Some(from) = text.find(&start) else {
        return;
    };
    let mut open = 0;
    let end = text[from..].char_indices().find(|&(_, character)| {
        open += i32::from(character == '(') - i32::from(character == ')');
        character == '.' && open == 0
    });
    if let Some((length, _)) = end {
        text.replace_range(from..=from + length, "");
    }
}

fn evaluation(score: ScoreReply) -> String {
    match score {
        ScoreReply::Cp(value) => format!("[%eval {:.2}]", f64::from(value) / 100.0),
        ScoreReply::Mate(moves) => format!("[%eval #{moves}]"),
    }
}
