//! The share of an AI's traffic that goes to its candidate.

use std::sync::Arc;

use config::{CanaryChoice, TrafficShare};
use library::sha256::Sha256Sum;
use pool::{Ai, ClientIdentity, RequestScope};
use rules::Game;

use crate::{
    answered::{AnsweredRequest, PendingReply, RolloutAnswer, RolloutQuestion, RolloutSide},
    client::Client,
    error::ServiceError,
    observers::Observers,
    options::RequestedOptions,
    responder::Responder,
};

/// An AI with a candidate, and which of the two a client gets.
pub(crate) struct Rollout<'a, 'c> {
    observers: &'a Observers,
    client: &'c Client,
    ai: &'a Arc<Ai>,
    candidate: &'a Arc<Ai>,
    /// The candidate's options; `None` if the client gets the AI's answers.
    canary_options: Option<RequestedOptions>,
}

impl<'a, 'c> Rollout<'a, 'c> {
    pub(crate) fn new(
        (ai, candidate): (&'a Arc<Ai>, &'a Arc<Ai>),
        canary: TrafficShare,
        client: &'c Client,
        options: &RequestedOptions,
        observers: &'a Observers,
    ) -> Self {
        let is_canary = is_canary(client, canary, identity_of(candidate));
        let canary_options = is_canary
            .then(|| options_for(candidate, ai, options))
            .flatten();
        Self {
            observers,
            client,
            ai,
            candidate,
            canary_options,
        }
    }

    /// Returns the candidate and its options if it answers the request.
    pub(crate) fn canary(&self) -> Option<(Responder<'a>, &RequestedOptions)> {
        let options = self.canary_options.as_ref()?;
        let responder = Responder {
            ai: self.candidate,
            fallback_for: None,
            canary_for: Some(&self.ai.id),
        };
        Some((responder, options))
    }

    /// Tells the extras about an answer or a fault, unless a fallback answered.
    pub(crate) fn tell<T>(
        &self,
        responder: Responder<'_>,
        game: &Game,
        question: RolloutQuestion,
        answer: Result<&T, &ServiceError>,
        shown: impl Fn(&T) -> RolloutAnswer,
    ) {
        let answer = match answer {
            Ok(answer) => Ok(shown(answer)),
            Err(ServiceError::Fault { fault, .. }) => Err(fault.clone()),
            Err(_) => return,
        };
        if responder.fallback_for.is_some() {
            return;
        }
        self.observers.tell(AnsweredRequest {
            id: RequestScope::current_id(),
            client: self.client.clone(),
            ai: Arc::clone(self.ai),
            candidate: Arc::clone(self.candidate),
            side: if responder.canary_for.is_some() {
                RolloutSide::Candidate
            } else {
                RolloutSide::Ai
            },
            game: game.clone(),
            question,
            answer,
            reply: PendingReply::of_current(),
        });
    }
}

/// Returns the hash by which clients are assigned to the candidate or to its AI. Each version of a
/// candidate has a different hash.
pub fn identity_of(candidate: &Ai) -> Sha256Sum {
    candidate
        .known_fingerprint()
        .unwrap_or(candidate.library_sha256)
}

/// Returns whether the candidate answers a client. A request without a name is assigned by its
/// address. Otherwise all anonymous clients would be on one side.
fn is_canary(client: &Client, share: TrafficShare, candidate: Sha256Sum) -> bool {
    match client.canary {
        CanaryChoice::Always => true,
        CanaryChoice::Never => false,
        CanaryChoice::Share if share == TrafficShare::NONE => false,
        CanaryChoice::Share => {
            let name = match &client.identity {
                ClientIdentity::Keyless(address) if client.is_default() => {
                    format!("{} {address}", client.id)
                }
                _ => client.id.clone(),
            };
            let hash = Sha256Sum::of(format!("{candidate} {name}").as_bytes());
            let [first, ..] = hash.as_bytes().as_chunks::<8>().0 else {
                return false;
            };
            share.has(u64::from_be_bytes(*first))
        }
    }
}

/// Returns a request's options for the candidate, if the candidate has the same options and lets
/// requests set them.
fn options_for(candidate: &Ai, ai: &Ai, options: &RequestedOptions) -> Option<RequestedOptions> {
    let spec = |of: &Ai, name: &str| {
        let mut specs = of.about.options.iter();
        specs.find(|spec| spec.name == name).cloned()
    };
    let is_open = |name: &String| candidate.settings.overridable_options.contains(name);
    let has = |name: &String| is_open(name) && spec(candidate, name) == spec(ai, name);
    let set = options.set();
    set.iter()
        .all(|option| has(&option.name))
        .then(|| RequestedOptions::new(set.to_vec(), candidate.options()))
}
