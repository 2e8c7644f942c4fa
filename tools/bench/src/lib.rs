//! Compares Rookery with its peers, and reports the figures.

pub mod alpha_beta;
pub mod chess_rules;
pub mod games;
pub mod rounds;
pub mod row;
pub mod searches;
