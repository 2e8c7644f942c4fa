//! Perft in three forms, and the parts of a search.

use std::{hint::black_box, mem::MaybeUninit, rc::Rc};

use ai_api::{MAX_MOVES, Move, Position, Role, Square};
use rules::{
    RULES, count_legal_moves, format_san, is_legal, legal_captures, legal_moves, parse_fen,
    parse_san, play, play_into,
};
use shakmaty::{CastlingMode, Chess, Position as _, fen::Fen, san::SanPlus};

use crate::rounds::{Contender, contender, report};

/// The six standard perft positions: name, FEN, and the depth that has about a million paths.
const POSITIONS: [(&str, &str, u32); 6] = [
    (
        "start",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        4,
    ),
    (
        "kiwipete",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        3,
    ),
    (
        "rook endgame",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        5,
    ),
    (
        "promotions",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        4,
    ),
    (
        "advanced pawn",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        3,
    ),
    (
        "middlegame",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        3,
    ),
];

struct Boards {
    ours: Position,
    cozy: cozy_chess::Board,
    chess: chess::Board,
    shakmaty: Chess,
}

impl Boards {
    fn of(fen: &str) -> Self {
        let fen_of_shakmaty: Fen = fen.parse().expect("a FEN");
        Self {
            ours: parse_fen(fen).expect("a legal position"),
            cozy: fen.parse().expect("a legal position"),
            chess: fen.parse().expect("a legal position"),
            shakmaty: fen_of_shakmaty
                .into_position(CastlingMode::Standard)
                .expect("a legal position"),
        }
    }
}

/// A benchmark, its unit and the contenders in a position.
type Work = (
    &'static str,
    &'static str,
    fn(&Boards, u32) -> Vec<Contender<'_>>,
);

const ROWS: [Work; 9] = [
    (
        "perft, last ply counted",
        "million paths/s",
        |boards, depth| {
            vec![
                contender("rules", move || {
                    rules::perft(black_box(&boards.ours), depth)
                }),
                contender("cozy-chess", move || {
                    count_cozy(black_box(&boards.cozy), depth)
                }),
                contender("chess", move || {
                    chess::MoveGen::movegen_perft_test(black_box(&boards.chess), depth as usize)
                        as u64
                }),
                contender("shakmaty", move || {
                    shakmaty::perft(black_box(&boards.shakmaty), depth)
                }),
            ]
        },
    ),
    (
        "perft by public functions, last ply counted",
        "million paths/s",
        |boards, depth| {
            vec![
                contender("rules", move || count_ours(black_box(&boards.ours), depth)),
                contender("cozy-chess", move || {
                    count_cozy(black_box(&boards.cozy), depth)
                }),
                contender("chess", move || {
                    count_chess(black_box(&boards.chess), depth)
                }),
                contender("shakmaty", move || {
                    shakmaty::perft(black_box(&boards.shakmaty), depth)
                }),
            ]
        },
    ),
    ("every leaf played", "million paths/s", |boards, depth| {
        vec![
            contender("rules", move || play_ours(black_box(&boards.ours), depth)),
            contender("rules, vtable", move || {
                play_by_vtable(black_box(&boards.ours), depth)
            }),
            contender("cozy-chess", move || {
                play_cozy(black_box(&boards.cozy), depth)
            }),
            contender("chess", move || play_chess(black_box(&boards.chess), depth)),
            contender("shakmaty", move || {
                play_shakmaty(black_box(&boards.shakmaty), depth)
            }),
        ]
    }),
    ("all moves in SAN", "million characters/s", |boards, _| {
        vec![
            contender("rules", move || {
                let position = black_box(&boards.ours);
                legal_moves(position)
                    .iter()
                    .map(|&chosen| format_san(position, chosen).len() as u64)
                    .sum()
            }),
            contender("shakmaty", move || {
                let position = black_box(&boards.shakmaty);
                let text = |&chosen: &_| {
                    SanPlus::from_move(position.clone(), chosen)
                        .to_string()
                        .len() as u64
                };
                position.legal_moves().iter().map(text).sum()
            }),
        ]
    }),
    ("SAN read", "million moves/s", |boards, _| {
        let texts: Vec<String> = legal_moves(&boards.ours)
            .iter()
            .map(|&chosen| format_san(&boards.ours, chosen).into())
            .collect();
        let (ours, theirs) = (texts.clone(), texts);
        vec![
            contender("rules", move || {
                let position = black_box(&boards.ours);
                ours.iter()
                    .map(|text| u64::from(parse_san(position, text).is_ok()))
                    .sum()
            }),
            contender("shakmaty", move || {
                let position = black_box(&boards.shakmaty);
                let read = |text: &String| {
                    text.parse::<SanPlus>()
                        .is_ok_and(|san| san.san.to_move(position).is_ok())
                };
                theirs.iter().map(|text| u64::from(read(text))).sum()
            }),
        ]
    }),
    ("FEN read", "million positions/s", |boards, _| {
        let fen = rules::format_fen(&boards.ours);
        let fens = [fen.clone(), fen.clone(), fen];
        let [ours, cozy, theirs] = fens;
        vec![
            contender("rules", move || {
                u64::from(parse_fen(black_box(&ours)).is_ok())
            }),
            contender("cozy-chess", move || {
                u64::from(cozy_chess::Board::from_fen(black_box(&cozy), false).is_ok())
            }),
            contender("shakmaty", move || {
                let read = |fen: Fen| fen.into_position::<Chess>(CastlingMode::Standard).is_ok();
                u64::from(black_box(&theirs).parse().is_ok_and(read))
            }),
        ]
    }),
    (
        "captures in every position",
        "million captures/s",
        |boards, depth| {
            let depth = depth - 1;
            vec![
                contender("rules", move || {
                    captures_ours(black_box(&boards.ours), depth)
                }),
                contender("cozy-chess", move || {
                    captures_cozy(black_box(&boards.cozy), depth)
                }),
                contender("shakmaty", move || {
                    captures_shakmaty(black_box(&boards.shakmaty), depth)
                }),
            ]
        },
    ),
    ("evasions of every check", "million moves/s", |boards, _| {
        let checks: Rc<[Boards]> = checks_within(&boards.ours, 3)
            .iter()
            .map(|check| Boards::of(&rules::format_fen(check)))
            .collect();
        let of_all = |name, list: fn(&Boards) -> u64| {
            let checks = Rc::clone(&checks);
            contender(name, move || {
                checks.iter().map(|check| list(black_box(check))).sum()
            })
        };
        vec![
            of_all("rules", |check| {
                black_box(&legal_moves(&check.ours)).len() as u64
            }),
            of_all("cozy-chess", |check| list_cozy(&check.cozy)),
            of_all("chess", |check| list_chess(&check.chess)),
            of_all("shakmaty", |check| {
                black_box(&check.shakmaty.legal_moves()).len() as u64
            }),
        ]
    }),
    ("legality of a move", "million legal ones/s", |boards, _| {
        let ours = candidates(&boards.ours);
        let square = |square: Square| cozy_chess::Square::index(square.index());
        let of_cozy = |chosen: &Move| cozy_chess::Move {
            from: square(chosen.from()),
            to: square(chosen.to()),
            promotion: None,
        };
        let cozy: Vec<_> = ours.iter().map(of_cozy).collect();
        let square = |square: Square| chess::ALL_SQUARES[square.index()];
        let of_chess =
            |chosen: &Move| chess::ChessMove::new(square(chosen.from()), square(chosen.to()), None);
        let chess: Vec<_> = ours.iter().map(of_chess).collect();
        vec![
            contender("rules", move || {
                let position = black_box(&boards.ours);
                ours.iter()
                    .map(|&chosen| u64::from(is_legal(position, chosen)))
                    .sum()
            }),
            contender("cozy-chess", move || {
                let board = black_box(&boards.cozy);
                cozy.iter()
                    .map(|&chosen| u64::from(board.is_legal(chosen)))
                    .sum()
            }),
            contender("chess", move || {
                let board = black_box(&boards.chess);
                chess
                    .iter()
                    .map(|&chosen| u64::from(board.legal(chosen)))
                    .sum()
            }),
        ]
    }),
];

