//! Whether an AI gives the same answer to the same question.

use ai_api::Limits;
use rules::Game;

use super::{
    Check, CheckFailure, Passed, Subject,
    positions::{ORDINARY, game},
    session::CheckSession,
};

const NODES: Limits = Limits::nodes(5000);
const DEPTH: Limits = Limits::depth(3);

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "repeat.nodes",
        description: "Within the same number of nodes two workers of it find the same move, score and node count.",
        run: |subject| Box::pin(in_two_workers(subject, NODES)),
    },
    Check {
        name: "repeat.depth",
        description: "At the same depth two workers of it find the same move, score and node count.",
        run: |subject| Box::pin(in_two_workers(subject, DEPTH)),
    },
    Check {
        name: "repeat.at_once",
        description: "Asked the same once more, it answers the same.",
        run: |subject| Box::pin(at_once(subject)),
    },
    Check {
        name: "repeat.after_others",
        description: "It answers the same whatever it was asked in between.",
        run: |subject| Box::pin(after_others(subject)),
    },
    Check {
        name: "repeat.new_game",
        description: "In a new game it has forgotten the one before.",
        run: |subject| Box::pin(new_game(subject)),
    },
    Check {
        name: "repeat.judgement",
        description: "It judges a position the same each time, for an evaluator.",
        run: |subject| Box::pin(judgement(subject)),
    },
];

async fn in_two_workers(subject: &Subject, limit: Limits) -> Result<Passed, CheckFailure> {
    let (mut one, mut other) = (CheckSession::of(subject).await?, CheckSession::of(subject).await?);
    for fen in ORDINARY {
        let game = game(fen);
        let first = one.find(&game, limit).await?.fingerprint();
        first.must_be(&other.find(&game, limit).await?.fingerprint(), &game, "in another worker")?;
    }
    Ok(Passed::PLAINLY)
}

async fn at_once(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    for fen in &ORDINARY[..3] {
        let game = game(fen);
        let first = session.find(&game, NODES).await?.fingerprint();
        first.must_be(&session.find(&game, NODES).await?.fingerprint(), &game, "asked again")?;
    }
    Ok(Passed::PLAINLY)
}

async fn after_others(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let asked = game(ORDINARY[3]);
    let first = session.find(&asked, DEPTH).await?.fingerprint();
    for fen in ORDINARY {
        session.find(&game(fen), NODES).await?;
    }
    first.must_be(&session.find(&asked, DEPTH).await?.fingerprint(), &asked, "after others")?;
    Ok(Passed::PLAINLY)
}

async fn new_game(subject: &Subject) -> Result<Passed, CheckFailure> {
    let fresh = CheckSession::of(subject).await?.find(&game(ORDINARY[1]), DEPTH).await?.fingerprint();
    let mut session = CheckSession::of(subject).await?;
    // A whole game, whose positions are those that the next question leads to as well.
    let mut played = Game::new(rules::start_position());
    for chosen in ["e2e4", "e7e5", "g1f3", "b8c6"] {
        let chosen = rules::parse_uci(played.position(), chosen).expect("it is an opening");
        played.play(chosen).expect("its moves are legal");
        session.find(&played, DEPTH).await?;
    }
    let asked = game(ORDINARY[1]);
    fresh.must_be(&session.find(&asked, DEPTH).await?.fingerprint(), &asked, "after another game")?;
    Ok(Passed::PLAINLY)
}

async fn judgement(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    session.must_judge()?;
    let mut scores = Vec::new();
    for fen in ORDINARY.iter().chain(ORDINARY) {
        scores.push(session.judge(&game(fen)).await?.0);
    }
    let (first, second) = scores.split_at(ORDINARY.len());
    let Some(at) = (0..ORDINARY.len()).find(|&at| first[at] != second[at]) else {
        return Ok(Passed::PLAINLY);
    };
    Err(CheckFailure::failed(
        format!("{}: first {}, then {}", ORDINARY[at], first[at], second[at]),
        "judge by the position alone",
    ))
}
