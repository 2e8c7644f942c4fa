//! Whether an AI plays a legal move in every kind of position.

use ai_api::Limits;
use rules::{Game, legal_moves};

use super::{
    Check, CheckFailure, Passed, Subject,
    positions::{
        CASTLING, CHESS960, Chance, EN_PASSANT, FEW_MEN, IN_CHECK, MANY_MOVES, MATE_NEXT, NEAR_A_DRAW,
        ONE_MOVE, ORDINARY, PROMOTION, STALEMATE_NEAR, game,
    },
    session::{CheckSession, shown},
};
use protocol::SearchParams;

/// Enough to see each move once, and soon done.
const LIMITS: [Limits; 2] = [Limits::depth(2), Limits::nodes(500)];
/// Random games, and how many of their positions are asked about.
const OPENINGS: usize = 60;
const MIDDLEGAMES: usize = 60;
const LATE_GAMES: usize = 60;
const FUZZED: usize = 100;

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "moves.castling",
        description: "It plays a legal move where castling is possible, or was before a check.",
        run: |subject| Box::pin(among(subject, CASTLING)),
    },
    Check {
        name: "moves.en_passant",
        description: "It plays a legal move where a pawn can be captured in passing, or seems so.",
        run: |subject| Box::pin(among(subject, EN_PASSANT)),
    },
    Check {
        name: "moves.promotion",
        description: "It plays a legal move, with its promotion, where pawns promote.",
        run: |subject| Box::pin(among(subject, PROMOTION)),
    },
    Check {
        name: "moves.in_check",
        description: "It plays a legal move in check and in double check.",
        run: |subject| Box::pin(among(subject, IN_CHECK)),
    },
    Check {
        name: "moves.one",
        description: "It plays the one legal move where there is no other.",
        run: |subject| Box::pin(among(subject, ONE_MOVE)),
    },
    Check {
        name: "moves.mate_next",
        description: "It plays a legal move where it can mate.",
        run: |subject| Box::pin(among(subject, MATE_NEXT)),
    },
    Check {
        name: "moves.stalemate_near",
        description: "It plays a legal move where some of them are stalemate.",
        run: |subject| Box::pin(among(subject, STALEMATE_NEAR)),
    },
    Check {
        name: "moves.218",
        description: "It plays a legal move where there are 218, more than anywhere else.",
        run: |subject| Box::pin(among(subject, MANY_MOVES)),
    },
    Check {
        name: "moves.few_men",
        description: "It plays a legal move with hardly more than bare kings.",
        run: |subject| Box::pin(among(subject, FEW_MEN)),
    },
    Check {
        name: "moves.near_a_draw",
        description: "It plays a legal move shortly before and after fifty moves without a capture.",
        run: |subject| Box::pin(among(subject, NEAR_A_DRAW)),
    },
    Check {
        name: "moves.chess960",
        description: "It plays a legal move in games of Chess960, where it declares to play them.",
        run: |subject| Box::pin(chess960(subject)),
    },
    Check {
        name: "moves.some_alone",
        description: "Told some of the moves alone, it plays one of them, where it declares to.",
        run: |subject| Box::pin(some_alone(subject)),
    },
    Check {
        name: "moves.openings",
        description: "It plays a legal move in 60 positions of random openings.",
        run: |subject| Box::pin(random(subject, OPENINGS, 1..30)),
    },
    Check {
        name: "moves.middlegames",
        description: "It plays a legal move in 60 positions of random middlegames.",
        run: |subject| Box::pin(random(subject, MIDDLEGAMES, 30..100)),
    },
    Check {
        name: "moves.late_games",
        description: "It plays a legal move in 60 positions of long random games, moves and all.",
        run: |subject| Box::pin(random(subject, LATE_GAMES, 100..400)),
    },
    Check {
        name: "moves.repetition",
        description: "It plays a legal move where positions of the game have stood on the board before.",
        run: |subject| Box::pin(repetition(subject)),
    },
    Check {
        name: "moves.against_itself",
        description: "It plays a game of 200 plies against itself with a legal move each time.",
        run: |subject| Box::pin(against_itself(subject)),
    },
    Check {
        name: "fuzz.games",
        description: "It plays a legal move in 100 positions of random games, within random limits; the seed is told.",
        run: |subject| Box::pin(fuzz(subject)),
    },
];

