//! The alpha-beta window.

use ai_api::Score;

/// Greater than every value.
pub const INFINITY: i32 = Score::MAX.value() + 1;

/// The open interval of values that matter, from `alpha` to `beta`, for the side to move.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub alpha: i32,
    pub beta: i32,
}

impl Window {
    pub const FULL: Self = Self {
        alpha: -INFINITY,
        beta: INFINITY,
    };

    /// Returns the null window, which only tests whether a value exceeds `alpha`.
    pub const fn null(alpha: i32) -> Self {
        Self {
            alpha,
            beta: alpha + 1,
        }
    }

    pub const fn is_null(self) -> bool {
        self.beta - self.alpha <= 1
    }

    /// Returns the same window for the other side.
    #[must_use]
    pub const fn flip(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flip_gives_the_window_of_the_other_side() {
        let Window { alpha, beta } = Window { alpha: -3, beta: 7 }.flip();
        assert_eq!((alpha, beta), (-7, 3));
        assert!(Window::null(4).is_null() && Window::null(4).flip().is_null());
        assert!(!Window::FULL.is_null());
    }
}
