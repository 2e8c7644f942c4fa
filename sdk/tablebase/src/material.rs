//! An ending's material, which names its table.

use ai_api::{Color, Position, Role};

/// The roles other than the king, in the order of [`Role`].
const ROLES: [Role; 5] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
];
const PAWN: usize = 0;

/// Both sides' pieces other than the kings. Swapping the colors gives an equal value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Material([[u8; 5]; 2]);

impl Material {
    fn new(one: [u8; 5], other: [u8; 5]) -> Self {
        Self(if one >= other {
            [one, other]
        } else {
            [other, one]
        })
    }

    pub(crate) fn of(position: &Position) -> Self {
        let side = |color| ROLES.map(|role| position.pieces(color, role).count() as u8);
        Self::new(side(Color::White), side(Color::Black))
    }

    /// Reads a name such as `KQvKR`.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (one, other) = name.split_once('v')?;
        let side = |text: &str| {
            let mut counts = [0_u8; 5];
            for letter in text.strip_prefix('K')?.chars() {
                let role = Role::from_letter(letter.to_ascii_lowercase())
                    .filter(|_| letter.is_ascii_uppercase())?;
                let count = counts.get_mut(role.index())?;
                *count = count.checked_add(1)?;
            }
            Some(counts)
        };
        Some(Self::new(side(one)?, side(other)?))
    }

    /// Returns the number of pieces, including both kings.
    pub(crate) fn pieces(self) -> u32 {
        2 + self
            .0
            .iter()
            .flatten()
            .map(|&count| u32::from(count))
            .sum::<u32>()
    }

    /// Returns the endings after a capture, including captures by a promoting pawn.
    pub(crate) fn after_captures(self) -> Vec<Self> {
        let mut endings = Vec::new();
        for (side, role) in self.present() {
            let mut after = self.0;
            after[side][role] -= 1;
            endings.push(Self::new(after[0], after[1]));
            endings.extend(promotions(after, 1 - side));
        }
        endings
    }

    /// Returns the endings after a promotion without a capture.
    pub(crate) fn after_promotions(self) -> Vec<Self> {
        (0..2).flat_map(|side| promotions(self.0, side)).collect()
    }

    /// Returns the side and the role of each kind of piece on the board.
    fn present(self) -> impl Iterator<Item = (usize, usize)> {
        let kinds = (0..2).flat_map(|side| (0..ROLES.len()).map(move |role| (side, role)));
        kinds.filter(move |&(side, role)| self.0[side][role] > 0)
    }
}

/// Returns the endings after a side promotes, or none if it has no pawn.
fn promotions(sides: [[u8; 5]; 2], side: usize) -> Vec<Material> {
    if sides[side][PAWN] == 0 {
        return Vec::new();
    }
    let to = |role: usize| {
        let mut after = sides;
        after[side][PAWN] -= 1;
        after[side][role] += 1;
        Material::new(after[0], after[1])
    };
    (PAWN + 1..ROLES.len()).map(to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> Vec<Material> {
        let mut endings: Vec<_> = names
            .iter()
            .map(|name| Material::parse(name).unwrap())
            .collect();
        endings.sort_unstable();
        endings
    }

    fn sorted(mut endings: Vec<Material>) -> Vec<Material> {
        endings.sort_unstable();
        endings.dedup();
        endings
    }

    #[test]
    fn reads_names_and_ignores_the_order_of_the_sides() {
        let rooks = Material::parse("KQvKR").unwrap();
        assert_eq!(
            (rooks, rooks.pieces()),
            (Material::parse("KRvKQ").unwrap(), 4)
        );
        assert_ne!(Some(rooks), Material::parse("KRvKR"));
        for name in [
            "",
            "KQ",
            "QvK",
            "KQvR",
            "KqvK",
            "KXvK",
            "KKvK",
            "KQvKv",
            &format!("K{}vK", "Q".repeat(300)),
        ] {
            assert_eq!(Material::parse(name), None, "{name}");
        }
    }

    #[test]
    fn lists_the_endings_that_captures_and_promotions_lead_to() {
        let ending = Material::parse("KRPvKN").unwrap();
        let captures = [
            "KPvKN", "KRvKN", "KRPvK", "KRQvK", "KRRvK", "KRBvK", "KRNvK",
        ];
        assert_eq!(sorted(ending.after_captures()), named(&captures));
        assert_eq!(
            sorted(ending.after_promotions()),
            named(&["KRQvKN", "KRRvKN", "KRBvKN", "KRNvKN"])
        );
        assert!(Material::parse("KvK").unwrap().after_captures().is_empty());
    }
}
