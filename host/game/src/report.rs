//! Judges every move of a game by the scores of an AI before and after it.

use std::time::Duration;

use ai_api::{Color, Move, Position, Score};
use pool::{Ai, Listener};
use rules::Game;
use tokio::time::{Instant, timeout_at};

use crate::{
    caller::Caller,
    error::ServiceError,
    judgement::{Judgement, accuracy, loss, mean, winning_chances},
    limits::{RequestedSearch, SearchLimits},
    options::RequestedOptions,
    play::{ChosenMove, Played, play},
    service::{GameService, Responder},
};

/// The time of the last search beyond that of the report.
const PATIENCE: Duration = Duration::from_secs(1);

/// Every move of a game, judged.
#[derive(Debug)]
pub struct Report<'a> {
    /// The AI that judged.
    pub responder: Responder<'a>,
    pub moves: Vec<JudgedMove>,
}

/// A judged move.
#[derive(Clone, Debug)]
pub struct JudgedMove {
    /// The half-move, from 1.
    pub ply: usize,
    /// The position before the move.
    pub position: Position,
    pub played: Move,
    /// The score of the position before the move, for White.
    pub score: Score,
    /// The score of the position after the move, for White.
    pub score_after: Score,
    /// White's winning chances before and after the move, in percent.
    pub winning_chances: [f64; 2],
    /// The lost points of winning chance.
    pub loss: f64,
    /// `None` for a good move, and for the only legal one.
    pub judgement: Option<Judgement>,
    /// The move that the AI would have played instead.
    pub best: Option<ChosenMove>,
    /// In percent; `None` for the only legal move.
    pub accuracy: Option<f64>,
}

/// Receives the progress of a report.
pub trait ReportObserver {
    /// Waits until another position may be searched. Not called before the first one. May be dropped at any time.
    fn turn(&self) -> impl Future<Output = ()>;

    /// Called before the first search, for each AI that is asked. Returns the listener of the search.
    fn started(&self, responder: Responder<'_>, limits: &SearchLimits) -> Option<Box<dyn Listener>>;

    /// Called before each further search. Returns its listener.
    fn searching(&self, game: &Game, limits: &SearchLimits) -> Option<Box<dyn Listener>>;

    /// Called with each judged move.
    fn judged(&self, judged: &JudgedMove);
}

impl GameService {
    /// Lets an AI judge every move of a game. The AI searches one position after another; the time of the report is shared out
    /// evenly among the remaining positions. Dropping the future cancels the search.
    ///
    /// # Errors
    /// The AI does not support the request, fails, or the report times out.
    pub async fn report<'a>(
        &'a self,
        caller: &Caller,
        ai: &'a Ai,
        game: &Game,
        search: RequestedSearch,
        options: &RequestedOptions,
        observer: &impl ReportObserver,
    ) -> Result<Report<'a>, ServiceError> {
        let of = game.moves().len();
        if of == 0 {
            observer.started(Responder::of(ai), &search.limits(ai, caller));
            return Ok(Report { responder: Responder::of(ai), moves: Vec::new() });
        }
        let time = ReportTime::of(self.config().server.report_timeout_ms);
        let mut so_far = Game::new(*game.start());
        let first = RequestedSearch { time_share: Some(time.share(of + 1)), ..search };
        let started = |responder: Responder<'_>, limits: &SearchLimits| observer.started(responder, limits);
        // From now on the AI that answers first, which may be the fallback, is asked.
        let first = self.play(caller, ai, &so_far, first, options, started);
        let (mut before, responder) = time.bound(first, 0, of).await??;
        let ai = responder.ai;
        let mut moves = Vec::with_capacity(of);
        for (ply, &played) in (1..).zip(game.moves()) {
            let position = *so_far.position();
            so_far
                .play(played)
                .map_err(|_| ServiceError::Internal("a move of a valid game could not be played"))?;
            let search_next = async {
                // A finished game needs no search.
                if so_far.status().outcome.is_none() {
                    observer.turn().await;
                }
                let search = RequestedSearch { time_share: Some(time.share(of + 1 - ply)), ..search };
                let limits = search.limits(ai, caller);
                let context = caller.context();
                let listener = || observer.searching(&so_far, &limits);
                play(context, ai, so_far.clone(), options, limits, listener).await
            };
            let after = time.bound(search_next, ply - 1, of).await??;
            let judged = judge(ply, &position, played, before, after.score);
            observer.judged(&judged);
            moves.push(judged);
            before = after;
        }
        Ok(Report { responder, moves })
    }
}

impl Report<'_> {
    /// The mean accuracy of the moves of a color in percent; `None` if it had no choice.
    pub fn accuracy(&self, color: Color) -> Option<f64> {
        let own = self.moves.iter().filter(|judged| judged.position.turn() == color);
        mean(own.filter_map(|judged| judged.accuracy))
    }
}

/// The time of a report.
#[derive(Clone, Copy, Debug)]
struct ReportTime {
    ms: u64,
    until: Instant,
}

impl ReportTime {
    fn of(ms: u64) -> Self {
        Self { ms, until: Instant::now() + Duration::from_millis(ms) }
    }

    /// The share of each of the remaining positions.
    fn share(self, positions: usize) -> Duration {
        let left = self.until.saturating_duration_since(Instant::now());
        left / u32::try_from(positions).unwrap_or(u32::MAX).max(1)
    }

    /// Runs the work and drops it at the deadline.
    async fn bound<T>(
        self,
        work: impl Future<Output = T>,
        done: usize,
        of: usize,
    ) -> Result<T, ServiceError> {
        let out_of_time = |_| ServiceError::ReportTimeout { time_ms: self.ms, done, of };
        timeout_at(self.until + PATIENCE, work).await.map_err(out_of_time)
    }
}

/// Judges a move. The AI's own move loses nothing, whatever its score afterwards is.
fn judge(ply: usize, position: &Position, played: Move, before: Played, after: Score) -> JudgedMove {
    let winning_chances = [before.score, after].map(winning_chances);
    let best = before.chosen.filter(|best| best.chosen != played);
    let [chance_before, chance_after] = winning_chances;
    let loss = if best.is_some() { loss(position.turn(), chance_before, chance_after) } else { 0.0 };
    let has_choice = rules::legal_moves(position).len() > 1;
    JudgedMove {
        ply,
        position: *position,
        played,
        score: before.score,
        score_after: after,
        winning_chances,
        loss,
        judgement: Judgement::of_loss(loss).filter(|_| has_choice),
        best,
        accuracy: has_choice.then(|| accuracy(loss)),
    }
}
