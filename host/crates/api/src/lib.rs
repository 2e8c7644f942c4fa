//! The calls: their forms, replies, errors and schemas, and the functions that answer them.
//!
//! This crate does not depend on HTTP. `server` serves the calls over HTTP. The command line and
//! the MCP server use them directly.

pub mod call;
pub mod calls;
pub mod choice;
pub mod error;
pub mod forms;
pub mod json;
pub mod openapi;
pub mod problem;
pub mod progress;
pub mod query;
pub mod query_form;
pub mod record;
pub mod record_queue;
pub mod replay;
pub mod replies;
pub mod reply;
pub mod schemas;
pub mod search_progress;
pub mod served_request;
pub mod words;

mod explained;
mod problem_schema;
mod theory;
