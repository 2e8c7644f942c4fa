//! Analyses, whose moves must not come from a book.

use ai_api::Limits;
use rules::Game;

use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    positions::{ENDGAME, OPENINGS, game, game_by_moves},
    session::{CheckSession, FoundMove, fen_of, move_text},
    subject::Subject,
};
use protocol::SearchParams;

const DEPTH: u32 = 3;

checks! { subject =>
    "analysis.searches": "Searches opening positions in an analysis instead of playing book \
        moves.",
        searches_openings(subject);
}

async fn searches_openings(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    if !is_searched(&search(&mut session, &game(ENDGAME), true).await?) {
        return Err(CheckFailure::skipped(
            "its results have no depth and no nodes, so a book move looks like any other",
        ));
    }
    let (mut played, mut from_book) = (0, 0);
    for game in OPENINGS.into_iter().flat_map(game_by_moves) {
        let analysed = search(&mut session, &game, true).await?;
        if !is_searched(&analysed) {
            let reason = format!(
                "{}: played {} without a search, as from a book, although analysis was requested",
                fen_of(&game),
                move_text(analysed.result.best_move)
            );
            return Err(CheckFailure::warning(
                reason,
                "use the book only if analysis is not set in the request: a report has no score \
                 for such a position",
            ));
        }
        played += 1;
        from_book += u32::from(!is_searched(&search(&mut session, &game, false).await?));
    }
    if from_book > 0 {
        return Ok(Passed::with_note(format!(
            "it plays {from_book} of {played} openings from its book"
        )));
    }
    let has_book = session
        .manifest()
        .options
        .iter()
        .any(|spec| spec.name.contains("book"));
    if has_book {
        let note = "it uses no opening book; set one with --option, as in --option book=FILE";
        return Ok(Passed::with_note(note.into()));
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn search(
    session: &mut CheckSession,
    game: &Game,
    analysis: bool,
) -> Result<FoundMove, CheckFailure> {
    let params = SearchParams {
        analysis,
        ..SearchParams::default()
    };
    session
        .search_with_params(game, Limits::depth(DEPTH), params, None)
        .await
}

/// Returns whether a result comes from a search. A search visits several nodes, because the
/// positions have many moves. Some engines don't count nodes but report a depth.
const fn is_searched(found: &FoundMove) -> bool {
    found.result.depth >= DEPTH || found.result.nodes > 1
}
