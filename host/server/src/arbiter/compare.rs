//! Several AIs on one position, side by side.

use std::sync::Arc;

use ai_api::Move;
use futures_util::stream::{self, StreamExt as _};
use rules::Game;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    AiReply, Arbiter, ArbiterError, AskedAiReply, AskedReply, Caller, CompareForm, GameReply, Malformed,
    MoveReply, Played, ProgressEvent, ProgressSender, ScoreReply, SearchReply, StartReply,
    game_form::ReadGame, limits::Demand, options::AskedOptions, play_on, search_progress::Search,
};
use config::ClientSettings;
use pool::{Ai, RequestContext};

/// What several AIs say.
#[derive(Debug)]
pub struct Comparison {
    /// The game so far.
    pub game: GameReply,
    /// What each says, in the order in which they were named.
    pub answers: Vec<Arc<Answered>>,
    /// The moves that were chosen, those that most chose first.
    pub agreement: Vec<AgreementReply>,
}

/// What one of several AIs says.
#[derive(Debug)]
pub struct Answered {
    /// The AI.
    pub ai: AiReply,
    /// Its move, or why there is none.
    pub outcome: Result<ChosenReply, ArbiterError>,
}

/// The move of one of several AIs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ChosenReply {
    /// The move; none where the game is over.
    #[serde(rename = "move")]
    #[schema(required)]
    pub chosen: Option<MoveReply>,
    /// What it leads to, for White.
    pub score: ScoreReply,
    /// How it was found.
    pub search: SearchReply,
}

/// A move, and who chose it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AgreementReply {
    /// The move.
    #[serde(rename = "move")]
    pub chosen: MoveReply,
    /// The AIs.
    pub ais: Vec<String>,
}

impl Arbiter {
    /// Asks several AIs for their moves, so many at a time. One that fails leaves the others' answers as they are, and no
    /// other one answers in its place.
    ///
    /// # Errors
    /// The game is not valid, or not each of the AIs may be used. What becomes of one that is asked is its answer.
    pub async fn compare(
        &self,
        client: &Caller,
        form: &CompareForm,
        at_a_time: usize,
        progress: Option<&ProgressSender>,
    ) -> Result<Comparison, ArbiterError> {
        let ReadGame { game, assumptions } = form.game.read(self.server().max_plies)?;
        let ais = self.choose_several(client, &form.ais)?;
        let demand = form.demand()?;
        let game_reply = GameReply::new(&game, assumptions);
        if let Some(progress) = progress {
            let asked = |ai: &&Ai| AskedAiReply { ai: AiReply::new(ai), limit: demand.of(ai, client).held() };
            let asked = AskedReply::Several { ais: ais.iter().map(asked).collect() };
            progress.starts(StartReply { asked, game: game_reply.clone(), of: None });
        }
        let game = &game;
        let asking = ais
            .into_iter()
            .enumerate()
            .map(|(place, ai)| async move { (place, ask(ai, place, client, game, demand, progress).await) });
        let mut answers: Vec<_> = stream::iter(asking).buffer_unordered(at_a_time.max(1)).collect().await;
        answers.sort_by_key(|(place, _)| *place);
        let answers: Vec<_> = answers.into_iter().map(|(_, answered)| answered).collect();
        Ok(Comparison { game: game_reply, agreement: agreement(&answers), answers })
    }

    /// The AIs of these ids, each once.
    fn choose_several(&self, client: &ClientSettings, ids: &[String]) -> Result<Vec<&Ai>, ArbiterError> {
        if ids.is_empty() {
            let detail =
                "'ais' names no AI; name those to be compared, as in [\"basic1\", \"stockfish\"]".into();
            return Err(Malformed { pointer: "/ais".into(), detail }.into());
        }
        let choose = |(place, id): (usize, &String)| {
            let ai = self.choose(client, Some(id))?;
            if ids[..place].contains(id) {
                let detail = format!("'ais' names the AI '{id}' twice; name each once");
                return Err(Malformed { pointer: format!("/ais/{place}"), detail }.into());
            }
            Ok(ai)
        };
        ids.iter().enumerate().map(choose).collect()
    }
}

async fn ask(
    ai: &Ai,
    place: usize,
    client: &Caller,
    game: &Game,
    demand: Demand,
    progress: Option<&ProgressSender>,
) -> Arc<Answered> {
    let limits = demand.of(ai, client);
    let listen = || {
        progress.map(|progress| progress.listener(Search::new(game.clone(), &limits).of_ai(ai.id.clone())))
    };
    let (context, options) = (RequestContext::of(client.requester.clone()), AskedOptions::default());
    let played = play_on(context, ai, game.clone(), &options, limits, listen).await;
    let outcome = played.map(ChosenReply::from).map_err(|error| match error {
        // Which of them it is.
        ArbiterError::Malformed(Malformed { pointer, detail }) if pointer == "/ai" => {
            Malformed { pointer: format!("/ais/{place}"), detail }.into()
        }
        error => error,
    });
    let answered = Arc::new(Answered { ai: AiReply::new(ai), outcome });
    if let Some(progress) = progress {
        progress.tells(ProgressEvent::Answered(Arc::clone(&answered)));
    }
    answered
}

impl From<Played> for ChosenReply {
    fn from(played: Played) -> Self {
        let Played { chosen, score, search, .. } = played;
        let chosen = chosen.map(|(position, chosen): (_, Move)| MoveReply::new(&position, chosen));
        Self { chosen, score: score.into(), search }
    }
}

/// Who agrees with whom.
fn agreement(answers: &[Arc<Answered>]) -> Vec<AgreementReply> {
    let mut agreement = Vec::<AgreementReply>::new();
    for answered in answers {
        let Ok(ChosenReply { chosen: Some(chosen), .. }) = &answered.outcome else { continue };
        let ai = answered.ai.id.clone();
        match agreement.iter_mut().find(|agreed| agreed.chosen.uci == chosen.uci) {
            Some(agreed) => agreed.ais.push(ai),
            None => agreement.push(AgreementReply { chosen: chosen.clone(), ais: vec![ai] }),
        }
    }
    // The first of equals stays first.
    agreement.sort_by_key(|agreed| std::cmp::Reverse(agreed.ais.len()));
    agreement
}
