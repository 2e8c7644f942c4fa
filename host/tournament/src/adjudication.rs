//! Ending games whose end is plain, by what both players say of them.

use std::str::FromStr;

use ai_api::{Color, Score};

/// When a game is ended before the rules end it. Each rule can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// Drawn, where both say for long that nobody is better.
    pub draw: Option<DrawRule>,
    /// Lost, where both say for long that one is far better.
    pub resign: Option<ResignRule>,
    /// Drawn after so many moves of each side.
    pub max_moves: Option<u32>,
}

/// From `from_move` on, both sides have said for `moves` moves of each that nobody is better by more than `centipawns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// The first move of a game that can end so.
    pub from_move: u32,
    /// Moves of each side.
    pub moves: u32,
    /// The greatest difference.
    pub centipawns: i32,
}

/// Both sides have said for `moves` moves of each that the same side is better by at least `centipawns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResignRule {
    /// Moves of each side.
    pub moves: u32,
    /// The least difference.
    pub centipawns: i32,
}

impl Default for Adjudication {
    fn default() -> Self {
        Self {
            draw: Some(DrawRule { from_move: 34, moves: 8, centipawns: 20 }),
            resign: Some(ResignRule { moves: 3, centipawns: 800 }),
            max_moves: Some(300),
        }
    }
}

/// How a game was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// By the [`DrawRule`].
    Draw,
    /// By the [`ResignRule`]; who won.
    Win(Color),
    /// By its length.
    TooLong,
}

impl Adjudication {
    /// No rule at all.
    pub const NONE: Self = Self { draw: None, resign: None, max_moves: None };

    /// What becomes of a game after `scores`, one for each ply that the players have played, for White. `moves` is how
    /// many moves of each side the game has, its opening included.
    pub fn judge(&self, scores: &[Score], moves: u32) -> Option<Verdict> {
        let all_of_the_last = |moves: u32, holds: &dyn Fn(Score) -> bool| {
            let plies = 2 * moves as usize;
            plies > 0
                && scores.len() >= plies
                && scores[scores.len() - plies..].iter().all(|&score| holds(score))
        };
        if let Some(ResignRule { moves, centipawns }) = self.resign {
            if all_of_the_last(moves, &|score| score.value() >= centipawns) {
                return Some(Verdict::Win(Color::White));
            }
            if all_of_the_last(moves, &|score| score.value() <= -centipawns) {
                return Some(Verdict::Win(Color::Black));
            }
        }
        if let Some(DrawRule { from_move, moves: long, centipawns }) = self.draw
            && moves >= from_move
            && all_of_the_last(long, &|score| score.value().abs() <= centipawns)
        {
            return Some(Verdict::Draw);
        }
        self.max_moves.is_some_and(|most| moves >= most).then_some(Verdict::TooLong)
    }
}

/// A text that is no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseRuleError {
    /// No [`DrawRule`].
    #[error("expected FROM_MOVE,MOVES,CENTIPAWNS such as 34,8,20, or off")]
    Draw,
    /// No [`ResignRule`].
    #[error("expected MOVES,CENTIPAWNS such as 3,800, or off")]
    Resign,
}

fn numbers<const N: usize>(text: &str) -> Option<[u32; N]> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    numbers?.try_into().ok()
}

impl FromStr for DrawRule {
    type Err = ParseRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match numbers(text) {
            Some([from_move, moves @ 1..=1000, centipawns @ 0..=10_000]) => {
                Ok(Self { from_move, moves, centipawns: centipawns as i32 })
            }
            _ => Err(ParseRuleError::Draw),
        }
    }
}

impl FromStr for ResignRule {
    type Err = ParseRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match numbers(text) {
            Some([moves @ 1..=1000, centipawns @ 1..=100_000]) => {
                Ok(Self { moves, centipawns: centipawns as i32 })
            }
            _ => Err(ParseRuleError::Resign),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(values: &[i32]) -> Vec<Score> {
        values.iter().map(|&value| Score::centipawns(value)).collect()
    }

    #[test]
    fn both_sides_have_to_agree_for_long_enough() {
        let rules = Adjudication::default();
        for (values, moves, expected) in [
            (&[900; 6][..], 20, Some(Verdict::Win(Color::White))),
            (&[-900; 6], 20, Some(Verdict::Win(Color::Black))),
            (&[900; 5], 20, None),
            (&[900, 900, 900, 700, 900, 900], 20, None),
            (&[900, -900, 900, -900, 900, -900], 20, None),
            (&[5; 16], 40, Some(Verdict::Draw)),
            (&[5; 16], 33, None),
            (&[5; 15], 40, None),
            (&[-20; 16], 34, Some(Verdict::Draw)),
            (&[21; 16], 40, None),
            (&[300], 300, Some(Verdict::TooLong)),
            (&[300], 299, None),
        ] {
            assert_eq!(rules.judge(&scores(values), moves), expected, "{values:?} after {moves}");
        }
        let mates = vec![Score::mated_in_plies(8); 6];
        assert_eq!(rules.judge(&mates, 20), Some(Verdict::Win(Color::Black)));
    }

    #[test]
    fn without_rules_a_game_goes_on() {
        assert_eq!(Adjudication::NONE.judge(&scores(&[2000; 100]), 5000), None);
        assert_eq!(Adjudication::NONE.judge(&scores(&[0; 100]), 5000), None);
    }

    #[test]
    fn rules_are_read_as_they_are_written() {
        assert_eq!("40,10,5".parse(), Ok(DrawRule { from_move: 40, moves: 10, centipawns: 5 }));
        assert_eq!("5,1000".parse(), Ok(ResignRule { moves: 5, centipawns: 1000 }));
        for text in ["", "1,2", "1,0,5", "1,2,-3", "1,2,3,4", "a,b,c"] {
            assert_eq!(text.parse::<DrawRule>(), Err(ParseRuleError::Draw), "{text}");
        }
        for text in ["", "3", "0,800", "3,0", "1,2,3"] {
            assert_eq!(text.parse::<ResignRule>(), Err(ParseRuleError::Resign), "{text}");
        }
    }
}
