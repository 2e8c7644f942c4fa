//! The reply of `GET /v1/rollouts`.

use std::collections::BTreeMap;

use api::words::rfc3339;
use serde::Serialize;
use serde_json::Value;
use tournament::{EloEstimate, Hypothesis, Sprt, Tally};
use utoipa::ToSchema;

use crate::{
    fault_log::KeptFault,
    settings::RolloutSettings,
    state::{RolloutState, RunningRollout},
    tallies::{AnswerComparison, SCORE_ENDS, ShadowCounts, TrafficSide},
    verdict::{PromotionRefusal, in_ms, refusals},
};

/// The reply of `GET /v1/rollouts`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RolloutsReply {
    /// The AIs that have a candidate, sorted by id.
    rollouts: Vec<RolloutReply>,
}

/// An AI with its candidate.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RolloutReply {
    /// The id of the AI.
    ai: String,
    /// The id of its candidate.
    candidate: String,
    /// The share of requests that are copied to the candidate.
    shadow: String,
    /// The share of the clients that get the candidate's answers.
    canary: String,
    /// When this server began to count (RFC 3339). Counts from the arena's file can be older.
    since: String,
    /// `arena` if the arena's file keeps the counts, or `memory`.
    #[schema(value_type = KeptInWord)]
    kept_in: &'static str,
    /// Why counts are in memory only, and other notes for operators.
    notes: Vec<String>,
    /// The requests to the AI and to the candidate.
    sides: SidesReply,
    /// The copied requests.
    copies: CopiesReply,
    /// A comparison of both answers to the same requests.
    comparison: ComparisonReply,
    /// The candidate's games against the AI, or `null` without an arena.
    #[schema(required)]
    strength: Option<StrengthReply>,
    /// The reasons not to promote it yet.
    refusals: Vec<RefusalReply>,
    /// The first faults of each code, with `details` for operators.
    faults: Vec<RolloutFaultReply>,
    /// The requests that caused `faults`, as in `GET /v1/requests/{request_id}`. `rookery replay`
    /// repeats them.
    #[schema(value_type = Vec<Object>)]
    requests: Vec<Value>,
}

api::words! {
    /// Where counts are kept.
    KeptInWord as "KeptIn": ["arena", "memory"];
    /// The result of a strength test.
    HypothesisWord as "SprtHypothesis": ["not_weaker", "weaker"];
}

/// An AI and its candidate.
#[derive(Debug, Serialize, ToSchema)]
struct SidesReply {
    /// The AI.
    ai: SideReply,
    /// The candidate.
    candidate: SideReply,
}

/// The requests to the AI or to the candidate.
#[derive(Debug, Serialize, ToSchema)]
struct SideReply {
    /// The number of clients' requests.
    requests: u64,
    /// The number of requests that did not reach it because its circuit breaker was open or its
    /// queue was full.
    rejected: u64,
    /// The number of faults by code, including faults in copied requests.
    faults: BTreeMap<String, u64>,
    /// The number of searches whose time was measured.
    measured: u64,
    /// The median search time in milliseconds.
    #[schema(required)]
    p50_ms: Option<f64>,
    /// The 99th percentile of search times in milliseconds.
    #[schema(required)]
    p99_ms: Option<f64>,
}

/// Copied requests.
#[derive(Debug, Serialize, ToSchema)]
struct CopiesReply {
    /// The number of copies sent to the candidate.
    asked: u64,
    /// The number of copies dropped because the machine was busy or too many were waiting.
    dropped: u64,
}

/// The answers to the same requests.
#[derive(Debug, Serialize, ToSchema)]
struct ComparisonReply {
    /// The number of compared moves.
    moves: u64,
    /// The number of equal moves.
    agreed: u64,
    /// How much higher the candidate's scores are, for the side to move.
    score_differences: Vec<ScoreClassReply>,
    /// The requests for which a time limit ended both searches, or `null` if there are none.
    #[schema(required)]
    equal_time: Option<EqualTimeReply>,
}

/// A class of score differences.
#[derive(Debug, Serialize, ToSchema)]
struct ScoreClassReply {
    /// The lowest difference in centipawns, or `null` for everything below `to_cp`.
    #[schema(required)]
    from_cp: Option<i32>,
    /// The upper end of the class, or `null` for everything from `from_cp`.
    #[schema(required)]
    to_cp: Option<i32>,
    /// The number of compared moves in this class.
    count: u64,
}

/// The requests for which a time limit ended both searches.
#[derive(Debug, Serialize, ToSchema)]
struct EqualTimeReply {
    /// The number of searches.
    searches: u64,
    /// The mean depths of the AI and the candidate, in that order.
    depth: [f64; 2],
    /// The mean nodes of the AI and the candidate, in this order.
    nodes: [f64; 2],
}

