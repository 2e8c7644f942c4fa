//! Each call through the real application, with whole bodies.

mod ai_selection;
mod ais;
mod arena;
mod attacks;
mod batch;
mod best_move;
mod blogchess;
mod board_svg;
mod book;
mod by_url;
mod clients;
mod compare;
mod convert;
mod evaluate;
mod kept_answers;
mod legal_moves;
mod levels;
mod matches;
mod reachable;
mod report;
mod root_moves;
mod served_request;
mod streams;
pub(crate) mod tablebase;
mod traces;
mod validate;
mod version;
