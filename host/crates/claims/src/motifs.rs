//! How a line wins material.

use ai_api::{Position, Role, Square};
use ai_attacks::{attackers, attacks_on_empty_board, between, line as line_through};
use rules::{attackers_of, legal_captures, legal_moves_from, pass, play, worth};

use crate::{
    claim::{Claim, Motif, PlacedPiece},
    line::{Line, can_capture},
    material::Gain,
};

/// The last move that can be a line's motif.
const LATEST: usize = 5;
/// The maximum number of motifs to claim for a line.
const MOST: usize = 2;

/// Returns the claims about how a line wins material.
pub(crate) fn motifs(line: &Line, gain: Gain) -> Vec<Claim> {
    let find_until = |latest: usize, motif: fn(&Line, usize, usize) -> Option<Claim>| {
        line.after_actor(1, gain.after.min(latest)).find_map(|at| {
            let found = motif(line, at, gain.after)?;
            Some(Claim {
                at: Some(at),
                after: gain.after,
                value: Some(gain.value),
                ..found
            })
        })
    };
    let find = |motif| find_until(LATEST, motif);
    // Many forked pieces are also trapped, so a fork takes precedence.
    let attack = find(fork).or_else(|| find(trapped_piece));
    let lined_up = find(skewer).or_else(|| find(pin));
    let others = [
        find_until(gain.after, promotion),
        attack,
        lined_up,
        find(discovered_attack),
        find(removed_defender),
    ];
    others.into_iter().flatten().take(MOST).collect()
}

fn promotion(line: &Line, at: usize, _: usize) -> Option<Claim> {
    line.move_to(at).promotion()?;
    Some(Claim {
        square: Some(line.move_to(at).to()),
        ..line.claim(Motif::Promotion)
    })
}

fn fork(line: &Line, at: usize, after: usize) -> Option<Claim> {
    let (position, square) = (&line.positions[at], line.move_to(at).to());
    let by = line.placed(at, square).filter(|_| !is_castling(line, at))?;
    let is_target = |target: &PlacedPiece| {
        let defenders = attackers_of(position, target.square)[line.victim().index()];
        worth(target.role) > worth(by.role) || target.role != Role::Pawn && defenders.is_empty()
    };
    let targets: Vec<_> = attacked_by(line, at, square).filter(is_target).collect();
    let wins = line.after_actor(at + 2, after).any(|n| {
        let chosen = line.move_to(n);
        chosen.from() == square
            && line.is_undisturbed(square, at, n - 1)
            && targets.iter().any(|target| target.square == chosen.to())
            && line.is_undisturbed(chosen.to(), at, n - 1)
    });
    (targets.len() >= 2 && wins).then(|| Claim {
        by: Some(by),
        targets,
        ..line.claim(Motif::Fork)
    })
}

/// Returns the victim's pieces that the piece on a square attacks in position `n`.
fn attacked_by(line: &Line, n: usize, square: Square) -> impl Iterator<Item = PlacedPiece> {
    let position = &line.positions[n];
    line.by_rank(position.color(line.victim()))
        .filter(move |&target| attackers(position, target, position.occupied()).contains(square))
        .filter_map(move |target| line.placed(n, target))
}

fn is_castling(line: &Line, n: usize) -> bool {
    line.positions[n - 1].is_castling(line.move_to(n))
}

/// A slider of the actor, the piece that it attacks, and the next piece behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct LinedUp {
    by: PlacedPiece,
    front: PlacedPiece,
    behind: PlacedPiece,
}

/// Returns the victim's pieces that are lined up with a slider of the actor in position `n`.
fn lined_up(line: &Line, n: usize) -> Vec<LinedUp> {
    let position = &line.positions[n];
    let sliders = position.color(line.actor)
        & (position.role(Role::Bishop) | position.role(Role::Rook) | position.role(Role::Queen));
    let of_slider = |square: Square| {
        attacked_by(line, n, square).filter_map(move |front| {
            let behind = behind(position, square, front.square)?;
            (position.color_at(behind) == Some(line.victim())).then_some(LinedUp {
                by: line.placed(n, square)?,
                front,
                behind: line.placed(n, behind)?,
            })
        })
    };
    line.by_rank(sliders).flat_map(of_slider).collect()
}

/// Returns the next piece behind a square, on the line from a slider.
fn behind(position: &Position, slider: Square, front: Square) -> Option<Square> {
    let role = position.role_at(slider)?;
    let reach = attacks_on_empty_board(role, slider) & line_through(slider, front);
    let beyond = reach & position.occupied();
    beyond
        .into_iter()
        .filter(|&square| between(slider, square).contains(front))
        .min_by_key(|&square| between(front, square).count())
}

/// Returns the pieces that a move newly lines up. Moving along an existing line doesn't count.
fn newly_lined_up(line: &Line, at: usize) -> impl Iterator<Item = LinedUp> {
    let before = lined_up(line, at - 1);
    let chosen = line.move_to(at);
    let square_before = move |square| {
        if square == chosen.to() {
            chosen.from()
        } else {
            square
        }
    };
    lined_up(line, at).into_iter().filter(move |found| {
        !before.iter().any(|known| {
            known.by.square == square_before(found.by.square)
                && (known.front, known.behind) == (found.front, found.behind)
        })
    })
}

fn pin(line: &Line, at: usize, after: usize) -> Option<Claim> {
    let found = newly_lined_up(line, at).find(|LinedUp { front, behind, .. }| {
        let is_pin = !matches!(front.role, Role::King | Role::Pawn)
            && worth(behind.role) > worth(front.role);
        is_pin && captures(line, front.square, at, after).is_some()
    })?;
    Some(lined_up_claim(line, Motif::Pin, found))
}

