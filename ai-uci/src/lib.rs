//! Any UCI engine as an AI of Rookery: this library starts the program that its option `command` names, and puts
//! the host's questions to it in the Universal Chess Interface.
//!
//! The engine's own options are the AI's, under their names in `snake_case`. What reaches the engine is written here from
//! positions, moves and numbers; no text of a client does. What it says is parsed, and its moves are looked up among the
//! legal ones.

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
/// The threads that read what an engine says.
const OWN_THREADS: u32 = 2;
/// The thread that an engine is, and the one that it listens with while it thinks.
const ENGINE_THREADS: u32 = 2;

/// An engine that was started to be asked for its options, and has not been used yet.
static ASKED: Mutex<Option<Engine>> = Mutex::new(None);

/// The AI.
#[derive(Debug)]
pub struct Uci {
    command: Command,
    options: Options,
    /// None once it has failed; the next question starts another.
    engine: Option<Engine>,
}

impl Ai for Uci {
    fn options() -> Vec<OptionSpec> {
        vec![command_spec("an engine's program by its path, and what it is called with")]
    }

    fn options_for(settings: &[OptionSetting], _: &Host<'_>) -> Result<Vec<OptionSpec>, AiError> {
        let mut specs = Self::options();
        let command = settings.iter().find(|setting| setting.name == COMMAND).map(|setting| &setting.value);
        // What is no text is told by the host.
        if let Some(OptionValue::Text(command)) = command {
            let engine = Engine::start(&Command::parse(command)?)?;
            specs = vec![command_spec(&format!("the engine's program, {}", engine.name))];
            specs.extend(published(&engine.options).into_iter().map(|(spec, _)| spec));
            *ASKED.lock().unwrap_or_else(PoisonError::into_inner) = Some(engine);
        }
        Ok(specs)
    }

    fn capabilities(options: &Options, _: &Host<'_>) -> Capabilities {
        let asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
        let declared = asked.as_ref().map_or(&[][..], |engine| &engine.options);
        let lines = declared.iter().find(|option| option.name == LINES).and_then(EngineOption::most);
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
                engine.say(&command)?;
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
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        self.with_engine(|engine| search::search(engine, question, host))
    }
}

impl Uci {
    /// An engine that has its options and is ready.
    fn start(&self) -> Result<Engine, AiError> {
        let asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut engine = match asked {
            Some(engine) if engine.command == self.command => engine,
            _ => Engine::start(&self.command)?,
        };
        // Its own defaults need no command.
        let commands: Vec<_> = published(&engine.options)
            .into_iter()
            .filter_map(|(spec, option)| {
                let value = self.options.get(&spec.name).filter(|&value| *value != spec.default)?;
                option.command(value).transpose()
            })
            .collect::<Result<_, _>>()?;
        for command in commands {
            engine.say(&command)?;
        }
        if engine.options.iter().any(|option| option.name == SHOW_WDL) {
            engine.say(&format!("setoption name {SHOW_WDL} value true"))?;
        }
        engine.wait_until_ready()?;
        Ok(engine)
    }

    /// Does something with the engine, started anew if there is none. One that fails is let go.
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

/// The engine's options as the AI's own, each with a name that no other has.
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
