//! A UCI engine as a Rookery AI. Starts the program in the option `command` and translates the
//! host's requests into the Universal Chess Interface or xboard's protocol.
//!
//! The AI offers the engine's options, with names in `snake_case`. Commands are written from
//! positions, moves and numbers, so no client text reaches the engine. Its output is parsed, and
//! its moves are looked up among the legal ones.

mod command;
mod engine;
mod fen;
mod identity;
mod info;
mod notation;
mod number;
mod option;
mod output;
mod process;
mod san;
mod search;
mod strength;
mod xboard;

use std::sync::{Mutex, MutexGuard, PoisonError};

use ai_api::{
    Ai, AiError, Capabilities, Host, OptionSetting, OptionSpec, OptionValue, Options,
    SearchRequest, SearchResult, Searcher,
};

use self::{
    command::Command,
    engine::Engine,
    option::{CHESS960, COMMAND, EngineOption, SHOW_WDL},
    strength::{Strength, is_limited},
};

ai_api::export_ai!(
    Uci: Searcher,
    name = "UCI engine",
    author = "The Rookery developers",
    identity = identity,
);

/// An engine's threads: one that searches and one that reads commands.
const ENGINE_THREADS: u32 = 2;

/// The option with the search time for requests that set none. Exists only if it is set.
const UNTIMED_SEARCH: &str = "untimed_search_ms";

/// An unused engine, which was started to read its options.
static STARTED: Mutex<Option<Engine>> = Mutex::new(None);

#[derive(Debug)]
pub struct Uci {
    command: Command,
    options: Options,
    /// `None` after a failure. The next request starts another engine.
    engine: Option<Engine>,
}

impl Ai for Uci {
    fn options() -> Vec<OptionSpec> {
        vec![command_spec(
            "absolute path of the engine, and its arguments",
        )]
    }

    fn options_for(settings: &[OptionSetting], _: &Host<'_>) -> Result<Vec<OptionSpec>, AiError> {
        let mut specs = Self::options();
        let command = settings
            .iter()
            .find(|setting| setting.name == COMMAND)
            .map(|setting| &setting.value);
        // The host rejects a value that is not a string.
        if let Some(OptionValue::Text(command)) = command {
            let engine = unused(&Command::parse(command)?)?;
            specs = vec![command_spec("the engine's program, and its arguments")];
            specs.extend(engine.settable().map(|option| option.spec.clone()));
            specs.extend(Strength::of(&engine).map(|strength| strength.spec()));
            // Few engines need this option.
            if settings
                .iter()
                .any(|setting| setting.name == UNTIMED_SEARCH)
            {
                let help =
                    "the search time of requests without one, for an engine that ignores 'stop'";
                specs.push(OptionSpec::integer(UNTIMED_SEARCH, 0, 0..=3_600_000, help));
            }
            *started() = Some(engine);
        }
        Ok(specs)
    }

    fn capabilities(options: &Options, _: &Host<'_>) -> Capabilities {
        let started = started();
        let engine = started.as_ref();
        let threads = options
            .integer("threads")
            .ok()
            .and_then(|threads| u32::try_from(threads).ok());
        Capabilities {
            chess960: engine.is_some_and(|engine| engine.has_option(CHESS960)),
            root_moves: engine.is_none_or(|engine| engine.xboard.is_none()),
            manages_time: true,
            max_lines: engine.map_or(1, Engine::max_lines),
            // Engines with limited strength make random errors.
            varies: is_limited(options) || threads.is_some_and(|threads| threads > 1),
            threads: ENGINE_THREADS + threads.unwrap_or(1).saturating_sub(1),
            ..Capabilities::SIMPLEST
        }
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let command = Command::parse(options.text(COMMAND)?)?;
        let mut uci = Self {
            command,
            options: options.clone(),
            engine: None,
        };
        uci.engine = Some(uci.start()?);
        Ok(uci)
    }

