//! A player of a match: an AI, the file of a library or a UCI engine, with its options.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use ai_api::{Limits, OptionSetting, OptionSpec, OptionValue};
use config::{
    AiSettings, Config, EngineError, ParsePlayerError, PlayerText, UnknownAi, allowed_values,
    ensure_known, named_files,
};
use game::has_seeds;
use library::{ReadLibraryError, sha256::Sha256Sum};
use pool::{Ai, Ais, StartErrors, WorkerProgram, fingerprint};
use tokio::runtime::Handle;
use uci::{OptionError, parse_option};

use crate::{
    time_control::{scaled_limits, stricter},
    uci_elo::known_rating,
};

/// A player that can be started several times.
#[derive(Clone, Debug)]
pub struct Player {
    /// The text on the command line or, for a file, its [short name](Self::shorten_names). Unique
    /// among the players.
    pub name: String,
    /// The name and version of the AI.
    ai_name: String,
    /// For a UCI engine, `name` with the engine's name and version instead of the path.
    full_name: Option<String>,
    /// Contains only this AI.
    config: Config,
    id: String,
    option_specs: Vec<OptionSpec>,
    known_rating: Option<f64>,
    has_seeds: bool,
    plays_chess960: bool,
    /// The value of its option `threads`.
    search_threads: usize,
    /// The limits of each move, in addition to the time control.
    limits: Limits,
    fingerprint: Sha256Sum,
}

