//! Who plays whom, in which order.

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Everybody meets everybody.
    RoundRobin,
    /// The first player meets every other one.
    Gauntlet,
}

/// A game that is to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// From 1.
    pub number: usize,
    /// Games of a round have the same opening, from 0.
    pub round: usize,
    /// Which players meet, by their places, the lesser one first.
    pub encounter: (usize, usize),
    /// Who has White.
    pub white: usize,
    /// Who has Black.
    pub black: usize,
}

/// Every encounter of these players, the lesser place first.
pub fn encounters(format: Format, players: usize) -> Vec<(usize, usize)> {
    let firsts = match format {
        Format::RoundRobin => 0..players,
        Format::Gauntlet => 0..players.min(1),
    };
    firsts.flat_map(|first| (first + 1..players).map(move |second| (first, second))).collect()
}

/// Every game, with `games` of them in each encounter. Each opening is played twice in a row, with both colours.
pub fn schedule(format: Format, players: usize, games: usize) -> Vec<Scheduled> {
    let mut scheduled = Vec::new();
    for round in 0..games.div_ceil(2) {
        for encounter in encounters(format, players) {
            let (first, second) = encounter;
            let colors = [(first, second), (second, first)];
            for (white, black) in colors.into_iter().take(games - 2 * round) {
                scheduled.push(Scheduled { number: scheduled.len() + 1, round, encounter, white, black });
            }
        }
    }
    scheduled
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_players_change_colors_after_each_game() {
        let games = schedule(Format::RoundRobin, 2, 5);
        let colors: Vec<_> = games.iter().map(|game| (game.number, game.round, game.white)).collect();
        assert_eq!(colors, [(1, 0, 0), (2, 0, 1), (3, 1, 0), (4, 1, 1), (5, 2, 0)]);
    }

    #[test]
    fn in_a_gauntlet_only_the_first_player_meets_the_others() {
        assert_eq!(encounters(Format::Gauntlet, 4), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(encounters(Format::RoundRobin, 3), [(0, 1), (0, 2), (1, 2)]);
        assert!(encounters(Format::Gauntlet, 0).is_empty() && schedule(Format::RoundRobin, 1, 9).is_empty());
    }

    proptest! {
        #[test]
        fn every_encounter_has_its_games_with_both_colors_alike(players in 2_usize..7, games in 1_usize..20) {
            let scheduled = schedule(Format::RoundRobin, players, games);
            for encounter in encounters(Format::RoundRobin, players) {
                let of_them: Vec<_> = scheduled.iter().filter(|game| game.encounter == encounter).collect();
                prop_assert_eq!(of_them.len(), games);
                let white = of_them.iter().filter(|game| game.white == encounter.0).count();
                prop_assert_eq!(white, games.div_ceil(2));
            }
            prop_assert!(scheduled.iter().enumerate().all(|(index, game)| game.number == index + 1));
        }
    }
}
