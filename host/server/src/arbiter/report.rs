//! Every move of a game, judged by an AI.

use std::time::Duration;

use ai_api::{Color, Move, Score};
use rules::Game;
use serde::Serialize;
use tokio::time::{Instant, timeout_at};
use utoipa::ToSchema;

use super::{
    AiReply, Arbiter, ArbiterError, AskedReply, Caller, GameReply, MoveReply, Played, ProgressEvent,
    ProgressSender, ReportForm, ScoreReply, StartReply,
    game_form::ReadGame,
    limits::{Demand, SearchLimits},
    options::AskedOptions,
    play_on,
    search_progress::Search,
    words::{GlyphWord, JudgementWord},
};
use game::judgement::{Judgement, accuracy, loss, mean, rounded, winning_chances};
use pool::{Ai, RequestContext};

/// What the last answer may take beyond the time of the report.
const PATIENCE: Duration = Duration::from_secs(1);

/// What `POST /v1/report` answers.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ReportReply {
    /// Who judged.
    pub ai: AiReply,
    /// The game.
    pub game: GameReply,
    /// Every move of it.
    pub moves: Vec<JudgedReply>,
    /// How accurate each side was.
    pub accuracy: AccuracyReply,
}

/// A move of a game, judged.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct JudgedReply {
    /// Which half-move, from 1.
    pub ply: usize,
    /// The move.
    #[serde(rename = "move")]
    pub played: MoveReply,
    /// What the position before it was worth, for White.
    pub score: ScoreReply,
    /// What the position after it was worth, for White.
    pub score_after: ScoreReply,
    /// White's chances of winning.
    pub winning_chances: WinningChancesReply,
    /// The points of winning chance that its side lost by it.
    pub loss: f64,
    /// What it was called; none of a move that was not bad, or the only one.
    #[schema(required, value_type = Option<JudgementWord>)]
    pub judgement: Option<&'static str>,
    /// The same as a mark.
    #[schema(required, value_type = Option<GlyphWord>)]
    pub glyph: Option<&'static str>,
    /// What the AI would have played, if that is another move.
    #[schema(required)]
    pub best: Option<BestReply>,
    /// How accurate it was, in percent; none of the only move.
    #[schema(required)]
    pub accuracy: Option<f64>,
}

/// White's chances of winning, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct WinningChancesReply {
    /// Before the move.
    pub before: f64,
    /// After it.
    pub after: f64,
}

/// What would have been best.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BestReply {
    /// The move.
    #[serde(rename = "move")]
    pub chosen: MoveReply,
    /// The line of play, in UCI.
    pub pv: Vec<String>,
    /// The same in SAN.
    pub san: Vec<String>,
}

/// How accurate each side was: the mean of its moves, in percent; none where it had no choice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct AccuracyReply {
    /// White.
    #[schema(required)]
    pub white: Option<f64>,
    /// Black.
    #[schema(required)]
    pub black: Option<f64>,
}

/// A move as it is told, with how far the report has come.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct JudgedRecord {
    /// The move.
    #[serde(flatten)]
    pub judged: JudgedReply,
    /// How many are judged.
    pub done: usize,
    /// How many there are.
    pub of: usize,
}

