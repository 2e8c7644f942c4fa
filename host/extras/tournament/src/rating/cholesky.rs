//! Linear equations with a symmetric positive definite matrix.

/// A lower triangular matrix L. The decomposed matrix is L·Lᵀ.
pub(super) struct Cholesky {
    /// Row by row, each up to the diagonal.
    rows: Vec<Vec<f64>>,
}

impl Cholesky {
    /// Decomposes a matrix. Reads only the lower triangle. A pivot that rounding makes zero or
    /// negative becomes a small positive one.
    pub(super) fn of(matrix: &[Vec<f64>]) -> Self {
        let largest = (0..matrix.len())
            .map(|index| matrix[index][index])
            .fold(0.0, f64::max);
        let least = (largest * f64::EPSILON).max(f64::MIN_POSITIVE);
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
        for (index, entries) in matrix.iter().enumerate() {
            let mut row = Vec::with_capacity(index + 1);
            for (column, above) in rows.iter().enumerate() {
                row.push((entries[column] - dot(&row, above)) / above[column]);
            }
            row.push((entries[index] - dot(&row, &row)).max(least).sqrt());
            rows.push(row);
        }
        Self { rows }
    }

    /// Returns the x with L·Lᵀ·x = `right`.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = Vec::with_capacity(right.len());
        for (index, row) in self.rows.iter().enumerate() {
            solution.push((right[index] - dot(&solution, row)) / row[index]);
        }
        for (index, row) in self.rows.iter().enumerate().rev() {
            solution[index] /= row[index];
            let known = solution[index];
            for (entry, factor) in solution.iter_mut().zip(&row[..index]) {
                *entry -= factor * known;
            }
        }
        solution
    }
}

/// Returns the dot product of the shorter sequence with the start of the longer one.
fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter()
        .zip(right)
        .map(|(left, right)| left * right)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_equations() {
        let matrix = [
            vec![4.0, 2.0, 0.4],
            vec![2.0, 5.0, 1.0],
            vec![0.4, 1.0, 3.0],
        ];
        let expected = [1.0, -2.0, 3.0];
        let right: Vec<_> = matrix.iter().map(|row| dot(row, &expected)).collect();
        for (found, expected) in Cholesky::of(&matrix).solve(&right).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn solves_singular_equations_without_infinities() {
        let matrix = [vec![1.0, 1.0], vec![1.0, 1.0]];
        assert!(
            Cholesky::of(&matrix)
                .solve(&[1.0, 2.0])
                .iter()
                .all(|entry| entry.is_finite())
        );
        assert!(Cholesky::of(&[]).solve(&[]).is_empty());
    }
}
