//! `GET /v1/board.svg`.

use crate::support::{Application, assert_has, configuration};

fn application() -> Application {
    Application::of(&configuration(&["counts_pawns"]))
}

#[actix_web::test]
async fn draws_the_position_without_scripts() {
    let app = application();
    let reply = app
        .get("/v1/board.svg?fen=4k3/8/8/8/8/8/4P3/4K3%20w%20-%20-%200%201&size=200&arrows=e2e4,e1")
        .await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.header("Content-Type"), Some("image/svg+xml"));
    assert_eq!(
        reply.header("Content-Security-Policy"),
        Some("default-src 'none'; frame-ancestors 'self'")
    );
    let svg = reply.body.as_str().unwrap();
    let beginning = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"200\"";
    assert!(svg.starts_with(beginning), "{svg}");
    assert_eq!(svg.matches("<use href=\"#shape-").count(), 3);
    assert_eq!(
        svg.matches("rotate(-90.00)").count(),
        1,
        "the arrow points up"
    );
    assert_eq!(
        svg.matches("<circle cx=").count() - svg.matches("<g id=\"shape-king\"><circle").count(),
        1
    );
    assert!(
        !svg.contains("http://") || svg.matches("http://").count() == 1,
        "{svg}"
    );
}

#[actix_web::test]
async fn draws_last_move_check_and_orientation() {
    let app = application();
    let fen = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR%20w%20KQkq%20-%201%203";
    let white = app
        .get(&format!("/v1/board.svg?fen={fen}&last_move=d8h4"))
        .await
        .body;
    let white = white.as_str().unwrap();
    let square = |x: u32, y: u32, color: &str| {
        format!("<rect x=\"{x}\" y=\"{y}\" width=\"40\" height=\"40\" fill=\"{color}\"/>")
    };
    let (check, last_move) = ("#d4553f", "#c7a94f");
    // The mated king is on e1; coordinates start at a8.
    assert_has(white, &[square(160, 280, check), square(120, 0, last_move)]);
    let black = app
        .get(&format!("/v1/board.svg?fen={fen}&orientation=black"))
        .await
        .body;
    assert_has(black.as_str().unwrap(), &[square(120, 0, check)]);
}

#[actix_web::test]
async fn returns_304_for_a_cached_picture() {
    let app = application();
    let first = app.get("/v1/board.svg").await;
    assert_eq!(first.header("Cache-Control"), Some("public, max-age=86400"));
    let tag = first.header("ETag").unwrap().to_owned();
    let ask = async |tag: &str| {
        app.get_with(&[("If-None-Match", tag)], "/v1/board.svg")
            .await
    };
    let again = ask(&tag).await;
    assert_eq!((again.status, again.body.is_null()), (304, true));
    assert_eq!(ask("\"other\"").await.status, 200);
    let turned = app.get("/v1/board.svg?orientation=black").await;
    assert_ne!(turned.header("ETag"), Some(tag.as_str()));
}
