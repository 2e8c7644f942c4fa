//! Networks can be reproduced from their seed.

use std::{ops::Range, sync::Arc};

use ai_api::{Color, Position, Role};
use ai_nnue1::{
    evaluation::Evaluate,
    net::{Net, NetEvaluation},
};
use workshop::{GameResult, Origin, Random, Sample, Targets, Training, train};

const TINY: Training = Training {
    width: 16,
    epochs: 2,
    seed: 7,
    batch: 64,
    rate: 0.01,
    targets: Targets {
        result_part: 0.5,
        leaf_result_part: 0.0,
    },
};

/// Returns White's material in centipawns.
fn material(position: &Position) -> i32 {
    let values = [
        (Role::Pawn, 100),
        (Role::Knight, 300),
        (Role::Bishop, 300),
        (Role::Rook, 500),
        (Role::Queen, 900),
    ];
    let of = |color| {
        values
            .map(|(role, value)| value * position.pieces(color, role).count() as i32)
            .iter()
            .sum::<i32>()
    };
    of(Color::White) - of(Color::Black)
}

/// Returns positions from random games, judged by their material.
fn samples(games: Range<u64>) -> Vec<Sample> {
    let mut samples = Vec::new();
    for game in games {
        let mut random = Random::for_task(1, game);
        let mut position = rules::start_position();
        for ply in 0..120 {
            let Some(&chosen) = random.choose(&rules::legal_moves(&position)) else {
                break;
            };
            position = rules::play(&position, chosen);
            let score = material(&position);
            let result = match score {
                ..-150 => GameResult::BlackWins,
                -150..=150 => GameResult::Draw,
                151.. => GameResult::WhiteWins,
            };
            let origin = if ply % 2 == 0 {
                Origin::Game
            } else {
                Origin::Leaf
            };
            samples.push(Sample::new(&position, origin, score as i16, result));
        }
    }
    samples
}

/// Returns the 64-bit FNV-1a hash of a network's file.
fn hash(net: &Net) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    net.to_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn reproduces_a_network_bit_for_bit() {
    let net = train(&samples(0..5), &TINY, |_, _| ()).unwrap();
    assert_eq!(format!("{:016x}", hash(&net)), "55c5c0fb3f58be5c");
    let other = train(&samples(0..5), &Training { seed: 8, ..TINY }, |_, _| ()).unwrap();
    assert_ne!(hash(&net), hash(&other));
}

#[test]
fn a_network_learns_which_side_has_more_material() {
    let mut losses = Vec::new();
    let net = train(
        &samples(0..100),
        &Training { epochs: 10, ..TINY },
        |_, loss| losses.push(loss),
    )
    .unwrap();
    assert!(losses[9] < losses[0] / 4.0, "{losses:?}");
    let mut evaluation = NetEvaluation::new(Arc::new(net));
    let unseen = samples(100..110);
    let clear = unseen.iter().filter(|sample| sample.score.abs() >= 300);
    let (right, wrong): (Vec<&Sample>, Vec<&Sample>) = clear.partition(|sample| {
        let position = sample.position().unwrap();
        evaluation.evaluate(0, &position) * sample.turn.sign() * i32::from(sample.score) > 0
    });
    assert!(
        right.len() > 100 && wrong.len() < right.len() / 20,
        "{} right, {} wrong",
        right.len(),
        wrong.len()
    );
}

#[test]
fn rejects_options_out_of_bounds() {
    let error =
        |samples: &[Sample], options| train(samples, &options, |_, _| ()).unwrap_err().to_string();
    assert!(error(&[], TINY).contains("no samples"));
    let some = samples(0..1);
    assert!(
        error(&some, Training { width: 17, ..TINY })
            .contains("--width 17: expected a multiple of 16")
    );
    assert!(error(&some, Training { batch: 0, ..TINY }).contains("expected at least 1"));
}