/// Returns the positions in check within `depth` plies.
fn checks_within(position: &Position, depth: u32) -> Vec<Position> {
    let mut found = Vec::new();
    if position.in_check() {
        found.push(*position);
    }
    if depth > 0 {
        let moves = legal_moves(position);
        found.extend(
            moves
                .iter()
                .flat_map(|&chosen| checks_within(&play(position, chosen), depth - 1)),
        );
    }
    found
}

/// Returns a move from every piece of the side to move to every square, legal or not. Leaves out
/// promotions and castling, because castling has several notations.
fn candidates(position: &Position) -> Vec<Move> {
    let is_promotion = |from: Square, to: Square| {
        position.role_at(from) == Some(Role::Pawn) && matches!(to.rank(), 0 | 7)
    };
    let is_castling = |from: Square, to: Square| {
        position.role_at(from) == Some(Role::King) && from.file().abs_diff(to.file()) > 1
    };
    let own = position.color(position.turn());
    own.into_iter()
        .flat_map(|from| Square::all().map(move |to| (from, to)))
        .filter(|&(from, to)| {
            from != to && !own.contains(to) && !is_promotion(from, to) && !is_castling(from, to)
        })
        .map(|(from, to)| Move::new(from, to))
        .collect()
}

/// Measures each row in all positions.
pub fn compare(rounds: usize) {
    let boards: Vec<_> = POSITIONS
        .iter()
        .map(|&(_, fen, depth)| (Boards::of(fen), depth))
        .collect();
    for (work, unit, contenders) in ROWS {
        let cases = boards
            .iter()
            .map(|(boards, depth)| contenders(boards, *depth))
            .collect();
        report("rules", work, unit, rounds, cases);
    }
}

fn count_ours(position: &Position, depth: u32) -> u64 {
    if depth == 1 {
        return u64::from(count_legal_moves(position, position.turn()));
    }
    legal_moves(position)
        .iter()
        .map(|&chosen| count_ours(&play(position, chosen), depth - 1))
        .sum()
}

