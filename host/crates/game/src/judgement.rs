//! The judgement of moves: winning chances and their loss.

use ai_api::{Color, Score, ScoreKind};

/// The judgement of a bad move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Loses at least 5 points of winning chance.
    Inaccuracy,
    /// Loses at least 10 points.
    Mistake,
    /// Loses at least 20 points.
    Blunder,
}

impl Judgement {
    /// Every judgement, mildest first.
    pub const ALL: [Self; 3] = [Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// Returns the judgement of a loss in points of winning chance; `None` for a good move.
    pub fn of_loss(points: f64) -> Option<Self> {
        let steps = [
            (20.0, Self::Blunder),
            (10.0, Self::Mistake),
            (5.0, Self::Inaccuracy),
        ];
        steps
            .into_iter()
            .find(|(least, _)| points >= *least)
            .map(|(_, judgement)| judgement)
    }

    /// Returns the name used in replies.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }

    /// Returns the annotation symbol.
    pub const fn glyph(self) -> &'static str {
        match self {
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// Returns the number of the annotation symbol in PGN.
    pub const fn nag(self) -> u8 {
        match self {
            Self::Inaccuracy => 6,
            Self::Mistake => 2,
            Self::Blunder => 4,
        }
    }
}

/// Returns White's winning chances in percent, using the logistic curve of
/// [Lichess](https://lichess.org/page/accuracy). A mate gives 0 or 100.
pub fn winning_chances(score: Score) -> f64 {
    match score.kind() {
        ScoreKind::Centipawns(centipawns) => {
            100.0 / (1.0 + (-0.003_682_08 * f64::from(centipawns)).exp())
        }
        ScoreKind::Mate(_) if score.value() > 0 => 100.0,
        ScoreKind::Mate(_) => 0.0,
    }
}

/// Returns the points of winning chance that `mover` lost when White's chances changed from
/// `before` to `after`; 0 if `mover` gained.
pub fn loss(mover: Color, before: f64, after: f64) -> f64 {
    rounded((before - after) * f64::from(mover.sign())).max(0.0)
}

/// Rounds to a tenth, as replies do.
pub fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "compares tenths with expected tenths")]
    fn computes_winning_chances() {
        for (score, percent) in [
            (Score::DRAW, 50.0),
            (Score::centipawns(100), 59.1),
            (Score::centipawns(-100), 40.9),
            (Score::centipawns(300), 75.1),
            (Score::centipawns(1000), 97.5),
            (Score::centipawns(i32::MAX), 100.0),
            (Score::centipawns(i32::MIN), 0.0),
            (Score::mate_in_plies(9), 100.0),
            (Score::mated_in_plies(9), 0.0),
            (Score::MAX, 100.0),
            (Score::MIN, 0.0),
        ] {
            assert_eq!(rounded(winning_chances(score)), percent, "{score}");
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "compares tenths with expected tenths")]
    fn the_loss_is_from_the_movers_point_of_view() {
        assert_eq!(loss(Color::White, 60.0, 40.0), 20.0);
        assert_eq!(loss(Color::White, 40.0, 60.0), 0.0);
        assert_eq!(loss(Color::Black, 40.0, 60.0), 20.0);
        assert_eq!(loss(Color::Black, 60.0, 40.0), 0.0);
    }

    #[test]
    fn classifies_losses_by_threshold() {
        let name = |points| Judgement::of_loss(points).map(Judgement::name);
        for (points, expected) in [
            (0.0, None),
            (4.9, None),
            (5.0, Some("inaccuracy")),
            (9.9, Some("inaccuracy")),
            (10.0, Some("mistake")),
            (19.9, Some("mistake")),
            (20.0, Some("blunder")),
            (100.0, Some("blunder")),
        ] {
            assert_eq!(name(points), expected, "{points}");
        }
        let glyphs =
            [5.0, 10.0, 20.0].map(|points| Judgement::of_loss(points).map(Judgement::glyph));
        assert_eq!(glyphs, [Some("?!"), Some("?"), Some("??")]);
    }
}
