//! A neural network that updates its first layer only for the squares that have changed.

use ai_api::*;

/// The number of neurons in the first layer.
const NEURONS: usize = 8;

/// A network with one hidden layer. A real network reads its weights from a file. This one counts
/// material, with one neuron for each side.
struct Net {
    /// One row of weights for each color, role and square.
    rows: Vec<[i32; NEURONS]>,
    output: [i32; NEURONS],
    /// The pieces that the sums include, by color and role. Empty at first.
    pieces: [[Bitboard; 6]; 2],
    sums: [i32; NEURONS],
}

impl Ai for Net {
    fn create(_: &Options, _: &Host) -> Result<Self, AiError> {
        let mut rows = Vec::new();
        for color in Color::ALL {
            for value in [100, 300, 310, 500, 900, 0] {
                let mut row = [0; NEURONS];
                row[color.index()] = value;
                rows.extend([row; 64]);
            }
        }
        let mut output = [0; NEURONS];
        output[Color::White.index()] = 1;
        output[Color::Black.index()] = -1;
        Ok(Self {
            rows,
            output,
            pieces: [[Bitboard::EMPTY; 6]; 2],
            sums: [0; NEURONS],
        })
    }
}

impl Evaluator for Net {
    fn evaluate(&mut self, position: &Position, _: &Host) -> Score {
        self.update(position);
        let mut score = 0;
        for (sum, weight) in self.sums.iter().zip(&self.output) {
            score += sum.max(&0) * weight;
        }
        Score::centipawns(score)
    }
}

impl Net {
    /// Adds the row of each new piece and subtracts the row of each removed piece.
    fn update(&mut self, position: &Position) {
        for color in Color::ALL {
            for role in Role::ALL {
                let now = position.pieces(color, role);
                let before = &mut self.pieces[color.index()][role.index()];
                let changed = *before ^ now;
                *before = now;
                for square in changed {
                    let sign = if now.contains(square) { 1 } else { -1 };
                    let row = (color.index() * 6 + role.index()) * 64 + square.index();
                    for (sum, weight) in self.sums.iter_mut().zip(&self.rows[row]) {
                        *sum += sign * weight;
                    }
                }
            }
        }
    }
}

export_ai!(Net: Evaluator, id = "net");
