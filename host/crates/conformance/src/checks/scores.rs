//! Scores and evaluations.

use ai_api::{Limits, Score, ScoreKind};
use rules::{Game, format_fen};

use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    positions::{MATE_IN_ONE, ORDINARY, game},
    session::CheckSession,
    subject::Subject,
};

/// Positions in which White or Black is a queen ahead, with the sign of the expected score.
const QUEEN_AHEAD: [(&str, i32); 4] = [
    (
        "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        1,
    ),
    (
        "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
        1,
    ),
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1",
        -1,
    ),
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1",
        -1,
    ),
];
/// Games, each with its first position, in which White can move back to a position that has
/// occurred once. White is a queen down, or has a queen for a rook and only one legal move.
const REPEATABLE: [(Option<&str>, &[&str]); 2] = [
    (
        None,
        &[
            "d2d4", "d7d5", "d1d2", "f7f5", "d2c3", "d8d6", "c3b4", "d6b4", "e1d1", "c8e6", "e2e3",
            "b4d6", "d1d2", "d6b4",
        ],
    ),
    (
        Some("4Q3/2r4k/8/8/8/8/P7/K7 b - - 0 1"),
        &["c7c1", "a1b2", "c1c7", "b2a1", "c7c1"],
    ),
];
const FOR_WHITE: &str =
    "return scores for White: negate the score of the side to move if Black is to move";

checks! { subject =>
    "scores.for_white": "Returns scores for White: positive if White is a queen ahead, negative if \
        Black is.",
        for_white(subject, ScoreSource::Search);
    "scores.mirror": "Returns the negated score if colours and sides are swapped.",
        mirror(subject, ScoreSource::Search);
    "scores.mate": "Finds mate in one, and returns a score of mate in one only with a move that \
        mates.",
        mate(subject);
    "scores.repetition": "Scores a position that occurs for the second time in the game on its \
        merits, not as a draw.",
        repetition(subject);
    "evaluate.for_white": "Evaluates from White's point of view, if it is an evaluator.",
        for_white(subject, ScoreSource::Evaluation);
    "evaluate.mirror": "Returns the negated evaluation if colours and sides are swapped, if it is \
        an evaluator.",
        mirror(subject, ScoreSource::Evaluation);
    "evaluate.terms": "Has a name for each term, and terms that add up to the evaluation, if it is \
        an evaluator with terms.",
        terms(subject);
    "evaluate.bounds": "Never evaluates a position as a mate, which only a search can find, if it \
        is an evaluator.",
        evaluates_without_mates(subject);
}

/// Returns the position with the colours swapped and the board flipped.
fn mirrored(fen: &str) -> String {
    let swap = |text: &str| -> String {
        let swapped = |c: char| {
            if c.is_ascii_lowercase() {
                c.to_ascii_uppercase()
            } else {
                c.to_ascii_lowercase()
            }
        };
        text.chars().map(swapped).collect()
    };
    let fields: Vec<_> = fen.split(' ').collect();
    let ranks: Vec<_> = fields[0].split('/').rev().map(swap).collect();
    let turn = if fields[1] == "w" { "b" } else { "w" };
    let castling: String = {
        let mut rights: Vec<char> = swap(fields[2]).chars().collect();
        rights.sort_by_key(|right| "KQkq-".find(*right));
        rights.into_iter().collect()
    };
    let en_passant =
        fields[3].replace(['3', '6'], if fields[3].ends_with('3') { "6" } else { "3" });
    format!(
        "{} {turn} {castling} {en_passant} {} {}",
        ranks.join("/"),
        fields[4],
        fields[5]
    )
}

/// Where a score comes from.
#[derive(Clone, Copy)]
enum ScoreSource {
    Search,
    Evaluation,
}

impl ScoreSource {
    async fn start(self, subject: &Subject) -> Result<CheckSession, CheckFailure> {
        match self {
            Self::Search => CheckSession::start(subject).await,
            Self::Evaluation => CheckSession::start_evaluator(subject).await,
        }
    }

