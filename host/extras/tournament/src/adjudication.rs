//! Ends decided games early, based on both players' scores.

use std::{fmt, str::FromStr};

use ai_api::{Color, Score};
use serde::{Deserialize, Serialize};

/// Optional rules that end a game early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    pub draw: Option<DrawRule>,
    pub resign: Option<ResignRule>,
    /// Declares a draw after each side has made this many moves.
    pub max_moves: Option<u32>,
}

/// Declares a draw from `from_move` on if both sides' scores stay within `centipawns` for `moves`
/// moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DrawRule {
    pub from_move: u32,
    pub moves: u32,
    pub centipawns: i32,
}

/// Declares a loss if both sides' scores give one side at least `centipawns` for `moves` moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResignRule {
    pub moves: u32,
    pub centipawns: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdjudicatedResult {
    /// The [`DrawRule`] applied.
    Draw,
    /// The [`ResignRule`] applied. Contains the winner.
    Win(Color),
    /// The game was drawn after the maximum number of moves.
    MaxMoves,
    /// A tablebase gave the result. Contains the winner, or `None` for a draw.
    Tablebase(Option<Color>),
}

impl Adjudication {
    /// The rules of a match that does not set its own.
    pub const USUAL: Self = Self {
        draw: Some(DrawRule {
            from_move: 34,
            moves: 8,
            centipawns: 20,
        }),
        resign: Some(ResignRule {
            moves: 3,
            centipawns: 800,
        }),
        max_moves: Some(300),
    };

    #[cfg(test)]
    pub(crate) const NONE: Self = Self {
        draw: None,
        resign: None,
        max_moves: None,
    };

    /// Adjudicates a game. Returns `None` if it continues. `scores` has an entry for each ply after
    /// the opening: White's score, or `None` if the AI gave none. `moves` is the number of full
    /// moves, including the opening.
    pub(crate) fn decide(&self, scores: &[Option<Score>], moves: u32) -> Option<AdjudicatedResult> {
        let all_of_last = |length: u32, holds: &dyn Fn(Score) -> bool| {
            let plies = 2 * length as usize;
            plies > 0
                && scores.len() >= plies
                && scores[scores.len() - plies..]
                    .iter()
                    .all(|score| score.is_some_and(holds))
        };
        if let Some(ResignRule {
            moves: length,
            centipawns,
        }) = self.resign
        {
            if all_of_last(length, &|score| score.value() >= centipawns) {
                return Some(AdjudicatedResult::Win(Color::White));
            }
            if all_of_last(length, &|score| score.value() <= -centipawns) {
                return Some(AdjudicatedResult::Win(Color::Black));
            }
        }
        if let Some(DrawRule {
            from_move,
            moves: length,
            centipawns,
        }) = self.draw
            && moves >= from_move
            && all_of_last(length, &|score| score.value().abs() <= centipawns)
        {
            return Some(AdjudicatedResult::Draw);
        }
        self.max_moves
            .is_some_and(|max| moves >= max)
            .then_some(AdjudicatedResult::MaxMoves)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseRuleError {
    #[error("expected FROM_MOVE,MOVES,CENTIPAWNS such as 34,8,20, or off")]
    Draw,
    #[error("expected MOVES,CENTIPAWNS such as 3,800, or off")]
    Resign,
}

fn numbers<const N: usize>(text: &str) -> Option<[u32; N]> {
    let numbers: Option<Vec<u32>> = text
        .split(',')
        .map(|number| number.trim().parse().ok())
        .collect();
    numbers?.try_into().ok()
}

impl FromStr for DrawRule {
    type Err = ParseRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match numbers(text) {
            Some([from_move, moves @ 1..=1000, centipawns @ 0..=10_000]) => Ok(Self {
                from_move,
                moves,
                centipawns: centipawns as i32,
            }),
            _ => Err(ParseRuleError::Draw),
        }
    }
}

impl FromStr for ResignRule {
    type Err = ParseRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match numbers(text) {
            Some([moves @ 1..=1000, centipawns @ 1..=100_000]) => Ok(Self {
                moves,
                centipawns: centipawns as i32,
            }),
            _ => Err(ParseRuleError::Resign),
        }
    }
}

