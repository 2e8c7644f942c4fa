//! Whether the scores of an AI mean what they should.

use ai_api::{Limits, Score, ScoreKind};
use rules::Game;

use super::{
    Check, CheckFailure, Passed, Subject,
    positions::{MATE_NEXT, ORDINARY, game},
    session::{CheckSession, place},
};

/// White, and then Black, is a queen ahead, with either side to move.
const QUEEN_AHEAD: [(&str, i32); 4] = [
    ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 1),
    ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", 1),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1", -1),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1", -1),
];
const WHITES: &str =
    "tell scores for White, whoever is to move: negate what a search counts for the side to move";

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "scores.for_white",
        description: "Its scores are White's: better where White is a queen ahead, worse where Black is.",
        run: |subject| Box::pin(for_white(subject)),
    },
    Check {
        name: "scores.mirror",
        description: "With colours and sides turned round, its scores are those turned round.",
        run: |subject| Box::pin(mirror(subject)),
    },
    Check {
        name: "scores.mate",
        description: "A mate that it tells by its next move is one, and it sees those that there are.",
        run: |subject| Box::pin(mate(subject)),
    },
    Check {
        name: "evaluate.for_white",
        description: "Its judgement is White's, for an evaluator.",
        run: |subject| Box::pin(judges_for_white(subject)),
    },
    Check {
        name: "evaluate.mirror",
        description: "Its judgement of a position turned round is that turned round, for an evaluator.",
        run: |subject| Box::pin(judges_mirrored(subject)),
    },
    Check {
        name: "evaluate.terms",
        description: "The parts of its judgement have names and add up to it, for an evaluator that tells them.",
        run: |subject| Box::pin(terms(subject)),
    },
    Check {
        name: "evaluate.bounds",
        description: "Its judgement is no mate, for an evaluator: that is for a search to find.",
        run: |subject| Box::pin(judges_no_mates(subject)),
    },
];

