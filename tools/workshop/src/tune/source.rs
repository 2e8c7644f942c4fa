//! Weights as a Rust source file.

use std::fmt::Write;

use ai_nnue1::evaluation::{Weights, features::GROUPS};

const MAX_COLUMNS: usize = 100;

const HEAD: &str = "//! Weight values written by `workshop tune`, in the order of the features.

use crate::evaluation::features::COUNT;

#[rustfmt::skip]
pub(super) const VALUES: [[i16; 2]; COUNT] = [
";

/// Returns the file `ais/nnue1/src/evaluation/weights/values.rs` with these weights.
pub(super) fn of(weights: &Weights) -> String {
    let mut text = String::from(HEAD);
    for group in GROUPS {
        let _ = writeln!(text, "    // {}", group.name);
        for rank in weights.0[group.start..group.end()].chunks(8) {
            let line = line_of(rank);
            if line.len() <= MAX_COLUMNS {
                let _ = writeln!(text, "{line}");
            } else {
                for half in rank.chunks(4) {
                    let _ = writeln!(text, "{}", line_of(half));
                }
            }
        }
    }
    text + "];\n"
}

fn line_of(weights: &[[i16; 2]]) -> String {
    let pairs: Vec<_> = weights
        .iter()
        .map(|[middlegame, endgame]| format!("[{middlegame}, {endgame}]"))
        .collect();
    format!("    {},", pairs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_the_current_weights_to_the_file() {
        let present = include_str!("../../../../ais/nnue1/src/evaluation/weights/values.rs");
        let values = |text: &str| {
            text.split_once("= [\n")
                .map(|(_, values)| values.to_owned())
        };
        assert_eq!(values(&of(&Weights::default())), values(present));
    }
}
