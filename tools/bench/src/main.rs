//! Compares rules, games and searches with `cozy-chess`, `chess` and `shakmaty` in the same run,
//! and prints rows for `report`. The first argument is the number of rounds. The second one selects
//! the groups whose names contain it.

use peers::{chess_rules, games, searches};

const ROUNDS: usize = 5;

type Group = (&'static str, fn(usize));

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds = arguments
        .next()
        .map_or(ROUNDS, |rounds| rounds.parse().expect("a number of rounds"));
    let only = arguments.next().unwrap_or_default();
    let groups: [Group; 3] = [
        ("rules", chess_rules::compare),
        ("games", games::compare),
        ("searches", searches::compare),
    ];
    groups
        .iter()
        .filter(|(name, _)| name.contains(&only))
        .for_each(|(_, compare)| compare(rounds));
}
