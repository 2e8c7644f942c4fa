//! `GET /`: the page.

use actix_web::web;

use super::call::Call;
use crate::static_files::page;

pub(crate) const CALL: Call = Call {
    summary: "The page to play on",
    description: "A board, the AIs and their searches.",
    ..Call::page("page", "/", || web::to(page))
};
