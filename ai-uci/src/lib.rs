//! A UCI engine as an AI of Rookery. Starts the program of the option `command` and translates the host's requests into the
//! Universal Chess Interface.
//!
//! The AI has the engine's options, under their names in `snake_case`. Commands are written from positions, moves and numbers, so
//! that no text of a client reaches the engine. Its output is parsed, and its moves are looked up among the legal ones.

mod command;
mod engine;
mod fen;
mod info;
mod notation;
mod option;
mod search;

use std::sync::{Mutex, PoisonError};

use ai_api::{
    Ai, AiError, Capabilities, Host, OptionSetting, OptionSpec, OptionValue, Options, SearchRequest,
    SearchResult, Searcher,
};

use self::{
    command::Command,
    engine::Engine,
    option::{CHESS960, EngineOption, LINES, SHOW_WDL},
};

ai_api::export_ai!(Uci: Searcher, name = "UCI engine", author = "The Rookery developers");

/// The option that names the program.
const COMMAND: &str = "command";
/// The threads that read an engine's output.
const OWN_THREADS: u32 = 2;
/// The threads of an engine: one that searches and one that reads commands.
const ENGINE_THREADS: u32 = 2;

/// An engine that was started to read its options, and is unused.
static STARTED: Mutex<Option<Engine>> = Mutex::new(None);

#[derive(Debug)]
pub struct Uci {
    command: Command,
    options: Options,
    /// None after a failure; the next request starts another.
    engine: Option<Engine>,
}

impl Ai for Uci {
    fn options() -> Vec<OptionSpec> {
        vec![command_spec("absolute path of the engine, and its arguments")]
    }

    fn options_for(settings: &[OptionSetting], _: &Host<'_>) -> Result<Vec<OptionSpec>, AiError> {
        let mut specs = Self::options();
        let command = settings.iter().find(|setting| setting.name == COMMAND).map(|setting| &setting.value);
        // The host rejects a value that is not a text.
        if let Some(OptionValue::Text(command)) = command {
            let engine = Engine::start(&Command::parse(command)?)?;
            specs = vec![command_spec(&format!("the engine's program, {}", engine.name))];
            specs.extend(published(&engine.options).into_iter().map(|(spec, _)| spec));
            *STARTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(engine);
        }
        Ok(specs)
    }

    fn capabilities(options: &Options, _: &Host<'_>) -> Capabilities {
        let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
        let declared = started.as_ref().map_or(&[][..], |engine| &engine.options);
        let lines = declared.iter().find(|option| option.name == LINES).and_then(EngineOption::max);
        let threads = options.integer("threads").ok().and_then(|threads| u32::try_from(threads).ok());
        Capabilities {
            chess960: declared.iter().any(|option| option.name == CHESS960),
            root_moves: true,
            manages_time: true,
            max_lines: lines.map_or(1, |most| most.clamp(1, 256) as u32),
            threads: OWN_THREADS + ENGINE_THREADS + threads.unwrap_or(1).saturating_sub(1),
            ..Capabilities::SIMPLEST
        }
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let command = Command::parse(options.text(COMMAND)?)?;
        let mut uci = Self { command, options: options.clone(), engine: None };
        uci.engine = Some(uci.start()?);
        Ok(uci)
    }

    fn set_option(&mut self, setting: &OptionSetting, _: &Host<'_>) -> Result<(), AiError> {
        self.options.set(setting);
        self.with_engine(|engine| {
            let options = published(&engine.options);
            let option = options.iter().find(|(spec, _)| spec.name == setting.name);
            let command = option.and_then(|(_, option)| option.command(&setting.value).transpose());
            if let Some(command) = command.transpose()? {
                engine.send(&command)?;
                engine.state.is_fresh = false;
            }
            engine.wait_until_ready()
        })
    }

    fn new_game(&mut self, _: &Host<'_>) -> Result<(), AiError> {
        self.with_engine(Engine::new_game)
    }
}

impl Searcher for Uci {
    fn search(&mut self, request: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        self.with_engine(|engine| search::search(engine, request, host))
    }
}

impl Uci {
    /// Starts an engine and sets its options.
    fn start(&self) -> Result<Engine, AiError> {
        let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut engine = match started {
            Some(engine) if engine.command == self.command => engine,
            _ => Engine::start(&self.command)?,
        };
        // Defaults need no command.
        let commands: Vec<_> = published(&engine.options)
            .into_iter()
            .filter_map(|(spec, option)| {
                let value = self.options.get(&spec.name).filter(|&value| *value != spec.default)?;
                option.command(value).transpose()
            })
            .collect::<Result<_, _>>()?;
        for command in commands {
            engine.send(&command)?;
        }
        if engine.options.iter().any(|option| option.name == SHOW_WDL) {
            engine.send(&format!("setoption name {SHOW_WDL} value true"))?;
        }
        engine.wait_until_ready()?;
        Ok(engine)
    }

    /// Calls `act` with the engine, which is started if none is running. Drops the engine if it fails.
    fn with_engine<T>(&mut self, act: impl FnOnce(&mut Engine) -> Result<T, AiError>) -> Result<T, AiError> {
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.start()?,
        };
        let outcome = act(&mut engine)?;
        self.engine = Some(engine);
        Ok(outcome)
    }
}

fn command_spec(help: &str) -> OptionSpec {
    OptionSpec::text(COMMAND, "", help)
}

/// The engine's options as the AI's own, under unique names.
fn published(options: &[EngineOption]) -> Vec<(OptionSpec, &EngineOption)> {
    let mut names = vec![COMMAND.to_owned()];
    let settable =
        options.iter().filter(|option| ![CHESS960, LINES, SHOW_WDL].contains(&option.name.as_str()));
    settable
        .map(|option| {
            let name = option.published_name(&names);
            names.push(name.clone());
            (option.spec(&name), option)
        })
        .collect()
}
