//! Prepares a match: its files and its players.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use async_nats::jetstream::{Context, consumer::PullConsumer, object_store::ObjectStore};
use fleet::{Id, decode};
use library::sha256::Sha256Sum;
use pool::WorkerProgram;
use tokio::{io::AsyncReadExt as _, task::spawn_blocking, time::timeout};
use tournament::{Disturbances, GameSettings, Player, PlayerError};

use crate::{
    file_cache::{CacheError, FileCache},
    player_files::{PlayerFilesError, PlayerManifest},
    subjects,
    wire::{MAX_DESCRIPTION_BYTES, MAX_PLAYERS, MatchDescription, platform},
};

/// How long a file may take to arrive.
const DOWNLOAD_TIME: Duration = Duration::from_mins(10);

/// The organizer and the id of a match.
pub(super) type MatchKey = (String, Id);

/// Where the node gets, keeps and runs the files of matches.
pub(super) struct MatchFiles {
    pub(super) context: Context,
    pub(super) files: FileCache,
    /// The folder for the files of running matches.
    pub(super) placed: PathBuf,
    pub(super) program: WorkerProgram,
}

/// A match that can be played here.
pub(super) struct PreparedMatch {
    pub(super) id: Id,
    pub(super) players: Vec<Player>,
    pub(super) settings: GameSettings,
    pub(super) seed: u64,
    pub(super) reference_speed: Option<u32>,
    /// The number of processors that a pair needs.
    pub(super) cores: usize,
    /// Whether its results depend on the machine's speed.
    pub(super) is_timed: bool,
    pub(super) consumer: PullConsumer,
    /// Removes the placed files.
    _folder: PlacedFiles,
}

struct PlacedFiles(PathBuf);

