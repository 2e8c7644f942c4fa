//! The six standard perft positions, and perft as the other libraries do it themselves.

/// Name, FEN, depth and the count of that depth.
pub(crate) const POSITIONS: [(&str, &str, u32, u32); 6] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4_865_609),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
    ("rook endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, 11_030_083),
    ("promotions", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5, 15_833_292),
    ("advanced pawn", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2_103_487),
    ("middlegame", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3_894_594),
];

/// As the example of `cozy-chess` counts: sets of moves are added up at the last ply.
pub(crate) fn perft_cozy_chess(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut count = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            count += moves.len() as u64;
            false
        });
    } else {
        board.generate_moves(|moves| {
            for chosen in moves {
                let mut next = board.clone();
                next.play_unchecked(chosen);
                count += perft_cozy_chess(&next, depth - 1);
            }
            false
        });
    }
    count
}

/// The fastest perft of `chess`, by its own word.
pub(crate) fn perft_chess(board: &chess::Board, depth: u32) -> u64 {
    chess::MoveGen::movegen_perft_test(board, depth as usize) as u64
}
