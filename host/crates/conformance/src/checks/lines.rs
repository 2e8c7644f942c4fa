//! Principal variations and progress reports.

use std::collections::BTreeSet;

use ai_api::{Limits, Move};
use rules::{Game, play};

use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    positions::{MATE_IN_ONE, ORDINARY, PROMOTION, game},
    session::{CheckSession, fen_of, move_list},
    subject::Subject,
};
use protocol::SearchParams;

const LIMIT: Limits = Limits::depth(4);

checks! { subject =>
    "lines.legal": "Returns a principal variation that can be played.",
        legal(subject);
    "lines.begin_with_the_move": "Returns a principal variation that begins with the best move.",
        begin_with_the_move(subject);
    "lines.several": "Returns as many legal lines as requested, each with a different first move, \
        if it declares several lines.",
        several(subject);
    "reports.legal": "Reports principal variations that can be played while it searches.",
        reported(subject);
    "reports.rise": "Reports depths and node counts that never decrease.",
        rise(subject);
    "reports.few" [MeasuresTime]: "Reports at most 200 times in 300 ms: per iteration, not per \
        node.",
        few(subject);
}

/// Returns why a line cannot be played from the position of a game.
fn illegal_move(game: &Game, line: &[Move]) -> Option<String> {
    let mut position = *game.position();
    for (ply, &chosen) in line.iter().enumerate() {
        if !rules::is_legal(&position, chosen) {
            let (fen, ply, line) = (fen_of(game), ply + 1, move_list(line));
            return Some(format!("{fen}: {chosen} is illegal at ply {ply} of {line}"));
        }
        position = play(&position, chosen);
    }
    None
}

fn positions() -> impl Iterator<Item = &'static str> {
    ORDINARY.iter().chain(MATE_IN_ONE).chain(PROMOTION).copied()
}

async fn legal(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let mut longest = 0;
    for fen in positions() {
        let game = game(fen);
        let found = session.search(&game, LIMIT).await?;
        if let Some(fault) = illegal_move(&game, &found.result.pv) {
            return Err(CheckFailure::failed(
                fault,
                "end the line when the game ends, and take all its moves from the same search",
            ));
        }
        longest = longest.max(found.result.pv.len());
    }
    Ok(Passed::with_note(format!(
        "the longest line has {longest} plies"
    )))
}

async fn begin_with_the_move(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "put the complete line into pv of the result, with the best move first";
    let mut session = CheckSession::start(subject).await?;
    for fen in positions() {
        let game = game(fen);
        let result = session.search(&game, LIMIT).await?.result;
        let best = result.best_move;
        match (result.pv.first(), best) {
            (None, _) => {
                return Err(CheckFailure::warning(
                    format!("{fen}: the result has no principal variation"),
                    REMEDY,
                ));
            }
            (Some(&first), Some(best)) if first != best => {
                let reason = format!(
                    "{fen}: the best move is {best}, but the principal variation begins with \
                     {first}"
                );
                return Err(CheckFailure::failed(reason, REMEDY));
            }
            _ => {}
        }
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn several(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session =
        CheckSession::start_if(subject, "several lines", |declared| declared.max_lines > 1).await?;
    let lines = session.manifest().capabilities.max_lines.min(4);
    for fen in ORDINARY {
        let game = game(fen);
        let params = SearchParams {
            lines,
            ..SearchParams::default()
        };
        let result = session
            .search_with_params(&game, Limits::depth(2), params, None)
            .await?
            .result;
        let others = result.multipv.iter().map(|line| line.moves.as_slice());
        let returned: Vec<_> = std::iter::once(result.pv.as_slice())
            .chain(others)
            .collect();
        if let Some(fault) = returned.iter().find_map(|line| illegal_move(&game, line)) {
            return Err(CheckFailure::failed(
                fault,
                "take all moves of a line from the same search, and end it when the game ends",
            ));
        }
        let firsts: BTreeSet<_> = returned
            .iter()
            .filter_map(|line| Some(line.first()?.to_bits()))
            .collect();
        let expected = (lines as usize).min(rules::legal_moves(game.position()).len());
        if firsts.len() != returned.len() || returned.len() != expected {
            return Err(CheckFailure::failed(
                format!(
                    "{fen}: returned {} lines with {} first moves; expected {expected} lines with \
                     different first moves",
                    returned.len(),
                    firsts.len()
                ),
                "put the second-best line and the others into the result's multipv, each with \
                 a different first move",
            ));
        }
    }
    Ok(Passed::with_note(format!("{lines} lines")))
}

async fn reported(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let mut reports = 0;
    for fen in positions() {
        let game = game(fen);
        for iteration in session.search(&game, LIMIT).await?.iterations {
            reports += 1;
            if let Some(fault) = illegal_move(&game, &iteration.pv) {
                return Err(CheckFailure::failed(
                    fault,
                    "report the line of a completed iteration",
                ));
            }
        }
    }
    passed_with_reports(reports)
}

async fn rise(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let mut reports = 0;
    for fen in positions() {
        let found = session.search(&game(fen), LIMIT).await?;
        reports += found.iterations.len();
        for pair in found.iterations.windows(2) {
            let [before, after] = pair else { continue };
            if after.depth < before.depth || after.nodes < before.nodes {
                return Err(CheckFailure::failed(
                    format!(
                        "{fen}: reported depth {} and {} nodes, and then depth {} and {} nodes",
                        before.depth, before.nodes, after.depth, after.nodes
                    ),
                    "count the nodes of the complete search, and report iterations in order",
                ));
            }
        }
    }
    passed_with_reports(reports)
}

fn passed_with_reports(count: usize) -> Result<Passed, CheckFailure> {
    if count == 0 {
        return Err(CheckFailure::skipped("the AI does not report progress"));
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn few(subject: &Subject) -> Result<Passed, CheckFailure> {
    const MAX_REPORTS: usize = 200;
    let mut session = CheckSession::start(subject).await?;
    let found = session
        .search(&game(ORDINARY[1]), Limits::movetime_ms(300))
        .await?;
    let count = found.iterations.len();
    if count == 0 && subject.drives_a_program() {
        return Err(CheckFailure::warning(
            "the engine wrote no line with a score before its move",
            "write a line such as info depth 3 score cp 25 nodes 1200 pv e2e4 e7e5 before \
             bestmove: without it users see no score",
        ));
    }
    if count <= MAX_REPORTS {
        return Ok(Passed::with_note(format!("{count} in 300 ms")));
    }
    Err(CheckFailure::warning(
        format!("{count} reports in 300 ms; expected at most {MAX_REPORTS}"),
        "report once per iteration: each report costs a system call",
    ))
}
