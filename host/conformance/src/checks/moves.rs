//! Legal moves in every kind of position.

use ai_api::Limits;
use rules::{Game, legal_moves};

use crate::{
    check::{Check, Passed},
    failure::CheckFailure,
    positions::{
        CASTLING, CHESS960, EN_PASSANT, FEW_PIECES, IN_CHECK, MANY_MOVES, MATE_IN_ONE, NEAR_FIFTY_MOVES,
        ONE_LEGAL_MOVE, ORDINARY, PROMOTION, STALEMATE_POSSIBLE, game,
    },
    random_games::RandomGames,
    session::{CheckSession, move_list, move_text},
    subject::Subject,
};
use protocol::SearchParams;

/// Small limits that still visit each move.
const LIMITS: [Limits; 2] = [Limits::depth(2), Limits::nodes(500)];
/// The numbers of positions from random games.
const OPENINGS: usize = 60;
const MIDDLEGAMES: usize = 60;
const LATE_GAMES: usize = 60;
const FUZZED: usize = 100;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        name: "moves.castling",
        description: "Plays a legal move where castling is possible or prevented by an attack.",
        run: |subject| Box::pin(legal_moves_in(subject, CASTLING)),
    },
    Check {
        name: "moves.en_passant",
        description: "Plays a legal move where an en passant capture is possible or would expose the king.",
        run: |subject| Box::pin(legal_moves_in(subject, EN_PASSANT)),
    },
    Check {
        name: "moves.promotion",
        description: "Plays a legal move, with the promotion role, where pawns can promote.",
        run: |subject| Box::pin(legal_moves_in(subject, PROMOTION)),
    },
    Check {
        name: "moves.in_check",
        description: "Plays a legal move in check and in double check.",
        run: |subject| Box::pin(legal_moves_in(subject, IN_CHECK)),
    },
    Check {
        name: "moves.one",
        description: "Plays the only legal move.",
        run: |subject| Box::pin(legal_moves_in(subject, ONE_LEGAL_MOVE)),
    },
    Check {
        name: "moves.mate_next",
        description: "Plays a legal move where mate in one is possible.",
        run: |subject| Box::pin(legal_moves_in(subject, MATE_IN_ONE)),
    },
    Check {
        name: "moves.stalemate_near",
        description: "Plays a legal move where some moves stalemate.",
        run: |subject| Box::pin(legal_moves_in(subject, STALEMATE_POSSIBLE)),
    },
    Check {
        name: "moves.218",
        description: "Plays a legal move in positions with 218 of them, the maximum.",
        run: |subject| Box::pin(legal_moves_in(subject, MANY_MOVES)),
    },
    Check {
        name: "moves.few_men",
        description: "Plays a legal move in endgames with very few pieces.",
        run: |subject| Box::pin(legal_moves_in(subject, FEW_PIECES)),
    },
    Check {
        name: "moves.near_a_draw",
        description: "Plays a legal move near the limits of the fifty-move and seventy-five-move rules.",
        run: |subject| Box::pin(legal_moves_in(subject, NEAR_FIFTY_MOVES)),
    },
    Check {
        name: "moves.chess960",
        description: "Plays a legal move in Chess960, if it declares Chess960.",
        run: |subject| Box::pin(chess960(subject)),
    },
    Check {
        name: "moves.some_alone",
        description: "Plays one of the requested root moves, if it declares root moves.",
        run: |subject| Box::pin(root_moves(subject)),
    },
    Check {
        name: "moves.openings",
        description: "Plays a legal move in 60 positions from the openings of random games.",
        run: |subject| Box::pin(legal_moves_in_random_games(subject, OPENINGS, 1..30)),
    },
    Check {
        name: "moves.middlegames",
        description: "Plays a legal move in 60 positions from the middle of random games.",
        run: |subject| Box::pin(legal_moves_in_random_games(subject, MIDDLEGAMES, 30..100)),
    },
    Check {
        name: "moves.late_games",
        description: "Plays a legal move in 60 positions from late in random games, with all moves of the game in the request.",
        run: |subject| Box::pin(legal_moves_in_random_games(subject, LATE_GAMES, 100..400)),
    },
    Check {
        name: "moves.repetition",
        description: "Plays a legal move after positions of the game have been repeated.",
        run: |subject| Box::pin(repetition(subject)),
    },
    Check {
        name: "moves.against_itself",
        description: "Plays up to 200 plies against itself with only legal moves.",
        run: |subject| Box::pin(against_itself(subject)),
    },
    Check {
        name: "fuzz.games",
        description: "Plays a legal move in 100 positions of random games, with random limits; the report has the seed.",
        run: |subject| Box::pin(fuzz(subject)),
    },
];

