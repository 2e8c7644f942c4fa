//! `GET /`: the game page.

use crate::{endpoint::Endpoint, http::static_files::page};
use actix_web::web;
use api::call::{Call, ReplyType, text};

pub(crate) const CALL: Endpoint = Endpoint {
    route: || web::to(page),
    call: Call {
        summary: "Open the game page",
        description: "A web page with a board, the AIs and their searches.",
        ..page_call("gamePage", "/")
    },
};

/// Returns a `GET` call that replies with a page.
pub(super) const fn page_call(id: &'static str, path: &'static str) -> Call {
    Call {
        tag: "server",
        reply_description: "The page.",
        reply: ReplyType {
            media_type: "text/html; charset=utf-8",
            schema: text,
        },
        example: include_str!("page/example.json"),
        errors: &[],
        ..Call::tagged(id, path, text)
    }
}