    async fn score(self, session: &mut CheckSession, fen: &str) -> Result<Score, CheckFailure> {
        match self {
            Self::Search => Ok(session
                .search(&game(fen), Limits::depth(2))
                .await?
                .result
                .score),
            Self::Evaluation => Ok(session.evaluate(&game(fen)).await?.0),
        }
    }
}

async fn for_white(subject: &Subject, source: ScoreSource) -> Result<Passed, CheckFailure> {
    let mut session = source.start(subject).await?;
    let mut scores = Vec::new();
    for (fen, _) in QUEEN_AHEAD {
        scores.push(source.score(&mut session, fen).await?);
    }
    if scores.iter().all(|&score| score == Score::DRAW) {
        return Err(CheckFailure::skipped("all scores are 0"));
    }
    let wrong = QUEEN_AHEAD
        .iter()
        .zip(&scores)
        .find(|((_, sign), score)| score.value().signum() != *sign);
    let Some(((fen, sign), score)) = wrong else {
        return Ok(Passed::WITHOUT_NOTE);
    };
    let ahead = if *sign > 0 { "White" } else { "Black" };
    Err(CheckFailure::failed(
        format!("{fen}: {ahead} is a queen ahead, but the score is {score}"),
        FOR_WHITE,
    ))
}

async fn mirror(subject: &Subject, source: ScoreSource) -> Result<Passed, CheckFailure> {
    let mut session = source.start(subject).await?;
    for fen in ORDINARY {
        let score = source.score(&mut session, fen).await?;
        let mirrored_score = source.score(&mut session, &mirrored(fen)).await?;
        if mirrored_score != -score {
            let reason = format!(
                "{fen}: the score is {score}, and {mirrored_score} with colours and sides swapped; \
                 expected {}",
                -score
            );
            return Err(match source {
                ScoreSource::Search => CheckFailure::warning(
                    reason,
                    "treat both sides alike; the score of an inexact search can differ",
                ),
                ScoreSource::Evaluation => CheckFailure::failed(reason, "treat both sides alike"),
            });
        }
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn mate(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let mut missed = None;
    for fen in MATE_IN_ONE.iter().chain(ORDINARY) {
        let game = game(fen);
        let found = session.search(&game, Limits::depth(3)).await?;
        let mover = if fen.contains(" w ") { 1 } else { -1 };
        let is_mate_score = found.result.score.kind() == ScoreKind::Mate(mover);
        let mates = found.result.best_move.is_some_and(|best| {
            let mut next = game.clone();
            next.play(best).is_ok()
                && next
                    .status()
                    .outcome
                    .is_some_and(|outcome| outcome.winner().is_some())
        });
        if is_mate_score && !mates {
            return Err(CheckFailure::failed(
                format!("{fen}: the score is mate in one, but the move does not mate"),
                "return a mate score only if the principal variation ends with the mate",
            ));
        }
        if MATE_IN_ONE.contains(fen) && !is_mate_score {
            missed.get_or_insert(fen);
        }
    }
    match missed {
        None => Ok(Passed::WITHOUT_NOTE),
        Some(fen) => Err(CheckFailure::warning(
            format!("{fen}: missed mate in one at depth 3"),
            "search for mates, and score them as mates: mate_in_plies (Rust), ROOKERY_MATE_IN (C, \
             C++)",
        )),
    }
}

async fn repetition(subject: &Subject) -> Result<Passed, CheckFailure> {
    /// The minimum score for a side that is far ahead, in centipawns.
    const FAR_AHEAD: i32 = 300;
    /// The largest score in centipawns that counts as a draw.
    const DRAWN: i32 = 50;
    let mut session = CheckSession::start(subject).await?;
    let mut is_judged = false;
    for (start, moves) in REPEATABLE {
        let game = repeatable(start, moves);
        let limit = Limits::depth(2);
        let without_history = session
            .search(&Game::new(*game.position()), limit)
            .await?
            .result
            .score;
        let score = session.search(&game, limit).await?.result.score;
        if without_history.value().abs() < FAR_AHEAD {
            continue;
        }
        is_judged = true;
        if score.value().abs() <= DRAWN {
            let moves = moves.join(" ");
            return Err(CheckFailure::warning(
                format!(
                    "{} after {moves}: the score is {score}, and {without_history} without the \
                     moves before, although no position occurred twice before",
                    format_fen(game.start())
                ),
                "score a position as a draw if it is in history twice, or once in the line from \
                 the root",
            ));
        }
    }
    if is_judged {
        Ok(Passed::WITHOUT_NOTE)
    } else {
        Err(CheckFailure::skipped("the AI scores neither side as ahead"))
    }
}

fn repeatable(start: Option<&str>, moves: &[&str]) -> Game {
    Game::from_moves(start, moves).expect("a test proves that the moves are legal")
}

async fn terms(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "give each term a name, and return the sum of the terms from evaluate";
    let mut session = CheckSession::start_evaluator(subject).await?;
    for fen in ORDINARY {
        let (score, terms) = session.evaluate(&game(fen)).await?;
        if terms.is_empty() {
            return Err(CheckFailure::skipped("the AI has no terms"));
        }
        let sum: i64 = terms.iter().map(|term| i64::from(term.score.value())).sum();
        if sum != i64::from(score.value()) {
            let reason = format!(
                "{fen}: the terms add up to {sum}, but the evaluation is {}",
                score.value()
            );
            return Err(CheckFailure::failed(reason, REMEDY));
        }
        if terms.iter().any(|term| term.name.trim().is_empty()) {
            return Err(CheckFailure::failed(
                format!("{fen}: a term has no name"),
                REMEDY,
            ));
        }
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn evaluates_without_mates(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start_evaluator(subject).await?;
    for fen in ORDINARY.iter().chain(MATE_IN_ONE) {
        let (score, _) = session.evaluate(&game(fen)).await?;
        if score.plies_to_mate().is_some() {
            return Err(CheckFailure::failed(
                format!("{fen}: the evaluation is {score}"),
                "return at most 989,999 centipawns, less than any mate score",
            ));
        }
    }
    Ok(Passed::WITHOUT_NOTE)
}

#[cfg(test)]
mod tests {
    use rules::{legal_moves, play};

    use super::*;

    #[test]
    fn mirroring_twice_restores_a_position() {
        let fen = "2r3k1/1q1nbppp/r3p3/3pP3/pPpP4/P1Q2N2/2RN1PPP/2R4K b - b3 0 23";
        let expected = "2r4k/2rn1ppp/p1q2n2/PpPp4/3Pp3/R3P3/1Q1NBPPP/2R3K1 w - b6 0 23";
        assert_eq!(mirrored(fen), expected);
        for fen in ORDINARY.iter().chain(MATE_IN_ONE) {
            assert_eq!(mirrored(&mirrored(fen)), **fen);
            assert!(rules::parse_fen(&mirrored(fen)).is_ok(), "{fen}");
        }
        assert!(mirrored("r3k2r/8/8/8/8/8/8/R3K3 w Qkq - 0 1").contains(" b KQq - "));
    }

    #[test]
    fn repeatable_games_reach_a_second_occurrence_but_not_a_third() {
        for (start, moves) in REPEATABLE {
            let game = repeatable(start, moves);
            let position = game.position();
            let history = game.history();
            let occurrences = |chosen| {
                let hash = play(position, chosen).hash();
                history.iter().filter(|&&earlier| earlier == hash).count()
            };
            let most = legal_moves(position)
                .iter()
                .map(|&chosen| occurrences(chosen))
                .max();
            assert_eq!(most, Some(1), "{moves:?}");
        }
    }
}
