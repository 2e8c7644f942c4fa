//! The HTTP calls and the functions that answer them.

mod chess;
mod clients;
mod health;
mod metrics;
mod page;
mod served_request;

pub mod ais;
pub mod searches;

pub(crate) mod docs;
pub(crate) mod openapi;
pub(crate) mod version;

use actix_web::web;
use api::calls::{
    attacks, batch, best_move, blogchess, board, book, compare, convert, evaluate, legal_moves,
    levels, reachable, report, tablebase, validate, why,
};

use crate::endpoint::Endpoint;
use chess::route_to;

/// Combines a call with its route.
macro_rules! endpoint {
    ($call:path => $route:expr) => {
        Endpoint {
            call: $call,
            route: || $route,
        }
    };
}

/// The calls of the core, in the order of the `OpenAPI` document.
pub(crate) const ENDPOINTS: [Endpoint; 32] = [
    endpoint!(best_move::CALL => web::to(searches::best_move)),
    endpoint!(best_move::BY_URL => web::to(searches::best_move_by_url)),
    endpoint!(compare::CALL => web::to(searches::compare)),
    endpoint!(report::CALL => web::to(searches::report)),
    endpoint!(why::CALL => web::to(searches::why)),
    endpoint!(evaluate::CALL => web::to(searches::evaluate)),
    endpoint!(batch::BEST_MOVE => web::to(searches::batch_best_moves)),
    endpoint!(batch::EVALUATE => web::to(searches::batch_evaluations)),
    endpoint!(legal_moves::CALL => route_to(legal_moves::respond)),
    endpoint!(legal_moves::BY_URL => web::to(chess::legal_moves_by_url)),
    endpoint!(reachable::CALL => route_to(reachable::respond)),
    endpoint!(attacks::CALL => route_to(attacks::respond)),
    endpoint!(book::CALL => web::to(chess::book_moves)),
    endpoint!(tablebase::CALL => web::to(chess::probe_tablebase)),
    endpoint!(tablebase::ALL => web::to(chess::tablebase_size)),
    endpoint!(validate::CALL => route_to(validate::respond)),
    endpoint!(convert::CALL => web::to(chess::convert_game)),
    endpoint!(board::CALL => web::to(chess::board_picture)),
    ais::ALL,
    ais::ONE,
    endpoint!(levels::CALL => web::to(searches::levels)),
    served_request::CALL,
    clients::CALL,
    endpoint!(blogchess::BEST_MOVE => web::to(searches::blogchess_best_move)),
    endpoint!(blogchess::VALID_MOVES => web::to(chess::blogchess_valid_moves)),
    version::CALL,
    health::HEALTHZ,
    health::READYZ,
    metrics::CALL,
    openapi::CALL,
    docs::CALL,
    page::CALL,
];
