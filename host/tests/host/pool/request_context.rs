//! Requests with their own stop signal, time limit and retry policy.

use std::time::Duration;

use ai_api::Limits;
use pool::{Ais, Fault, RequestContext, RetryPolicy, Stall};
use protocol::{Job, Response, SearchParams, Task};
use tokio::sync::{mpsc, watch};

use crate::support::{ai, started};

/// The AI `one` from this library or with this fault.
fn one(name: &str, settings: &str) -> Ais {
    started(&ai(
        "one",
        name,
        &format!("move_timeout_ms = 60000\n{settings}"),
    ))
}

fn start_job() -> Job {
    Job {
        fresh: false,
        fen: rules::format_fen(&rules::start_position()),
        moves: Vec::new(),
        task: Task::Search(Limits::depth(100)),
        params: SearchParams::default(),
        options: Vec::new(),
    }
}

#[actix_web::test]
async fn returns_the_best_move_so_far_on_stop() {
    let ais = one("ai_basic1", "");
    let ai = ais.get("one").unwrap();
    let (stop, stopped) = watch::channel(false);
    let (sender, mut iterations) = mpsc::channel(64);
    let context = RequestContext {
        stop: Some(stopped),
        ..RequestContext::default()
    };
    let answer = ai.ask(context, start_job(), Some(Box::new(sender)));
    let stopping = async {
        // The search is running, and would last a minute.
        iterations.recv().await.unwrap();
        stop.send(true).unwrap();
    };
    let (answer, ()) = tokio::join!(answer, stopping);
    let Ok(Response::Searched(answer)) = answer else {
        panic!("{answer:?}")
    };
    assert!(
        answer.best_move.is_some() && answer.depth < 100,
        "{answer:?}"
    );
}

#[actix_web::test]
async fn time_allowed_overrides_the_move_timeout() {
    let ais = one("hang", "");
    let ai = ais.get("one").unwrap();
    let time_allowed = Duration::from_millis(300);
    let context = RequestContext {
        time_allowed: Some(time_allowed),
        ..RequestContext::default()
    };
    let answer = ai.ask(context, start_job(), None).await;
    assert_eq!(answer, Err(Fault::Stalled(Stall::Answer(time_allowed))));
}

#[actix_web::test]
async fn retries_only_with_the_retry_policy() {
    for (retry, is_answered) in [(RetryPolicy::Once, true), (RetryPolicy::Never, false)] {
        let folder = tempfile::tempdir().unwrap();
        let once = folder.path().join("died");
        let more = format!(
            "sandbox = \"off\"\noptions.file = {:?}\n",
            once.to_str().unwrap()
        );
        let ais = one("abort_at_clock_50", &more);
        let context = RequestContext {
            retry,
            ..RequestContext::default()
        };
        let answer = ais
            .get("one")
            .unwrap()
            .ask(context, start_job(), None)
            .await;
        assert!(once.exists(), "{retry:?}");
        assert_eq!(answer.is_ok(), is_answered, "{retry:?}: {answer:?}");
        assert!(
            is_answered || matches!(answer, Err(Fault::Crashed(_))),
            "{answer:?}"
        );
    }
}
