//! Matches as the file stores them.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMatch {
    /// The name of the client.
    pub client: String,
    pub idempotency_key: Option<String>,
    /// The request, in JSON.
    pub request: String,
    pub progress: MatchProgress,
}

/// The progress of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchProgress {
    /// The id of the match.
    pub id: String,
    /// The state, in JSON.
    pub state: String,
    pub is_finished: bool,
}
