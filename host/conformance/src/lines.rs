//! Whether the lines of play of an AI can be played.

use std::collections::BTreeSet;

use ai_api::{Limits, Move};
use rules::{Game, play};

use super::{
    Check, CheckFailure, Passed, Subject,
    positions::{MATE_NEXT, ORDINARY, PROMOTION, game},
    session::{CheckSession, place},
};
use protocol::SearchParams;

const LIMIT: Limits = Limits::depth(4);

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "lines.legal",
        description: "The line of play of its answer can be played.",
        run: |subject| Box::pin(legal(subject)),
    },
    Check {
        name: "lines.begin_with_the_move",
        description: "The line of play of its answer begins with its move.",
        run: |subject| Box::pin(begin_with_the_move(subject)),
    },
    Check {
        name: "lines.several",
        description: "Asked for several lines, it tells legal ones that begin with different moves, where it declares to.",
        run: |subject| Box::pin(several(subject)),
    },
    Check {
        name: "reports.legal",
        description: "The lines of play that it tells on the way can be played.",
        run: |subject| Box::pin(reported(subject)),
    },
    Check {
        name: "reports.rise",
        description: "Depths and node counts that it tells on the way never fall.",
        run: |subject| Box::pin(rise(subject)),
    },
    Check {
        name: "reports.few",
        description: "It tells of each iteration once or a few times, not of each node.",
        run: |subject| Box::pin(few(subject)),
    },
];

/// What is wrong with a line in the position of a game.
fn fault_of(game: &Game, line: &[Move]) -> Option<String> {
    let mut position = *game.position();
    for (ply, &chosen) in line.iter().enumerate() {
        if !rules::is_legal(&position, chosen) {
            let line: Vec<_> = line.iter().map(ToString::to_string).collect();
            return Some(format!(
                "{}: {} is not legal at ply {} of {}",
                place(game),
                chosen,
                ply + 1,
                line.join(" ")
            ));
        }
        position = play(&position, chosen);
    }
    None
}

fn positions() -> impl Iterator<Item = &'static str> {
    ORDINARY.iter().chain(MATE_NEXT).chain(PROMOTION).copied()
}

async fn legal(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let mut longest = 0;
    for fen in positions() {
        let game = game(fen);
        let found = session.find(&game, LIMIT).await?;
        if let Some(fault) = fault_of(&game, &found.answer.pv) {
            return Err(CheckFailure::failed(
                fault,
                "let a line end where the game does, and take it from one search",
            ));
        }
        longest = longest.max(found.answer.pv.len());
    }
    Ok(Passed::and(format!("the longest has {longest} plies")))
}

async fn begin_with_the_move(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "put the whole line into SearchResult::line, the move first";
    let mut session = CheckSession::of(subject).await?;
    for fen in positions() {
        let game = game(fen);
        let answer = session.find(&game, LIMIT).await?.answer;
        let best = answer.best_move;
        match (answer.pv.first(), best) {
            (None, _) => return Err(CheckFailure::warning(format!("{fen}: its answer has no line"), REMEDY)),
            (Some(&first), Some(best)) if first != best => {
                let reason = format!("{fen}: it plays {best}, and its line begins with {first}");
                return Err(CheckFailure::failed(reason, REMEDY));
            }
            _ => {}
        }
    }
    Ok(Passed::PLAINLY)
}

async fn several(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let lines = session.session.manifest().capabilities.max_lines.min(4);
    if lines < 2 {
        return Err(CheckFailure::skipped("the AI declares one line"));
    }
    for fen in ORDINARY {
        let game = game(fen);
        let params = SearchParams { lines, ..SearchParams::default() };
        let answer = session.find_with(&game, Limits::depth(2), params, None).await?.answer;
        let further = answer.multipv.iter().map(|line| line.moves.as_slice());
        let told: Vec<_> = std::iter::once(answer.pv.as_slice()).chain(further).collect();
        if let Some(fault) = told.iter().find_map(|line| fault_of(&game, line)) {
            return Err(CheckFailure::failed(fault, "let each line be one of its own that can be played"));
        }
        let firsts: BTreeSet<_> = told.iter().filter_map(|line| Some(line.first()?.to_bits())).collect();
        let expected = (lines as usize).min(rules::legal_moves(game.position()).len());
        if firsts.len() != told.len() || told.len() != expected {
            return Err(CheckFailure::failed(
                format!(
                    "{fen}: asked for {expected} lines, it tells {}, of {} moves",
                    told.len(),
                    firsts.len()
                ),
                "put the second best line and the further ones into SearchResult::multipv, each of another move",
            ));
        }
    }
    Ok(Passed::and(format!("{lines} lines")))
}

async fn reported(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let mut reports = 0;
    for fen in positions() {
        let game = game(fen);
        for iteration in session.find(&game, LIMIT).await?.iterations {
            reports += 1;
            if let Some(fault) = fault_of(&game, &iteration.pv) {
                return Err(CheckFailure::failed(fault, "report the line of the iteration that is done"));
            }
        }
    }
    if reports == 0 {
        Err(CheckFailure::skipped("the AI tells nothing on the way"))
    } else {
        Ok(Passed::PLAINLY)
    }
}

async fn rise(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let mut reports = 0;
    for fen in positions() {
        let found = session.find(&game(fen), LIMIT).await?;
        reports += found.iterations.len();
        for pair in found.iterations.windows(2) {
            let [before, after] = pair else { continue };
            if after.depth < before.depth || after.nodes < before.nodes {
                return Err(CheckFailure::failed(
                    format!(
                        "{fen}: after depth {} and {} nodes it tells of depth {} and {}",
                        before.depth, before.nodes, after.depth, after.nodes
                    ),
                    "count the nodes of the whole search, and report iterations in their order",
                ));
            }
        }
    }
    if reports == 0 {
        Err(CheckFailure::skipped("the AI tells nothing on the way"))
    } else {
        Ok(Passed::PLAINLY)
    }
}

async fn few(subject: &Subject) -> Result<Passed, CheckFailure> {
    const MOST: usize = 200;
    let mut session = CheckSession::of(subject).await?;
    let found = session.find(&game(ORDINARY[1]), Limits::movetime_ms(300)).await?;
    let count = found.iterations.len();
    if count <= MOST {
        return Ok(Passed::and(format!("{count} in 300 ms")));
    }
    Err(CheckFailure::warning(
        format!("{count} reports in 300 ms, expected {MOST} at most"),
        "report once an iteration: each report is a system call",
    ))
}
