//! A game that a player plays against itself.

use ai_api::{AiError, Color, Position};
use ai_nnue1::evaluation::Evaluate;
use rules::{DrawClaim, Game};

use super::GameSettings;
use crate::{
    opening::random_opening,
    player::{Judgement, Player},
    random::Random,
    sample::{GameResult, Origin, Sample},
};

/// Games that begin with a larger score teach little.
const MAX_OPENING_SCORE: i32 = 400;
/// Positions with a larger score are not samples.
const MAX_SCORE: i32 = 3000;
/// A side wins if it has at least this score for `WIN_PLIES` plies in a row.
const WIN_SCORE: i32 = 1200;
const WIN_PLIES: u32 = 5;
/// From `DRAW_FROM_PLY` on, a game is drawn if the score stays within this for `DRAW_PLIES` plies.
const DRAW_SCORE: i32 = 10;
const DRAW_PLIES: u32 = 12;
const DRAW_FROM_PLY: usize = 80;
const MAX_PLIES: usize = 300;

/// A sample without the result of its game.
type Draft = (Position, Origin, i16);

/// Plays a game. Returns no samples if its opening is not balanced.
///
/// # Errors
/// There is not enough memory.
pub(super) fn play_game<E: Evaluate>(
    evaluation: &E,
    mut random: Random,
    settings: &GameSettings,
) -> Result<Vec<Sample>, AiError> {
    let plies = 8 + random.below(2);
    let Some(mut game) = random_opening(&mut random, plies) else {
        return Ok(Vec::new());
    };
    let mut player = Player::new(evaluation.clone(), random)?;
    let mut drafts = Vec::new();
    let mut adjudication = Adjudication::default();
    let result = loop {
        if let Some(result) = result(&game) {
            break result;
        }
        let position = *game.position();
        let searched =
            player.search_and_sample(&position, &game.history(), settings.nodes, settings.leaves);
        let Some((judgement, leaves)) = searched else {
            break GameResult::Draw;
        };
        if game.moves().len() == plies && judgement.amount() > MAX_OPENING_SCORE {
            return Ok(Vec::new());
        }
        drafts.extend(draft(&position, Origin::Game, judgement));
        drafts.extend(leaves.into_iter().filter_map(|leaf| {
            let leaf_judgement = player.search(&leaf, &[], settings.leaf_nodes)?;
            draft(&leaf, Origin::Leaf, leaf_judgement)
        }));
        if let Some(result) = adjudication.result(&game, judgement) {
            break result;
        }
        if game.play(judgement.best_move).is_err() {
            break GameResult::Draw;
        }
    };
    let sample = |(position, origin, score): Draft| Sample::new(&position, origin, score, result);
    Ok(drafts.into_iter().map(sample).collect())
}

/// Returns the sample of a position, unless it is in check, its best move changes material, or its
/// score is too large for a static evaluation to predict.
fn draft(position: &Position, origin: Origin, judgement: Judgement) -> Option<Draft> {
    let best_move = judgement.best_move;
    let is_quiet =
        !position.in_check() && !position.is_capture(best_move) && best_move.promotion().is_none();
    let score = judgement
        .score
        .filter(|score| is_quiet && score.abs() <= MAX_SCORE)?;
    Some((*position, origin, score as i16))
}

/// Returns the result according to the rules. Claimable draws are claimed.
fn result(game: &Game) -> Option<GameResult> {
    if let Some(outcome) = game.outcome() {
        return Some(outcome.winner().map_or(GameResult::Draw, win));
    }
    let is_drawn = game.status().claims.iter().any(|claim| {
        matches!(
            claim,
            DrawClaim::ThreefoldRepetition | DrawClaim::FiftyMoves
        )
    });
    (is_drawn || game.moves().len() >= MAX_PLIES).then_some(GameResult::Draw)
}

fn win(winner: Color) -> GameResult {
    match winner {
        Color::White => GameResult::WhiteWins,
        Color::Black => GameResult::BlackWins,
    }
}

/// Ends games whose result is clear.
#[derive(Default)]
struct Adjudication {
    won_plies: u32,
    winner: Option<Color>,
    drawn_plies: u32,
}

impl Adjudication {
    fn result(&mut self, game: &Game, judgement: Judgement) -> Option<GameResult> {
        let score = judgement.score?;
        let leader = if score > 0 {
            Color::White
        } else {
            Color::Black
        };
        let is_winning = score.abs() >= WIN_SCORE;
        self.won_plies = if is_winning && self.winner == Some(leader) {
            self.won_plies + 1
        } else {
            u32::from(is_winning)
        };
        self.winner = is_winning.then_some(leader);
        self.drawn_plies = if score.abs() <= DRAW_SCORE {
            self.drawn_plies + 1
        } else {
            0
        };
        if self.won_plies >= WIN_PLIES {
            return Some(win(leader));
        }
        (self.drawn_plies >= DRAW_PLIES && game.moves().len() >= DRAW_FROM_PLY)
            .then_some(GameResult::Draw)
    }
}

#[cfg(test)]
mod tests {
    use ai_nnue1::evaluation::Terms;

    use super::*;

    const SETTINGS: GameSettings = GameSettings {
        nodes: 200,
        leaves: 3,
        leaf_nodes: 50,
    };

    fn play(seed: u64) -> Vec<Sample> {
        play_game(&Terms::default(), Random::new(seed), &SETTINGS).unwrap()
    }

    #[test]
    fn a_game_depends_only_on_its_seed() {
        let mut games = [3, 4].map(play);
        assert!(games == [3, 4].map(play));
        games.sort_by_key(Vec::len);
        assert!(games[1].len() > 50, "{} samples", games[1].len());
        assert!(games[0] != games[1]);
    }

    #[test]
    fn samples_quiet_positions_from_games_and_search_trees() {
        let samples: Vec<_> = (0..5).flat_map(play).collect();
        assert!(
            samples
                .iter()
                .all(|sample| !sample.position().unwrap().in_check())
        );
        assert!(
            samples
                .iter()
                .all(|sample| i32::from(sample.score).abs() <= MAX_SCORE)
        );
        for origin in [Origin::Game, Origin::Leaf] {
            assert!(
                samples.iter().any(|sample| sample.origin == origin),
                "{origin:?}"
            );
        }
    }

    #[test]
    fn a_clear_score_ends_a_game() {
        let game = Game::new(rules::start_position());
        let best_move = rules::legal_moves(game.position())[0];
        let mut adjudication = Adjudication::default();
        let mut result = |score| {
            adjudication.result(
                &game,
                Judgement {
                    best_move,
                    score: Some(score),
                },
            )
        };
        for score in [
            1300, 1300, 1300, 1300, 100, -1300, -1300, 1300, -1300, -1300, -1300, -1300,
        ] {
            assert_eq!(result(score), None);
        }
        assert_eq!(result(-1300), Some(GameResult::BlackWins));
        for _ in 0..2 * DRAW_PLIES {
            assert_eq!(result(0), None, "it is too early for a draw");
        }
    }
}
