//! Whether an AI gives the same answer to the same question.

use ai_api::Limits;
use rules::Game;

use super::{
    Check, Passed, Subject, Trouble,
    positions::{ORDINARY, game},
    table::Table,
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

async fn in_two_workers(subject: &Subject, limit: Limits) -> Result<Passed, Trouble> {
    let (mut one, mut other) = (Table::of(subject).await?, Table::of(subject).await?);
    for fen in ORDINARY {
        let game = game(fen);
        let first = one.find(&game, limit).await?.essence();
        first.must_be(&other.find(&game, limit).await?.essence(), &game, "in another worker")?;
    }
    Ok(Passed::PLAINLY)
}

async fn at_once(subject: &Subject) -> Result<Passed, Trouble> {
    let mut table = Table::of(subject).await?;
    for fen in &ORDINARY[..3] {
        let game = game(fen);
        let first = table.find(&game, NODES).await?.essence();
        first.must_be(&table.find(&game, NODES).await?.essence(), &game, "asked again")?;
    }
    Ok(Passed::PLAINLY)
}

async fn after_others(subject: &Subject) -> Result<Passed, Trouble> {
    let mut table = Table::of(subject).await?;
    let asked = game(ORDINARY[3]);
    let first = table.find(&asked, DEPTH).await?.essence();
    for fen in ORDINARY {
        table.find(&game(fen), NODES).await?;
    }
    first.must_be(&table.find(&asked, DEPTH).await?.essence(), &asked, "after others")?;
    Ok(Passed::PLAINLY)
}

async fn new_game(subject: &Subject) -> Result<Passed, Trouble> {
    let fresh = Table::of(subject).await?.find(&game(ORDINARY[1]), DEPTH).await?.essence();
    let mut table = Table::of(subject).await?;
    // A whole game, whose positions are those that the next question leads to as well.
    let mut played = Game::new(rules::start_position());
    for chosen in ["e2e4", "e7e5", "g1f3", "b8c6"] {
        let chosen = rules::parse_uci(played.position(), chosen).expect("it is an opening");
        played.play(chosen).expect("its moves are legal");
        table.find(&played, DEPTH).await?;
    }
    let asked = game(ORDINARY[1]);
    fresh.must_be(&table.find(&asked, DEPTH).await?.essence(), &asked, "after another game")?;
    Ok(Passed::PLAINLY)
}

async fn judgement(subject: &Subject) -> Result<Passed, Trouble> {
    let mut table = Table::of(subject).await?;
    table.must_judge()?;
    let mut scores = Vec::new();
    for fen in ORDINARY.iter().chain(ORDINARY) {
        scores.push(table.judge(&game(fen)).await?.0);
    }
    let (first, second) = scores.split_at(ORDINARY.len());
    let Some(at) = (0..ORDINARY.len()).find(|&at| first[at] != second[at]) else {
        return Ok(Passed::PLAINLY);
    };
    Err(Trouble::failed(
        format!("{}: first {}, then {}", ORDINARY[at], first[at], second[at]),
        "judge by the position alone",
    ))
}
