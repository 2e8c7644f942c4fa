//! What all requests share, and what each request sees of it.

pub(crate) mod admission;
pub(crate) mod body_budget;
pub(crate) mod client_rate;
pub(crate) mod client_usage;
pub(crate) mod failed_reload;
pub(crate) mod generation;
pub(crate) mod request_record;
pub(crate) mod served_requests;
pub(crate) mod server_state;
pub(crate) mod shutdown;
pub(crate) mod snapshot;
pub(crate) mod telemetry;
