//! Avoids repeated searches: keeps the answers of repeatable searches, and lets identical
//! concurrent requests share one search.

use std::{
    collections::HashMap,
    fmt,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use ai_api::{Limits, SearchResult, TraceNode};
use config::{CacheScope, ServerSettings};
use futures_util::future::{FutureExt as _, Shared, WeakShared};
use library::sha256::Sha256Sum;
use pool::{Ai, ClientIdentity, Fault, FaultCode, Listener, RequestContext, RequestScope};
use protocol::{Iteration, Job, Response, Task};
use quick_cache::{Weighter, sync::Cache};
use tracing::Instrument as _;

use crate::ask::wrong_response;

/// The size of a typical answer in bytes, including its cache entry.
const USUAL_BYTES: u64 = 512;

/// The result of a search.
#[derive(Clone, Debug)]
pub(crate) struct SearchAnswer {
    pub(crate) result: SearchResult,
    /// The time until the AI answered.
    pub(crate) time: Duration,
}

/// A result, and where it comes from.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) answer: Arc<SearchAnswer>,
    pub(crate) origin: Origin,
}

/// Where the answer to a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From a search for this request.
    Searched,
    /// From the search of an identical concurrent request.
    Joined,
    /// From an earlier search.
    Kept,
}

/// The counts of requests whose answers may be kept, by the origin of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerCounts {
    pub searched: u64,
    pub joined: u64,
    pub kept: u64,
    /// The number of bytes that kept answers use.
    pub bytes: u64,
}

/// The kept answers, and the searches that requests may share. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Answers(Option<Arc<AnswerCache>>);

struct AnswerCache {
    scope: CacheScope,
    most_mb: u64,
    kept: Cache<Sha256Sum, Arc<SearchAnswer>, AnswerBytes>,
    /// Locked only to find, add or remove a search.
    running: Mutex<HashMap<Sha256Sum, RunningSearch>>,
    searched: AtomicU64,
    joined: AtomicU64,
    hits: AtomicU64,
}

type Search = Pin<Box<dyn Future<Output = Result<Arc<SearchAnswer>, Fault>> + Send>>;

/// A search whose result several requests await. Cancelling the last request cancels the search.
struct RunningSearch {
    search: WeakShared<Search>,
    listeners: Listeners,
}

/// A search that is listed as running until this value is dropped.
struct ListedSearch {
    cache: Arc<AnswerCache>,
    key: Sha256Sum,
    listeners: Listeners,
}

#[derive(Clone, Debug)]
struct AnswerBytes;

impl Weighter<Sha256Sum, Arc<SearchAnswer>> for AnswerBytes {
    fn weight(&self, _: &Sha256Sum, answer: &Arc<SearchAnswer>) -> u64 {
        let SearchResult {
            pv, multipv, trace, ..
        } = &answer.result;
        let lines = multipv
            .iter()
            .map(|line| size_of_val(line) + 2 * line.moves.capacity());
        let bytes =
            2 * pv.capacity() + lines.sum::<usize>() + trace.capacity() * size_of::<TraceNode>();
        USUAL_BYTES + bytes as u64
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Answers").field(&self.counts()).finish()
    }
}

impl Answers {
    /// Creates a store of answers with the server's settings. Reuses `before` with its answers if
    /// no relevant setting changes.
    pub(crate) fn new(settings: &ServerSettings, before: Option<&Self>) -> Self {
        let (scope, most_mb) = (settings.cache, settings.cache_mb);
        if scope == CacheScope::Off || most_mb == 0 {
            return Self(None);
        }
        if let Some(Self(Some(cache))) = before
            && (cache.scope, cache.most_mb) == (scope, most_mb)
        {
            return Self(Some(Arc::clone(cache)));
        }
        let bytes = most_mb << 20;
        let items = usize::try_from(bytes / USUAL_BYTES).unwrap_or(usize::MAX);
        Self(Some(Arc::new(AnswerCache {
            scope,
            most_mb,
            kept: Cache::with_weighter(items, bytes, AnswerBytes),
            running: Mutex::default(),
            searched: AtomicU64::new(0),
            joined: AtomicU64::new(0),
            hits: AtomicU64::new(0),
        })))
    }

    pub(crate) fn counts(&self) -> Option<AnswerCounts> {
        let cache = self.0.as_ref()?;
        Some(AnswerCounts {
            searched: cache.searched.load(Ordering::Relaxed),
            joined: cache.joined.load(Ordering::Relaxed),
            kept: cache.hits.load(Ordering::Relaxed),
            bytes: cache.kept.weight(),
        })
    }

    /// Returns a kept result, waits for an equal search in progress, or begins a search. If `fresh`
    /// is set, always begins a search. The result is kept if it is `repeatable`. Dropping the
    /// future cancels a search that nothing else awaits.
    pub(crate) async fn ask(
        &self,
        ai: &Ai,
        context: RequestContext,
        job: Job,
        fresh: bool,
        listener: Option<Box<dyn Listener>>,
        repeatable: impl FnOnce(&SearchAnswer) -> bool + Send + 'static,
    ) -> Result<Found, Fault> {
        let Some((cache, key)) = self
            .0
            .as_ref()
            .and_then(|cache| Some((cache, cache.key(ai, &context.client, &job)?)))
        else {
            let answer = Box::pin(search(ai.ask(context, job, listener))).await?;
            return Ok(Found {
                answer: Arc::new(answer),
                origin: Origin::Searched,
            });
        };
        if !fresh && let Some(answer) = cache.kept.get(&key) {
            let origin = Origin::Kept;
            cache.count(origin, &ai.id);
            return Ok(Found { answer, origin });
        }
        let (running, origin) = {
            let mut searches = cache.searches();
            let equal = searches.get(&key).filter(|_| !fresh);
            let equal = equal.and_then(|equal| Some((equal.search.upgrade()?, &equal.listeners)));
            if let Some((running, listeners)) = equal {
                listeners.add(listener);
                (running, Origin::Joined)
            } else {
                let listeners = Listeners::of(listener);
                let asked = ai.ask(
                    context.clone(),
                    job.clone(),
                    Some(Box::new(listeners.clone())),
                );
                let begun = ListedSearch {
                    cache: Arc::clone(cache),
                    key,
                    listeners,
                };
                let running = begun.run(asked, repeatable, &mut searches);
                (running, Origin::Searched)
            }
        };
        cache.count(origin, &ai.id);
        let answer = match running.await {
            // The queue had no room for the other request, but may have room for this one.
            Err(fault) if origin == Origin::Joined && fault.code() == FaultCode::QueueFull => {
                Arc::new(Box::pin(search(ai.ask(context, job, None))).await?)
            }
            answer => answer?,
        };
        Ok(Found { answer, origin })
    }
}

