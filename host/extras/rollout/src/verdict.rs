//! The reasons not to promote a candidate.

use std::time::Duration;

use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};
use tournament::Hypothesis;

use crate::{settings::RolloutSettings, tallies::Tallies, times::Times};

/// The maximum ratio of the candidate's p99 to the AI's.
const MAX_SLOWDOWN: f64 = 1.2;
/// The minimum number of measured times for a 99th percentile.
const FEWEST_TIMES: u64 = 100;
/// The minimum number of faults before a candidate is removed.
const FEWEST_FAULTS: u64 = 5;

/// A kind of evidence that can prevent a promotion.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Reason {
    /// It has answered too few requests.
    Requests,
    /// It has a fault that the AI does not have.
    Faults,
    /// It is too slow.
    Time,
    /// It is weaker, or could be.
    Strength,
}

impl Reason {
    /// Returns the names of all reasons.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::VARIANTS.iter().map(Self::into_str)
    }
}

/// A reason not to promote a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromotionRefusal {
    pub reason: &'static str,
    pub detail: String,
}

impl PromotionRefusal {
    fn new(reason: Reason, detail: String) -> Self {
        Self {
            reason: reason.into_str(),
            detail,
        }
    }
}

/// Returns every reason not to promote the candidate.
pub fn refusals(tallies: &Tallies, settings: &RolloutSettings) -> Vec<PromotionRefusal> {
    let found = [
        few_requests(tallies, settings),
        other_faults(tallies),
        slower(tallies, settings),
        weaker(tallies, settings),
    ];
    found.into_iter().flatten().collect()
}

/// Returns why to remove the candidate, if it fails too often.
pub(crate) fn abortion(tallies: &Tallies, settings: &RolloutSettings) -> Option<String> {
    let (failed, asked) = (tallies.candidate.failed(), tallies.asked());
    let share = failed as f64 / (asked as f64).max(1.0);
    (failed >= FEWEST_FAULTS && share > settings.abort_above.ratio()).then(|| {
        format!(
            "it failed in {failed} of {asked} requests, and `abort_above` in [rollout] is {}",
            settings.abort_above
        )
    })
}

fn few_requests(tallies: &Tallies, settings: &RolloutSettings) -> Option<PromotionRefusal> {
    let (asked, wanted) = (tallies.asked(), settings.min_requests);
    (asked < wanted).then(|| {
        let detail = format!("it got {asked} requests; `min_requests` is {wanted}");
        PromotionRefusal::new(Reason::Requests, detail)
    })
}

fn other_faults(tallies: &Tallies) -> Option<PromotionRefusal> {
    let known = &tallies.ai.faults;
    let others = tallies.candidate.faults.iter();
    let others: Vec<_> = others
        .filter(|(code, _)| !known.contains_key(*code))
        .map(|(code, count)| format!("{code} ({count}×)"))
        .collect();
    (!others.is_empty()).then(|| {
        let detail = format!(
            "it has faults that the AI does not have: {}",
            others.join(", ")
        );
        PromotionRefusal::new(Reason::Faults, detail)
    })
}

fn slower(tallies: &Tallies, settings: &RolloutSettings) -> Option<PromotionRefusal> {
    let sides = [&tallies.ai, &tallies.candidate].map(|side| &side.times);
    let wanted = FEWEST_TIMES.min(settings.min_requests);
    let detail = match sides.map(|times| times.quantile(0.99)) {
        [Some(own), Some(other)] if sides.iter().all(|times| times.count() >= wanted) => {
            let ratio = other.as_secs_f64() / own.as_secs_f64();
            if ratio <= MAX_SLOWDOWN {
                return None;
            }
            let [own, other] = [own, other].map(in_ms);
            format!(
                "its p99 is {other} ms, {ratio:.2} times the AI's {own} ms; expected at most 1.2"
            )
        }
        _ => {
            let [own, other] = sides.map(Times::count);
            format!(
                "its p99 is not known: {other} of its searches and {own} of the AI's were \
                 measured; expected {wanted} each"
            )
        }
    };
    Some(PromotionRefusal::new(Reason::Time, detail))
}

fn weaker(tallies: &Tallies, settings: &RolloutSettings) -> Option<PromotionRefusal> {
    let state = settings.sprt.state(&tallies.strength);
    let verdict = match state.accepted {
        Some(Hypothesis::H1) => return None,
        Some(Hypothesis::H0) => "weaker",
        None => "not decided",
    };
    let detail = format!(
        "its strength is {verdict}: LLR {:.2} of {:.2} after {} pairs of games",
        state.llr,
        state.bounds.1,
        tallies.strength.pairs.iter().sum::<u32>()
    );
    Some(PromotionRefusal::new(Reason::Strength, detail))
}

/// Returns a time in milliseconds with three significant digits.
pub(crate) fn in_ms(time: Duration) -> f64 {
    let ms = time.as_secs_f64() * 1e3;
    let unit = 10_f64.powf(ms.max(1e-3).log10().floor() - 2.0);
    ((ms / unit).round() * unit * 1e6).round() / 1e6
}