fn skewer(line: &Line, at: usize, after: usize) -> Option<Claim> {
    let found = newly_lined_up(line, at).find(|LinedUp { by, front, behind }| {
        let is_skewer = !matches!(behind.role, Role::King | Role::Pawn)
            && worth(front.role) > worth(behind.role);
        let moves_away = at < line.len() && line.move_to(at + 1).from() == front.square;
        is_skewer && moves_away && is_taken_by(line, behind.square, by.square, at, after)
    })?;
    Some(lined_up_claim(line, Motif::Skewer, found))
}

fn lined_up_claim(line: &Line, motif: Motif, found: LinedUp) -> Claim {
    Claim {
        by: Some(found.by),
        piece: Some(found.front.role),
        square: Some(found.front.square),
        behind: Some(found.behind),
        ..line.claim(motif)
    }
}

/// Returns the first position after `at`, up to `after`, in which the actor has captured the piece
/// on a square. The piece must not have moved since `at`.
fn captures(line: &Line, square: Square, at: usize, after: usize) -> Option<usize> {
    line.after_actor(at + 2, after)
        .find(|&n| line.captured(n) == Some(square) && line.is_undisturbed(square, at, n - 1))
}

/// Returns whether the piece on `by` captures the piece on a square later, and neither moves before
/// that.
fn is_taken_by(line: &Line, square: Square, by: Square, at: usize, after: usize) -> bool {
    captures(line, square, at, after)
        .is_some_and(|n| line.move_to(n).from() == by && line.is_undisturbed(by, at, n - 1))
}

fn discovered_attack(line: &Line, at: usize, after: usize) -> Option<Claim> {
    let (position, chosen) = (&line.positions[at], line.move_to(at));
    if is_castling(line, at) {
        return None;
    }
    let captures_next = line.is_capture(at)
        || line
            .after_actor(at + 2, (at + 2).min(after))
            .any(|n| line.is_capture(n) && line.move_to(n).from() == chosen.to());
    let is_discovered = |target: &PlacedPiece, by: Square| {
        let is_won = if target.role == Role::King {
            captures_next && line.is_undisturbed(chosen.to(), at, (at + 1).min(line.len()))
        } else {
            is_taken_by(line, target.square, by, at, after)
        };
        target.role != Role::Pawn && between(by, target.square).contains(chosen.from()) && is_won
    };
    let sliders = line.by_rank(position.color(line.actor));
    let (by, target) = sliders
        .filter(|&by| by != chosen.to())
        .flat_map(|by| attacked_by(line, at, by).map(move |target| (by, target)))
        .find(|(by, target)| is_discovered(target, *by))?;
    Some(Claim {
        by: line.placed(at, by),
        piece: Some(target.role),
        square: Some(target.square),
        ..line.claim(Motif::DiscoveredAttack)
    })
}

fn trapped_piece(line: &Line, at: usize, after: usize) -> Option<Claim> {
    let position = &line.positions[at];
    let victims = position.color(line.victim())
        & !position.role(Role::Pawn)
        & !position.role(Role::King)
        & !position.pinned();
    let is_trapped = |&square: &Square| {
        attackers_of(&line.positions[at - 1], square)[line.actor.index()].is_empty()
            && pass(position).is_some_and(|passed| is_lost_on(&passed, square))
            && legal_moves_from(position, square)
                .iter()
                .all(|&flight| is_lost_on(&play(position, flight), flight.to()))
            && is_caught(line, square, at, after)
    };
    let square = line.by_rank(victims).find(is_trapped)?;
    Some(Claim {
        piece: position.role_at(square),
        square: Some(square),
        ..line.claim(Motif::TrappedPiece)
    })
}

/// Returns whether the side to move can capture a piece with a cheaper piece, or for nothing.
fn is_lost_on(position: &Position, square: Square) -> bool {
    let Some(role) = position.role_at(square) else {
        return false;
    };
    legal_captures(position).iter().any(|capture| {
        let by = position.role_at(capture.from());
        capture.to() == square
            && (by.is_some_and(|by| worth(by) < worth(role))
                || !can_capture(&play(position, *capture), square))
    })
}

/// Returns whether the piece on a square is captured later, even if it has moved.
fn is_caught(line: &Line, mut square: Square, at: usize, after: usize) -> bool {
    for n in at + 1..=after {
        let chosen = line.move_to(n);
        if n % 2 == 0 && chosen.from() == square {
            square = chosen.to();
        } else if n % 2 == 1 && line.captured(n) == Some(square) {
            return true;
        }
    }
    false
}

fn removed_defender(line: &Line, at: usize, after: usize) -> Option<Claim> {
    let defender = line.placed(at - 1, line.captured(at)?)?;
    let before = &line.positions[at - 1];
    let is_left = |&square: &Square| {
        let defenders = attackers_of(before, square)[line.victim().index()];
        let taken = captures(line, square, at, after);
        defenders.contains(defender.square)
            && taken.is_some_and(|n| !can_capture(&line.positions[n], square))
    };
    let victims = before.color(line.victim()) & !before.role(Role::Pawn);
    let square = line.by_rank(victims).find(is_left)?;
    Some(Claim {
        by: Some(defender),
        piece: before.role_at(square),
        square: Some(square),
        ..line.claim(Motif::RemovedDefender)
    })
}
