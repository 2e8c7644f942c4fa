//! Pairs of games on nodes of the server's fleet.

use std::{
    cell::{Cell, RefCell},
    sync::Arc,
    time::{Duration, Instant},
};

use fleet::FleetSettings;
use fleet_match::{
    AcceptedNodes, MatchObserver, NodeProgress, NodeStanding, Organizer, OrganizerError,
};
use pool::WorkerProgram;
use tokio::sync::mpsc;
use tournament::{
    GameSettings, MatchFormat, Openings, PendingGames, PlayedMatchGame, ScheduledGame, Tournament,
};

use crate::contestant::ArenaPlayer;

/// A server's fleet.
#[derive(Clone, Debug)]
pub struct PlayingFleet {
    pub settings: FleetSettings,
    /// The server's name in the fleet.
    pub name: String,
}

/// Why nodes stopped playing.
#[derive(Debug)]
pub(crate) enum NodesError<E> {
    /// The nodes could not start the games.
    Organizer(OrganizerError),
    /// The caller ended the games.
    Ended(E),
}

/// The current state of a match's nodes.
#[derive(Debug, Default)]
pub(crate) struct NodeWatch {
    nodes: RefCell<Vec<NodeProgress>>,
    last_playing: Cell<Option<Instant>>,
}

impl PlayingFleet {
    /// Returns whether its settings list a node whose games may count.
    pub(crate) fn has(&self, accepted: AcceptedNodes) -> bool {
        let FleetSettings { nodes, guests, .. } = &self.settings;
        let has_guests = accepted == AcceptedNodes::Listed && !guests.is_empty();
        !nodes.is_empty() || has_guests
    }

    /// Has nodes play the pairs of a match until each has a result or `stopped` resolves. Calls
    /// `on_pair` with each pair.
    ///
    /// # Errors
    /// The match cannot be organized, `stopped` resolves, or `on_pair` fails.
    ///
    /// # Panics
    /// Never: without tablebases, every pair that the organizer passes on has a result.
    pub(crate) async fn play<E>(
        &self,
        tournament: Tournament,
        after: usize,
        accepted: AcceptedNodes,
        nodes: &NodeWatch,
        stopped: impl Future<Output = E>,
        mut on_pair: impl AsyncFnMut(Vec<PlayedMatchGame>) -> Result<(), E>,
    ) -> Result<(), NodesError<E>> {
        let Self { settings, name } = self;
        let opening = Organizer::open(settings, name, &tournament, accepted, false, nodes);
        tokio::pin!(stopped);
        let organizer = tokio::select! {
            biased;
            ended = &mut stopped => return Err(NodesError::Ended(ended)),
            organizer = opening => organizer,
        };
        let mut organizer = organizer.map_err(NodesError::Organizer)?;
        let (results, mut pairs) = mpsc::unbounded_channel();
        let pending = PendingGames {
            pairs: pairs_after(&tournament.schedule(), after),
            tournament: Arc::new(tournament),
            tablebases: None,
            results,
        };
        let playing = async {
            organizer.play(pending).await;
            Ok(())
        };
        // Runs concurrently with the games, because `on_pair` may wait for a file.
        let receiving = async {
            while let Some(pair) = pairs.recv().await {
                on_pair(pair.expect("without tables, each pair has a result")).await?;
            }
            Ok(())
        };
        let ended = tokio::select! {
            biased;
            ended = stopped => Err(ended),
            ended = async { tokio::try_join!(playing, receiving) } => ended.map(|_| ()),
        };
        Box::pin(organizer.close()).await;
        ended.map_err(NodesError::Ended)
    }
}

impl NodeWatch {
    /// Returns the number of slots of all reachable nodes, or `None` if no node was ever seen.
    pub(crate) fn slots(&self) -> Option<usize> {
        let nodes = self.nodes.borrow();
        let is_heard = |node: &&NodeProgress| !matches!(node.standing, NodeStanding::Lost);
        (!nodes.is_empty()).then(|| nodes.iter().filter(is_heard).map(|node| node.slots).sum())
    }

    /// Notes that a node has just played.
    pub(crate) fn note_played(&self) {
        self.last_playing.set(Some(Instant::now()));
    }

    /// Returns whether a node has played within this time.
    pub(crate) fn has_played_within(&self, time: Duration) -> bool {
        self.last_playing
            .get()
            .is_some_and(|played| played.elapsed() < time)
    }

    /// Returns why no node plays the match, if all known nodes refuse it.
    pub(crate) fn refusal(&self) -> Option<String> {
        let nodes = self.nodes.borrow();
        let refuses = |node: &NodeProgress| {
            matches!(
                node.standing,
                NodeStanding::Unable | NodeStanding::Unwelcome
            )
        };
        let first = nodes.iter().find(|node| refuses(node))?;
        let reason = first.reason.clone().unwrap_or_default();
        nodes.iter().all(refuses).then_some(reason)
    }
}

impl MatchObserver for NodeWatch {
    fn note(&self, note: &str) {
        tracing::info!("{note}");
    }

    fn nodes(&self, nodes: &[NodeProgress]) {
        if nodes.iter().any(|node| node.playing > 0) {
            self.note_played();
        }
        self.nodes.replace(nodes.to_vec());
    }
}

/// Creates a match between two players, for nodes to play.
pub(crate) fn tournament(
    contestants: &[ArenaPlayer; 2],
    games: usize,
    settings: GameSettings,
    openings: Openings,
    seed: u64,
    program: &WorkerProgram,
) -> Tournament {
    Tournament {
        players: contestants
            .each_ref()
            .map(|one| one.player.clone())
            .to_vec(),
        format: MatchFormat::RoundRobin,
        games,
        settings,
        tablebases: None,
        openings,
        seed,
        sprt: None,
        concurrency: 1,
        program: program.clone(),
    }
}

/// Returns the pairs after the first `played` games of a match between two players.
fn pairs_after(games: &[ScheduledGame], played: usize) -> Vec<Vec<ScheduledGame>> {
    games[played.min(games.len())..]
        .chunk_by(|one, other| one.round == other.round)
        .map(<[_]>::to_vec)
        .collect()
}
