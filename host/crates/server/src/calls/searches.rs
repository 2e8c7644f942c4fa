//! Answers the calls that use AIs.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web::Payload};
use api::{
    calls::{
        batch,
        best_move::{self, BestMoveForm, BestMoveReply},
        blogchess,
        compare::{self, CompareForm, CompareReply},
        evaluate, levels,
        report::{self, ReportForm, ReportReply},
        why::{self, WhyForm, WhyReply},
    },
    json::Caseless,
    problem::Problem,
    progress::ProgressSender,
};
use game::Client;

use super::chess::respond_to;
use crate::{
    http::{client::client_of, query, reply::respond_tagged},
    state::{generation::Generation, snapshot::Snapshot},
    stream::{stream_or_reply, stream_or_reply_to_query},
};

/// How long a game in a batch may wait for the client's rate to allow it. Slower rates are not
/// meant for batches.
const RATE_PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn best_move(request: HttpRequest, payload: Payload) -> HttpResponse {
    stream_or_reply(request, payload, best_move_of).await
}

pub(super) async fn best_move_by_url(request: HttpRequest) -> HttpResponse {
    stream_or_reply_to_query(request, best_move::FIELDS, best_move_of).await
}

async fn best_move_of(
    generation: Snapshot,
    client: Client,
    form: BestMoveForm,
    progress: Option<ProgressSender>,
) -> Result<BestMoveReply, Problem> {
    Ok(best_move::respond(generation.service(), &client, &form, progress.as_ref()).await?)
}

pub(super) async fn compare(request: HttpRequest, payload: Payload) -> HttpResponse {
    stream_or_reply(
        request,
        payload,
        async |generation: Snapshot, client, form, progress: Option<ProgressSender>| {
            compared(&generation, &client, &form, progress.as_ref()).await
        },
    )
    .await
}

/// Compares AIs with as many concurrent searches as the client may have.
///
/// # Errors
/// A search fails, or the client's rate does not allow that many searches.
pub async fn compared(
    generation: &Generation,
    client: &Client,
    form: &CompareForm,
    progress: Option<&ProgressSender>,
) -> Result<CompareReply, Problem> {
    let additional = generation
        .admissions
        .admit_additional(client, form.ais.len().saturating_sub(1))?;
    let concurrency = 1 + additional.len();
    Ok(compare::respond(generation.service(), client, form, concurrency, progress).await?)
}

pub(super) async fn report(request: HttpRequest, payload: Payload) -> HttpResponse {
    stream_or_reply(
        request,
        payload,
        async |generation: Snapshot, client, form, progress: Option<ProgressSender>| {
            reported(&generation, &client, &form, progress.as_ref()).await
        },
    )
    .await
}

/// Judges games. Each search waits until the client's rate allows it.
///
/// # Errors
/// A search fails.
pub async fn reported(
    generation: &Generation,
    client: &Client,
    form: &ReportForm,
    progress: Option<&ProgressSender>,
) -> Result<ReportReply, Problem> {
    let turn = async || wait_for_turn(generation, client).await;
    let report = report::respond(generation.service(), client, form, turn, progress);
    Ok(Box::pin(report).await?)
}

pub(super) async fn why(request: HttpRequest, payload: Payload) -> HttpResponse {
    let client = client_of(&request);
    respond_to(request, payload, async |generation, form| {
        explained(&generation, &client?, &form).await
    })
    .await
}

/// Explains a move. Each search waits until the client's rate allows it.
///
/// # Errors
/// A search fails.
pub async fn explained(
    generation: &Generation,
    client: &Client,
    form: &WhyForm,
) -> Result<WhyReply, Problem> {
    let turn = async || wait_for_turn(generation, client).await;
    let reply = why::respond(generation.service(), client, form, turn);
    Ok(Box::pin(reply).await?)
}

/// Waits until another position may be searched. Needs no limit: a report has its own deadline.
async fn wait_for_turn(generation: &Generation, client: &Client) {
    generation
        .admissions
        .wait_for_rate(client, Duration::MAX)
        .await
        .unwrap_or_default();
}

pub(super) async fn batch_best_moves(request: HttpRequest, payload: Payload) -> HttpResponse {
    stream_or_reply(
        request,
        payload,
        async |generation: Snapshot, client: Client, form, records| {
            let turn = async || wait_for_rate(&generation, &client).await;
            batch::best_moves(generation.service(), &client, form, turn, records).await
        },
    )
    .await
}

pub(super) async fn batch_evaluations(request: HttpRequest, payload: Payload) -> HttpResponse {
    stream_or_reply(
        request,
        payload,
        async |generation: Snapshot, client: Client, form, records| {
            let turn = async || wait_for_rate(&generation, &client).await;
            batch::evaluations(generation.service(), &client, form, turn, records).await
        },
    )
    .await
}

async fn wait_for_rate(generation: &Generation, client: &Client) -> Result<(), Problem> {
    generation
        .admissions
        .wait_for_rate(client, RATE_PATIENCE)
        .await
}

pub(super) async fn evaluate(request: HttpRequest, payload: Payload) -> HttpResponse {
    let client = client_of(&request);
    respond_to(request, payload, async |generation, form| {
        Ok(evaluate::respond(generation.service(), &client?, &form).await?)
    })
    .await
}

pub(super) async fn levels(request: HttpRequest) -> HttpResponse {
    let reply = || {
        let (generation, client) = (Snapshot::of(&request)?, client_of(&request)?);
        Ok::<_, Problem>(levels::respond(generation.service(), &client))
    };
    respond_tagged(&request, reply())
}

pub(super) async fn blogchess_best_move(request: HttpRequest, payload: Payload) -> HttpResponse {
    let client = client_of(&request);
    let choice = query::read::<blogchess::ChoiceForm>(&request);
    respond_to(request, payload, async |generation, Caseless(form)| {
        let choice = choice?;
        blogchess::best_move(generation.service(), &client?, &form, &choice)
            .await
            .map_err(Problem::legacy)
    })
    .await
}
