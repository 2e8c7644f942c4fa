//! The worker pool: faults, retries, queues, isolation and request options.

mod bound_limits;
pub(crate) mod faults;
mod hostile_ais;
mod isolation;
mod overridable_options;
mod priorities;
mod request_context;
mod time_limits;
pub(crate) mod workers;
