//! Whether the tree of thought that an AI tells is one, where it declares to tell it.

use ai_api::{Limits, NodeKind, TraceNode};
use rules::{Game, is_legal, legal_moves, play};

use super::{
    Check, CheckFailure, Passed, Subject,
    positions::{MATE_NEXT, ORDINARY, STALEMATE_NEAR, game},
    session::{CheckSession, Found, place},
};
use protocol::SearchParams;

const LIMIT: Limits = Limits::depth(3);
const MOST_NODES: u32 = 500;

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "trace.legal",
        description: "The moves of its trace can be played, each in the position before it, where it declares to trace.",
        run: |subject| Box::pin(legal(subject)),
    },
    Check {
        name: "trace.root",
        description: "Its trace begins with the position that was asked about and the score of its answer.",
        run: |subject| Box::pin(root(subject)),
    },
    Check {
        name: "trace.endings",
        description: "Where its trace says mate or stalemate, it is one.",
        run: |subject| Box::pin(endings(subject)),
    },
    Check {
        name: "trace.changes_nothing",
        description: "With a trace it finds the same move, score and node count as without, so that the trace shows the search that is played.",
        run: |subject| Box::pin(changes_nothing(subject)),
    },
];

fn positions() -> impl Iterator<Item = &'static str> {
    ORDINARY.iter().chain(MATE_NEXT).chain(STALEMATE_NEAR).copied()
}

async fn session(subject: &Subject) -> Result<CheckSession, CheckFailure> {
    let session = CheckSession::of(subject).await?;
    if session.session.manifest().capabilities.max_trace_nodes == 0 {
        return Err(CheckFailure::skipped("the AI declares no trace"));
    }
    Ok(session)
}

async fn traced(session: &mut CheckSession, game: &Game) -> Result<Found, CheckFailure> {
    let trace_nodes = session.session.manifest().capabilities.max_trace_nodes.min(MOST_NODES);
    let params = SearchParams { trace_nodes, ..SearchParams::default() };
    session.find_with(game, LIMIT, params, None).await
}

async fn legal(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = session(subject).await?;
    let mut longest = 0;
    for fen in positions() {
        let game = game(fen);
        let found = traced(&mut session, &game).await?;
        longest = longest.max(found.answer.trace.len());
        each_node(&game, &found.answer.trace, |_, _| None)?;
    }
    Ok(Passed::and(format!("the longest has {longest} nodes")))
}

async fn root(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = session(subject).await?;
    for fen in positions() {
        let game = game(fen);
        let answer = traced(&mut session, &game).await?.answer;
        let Some(root) = answer.trace.first() else {
            return Err(CheckFailure::failed(
                format!("{}: asked for a trace, it tells none that begins with a root", place(&game)),
                "let the first node of SearchResult::trace have no parent, and each other one stand behind its own",
            ));
        };
        if root.score != answer.score {
            return Err(CheckFailure::failed(
                format!(
                    "{}: it answers {}, and the root of its trace has {}",
                    place(&game),
                    answer.score,
                    root.score
                ),
                "trace the iteration that the answer comes from",
            ));
        }
    }
    Ok(Passed::PLAINLY)
}

async fn endings(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = session(subject).await?;
    let mut ends = 0;
    for fen in positions() {
        let game = game(fen);
        let found = traced(&mut session, &game).await?;
        each_node(&game, &found.answer.trace, |node, position| {
            let says_check = match node.kind {
                NodeKind::Checkmate => true,
                NodeKind::Stalemate => false,
                _ => return None,
            };
            ends += 1;
            let is_so = legal_moves(position).is_empty() && position.in_check() == says_check;
            (!is_so).then(|| format!("says {:?}, which it is not", node.kind))
        })?;
    }
    Ok(Passed::and(format!("{ends} mates and stalemates")))
}

async fn changes_nothing(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "record the search as it runs, and let nothing else depend on trace_nodes";
    let (mut plain, mut traces) = (CheckSession::of(subject).await?, session(subject).await?);
    for fen in positions() {
        let game = game(fen);
        let without = plain.find(&game, LIMIT).await?.fingerprint();
        let with = traced(&mut traces, &game).await?.fingerprint();
        without.must_be(&with, &game, "with a trace").map_err(|mut failure| {
            failure.advise(REMEDY);
            failure
        })?;
    }
    Ok(Passed::PLAINLY)
}

/// Looks at the nodes in their positions, as far as the moves that lead there are legal, which they must be.
fn each_node(
    game: &Game,
    trace: &[TraceNode],
    mut fault: impl FnMut(&TraceNode, &ai_api::Position) -> Option<String>,
) -> Result<(), CheckFailure> {
    let mut positions = Vec::with_capacity(trace.len());
    for (index, node) in trace.iter().enumerate() {
        let position = match positions.get(node.parent as usize) {
            None => *game.position(),
            Some(before) if is_legal(before, node.chosen) => play(before, node.chosen),
            Some(_) => {
                let reason = format!("{}: {} of node {index} is not legal there", place(game), node.chosen);
                return Err(CheckFailure::failed(
                    reason,
                    "tell for each node its own parent and the move from there",
                ));
            }
        };
        if let Some(fault) = fault(node, &position) {
            let reason = format!("{}: node {index} {fault}", place(game));
            return Err(CheckFailure::failed(
                reason,
                "look for moves and for check before you say how a line ends",
            ));
        }
        positions.push(position);
    }
    Ok(())
}
