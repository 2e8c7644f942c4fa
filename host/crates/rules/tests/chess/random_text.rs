//! Text and validation in random games, from the standard start and Chess960 starts.
//!
//! Each run uses a random seed, which a failure prints. Set `RULES_TEST_SEED` to repeat the run.

use std::collections::HashSet;

use ai_api::{Color, Move, Position, Role, Square};
use fastrand::Rng;
use rules::{
    Game, IllegalReason, Setup, format_fen, format_san, format_uci, is_legal, legal_moves,
    parse_fen, parse_san, parse_uci, play, start_position, why_illegal,
};

use crate::{Boards, as_in_fen, boards_of, position, random_games::random_game, seed};

const GAMES: usize = 150;
const PLIES: usize = 150;

/// The standard start and Chess960 starts, alternating.
fn starts(random: &mut Rng) -> impl Iterator<Item = Position> {
    (0..GAMES).map(|index| {
        let board = cozy_chess::Board::chess960_startpos(random.usize(..960) as u32);
        match index % 2 {
            0 => start_position(),
            _ => position(&format!("{board:#}")),
        }
    })
}

/// Checks every position of random games.
pub(crate) fn in_every_position(mut check: impl FnMut(&Position, &mut Rng) -> Result<(), String>) {
    let seed = seed();
    let mut random = Rng::with_seed(seed);
    let mut count = 0;
    for start in starts(&mut Rng::with_seed(seed)) {
        let game = random_game(start, PLIES, &mut random);
        let mut position = start;
        for chosen in game.moves().iter().map(Some).chain([None]) {
            if let Err(wrong) = check(&position, &mut random) {
                panic!(
                    "{wrong} in {} (RULES_TEST_SEED={seed})",
                    format_fen(&position)
                );
            }
            count += 1;
            if let Some(&chosen) = chosen {
                position = play(&position, chosen);
            }
        }
    }
    assert!(count > 5_000, "only {count} positions");
}

fn equal<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("found {found:?}, expected {expected:?}"))
    }
}

#[test]
fn fen_and_set_ups_round_trip() {
    in_every_position(|position, _| {
        let read = parse_fen(&format_fen(position)).map_err(|issues| format!("{issues:?}"))?;
        equal(&read, &as_in_fen(position))?;
        equal(&Setup::from(position).into_position(), &Ok(*position))
    });
}

#[test]
fn fen_agrees_with_cozy_chess() {
    in_every_position(|position, _| {
        let text = format_fen(position);
        if position.halfmove_clock() > 100 {
            return Ok(());
        }
        let board = cozy_chess::Board::from_fen(&text, position.is_chess960())
            .map_err(|error| error.to_string())?;
        let theirs = if position.is_chess960() {
            format!("{board:#}")
        } else {
            board.to_string()
        };
        equal(&text, &theirs)
    });
}

#[test]
fn accepts_the_en_passant_square_of_any_double_step() {
    let mut count = 0;
    in_every_position(|position, _| {
        for &chosen in &legal_moves(position) {
            let (from, to) = (chosen.from(), chosen.to());
            if position.role_at(from) != Some(Role::Pawn) || from.rank().abs_diff(to.rank()) != 2 {
                continue;
            }
            let after = play(position, chosen);
            let mut setup = Setup::from(&after);
            setup.en_passant = Some(Square::new(to.file(), from.rank().midpoint(to.rank())));
            equal(&setup.into_position(), &Ok(after))?;
            count += 1;
        }
        Ok(())
    });
    assert!(count > 1_000, "only {count} double steps");
}

#[test]
fn uci_and_san_round_trip() {
    in_every_position(|position, _| {
        let moves = legal_moves(position);
        let mut names = HashSet::new();
        for &chosen in &moves {
            let uci = format_uci(position, chosen).to_string();
            equal(&parse_uci(position, &uci), &Ok(chosen))?;
            equal(&parse_uci(position, &chosen.to_string()), &Ok(chosen))?;
            let san = format_san(position, chosen);
            equal(&parse_san(position, &san), &Ok(chosen))?;
            let after = play(position, chosen);
            equal(&san.ends_with(['+', '#']), &after.in_check())?;
            equal(
                &san.ends_with('#'),
                &(after.in_check() && legal_moves(&after).is_empty()),
            )?;
            names.insert(san);
        }
        equal(&names.len(), &moves.len())
    });
}

