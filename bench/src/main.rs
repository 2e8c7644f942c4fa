//! Compares the rules with those of `cozy-chess`, `chess` and `shakmaty` in the same run, in Markdown. An argument selects the
//! rows whose names contain it.

mod chess_rules;
mod rounds;

fn main() {
    println!(
        "| work | millions a second, geometric mean of six positions | ratio to the best peer |\n|---|---|---|"
    );
    let only = std::env::args().nth(1).unwrap_or_default();
    chess_rules::compare_all(&only);
}
