//! Requests with their own stop signal, time limit and retry policy.

use std::time::Duration;

use ai_api::Limits;
use pool::{Ais, Fault, RequestContext, RetryPolicy, Stall, WorkerProgram};
use protocol::{Job, Response, SearchParams, Task};
use tokio::sync::{mpsc, watch};

use crate::support::{ConfigFile, library, rookery};

fn started(name: &str) -> Ais {
    started_with(name, "")
}

fn started_with(name: &str, more: &str) -> Ais {
    let text = format!("[ai.one]\n{}move_timeout_ms = 60000\n{more}", library(name));
    let config = ConfigFile::new(&text).load();
    Ais::start(&config, WorkerProgram::at(rookery())).unwrap_or_else(|errors| panic!("{errors}"))
}

fn start_job() -> Job {
    Job {
        fen: rules::format_fen(&rules::start_position()),
        moves: Vec::new(),
        task: Task::Search(Limits::depth(100)),
        params: SearchParams::default(),
        options: Vec::new(),
    }
}

#[actix_web::test]
async fn returns_the_best_so_far_on_stop() {
    let ais = started("ai_basic1");
    let ai = ais.get("one").unwrap();
    let (stop, stopped) = watch::channel(false);
    let (sender, mut iterations) = mpsc::channel(64);
    let context = RequestContext { stop: Some(stopped), ..RequestContext::default() };
    let answer = ai.ask(context, start_job(), Some(Box::new(sender)));
    let stopping = async {
        // The search is running, and would last a minute.
        iterations.recv().await.unwrap();
        stop.send(true).unwrap();
    };
    let (answer, ()) = tokio::join!(answer, stopping);
    let Ok(Response::Searched(answer)) = answer else { panic!("{answer:?}") };
    assert!(answer.best_move.is_some() && answer.depth < 100, "{answer:?}");
}

#[actix_web::test]
async fn time_allowed_overrides_the_move_timeout() {
    let ais = started("hang");
    let ai = ais.get("one").unwrap();
    let time_allowed = Duration::from_millis(300);
    let context = RequestContext { time_allowed: Some(time_allowed), ..RequestContext::default() };
    let answer = ai.ask(context, start_job(), None).await;
    assert_eq!(answer, Err(Fault::Stalled(Stall::Answer(time_allowed))));
}

#[actix_web::test]
async fn retries_only_with_the_retry_policy() {
    for (retry, is_answered) in [(RetryPolicy::Once, true), (RetryPolicy::Never, false)] {
        let folder = tempfile::tempdir().unwrap();
        let once = folder.path().join("died");
        let more = format!("sandbox = \"off\"\noptions.file = {:?}\n", once.to_str().unwrap());
        let ais = started_with("abort_at_clock_50", &more);
        let context = RequestContext { retry, ..RequestContext::default() };
        let answer = ais.get("one").unwrap().ask(context, start_job(), None).await;
        assert!(once.exists(), "{retry:?}");
        assert_eq!(answer.is_ok(), is_answered, "{retry:?}: {answer:?}");
        assert!(is_answered || matches!(answer, Err(Fault::Crashed(_))), "{answer:?}");
    }
}