#[test]
fn san_is_never_longer_than_needed() {
    in_every_position(|position, _| {
        for &chosen in &legal_moves(position) {
            let san = format_san(position, chosen);
            let bare = san.trim_end_matches(['+', '#']).replace('x', "");
            if !bare.starts_with(['N', 'B', 'R', 'Q']) {
                continue;
            }
            // If any character of the origin is left out, the SAN is ambiguous.
            for letter in 1..bare.len() - 2 {
                let shorter = format!("{}{}", &bare[..letter], &bare[letter + 1..]);
                if parse_san(position, &shorter).is_ok() {
                    return Err(format!("{shorter} is enough, found {san}"));
                }
            }
        }
        Ok(())
    });
}

/// Returns whether a reason matches the board.
fn holds(position: &Position, chosen: Move, reason: IllegalReason) -> bool {
    let (from, to, turn) = (chosen.from(), chosen.to(), position.turn());
    match reason {
        IllegalReason::NoPiece { .. } => !position.occupied().contains(from),
        IllegalReason::OpponentsPiece { owner, .. } => {
            owner != turn && position.color(owner).contains(from)
        }
        IllegalReason::OwnPieceOnTarget { .. } => position.color(turn).contains(to),
        IllegalReason::Blocked { by, blocker, .. } => position.role_at(by) == Some(blocker),
        IllegalReason::KingInCheck { king, by, .. } => {
            position.color(!turn).contains(by) && (king == position.king(turn) || king == to)
        }
        IllegalReason::NothingToCapture { .. } | IllegalReason::EnPassantNotAvailable { .. } => {
            !position.occupied().contains(to) && from.file() != to.file()
        }
        IllegalReason::PromotionMissing { .. } => {
            Role::PROMOTIONS
                .into_iter()
                .any(|role| is_legal(position, Move::promoting(from, to, role)))
                || why_illegal(position, Move::promoting(from, to, Role::Queen)).is_some()
        }
        IllegalReason::PromotionNotAllowed { .. } => chosen.promotion().is_some(),
        IllegalReason::DoesNotMoveSo { role, .. } => position.role_at(from) == Some(role),
        IllegalReason::Castling(_) => position.king(turn) == from,
    }
}

#[test]
fn gives_a_true_reason_only_for_illegal_moves() {
    in_every_position(|position, random| {
        for _ in 0..500 {
            let (from, to) = (
                Square::from_index(random.u8(..)),
                Square::from_index(random.u8(..)),
            );
            let chosen = match random.usize(..4) {
                0 => Move::promoting(from, to, Role::PROMOTIONS[random.usize(..4)]),
                _ => Move::new(from, to),
            };
            match why_illegal(position, chosen) {
                None if is_legal(position, chosen) => {}
                Some(reason) if !is_legal(position, chosen) && holds(position, chosen, reason) => {}
                other => return Err(format!("{chosen}: {other:?}")),
            }
        }
        Ok(())
    });
}

#[test]
fn reports_that_a_piece_does_not_move_so_only_if_the_geometry_is_wrong() {
    in_every_position(|position, random| {
        let own = position
            .color(position.turn())
            .into_iter()
            .collect::<Vec<_>>();
        let from = own[random.usize(..own.len())];
        for to in Square::all() {
            let Some(reason) = why_illegal(position, Move::new(from, to)) else {
                continue;
            };
            let (files, ranks) = (
                from.file().abs_diff(to.file()),
                from.rank().abs_diff(to.rank()),
            );
            let has_geometry = match position.role_at(from) {
                Some(Role::Knight) => files * ranks == 2,
                Some(Role::Bishop) => files == ranks && files > 0,
                Some(Role::Rook) => (files == 0) != (ranks == 0),
                Some(Role::Queen) => (files == 0) != (ranks == 0) || files == ranks && files > 0,
                _ => continue,
            };
            let is_wrong_kind = matches!(reason, IllegalReason::DoesNotMoveSo { .. });
            if is_wrong_kind == has_geometry && !position.color(position.turn()).contains(to) {
                return Err(format!("{from}{to}: {reason}"));
            }
        }
        Ok(())
    });
}

