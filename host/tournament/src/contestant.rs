//! Who takes part in a match: AIs, configured or dropped in, and UCI engines, each perhaps with options of its own.

use std::path::Path;

use config::{Config, EngineError, UnknownAi, ensure_known};
use pool::{Ais, StartErrors, WorkerProgram};
use uci::{OptionRefusal, read_option};

/// A player, ready to be started as often as it is needed.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// As it was written: what tells players from each other.
    pub name: String,
    /// With this AI alone.
    config: Config,
    id: String,
}

/// Why somebody can't take part.
#[derive(Debug, thiserror::Error)]
pub enum ContestantError {
    /// There is no such AI.
    #[error("{0}\n  a UCI engine is named by its path, such as /usr/games/stockfish")]
    Unknown(#[from] UnknownAi),
    /// The engine can't be used.
    #[error("'{name}': {error}")]
    Engine {
        /// What was written.
        name: String,
        /// Why not.
        error: EngineError,
    },
    /// An option is not written as `name=value`.
    #[error("'{0}' is no option; expected name=value")]
    NoOption(String),
    /// The AI has no such option, or does not allow the value.
    #[error("'{name}': {error}")]
    Option {
        /// What was written.
        name: String,
        /// What is wrong.
        error: OptionRefusal,
    },
    /// It does not start.
    #[error("{0}")]
    Start(#[from] StartErrors),
}

impl Contestant {
    /// The player of a text `ID[,option=value…]`, or with the path of a UCI engine instead of the id. It is started once, so
    /// that what is wrong with it or with its options is known before the first game.
    ///
    /// # Errors
    /// It can't take part.
    ///
    /// # Panics
    /// Never: an AI that was started is there.
    pub fn enter(config: &Config, text: &str, program: &WorkerProgram) -> Result<Self, ContestantError> {
        let mut parts = text.split(',');
        let named = parts.next().unwrap_or_default();
        let mut config = config.clone();
        let id = if named.contains('/') {
            let engine = config.add_engine(Path::new(named));
            engine.map_err(|error| ContestantError::Engine { name: named.to_owned(), error })?
        } else {
            named.to_owned()
        };
        ensure_known(&mut config, &id)?;
        config.ais.retain(|other, _| *other == id);
        config.ais.values_mut().for_each(|settings| settings.workers = 1);
        let mut contestant = Self { name: text.to_owned(), config, id };
        let ais = contestant.start(program)?;
        let specs = &ais.get(&contestant.id).expect("it has just been started").about.options;
        let mut is_changed = false;
        for part in parts {
            let (name, value) =
                part.split_once('=').ok_or_else(|| ContestantError::NoOption(part.to_owned()))?;
            let setting = read_option(specs, name.trim(), Some(value.trim()));
            let setting =
                setting.map_err(|error| ContestantError::Option { name: named.to_owned(), error })?;
            contestant.config.set_option(&contestant.id, setting);
            is_changed = true;
        }
        if is_changed {
            drop(contestant.start(program)?);
        }
        Ok(contestant)
    }

    /// Starts the player in a worker of its own. Blocks until it is ready.
    ///
    /// # Errors
    /// It does not start.
    pub fn start(&self, program: &WorkerProgram) -> Result<Ais, StartErrors> {
        Ais::start(&self.config, program.clone())
    }

    /// The id under which it was started.
    pub fn id(&self) -> &str {
        &self.id
    }
}
