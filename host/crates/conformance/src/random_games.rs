//! Random games determined by a seed.

use rules::{Game, legal_moves, start_position};

pub(crate) struct RandomGames(fastrand::Rng);

impl RandomGames {
    pub(crate) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// Returns a random number below `bound`.
    ///
    /// # Panics
    /// `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.usize(..bound)
    }

    /// Returns an unfinished game of at most `max_plies` random moves.
    pub(crate) fn next(&mut self, max_plies: usize) -> Game {
        let mut game = Game::new(start_position());
        for _ in 0..max_plies {
            let moves = legal_moves(game.position());
            let mut next = game.clone();
            if next.play(moves[self.below(moves.len())]).is_err() || next.status().outcome.is_some()
            {
                break;
            }
            game = next;
        }
        game
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_depend_only_on_the_seed() {
        let games = |seed| {
            let mut random = RandomGames::new(seed);
            [random.next(40), random.next(300)].map(|game| game.uci_moves())
        };
        assert_eq!(games(1), games(1));
        assert_ne!(games(1), games(2));
    }
}
