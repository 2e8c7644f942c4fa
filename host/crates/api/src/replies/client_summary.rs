//! A client in replies.

use std::time::SystemTime;

use serde::Serialize;
use utoipa::ToSchema;

use config::ClientSettings;

/// What the configuration says about a client.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientSummary {
    /// The id.
    pub id: String,
    /// The AI that answers when a request names none.
    pub ai: String,
    /// Whether the client has a key.
    pub has_key: bool,
    /// The number of valid keys. It is 2 while the client changes its key.
    pub keys: usize,
    /// Whether the client has `admin = true`.
    pub admin: bool,
    /// The configured rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// The configured maximum number of open requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<usize>,
    /// The time from which the client is rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// `active`, `expires_soon` (within 14 days) or `expired`, for a client that expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiry: Option<&'static str>,
}

impl ClientSummary {
    pub fn new(client: &ClientSettings, now: SystemTime) -> Self {
        let keys = client.keys().len();
        Self {
            id: client.id.clone(),
            ai: client.ai.clone(),
            has_key: keys > 0,
            keys,
            admin: client.admin,
            rate: client.rate.map(|rate| rate.to_string()),
            max_concurrent: client.max_concurrent,
            expires: client.expires.map(|expiry| expiry.to_string()),
            expiry: client.expires.map(|expiry| expiry.state(now).into()),
        }
    }
}