#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    #[error(
        "{0}\n  for a library or a UCI engine, give its path, such as ./libmine.so or \
         /usr/games/stockfish"
    )]
    Unknown(#[from] UnknownAi),
    #[error("'{name}': {error}")]
    Library {
        name: String,
        error: ReadLibraryError,
    },
    #[error("'{name}': {error}")]
    Engine { name: String, error: EngineError },
    #[error("{0}")]
    Text(#[from] ParsePlayerError),
    #[error("'{name}': {error}")]
    Option { name: String, error: OptionError },
    #[error("{0}")]
    Start(#[from] StartErrors),
    #[error("cannot read the files of '{name}': {error}")]
    Files { name: String, error: io::Error },
}

impl Player {
    /// Reads a [`PlayerText`] and starts the player once, so that errors show before the first
    /// game. Its limits apply in addition to the time control. Blocks.
    ///
    /// # Errors
    /// The AI is unknown or does not start, or an option or a limit is invalid.
    ///
    /// # Panics
    /// Never: an AI that has started is found under its id.
    pub fn load(config: &Config, text: &str, program: &WorkerProgram) -> Result<Self, PlayerError> {
        Self::load_with_files(config, text, program, &[])
    }

    /// Like [`Self::load`], but lets an AI given by path read these files.
    ///
    /// # Errors
    /// The same as for [`Self::load`].
    ///
    /// # Panics
    /// Never: an AI that has started is found under its id.
    pub fn load_with_files(
        config: &Config,
        text: &str,
        program: &WorkerProgram,
        files: &[PathBuf],
    ) -> Result<Self, PlayerError> {
        let written = PlayerText::parse(text)?;
        let id_or_path = written.ai;
        let mut config = config.clone();
        let id = if is_path(id_or_path) {
            add_file(&mut config, id_or_path, files)?
        } else {
            id_or_path.to_owned()
        };
        ensure_known(&mut config, &id)?;
        let mut player = Self::named(text, config, id);
        let ais = player.start(program)?;
        let ai = player.ai(&ais);
        player.ai_name = ai.about.full_name();
        let full_name = text.replacen(id_or_path, &player.ai_name, 1);
        let specs = ai.about.options.clone();
        player.full_name =
            (is_path(id_or_path) && !ai.sandbox.exec.is_empty()).then_some(full_name);
        let (options, limits) = written.split(|name| specs.iter().any(|spec| spec.name == name))?;
        player.limits = limits;
        for &(name, value) in &options {
            let setting = parse_option(&specs, name, Some(value));
            let setting = setting.map_err(|error| PlayerError::Option {
                name: id_or_path.to_owned(),
                error,
            })?;
            player.config.set_option(&player.id, setting);
        }
        if options.is_empty() {
            return player.started(&ais);
        }
        drop(ais);
        let with_options = player.start(program)?;
        player.started(&with_options)
    }

    /// Starts the AI with these settings once, as [`Self::load`] does. Its limits apply in addition
    /// to the time control. Blocks.
    ///
    /// # Errors
    /// The AI does not start, or an option is invalid.
    ///
    /// # Panics
    /// Never: an AI that has started is found under its id.
    pub fn of_settings(
        config: &Config,
        settings: AiSettings,
        name: &str,
        limits: Limits,
        program: &WorkerProgram,
    ) -> Result<Self, PlayerError> {
        let (mut config, id) = (config.clone(), settings.id.clone());
        config.ais.insert(id.clone(), settings);
        let mut player = Self::named(name, config, id);
        player.limits = limits;
        let ais = player.start(program)?;
        player.ai_name = player.ai(&ais).about.full_name();
        player.started(&ais)
    }

    fn named(name: &str, mut config: Config, id: String) -> Self {
        config.keep_only(&id);
        Self {
            name: name.to_owned(),
            ai_name: String::new(),
            full_name: None,
            config,
            id,
            option_specs: Vec::new(),
            known_rating: None,
            has_seeds: false,
            plays_chess960: false,
            search_threads: 1,
            limits: Limits::NONE,
            fingerprint: Sha256Sum::of(&[]),
        }
    }

    /// Rejects an option that a configuration file would not accept.
    fn check_option(
        &self,
        specs: &[OptionSpec],
        setting: &OptionSetting,
        resolved: &[OptionSetting],
    ) -> Result<(), PlayerError> {
        let name = setting.name.clone();
        let error = |error| PlayerError::Option {
            name: self.name.clone(),
            error,
        };
        let Some(spec) = specs.iter().find(|spec| spec.name == name) else {
            let suggestion = None;
            return Err(error(OptionError::Unknown { name, suggestion }));
        };
        let wrong = |value: &str, expected: String| {
            let value = if spec.secret { "not shown" } else { value }.to_owned();
            Err(error(OptionError::Value {
                name: name.clone(),
                value,
                expected,
            }))
        };
        if !spec.allows(&setting.value) {
            return wrong(&setting.value.to_string(), allowed_values(spec));
        }
        let value = resolved.iter().find(|value| value.name == name);
        let mut files = value
            .into_iter()
            .flat_map(|value| named_files(spec, &value.value));
        let foreign = self
            .settings()
            .sandbox
            .placed_in
            .as_ref()
            .and_then(|root| files.find(|file| !Path::new(file).starts_with(root)));
        match foreign {
            Some(file) => wrong(file, "a file that belongs to the player".to_owned()),
            None => Ok(()),
        }
    }

    /// Reads what the started AI reports, and makes the paths in its options absolute.
    fn started(mut self, ais: &Ais) -> Result<Self, PlayerError> {
        let ai = self.ai(ais);
        let specs = ai.about.options.clone();
        let configured = self.settings().options.clone();
        let resolved = self.config.resolved_options(&self.id, &specs);
        for setting in &configured {
            self.check_option(&specs, setting, &resolved)?;
        }
        self.known_rating = known_rating(&specs, &resolved);
        self.search_threads = search_threads(&resolved);
        self.has_seeds = has_seeds(&specs, &configured);
        self.plays_chess960 = ai.about.capabilities.chess960;
        self.fingerprint = fingerprint(ai).map_err(|error| PlayerError::Files {
            name: self.name.clone(),
            error,
        })?;
        let is_configured = |setting: &OptionSetting| {
            let names_files = |spec: &OptionSpec| spec.name == setting.name && spec.names_files();
            specs.iter().any(names_files)
                && configured.iter().any(|other| other.name == setting.name)
        };
        for setting in resolved.into_iter().filter(is_configured) {
            self.config.set_option(&self.id, setting);
        }
        self.option_specs = specs;
        Ok(self)
    }

    /// Removes the folders from the names of players given by path, unless another player would get
    /// the same name.
    pub fn shorten_names(players: &mut [Self]) {
        let short: Vec<_> = players
            .iter()
            .map(|player| file_name(&player.name).to_owned())
            .collect();
        for (player, name) in players.iter_mut().zip(&short) {
            if short.iter().filter(|other| *other == name).count() == 1 {
                player.name.clone_from(name);
            }
        }
    }

    /// Returns the player's name in PGN.
    pub(crate) fn full_name(&self) -> &str {
        self.full_name.as_ref().unwrap_or(&self.name)
    }

    /// Returns whether this was started with the same files and options.
    pub(crate) fn is(&self, ais: &Ais) -> bool {
        fingerprint(self.ai(ais)).is_ok_and(|found| found == self.fingerprint)
    }

    pub(crate) fn ai<'a>(&self, ais: &'a Ais) -> &'a Arc<Ai> {
        ais.get(&self.id).expect("the AI was started under this id")
    }

    /// Starts the player in its own worker. Blocks until it is ready.
    ///
    /// # Errors
    /// The player does not start.
    pub fn start(&self, program: &WorkerProgram) -> Result<Ais, StartErrors> {
        Ais::start(&self.config, program.clone())
    }

    /// Like [`Self::start`], but runs as tasks of a single-threaded runtime; see [`Ais::start_in`].
    pub(crate) fn start_in(
        &self,
        program: &WorkerProgram,
        runtime: &Handle,
    ) -> Result<Ais, StartErrors> {
        Ais::start_in(&self.config, program.clone(), runtime)
    }

    /// Returns whether its games vary with [`Tournament::seed`](crate::Tournament::seed).
    pub(crate) const fn has_seeds(&self) -> bool {
        self.has_seeds
    }

    pub(crate) const fn plays_chess960(&self) -> bool {
        self.plays_chess960
    }

    /// Returns the number of search threads, according to its options.
    pub const fn search_threads(&self) -> usize {
        self.search_threads
    }

    /// Returns the limits of each move, in addition to the time control.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Applies its AI's configured `limit` to each move, unless the player's text has limits.
    #[must_use]
    pub fn with_configured_limits(self) -> Self {
        let configured = self
            .config
            .ais
            .get(&self.id)
            .and_then(|ai| ai.limit)
            .map(|limit| limit.limits);
        let configured = configured.filter(|_| self.limits == Limits::NONE);
        Self {
            limits: configured.unwrap_or(self.limits),
            ..self
        }
    }

    /// Applies these limits to each move in addition to the existing ones.
    #[must_use]
    pub fn limited_by(self, limits: &Limits) -> Self {
        Self {
            limits: stricter(self.limits, limits),
            ..self
        }
    }

    /// Multiplies the times of its limits by `factor`, as
    /// [`GameSettings::scaled`](crate::GameSettings::scaled) does.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            limits: scaled_limits(self.limits, factor),
            ..self
        }
    }

    /// Returns the fingerprint of its AI.
    pub const fn ai_fingerprint(&self) -> Sha256Sum {
        self.fingerprint
    }

    /// Returns a hash of everything that determines its moves.
    pub fn fingerprint(&self) -> Sha256Sum {
        Sha256Sum::of(format!("{} {:?}", self.fingerprint, self.limits).as_bytes())
    }

    /// Returns the settings of its AI. The paths in its options are absolute.
    ///
    /// # Panics
    /// Never: the configuration contains its AI.
    pub fn settings(&self) -> &AiSettings {
        let settings = self.config.ais.get(&self.id);
        settings.expect("the configuration contains the AI")
    }

    /// Returns the options that its AI declares.
    pub fn option_specs(&self) -> &[OptionSpec] {
        &self.option_specs
    }

    /// Returns the name and version of the AI.
    pub fn ai_name(&self) -> &str {
        &self.ai_name
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the CCRL Blitz rating that its options set, for Stockfish with `UCI_LimitStrength`.
    pub fn known_rating(&self) -> Option<f64> {
        self.known_rating
    }
}

