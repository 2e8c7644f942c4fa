//! The counts for an AI and its candidate.

use std::collections::BTreeMap;

use game::{AnsweredRequest, MoveAnswer, Origin, RolloutAnswer, RolloutSide, StoppedBy};
use pool::{Fault, FaultCode};
use serde::{Deserialize, Serialize};
use tournament::{GameResult, Tally};

use crate::times::Times;

/// The upper bounds of the classes of score differences, in centipawns. The last class has none.
pub(crate) const SCORE_ENDS: [i32; 8] = [-300, -100, -50, -20, 20, 50, 100, 300];
/// Scores are clamped to this many centipawns before they are compared.
const MAX_SCORE: i32 = 1000;

/// The counts for an AI and its candidate, without positions or names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tallies {
    pub ai: TrafficSide,
    pub candidate: TrafficSide,
    pub shadow: ShadowCounts,
    pub comparison: AnswerComparison,
    /// The candidate's games against the AI.
    pub strength: Tally,
}

/// The counts for the AI or for the candidate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrafficSide {
    /// The number of requests sent to it, without shadow requests.
    pub requests: u64,
    /// The number of requests that did not reach it because its circuit breaker was open or its
    /// queue was full.
    pub rejected: u64,
    /// The number of faults by code, including faults in shadow requests.
    pub faults: BTreeMap<String, u64>,
    /// The times of undisturbed searches.
    pub times: Times,
}

/// The copied requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShadowCounts {
    pub asked: u64,
    /// The number of copies dropped because the machine was busy or too many were waiting.
    pub dropped: u64,
}

/// A comparison of both answers to the same requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerComparison {
    pub moves: u64,
    pub agreed: u64,
    /// The number of score differences in each class. A difference is positive if the candidate's
    /// score is higher for the side to move.
    pub scores: [u64; SCORE_ENDS.len() + 1],
    /// The requests for which a time limit ended both searches: their number, and the sums of the
    /// depths and nodes of the AI and the candidate.
    pub timed: u64,
    pub depths: [u64; 2],
    pub nodes: [u64; 2],
}

impl Tallies {
    /// Returns the number of requests sent to the candidate.
    pub const fn asked(&self) -> u64 {
        self.candidate.requests + self.shadow.asked
    }

    /// Counts a client's request.
    pub(crate) fn add(&mut self, request: &AnsweredRequest) {
        let side = match request.side {
            RolloutSide::Ai => &mut self.ai,
            RolloutSide::Candidate => &mut self.candidate,
        };
        match &request.answer {
            Err(fault) if is_rejection(fault) => side.rejected += 1,
            Err(fault) => {
                side.requests += 1;
                side.add_fault(fault);
            }
            Ok(answer) => {
                side.requests += 1;
                if let RolloutAnswer::Move(MoveAnswer {
                    origin: Origin::Searched,
                    time,
                    ..
                }) = answer
                {
                    side.times.add(*time);
                }
            }
        }
    }

    /// Counts the candidate's answer to a copied request. The time of a disturbed search is
    /// ignored.
    pub(crate) fn add_shadow(
        &mut self,
        request: &AnsweredRequest,
        answer: &Result<RolloutAnswer, Fault>,
        is_disturbed: bool,
    ) {
        match answer {
            Err(fault) if is_rejection(fault) => {
                self.shadow.dropped += 1;
                return;
            }
            Err(fault) => self.candidate.add_fault(fault),
            Ok(RolloutAnswer::Move(answer)) => {
                if !is_disturbed {
                    self.candidate.times.add(answer.time);
                }
                if let Ok(RolloutAnswer::Move(own)) = &request.answer {
                    let sign = request.game.position().turn().sign();
                    self.comparison.add(own, answer, sign);
                }
            }
            Ok(RolloutAnswer::Score(_)) => {}
        }
        self.shadow.asked += 1;
    }

    /// Counts a pair of the candidate's games.
    pub(crate) fn add_pair(&mut self, [first, second]: [GameResult; 2]) {
        self.strength.add(first);
        self.strength.add(second);
        self.strength.add_pair(first, second);
    }
}

impl TrafficSide {
    fn add_fault(&mut self, fault: &Fault) {
        *self.faults.entry(fault.code().to_string()).or_default() += 1;
    }

    /// Returns how often it failed.
    pub fn failed(&self) -> u64 {
        self.faults.values().sum()
    }
}

impl AnswerComparison {
    fn add(&mut self, own: &MoveAnswer, other: &MoveAnswer, sign: i32) {
        self.moves += 1;
        self.agreed += u64::from(own.chosen == other.chosen);
        if let (Some(own), Some(other)) = (own.score, other.score) {
            let [own, other] = [own, other].map(|score| score.value().clamp(-MAX_SCORE, MAX_SCORE));
            let difference = (other - own) * sign;
            let class = SCORE_ENDS.iter().position(|end| difference < *end);
            self.scores[class.unwrap_or(SCORE_ENDS.len())] += 1;
        }
        let both = [own, other];
        if both
            .iter()
            .all(|answer| answer.stopped_by == StoppedBy::Movetime)
        {
            self.timed += 1;
            for (index, answer) in both.into_iter().enumerate() {
                self.depths[index] += u64::from(answer.depth);
                self.nodes[index] += answer.nodes;
            }
        }
    }
}

/// Returns whether a fault says nothing about the AI because the request did not reach it.
pub(crate) fn is_rejection(fault: &Fault) -> bool {
    matches!(fault, Fault::BlockedRequest { .. })
        || matches!(
            fault.code(),
            FaultCode::AiUnavailable | FaultCode::QueueFull | FaultCode::Internal
        )
}
