//! `GET /`: the page.

use crate::{calls::call::Call, http::static_files::page};
use actix_web::web;

pub(crate) const CALL: Call = Call {
    summary: "The page to play on",
    description: "A board, the AIs and their searches.",
    ..Call::page("gamePage", "/", || web::to(page))
};
