//! A bare actix-web server: reads a JSON body as text and replies with a fixed body as large as a
//! list of legal moves.

use actix_web::{App, HttpResponse, HttpServer, web};

const REPLY_BYTES: usize = 5_231;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let reply = web::Bytes::from("x".repeat(REPLY_BYTES));
    HttpServer::new(move || {
        let reply = reply.clone();
        App::new().route(
            "/v1/legal-moves",
            web::post().to(move |body: web::Bytes| {
                let reply = reply.clone();
                async move {
                    std::hint::black_box(body.len());
                    HttpResponse::Ok()
                        .content_type("application/json")
                        .body(reply)
                }
            }),
        )
    })
    .bind(
        std::env::args()
            .nth(1)
            .unwrap_or_else(|| "127.0.0.1:18090".to_owned()),
    )?
    .run()
    .await
}
