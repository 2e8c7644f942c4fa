//! Questions with conditions of their own: an end that somebody else sets, and another hard limit than the AI's.

use std::time::Duration;

use ai_api::Limits;
use pool::{Ais, Fault, RequestContext, RetryPolicy, Stall, WorkerProgram};
use protocol::{Job, Response, SearchParams, Task};
use tokio::sync::{mpsc, watch};

use crate::support::{ConfigFile, rookery};

fn started(library: &str) -> Ais {
    started_with(library, "")
}

fn started_with(library: &str, more: &str) -> Ais {
    let text = format!("[ai.one]\nlibrary = \"{library}\"\nmove_timeout_ms = 60000\n{more}");
    let config = ConfigFile::new(&text).load();
    Ais::start(&config, WorkerProgram::at(rookery())).unwrap_or_else(|errors| panic!("{errors}"))
}

fn from_the_start() -> Job {
    Job {
        fen: rules::format_fen(&rules::start_position()),
        moves: Vec::new(),
        task: Task::Search(Limits::depth(100)),
        params: SearchParams::default(),
        options: Vec::new(),
    }
}

#[actix_web::test]
async fn an_ai_that_is_told_to_stop_answers_with_what_it_has() {
    let ais = started("ai_basic1");
    let ai = ais.get("one").unwrap();
    let (stop, stopped) = watch::channel(false);
    let (sender, mut iterations) = mpsc::channel(64);
    let context = RequestContext { stop: Some(stopped), ..RequestContext::default() };
    let answer = ai.ask_with(context, from_the_start(), Some(Box::new(sender)));
    let stopping = async {
        // It thinks, and would go on for a minute.
        iterations.recv().await.unwrap();
        stop.send(true).unwrap();
    };
    let (answer, ()) = tokio::join!(answer, stopping);
    let Ok(Response::Searched(answer)) = answer else { panic!("{answer:?}") };
    assert!(answer.best_move.is_some() && answer.depth < 100, "{answer:?}");
}

#[actix_web::test]
async fn the_hard_limit_of_a_question_goes_before_that_of_its_ai() {
    let ais = started("hangs");
    let ai = ais.get("one").unwrap();
    let time_allowed = Duration::from_millis(300);
    let context = RequestContext { time_allowed: Some(time_allowed), ..RequestContext::default() };
    let answer = ai.ask_with(context, from_the_start(), None).await;
    assert_eq!(answer, Err(Fault::Stalled(Stall::Answer(time_allowed))));
}

#[actix_web::test]
async fn a_question_that_killed_a_worker_is_asked_again_only_where_an_answer_is_wanted() {
    for (retry, is_answered) in [(RetryPolicy::Once, true), (RetryPolicy::Never, false)] {
        let folder = tempfile::tempdir().unwrap();
        let once = folder.path().join("died");
        let more = format!("sandbox = \"off\"\noptions.once = {:?}\n", once.to_str().unwrap());
        let ais = started_with("mortal", &more);
        let context = RequestContext { retry, ..RequestContext::default() };
        let answer = ais.get("one").unwrap().ask_with(context, from_the_start(), None).await;
        assert!(once.exists(), "{retry:?}");
        assert_eq!(answer.is_ok(), is_answered, "{retry:?}: {answer:?}");
        assert!(is_answered || matches!(answer, Err(Fault::Crashed(_))), "{answer:?}");
    }
}
