//! A node that plays pairs of games for organizers.

mod idle_cores;
mod pair;
mod prepare;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    fs, io,
    num::NonZero,
    path::{Path, PathBuf},
    rc::Rc,
    thread::{self, JoinHandle, available_parallelism},
    time::Duration,
};

use async_nats::jetstream::{AckKind, Message as PairMessage, consumer::PullConsumer};
use fleet::{
    FleetError, FleetMatchSettings, FleetSettings, Message, NatsConnection, Subscriber, decode,
};
use futures_util::{StreamExt as _, stream::select_all};
use pool::WorkerProgram;
use tokio::{
    runtime::{self, Handle},
    sync::{Notify, oneshot, watch},
    task::{LocalSet, spawn_blocking, spawn_local},
    time::{Instant, MissedTickBehavior, interval, sleep, timeout},
};
use tournament::Venue;

use crate::{
    file_cache::FileCache,
    queue::context,
    speed::measure_speed,
    subjects,
    wire::{
        MatchAnnouncement, NodeMatches, PairOrder, PairReport, PairVerdict, PlayingPair,
        RefusedMatch,
    },
};
use idle_cores::IdleCores;
use pair::play_pair;
use prepare::{MatchFiles, MatchKey, PreparedMatch, prepare};

const STATE_INTERVAL: Duration = Duration::from_secs(1);
/// How often the node checks for matches that have become silent.
const SILENCE_CHECK: Duration = Duration::from_millis(250);
/// How often the node tells NATS that it is playing a pair.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(3);
/// How long the node waits for a pair in an empty queue.
const PULL_TIME: Duration = Duration::from_millis(500);
/// How long the organizer may take to answer a report, and how many times the report is sent.
const REPORT_TIME: Duration = Duration::from_secs(5);
const REPORTS: usize = 3;
/// How long a pair that did not count is withheld from this node.
const PAUSE: Duration = Duration::from_secs(5);
/// The maximum age of the measured speed.
const SPEED_AGE: Duration = Duration::from_mins(1);
/// How long a match waits for a processor before the node reports that it is busy.
const BUSY_AFTER: Duration = Duration::from_secs(5);
/// How long the node waits before it retries a failed match: a disk may have room by then.
const REFUSAL_TIME: Duration = Duration::from_mins(1);
/// How long the node waits if NATS lacks the files, because the organizer may upload them again.
const MISSING_TIME: Duration = Duration::from_secs(3);
/// How long the node refuses a match whose organizer no longer accepts it: longer than any match.
const UNWELCOME_TIME: Duration = Duration::from_hours(24 * 365);
/// The maximum number of matches from all organizers.
const MAX_MATCHES: usize = 32;

/// A node that plays matches on its own thread until it is dropped. Running pairs then go back to
/// their queues.
#[derive(Debug)]
pub struct MatchNode {
    slots: usize,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl MatchNode {
    /// Connects as the node `name`, and keeps files in `cache`. Blocks.
    ///
    /// # Errors
    /// NATS is not reachable, or the thread cannot be started.
    pub fn start(
        settings: &FleetSettings,
        matches: &FleetMatchSettings,
        name: &str,
        program: WorkerProgram,
        cache: PathBuf,
    ) -> Result<Self, FleetError> {
        let slots = matches
            .slots
            .unwrap_or_else(|| available_parallelism().map_or(1, NonZero::get));
        let (stop, stopped) = watch::channel(false);
        let (opened, result) = oneshot::channel();
        let (settings, matches, name) = (settings.clone(), matches.clone(), name.to_owned());
        let run = move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build();
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => return drop(opened.send(Err(FleetError::Thread(error)))),
            };
            let plays = async {
                match PlayingNode::connect(&settings, &matches, &name, slots, program, cache).await
                {
                    Ok((node, announcements)) => {
                        let _ = opened.send(Ok(()));
                        Rc::new(node).run(announcements, stopped).await;
                    }
                    Err(error) => _ = opened.send(Err(error)),
                }
            };
            LocalSet::new().block_on(&runtime, plays);
            // This interrupts a search that is stopping, or a file read.
            runtime.shutdown_timeout(Duration::from_secs(1));
        };
        let thread = thread::Builder::new()
            .name("fleet-matches".into())
            .spawn(run)
            .map_err(FleetError::Thread)?;
        let ended = || FleetError::Thread(io::Error::other("the thread has ended"));
        result.blocking_recv().unwrap_or_else(|_| Err(ended()))?;
        Ok(Self {
            slots,
            stop,
            thread: Some(thread),
        })
    }

    /// Returns the number of pairs that it may play at once.
    pub const fn slots(&self) -> usize {
        self.slots
    }
}

