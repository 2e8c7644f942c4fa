//! Judges every move of a game by an AI's scores before and after it, and explains the judgement.

use std::{
    cell::{Cell, OnceCell},
    ops::{ControlFlow, RangeInclusive},
    time::Duration,
};

use ai_api::{Color, Move, Position, Role, Score, TableProbe, TableResult};
use claims::{Claim, Judged, MateEffort};
use pool::{Ai, Listener};
use rules::Game;
use tokio::time::{Instant, timeout_at};

use crate::{
    accuracy::{self, WeightedAccuracy},
    client::Client,
    error::ServiceError,
    judgement::{Judgement, loss, winning_chances},
    limits::{RequestedSearch, SearchLimits},
    options::RequestedOptions,
    play::{ChosenMove, Played},
    responder::Responder,
    service::GameService,
    spread::spread,
    tablebase::{exact_score, probe},
    why::{captured, table_claims},
};

/// How far the last search may exceed the report's time limit.
const PATIENCE: Duration = Duration::from_secs(1);

/// The judged moves of some games.
#[derive(Debug)]
pub struct Report<'a> {
    /// The AI that judged the moves.
    pub responder: Responder<'a>,
    /// The judged moves of each game.
    pub games: Vec<JudgedGame>,
}

/// The judged moves of a game.
#[derive(Debug, Default)]
pub struct JudgedGame {
    pub moves: Vec<JudgedMove>,
}

/// A judged move.
#[derive(Clone, Debug)]
pub struct JudgedMove {
    /// The number of the half-move, from 1.
    pub ply: usize,
    /// The position before the move.
    pub position: Position,
    pub played: Move,
    /// The score of the position before the move, for White; `None` if no search has found one.
    pub score: Option<Score>,
    /// The score of the position after the move, for White; `None` if no search has found one.
    pub score_after: Option<Score>,
    /// White's winning chances before and after the move, in percent; `None` without a score.
    pub winning_chances: [Option<f64>; 2],
    /// The lost points of winning chance; `None` if either score is missing.
    pub loss: Option<f64>,
    /// `None` for a good move and for the only legal move.
    pub judgement: Option<Judgement>,
    /// The move that the AI's search found instead.
    pub best: Option<ChosenMove>,
    /// The accuracy in percent; `None` for the only legal move and if the loss is unknown.
    pub accuracy: Option<f64>,
    /// The AI's line after the move.
    pub reply: Vec<Move>,
    /// Why the move is good or bad.
    pub claims: Vec<Claim>,
}

/// Receives the progress of a report.
pub trait ReportObserver {
    /// Waits until another position may be searched. Not called before the first position. May be
    /// dropped at any time.
    fn turn(&self) -> impl Future<Output = ()>;

