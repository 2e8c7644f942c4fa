//! Compares each position of random games, from the standard start and every Chess960 start, with
//! `cozy-chess`. Each run uses a random seed, which a failure prints. Set `RULES_TEST_SEED` to
//! repeat the run.

use std::collections::HashMap;

use ai_api::{CastlingSide, Color, Move, Position, Role, Square};
use fastrand::Rng;
use rules::{
    count_legal_moves, has_legal_move, is_legal, legal_captures, legal_moves, legal_moves_from,
    play,
};

use crate::{naive, position, seed};

const STANDARD_GAMES: u32 = 1_500;
const PLIES: u32 = 160;

/// Returns a random move. Half of the time, it is a pawn move, a capture or castling if possible.
fn choose(random: &mut Rng, position: &Position, moves: &[Move]) -> Move {
    let lively: Vec<Move> = moves
        .iter()
        .copied()
        .filter(|chosen| {
            position.occupied().contains(chosen.to())
                || position.role_at(chosen.from()) == Some(Role::Pawn)
        })
        .collect();
    if lively.is_empty() || random.bool() {
        moves[random.usize(..moves.len())]
    } else {
        lively[random.usize(..lively.len())]
    }
}

fn ours(theirs: cozy_chess::Move) -> Move {
    let square = |square: cozy_chess::Square| Square::from_index(square as u8);
    match theirs.promotion {
        Some(piece) => Move::promoting(
            square(theirs.from),
            square(theirs.to),
            Role::ALL[piece as usize],
        ),
        None => Move::new(square(theirs.from), square(theirs.to)),
    }
}

fn theirs(ours: Move) -> cozy_chess::Move {
    let square = |square: Square| cozy_chess::Square::index(square.index());
    cozy_chess::Move {
        from: square(ours.from()),
        to: square(ours.to()),
        promotion: ours
            .promotion()
            .map(|role| cozy_chess::Piece::index(role.index())),
    }
}

fn legal_moves_of(board: &cozy_chess::Board) -> Vec<Move> {
    let mut moves = Vec::new();
    board.generate_moves(|set| {
        moves.extend(set.into_iter().map(ours));
        false
    });
    moves.sort_unstable();
    moves
}

fn sorted(moves: &[Move]) -> Vec<Move> {
    let mut moves = moves.to_vec();
    moves.sort_unstable();
    moves
}

/// A position under test, and the same position in `cozy-chess`.
struct Pair {
    seed: u64,
    position: Position,
    board: cozy_chess::Board,
    chess960: bool,
}

impl Pair {
    fn new(seed: u64, board: cozy_chess::Board, chess960: bool) -> Self {
        let fen = if chess960 {
            format!("{board:#}")
        } else {
            board.to_string()
        };
        Self {
            seed,
            position: position(&fen),
            board,
            chess960,
        }
    }

    fn context(&self) -> String {
        format!("{:#} (RULES_TEST_SEED={})", self.board, self.seed)
    }

    fn play(&mut self, chosen: Move) {
        self.position = play(&self.position, chosen);
        self.board.play_unchecked(theirs(chosen));
    }

    fn check(&self, random: &mut Rng) -> Vec<Move> {
        let moves = legal_moves(&self.position);
        let expected = legal_moves_of(&self.board);
        assert_eq!(
            sorted(&moves),
            expected,
            "legal moves of {}",
            self.context()
        );
        assert_eq!(
            moves[..],
            legal_moves(&self.position)[..],
            "different order in {}",
            self.context()
        );
        self.check_queries(&moves, random);
        self.check_mobility(expected.len());
        self.check_state(&expected);
        self.check_result(expected.is_empty());
        moves.to_vec()
    }

