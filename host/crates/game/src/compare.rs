//! Asks several AIs for their moves in one position.

use futures_util::stream::{self, StreamExt as _};
use pool::{Ai, Listener};
use rules::Game;

use crate::{
    client::Client,
    error::ServiceError,
    limits::{RequestedSearch, SearchLimits},
    options::RequestedOptions,
    play::Played,
    responder::Responder,
    service::GameService,
};

/// A position, and the AIs to ask about it.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    pub ais: &'a [&'a Ai],
    pub game: &'a Game,
    pub search: RequestedSearch<'a>,
    /// The maximum number of AIs that search in parallel.
    pub at_once: usize,
}

impl GameService {
    /// Asks several AIs for their moves. Returns their results in the order of the AIs. A failure
    /// of one AI does not affect the others, and no fallback is asked. Dropping the future cancels
    /// the searches.
    ///
    /// `finished` receives and converts the result of each AI, with the AI's index, as soon as it
    /// is known.
    pub async fn compare<T>(
        &self,
        client: &Client,
        comparison: Comparison<'_>,
        listener: impl Fn(&Ai, &SearchLimits) -> Option<Box<dyn Listener>>,
        finished: impl Fn(usize, Result<Played, ServiceError>) -> T,
    ) -> Vec<T> {
        let Comparison {
            ais,
            game,
            search,
            at_once,
        } = comparison;
        let options = RequestedOptions::default();
        let (options, listener, finished) = (&options, &listener, &finished);
        let requests = ais.iter().enumerate().map(|(place, ai)| async move {
            let listener = |asked: Responder<'_>, limits: &SearchLimits| listener(asked.ai, limits);
            let played = self
                .play_as(Responder::of(ai), client, game, search, options, &listener)
                .await;
            (place, finished(place, played))
        });
        let mut results: Vec<_> = stream::iter(requests)
            .buffer_unordered(at_once.max(1))
            .collect()
            .await;
        results.sort_by_key(|(place, _)| *place);
        results.into_iter().map(|(_, result)| result).collect()
    }
}