async fn among(subject: &Subject, positions: &[&str]) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    for fen in positions {
        for limit in LIMITS {
            session.find(&game(fen), limit).await?;
        }
    }
    Ok(Passed::and(format!("{} positions", positions.len())))
}

async fn chess960(subject: &Subject) -> Result<Passed, CheckFailure> {
    let session = CheckSession::of(subject).await?;
    if !session.session.manifest().capabilities.chess960 {
        return Err(CheckFailure::skipped("the AI does not declare Chess960"));
    }
    drop(session);
    among(subject, CHESS960).await
}

async fn some_alone(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    if !session.session.manifest().capabilities.root_moves {
        return Err(CheckFailure::skipped("the AI does not declare to keep to some of the moves"));
    }
    for fen in ORDINARY {
        let game = game(fen);
        let moves = legal_moves(game.position());
        for some in [&moves[..1], &moves[moves.len() / 2..]] {
            let params = SearchParams { root_moves: some.to_vec(), ..SearchParams::default() };
            let best = session.find_with(&game, Limits::depth(2), params, None).await?.answer.best_move;
            if best.is_none_or(|best| !some.contains(&best)) {
                let some: Vec<_> = some.iter().map(ToString::to_string).collect();
                return Err(CheckFailure::failed(
                    format!("{fen}: told to choose among {}, it played {}", some.join(" "), shown(best)),
                    "search SearchRequest::root_moves alone, where there are some",
                ));
            }
        }
    }
    Ok(Passed::PLAINLY)
}

async fn random(
    subject: &Subject,
    count: usize,
    plies: std::ops::Range<usize>,
) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let mut chance = Chance::of(subject.seed);
    for _ in 0..count {
        let most = plies.start + chance.below(plies.len());
        session.find(&chance.game(most), Limits::nodes(200)).await?;
    }
    Ok(Passed::PLAINLY)
}

async fn repetition(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let moves: Vec<_> = shuffle.iter().cycle().take(13).collect();
    let mut game = Game::new(rules::start_position());
    for chosen in moves {
        let chosen = rules::parse_uci(game.position(), chosen).expect("the knights go to and fro");
        game.play(chosen).expect("that is fewer than five times");
        session.find(&game, Limits::depth(2)).await?;
    }
    Ok(Passed::PLAINLY)
}

async fn against_itself(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let mut game = Game::new(rules::start_position());
    while game.status().outcome.is_none() && game.moves().len() < 200 {
        let found = session.find(&game, Limits::nodes(200)).await?;
        let best = found.answer.best_move.expect("it has been looked at");
        game.play(best).expect("it is legal");
    }
    Ok(Passed::and(format!("{} plies", game.moves().len())))
}

async fn fuzz(subject: &Subject) -> Result<Passed, CheckFailure> {
    let seed = subject.seed;
    let mut session = CheckSession::of(subject).await?;
    // Other games than those of the checks of moves.
    let mut chance = Chance::of(seed ^ 0x6675_7a7a);
    for _ in 0..FUZZED {
        let plies = chance.below(250);
        let game = chance.game(plies);
        let limit = match chance.below(3) {
            0 => Limits::depth(1 + chance.below(2) as u32),
            1 => Limits::nodes(1 + chance.below(2000) as u64),
            _ => Limits::movetime_ms(1 + chance.below(10) as u64),
        };
        session.find(&game, limit).await.map_err(|failure| failure.at(&format!("seed {seed}, {limit}")))?;
    }
    Ok(Passed::and(format!("seed {seed}")))
}
