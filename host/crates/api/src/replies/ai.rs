//! The AI that answers, in replies.

use std::collections::BTreeMap;

use crate::forms::options::OptionReply;
use game::{RequestedOptions, Responder};
use pool::{About, Ai};
use serde::Serialize;
use utoipa::ToSchema;

/// The AI that answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AiReply {
    /// The id.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The version.
    pub version: String,
    /// `true` if results may differ under the same depth or node limit. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub varies: Option<bool>,
    /// In a fleet, the hash of the library, the options and the files that the AI may read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The id of the unavailable AI that this fallback replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_for: Option<String>,
    /// The id of the AI whose candidate answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canary_for: Option<String>,
    /// The options that the request set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<BTreeMap<String, OptionReply>>,
}

impl AiReply {
    /// Describes an AI with its configured options.
    pub fn new(ai: &Ai) -> Self {
        let About {
            name,
            version,
            capabilities,
            ..
        } = &ai.about;
        let varies = capabilities.varies.then_some(true);
        let (id, name, version) = (ai.id.clone(), name.clone(), version.clone());
        let fingerprint = ai.fingerprint.get().map(ToString::to_string);
        Self {
            id,
            name,
            version,
            varies,
            fingerprint,
            fallback_for: None,
            canary_for: None,
            options: None,
        }
    }

    /// Describes the AI that answers a request. The request's options do not apply to a fallback.
    pub fn of(responder: Responder<'_>, options: &RequestedOptions) -> Self {
        let fallback_for = responder.fallback_for.map(str::to_owned);
        let options = if fallback_for.is_none() {
            OptionReply::map(options.set())
        } else {
            None
        };
        Self {
            fallback_for,
            canary_for: responder.canary_for.map(str::to_owned),
            options,
            ..Self::new(responder.ai)
        }
    }
}
