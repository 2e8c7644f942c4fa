//! Answers the chess calls.

use std::{num::NonZeroUsize, sync::LazyLock, thread::available_parallelism};

use actix_web::{
    HttpRequest, HttpResponse, Route,
    http::header::{self, HeaderValue},
    web::{self, Payload},
};
use api::{
    calls::{blogchess, board, book, convert, legal_moves, tablebase},
    error::RequestError,
    json::Caseless,
    problem::{Code, Problem},
    query_form::{QueryField, located},
    reply::JsonReply,
};
use flate2::Compression;
use game::GameService;
use library::sha256::Sha256Sum;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use crate::{
    containment::contained,
    http::{
        body,
        client::client_of,
        problem::respond_problem,
        query,
        reply::{respond, respond_tagged},
        security_headers::PICTURE_POLICY,
        tagged::{self, gzip},
    },
    state::snapshot::Snapshot,
};

/// Limits concurrent conversions to one per processor.
static CONVERSIONS: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, NonZeroUsize::get)));
/// A query always gives the same picture, except after a server update.
const PICTURE_CACHING: &str = "public, max-age=86400";

/// Returns the route of a call whose reply depends only on the request's form.
pub(super) fn route_to<F: DeserializeOwned + 'static, R: JsonReply + 'static>(
    reply: fn(&GameService, &F) -> Result<R, RequestError>,
) -> Route {
    web::to(move |request: HttpRequest, payload: Payload| {
        respond_to(request, payload, async move |generation, form| {
            Ok(reply(generation.service(), &form)?)
        })
    })
}

/// Reads the form of a request and responds to it. Dropping the future cancels the work.
pub(super) async fn respond_to<F: DeserializeOwned, R: JsonReply>(
    request: HttpRequest,
    payload: Payload,
    reply: impl AsyncFnOnce(Snapshot, F) -> Result<R, Problem>,
) -> HttpResponse {
    let reply = async {
        let (generation, form) = body::read(&request, payload).await?;
        reply(generation, form).await
    };
    respond(&request, reply.await)
}

pub(super) async fn legal_moves_by_url(request: HttpRequest) -> HttpResponse {
    let reply = reply_to_query(&request, legal_moves::FIELDS, legal_moves::respond);
    respond(&request, reply)
}

pub(super) async fn book_moves(request: HttpRequest) -> HttpResponse {
    let reply = reply_to_query(&request, book::FIELDS, book::respond);
    respond_tagged(&request, reply)
}

fn reply_to_query<F: DeserializeOwned, R>(
    request: &HttpRequest,
    fields: &[QueryField],
    reply: fn(&GameService, &F) -> Result<R, RequestError>,
) -> Result<R, Problem> {
    let (generation, form) = query::read_form(request, fields)?;
    reply(generation.service(), &form).map_err(|error| located(error.into(), fields))
}

pub(super) async fn probe_tablebase(request: HttpRequest, payload: Payload) -> HttpResponse {
    let client = client_of(&request);
    respond_to(request, payload, async |generation, form| {
        Ok(tablebase::respond(generation.service(), &client?, &form).await?)
    })
    .await
}

pub(super) async fn tablebase_size(request: HttpRequest) -> HttpResponse {
    let reply = async {
        let (generation, client) = (Snapshot::of(&request)?, client_of(&request)?);
        Ok(tablebase::size(generation.service(), &client).await?)
    };
    respond(&request, reply.await)
}

pub(super) async fn convert_game(request: HttpRequest, payload: Payload) -> HttpResponse {
    respond_to(request, payload, async |generation, form| {
        // A long text with many variations must not block other requests. A conversion continues
        // after its client disconnects, and keeps its place until it ends. A request that waits for
        // a place is dropped with its connection.
        let place = CONVERSIONS.acquire().await;
        let converted = web::block(move || {
            let _place = place;
            contained(|| convert::respond(generation.service(), &form))
        })
        .await;
        let stopped = |_| Problem::new(Code::Internal, "the conversion did not finish");
        Ok(converted.map_err(stopped)??)
    })
    .await
}

pub(super) async fn board_picture(request: HttpRequest) -> HttpResponse {
    let svg = query::read(&request).map_err(RequestError::from);
    match svg.and_then(|form| board::draw(&form)) {
        Ok(svg) => picture(&request, svg),
        Err(error) => respond_problem(&request, &error.into()),
    }
}

fn picture(request: &HttpRequest, svg: String) -> HttpResponse {
    let hash = Sha256Sum::of(svg.as_bytes()).to_string();
    let body = |is_compressed| {
        if is_compressed {
            gzip(svg.as_bytes(), Compression::fast())
        } else {
            svg.into()
        }
    };
    let mut response = tagged::respond(request, hash, PICTURE_CACHING, "image/svg+xml", body);
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, PICTURE_POLICY),
        (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
        // Other pages may embed the picture: it reveals nothing beyond its URL.
        (header::CROSS_ORIGIN_RESOURCE_POLICY, "cross-origin"),
    ] {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

pub(super) async fn blogchess_valid_moves(request: HttpRequest, payload: Payload) -> HttpResponse {
    let parameters = query::read::<blogchess::LegacyForm>(&request).and_then(|form| form.read());
    respond_to(request, payload, async |generation, Caseless(form)| {
        parameters?;
        blogchess::valid_moves(generation.service(), &form).map_err(Problem::legacy)
    })
    .await
}
