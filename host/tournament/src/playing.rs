//! One game between two players, by the rules.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use ai_api::{Clocks, Color, Move, Score, ScoreKind};
use rules::{Claim, Game, Outcome};
use tokio::time::sleep;

use super::{Adjudication, Opening, Points, TimeControl, Verdict};
use game::{clock::Clock, job, legal_move, wrong_response};
use pool::{Ai, Fault, RequestContext, RetryPolicy};
use protocol::{Job, Response, SearchParams, Task};

/// What an AI may take beyond a time for the move before it is given up.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a game waits for an AI that is being started anew.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Between the end of thinking and the clock of the game, for whoever is told a time for the move.
const OVERHEAD_MS: u64 = 20;

/// What holds for every game of a match.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// What bounds the thinking.
    pub time_control: TimeControl,
    /// How much later than its flag falls a move may come, in milliseconds.
    pub margin_ms: u64,
    /// When a game is ended early.
    pub adjudication: Adjudication,
}

/// A game that is over.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// Its opening and the players' moves.
    pub game: Game,
    /// What the player said of each move, after as many empty ones as the opening has moves.
    pub comments: Vec<String>,
    /// How it ended.
    pub end: End,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Who won; none is a draw.
    pub winner: Option<Color>,
    /// Why.
    pub reason: Reason,
}

/// Why a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// By the rules.
    Rules(Outcome),
    /// By a draw that a player may claim, and every player does.
    Claim(Claim),
    /// By adjudication.
    Adjudicated(Verdict),
    /// A flag fell.
    Time,
    /// A player did something else than playing a legal move.
    Fault(Fault),
}

impl End {
    /// How the game went for a side.
    pub fn points(&self, side: Color) -> Points {
        match self.winner {
            None => Points::Draw,
            Some(winner) if winner == side => Points::Win,
            Some(_) => Points::Loss,
        }
    }

    /// The value of PGN's `Termination`.
    pub const fn termination(&self) -> &'static str {
        match &self.reason {
            Reason::Rules(_) | Reason::Claim(_) => "normal",
            Reason::Adjudicated(_) => "adjudication",
            Reason::Time => "time forfeit",
            Reason::Fault(Fault::IllegalMove(_)) => "rules infraction",
            Reason::Fault(_) => "abandoned",
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loser = match self.winner {
            Some(Color::White) => "Black",
            Some(Color::Black) => "White",
            None => "nobody",
        };
        match &self.reason {
            Reason::Rules(outcome) => outcome.fmt(f),
            Reason::Claim(Claim::ThreefoldRepetition) => f.write_str("drawn by threefold repetition"),
            Reason::Claim(Claim::FiftyMoves) => f.write_str("drawn by the 50-move rule"),
            Reason::Adjudicated(Verdict::Draw) => f.write_str("drawn by adjudication"),
            Reason::Adjudicated(Verdict::TooLong) => f.write_str("drawn by adjudication: too long"),
            Reason::Adjudicated(Verdict::Win(_)) => write!(f, "{loser} loses by adjudication"),
            Reason::Time => write!(f, "{loser} loses on time"),
            Reason::Fault(fault) => write!(f, "{loser} loses: {}: {}", fault.code(), fault.in_full()),
        }
    }
}

/// Plays a game. `players` are White and Black.
pub async fn play(players: [&Arc<Ai>; 2], opening: &Opening, terms: &Terms) -> PlayedGame {
    let mut playing = Playing::new(opening, terms);
    let end = loop {
        if let Some(end) = playing.end() {
            break end;
        }
        let turn = playing.game.position().turn();
        if let Err(reason) = playing.ply(players[turn.index()]).await {
            break End { winner: Some(!turn), reason };
        }
    };
    let Playing { game, comments, .. } = playing;
    PlayedGame { game, comments, end }
}

/// A game that goes on.
struct Playing<'a> {
    terms: &'a Terms,
    game: Game,
    comments: Vec<String>,
    /// For White, one for each ply of the players.
    scores: Vec<Score>,
    /// What stands on both clocks, where the game is played with clocks.
    clocks: [Clock; 2],
}

impl<'a> Playing<'a> {
    fn new(opening: &Opening, terms: &'a Terms) -> Self {
        let clock = match terms.time_control {
            TimeControl::Clock(control) => control.clock(),
            TimeControl::Fixed(_) => Clock::default(),
        };
        let game = opening.game.clone();
        let comments = vec![String::new(); game.moves().len() + 1];
        Self { terms, game, comments, scores: Vec::new(), clocks: [clock; 2] }
    }

    fn end(&self) -> Option<End> {
        let status = self.game.status();
        if let Some(outcome) = status.outcome {
            return Some(End { winner: outcome.winner(), reason: Reason::Rules(outcome) });
        }
        if let Some(&claim) = status.claims.first() {
            return Some(End { winner: None, reason: Reason::Claim(claim) });
        }
        let moves = self.game.moves().len() as u32 / 2;
        let verdict = self.terms.adjudication.judge(&self.scores, moves)?;
        let winner = match verdict {
            Verdict::Win(winner) => Some(winner),
            Verdict::Draw | Verdict::TooLong => None,
        };
        Some(End { winner, reason: Reason::Adjudicated(verdict) })
    }

