//! The calls. Each module has the form, the handler, the reply, the entry of the document and the example of one call.

pub mod ais;
pub mod best_move;
pub mod blogchess;
pub mod compare;
pub mod evaluate;
pub mod legal_moves;
pub mod report;
pub mod validate;

pub(crate) mod call;
pub(crate) mod docs;
pub(crate) mod openapi;

mod board;
mod convert;
mod health;
mod metrics;
mod page;
mod reachable;
mod tablebase;

use call::Call;

/// Every call, in the order of the document.
pub(crate) const CALLS: [Call; 21] = [
    best_move::CALL,
    compare::CALL,
    report::CALL,
    evaluate::CALL,
    legal_moves::CALL,
    reachable::CALL,
    tablebase::CALL,
    tablebase::ALL,
    validate::CALL,
    convert::CALL,
    board::CALL,
    ais::ALL,
    ais::ONE,
    blogchess::BEST_MOVE,
    blogchess::VALID_MOVES,
    health::HEALTHZ,
    health::READYZ,
    metrics::CALL,
    openapi::CALL,
    docs::CALL,
    page::CALL,
];