/// The moves and boards of a random game from the standard start.
fn moves_and_boards(random: &mut Rng) -> (Game, Vec<String>, Boards) {
    let game = random_game(start_position(), 200, random);
    let (moves, boards) = (game.uci_moves(), boards_of(&game));
    (game, moves, boards)
}

#[test]
fn boards_and_moves_give_the_same_game() {
    let seed = seed();
    let mut random = Rng::with_seed(seed);
    for _ in 0..GAMES {
        let (game, moves, boards) = moves_and_boards(&mut random);
        let turn =
            [None, Some(game.position().turn())][random.usize(..2)].filter(|_| boards.len() > 1);
        let from_moves = Game::from_moves(None, &moves).expect("legal moves");
        let (from_boards, assumed) =
            Game::from_boards(&boards, turn).expect("boards of legal moves");
        for read in [&from_moves, &from_boards] {
            assert_eq!(read.position(), game.position(), "RULES_TEST_SEED={seed}");
            assert_eq!(read.moves(), game.moves(), "RULES_TEST_SEED={seed}");
            assert_eq!(read.status(), game.status(), "RULES_TEST_SEED={seed}");
            assert_eq!(read.history(), game.history(), "RULES_TEST_SEED={seed}");
        }
        assert_eq!(
            (assumed.castling.as_str(), assumed.en_passant.as_str()),
            ("KQkq", "-")
        );

        // Any later board may come first. The reader then detects en passant by itself and assumes
        // castling rights.
        let skipped = random.usize(..boards.len().saturating_sub(1).max(1));
        let (rest, _) = Game::from_boards(&boards[skipped..], Some(game.position().turn()))
            .unwrap_or_else(|issues| {
                panic!("{issues:?} after {skipped} of {moves:?}, RULES_TEST_SEED={seed}")
            });
        assert_eq!(
            rest.moves(),
            &game.moves()[skipped..],
            "RULES_TEST_SEED={seed}"
        );
    }
}

#[test]
fn reports_the_first_bad_ply() {
    let seed = seed();
    let mut random = Rng::with_seed(seed);
    for _ in 0..GAMES {
        let (game, mut moves, mut boards) = moves_and_boards(&mut random);
        let ply = 1 + random.usize(..moves.len());
        let before = game.moves()[..ply - 1]
            .iter()
            .fold(*game.start(), |position, &chosen| play(&position, chosen));
        let illegal = loop {
            let (from, to) = (
                Square::from_index(random.u8(..)),
                Square::from_index(random.u8(..)),
            );
            if parse_uci(&before, &format!("{from}{to}")).is_err() {
                break Move::new(from, to);
            }
        };
        moves[ply - 1] = illegal.to_string();
        let issues = Game::from_moves(None, &moves).expect_err("one move is illegal");
        assert_eq!(
            (issues[0].code, issues[0].ply),
            ("illegal_move", Some(ply)),
            "RULES_TEST_SEED={seed}"
        );

        boards[ply] = boards[ply - 1].clone();
        let issues = Game::from_boards(&boards, None).expect_err("two boards are the same");
        assert_eq!(
            (issues[0].code, issues[0].ply),
            ("not_one_move", Some(ply)),
            "RULES_TEST_SEED={seed}"
        );
    }
}

#[test]
fn colors_alternate_in_every_game() {
    let mut random = Rng::with_seed(seed());
    let (game, ..) = moves_and_boards(&mut random);
    let turn = if game.moves().len() % 2 == 0 {
        Color::White
    } else {
        Color::Black
    };
    assert_eq!(game.position().turn(), turn);
}