impl Arbiter {
    /// Has an AI judge every move of a game: it is asked about each position, one after another. Before each but the first
    /// `turn` is waited for. The time that a report may take is shared out evenly among the positions that are left.
    ///
    /// # Errors
    /// The game is not valid, the AI may not be used, a fault of the AI, or the time is over.
    pub async fn report(
        &self,
        client: &Caller,
        form: &ReportForm,
        turn: impl AsyncFn(),
        progress: Option<&ProgressSender>,
    ) -> Result<ReportReply, ArbiterError> {
        let ReadGame { game, assumptions } = form.game.read(self.server().max_plies)?;
        let ai = self.choose(client, form.ai.as_deref())?;
        let demand = form.demand()?;
        let options = AskedOptions::read(form.options.as_ref(), ai)?;
        let game_reply = GameReply::new(&game, assumptions);
        let of = game.moves().len();
        let listener = |so_far: &Game, limits: &SearchLimits| {
            progress.map(|progress| progress.listener(Search::new(so_far.clone(), limits).at_its_ply()))
        };
        let starts = |ai: &Ai, asked: &AiReply, limits: &SearchLimits| {
            // Without what each position may take of the whole time.
            let limit = demand.of(ai, client).held();
            let asked = AskedReply::One { ai: asked.clone(), limit };
            progress?.starts(StartReply { asked, game: game_reply.clone(), of: Some(of) });
            listener(&Game::new(*game.start()), limits)
        };
        if of == 0 {
            // There is nothing to ask.
            starts(ai, &AiReply::new(ai).with_options(&options), &demand.of(ai, client));
            let (moves, accuracy) = (Vec::new(), AccuracyReply { white: None, black: None });
            let ai = AiReply::new(ai).with_options(&options);
            return Ok(ReportReply { ai, game: game_reply, moves, accuracy });
        }
        let time = ReportTime::of(self.server().report_timeout_ms);
        let mut so_far = Game::new(*game.start());
        let share = time.share(of + 1);
        // From now on the AI is whoever answers: its fallback, where it is not available.
        let first_demand = Demand { at_most: Some(share), ..demand };
        let first = self.play_on(client, ai, &so_far, first_demand, &options, starts);
        let (mut before, judge) = time.bound(first, 0, of).await??;
        let ai = self.find_ai(&judge.id)?;
        let mut moves = Vec::with_capacity(of);
        for (ply, &played) in (1..).zip(game.moves()) {
            let judged_in = so_far.clone();
            so_far
                .play(played)
                .map_err(|_| ArbiterError::Internal("a move of a valid game could not be played"))?;
            let look = async {
                // A game that is over needs no AI.
                if so_far.status().outcome.is_none() {
                    turn().await;
                }
                let demand = Demand { at_most: Some(time.share(of + 1 - ply)), ..demand };
                let limits = demand.of(ai, client);
                let listen = || listener(&so_far, &limits);
                play_on(
                    RequestContext::of(client.requester.clone()),
                    ai,
                    so_far.clone(),
                    &options,
                    limits,
                    listen,
                )
                .await
            };
            let after = time.bound(look, ply - 1, of).await??;
            let judged = judge_move(&judged_in, played, &before, after.score);
            if let Some(progress) = progress {
                let record = JudgedRecord { judged: judged.clone(), done: ply, of };
                progress.tells(ProgressEvent::Judged(Box::new(record)));
            }
            moves.push(judged);
            before = after;
        }
        let accuracy = AccuracyReply::of(&moves, game.start().turn());
        Ok(ReportReply { ai: judge, game: game_reply, moves, accuracy })
    }
}

/// The time that a report may take.
#[derive(Clone, Copy, Debug)]
struct ReportTime {
    ms: u64,
    until: Instant,
}

impl ReportTime {
    fn of(ms: u64) -> Self {
        Self { ms, until: Instant::now() + Duration::from_millis(ms) }
    }

    /// The part of one of the positions that are left.
    fn share(self, positions: usize) -> Duration {
        let left = self.until.saturating_duration_since(Instant::now());
        left / u32::try_from(positions).unwrap_or(u32::MAX).max(1)
    }

    /// Work that is given up when the time is over.
    async fn bound<T>(
        self,
        work: impl Future<Output = T>,
        done: usize,
        of: usize,
    ) -> Result<T, ArbiterError> {
        let out_of_time = |_| ArbiterError::ReportTimeout { time_ms: self.ms, done, of };
        timeout_at(self.until + PATIENCE, work).await.map_err(out_of_time)
    }
}

/// Judges a move by what the AI found before and after it. What it would have played itself loses nothing, whatever it
/// thinks of it afterwards.
fn judge_move(game: &Game, played: Move, before: &Played, after: Score) -> JudgedReply {
    let position = game.position();
    let chances = [before.score, after].map(winning_chances);
    let best = before.chosen.filter(|(_, chosen)| *chosen != played);
    let loss = if best.is_some() { loss(position.turn(), chances[0], chances[1]) } else { 0.0 };
    let has_choice = rules::legal_moves(position).len() > 1;
    let judgement = Judgement::of_loss(loss).filter(|_| has_choice);
    let best = best.map(|(position, chosen)| BestReply {
        chosen: MoveReply::new(&position, chosen),
        pv: before.search.pv.clone(),
        san: before.search.san.clone(),
    });
    JudgedReply {
        ply: game.moves().len() + 1,
        played: MoveReply::new(position, played),
        score: before.score.into(),
        score_after: after.into(),
        winning_chances: WinningChancesReply { before: rounded(chances[0]), after: rounded(chances[1]) },
        loss,
        judgement: judgement.map(Judgement::name),
        glyph: judgement.map(Judgement::glyph),
        best,
        accuracy: has_choice.then(|| accuracy(loss)),
    }
}

impl AccuracyReply {
    fn of(moves: &[JudgedReply], first: Color) -> Self {
        let of = |color: Color| {
            let own = moves.iter().skip(usize::from(color != first)).step_by(2);
            mean(own.filter_map(|judged| judged.accuracy))
        };
        Self { white: of(Color::White), black: of(Color::Black) }
    }
}
