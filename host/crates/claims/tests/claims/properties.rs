//! Properties of every claim, whatever line an AI reports.

use ai_api::{Color, Move, Position, Role, Score, Square};
use claims::{Claim, Judged, LineStart, MateEffort, claims};
use fastrand::Rng;
use proptest::prelude::*;
use rules::{format_fen, is_legal, legal_captures, legal_moves, parse_fen, play, start_position};

/// Returns a line of random legal moves, with a preference for captures.
fn random_line(start: &Position, plies: usize, random: &mut Rng) -> Vec<Move> {
    let mut position = *start;
    let mut line = Vec::new();
    while line.len() < plies {
        let (all, captures) = (legal_moves(&position), legal_captures(&position));
        let among = if !captures.is_empty() && random.u8(..3) > 0 {
            captures
        } else {
            all
        };
        let Some(&chosen) = among.get(random.usize(..among.len().max(1))) else {
            break;
        };
        line.push(chosen);
        position = play(&position, chosen);
    }
    line
}

/// A random position with a move, a line after it and another line, from a seed.
struct Random {
    before: Position,
    played: Move,
    reply: Vec<Move>,
    better: Vec<Move>,
    scores: [Score; 2],
}

impl Random {
    fn new(seed: u64) -> Option<Self> {
        let mut random = Rng::with_seed(seed);
        let plies = random.usize(..80);
        let before = random_line(&start_position(), plies, &mut random)
            .into_iter()
            .fold(start_position(), |position, chosen| play(&position, chosen));
        let [played] = *random_line(&before, 1, &mut random) else {
            return None;
        };
        let mut line = |start| {
            let moves = random.usize(..14);
            random_line(start, moves, &mut random)
        };
        let (reply, better) = (line(&play(&before, played)), line(&before));
        let mut score = || match random.u8(..5) {
            0 => Score::mate_in_plies(random.u32(1..7)),
            1 => Score::mated_in_plies(random.u32(1..7)),
            _ => Score::centipawns(random.i32(-900..900)),
        };
        Some(Self {
            before,
            played,
            reply,
            better,
            scores: [score(), score()],
        })
    }

    fn claims(&self, is_bad: bool) -> Vec<Claim> {
        let judged = Judged {
            before: &self.before,
            played: self.played,
            lost_before: None,
            reply: &self.reply,
            better: if is_bad { &self.better } else { &[] },
            second: &[],
            scores: self.scores.map(Some),
            is_bad,
        };
        claims(&judged, &mut MateEffort::default())
    }

    /// Returns the same case with colors swapped.
    fn mirrored(&self) -> Self {
        let moves = |line: &[Move]| line.iter().copied().map(mirrored_move).collect();
        Self {
            before: mirrored_position(&self.before),
            played: mirrored_move(self.played),
            reply: moves(&self.reply),
            better: moves(&self.better),
            scores: self.scores.map(|score| Score::from_value(-score.value())),
        }
    }
}

fn mirrored_square(square: Square) -> Square {
    Square::new(square.file(), 7 - square.rank())
}

fn mirrored_move(chosen: Move) -> Move {
    let (from, to) = (mirrored_square(chosen.from()), mirrored_square(chosen.to()));
    chosen
        .promotion()
        .map_or(Move::new(from, to), |role| Move::promoting(from, to, role))
}

fn mirrored_position(position: &Position) -> Position {
    let fen = format_fen(position);
    let fields: Vec<_> = fen.split(' ').collect();
    let swapped = |text: &str| -> String {
        text.chars()
            .map(|letter| {
                if letter.is_ascii_uppercase() {
                    letter.to_ascii_lowercase()
                } else {
                    letter.to_ascii_uppercase()
                }
            })
            .collect()
    };
    let ranks: Vec<_> = fields[0].split('/').rev().map(swapped).collect();
    let turn = if fields[1] == "w" { "b" } else { "w" };
    let passed = fields[3]
        .replace('3', "x")
        .replace('6', "3")
        .replace('x', "6");
    let text = format!(
        "{} {turn} {} {passed} {} {}",
        ranks.join("/"),
        swapped(fields[2]),
        fields[4],
        fields[5]
    );
    parse_fen(&text).unwrap()
}

