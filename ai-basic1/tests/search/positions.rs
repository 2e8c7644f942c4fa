//! Varied positions from seeded random games.

use ai_api::Position;
use fastrand::Rng;

use crate::{Case, MIDDLEGAME, START, with_host};

pub(crate) fn fen(text: &str) -> Position {
    rules::parse_fen(text).unwrap_or_else(|issues| panic!("{text}: {issues:?}"))
}

/// Start positions: openings, middlegames, endgames, promotions, near mates and stalemates, and
/// high half-move clocks.
const BEGINNINGS: [&str; 28] = [
    START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    MIDDLEGAME,
    "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1",
    "8/P6k/8/8/8/8/p6K/8 w - - 0 1",
    "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
    "7k/5K2/8/6Q1/8/8/8/8 w - - 0 1",
    "8/8/8/8/8/5k2/7q/5K2 w - - 10 60",
    "8/8/3k4/8/3K4/4R3/8/8 w - - 20 80",
    "8/8/8/3k4/8/2BBK3/8/8 w - - 0 1",
    "8/8/8/8/3k4/8/1q6/3KR3 b - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1",
    "8/8/7k/8/8/8/R7/1R4K1 w - - 0 1",
    "8/8/8/3k4/3p4/3K4/8/5B2 w - - 0 1",
    "8/8/4k3/8/2n5/8/1P2K3/8 w - - 0 1",
    "4k3/2p5/8/3P4/8/8/2p5/4K3 b - - 0 1",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    "k7/2Q5/8/8/8/8/8/7K w - - 0 1",
    "7k/8/6K1/8/8/8/8/1R6 w - - 97 90",
    "7k/8/6K1/8/8/8/8/1R6 w - - 99 90",
    "8/8/3k4/8/3K4/4R3/8/8 b - - 96 80",
    "4k3/4p3/8/8/8/8/4q3/K5N1 w - - 98 120",
    "8/5k2/8/8/2r5/8/4K1R1/8 w - - 100 90",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
];

/// Returns the last positions of random games, `games` from each start, with their histories. In
/// every other game, the earlier positions have occurred twice. Deterministic.
pub(crate) fn varied(games: usize) -> Vec<Case> {
    let mut random = Rng::with_seed(2014);
    let mut cases = Vec::new();
    for beginning in BEGINNINGS {
        for game in 0..games {
            let plies = if game == 0 { 0 } else { 1 + random.usize(..24) };
            let mut case = play_at_random(beginning, plies, &mut random);
            case.history = case.history.repeat(1 + game % 2);
            cases.push(case);
        }
    }
    cases
}

/// Plays at most `plies` moves. Returns the last position with a legal move.
fn play_at_random(beginning: &str, plies: usize, random: &mut Rng) -> Case {
    with_host(|host| {
        let mut case = Case::of(beginning);
        for ply in 1..=plies {
            let moves = host.legal_moves(&case.position);
            let next = host.play(&case.position, moves[random.usize(..moves.len())]);
            if !host.has_legal_move(&next)
                || host.is_insufficient_material(&next)
                || next.halfmove_clock() >= 150
            {
                break;
            }
            if next.halfmove_clock() == 0 {
                case.history.clear();
            } else {
                case.history.push(case.position.hash());
            }
            case.name = format!("{beginning} after {ply} plies");
            case.position = next;
        }
        case
    })
}
