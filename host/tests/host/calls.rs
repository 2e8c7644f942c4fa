//! Each call through the real application, with whole bodies.

mod ais;
mod best_move;
mod board_svg;
mod choice;
mod compare;
mod convert;
mod evaluate;
mod legal_moves;
mod reachable;
mod report;
mod validate;