    fn check_queries(&self, moves: &[Move], random: &mut Rng) {
        let position = &self.position;
        for &chosen in moves {
            assert!(
                is_legal(position, chosen),
                "{chosen} is legal in {}",
                self.context()
            );
        }
        for _ in 0..100 {
            let any = Move::from_bits(random.u16(..));
            assert_eq!(
                is_legal(position, any),
                moves.contains(&any),
                "{any:?} in {}",
                self.context()
            );
        }
        for from in Square::all() {
            let expected: Vec<Move> = moves
                .iter()
                .copied()
                .filter(|chosen| chosen.from() == from)
                .collect();
            let found = legal_moves_from(position, from);
            assert_eq!(
                sorted(&found),
                sorted(&expected),
                "moves from {from} in {}",
                self.context()
            );
        }
        let enemy = position.color(!position.turn());
        let pawns = position.role(Role::Pawn);
        let captures: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|chosen| {
                let en_passant =
                    pawns.contains(chosen.from()) && chosen.from().file() != chosen.to().file();
                enemy.contains(chosen.to()) || en_passant || chosen.promotion().is_some()
            })
            .collect();
        assert_eq!(
            sorted(&legal_captures(position)),
            sorted(&captures),
            "captures in {}",
            self.context()
        );
    }

    fn check_mobility(&self, own: usize) {
        let turn = self.position.turn();
        let count = |color| count_legal_moves(&self.position, color) as usize;
        assert_eq!(count(turn), own, "the mover's moves in {}", self.context());
        assert_eq!(
            has_legal_move(&self.position),
            own > 0,
            "{}",
            self.context()
        );
        let waiting = naive::count_moves(&self.position, !turn);
        assert_eq!(
            count(!turn),
            waiting,
            "moves of the waiting side in {}",
            self.context()
        );
        if let Some(passed) = self.board.null_move() {
            assert_eq!(legal_moves_of(&passed).len(), waiting, "{}", self.context());
        }
    }

    /// Compares placement, turn, rights, clocks, checkers, pins and hash with the other library and
    /// with the parsed FEN.
    fn check_state(&self, moves: &[Move]) {
        let (position, board) = (&self.position, &self.board);
        for role in Role::ALL {
            let expected = board.pieces(cozy_chess::Piece::index(role.index())).0;
            assert_eq!(
                position.role(role).0,
                expected,
                "{} of {}",
                role.name(),
                self.context()
            );
        }
        for color in Color::ALL {
            let other = cozy_chess::Color::index(color.index());
            assert_eq!(
                position.color(color).0,
                board.colors(other).0,
                "{} of {}",
                color.name(),
                self.context()
            );
            let rights = board.castle_rights(other);
            let file = |side| position.castling().rook_file(color, side);
            assert_eq!(
                file(CastlingSide::King),
                rights.short.map(|file| file as u8),
                "{}",
                self.context()
            );
            assert_eq!(
                file(CastlingSide::Queen),
                rights.long.map(|file| file as u8),
                "{}",
                self.context()
            );
        }
        assert_eq!(
            position.turn().index(),
            board.side_to_move() as usize,
            "{}",
            self.context()
        );
        assert_eq!(
            position.halfmove_clock(),
            board.halfmove_clock(),
            "{}",
            self.context()
        );
        assert_eq!(
            position.fullmove_number(),
            board.fullmove_number(),
            "{}",
            self.context()
        );
        assert_eq!(
            position.checkers().0,
            board.checkers().0,
            "checkers of {}",
            self.context()
        );
        let pinned = board.pinned().0 & position.color(position.turn()).0;
        assert_eq!(
            position.pinned().0,
            pinned,
            "pinned pieces of {}",
            self.context()
        );
        let en_passant = moves.iter().find(|chosen| {
            position.role(Role::Pawn).contains(chosen.from())
                && chosen.from().file() != chosen.to().file()
                && !position.occupied().contains(chosen.to())
        });
        assert_eq!(
            position.en_passant(),
            en_passant.map(|chosen| chosen.to()),
            "{}",
            self.context()
        );
        let read = Self::new(self.seed, self.board.clone(), self.chess960).position;
        assert_eq!(
            read.hash(),
            position.hash(),
            "hash from scratch of {}",
            self.context()
        );
        assert_eq!(read.checkers(), position.checkers(), "{}", self.context());
        assert_eq!(read.pinned(), position.pinned(), "{}", self.context());
    }

    fn check_result(&self, over: bool) {
        let mated = over && self.position.in_check();
        let expected = self.board.status() == cozy_chess::GameStatus::Won;
        assert_eq!(mated, expected, "checkmate in {}", self.context());
    }

    /// Returns the fields that identify a position, as text.
    fn identity(&self) -> String {
        let text = format!("{:#}", self.board);
        let placement_turn_rights: Vec<&str> = text.split(' ').take(3).collect();
        format!(
            "{} {:?}",
            placement_turn_rights.join(" "),
            self.position.en_passant()
        )
    }
}

