//! The chances to win, draw and lose, derived from a score.

use ai_api::{Score, Wdl};

/// The score in centipawns at which a win becomes as likely as not, and the difference that changes
/// its odds by the factor e. Fitted to the AI's games against itself at 8,000 nodes per move.
const EVEN: f64 = 210.0;
const SPREAD: f64 = 170.0;

/// Returns White's chances.
pub(super) fn chances(score: Score) -> Wdl {
    let [win, loss] = [score, -score].map(|score| {
        let odds = ((f64::from(score.value()) - EVEN) / SPREAD).exp();
        // A mate's odds are infinite.
        let chance = if odds.is_finite() {
            odds / (1.0 + odds)
        } else {
            1.0
        };
        (1000.0 * chance).round() as u16
    });
    Wdl {
        win,
        draw: 1000 - win - loss,
        loss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_add_up_and_follow_the_score() {
        let scores = [
            Score::MIN,
            Score::centipawns(-900),
            Score::DRAW,
            Score::centipawns(50),
            Score::MAX,
        ];
        let all = scores.map(chances);
        assert!(all.iter().all(|of| of.is_whole()));
        assert!(all.is_sorted_by_key(|of| of.win));
        assert_eq!((all[0].loss, all[4].win), (1000, 1000));
        assert_eq!(chances(-Score::centipawns(50)), all[3].swapped());
    }
}