impl TryFrom<String> for DrawRule {
    type Error = ParseRuleError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl TryFrom<String> for ResignRule {
    type Error = ParseRuleError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<DrawRule> for String {
    fn from(rule: DrawRule) -> Self {
        rule.to_string()
    }
}

impl From<ResignRule> for String {
    fn from(rule: ResignRule) -> Self {
        rule.to_string()
    }
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.from_move, self.moves, self.centipawns)
    }
}

impl fmt::Display for ResignRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.moves, self.centipawns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(values: &[i32]) -> Vec<Option<Score>> {
        values
            .iter()
            .map(|&value| Some(Score::centipawns(value)))
            .collect()
    }

    #[test]
    fn requires_both_sides_to_agree_for_all_moves() {
        let rules = Adjudication {
            draw: Some(DrawRule {
                from_move: 34,
                moves: 8,
                centipawns: 20,
            }),
            resign: Some(ResignRule {
                moves: 3,
                centipawns: 800,
            }),
            max_moves: Some(300),
        };
        for (values, moves, expected) in [
            (
                &[900; 6][..],
                20,
                Some(AdjudicatedResult::Win(Color::White)),
            ),
            (&[-900; 6], 20, Some(AdjudicatedResult::Win(Color::Black))),
            (&[900; 5], 20, None),
            (&[900, 900, 900, 700, 900, 900], 20, None),
            (&[900, -900, 900, -900, 900, -900], 20, None),
            (&[5; 16], 40, Some(AdjudicatedResult::Draw)),
            (&[5; 16], 33, None),
            (&[5; 15], 40, None),
            (&[-20; 16], 34, Some(AdjudicatedResult::Draw)),
            (&[21; 16], 40, None),
            (&[300], 300, Some(AdjudicatedResult::MaxMoves)),
            (&[300], 299, None),
        ] {
            assert_eq!(
                rules.decide(&scores(values), moves),
                expected,
                "{values:?} after {moves}"
            );
        }
        let mates = vec![Some(Score::mated_in_plies(8)); 6];
        assert_eq!(
            rules.decide(&mates, 20),
            Some(AdjudicatedResult::Win(Color::Black))
        );
        // A player without scores agrees to nothing.
        let one_sided: Vec<_> = scores(&[0; 16])
            .into_iter()
            .zip([None; 16])
            .flat_map(|(one, other)| [one, other])
            .collect();
        assert_eq!(rules.decide(&one_sided, 40), None);
    }

    #[test]
    fn continues_without_rules() {
        assert_eq!(Adjudication::NONE.decide(&scores(&[2000; 100]), 5000), None);
        assert_eq!(Adjudication::NONE.decide(&scores(&[0; 100]), 5000), None);
    }

    #[test]
    fn parses_rules() {
        assert_eq!(
            "40,10,5".parse(),
            Ok(DrawRule {
                from_move: 40,
                moves: 10,
                centipawns: 5
            })
        );
        assert_eq!(
            "5,1000".parse(),
            Ok(ResignRule {
                moves: 5,
                centipawns: 1000
            })
        );
        let Adjudication { draw, resign, .. } = Adjudication::USUAL;
        assert_eq!(draw.unwrap().to_string().parse(), Ok(draw.unwrap()));
        assert_eq!(resign.unwrap().to_string().parse(), Ok(resign.unwrap()));
        for text in ["", "1,2", "1,0,5", "1,2,-3", "1,2,3,4", "a,b,c"] {
            assert_eq!(
                text.parse::<DrawRule>(),
                Err(ParseRuleError::Draw),
                "{text}"
            );
        }
        for text in ["", "3", "0,800", "3,0", "1,2,3"] {
            assert_eq!(
                text.parse::<ResignRule>(),
                Err(ParseRuleError::Resign),
                "{text}"
            );
        }
    }
}
