//! `GET /`: the page.

use actix_web::web;

use super::call::{Call, HTML, IF_NONE_MATCH, PAGE, Reply, text};
use crate::static_files::page;

pub(crate) const CALL: Call = Call {
    tag: "server",
    summary: "The page to play on",
    description: "A board, the AIs and their searches.",
    reply_description: "The page.",
    reply: Reply { media_type: HTML, schema: text },
    example: include_str!("page/example.json"),
    header_parameters: IF_NONE_MATCH,
    headers: PAGE,
    bare_statuses: &["304"],
    ..Call::get("page", "/", || web::to(page), text)
};
