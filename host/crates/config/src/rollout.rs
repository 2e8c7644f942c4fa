//! The keys of `[ai.ID]` that name a candidate for its place.

use std::{collections::BTreeMap, fmt, str::FromStr};

use crate::{
    ai::AiSettings,
    issue::Issues,
    kinds::text,
    known_ais::KnownAis,
    section::{IntoField as _, Section as _, section},
    source::shortened,
    table::Table,
};

/// A share in millionths.
const WHOLE: u32 = 1_000_000;
const SHARE: &str = "a share from \"0%\" to \"100%\", such as \"5%\" or \"0.5%\"";

section! {
    /// The candidate of an AI, and its share of the traffic.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct CandidateSettings {
        /// The AI that may replace this one; see `docs/rollouts.md`. Clients can name it only if
        /// their `allowed_ais` has it.
        id as "candidate": Option<String> =
            text("the ID of another AI, with an [ai.ID] and without a `candidate` itself")
                .optional("none")
                .example("\"quick\""),
        /// How many requests for this AI are also asked of the candidate, to compare the answers.
        /// The candidate is asked after the client has its reply, by a worker at idle priority, and
        /// not while the machine is busy.
        shadow: Share = text(SHARE).or(Share::NONE).example("\"10%\""),
        /// How many clients get the answers of the candidate. A client stays on its side until the
        /// candidate changes. If the candidate fails, this AI answers.
        canary: Share = text(SHARE).or(Share::NONE).example("\"5%\""),
    }
}

/// A part of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    millionths: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a share such as 5%")]
pub struct ParseShareError;

impl Share {
    pub const NONE: Self = Self { millionths: 0 };

    /// Returns a share of so many percent, at most 100.
    pub const fn percent(percent: u32) -> Self {
        let millionths = percent * (WHOLE / 100);
        Self {
            millionths: if millionths < WHOLE {
                millionths
            } else {
                WHOLE
            },
        }
    }

    /// Returns the share as a number from 0 to 1.
    pub fn ratio(self) -> f64 {
        f64::from(self.millionths) / f64::from(WHOLE)
    }

    /// Returns whether a hash, which is uniform over all numbers, is within the share.
    pub fn has(self, hash: u64) -> bool {
        (u128::from(hash) * u128::from(WHOLE)) >> 64 < u128::from(self.millionths)
    }
}

impl FromStr for Share {
    type Err = ParseShareError;

    fn from_str(text: &str) -> Result<Self, ParseShareError> {
        let number = text.strip_suffix('%').ok_or(ParseShareError)?;
        let is_plain = number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let percent: f64 = number.parse().map_err(|_| ParseShareError)?;
        if !is_plain || percent > 100.0 {
            return Err(ParseShareError);
        }
        Ok(Self {
            millionths: (percent / 100.0 * f64::from(WHOLE)).round() as u32,
        })
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}%",
            f64::from(self.millionths) / f64::from(WHOLE / 100)
        )
    }
}

impl AiSettings {
    /// Returns whether an AI with these settings runs as one with the others does: all but the
    /// candidate and its shares are equal.
    pub fn runs_as(&self, other: &Self) -> bool {
        let rollout = other.rollout.clone();
        Self {
            rollout,
            ..self.clone()
        } == *other
    }
}

/// Reports candidates that have no section, are the AI itself or have a candidate, and shares
/// without a candidate.
pub(crate) fn check_candidates(
    tables: &[Table<'_>],
    known: &KnownAis<'_>,
    ais: &BTreeMap<String, AiSettings>,
    issues: &mut Issues<'_>,
) {
    for table in tables {
        let Some(name) = table.text("candidate") else {
            check_shares(table, ais, issues);
            continue;
        };
        let (path, span) = (table.path_of("candidate"), table.span_of("candidate"));
        let shown = shortened(name, 64);
        let message = match tables.iter().find(|other| other.name == name) {
            None if known.contains(name) => {
                format!("`{path}` names the AI `{shown}`, which has no [ai.{shown}]")
            }
            None => {
                known.report_unknown(&path, name, &span, issues);
                continue;
            }
            Some(other) if other.name == table.name => format!("`{path}` names the AI itself"),
            Some(other) if other.get("candidate").is_some() => {
                format!("`{path}` names the AI `{shown}`, which has a candidate itself")
            }
            Some(_) => continue,
        };
        issues
            .missing(&span, &message)
            .allow(&AiSettings::allowed("candidate"));
    }
}

fn check_shares(table: &Table<'_>, ais: &BTreeMap<String, AiSettings>, issues: &mut Issues<'_>) {
    let Some(CandidateSettings {
        shadow,
        canary,
        id: None,
    }) = ais.get(table.name).map(|ai| &ai.rollout)
    else {
        return;
    };
    if table.get("candidate").is_some() {
        return;
    }
    for (key, share) in [("shadow", shadow), ("canary", canary)] {
        if *share > Share::NONE {
            let message = format!(
                "`{}` is {share}, but [ai.{}] has no candidate",
                table.path_of(key),
                table.name
            );
            issues
                .missing(&table.span_of(key), &message)
                .allow("a share beside a `candidate`");
        }
    }
}
