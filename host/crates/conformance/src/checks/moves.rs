//! Legal moves in every kind of position.

use ai_api::Limits;
use rules::{Game, legal_moves};

use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    positions::{
        CASTLING, CHESS960, EN_PASSANT, FEW_PIECES, IN_CHECK, MANY_MOVES, MATE_IN_ONE,
        NEAR_FIFTY_MOVES, ONE_LEGAL_MOVE, ORDINARY, PROMOTION, STALEMATE_POSSIBLE, game,
    },
    random_games::RandomGames,
    session::{CheckSession, move_list, move_text},
    subject::Subject,
};
use protocol::SearchParams;

/// Small limits that still visit each move. Quiescence search can take millions of nodes if the
/// evaluator does not count the material that captures win.
const LIMITS: [Limits; 2] = [
    Limits {
        nodes: Some(300_000),
        ..Limits::depth(2)
    },
    Limits::nodes(500),
];
/// The number of positions from each stage of random games.
const POSITIONS_OF_STAGE: usize = 60;
const FUZZED: usize = 100;
/// The remedy for an engine that does not restrict its search to root moves.
const SEARCHMOVES: &str = "let the engine search only the moves after searchmoves of its go \
                           command; until then requests with root moves fail, and all others \
                           work";

checks! { subject =>
    "moves.castling": "Plays a legal move where castling is possible or prevented by an attack.",
        legal_moves_in(subject, CASTLING);
    "moves.en_passant": "Plays a legal move where an en passant capture is possible or would \
        expose the king.",
        legal_moves_in(subject, EN_PASSANT);
    "moves.promotion": "Plays a legal move, with the promotion role, where pawns can promote.",
        legal_moves_in(subject, PROMOTION);
    "moves.in_check": "Plays a legal move in check and in double check.",
        legal_moves_in(subject, IN_CHECK);
    "moves.one": "Plays the only legal move.",
        legal_moves_in(subject, ONE_LEGAL_MOVE);
    "moves.mate_next": "Plays a legal move where mate in one is possible.",
        legal_moves_in(subject, MATE_IN_ONE);
    "moves.stalemate_near": "Plays a legal move where some moves stalemate.",
        legal_moves_in(subject, STALEMATE_POSSIBLE);
    "moves.218": "Plays a legal move in positions with 218 of them, the maximum.",
        legal_moves_in(subject, MANY_MOVES);
    "moves.few_men": "Plays a legal move in endgames with very few pieces.",
        legal_moves_in(subject, FEW_PIECES);
    "moves.near_a_draw": "Plays a legal move near the limits of the fifty-move and \
        seventy-five-move rules.",
        legal_moves_in(subject, NEAR_FIFTY_MOVES);
    "moves.chess960": "Plays a legal move in Chess960, if it declares Chess960.",
        chess960(subject);
    "moves.some_alone": "Plays one of the requested root moves, if it declares root moves.",
        root_moves(subject);
    "moves.openings" [OnlyFull]: "Plays a legal move in 60 positions from the openings of random \
        games.",
        legal_moves_in_random_games(subject, 1..30);
    "moves.middlegames" [OnlyFull]: "Plays a legal move in 60 positions from the middle of random \
        games.",
        legal_moves_in_random_games(subject, 30..100);
    "moves.late_games" [OnlyFull]: "Plays a legal move in 60 positions from late in random games, \
        with all moves of the game in the request.",
        legal_moves_in_random_games(subject, 100..400);
    "moves.repetition": "Plays a legal move after positions of the game have been repeated.",
        repetition(subject);
    "moves.against_itself" [OnlyFull]: "Plays up to 200 plies against itself with only legal \
        moves.",
        against_itself(subject);
    "fuzz.games": "Plays a legal move in 100 positions of random games, with random limits; the \
        report has the seed.",
        fuzz(subject);
}

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
    drop(CheckSession::start_if(subject, "Chess960", |declared| declared.chess960).await?);
    legal_moves_in(subject, CHESS960).await
}

async fn root_moves(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session =
        CheckSession::start_if(subject, "root moves", |declared| declared.root_moves).await?;
    for fen in ORDINARY {
        let game = game(fen);
        let moves = legal_moves(game.position());
        for some in [&moves[..1], &moves[moves.len() / 2..]] {
            let params = SearchParams {
                root_moves: some.to_vec(),
                ..SearchParams::default()
            };
            let found = session
                .search_with_params(&game, Limits::depth(2), params, None)
                .await;
            let best = match found {
                Err(failure) if subject.drives_a_program() => {
                    return Err(CheckFailure {
                        remedy: Some(SEARCHMOVES),
                        ..failure
                    });
                }
                found => found?.result.best_move,
            };
            if best.is_none_or(|best| !some.contains(&best)) {
                return Err(CheckFailure::failed(
                    format!(
                        "{fen}: played {}; the requested root moves are {}",
                        move_text(best),
                        move_list(some)
                    ),
                    "search only the root_moves of the request, unless there are none",
                ));
            }
        }
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn legal_moves_in_random_games(
    subject: &Subject,
    plies: std::ops::Range<usize>,
) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let mut random = RandomGames::new(subject.seed);
    for _ in 0..POSITIONS_OF_STAGE {
        let max_plies = plies.start + random.below(plies.len());
        session
            .search(&random.next(max_plies), Limits::nodes(200))
            .await?;
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn repetition(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let mut game = Game::new(rules::start_position());
    for chosen in shuffle.iter().cycle().take(13) {
        let chosen =
            rules::parse_uci(game.position(), chosen).expect("both sides shuffle a knight");
        game.play(chosen)
            .expect("fewer than five repetitions do not end the game");
        session.search(&game, Limits::depth(2)).await?;
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn against_itself(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let mut game = Game::new(rules::start_position());
    while game.status().outcome.is_none() && game.moves().len() < 200 {
        let found = session.search(&game, Limits::nodes(200)).await?;
        let best = found
            .result
            .best_move
            .expect("a session returns only legal results");
        game.play(best)
            .expect("a session returns only legal results");
    }
    Ok(Passed::with_note(format!("{} plies", game.moves().len())))
}

async fn fuzz(subject: &Subject) -> Result<Passed, CheckFailure> {
    let seed = subject.seed;
    let mut session = CheckSession::start(subject).await?;
    // Plays different games from the checks above.
    let mut random = RandomGames::new(seed ^ 0x6675_7a7a);
    for _ in 0..FUZZED {
        let plies = random.below(250);
        let game = random.next(plies);
        let limit = match random.below(3) {
            0 => Limits::depth(1 + random.below(2) as u32),
            1 => Limits::nodes(1 + random.below(2000) as u64),
            _ => Limits::movetime_ms(1 + random.below(10) as u64),
        };
        session
            .search(&game, limit)
            .await
            .map_err(|failure| failure.at(&format!("seed {seed}, {limit}")))?;
    }
    Ok(Passed::with_note(format!("seed {seed}")))
}