impl Drop for MatchNode {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The shared state of the thread's tasks.
struct PlayingNode {
    name: String,
    slots: usize,
    lost_after: Duration,
    connection: NatsConnection,
    files: MatchFiles,
    runtime: Handle,
    matches: RefCell<BTreeMap<MatchKey, KnownMatch>>,
    /// The match of the last pair. The next pair comes from another match if possible.
    last: RefCell<Option<MatchKey>>,
    playing: RefCell<BTreeMap<usize, (PlayingPair, usize)>>,
    cores: RefCell<IdleCores>,
    speed: Cell<(u32, Instant)>,
    /// The last time when no match was waiting for a processor.
    last_free: Cell<Instant>,
    changed: Notify,
}

/// An announced match. Dropping it stops its games here.
struct KnownMatch {
    announcement: MatchAnnouncement,
    heard: Instant,
    state: Readiness,
    /// Why the last preparation failed.
    refusal: Option<String>,
    /// Closed when the match is dropped.
    alive: watch::Sender<()>,
}

enum Readiness {
    New,
    Preparing,
    Ready(Rc<PreparedMatch>),
    /// Refused until this time, when the node tries again.
    Refused(Instant),
}

impl KnownMatch {
    /// Returns the prepared match, if its pairs can be played.
    const fn ready(&self) -> Option<&Rc<PreparedMatch>> {
        match &self.state {
            Readiness::Ready(prepared) => Some(prepared),
            Readiness::New | Readiness::Preparing | Readiness::Refused(_) => None,
        }
    }

    fn refuse(&mut self, reason: String, time: Duration) {
        self.state = Readiness::Refused(Instant::now() + time);
        self.refusal = Some(reason);
    }
}

impl PlayingNode {
    async fn connect(
        settings: &FleetSettings,
        matches: &FleetMatchSettings,
        name: &str,
        slots: usize,
        program: WorkerProgram,
        cache: PathBuf,
    ) -> Result<(Self, Vec<Subscriber>), FleetError> {
        let label = format!("rookery node {name}, matches");
        let connection = NatsConnection::open_for_requests(settings, &label, name).await?;
        let mut announcements = Vec::new();
        for organizer in &matches.from {
            announcements.push(connection.subscribe(subjects::matches(organizer)).await?);
        }
        let (files, placed) = open_folders(&cache, matches.max_mb)?;
        let node = Self {
            name: name.to_owned(),
            slots,
            lost_after: Duration::from_millis(settings.lost_after_ms),
            files: MatchFiles {
                context: context(&connection),
                files,
                placed,
                program,
            },
            connection,
            runtime: Handle::current(),
            matches: RefCell::default(),
            last: RefCell::default(),
            playing: RefCell::default(),
            cores: RefCell::new(IdleCores::new()),
            speed: Cell::new((measure_speed(), Instant::now())),
            last_free: Cell::new(Instant::now()),
            changed: Notify::new(),
        };
        Ok((node, announcements))
    }

