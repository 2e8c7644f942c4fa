//! The organizer of a match: hands out pairs and replays the returned games.

mod nodes;

use std::{
    collections::{BTreeMap, HashSet},
    path::PathBuf,
    time::Duration,
};

use fleet::{
    FleetError, FleetSettings, Id, Message, NatsConnection, Subscriber, WireError, decode, encode,
    next, node_of,
};
use library::sha256::Sha256Sum;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tournament::{
    PendingGames, PlayError, PlayRecord, PlayedMatchGame, ReplayError, ScheduledGame, Tournament,
    TournamentError, replay,
};

use crate::{
    player_files::{PlayerFilesError, PlayerManifest},
    queue::{PairQueue, QueueError},
    speed::{measure_speed, settings_for},
    subjects,
    wire::{
        MatchAnnouncement, MatchDescription, NodeMatches, PairOrder, PairOutcome, PairReport,
        PairVerdict, platform,
    },
};
use nodes::NodeTable;
pub use nodes::{AcceptedNodes, NodeProgress, NodeStanding};

const ANNOUNCEMENT_INTERVAL: Duration = Duration::from_secs(1);
/// How often the organizer asks NATS for the number of pairs in the queue.
const QUEUE_CHECK: Duration = Duration::from_secs(5);
/// The number of pairs in the queue, in addition to two for each slot of the nodes.
const SPARE_PAIRS: usize = 4;
/// The minimum time for which a node may keep a pair.
const LEAST_PAIR_TIME: Duration = Duration::from_mins(10);
/// A node may keep a pair for this many times the duration of the longest pair.
const LONGEST_PAIRS: u32 = 6;
/// The pauses before each announcement that a match has ended. The end is announced several times
/// in case a message is lost.
const FAREWELLS: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_millis(100),
    Duration::from_millis(400),
];

/// How long the organizer waits for a node before it tells the user what a node needs.
const NODE_TIME: Duration = Duration::from_secs(5);

/// Two games with at least this many half-moves do not share all their move times by chance. A
/// fault may end a game earlier.
const LEAST_COPIED_MOVES: usize = 10;

