//! The cases whose instructions and allocations are counted.

use std::{hint::black_box, sync::Arc};

use actix_web::test::{TestRequest, call_service, init_service, read_body};
use ai_api::{Position, harness::Harness};
use ai_basic1::Basic1;
use config::{LoadOptions, load};
use game::GameService;
use pool::WorkerProgram;
use rules::{Game, legal_moves, parse_fen, perft, play};
use server::{
    Catalog, ServerState, create_app,
    text_fields::{TextFields, TextTime},
};
use test_kit::rookery;
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// The name of a case, and a function that repeats its work the given number of times.
type Case = (&'static str, fn(u64));

pub(crate) const CASES: [Case; 6] = [
    ("perft", |runs| {
        let position = position();
        (0..runs).for_each(|_| assert_eq!(perft(black_box(&position), 3), 97_862));
    }),
    ("play", |runs| {
        let position = position();
        for _ in 0..runs {
            for &chosen in &legal_moves(&position) {
                black_box(play(black_box(&position), chosen));
            }
        }
    }),
    ("validate-200-plies", |runs| {
        let moves = long_game();
        for _ in 0..runs {
            Game::from_moves(None, black_box(&moves)).unwrap();
        }
    }),
    ("evaluate", |runs| {
        let mut ai = Harness::<Basic1>::new(&rules::RULES, &[]).unwrap();
        let position = position();
        for _ in 0..runs {
            black_box(ai.evaluate(black_box(&position)));
        }
    }),
    ("legal-moves-call", legal_moves_calls),
    ("legal-moves-logged", |runs| {
        // Logs like `rookery serve`, but writes nothing.
        let log = tracing_subscriber::fmt()
            .with_writer(std::io::sink)
            .with_ansi(false)
            .with_timer(TextTime)
            .fmt_fields(TextFields);
        log.with_max_level(LevelFilter::TRACE)
            .finish()
            .with(Targets::new().with_default(LevelFilter::INFO))
            .init();
        legal_moves_calls(runs);
    }),
];

fn legal_moves_calls(runs: u64) {
    actix_web::rt::System::new().block_on(async {
        let app = init_service(create_app(
            ServerState::new(service()),
            &Catalog::with(&[], &[]),
        ))
        .await;
        let body = format!("{{\"game\": {{\"fen\": \"{KIWIPETE}\"}}}}");
        for _ in 0..runs {
            let request = TestRequest::post()
                .uri("/v1/legal-moves")
                .insert_header(("Host", "localhost"))
                .insert_header(("Content-Type", "application/json"))
                .set_payload(body.clone());
            let response = call_service(&app, request.to_request()).await;
            assert_eq!(response.status(), 200);
            assert!(read_body(response).await.len() > 5_000);
        }
    });
}

fn position() -> Position {
    parse_fen(KIWIPETE).unwrap()
}

/// Returns a game of 200 pseudorandom plies.
fn long_game() -> Vec<String> {
    let mut game = Game::from_moves(None, &[] as &[&str]).unwrap();
    let mut number = 0_usize;
    while game.moves().len() < 200 {
        let moves = legal_moves(game.position());
        number = number.wrapping_mul(6_364_136_223).wrapping_add(1_442_695);
        game.play(moves[(number >> 7) % moves.len()]).unwrap();
    }
    game.uci_moves()
}

fn service() -> Arc<GameService> {
    let folder = tempfile::tempdir().unwrap();
    let program = rookery();
    let file = folder.path().join("rookery.toml");
    let text = format!(
        "[plugins]\npolicy = \"configured\"\ndirectories = ['{}']\n[ai.basic1]\nlibrary = \
         \"ai_basic1\"\n[client.default]\nai = \"basic1\"\n",
        program.parent().unwrap().display()
    );
    std::fs::write(&file, text).unwrap();
    let config = load(&file, &LoadOptions::none()).unwrap_or_else(|errors| panic!("{errors}"));
    Arc::new(
        GameService::start(config, WorkerProgram::at(program))
            .unwrap_or_else(|errors| panic!("{errors}")),
    )
}