    /// Plays until the node is stopped.
    async fn run(
        self: Rc<Self>,
        announcements: Vec<Subscriber>,
        mut stopped: watch::Receiver<bool>,
    ) {
        for slot in 0..self.slots {
            spawn_local(Rc::clone(&self).play_in(slot, stopped.clone()));
        }
        spawn_local(Rc::clone(&self).prepare_matches());
        let mut announcements = select_all(announcements);
        let mut seconds = interval(STATE_INTERVAL);
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut checks = interval(SILENCE_CHECK);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                Some(message) = announcements.next() => self.on_announcement(&message),
                _ = checks.tick() => self.forget_silent(),
                _ = seconds.tick() => {
                    self.cores.borrow_mut().measure(self.used_cores());
                    self.tell_state().await;
                }
                _ = stopped.wait_for(|is_stopped| *is_stopped) => break,
            }
        }
        // The pairs go back to their queues.
        while !self.playing.borrow().is_empty() {
            sleep(Duration::from_millis(10)).await;
        }
        self.connection.flush().await;
    }

    fn on_announcement(&self, message: &Message) {
        if !self.connection.is_trusted() {
            return;
        }
        let Ok(announcement) = decode::<MatchAnnouncement>(&message.payload) else {
            return;
        };
        let organizer = message.subject.rsplit('.').next().unwrap_or_default();
        // Messages that JetStream delivers for other nodes have a different subject, or headers.
        if *message.subject != *subjects::matches(organizer) || message.headers.is_some() {
            return;
        }
        let key = (organizer.to_owned(), announcement.id.clone());
        let mut matches = self.matches.borrow_mut();
        if announcement.over {
            matches.remove(&key);
        } else if let Some(known) = matches.get_mut(&key) {
            known.heard = Instant::now();
        } else if matches.len() < MAX_MATCHES {
            let known = KnownMatch {
                announcement,
                heard: Instant::now(),
                state: Readiness::New,
                refusal: None,
                alive: watch::Sender::new(()),
            };
            matches.insert(key, known);
            self.changed.notify_waiters();
        }
    }

    fn forget_silent(&self) {
        let lost_after = self.lost_after;
        self.matches
            .borrow_mut()
            .retain(|_, known| known.heard.elapsed() < lost_after);
        self.changed.notify_waiters();
    }

    async fn tell_state(&self) {
        if !self.waits_for_processors() {
            self.last_free.set(Instant::now());
        }
        let refused = |((_, id), known): (&MatchKey, &KnownMatch)| {
            let (id, reason) = (id.clone(), known.refusal.clone()?);
            Some(RefusedMatch { id, reason })
        };
        let refused = self.matches.borrow().iter().filter_map(refused).collect();
        let playing = self.playing.borrow().values().cloned().collect::<Vec<_>>();
        let state = NodeMatches {
            slots: self.slots,
            speed: self.speed.get().0,
            playing: playing.into_iter().map(|(pair, _)| pair).collect(),
            is_busy: self.last_free.get().elapsed() >= BUSY_AFTER,
            refused,
        };
        self.connection
            .publish(subjects::state(&self.name), &state)
            .await;
    }

    /// Prepares the matches one by one.
    async fn prepare_matches(self: Rc<Self>) {
        loop {
            let next = self.begin_preparation();
            let Some((key, description)) = next else {
                self.changed.notified().await;
                continue;
            };
            let prepared = prepare(&self.files, &key, &description).await;
            let mut matches = self.matches.borrow_mut();
            let Some(known) = matches.get_mut(&key) else {
                continue;
            };
            match prepared {
                Ok(prepared) => {
                    (known.state, known.refusal) = (Readiness::Ready(Rc::new(prepared)), None);
                }
                Err(error) => {
                    let reason = error.to_string();
                    if known.refusal.as_ref() != Some(&reason) {
                        tracing::warn!(organizer = key.0, reason, "cannot play a match");
                    }
                    let is_missing = error.is_of_nats();
                    let time = if is_missing {
                        MISSING_TIME
                    } else {
                        REFUSAL_TIME
                    };
                    known.refuse(reason, time);
                }
            }
            drop(matches);
            self.changed.notify_waiters();
        }
    }

    fn begin_preparation(&self) -> Option<(MatchKey, String)> {
        let mut matches = self.matches.borrow_mut();
        let is_due = |known: &KnownMatch| match known.state {
            Readiness::New => true,
            Readiness::Refused(until) => until <= Instant::now(),
            Readiness::Preparing | Readiness::Ready(_) => false,
        };
        let (key, known) = matches.iter_mut().find(|(_, known)| is_due(known))?;
        known.state = Readiness::Preparing;
        Some((key.clone(), known.announcement.description.clone()))
    }

    /// Plays pairs one by one.
    async fn play_in(self: Rc<Self>, slot: usize, mut stopped: watch::Receiver<bool>) {
        let mut venue = Venue::new(self.files.program.clone(), self.runtime.clone(), None);
        let mut last = None;
        while !*stopped.borrow() {
            let Some((key, found, alive)) = self.next_match() else {
                venue.clear();
                self.changed.notified().await;
                continue;
            };
            let Some(message) = pull(&found.consumer).await else {
                // The queue is empty, or NATS is down.
                sleep(PULL_TIME / 4).await;
                continue;
            };
            let Ok(order) = decode::<PairOrder>(&message.payload) else {
                let _ = message.ack_with(AckKind::Term).await;
                continue;
            };
            let pair = PlayingPair {
                id: key.1.clone(),
                organizer: key.0.clone(),
                pair: order.pair,
            };
            // Players in another match may have the same names.
            if last.as_ref() != Some(&key) {
                venue.clear();
                last = Some(key.clone());
            }
            self.playing.borrow_mut().insert(slot, (pair, found.cores));
            self.measure_again().await;
            let played = self.play(&key.0, &order, &message, &found, &mut venue);
            tokio::select! {
                () = played => {}
                () = closed(alive) => venue.clear(),
                _ = stopped.wait_for(|is_stopped| *is_stopped) => {
                    let _ = message.ack_with(AckKind::Nak(None)).await;
                    venue.clear();
                }
            }
            self.playing.borrow_mut().remove(&slot);
        }
    }

    /// Returns the next match for which this machine has enough processors. Ready matches take
    /// turns.
    fn next_match(&self) -> Option<(MatchKey, Rc<PreparedMatch>, watch::Receiver<()>)> {
        let matches = self.matches.borrow();
        let ready: Vec<_> = matches
            .iter()
            .filter_map(|(key, known)| Some((key, known.ready()?, &known.alive)))
            .filter(|(_, found, _)| self.fits(found))
            .collect();
        let mut last = self.last.borrow_mut();
        let after = ready
            .iter()
            .position(|(key, ..)| last.as_ref().is_none_or(|last| *key > last));
        let (key, found, alive) = ready.get(after.unwrap_or(0))?;
        *last = Some((*key).clone());
        Some(((*key).clone(), Rc::clone(found), alive.subscribe()))
    }

    /// Returns whether this machine has enough processors for a pair of a match.
    fn fits(&self, found: &PreparedMatch) -> bool {
        let used = self.used_cores();
        // The result of a game without clocks does not depend on the speed.
        let may_wait = !found.is_timed && used == 0;
        may_wait || self.cores.borrow().has_idle(used, found.cores)
    }

    /// Returns whether matches are ready, but this machine has too few idle processors to play a
    /// pair.
    fn waits_for_processors(&self) -> bool {
        let matches = self.matches.borrow();
        let ready: Vec<_> = matches.values().filter_map(KnownMatch::ready).collect();
        self.playing.borrow().is_empty()
            && !ready.is_empty()
            && !ready.iter().any(|found| self.fits(found))
    }

    fn used_cores(&self) -> usize {
        self.playing.borrow().values().map(|(_, cores)| cores).sum()
    }

    /// Measures the speed again, unless the last measurement is recent. Games in other slots lower
    /// the measured speed.
    async fn measure_again(&self) {
        if self.speed.get().1.elapsed() >= SPEED_AGE
            && let Ok(speed) = spawn_blocking(measure_speed).await
        {
            self.speed.set((speed, Instant::now()));
        }
    }

    /// Plays a pair, and reports it to its organizer.
    async fn play(
        &self,
        organizer: &str,
        order: &PairOrder,
        message: &PairMessage,
        found: &PreparedMatch,
        venue: &mut Venue,
    ) {
        let speed = self.speed.get().0;
        let mut progress = interval(PROGRESS_INTERVAL);
        let playing = play_pair(venue, found, order, speed);
        tokio::pin!(playing);
        let outcome = loop {
            tokio::select! {
                outcome = &mut playing => break outcome,
                _ = progress.tick() => drop(message.ack_with(AckKind::Progress).await),
            }
        };
        let report = PairReport {
            id: found.id.clone(),
            pair: order.pair,
            token: order.token.clone(),
            speed,
            outcome,
        };
        let answer = match self.report(organizer, &report.fitting()).await {
            Some(PairVerdict::Taken) => AckKind::Ack,
            // NATS hands out the pair again after a while.
            None => return,
            Some(PairVerdict::Again) => {
                let _ = message.ack_with(AckKind::Nak(Some(PAUSE))).await;
                return sleep(PAUSE).await;
            }
            Some(PairVerdict::Unwelcome) => {
                let key = (organizer.to_owned(), found.id.clone());
                if let Some(known) = self.matches.borrow_mut().get_mut(&key) {
                    let reason = "its organizer rejects pairs from this node";
                    known.refuse(reason.into(), UNWELCOME_TIME);
                }
                AckKind::Nak(None)
            }
        };
        let _ = message.ack_with(answer).await;
    }

    async fn report(&self, organizer: &str, report: &PairReport) -> Option<PairVerdict> {
        let text = fleet::encode(report).ok()?;
        for _ in 0..REPORTS {
            let subject = subjects::reports(&self.name, organizer);
            let asking = self
                .connection
                .client()
                .request(subject, text.clone().into());
            if let Ok(Ok(reply)) = timeout(REPORT_TIME, asking).await
                && let Ok(verdict) = decode(&reply.payload)
            {
                return Some(verdict);
            }
            sleep(Duration::from_millis(500)).await;
        }
        None
    }
}

/// Opens the file cache and removes files left behind by an earlier run.
fn open_folders(cache: &Path, max_mb: u64) -> Result<(FileCache, PathBuf), FleetError> {
    let failed = |error: String| FleetError::Offer(format!("the node cannot keep files: {error}"));
    let files = FileCache::open(&cache.join("files"), max_mb << 20);
    let files = files.map_err(|error| failed(error.to_string()))?;
    let placed = cache.join("placed");
    match fs::remove_dir_all(&placed) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failed(format!("{}: {error}", placed.display())))
        }
        _ => Ok((files, placed)),
    }
}

/// Returns the next pair in a queue, if there is one.
async fn pull(consumer: &PullConsumer) -> Option<PairMessage> {
    let batch = consumer
        .fetch()
        .max_messages(1)
        .expires(PULL_TIME)
        .messages();
    let mut batch = timeout(2 * PULL_TIME, batch).await.ok()?.ok()?;
    let message = timeout(3 * PULL_TIME, batch.next()).await.ok()??;
    message.ok()
}

/// Resolves when a match has ended.
async fn closed(mut alive: watch::Receiver<()>) {
    while alive.changed().await.is_ok() {}
}
