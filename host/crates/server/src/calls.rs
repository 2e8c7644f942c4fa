//! The calls. A module has the form, handler, reply, document entry and example of one call; what
//! several calls share is beside them.

pub mod ais;
pub mod arena;
pub mod best_move;
pub mod blogchess;
pub mod clients;
pub mod compare;
pub mod evaluate;
pub mod forms;
pub mod legal_moves;
pub mod progress;
pub mod replies;
pub mod report;
pub mod search_progress;
pub mod validate;

pub(crate) mod call;
pub(crate) mod choice;
pub(crate) mod docs;
pub(crate) mod openapi;
pub(crate) mod problem_schema;
pub(crate) mod record;
pub(crate) mod schemas;

mod attacks;
mod batch;
pub(crate) mod board;
mod book;
mod convert;
mod health;
mod levels;
pub(crate) mod matches;
mod metrics;
mod page;
pub(crate) mod reachable;
mod served_request;
pub(crate) mod tablebase;
pub(crate) mod version;

use call::Call;

/// Every call, in the order of the document.
pub(crate) const CALLS: [Call; 43] = [
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
    arena::CALL,
    arena::player::CALL,
    arena::games::LIST,
    arena::games::ONE,
    arena::live::CALL,
    arena::control::PAUSE,
    arena::control::RESUME,
    arena::control::RATE_NOW,
    matches::START,
    matches::ONE,
    matches::STOP,
    matches::GAMES,
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