/// Plays games from `starts` and checks every position. Returns the number of checked positions.
fn play_games(seed: u64, chess960: bool, starts: impl Iterator<Item = cozy_chess::Board>) -> usize {
    let mut random = Rng::with_seed(seed);
    let mut hashes = HashMap::new();
    let mut identities = HashMap::new();
    let mut positions = 0;
    for start in starts {
        let mut pair = Pair::new(seed, start, chess960);
        for _ in 0..PLIES {
            let moves = pair.check(&mut random);
            positions += 1;
            let (hash, identity) = (pair.position.hash(), pair.identity());
            let known = hashes.entry(identity.clone()).or_insert(hash);
            assert_eq!(*known, hash, "one position, one hash: {}", pair.context());
            let known = identities.entry(hash).or_insert_with(|| identity.clone());
            assert_eq!(
                *known,
                identity,
                "one hash, one position: {}",
                pair.context()
            );
            if moves.is_empty() || pair.position.halfmove_clock() == 100 {
                break;
            }
            let chosen = choose(&mut random, &pair.position, &moves);
            pair.play(chosen);
        }
    }
    positions
}

#[test]
fn agrees_on_random_games_from_the_standard_start() {
    let starts = (0..STANDARD_GAMES).map(|_| cozy_chess::Board::startpos());
    let positions = play_games(seed(), false, starts);
    assert!(
        positions > 100_000,
        "only {positions} positions were compared"
    );
}

#[test]
fn agrees_on_random_games_from_every_chess960_start() {
    let starts = (0..960).map(cozy_chess::Board::chess960_startpos);
    let positions = play_games(seed(), true, starts);
    assert!(
        positions > 60_000,
        "only {positions} positions were compared"
    );
}

#[test]
fn transpositions_have_the_same_hash() {
    let seed = seed();
    let mut random = Rng::with_seed(seed);
    let mut met = 0;
    for game in 0..400 {
        let mut pair = Pair::new(seed, cozy_chess::Board::chess960_startpos(game * 2), true);
        for _ in 0..60 {
            let moves = legal_moves(&pair.position);
            if moves.is_empty() {
                break;
            }
            let first = choose(&mut random, &pair.position, &moves);
            let mut line = vec![first];
            let mut current = play(&pair.position, first);
            for _ in 0..2 {
                let replies = legal_moves(&current);
                if replies.is_empty() {
                    break;
                }
                line.push(choose(&mut random, &current, &replies));
                current = play(&current, line[line.len() - 1]);
            }
            if let [a, b, c] = line[..] {
                let mut other = Some(pair.position);
                for chosen in [c, b, a] {
                    other = other
                        .filter(|at| is_legal(at, chosen))
                        .map(|at| play(&at, chosen));
                }
                if let Some(other) = other {
                    let same = other.parts().roles == current.parts().roles
                        && other.parts().colors == current.parts().colors
                        && other.castling() == current.castling()
                        && other.en_passant() == current.en_passant();
                    assert_eq!(
                        same,
                        other.hash() == current.hash(),
                        "{line:?} in {}",
                        pair.context()
                    );
                    met += u32::from(same);
                }
            }
            pair.play(first);
        }
    }
    assert!(met > 1_000, "only {met} transpositions");
}

#[test]
fn garbage_moves_do_not_panic() {
    let seed = seed();
    let mut random = Rng::with_seed(seed);
    let mut position = Pair::new(seed, cozy_chess::Board::startpos(), false).position;
    let start = position;
    for round in 0..200_000 {
        if round % 50 == 0 {
            position = start;
        }
        position = play(&position, Move::from_bits(random.u16(..)));
        let _ = (
            legal_moves(&position),
            legal_captures(&position),
            has_legal_move(&position),
        );
        let _ = Color::ALL.map(|color| count_legal_moves(&position, color));
        let _ = is_legal(&position, Move::from_bits(random.u16(..)));
    }
}