impl Drop for PlacedFiles {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Why a node does not play a match.
#[derive(Debug, thiserror::Error)]
pub(super) enum PrepareError {
    #[error("its files are for {found}, but this machine is {expected}")]
    Platform { found: String, expected: String },
    #[error("it has {0} players; expected 2 to {MAX_PLAYERS}")]
    Players(usize),
    #[error("its description cannot be used: {0}")]
    Description(String),
    #[error("cannot get the file {sha256} from NATS: {cause}")]
    Download { sha256: String, cause: String },
    #[error("{0}")]
    Cache(#[from] CacheError),
    #[error("{0}")]
    Files(#[from] PlayerFilesError),
    #[error("{0}")]
    Player(#[from] PlayerError),
    #[error(
        "'{name}' differs here: its fingerprint is {found}, but the organizer's is {expected}; \
         a program or file that it uses may differ on this machine"
    )]
    Fingerprint {
        name: String,
        found: Sha256Sum,
        expected: Sha256Sum,
    },
    #[error("its queue cannot be used: {0}")]
    Queue(String),
    #[error("it has ended")]
    Ended,
}

impl PrepareError {
    /// Returns whether NATS lacks a file or the organizer's queue.
    pub(super) const fn is_of_nats(&self) -> bool {
        matches!(self, Self::Download { .. } | Self::Queue(_))
    }
}

/// Gets the files of a match, and starts its players once.
pub(super) async fn prepare(
    node: &MatchFiles,
    (organizer, id): &MatchKey,
    description: &str,
) -> Result<PreparedMatch, PrepareError> {
    let bucket = node.context.get_object_store(subjects::bucket(organizer));
    let bucket = bucket.await.map_err(|error| PrepareError::Download {
        sha256: description.to_owned(),
        cause: error.to_string(),
    })?;
    let text = read_description(&bucket, description).await?;
    let MatchDescription {
        platform: theirs,
        players: manifests,
        mut settings,
        seed,
        reference_speed,
    } = decode(&text).map_err(|error| PrepareError::Description(error.to_string()))?;
    let expected = platform();
    if theirs != expected {
        return Err(PrepareError::Platform {
            found: text::printable(&theirs),
            expected,
        });
    }
    if !(2..=MAX_PLAYERS).contains(&manifests.len()) {
        return Err(PrepareError::Players(manifests.len()));
    }
    for manifest in &manifests {
        manifest.check()?;
    }
    download(&bucket, &node.files, &manifests).await?;
    let folder = PlacedFiles(node.placed.join(id.as_str()));
    let (files, root, program) = (node.files.clone(), folder.0.clone(), node.program.clone());
    let loading = spawn_blocking(move || {
        let numbered = manifests.iter().enumerate();
        numbered
            .map(|(index, manifest)| {
                load(manifest, &files, &root.join(index.to_string()), &program)
            })
            .collect::<Result<Vec<_>, _>>()
    });
    let players = loading.await.map_err(|_| PrepareError::Ended)??;
    let is_timed = settings.limits_time(&players);
    settings.disturbances = if is_timed {
        Disturbances::Void
    } else {
        Disturbances::Ignored
    };
    let threads = players.iter().map(Player::search_threads).max();
    let stream = subjects::stream(organizer);
    let consumer = node.context.get_consumer_from_stream(id.as_str(), stream);
    Ok(PreparedMatch {
        id: id.clone(),
        players,
        settings,
        seed,
        reference_speed,
        cores: threads.unwrap_or(1),
        is_timed,
        consumer: consumer
            .await
            .map_err(|error| PrepareError::Queue(error.to_string()))?,
        _folder: folder,
    })
}

async fn read_description(bucket: &ObjectStore, sha256: &str) -> Result<Vec<u8>, PrepareError> {
    let failed = |cause: String| PrepareError::Download {
        sha256: sha256.to_owned(),
        cause,
    };
    let object = bucket.get(sha256).await;
    let object = object.map_err(|error| failed(error.to_string()))?;
    let mut text = Vec::new();
    let mut object = object.take(MAX_DESCRIPTION_BYTES);
    let read = timeout(DOWNLOAD_TIME, object.read_to_end(&mut text)).await;
    let read = read.map_err(|_| failed("it took too long".into()))?;
    read.map_err(|error| failed(error.to_string()))?;
    let found = Sha256Sum::of(&text).to_string();
    if found == sha256 {
        Ok(text)
    } else {
        Err(PrepareError::Description(format!("its SHA-256 is {found}")))
    }
}

/// Places a player's files in a folder, and starts the player once. Blocks.
fn load(
    manifest: &PlayerManifest,
    files: &FileCache,
    root: &Path,
    program: &WorkerProgram,
) -> Result<Player, PrepareError> {
    let settings = manifest.place(|file| files.path_of(file.sha256), root)?;
    let config = config::empty();
    let (name, limits) = (&manifest.name, manifest.limits);
    let player = Player::of_settings(&config, settings, name, limits, program)?;
    if player.ai_fingerprint() == manifest.fingerprint {
        return Ok(player);
    }
    Err(PrepareError::Fingerprint {
        found: player.ai_fingerprint(),
        name: player.name,
        expected: manifest.fingerprint,
    })
}

/// Gets the files that the cache lacks.
async fn download(
    bucket: &ObjectStore,
    cache: &FileCache,
    manifests: &[PlayerManifest],
) -> Result<(), PrepareError> {
    let files = || manifests.iter().flat_map(|manifest| &manifest.files);
    let wanted: BTreeMap<_, _> = files().map(|file| (file.sha256, file.bytes)).collect();
    let mut missing = wanted.clone();
    missing.retain(|sha256, _| cache.find(*sha256).is_none());
    cache.make_room(missing.values().sum(), &wanted.into_keys().collect())?;
    for (sha256, bytes) in missing {
        let failed = |cause: String| PrepareError::Download {
            sha256: sha256.to_string(),
            cause,
        };
        let object = bucket.get(sha256.to_string()).await;
        let object = object.map_err(|error| failed(error.to_string()))?;
        let adding = cache.add(sha256, bytes, object);
        let added = timeout(DOWNLOAD_TIME, adding).await;
        added.map_err(|_| failed("it took too long".into()))??;
    }
    Ok(())
}