/// The position with the colours changed and the board turned upside down.
fn mirrored(fen: &str) -> String {
    let swap = |text: &str| -> String {
        let swapped =
            |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
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
    let en_passant = fields[3].replace(['3', '6'], if fields[3].ends_with('3') { "6" } else { "3" });
    format!("{} {turn} {castling} {en_passant} {} {}", ranks.join("/"), fields[4], fields[5])
}

async fn for_white(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let mut scores = Vec::new();
    for (fen, _) in QUEEN_AHEAD {
        scores.push(session.find(&game(fen), Limits::depth(2)).await?.answer.score);
    }
    whites(&scores)
}

fn whites(scores: &[Score]) -> Result<Passed, CheckFailure> {
    if scores.iter().all(|&score| score == Score::DRAW) {
        return Err(CheckFailure::skipped("all its scores are 0"));
    }
    let wrong = QUEEN_AHEAD.iter().zip(scores).find(|((_, sign), score)| score.value().signum() != *sign);
    let Some(((fen, sign), score)) = wrong else { return Ok(Passed::PLAINLY) };
    let ahead = if *sign > 0 { "White" } else { "Black" };
    Err(CheckFailure::failed(format!("{fen}: {ahead} is a queen ahead, and it tells {score}"), WHITES))
}

async fn mirror(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    for fen in ORDINARY {
        let score = session.find(&game(fen), Limits::depth(2)).await?.answer.score;
        let turned = session.find(&game(&mirrored(fen)), Limits::depth(2)).await?.answer.score;
        if turned != -score {
            return Err(CheckFailure::warning(
                format!("{fen}: {score}, and turned round {turned}, expected {}", -score),
                "treat both sides alike; a search without exact bounds may differ by chance",
            ));
        }
    }
    Ok(Passed::PLAINLY)
}

async fn mate(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let mut unseen = None;
    for fen in MATE_NEXT.iter().chain(ORDINARY) {
        let game = game(fen);
        let found = session.find(&game, Limits::depth(3)).await?;
        let mover = if fen.contains(" w ") { 1 } else { -1 };
        let told = found.answer.score.kind() == ScoreKind::Mate(mover);
        let mates = found.answer.best_move.is_some_and(|best| {
            let mut next = game.clone();
            next.play(best).is_ok() && next.status().outcome.is_some_and(|outcome| outcome.winner().is_some())
        });
        if told && !mates {
            return Err(CheckFailure::failed(
                format!("{fen}: it tells a mate by its next move, and that does not mate"),
                "tell a mate only where the line ends with it",
            ));
        }
        if MATE_NEXT.contains(fen) && !told {
            unseen = unseen.or(Some(place(&game)));
        }
    }
    match unseen {
        None => Ok(Passed::PLAINLY),
        Some(fen) => Err(CheckFailure::warning(
            format!("{fen}: there is a mate by the next move that it does not tell at depth 3"),
            "score a mate by Score::mate_in_plies, and look for one",
        )),
    }
}

async fn judges_for_white(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    session.must_judge()?;
    let mut scores = Vec::new();
    for (fen, _) in QUEEN_AHEAD {
        scores.push(session.judge(&game(fen)).await?.0);
    }
    whites(&scores)
}

async fn judges_mirrored(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    session.must_judge()?;
    for fen in ORDINARY {
        let (score, _) = session.judge(&game(fen)).await?;
        let (turned, _) = session.judge(&game(&mirrored(fen))).await?;
        if turned != -score {
            return Err(CheckFailure::failed(
                format!("{fen}: {score}, and turned round {turned}, expected {}", -score),
                "treat both sides alike",
            ));
        }
    }
    Ok(Passed::PLAINLY)
}

async fn terms(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "name each part once, and let evaluate be the sum of terms";
    let mut session = CheckSession::of(subject).await?;
    session.must_judge()?;
    for fen in ORDINARY {
        let (score, terms) = session.judge(&game(fen)).await?;
        if terms.is_empty() {
            return Err(CheckFailure::skipped("the AI tells no parts"));
        }
        let sum: i64 = terms.iter().map(|term| i64::from(term.score.value())).sum();
        if sum != i64::from(score.value()) {
            let reason = format!("{fen}: the parts add up to {sum}, the judgement is {}", score.value());
            return Err(CheckFailure::failed(reason, REMEDY));
        }
        if terms.iter().any(|term| term.name.trim().is_empty()) {
            return Err(CheckFailure::failed(format!("{fen}: a part has no name"), REMEDY));
        }
    }
    Ok(Passed::PLAINLY)
}

async fn judges_no_mates(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    session.must_judge()?;
    for fen in ORDINARY.iter().chain(MATE_NEXT) {
        let game: Game = game(fen);
        let (score, _) = session.judge(&game).await?;
        if score.plies_to_mate().is_some() {
            return Err(CheckFailure::failed(
                format!("{fen}: it judges {score}"),
                "make scores by Score::centipawns; they stay below those of mates",
            ));
        }
    }
    Ok(Passed::PLAINLY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_turned_round_and_back() {
        let fen = "2r3k1/1q1nbppp/r3p3/3pP3/pPpP4/P1Q2N2/2RN1PPP/2R4K b - b3 0 23";
        let turned = "2r4k/2rn1ppp/p1q2n2/PpPp4/3Pp3/R3P3/1Q1NBPPP/2R3K1 w - b6 0 23";
        assert_eq!(mirrored(fen), turned);
        for fen in ORDINARY.iter().chain(MATE_NEXT) {
            assert_eq!(mirrored(&mirrored(fen)), **fen);
            assert!(rules::parse_fen(&mirrored(fen)).is_ok(), "{fen}");
        }
        assert!(mirrored("r3k2r/8/8/8/8/8/8/R3K3 w Qkq - 0 1").contains(" b KQq - "));
    }
}