    /// Has the player whose turn it is move.
    async fn ply(&mut self, ai: &Ai) -> Result<(), Reason> {
        let turn = self.game.position().turn();
        let (task, time_allowed) = self.task(turn, ai.about.capabilities.manages_time);
        let params = SearchParams { clocks: self.clocks(), ..SearchParams::default() };
        let job = Job { params, ..job(&self.game, task) };
        let began = Instant::now();
        let (answer, spent) = loop {
            let context =
                RequestContext { time_allowed, retry: RetryPolicy::Never, ..RequestContext::default() };
            let asked = Instant::now();
            let answer = ai.ask_with(context, job.clone(), None).await;
            match answer {
                // It was not asked yet, so its clock does not run.
                Err(Fault::Unavailable { retry_after, .. }) if began.elapsed() < LONGEST_WAIT => {
                    sleep(retry_after.min(LONGEST_WAIT)).await;
                }
                answer => break (answer, asked.elapsed()),
            }
        };
        let answer = match answer.map_err(Reason::Fault)? {
            Response::Searched(answer) => answer,
            Response::Evaluated(..) => return Err(Reason::Fault(wrong_response())),
        };
        let chosen = legal_move(&self.game, &answer).map_err(Reason::Fault)?;
        if let TimeControl::Clock(control) = self.terms.time_control {
            let clock = &mut self.clocks[turn.index()];
            *clock = control.after_move(*clock, spent, self.terms.margin_ms).ok_or(Reason::Time)?;
        }
        let score = Score::from_value(answer.score.value());
        self.advance(chosen, score, answer.depth, spent);
        Ok(())
    }

    /// Both clocks, if the game has any.
    fn clocks(&self) -> Option<Clocks> {
        let TimeControl::Clock(_) = self.terms.time_control else { return None };
        let moves_to_go = self.clocks[self.game.position().turn().index()].moves_to_go.unwrap_or(0);
        Some(Clocks {
            remaining_ms: self.clocks.map(|clock| clock.remaining_ms),
            increment_ms: self.clocks.map(|clock| clock.increment_ms),
            moves_to_go: moves_to_go.min(u64::from(u32::MAX)) as u32,
        })
    }

    fn advance(&mut self, chosen: Move, score: Score, depth: u32, spent: Duration) {
        self.game.play(chosen).expect("the move is legal and the game not over");
        self.scores.push(score);
        self.comments.push(comment(score, depth, spent));
    }

    /// What the player is asked, and the hard limit of its answer where that is another than usual.
    fn task(&self, turn: Color, manages_time: bool) -> (Task, Option<Duration>) {
        let allowed = |most_ms| Some(Duration::from_millis(most_ms) + PATIENCE);
        match self.terms.time_control {
            TimeControl::Clock(_) => {
                let clock = self.clocks[turn.index()];
                let limits = clock.limits(OVERHEAD_MS, manages_time);
                (Task::Search(limits), allowed(clock.remaining_ms + self.terms.margin_ms))
            }
            TimeControl::Fixed(limits) => (Task::Search(limits), limits.hard_ms.and_then(allowed)),
        }
    }
}

/// Score, depth and time of a move, in the form that chess programs and Lichess read: for White, in pawns.
fn comment(score: Score, depth: u32, spent: Duration) -> String {
    let eval = match score.kind() {
        ScoreKind::Centipawns(value) => format!("{:.2}", f64::from(value) / 100.0),
        ScoreKind::Mate(moves) => format!("#{moves}"),
    };
    let seconds = spent.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, spent.as_secs_f64() % 60.0);
    format!("[%eval {eval},{depth}] [%emt {hours}:{minutes:02}:{rest:06.3}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_tells_score_depth_and_time() {
        let text = comment(Score::centipawns(-34), 7, Duration::from_millis(102));
        assert_eq!(text, "[%eval -0.34,7] [%emt 0:00:00.102]");
        let text = comment(Score::mated_in_plies(5), 12, Duration::from_millis(3_723_004));
        assert_eq!(text, "[%eval #-3,12] [%emt 1:02:03.004]");
    }

    #[test]
    fn the_loser_is_named_with_the_reason() {
        let end = |winner, reason| End { winner, reason };
        let crashed = Reason::Fault(Fault::Crashed("its process was killed by signal 11".into()));
        let lost = end(Some(Color::White), crashed);
        assert_eq!(
            lost.to_string(),
            "Black loses: ai_crashed: the AI crashed: its process was killed by signal 11"
        );
        assert_eq!((lost.termination(), lost.points(Color::Black)), ("abandoned", Points::Loss));
        let late = end(Some(Color::Black), Reason::Time);
        assert_eq!((late.to_string().as_str(), late.termination()), ("White loses on time", "time forfeit"));
        let drawn = end(None, Reason::Claim(Claim::ThreefoldRepetition));
        assert_eq!((drawn.termination(), drawn.points(Color::White)), ("normal", Points::Draw));
    }
}
