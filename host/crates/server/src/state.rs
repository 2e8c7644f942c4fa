//! The state that all requests share, and the part of it that each request uses.

pub mod admission;
pub mod body_budget;
pub mod client_rate;
pub mod client_usage;
pub mod failed_reload;
pub mod generation;
pub mod request_record;
pub mod served_requests;
pub mod server_state;
pub mod shutdown;
pub mod snapshot;
pub mod telemetry;