    fn set_option(&mut self, setting: &OptionSetting, _: &Host<'_>) -> Result<(), AiError> {
        self.options.set(setting);
        let options = self.options.clone();
        self.with_engine(|engine| {
            let strength = Strength::of(engine).filter(|strength| strength.decides(&setting.name));
            let commands = if let Some(strength) = strength {
                strength.commands(&options)?
            } else {
                let option = engine
                    .settable()
                    .find(|option| option.spec.name == setting.name);
                let command = option
                    .map(|option| option.command(&setting.value))
                    .transpose()?;
                command.flatten().into_iter().collect()
            };
            // The options for an analysis differ from the configured ones.
            engine.set_analysis(false)?;
            for command in commands {
                engine.process.send(&command)?;
                engine.state.is_fresh = false;
            }
            engine.state.plays_book = plays_book(engine, &options);
            engine.wait_until_ready()
        })
    }

    fn new_game(&mut self, _: &Host<'_>) -> Result<(), AiError> {
        self.engine.take_if(|engine| !engine.is_reusable());
        self.with_engine(Engine::new_game)
    }
}

impl Searcher for Uci {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        self.with_engine(|engine| search::search(engine, request, host))
    }
}

impl Uci {
    /// Starts an engine for a first game, with its options set.
    fn start(&self) -> Result<Engine, AiError> {
        let mut engine = unused(&self.command)?;
        // Defaults require no command.
        let changed = |option: &EngineOption| {
            let value = self
                .options
                .get(&option.spec.name)
                .filter(|&value| *value != option.spec.default)?;
            option.command(value).transpose()
        };
        let mut commands = engine
            .settable()
            .filter_map(changed)
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(strength) = Strength::of(&engine)
            && is_limited(&self.options)
        {
            commands.extend(strength.commands(&self.options)?);
        }
        for command in commands {
            engine.process.send(&command)?;
        }
        if engine.has_option(SHOW_WDL) {
            engine.set(SHOW_WDL, true)?;
        }
        engine.state.plays_book = plays_book(&engine, &self.options);
        let untimed = self
            .options
            .integer(UNTIMED_SEARCH)
            .ok()
            .and_then(|ms| u64::try_from(ms).ok());
        engine.untimed_search_ms = untimed.filter(|&ms| ms > 0);
        // Engines load their files at `isready` or `ucinewgame`. Send these now rather than during
        // the first request.
        if engine.xboard.is_none() {
            engine.wait_until_ready()?;
        }
        engine.new_game()?;
        Ok(engine)
    }

    /// Calls `act` with the engine. Starts an engine if none is running, even if it exited between
    /// two requests. Drops the engine if it fails.
    fn with_engine<T>(
        &mut self,
        act: impl FnOnce(&mut Engine) -> Result<T, AiError>,
    ) -> Result<T, AiError> {
        if let Some(exited) = self
            .engine
            .take_if(|engine| !engine.process.is_running())
            .as_mut()
        {
            eprintln!("{}", exited.process.died());
        }
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.start()?,
        };
        let outcome = act(&mut engine)?;
        self.engine = Some(engine);
        Ok(outcome)
    }
}

/// Returns whether an engine with these options plays from its own book.
fn plays_book(engine: &Engine, options: &Options) -> bool {
    engine
        .own_book()
        .is_some_and(|option| options.flag(&option.spec.name).unwrap_or(false))
}

fn started() -> MutexGuard<'static, Option<Engine>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the unused engine with this command, or starts one.
fn unused(command: &Command) -> Result<Engine, AiError> {
    let unused = started()
        .take_if(|engine| engine.process.command == *command && engine.process.is_running());
    unused.map_or_else(|| Engine::start(command), Ok)
}

/// Returns the name, version and author of the engine whose options were read.
fn identity() -> Option<[String; 3]> {
    started().as_ref()?.identity.texts()
}

fn command_spec(help: &str) -> OptionSpec {
    OptionSpec::text(COMMAND, "", help)
}
