//! Request ids, the last fault of an AI, and metrics.

mod compression;
mod last_fault;
mod metrics;
mod request_ids;