/// Waits for the result of a search.
async fn search(
    asked: impl Future<Output = Result<Response, Fault>>,
) -> Result<SearchAnswer, Fault> {
    let started = Instant::now();
    match asked.await? {
        Response::Searched(result) => Ok(SearchAnswer {
            result,
            time: started.elapsed(),
        }),
        Response::Evaluated(..) | Response::Probed(_) => Err(wrong_response()),
    }
}

impl AnswerCache {
    /// Returns the key of a search whose answer may be kept. The key excludes the time limit,
    /// because an answer is kept only if its search did not use up the time.
    fn key(&self, ai: &Ai, client: &ClientIdentity, job: &Job) -> Option<Sha256Sum> {
        let Task::Search(limits) = job.task else {
            return None;
        };
        let params = &job.params;
        if !job.task.is_repeatable()
            || ai.about.capabilities.varies
            || params.clocks.is_some()
            || params.ponder
        {
            return None;
        }
        let client = match (self.scope, client) {
            (CacheScope::Shared, _) => String::new(),
            (_, client) => format!("{client:?}"),
        };
        let untimed = Limits {
            soft_ms: None,
            hard_ms: None,
            ..limits
        };
        let fingerprint = ai.known_fingerprint()?;
        let asked = (
            fingerprint.as_bytes(),
            client,
            (&job.fen, &job.moves, untimed, params, &job.options),
        );
        let bytes = postcard::to_allocvec(&asked).ok()?;
        Some(Sha256Sum::of(&bytes))
    }

    fn count(&self, origin: Origin, ai: &str) {
        let count = match origin {
            Origin::Searched => &self.searched,
            Origin::Joined => &self.joined,
            Origin::Kept => &self.hits,
        };
        count.fetch_add(1, Ordering::Relaxed);
        match (origin, RequestScope::current()) {
            (Origin::Kept, Some(request)) => request.record_cached(ai),
            (Origin::Joined, Some(request)) => request.record_joined(ai),
            _ => {}
        }
    }

    fn searches(&self) -> MutexGuard<'_, HashMap<Sha256Sum, RunningSearch>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ListedSearch {
    /// Lists the search as running, and returns a future that several requests can share.
    fn run(
        self,
        asked: impl Future<Output = Result<Response, Fault>> + Send + 'static,
        repeatable: impl FnOnce(&SearchAnswer) -> bool + Send + 'static,
        searches: &mut HashMap<Sha256Sum, RunningSearch>,
    ) -> Shared<Search> {
        let (key, listeners) = (self.key, self.listeners.clone());
        let work = async move {
            let answer = Arc::new(search(asked).await?);
            if repeatable(&answer) {
                self.cache.kept.insert(key, Arc::clone(&answer));
            }
            drop(self);
            Ok(answer)
        };
        // The search counts toward the request that began it, whichever request polls it.
        let work = RequestScope::enter(RequestScope::current(), work.in_current_span());
        let running = (Box::pin(work) as Search).shared();
        if let Some(search) = running.downgrade() {
            searches.insert(key, RunningSearch { search, listeners });
        }
        running
    }
}

impl Drop for ListedSearch {
    fn drop(&mut self) {
        let mut searches = self.cache.searches();
        // A fresh search may have replaced this one.
        if searches
            .get(&self.key)
            .is_some_and(|listed| Arc::ptr_eq(&listed.listeners.0, &self.listeners.0))
        {
            searches.remove(&self.key);
        }
    }
}

/// The listeners of a search that several requests await. Clones share them.
#[derive(Clone, Debug)]
struct Listeners(Arc<Mutex<HeldListeners>>);

#[derive(Debug)]
struct HeldListeners {
    has_started: bool,
    all: Vec<Box<dyn Listener>>,
}

impl Listeners {
    fn of(first: Option<Box<dyn Listener>>) -> Self {
        Self(Arc::new(Mutex::new(HeldListeners {
            has_started: false,
            all: first.into_iter().collect(),
        })))
    }

    /// Adds a listener. It receives everything from now on.
    fn add(&self, further: Option<Box<dyn Listener>>) {
        let Some(listener) = further else {
            return;
        };
        let mut held = self.held();
        if held.has_started {
            listener.on_start();
        }
        held.all.push(listener);
    }

    fn held(&self) -> MutexGuard<'_, HeldListeners> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Listeners {
    fn on_start(&self) {
        let mut held = self.held();
        held.has_started = true;
        held.all.iter().for_each(|listener| listener.on_start());
    }

    fn on_iteration(&self, iteration: Iteration) {
        for listener in &self.held().all {
            listener.on_iteration(iteration.clone());
        }
    }
}
