//! What the calls mean: their forms, replies, errors and schemas, and what answers them.
//!
//! Knows no HTTP. `server` carries the calls; the command and assistants use them directly.

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