fn material(position: &Position, side: Color) -> i32 {
    let count = |role, color| position.pieces(color, role).count() as i32;
    [
        (Role::Pawn, 1),
        (Role::Knight, 3),
        (Role::Bishop, 3),
        (Role::Rook, 5),
        (Role::Queen, 9),
    ]
    .into_iter()
    .map(|(role, worth)| worth * (count(role, side) - count(role, !side)))
    .sum()
}

fn check(random: &Random, claim: &Claim) -> Result<(), TestCaseError> {
    let start = match claim.start {
        LineStart::Before => random.before,
        LineStart::After => play(&random.before, random.played),
    };
    let mut positions = vec![start];
    for &chosen in &claim.line {
        let last = *positions.last().unwrap();
        prop_assert!(is_legal(&last, chosen), "{claim:?}");
        positions.push(play(&last, chosen));
    }
    prop_assert!(claim.after <= claim.line.len(), "{claim:?}");
    if let Some(value) = claim.value {
        let actor = start.turn();
        let gain = material(&positions[claim.after], actor) - material(&random.before, actor);
        prop_assert_eq!(gain, value, "{:?}", claim);
        prop_assert!(value > 0);
    }
    if claim.moves.is_some() {
        let last = positions.last().unwrap();
        prop_assert!(last.in_check() && legal_moves(last).is_empty(), "{claim:?}");
    }
    if let (Some(role), Some(square), Some(at)) = (claim.piece, claim.square, claim.at) {
        let placed = [at - 1, at].map(|n| positions[n].role_at(square) == Some(role));
        prop_assert!(placed.contains(&true), "{claim:?}");
    }
    prop_assert!(!claim.text().contains(['{', '}']), "{}", claim.text());
    Ok(())
}

/// Returns the parts of a claim that must equal its mirror image's. `square` maps the squares.
fn summary(claim: &Claim, square: impl Fn(Square) -> Square) -> impl PartialEq + std::fmt::Debug {
    let squares: Vec<_> = [claim.square]
        .into_iter()
        .chain([claim.by, claim.behind].map(|piece| piece.map(|piece| piece.square)))
        .map(|found| found.map(&square))
        .collect();
    let mut targets: Vec<_> = claim
        .targets
        .iter()
        .map(|target| square(target.square).index())
        .collect();
    targets.sort_unstable();
    let of_claim = (claim.kind, claim.after, claim.at, claim.value, claim.moves);
    (of_claim, claim.exchange.clone(), squares, targets)
}

fn check_mirrored(seed: u64, is_bad: bool) -> Result<(), TestCaseError> {
    let Some(random) = Random::new(seed) else {
        return Ok(());
    };
    let found = random.claims(is_bad);
    let mirrored = random.mirrored().claims(is_bad);
    let found: Vec<_> = found
        .iter()
        .map(|claim| summary(claim, |square| square))
        .collect();
    let mirrored: Vec<_> = mirrored
        .iter()
        .map(|claim| summary(claim, mirrored_square))
        .collect();
    prop_assert_eq!(
        format!("{found:?}"),
        format!("{mirrored:?}"),
        "{}",
        format_fen(&random.before)
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_line_proves_its_claim(seed: u64, is_bad: bool) {
        if let Some(random) = Random::new(seed) {
            for claim in random.claims(is_bad) {
                check(&random, &claim)?;
            }
        }
    }

    #[test]
    fn mirrored_positions_have_mirrored_claims(seed: u64, is_bad: bool) {
        check_mirrored(seed, is_bad)?;
    }
}

/// Two pieces lose their defender.
#[test]
fn chooses_the_same_claim_for_both_colors() {
    check_mirrored(3_438_933_975_955_416_320, true).unwrap();
}
