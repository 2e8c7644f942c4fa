//! Random openings.

use rules::Game;

use crate::random::Random;

/// Returns the game after some random moves from the start, or `None` if it is over by then.
pub(crate) fn random_opening(random: &mut Random, plies: usize) -> Option<Game> {
    let mut game = Game::new(rules::start_position());
    for _ in 0..plies {
        let chosen = *random.choose(&rules::legal_moves(game.position()))?;
        game.play(chosen).ok()?;
    }
    game.outcome().is_none().then_some(game)
}
