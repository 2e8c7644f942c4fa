//! Compares the rules with those of `cozy-chess`, `chess` and `shakmaty` in the same run.

mod chess_rules;
mod rounds;

fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    chess_rules::compare_all(&only);
}
