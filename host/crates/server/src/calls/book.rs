//! `GET /v1/book`: the moves of the opening book in a position.

use std::io::Cursor;

use actix_web::{HttpRequest, HttpResponse, web};
use ai_api::MoveList;
use ai_book::{Book, BookMove};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    calls::{
        call::{CLIENT, Call, GAME},
        forms::game::{FEN, GameForm, MOVES},
        replies::game::MoveReply,
        schemas::schema_of,
    },
    http::{
        query_form::{self, QueryField, located},
        reply::respond_tagged,
        strict_json::object,
    },
    problem::{Code, Problem},
};

pub(crate) const CALL: Call = Call {
    summary: "Opening book",
    description: "Lists the moves that Rookery's own opening book has in a position, the heaviest \
                  first. The list is empty if the book does not know the position, or if the game \
                  is over.",
    parameters: || query_form::parameters(FIELDS),
    errors: &[CLIENT, &[Code::MalformedRequest], GAME],
    example: include_str!("book/example.json"),
    ..Call::tagged(
        "openingBook",
        "/v1/book",
        || web::to(handle),
        schema_of::<BookReply>,
    )
};

const FIELDS: &[QueryField] = &[
    QueryField {
        description: "The position in FEN, or the first one of `moves`; by default the standard \
            start.",
        ..FEN
    },
    MOVES,
];

const NAME: &str = "rookery.bin";
/// In the binary, so that a request reads no file. The folder has its origin.
const BYTES: &[u8] = include_bytes!("../../../../../data/book/rookery.bin");

/// The query, as a body.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BookForm {
    #[serde(deserialize_with = "object")]
    game: GameForm,
}

/// The reply of `GET /v1/book`.
#[derive(Debug, Serialize, ToSchema)]
struct BookReply {
    /// The book, by its file's name.
    book: &'static str,
    /// The moves, the heaviest first.
    moves: Vec<BookMoveReply>,
}

/// A move of the book.
#[derive(Debug, Serialize, ToSchema)]
struct BookMoveReply {
    #[serde(flatten)]
    chosen: MoveReply,
    /// The weight: the book plays the move as often as it is a share of the sum of all weights.
    weight: u16,
}

async fn handle(request: HttpRequest) -> HttpResponse {
    respond_tagged(&request, reply(&request))
}

fn reply(request: &HttpRequest) -> Result<BookReply, Problem> {
    let (generation, form) = query_form::read::<BookForm>(request, FIELDS)?;
    let record = form.game.read(generation.config().server.max_plies);
    let game = record.map_err(|error| located(error.into(), FIELDS))?.game;
    let position = game.position();
    let is_over = game.status().outcome.is_some();
    let legal = if is_over {
        MoveList::new()
    } else {
        rules::legal_moves(position)
    };
    let mut book = Book::new(Cursor::new(BYTES)).expect("the book has whole entries");
    // The FEN of a reply has the square of a double push only if its capture is legal.
    let found = if game.moves().is_empty() && game.passed().is_none() {
        book.moves(position, &legal)
    } else {
        book.moves_of(
            ai_book::key_after(position, game.passed()),
            position,
            &legal,
        )
    };
    let mut moves = found.expect("reading memory succeeds");
    moves.sort_by_key(|found| u16::MAX - found.weight);
    let reply = |found: &BookMove| BookMoveReply {
        chosen: MoveReply::new(position, found.chosen),
        weight: found.weight,
    };
    Ok(BookReply {
        book: NAME,
        moves: moves.iter().map(reply).collect(),
    })
}
