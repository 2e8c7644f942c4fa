//! The calls. A module has the form, handler, reply, document entry and example of one call; what
//! several calls share is beside them.

pub mod ais;
pub mod best_move;

pub mod blogchess;
pub mod call;
pub mod choice;
pub mod clients;
pub mod compare;
pub mod evaluate;
pub mod forms;
pub mod legal_moves;
pub mod progress;
pub mod record;
pub mod replies;
pub mod report;
pub mod schemas;
pub mod search_progress;
pub mod validate;

pub(crate) mod docs;
pub(crate) mod openapi;
pub(crate) mod problem_schema;

mod attacks;
mod batch;
pub(crate) mod board;
mod book;
mod convert;
mod health;
mod levels;
mod metrics;
mod page;
pub(crate) mod reachable;
mod served_request;
pub(crate) mod tablebase;
pub(crate) mod version;

use call::Call;

/// The calls of the core, in the order of the document.
pub(crate) const CALLS: [Call; 31] = [
    best_move::CALL,
    best_move::BY_URL,
    compare::CALL,
    report::CALL,
    evaluate::CALL,
    batch::BEST_MOVE,
    batch::EVALUATE,
    legal_moves::CALL,
    legal_moves::BY_URL,
    reachable::CALL,
    attacks::CALL,
    book::CALL,
    tablebase::CALL,
    tablebase::ALL,
    validate::CALL,
    convert::CALL,
    board::CALL,
    ais::ALL,
    ais::ONE,
    levels::CALL,
    served_request::CALL,
    clients::CALL,
    blogchess::BEST_MOVE,
    blogchess::VALID_MOVES,
    version::CALL,
    health::HEALTHZ,
    health::READYZ,
    metrics::CALL,
    openapi::CALL,
    docs::CALL,
    page::CALL,
];
