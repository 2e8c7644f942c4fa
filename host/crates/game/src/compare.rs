//! Asks several AIs for their moves in one position.

use futures_util::stream::{self, StreamExt as _};
use pool::{Ai, Listener};
use rules::Game;

use crate::{
    client::Client,
    error::ServiceError,
    limits::{RequestedSearch, SearchLimits},
    options::RequestedOptions,
    play::{Played, play},
};

/// Asks several AIs for their moves, at most a given number at a time. Returns their results in the
/// order of the AIs. A failure of one AI does not affect the others, and no fallback is asked.
/// Dropping the future cancels the searches.
///
/// `finished` receives the index of each AI with its result, as soon as it is known, and converts
/// it.
pub async fn compare<T>(
    client: &Client,
    ais: &[&Ai],
    game: &Game,
    search: RequestedSearch<'_>,
    at_a_time: usize,
    listener: impl Fn(&Ai, &SearchLimits) -> Option<Box<dyn Listener>>,
    finished: impl Fn(usize, Result<Played, ServiceError>) -> T,
) -> Vec<T> {
    let (listener, finished) = (&listener, &finished);
    let requests = ais.iter().enumerate().map(|(place, ai)| async move {
        let limits = search.limits(ai, client);
        let context = client.context();
        let options = RequestedOptions::default();
        let played = play(
            context,
            ai,
            game.clone(),
            &options,
            limits,
            search.root_moves,
            || listener(ai, &limits),
        )
        .await;
        (place, finished(place, played))
    });
    let mut results: Vec<_> = stream::iter(requests)
        .buffer_unordered(at_a_time.max(1))
        .collect()
        .await;
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}