/// Why a match cannot be organized.
#[derive(Debug, thiserror::Error)]
pub enum OrganizerError {
    #[error("{0}")]
    Fleet(#[from] FleetError),
    #[error("{0}")]
    Queue(#[from] QueueError),
    #[error("{0}")]
    Files(#[from] PlayerFilesError),
    #[error("{0}")]
    Description(#[from] WireError),
}

/// An observer of a match.
pub trait MatchObserver {
    /// Reports something that a user should know, once.
    fn note(&self, note: &str);

    /// Reports all nodes, whenever one of them has changed.
    fn nodes(&self, nodes: &[NodeProgress]);
}

/// The organizer of a match whose pairs are played by nodes.
pub struct Organizer<'a> {
    connection: NatsConnection,
    name: String,
    announcement: MatchAnnouncement,
    /// The text of the description.
    description: Vec<u8>,
    /// The players' files, keyed by SHA-256.
    files: BTreeMap<Sha256Sum, PathBuf>,
    reference_speed: Option<u32>,
    queue: PairQueue,
    states: Subscriber,
    reports: Subscriber,
    nodes: NodeTable,
    observer: &'a dyn MatchObserver,
    /// The hashes of the games that count.
    seen: HashSet<Sha256Sum>,
    /// The secret from which the tokens of pairs are derived.
    secret: Id,
    longest_pair: Duration,
    /// How many checks in a row found no pair in NATS although some pairs have no result.
    empty_checks: u32,
    is_queue_lost: bool,
}

/// A pair without a result.
struct OpenPair {
    games: Vec<ScheduledGame>,
    /// When it was added to the queue.
    pushed: Option<Instant>,
}

impl<'a> Organizer<'a> {
    /// Connects as `name`, and uploads the players' files to NATS. If `scale` is true, the times of
    /// the match are for this machine, and other machines scale them to their speed.
    ///
    /// # Errors
    /// NATS is unreachable or has no room, or a file cannot be read.
    pub async fn open(
        settings: &FleetSettings,
        name: &str,
        tournament: &Tournament,
        accepted: AcceptedNodes,
        scale: bool,
        observer: &'a dyn MatchObserver,
    ) -> Result<Self, OrganizerError> {
        let label = format!("rookery match {name}");
        let connection = NatsConnection::open_for_requests(settings, &label, name).await?;
        let manifests = tournament.players.iter().map(PlayerManifest::of);
        let players = manifests.collect::<Result<Vec<_>, _>>()?;
        let files = players.iter().flat_map(|player| &player.files);
        let files = files.map(|file| (file.sha256, file.path.clone())).collect();
        let reference_speed = scale.then(measure_speed);
        let description = encode(&MatchDescription {
            platform: platform(),
            players,
            settings: tournament.settings,
            seed: tournament.seed,
            reference_speed,
        })?;
        let announcement = MatchAnnouncement {
            id: Id::random().map_err(FleetError::from)?,
            description: Sha256Sum::of(&description).to_string(),
            over: false,
        };
        let queue = PairQueue::open(&connection, name, &announcement.id).await?;
        let states = connection.subscribe(subjects::STATES.into()).await?;
        let reports = connection.subscribe(subjects::reports("*", name)).await?;
        let organizer = Self {
            connection,
            name: name.to_owned(),
            announcement,
            description,
            files,
            reference_speed,
            queue,
            states,
            reports,
            nodes: NodeTable::new(settings, accepted),
            observer,
            seen: HashSet::new(),
            secret: Id::random().map_err(FleetError::from)?,
            longest_pair: Duration::ZERO,
            empty_checks: 0,
            is_queue_lost: false,
        };
        let sent = organizer.send_files().await?;
        if sent > 0 {
            observer.note(&format!(
                "sent {} KiB of files to NATS",
                sent.div_ceil(1024)
            ));
        }
        Ok(organizer)
    }

    /// Uploads the files that NATS lacks. Returns their total size in bytes.
    async fn send_files(&self) -> Result<u64, QueueError> {
        let mut sent = 0;
        for (sha256, file) in &self.files {
            sent += self.queue.put_file(*sha256, file).await?;
        }
        let sha256 = Sha256Sum::of(&self.description);
        self.queue.put_text(sha256, &self.description).await?;
        Ok(sent)
    }

    /// Lets nodes play the pairs until each has a result. Dropping the future does not end the
    /// match: call [`close`](Self::close).
    pub async fn play(&mut self, pending: PendingGames) {
        if let Err(error) = self.play_all(&pending).await {
            // If the receiver is gone, the match is over.
            let _ = pending.results.send(Err(error));
        }
    }

    /// # Errors
    /// The tablebases of this machine cannot be probed.
    async fn play_all(&mut self, pending: &PendingGames) -> Result<(), TournamentError> {
        let pairs = pending.pairs.iter().cloned().map(|games| OpenPair {
            games,
            pushed: None,
        });
        let mut open: BTreeMap<u64, OpenPair> = (0..).zip(pairs).collect();
        let mut seconds = interval(ANNOUNCEMENT_INTERVAL);
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut checks = interval(QUEUE_CHECK);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut connection = self.connection.clone();
        let no_node = sleep(NODE_TIME);
        tokio::pin!(no_node);
        let mut is_new = true;
        while !open.is_empty() {
            tokio::select! {
                report = next(&mut self.reports) => {
                    self.on_report(&report, &mut open, pending).await?;
                    self.fill_queue(&mut open, &pending.tournament).await;
                }
                state = next(&mut self.states) => self.on_state(&state),
                _ = seconds.tick() => {
                    self.announce().await;
                    self.fill_queue(&mut open, &pending.tournament).await;
                    self.nodes.forget_silent();
                    if self.nodes.stops_playing() {
                        let note = "no node plays this match now; waiting for one that can";
                        self.observer.note(note);
                    }
                    self.observer.nodes(&self.nodes.progress());
                }
                _ = checks.tick() => self.check_queue(&mut open).await,
                () = &mut no_node, if is_new => {
                    is_new = false;
                    if self.nodes.is_empty() {
                        self.observer.note(&self.no_node());
                    }
                }
                is_connected = connection.changed() => {
                    if is_connected && connection.becomes_trusted().await {
                        self.is_queue_lost = true;
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends the match, and returns its nodes. They stop within a second.
    pub async fn close(mut self) -> Vec<NodeProgress> {
        self.announcement.over = true;
        for pause in FAREWELLS {
            sleep(pause).await;
            self.announce().await;
        }
        self.queue.close().await;
        self.connection.flush().await;
        self.nodes.progress()
    }

    fn no_node(&self) -> String {
        format!(
            "no node in this fleet plays matches of `{0}` yet; waiting for a node with `from = \
             [\"{0}\"]` in [fleet.matches]; list the nodes with `rookery fleet status`",
            self.name
        )
    }

    async fn announce(&self) {
        let subject = subjects::matches(&self.name);
        self.connection.publish(subject, &self.announcement).await;
    }

    fn on_state(&mut self, message: &Message) {
        let Some(node) = node_of(&message.subject).filter(|node| self.nodes.accepts(node)) else {
            return;
        };
        let Ok(state) = decode::<NodeMatches>(&message.payload) else {
            return;
        };
        if let Some(reason) = self.nodes.hear(node, state, &self.announcement.id) {
            self.observer
                .note(&format!("{node} does not play this match: {reason}"));
        }
    }

    /// Fills the queue, so that no node waits for a pair.
    async fn fill_queue(&mut self, open: &mut BTreeMap<u64, OpenPair>, tournament: &Tournament) {
        let pushed = open.values().filter(|pair| pair.pushed.is_some()).count();
        let room = (SPARE_PAIRS + 2 * self.nodes.slots()).saturating_sub(pushed);
        let secret = self.secret.clone();
        let waiting = open.iter_mut().filter(|(_, pair)| pair.pushed.is_none());
        for (&number, pair) in waiting.take(room) {
            let opening = tournament.openings.for_round(pair.games[0].round);
            let order = PairOrder::new(
                number,
                token_of(&secret, number),
                &opening.game,
                &pair.games,
            );
            if let Err(error) = self.queue.push(&order).await {
                self.lose_queue(&error);
                return;
            }
            pair.pushed = Some(Instant::now());
        }
    }

    /// Requeues the pairs that the queue has lost, or that a node has kept for too long.
    async fn check_queue(&mut self, open: &mut BTreeMap<u64, OpenPair>) {
        if self.is_queue_lost {
            match PairQueue::open(&self.connection, &self.name, &self.announcement.id).await {
                Ok(queue) => self.queue = queue,
                Err(error) => return self.lose_queue(&error),
            }
            if let Err(error) = self.send_files().await {
                return self.lose_queue(&error);
            }
            self.is_queue_lost = false;
        }
        let time = LEAST_PAIR_TIME.max(self.longest_pair * LONGEST_PAIRS);
        for pair in open.values_mut() {
            pair.pushed = pair.pushed.filter(|pushed| pushed.elapsed() < time);
        }
        match self.queue.waiting().await {
            Ok(0) => self.empty_checks += 1,
            Ok(_) => self.empty_checks = 0,
            Err(error) => return self.lose_queue(&error),
        }
        // A pair's report may be in transit.
        if self.empty_checks >= 2 {
            self.empty_checks = 0;
            for pair in open.values_mut() {
                pair.pushed = None;
            }
        }
    }

    fn lose_queue(&mut self, error: &QueueError) {
        if !self.is_queue_lost && self.connection.is_connected() {
            self.observer.note(&error.to_string());
        } else if !self.is_queue_lost {
            let note = "lost the connection to NATS; the match continues when it is back";
            self.observer.note(note);
        }
        self.is_queue_lost = true;
    }

    /// Handles a node's report.
    async fn on_report(
        &mut self,
        message: &Message,
        open: &mut BTreeMap<u64, OpenPair>,
        pending: &PendingGames,
    ) -> Result<(), TournamentError> {
        let Some(node) = node_of(&message.subject).map(str::to_owned) else {
            return Ok(());
        };
        if !subjects::is_request_of(&node, message.reply.as_deref()) {
            return Ok(());
        }
        // The node was told when it was refused.
        if self.nodes.is_out(&node) {
            return Ok(());
        }
        let verdict = match decode::<PairReport>(&message.payload) {
            // The report may be for another command with this name.
            Ok(report) if report.id != self.announcement.id => return Ok(()),
            _ if !self.nodes.accepts(&node) => PairVerdict::Unwelcome,
            Ok(report) => self.judge(&node, report, open, pending).await?,
            Err(error) => self.refuse(&node, &error.to_string()),
        };
        if let (Some(reply), Ok(text)) = (&message.reply, encode(&verdict)) {
            let _ = self
                .connection
                .client()
                .publish(reply.clone(), text.into())
                .await;
        }
        self.observer.nodes(&self.nodes.progress());
        Ok(())
    }

    async fn judge(
        &mut self,
        node: &str,
        report: PairReport,
        open: &mut BTreeMap<u64, OpenPair>,
        pending: &PendingGames,
    ) -> Result<PairVerdict, TournamentError> {
        if report.token != token_of(&self.secret, report.pair) {
            let reason = format!("the queue did not give it the pair {}", report.pair);
            return Ok(self.refuse(node, &reason));
        }
        let Some(pair) = open.get(&report.pair) else {
            return Ok(PairVerdict::Taken);
        };
        let records = match report.outcome {
            PairOutcome::Played(records) => records,
            PairOutcome::Void(reason) => {
                self.nodes.count_void(node, &reason);
                return Ok(PairVerdict::Again);
            }
        };
        if records.len() != pair.games.len() {
            let (found, expected) = (records.len(), pair.games.len());
            let reason = format!("it has {found} games; expected {expected}");
            return Ok(self.refuse(node, &reason));
        }
        let games = match self
            .replay_pair(node, report.speed, &records, pair, pending)
            .await
        {
            Ok(games) => games,
            Err(ReplayError::Tablebase(error)) => return Err(PlayError::from(error).into()),
            Err(error) => return Ok(self.refuse(node, &error.to_string())),
        };
        let long = |record: &&PlayRecord| record.moves.len() >= LEAST_COPIED_MOVES;
        for record in records.iter().filter(long) {
            let copied = !self.seen.insert(hash(record));
            if copied {
                let reason = "a game repeats the moves and times of an earlier game";
                return Ok(self.refuse(node, reason));
            }
        }
        let time = pair
            .pushed
            .map_or(Duration::ZERO, |pushed| pushed.elapsed());
        self.longest_pair = self.longest_pair.max(time);
        let faults = games
            .iter()
            .filter(|game| game.played.end.fault().is_some());
        self.nodes.count_pair(node, faults.count() as u32);
        open.remove(&report.pair);
        // If the receiver is gone, the match is over.
        let _ = pending.results.send(Ok(games));
        Ok(PairVerdict::Taken)
    }

    /// Replays the games from their records.
    async fn replay_pair(
        &self,
        node: &str,
        speed: u32,
        records: &[PlayRecord],
        pair: &OpenPair,
        pending: &PendingGames,
    ) -> Result<Vec<PlayedMatchGame>, ReplayError> {
        let tournament = &pending.tournament;
        let opening = tournament.openings.for_round(pair.games[0].round);
        let settings = settings_for(tournament.settings, self.reference_speed, speed);
        let tables = pending.tablebases.as_ref().map(|ais| &**ais.tablebases());
        let mut games = Vec::new();
        for (record, scheduled) in records.iter().zip(&pair.games) {
            let played = replay(record, &opening, &settings, tables).await?;
            games.push(PlayedMatchGame {
                scheduled: *scheduled,
                played,
                node: Some(node.to_owned()),
            });
        }
        Ok(games)
    }

    /// Counts an invalid report against its node.
    fn refuse(&mut self, node: &str, reason: &str) -> PairVerdict {
        let is_out = self.nodes.count_refused(node, reason);
        let reason = text::printable(reason);
        self.observer.note(&if is_out {
            format!("{node} sent another invalid report and is now ignored: {reason}")
        } else {
            format!("{node} sent an invalid report; its pair is played again: {reason}")
        });
        if is_out {
            PairVerdict::Unwelcome
        } else {
            PairVerdict::Again
        }
    }
}

/// Returns the token by which a node proves that it got a pair from the queue.
fn token_of(secret: &Id, pair: u64) -> String {
    Sha256Sum::of(format!("{secret} {pair}").as_bytes()).to_string()
}

/// Returns a hash that two games share only if one is a copy: the times are in microseconds.
fn hash(record: &PlayRecord) -> Sha256Sum {
    Sha256Sum::of(&serde_json::to_vec(record).unwrap_or_default())
}
