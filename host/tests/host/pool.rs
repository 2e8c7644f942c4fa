//! The worker pool: faults, retries, queues, isolation and options of requests.

mod bound_limits;
pub(crate) mod faults;
mod hostile_ais;
mod isolation;
mod overridable_options;
mod priorities;
mod request_context;
mod time_limits;
pub(crate) mod workers;