    /// Called before the first search for each AI that is asked.
    fn started(&self, responder: Responder<'_>, limits: &SearchLimits);

    /// Called before each search in the game with this index. Returns its listener.
    fn searching(
        &self,
        index: usize,
        game: &Game,
        limits: &SearchLimits,
    ) -> Option<Box<dyn Listener>>;

    /// Called with each judged move of the game at this index, before claims about the AI's
    /// evaluation terms are known.
    fn judged(&self, index: usize, judged: &JudgedMove);
}

/// Which moves to judge.
#[derive(Clone, Copy, Debug)]
pub enum MovesToJudge<'a> {
    /// Every move of some games.
    Every(&'a [Game]),
    /// The last move of a game.
    Last(&'a Game),
}

impl<'a> MovesToJudge<'a> {
    fn games(self) -> &'a [Game] {
        match self {
            Self::Every(games) => games,
            Self::Last(game) => std::slice::from_ref(game),
        }
    }

    /// Returns the positions of a game to search, by the number of half-moves before them. Each
    /// move is judged by the positions before and after it.
    fn positions(self, game: &Game) -> RangeInclusive<usize> {
        let plies = game.moves().len();
        match self {
            Self::Every(_) => 0..=plies,
            Self::Last(_) => plies.saturating_sub(1)..=plies,
        }
    }
}

impl GameService {
    /// Lets an AI judge moves of some games. Searches several positions in parallel, as
    /// `Client::searches_at_once` allows. The positions share the report's time evenly. Positions
    /// in tablebases have exact scores. Dropping the future cancels every search.
    ///
    /// # Errors
    /// The AI does not support the request or fails, or the report times out.
    pub async fn report<'a>(
        &'a self,
        client: &Client,
        ai: &'a Ai,
        moves: MovesToJudge<'_>,
        search: RequestedSearch<'_>,
        options: &RequestedOptions,
        observer: &impl ReportObserver,
    ) -> Result<Report<'a>, ServiceError> {
        let games = moves.games();
        let positions: Vec<_> = games
            .iter()
            .enumerate()
            .filter(|(_, game)| !game.moves().is_empty())
            .flat_map(|(index, game)| moves.positions(game).map(move |ply| (index, ply)))
            .collect();
        let at_once = client.searches_at_once(ai);
        let mut judging = Judging::new(games, observer);
        let time = ReportTime::of(self.config().server.report_timeout_ms);
        let unsearched = Cell::new(positions.len());
        // The AI that answers the first search, which may be the fallback, is asked for all others.
        let responder = OnceCell::new();
        let searched = async |place: usize| {
            let (index, ply) = positions[place];
            let so_far = games[index].until(ply);
            // A finished game needs no search.
            if place > 0 && so_far.status().outcome.is_none() {
                observer.turn().await;
            }
            let search = RequestedSearch {
                time_share: Some(time.share(unsearched.get(), at_once)),
                ..search
            };
            let listener = |asked: Responder<'_>, limits: &SearchLimits| {
                if place == 0 {
                    observer.started(asked, limits);
                }
                observer.searching(index, &so_far, limits)
            };
            let played = if let Some(&responder) = responder.get() {
                self.play_as(responder, client, &so_far, search, options, &listener)
                    .await?
            } else {
                let (played, answered) = self
                    .play_without_candidate(client, ai, &so_far, search, options, &listener)
                    .await?;
                let _ = responder.set(answered);
                played
            };
            let found = Searched::new(played, self.table(client, &so_far).await);
            unsearched.set(unsearched.get() - 1);
            Ok::<_, ServiceError>(found)
        };
        let search_all = async {
            if ai.settings.fallback.is_none() || positions.is_empty() {
                let _ = responder.set(Responder::of(ai));
            }
            if positions.is_empty() {
                observer.started(Responder::of(ai), &search.limits(ai, client));
            }
            let first = usize::from(responder.get().is_none());
            if first > 0 {
                judging.add(positions[0], searched(0).await?);
            }
            let others = spread(
                positions.len() - first,
                at_once,
                async |place| searched(first + place).await,
                |answer| matches!(answer, Err(error) if error.is_queue_full()),
                |place, answer| match answer {
                    Ok(found) => {
                        judging.add(positions[first + place], found);
                        ControlFlow::Continue(())
                    }
                    Err(error) => ControlFlow::Break(error),
                },
            );
            match others.await {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(error) => Err(error),
            }
        };
        let in_time = time.bound(search_all).await;
        in_time.ok_or_else(|| ServiceError::ReportTimeout {
            time_ms: time.ms,
            done: judging.done,
            of: games.iter().map(|game| game.moves().len()).sum(),
        })??;
        let mut report = Report {
            responder: responder.get().copied().unwrap_or(Responder::of(ai)),
            games: judging.games,
        };
        // Claims that are not ready by the deadline are left out.
        let add_terms = self.add_term_claims(client, &mut report, games, options);
        let _ = time.bound(add_terms).await;
        Ok(report)
    }

    /// Returns what the tablebases say about the last position of a game; `None` if no table covers
    /// it. A report works without tables, so a failed probe is only logged.
    async fn table(&self, client: &Client, game: &Game) -> Option<TableProbe> {
        let probed = probe(self.ais().tablebases(), client.context(), game).await;
        let failed = |error: &ServiceError| {
            if let ServiceError::Tablebase(error) = error {
                tracing::error!(%error, "tablebase probe failed");
            }
        };
        probed.inspect_err(failed).ok()
    }
}

/// A searched position.
struct Searched {
    position: Position,
    /// Exact if a table covers the position.
    score: Option<Score>,
    /// `None` if the game was over.
    chosen: Option<ChosenMove>,
    table: Option<TableProbe>,
}

impl Searched {
    fn new(searched: Played, table: Option<TableProbe>) -> Self {
        let Played {
            game,
            score,
            mut chosen,
        } = searched;
        // The AI's move is the last move of the game.
        let position = chosen
            .as_ref()
            .map_or(*game.position(), |chosen| chosen.position);
        let known = chosen
            .as_ref()
            .map_or(Some(score), |chosen| chosen.search.known_score());
        // A move that no search has found, such as a book move, is not used to judge other moves.
        chosen = chosen.filter(|_| known.is_some() || table.is_some());
        let score = table.as_ref().map_or(known, |table| {
            Some(exact_score(table.result, position.turn(), score))
        });
        if let (Some(chosen), Some(best)) = (
            &mut chosen,
            table.as_ref().and_then(|table| table.moves.first()),
        ) && table
            .as_ref()
            .and_then(|table| result_after(table, chosen.chosen))
            != Some(best.result)
        {
            // The AI's move does not keep the table's result, so the table's best move replaces it.
            (chosen.chosen, chosen.pv) = (best.chosen, vec![best.chosen]);
        }
        Self {
            position,
            score,
            chosen,
            table,
        }
    }

    /// Returns whether a move keeps the exact result.
    fn keeps_result(&self, played: Move) -> bool {
        self.table
            .as_ref()
            .is_some_and(|table| result_after(table, played) == Some(table.result))
    }
}

fn result_after(table: &TableProbe, chosen: Move) -> Option<TableResult> {
    table
        .moves
        .iter()
        .find(|found| found.chosen == chosen)
        .map(|found| found.result)
}

