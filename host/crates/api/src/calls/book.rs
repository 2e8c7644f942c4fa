//! `GET /v1/book`: the opening book's moves in a position.

use std::io::Cursor;

use ai_api::MoveList;
use ai_book::{Book, BookMove};
use game::GameService;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    call::{CLIENT, Call, GAME},
    error::RequestError,
    forms::game::{FEN, GameForm, MOVES},
    problem::Code,
    query_form::{self, QueryField},
    replies::game::MoveReply,
    schemas::schema_of,
};

pub const CALL: Call = Call {
    summary: "List opening book moves",
    description: "Lists the moves that Rookery's opening book has for a position, the heaviest \
                  first. The list is empty if the book does not have the position or if the game \
                  is over. When Rookery plays from the book, it chooses each move with a \
                  probability proportional to its `weight`.",
    parameters: || query_form::parameters(FIELDS),
    errors: &[CLIENT, &[Code::MalformedRequest], GAME],
    example: include_str!("book/example.json"),
    ..Call::tagged("openingBook", "/v1/book", schema_of::<BookReply>)
};

pub const FIELDS: &[QueryField] = &[
    QueryField {
        description: "The position in FEN, or the first position if there are `moves`. Defaults to \
            the standard starting position.",
        ..FEN
    },
    MOVES,
];

const NAME: &str = "rookery.bin";
/// The book is embedded, so requests don't read a file. Its folder documents where it comes from.
const BYTES: &[u8] = include_bytes!("../../../../../data/book/rookery.bin");

/// The query, converted to a body.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BookForm {
    game: GameForm,
}

/// The reply of `GET /v1/book`.
#[derive(Debug, Serialize, ToSchema)]
pub struct BookReply {
    /// The file name of the book.
    book: &'static str,
    /// The moves, the heaviest first.
    moves: Vec<BookMoveReply>,
}

/// A move of the book.
#[derive(Debug, Serialize, ToSchema)]
struct BookMoveReply {
    #[serde(flatten)]
    chosen: MoveReply,
    /// The weight. The book plays the move with a probability proportional to it.
    weight: u16,
}

/// Returns the book's moves in the last position.
///
/// # Errors
/// The game is illegal.
///
/// # Panics
/// The book of this build is damaged.
pub fn respond(service: &GameService, form: &BookForm) -> Result<BookReply, RequestError> {
    let game = form.game.read(service.config().server.max_plies)?.game;
    let position = game.position();
    let is_over = game.status().outcome.is_some();
    let legal = if is_over {
        MoveList::new()
    } else {
        rules::legal_moves(position)
    };
    let mut book = Book::new(Cursor::new(BYTES)).expect("the book's entries are complete");
    // A FEN from a reply does not show a double push unless a legal capture follows. `moves`
    // therefore tries the keys of all such pushes.
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
    moves.sort_by_key(|entry| u16::MAX - entry.weight);
    let reply = |entry: &BookMove| BookMoveReply {
        chosen: MoveReply::new(position, entry.chosen),
        weight: entry.weight,
    };
    Ok(BookReply {
        book: NAME,
        moves: moves.iter().map(reply).collect(),
    })
}
