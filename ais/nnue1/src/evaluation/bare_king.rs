//! A king without pieces or pawns: it is mated at the edge, with the help of the other king.

use ai_api::{Color, Square};

use super::{
    features::{BARE_KING_EDGE, BARE_KING_NEAR},
    tally::Tally,
    view::{View, distance},
};

/// Returns the number of files and ranks between a square and the nearest central one.
fn from_center(square: Square) -> i32 {
    let from_middle = |place: u8| i32::from(if place < 4 { 3 - place } else { place - 4 });
    from_middle(square.file()) + from_middle(square.rank())
}

pub(crate) fn tally(view: &View<'_>, tally: &mut impl Tally) {
    for color in Color::ALL {
        if view.position.color(!color).has_several() {
            continue;
        }
        let [own, bare] = [color, !color].map(|of| view.kings[of.index()]);
        tally.add(color, BARE_KING_EDGE.at(0), from_center(bare));
        tally.add(color, BARE_KING_NEAR.at(0), 7 - distance(own, bare) as i32);
    }
}
