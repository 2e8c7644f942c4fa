//! Each call through the real application, with whole bodies.

mod ais;
mod best_move;
mod choice;
mod evaluate;
mod legal_moves;
mod reachable;
mod validate;
