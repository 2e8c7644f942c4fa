//! A player of a match: an AI or a UCI engine, with its options.

use std::path::Path;

use config::{Config, EngineError, UnknownAi, ensure_known};
use game::has_seeds;
use pool::{Ais, StartErrors, WorkerProgram};
use uci::{OptionError, parse_option};

use crate::uci_elo::known_rating;

/// A player that can be started several times.
#[derive(Clone, Debug)]
pub struct Player {
    /// The text of the command line, unique among the players.
    pub name: String,
    /// With an engine's own name and version in place of its path.
    pub(crate) full_name: String,
    /// With this AI only.
    config: Config,
    id: String,
    known_rating: Option<f64>,
    has_seeds: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    #[error("{0}\n  for a UCI engine, give its path, such as /usr/games/stockfish")]
    Unknown(#[from] UnknownAi),
    #[error("'{name}': {error}")]
    Engine { name: String, error: EngineError },
    #[error("'{0}' is not an option; expected name=value")]
    MalformedOption(String),
    #[error("'{name}': {error}")]
    Option { name: String, error: OptionError },
    #[error("{0}")]
    Start(#[from] StartErrors),
}

impl Player {
    /// Parses `ID[,option=value…]`, with the id of an AI or the path of a UCI engine, and starts the player once to detect
    /// errors before the first game. Blocks.
    ///
    /// # Errors
    /// The AI is unknown or does not start, or an option is invalid.
    ///
    /// # Panics
    /// Never: a started AI has its id.
    pub fn load(config: &Config, text: &str, program: &WorkerProgram) -> Result<Self, PlayerError> {
        let mut parts = text.split(',');
        let id_or_path = parts.next().unwrap_or_default();
        let mut config = config.clone();
        let id = if id_or_path.contains('/') {
            let engine = config.add_engine(Path::new(id_or_path));
            engine.map_err(|error| PlayerError::Engine { name: id_or_path.to_owned(), error })?
        } else {
            id_or_path.to_owned()
        };
        ensure_known(&mut config, &id)?;
        config.keep_only(&id);
        let (name, full_name) = (text.to_owned(), text.to_owned());
        let mut player = Self { name, full_name, config, id, known_rating: None, has_seeds: false };
        let ais = player.start(program)?;
        let about = &ais.get(&player.id).expect("the AI was started under this id").about;
        if id_or_path.contains('/') {
            player.full_name = text.replacen(id_or_path, &about.full_name(), 1);
        }
        let specs = &about.options;
        let mut is_changed = false;
        for part in parts {
            let (name, value) =
                part.split_once('=').ok_or_else(|| PlayerError::MalformedOption(part.to_owned()))?;
            let setting = parse_option(specs, name.trim(), Some(value.trim()));
            let setting =
                setting.map_err(|error| PlayerError::Option { name: id_or_path.to_owned(), error })?;
            player.config.set_option(&player.id, setting);
            is_changed = true;
        }
        if is_changed {
            drop(player.start(program)?);
        }
        player.known_rating = known_rating(specs, &player.config.resolved_options(&player.id, specs));
        let configured = player.config.ais.get(&player.id).map_or(&[][..], |ai| &ai.options);
        player.has_seeds = has_seeds(specs, configured);
        Ok(player)
    }

    /// Starts the player in its own worker. Blocks until it is ready.
    ///
    /// # Errors
    /// The player does not start.
    pub fn start(&self, program: &WorkerProgram) -> Result<Ais, StartErrors> {
        Ais::start(&self.config, program.clone())
    }

    /// Returns whether its games vary with [`Tournament::seed`](crate::Tournament::seed).
    pub(crate) const fn has_seeds(&self) -> bool {
        self.has_seeds
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the rating on CCRL Blitz that its options give it: of Stockfish with `UCI_LimitStrength`.
    pub fn known_rating(&self) -> Option<f64> {
        self.known_rating
    }
}