fn count_cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut count = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            count += moves.len() as u64;
        } else {
            for chosen in moves {
                let mut next = board.clone();
                next.play_unchecked(chosen);
                count += count_cozy(&next, depth - 1);
            }
        }
        false
    });
    count
}

/// Lists the moves in an array, as the other libraries do, and counts them.
fn list_cozy(board: &cozy_chess::Board) -> u64 {
    let mut list = [const { MaybeUninit::uninit() }; MAX_MOVES];
    let mut count = 0;
    board.generate_moves(|moves| {
        for chosen in moves {
            list[count].write(chosen);
            count += 1;
        }
        false
    });
    black_box(&list);
    count as u64
}

/// Lists the moves in an array, as the other libraries do, and counts them.
fn list_chess(board: &chess::Board) -> u64 {
    let mut list = [const { MaybeUninit::uninit() }; MAX_MOVES];
    let mut count = 0;
    for chosen in chess::MoveGen::new_legal(board) {
        list[count].write(chosen);
        count += 1;
    }
    black_box(&list);
    count as u64
}

fn count_chess(board: &chess::Board, depth: u32) -> u64 {
    let moves = chess::MoveGen::new_legal(board);
    if depth == 1 {
        return moves.len() as u64;
    }
    moves
        .map(|chosen| count_chess(&board.make_move_new(chosen), depth - 1))
        .sum()
}

fn play_ours(position: &Position, depth: u32) -> u64 {
    let (mut count, mut next) = (0, *position);
    for &chosen in legal_moves(position).iter() {
        play_into(position, chosen, &mut next);
        count += if depth == 1 {
            u64::from(black_box(&next).turn() != position.turn())
        } else {
            play_ours(&next, depth - 1)
        };
    }
    count
}

/// Plays moves through the function table `RULES`, as an AI does.
fn play_by_vtable(position: &Position, depth: u32) -> u64 {
    let (mut count, mut next) = (0, *position);
    for &chosen in legal_moves(position).iter() {
        (black_box(&RULES).play)(position, chosen, &mut next);
        count += if depth == 1 {
            u64::from(black_box(&next).turn() != position.turn())
        } else {
            play_by_vtable(&next, depth - 1)
        };
    }
    count
}

fn play_cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut count = 0;
    board.generate_moves(|moves| {
        for chosen in moves {
            let mut next = board.clone();
            next.play_unchecked(chosen);
            count += if depth == 1 {
                u64::from(black_box(&next).side_to_move() != board.side_to_move())
            } else {
                play_cozy(&next, depth - 1)
            };
        }
        false
    });
    count
}

fn play_chess(board: &chess::Board, depth: u32) -> u64 {
    let mut count = 0;
    for chosen in chess::MoveGen::new_legal(board) {
        let next = board.make_move_new(chosen);
        count += if depth == 1 {
            u64::from(black_box(&next).side_to_move() != board.side_to_move())
        } else {
            play_chess(&next, depth - 1)
        };
    }
    count
}

fn play_shakmaty(position: &Chess, depth: u32) -> u64 {
    let mut count = 0;
    for chosen in &position.legal_moves() {
        let mut next = position.clone();
        next.play_unchecked(*chosen);
        count += if depth == 1 {
            u64::from(black_box(&next).turn() != position.turn())
        } else {
            play_shakmaty(&next, depth - 1)
        };
    }
    count
}

/// Returns the captures in all positions within `depth` plies, without promotions that do not
/// capture.
fn captures_ours(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return legal_captures(position)
            .iter()
            .filter(|&&chosen| position.is_capture(chosen))
            .count() as u64;
    }
    legal_moves(position)
        .iter()
        .map(|&chosen| captures_ours(&play(position, chosen), depth - 1))
        .sum()
}

fn captures_cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut count = 0;
    let victims = board.colors(!board.side_to_move());
    let target = board.en_passant().map(|file| {
        cozy_chess::Square::new(
            file,
            cozy_chess::Rank::Sixth.relative_to(board.side_to_move()),
        )
    });
    board.generate_moves(|mut moves| {
        if depth == 0 {
            let en_passant = match target {
                Some(target) if moves.piece == cozy_chess::Piece::Pawn => target.bitboard(),
                _ => cozy_chess::BitBoard::EMPTY,
            };
            moves.to &= victims | en_passant;
            count += moves.len() as u64;
        } else {
            for chosen in moves {
                let mut next = board.clone();
                next.play_unchecked(chosen);
                count += captures_cozy(&next, depth - 1);
            }
        }
        false
    });
    count
}

fn captures_shakmaty(position: &Chess, depth: u32) -> u64 {
    if depth == 0 {
        return position.capture_moves().len() as u64;
    }
    position
        .legal_moves()
        .iter()
        .map(|&chosen| {
            let mut next = position.clone();
            next.play_unchecked(chosen);
            captures_shakmaty(&next, depth - 1)
        })
        .sum()
}