/// Returns whether a player's text is a path rather than an id.
pub fn is_path(text: &str) -> bool {
    text.contains('/')
        || Path::new(text)
            .extension()
            .is_some_and(|extension| extension == "so")
}

/// Adds a library or UCI engine that may read `files`. Returns its id.
fn add_file(config: &mut Config, path: &str, files: &[PathBuf]) -> Result<String, PlayerError> {
    let file = Path::new(path);
    let name = || path.to_owned();
    let added = match config.add_library(file) {
        Err(error) if file.extension().is_some_and(|extension| extension == "so") => {
            Err(PlayerError::Library {
                name: name(),
                error,
            })
        }
        // A file that is not a library may be an engine.
        Err(_) => config
            .add_engine(path)
            .map_err(|error| PlayerError::Engine {
                name: name(),
                error,
            }),
        Ok(id) => Ok(id),
    };
    if let Some(ai) = added.as_ref().ok().and_then(|id| config.ais.get_mut(id)) {
        ai.sandbox.read.extend_from_slice(files);
    }
    added
}

fn search_threads(settings: &[OptionSetting]) -> usize {
    let threads = settings.iter().find(|setting| setting.name == "threads");
    match threads.map(|setting| &setting.value) {
        Some(&OptionValue::Integer(threads)) => usize::try_from(threads).unwrap_or(1).max(1),
        _ => 1,
    }
}

/// Returns a player's text without the folders of its file.
fn file_name(text: &str) -> &str {
    let end = text.find(',').unwrap_or(text.len());
    &text[text[..end].rfind('/').map_or(0, |slash| slash + 1)..]
}