/// The strength of a candidate.
#[derive(Debug, Serialize, ToSchema)]
struct StrengthReply {
    /// The candidate's results.
    results: Tally,
    /// The difference from the AI, or `null` before the first pair.
    #[schema(required)]
    elo: Option<EloEstimate>,
    /// The two Elo differences that the test compares.
    sprt: [f64; 2],
    /// The log-likelihood ratio of the second difference to the first.
    llr: f64,
    /// The ratios at which the test ends.
    bounds: [f64; 2],
    /// The result of the test, or `null` while it continues.
    #[schema(required, value_type = Option<HypothesisWord>)]
    accepted: Option<&'static str>,
    /// The number of positions that wait for a pair of games.
    positions: usize,
}

/// A reason not to promote the candidate yet.
#[derive(Debug, Serialize, ToSchema)]
struct RefusalReply {
    /// `requests`, `faults`, `time` or `strength`.
    reason: &'static str,
    /// The figures.
    detail: String,
}

/// A fault of a candidate.
#[derive(Debug, Serialize, ToSchema)]
struct RolloutFaultReply {
    /// The code.
    code: String,
    /// The description.
    detail: String,
}

impl RolloutsReply {
    pub(crate) fn of(state: &RolloutState) -> Self {
        let settings = state.settings();
        let has_arena = state.arena.is_some();
        let running = state.running();
        let rollouts = running
            .iter()
            .map(|(ai, rollout)| RolloutReply::of(ai, rollout, &settings, has_arena));
        Self {
            rollouts: rollouts.collect(),
        }
    }
}

impl RolloutReply {
    fn of(ai: &str, rollout: &RunningRollout, settings: &RolloutSettings, has_arena: bool) -> Self {
        let tallies = &rollout.tallies;
        let faults = rollout.faults.iter();
        Self {
            ai: ai.to_owned(),
            candidate: rollout.settings.id.clone().unwrap_or_default(),
            shadow: rollout.settings.shadow.to_string(),
            canary: rollout.settings.canary.to_string(),
            since: rfc3339(rollout.since),
            kept_in: if rollout.not_kept.is_none() {
                "arena"
            } else {
                "memory"
            },
            notes: [&rollout.not_kept, &rollout.note]
                .into_iter()
                .flatten()
                .cloned()
                .collect(),
            sides: SidesReply {
                ai: SideReply::of(&tallies.ai),
                candidate: SideReply::of(&tallies.candidate),
            },
            copies: CopiesReply::from(tallies.shadow),
            comparison: ComparisonReply::of(&tallies.comparison),
            strength: has_arena.then(|| {
                let positions = rollout.positions.waiting();
                StrengthReply::of(&tallies.strength, settings.sprt, positions)
            }),
            refusals: refusals(tallies, settings)
                .into_iter()
                .map(Into::into)
                .collect(),
            requests: faults.clone().map(KeptFault::request).collect(),
            faults: faults.map(Into::into).collect(),
        }
    }
}

impl From<PromotionRefusal> for RefusalReply {
    fn from(PromotionRefusal { reason, detail }: PromotionRefusal) -> Self {
        Self { reason, detail }
    }
}

impl From<&KeptFault> for RolloutFaultReply {
    fn from(fault: &KeptFault) -> Self {
        Self {
            code: fault.code.clone(),
            detail: fault.detail.clone(),
        }
    }
}

impl SideReply {
    fn of(side: &TrafficSide) -> Self {
        let quantile = |share| side.times.quantile(share).map(in_ms);
        Self {
            requests: side.requests,
            rejected: side.rejected,
            faults: side.faults.clone(),
            measured: side.times.count(),
            p50_ms: quantile(0.5),
            p99_ms: quantile(0.99),
        }
    }
}

impl From<ShadowCounts> for CopiesReply {
    fn from(ShadowCounts { asked, dropped }: ShadowCounts) -> Self {
        Self { asked, dropped }
    }
}

impl ComparisonReply {
    fn of(comparison: &AnswerComparison) -> Self {
        let mut starts = vec![None];
        starts.extend(SCORE_ENDS.map(Some));
        let ends = SCORE_ENDS.map(Some).into_iter().chain([None]);
        let classes = starts.into_iter().zip(ends).zip(comparison.scores);
        let mean = |sums: [u64; 2]| sums.map(|sum| sum as f64 / comparison.timed as f64);
        Self {
            moves: comparison.moves,
            agreed: comparison.agreed,
            score_differences: classes
                .map(|((from_cp, to_cp), count)| ScoreClassReply {
                    from_cp,
                    to_cp,
                    count,
                })
                .collect(),
            equal_time: (comparison.timed > 0).then(|| EqualTimeReply {
                searches: comparison.timed,
                depth: mean(comparison.depths),
                nodes: mean(comparison.nodes),
            }),
        }
    }
}

impl StrengthReply {
    fn of(results: &Tally, sprt: Sprt, positions: usize) -> Self {
        let state = sprt.state(results);
        Self {
            results: *results,
            elo: EloEstimate::of(results),
            sprt: [sprt.elo0, sprt.elo1],
            llr: state.llr,
            bounds: [state.bounds.0, state.bounds.1],
            accepted: state.accepted.map(|accepted| match accepted {
                Hypothesis::H0 => "weaker",
                Hypothesis::H1 => "not_weaker",
            }),
            positions,
        }
    }
}
