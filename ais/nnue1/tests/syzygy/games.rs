//! Self-play games from positions in the tables.

use std::path::Path;

use ai_api::{Color, Limits, Position, Role, SearchRequest, TableResult, harness::Timing};
use ai_tablebase::Tablebases;

use crate::{DATA, ai, alone, fen, opposite};

const LIMITS: Limits = Limits {
    nodes: Some(300),
    ..Limits::NONE
};

/// Random legal positions with these pieces and the kings, the same in each run.
struct Positions {
    state: u64,
}

impl Positions {
    fn below(&mut self, bound: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (self.state >> 33) as usize % bound
    }

    fn next(&mut self, white: &[Role], black: &[Role]) -> Position {
        loop {
            let mut board = [['1'; 8]; 8];
            let pieces = [(Color::White, white), (Color::Black, black)].into_iter();
            let pieces =
                pieces.flat_map(|(color, roles)| roles.iter().map(move |&role| (color, role)));
            let mut count = 2;
            for (color, role) in [(Color::White, Role::King), (Color::Black, Role::King)]
                .into_iter()
                .chain(pieces)
            {
                let letter = role.letter();
                let letter = if color == Color::White {
                    letter.to_ascii_uppercase()
                } else {
                    letter
                };
                board[self.below(8)][self.below(8)] = letter;
                count += usize::from(role != Role::King);
            }
            let turn = ["w", "b"][self.below(2)];
            let rows = board.map(|row| row.iter().collect::<String>());
            let Ok(position) = rules::parse_fen(&format!("{} {turn} - - 0 1", rows.join("/")))
            else {
                continue;
            };
            if position.occupied().count() as usize == count
                && !rules::legal_moves(&position).is_empty()
            {
                return position;
            }
        }
    }
}

/// Plays to the end by the rules, with draws by threefold repetition and the fifty-move rule.
/// Returns the result for the side that moves first.
fn play(ai: &mut ai_api::harness::Harness<ai_nnue1::Nnue1>, start: &Position) -> TableResult {
    let mut position = *start;
    let mut history = Vec::new();
    loop {
        let is_over = rules::legal_moves(&position).is_empty();
        if is_over && position.in_check() {
            return if position.turn() == start.turn() {
                TableResult::Loss
            } else {
                TableResult::Win
            };
        }
        let earlier = history
            .iter()
            .filter(|&&hash| hash == position.hash())
            .count();
        let is_dead = (rules::RULES.is_insufficient_material)(&position);
        if is_over || is_dead || earlier == 2 || position.halfmove_clock() >= 100 {
            return TableResult::Draw;
        }
        let request = SearchRequest {
            history: &history,
            ..SearchRequest::new(position, LIMITS)
        };
        let found = ai.request(&request, Timing::default()).unwrap();
        assert!(found.result.nodes <= 300);
        history.push(position.hash());
        position = rules::play(&position, found.best_move);
        if position.halfmove_clock() == 0 {
            history.clear();
        }
    }
}

/// Returns positions with their results, from a prober that is then closed.
fn with_results(positions: Vec<Position>) -> Vec<(Position, TableResult)> {
    let tables = Tablebases::open(&[Path::new(DATA)], u64::MAX).unwrap();
    positions
        .into_iter()
        .map(|position| (position, tables.probe_wdl(&position).unwrap()))
        .collect()
}

#[test]
fn wins_basic_endings_within_the_fifty_move_rule() {
    use Role::{Bishop, Knight, Pawn, Queen, Rook};
    let _alone = alone();
    let mut random = Positions { state: 2014 };
    let endings: [(&[Role], &[Role]); 4] = [
        (&[Rook], &[]),
        (&[Queen], &[Rook]),
        (&[Bishop, Knight], &[]),
        (&[Pawn], &[]),
    ];
    for (white, black) in endings {
        let positions = (0..40).map(|_| random.next(white, black)).collect();
        let is_won = |&(position, result): &(Position, TableResult)| {
            result == TableResult::Win && position.turn() == Color::White
        };
        let won: Vec<_> = with_results(positions)
            .into_iter()
            .filter(is_won)
            .take(10)
            .collect();
        assert_eq!(won.len(), 10);
        let mut ai = ai();
        for (position, result) in won {
            assert_eq!(
                play(&mut ai, &position),
                result,
                "{}",
                rules::format_fen(&position)
            );
        }
    }
}

#[test]
fn fifty_random_four_piece_positions_end_with_the_tablebase_result() {
    const ROLES: [Role; 5] = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
    ];
    let _alone = alone();
    let mut random = Positions { state: 15 };
    let positions = (0..50).map(|_| {
        let [one, other] = [0; 2].map(|_| ROLES[random.below(5)]);
        let sides: [(&[Role], &[Role]); 2] = [(&[one, other], &[]), (&[one], &[other])];
        let (white, black) = sides[random.below(2)];
        random.next(white, black)
    });
    let positions = with_results(positions.collect());
    let mut ai = ai();
    let mut counts = [0; 3];
    for (position, result) in positions {
        assert_eq!(
            play(&mut ai, &position),
            result,
            "{}",
            rules::format_fen(&position)
        );
        counts[(result as usize - 1) / 2] += 1;
    }
    assert!(
        counts.iter().all(|&count| count >= 5),
        "losses, draws and wins: {counts:?}"
    );
}

#[test]
fn wins_in_the_last_moves_before_the_fifty_move_rule() {
    let _alone = alone();
    let mut ai = ai();
    for (text, result) in [
        // Mate in 6, with 6 moves left.
        ("8/8/8/8/8/2k5/8/K6Q w - - 88 80", TableResult::Win),
        // One move too few, so Black is safe.
        ("8/8/8/8/8/2k5/8/K6Q w - - 91 80", TableResult::Draw),
    ] {
        assert_eq!(play(&mut ai, &fen(text)), result, "{text}");
    }
    assert_eq!(
        opposite(TableResult::Win),
        play(&mut ai, &fen("8/8/8/8/8/2k5/8/K6Q b - - 80 80"))
    );
}