async fn legal_moves_in(subject: &Subject, positions: &[&str]) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    for fen in positions {
        for limit in LIMITS {
            session.search(&game(fen), limit).await?;
        }
    }
    Ok(Passed::with_note(format!("{} positions", positions.len())))
}

async fn chess960(subject: &Subject) -> Result<Passed, CheckFailure> {
    let session = CheckSession::start(subject).await?;
    if !session.manifest().capabilities.chess960 {
        return Err(CheckFailure::skipped("the AI does not declare Chess960"));
    }
    drop(session);
    legal_moves_in(subject, CHESS960).await
}

async fn root_moves(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    if !session.manifest().capabilities.root_moves {
        return Err(CheckFailure::skipped("the AI does not declare root moves"));
    }
    for fen in ORDINARY {
        let game = game(fen);
        let moves = legal_moves(game.position());
        for some in [&moves[..1], &moves[moves.len() / 2..]] {
            let params = SearchParams { root_moves: some.to_vec(), ..SearchParams::default() };
            let best =
                session.search_with_params(&game, Limits::depth(2), params, None).await?.result.best_move;
            if best.is_none_or(|best| !some.contains(&best)) {
                return Err(CheckFailure::failed(
                    format!(
                        "{fen}: played {}; the requested root moves are {}",
                        move_text(best),
                        move_list(some)
                    ),
                    "search only SearchRequest::root_moves unless it is empty",
                ));
            }
        }
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn legal_moves_in_random_games(
    subject: &Subject,
    count: usize,
    plies: std::ops::Range<usize>,
) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let mut random = RandomGames::new(subject.seed);
    for _ in 0..count {
        let max_plies = plies.start + random.below(plies.len());
        session.search(&random.next(max_plies), Limits::nodes(200)).await?;
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn repetition(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let mut game = Game::new(rules::start_position());
    for chosen in shuffle.iter().cycle().take(13) {
        let chosen = rules::parse_uci(game.position(), chosen).expect("both sides shuffle a knight");
        game.play(chosen).expect("fewer than five repetitions do not end the game");
        session.search(&game, Limits::depth(2)).await?;
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn against_itself(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let mut game = Game::new(rules::start_position());
    while game.status().outcome.is_none() && game.moves().len() < 200 {
        let found = session.search(&game, Limits::nodes(200)).await?;
        let best = found.result.best_move.expect("a session returns only legal results");
        game.play(best).expect("a session returns only legal results");
    }
    Ok(Passed::with_note(format!("{} plies", game.moves().len())))
}

async fn fuzz(subject: &Subject) -> Result<Passed, CheckFailure> {
    let seed = subject.seed;
    let mut session = CheckSession::start(subject).await?;
    // Other games than those of the checks above.
    let mut random = RandomGames::new(seed ^ 0x6675_7a7a);
    for _ in 0..FUZZED {
        let plies = random.below(250);
        let game = random.next(plies);
        let limit = match random.below(3) {
            0 => Limits::depth(1 + random.below(2) as u32),
            1 => Limits::nodes(1 + random.below(2000) as u64),
            _ => Limits::movetime_ms(1 + random.below(10) as u64),
        };
        session.search(&game, limit).await.map_err(|failure| failure.at(&format!("seed {seed}, {limit}")))?;
    }
    Ok(Passed::with_note(format!("seed {seed}")))
}