impl JudgedGame {
    /// Returns the accuracy of a color in percent; `None` if the color never had a choice.
    pub fn accuracy(&self, color: Color) -> Option<f64> {
        let before = self.moves.first().map(|judged| judged.winning_chances[0]);
        let after = self.moves.iter().map(|judged| judged.winning_chances[1]);
        let chances: Vec<_> = before.into_iter().chain(after).collect();
        let weighted = self.moves.iter().zip(accuracy::weights(&chances));
        accuracy::of_side(
            weighted
                .filter(|(judged, _)| judged.position.turn() == color)
                .filter_map(|(judged, weight)| {
                    let accuracy = judged.accuracy?;
                    Some(WeightedAccuracy { accuracy, weight })
                }),
        )
    }
}

/// The time limit for a report.
#[derive(Clone, Copy, Debug)]
struct ReportTime {
    ms: u64,
    until: Instant,
}

impl ReportTime {
    fn of(ms: u64) -> Self {
        Self {
            ms,
            until: Instant::now() + Duration::from_millis(ms),
        }
    }

    /// Returns the time for one search if `at_once` of these positions are searched in parallel.
    fn share(self, positions: usize, at_once: usize) -> Duration {
        let left = self.until.saturating_duration_since(Instant::now());
        let [positions, parallel] = [positions, at_once.min(positions)]
            .map(|count| u32::try_from(count).unwrap_or(u32::MAX).max(1));
        left * parallel / positions
    }

    /// Runs the work and drops it at the deadline.
    async fn bound<T>(self, work: impl Future<Output = T>) -> Option<T> {
        timeout_at(self.until + PATIENCE, work).await.ok()
    }
}

/// The moves judged so far.
struct Judging<'a, O> {
    played: &'a [Game],
    observer: &'a O,
    games: Vec<JudgedGame>,
    /// The position before the next move.
    before: Option<Searched>,
    done: usize,
    effort: MateEffort,
}

impl<'a, O: ReportObserver> Judging<'a, O> {
    fn new(played: &'a [Game], observer: &'a O) -> Self {
        let games = played
            .iter()
            .map(|game| JudgedGame {
                moves: Vec::with_capacity(game.moves().len()),
            })
            .collect();
        Self {
            played,
            observer,
            games,
            before: None,
            done: 0,
            effort: MateEffort::default(),
        }
    }

    /// Judges the move that led to a position. The positions arrive in order.
    fn add(&mut self, (index, ply): (usize, usize), after: Searched) {
        let before = self.before.take().filter(|_| ply > 0);
        if let Some(before) = before {
            let game = &self.played[index];
            let last = match self.games[index].moves.last() {
                Some(last) => Some((last.position, last.played)),
                None => ply
                    .checked_sub(2)
                    .map(|last| (*game.until(last).position(), game.moves()[last])),
            };
            let lost_before = last.and_then(|(position, chosen)| captured(&position, chosen));
            let played = (ply, game.moves()[ply - 1]);
            let judged = judge(played, lost_before, before, &after, &mut self.effort);
            self.done += 1;
            self.observer.judged(index, &judged);
            self.games[index].moves.push(judged);
        }
        self.before = Some(after);
    }
}

/// Judges a move. A move loses nothing if the AI's search found it, whatever its score is
/// afterwards, or if it keeps a table's result.
fn judge(
    (ply, played): (usize, Move),
    lost_before: Option<Role>,
    before: Searched,
    after: &Searched,
    effort: &mut MateEffort,
) -> JudgedMove {
    let position = before.position;
    let scores = [before.score, after.score];
    let winning_chances = scores.map(|score| score.map(winning_chances));
    let keeps_result = before.keeps_result(played);
    let of_table = before
        .table
        .as_ref()
        .map_or_else(Vec::new, |table| table_claims(table, played));
    let best = before
        .chosen
        .filter(|best| best.chosen != played && !keeps_result);
    let loss = match winning_chances {
        _ if best.is_none() && before.score.is_some() => Some(0.0),
        [Some(chances_before), Some(chances_after)] => {
            Some(loss(position.turn(), chances_before, chances_after))
        }
        _ => None,
    };
    let has_choice = rules::legal_moves(&position).len() > 1;
    let judgement = loss.and_then(Judgement::of_loss).filter(|_| has_choice);
    let reply = after
        .chosen
        .as_ref()
        .map_or_else(Vec::new, |reply| reply.pv.clone());
    let about = Judged {
        before: &position,
        played,
        lost_before,
        reply: &reply,
        better: best.as_ref().map_or(&[], |best| &best.pv),
        second: &[],
        scores,
        is_bad: judgement.is_some(),
    };
    let mut claims = claims::claims(&about, effort);
    claims.extend(of_table);
    JudgedMove {
        ply,
        position,
        played,
        score: before.score,
        score_after: after.score,
        winning_chances,
        loss,
        judgement,
        best,
        accuracy: loss.filter(|_| has_choice).map(accuracy::of_move),
        reply,
        claims,
    }
}
