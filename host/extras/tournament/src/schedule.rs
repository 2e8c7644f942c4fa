//! The games of a tournament, in order.

/// The pairings of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchFormat {
    /// Each pair of players.
    RoundRobin,
    /// The first player against each other player.
    Gauntlet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledGame {
    /// From 1.
    pub number: usize,
    /// From 0. The games of a round have the same opening.
    pub round: usize,
    /// The indices of the players, the smaller one first.
    pub pairing: (usize, usize),
    pub white: usize,
    pub black: usize,
}

/// Returns the indices of the players of each pairing, the smaller one first.
pub(crate) fn pairings(format: MatchFormat, players: usize) -> Vec<(usize, usize)> {
    let firsts = match format {
        MatchFormat::RoundRobin => 0..players,
        MatchFormat::Gauntlet => 0..players.min(1),
    };
    firsts
        .flat_map(|first| (first + 1..players).map(move |second| (first, second)))
        .collect()
}

/// Returns every game, `games` for each pairing. Each opening is played twice in a row, with both
/// colours.
pub(crate) fn schedule(format: MatchFormat, players: usize, games: usize) -> Vec<ScheduledGame> {
    let mut scheduled = Vec::new();
    for round in 0..games.div_ceil(2) {
        for pairing in pairings(format, players) {
            let (first, second) = pairing;
            let colors = [(first, second), (second, first)];
            for (white, black) in colors.into_iter().take(games - 2 * round) {
                scheduled.push(ScheduledGame {
                    number: scheduled.len() + 1,
                    round,
                    pairing,
                    white,
                    black,
                });
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
    fn two_players_alternate_colors() {
        let games = schedule(MatchFormat::RoundRobin, 2, 5);
        let colors: Vec<_> = games
            .iter()
            .map(|game| (game.number, game.round, game.white))
            .collect();
        assert_eq!(
            colors,
            [(1, 0, 0), (2, 0, 1), (3, 1, 0), (4, 1, 1), (5, 2, 0)]
        );
    }

    #[test]
    fn gauntlets_pair_the_first_player_with_the_others() {
        assert_eq!(pairings(MatchFormat::Gauntlet, 4), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(
            pairings(MatchFormat::RoundRobin, 3),
            [(0, 1), (0, 2), (1, 2)]
        );
        assert!(
            pairings(MatchFormat::Gauntlet, 0).is_empty()
                && schedule(MatchFormat::RoundRobin, 1, 9).is_empty()
        );
    }

    proptest! {
        #[test]
        fn each_pairing_has_all_games_with_balanced_colors(
            players in 2_usize..7,
            games in 1_usize..20,
        ) {
            let scheduled = schedule(MatchFormat::RoundRobin, players, games);
            for pairing in pairings(MatchFormat::RoundRobin, players) {
                let played: Vec<_> = scheduled
                    .iter()
                    .filter(|game| game.pairing == pairing)
                    .collect();
                prop_assert_eq!(played.len(), games);
                let white = played.iter().filter(|game| game.white == pairing.0).count();
                prop_assert_eq!(white, games.div_ceil(2));
            }
            let numbers: Vec<_> = scheduled.iter().map(|game| game.number).collect();
            prop_assert_eq!(numbers, (1..=scheduled.len()).collect::<Vec<_>>());
        }
    }
}
