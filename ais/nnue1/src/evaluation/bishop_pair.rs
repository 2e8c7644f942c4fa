//! Two bishops, which together reach every square.

use ai_api::{Color, Role};

use super::{features::BISHOP_PAIR, tally::Tally, view::View};

pub(crate) fn tally(view: &View<'_>, tally: &mut impl Tally) {
    for color in Color::ALL {
        if view.position.pieces(color, Role::Bishop).has_several() {
            tally.add(color, BISHOP_PAIR.at(0), 1);
        }
    }
}
