//! What an author implements.

use std::ffi::CStr;

use crate::{
    AiError, Capabilities, EvalTerm, Extension, Host, OptionSetting, OptionSpec, Options, Position, Score,
    SearchRequest, SearchResult,
};

/// How an AI comes to life: what it can be told, and its making. [`Searcher`], [`Evaluator`] or both say what it does.
///
/// The host makes one instance in each worker process and asks it one question at a time, always on the same thread.
/// After a panic the instance is dropped and a new one made.
pub trait Ai: Sized + 'static {
    /// The options that a configuration may set. *Any thread, before an instance exists; must not block.*
    ///
    /// [`create`](Self::create) gets a value for each: the configuration's, which the host has checked, or the default.
    ///
    /// ```
    /// # use ai_api::{Ai, AiError, Flag, Host, OptionSpec, OptionSetting, OptionValue, Options};
    /// struct Gambler {
    ///     risk: i64,
    ///     style: String,
    /// }
    ///
    /// impl Ai for Gambler {
    ///     fn options() -> Vec<OptionSpec> {
    ///         vec![
    ///             OptionSpec::integer("risk", 10, 0..=100, "centipawns that an attack may cost"),
    ///             OptionSpec::choice("style", "calm", &["calm", "wild"], "how to attack"),
    ///         ]
    ///     }
    ///
    ///     fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
    ///         Ok(Self { risk: options.integer("risk")?, style: options.text("style")?.to_owned() })
    ///     }
    /// }
    /// # let setting = OptionSetting { name: "risk".into(), value: OptionValue::Integer(40) };
    /// # let (stop, options) = (Flag::new(false), Options::resolve(&Gambler::options(), &[setting]));
    /// # let gambler = Gambler::create(&options, &Host::new(&rules::RULES, &stop, &|_| ()))?;
    /// # assert_eq!((gambler.risk, gambler.style.as_str()), (40, "calm"));
    /// # Ok::<(), AiError>(())
    /// ```
    fn options() -> Vec<OptionSpec> {
        Vec::new()
    }

    /// The options as they are once some have been set, for an AI whose options depend on others: one that drives an
    /// engine has the engine's options too. The same as [`options`](Self::options) unless it is written. *Any thread,
    /// before an instance exists; within the host's time for a start.*
    ///
    /// `settings` are the configuration's, not checked yet. What is declared here is what they are then checked
    /// against.
    ///
    /// # Errors
    /// Why there is no telling, for the operator; the host then does not serve this AI.
    fn options_for(settings: &[OptionSetting], host: &Host<'_>) -> Result<Vec<OptionSpec>, AiError> {
        let _ = (settings, host);
        Ok(Self::options())
    }

    /// What the AI can do beyond the simplest and what it needs, with these options: the simplest and nothing unless it
    /// is written. *As [`options_for`](Self::options_for).*
    fn capabilities(options: &Options, host: &Host<'_>) -> Capabilities {
        let _ = (options, host);
        Capabilities::SIMPLEST
    }

    /// A new instance, told the value of every declared option. *The AI's thread; may take a while, within the
    /// host's time for a start.*
    ///
    /// # Errors
    /// What stands in the way, told to the operator; the host then does not serve this AI.
    fn create(options: &Options, host: &Host<'_>) -> Result<Self, AiError>;

    /// An extension of the AI, such as `name.tables/1`; none of an unknown name. *Any thread.*
    fn extension(name: &CStr) -> Option<&'static Extension> {
        let _ = name;
        None
    }

    /// Changes the value of a [live](OptionSpec::live) option: of a request that sets it, and back before the next one that
    /// does not. [`new_game`](Self::new_game) follows. *The AI's thread.*
    ///
    /// # Errors
    /// The option can't be changed now; the host makes a new instance.
    fn set_option(&mut self, setting: &OptionSetting, host: &Host<'_>) -> Result<(), AiError> {
        let _ = host;
        Err(AiError::new(format!(
            "the AI declares its option '{}' as live, and has no set_option",
            setting.name
        )))
    }

    /// Called before a question that does not go on with the game of the one before; does nothing unless it is written.
    /// *The AI's thread; may take a while, within the host's time for a new game.*
    ///
    /// Here an AI forgets whatever could make its answers depend on the games before.
    ///
    /// # Errors
    /// What keeps the AI from playing another game.
    fn new_game(&mut self, host: &Host<'_>) -> Result<(), AiError> {
        let _ = host;
        Ok(())
    }
}

/// An AI with its own search.
pub trait Searcher {
    /// Finds a move within `request.limits`. *The AI's thread; blocks as long as it thinks, asks
    /// [`Host::should_stop`] every few hundred nodes and returns what it has once that says so.*
    ///
    /// The same question with a depth or node limit must give the same answer, whatever was asked before.
    ///
    /// # Errors
    /// Whatever keeps the AI from answering.
    fn search(&mut self, request: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError>;
}

/// An AI that judges positions; the host searches with it.
///
/// Where the AI is no [`Searcher`] too, the host uses the search of the crate `rookery-ai-search` with its default
/// options. To set them otherwise, be both and own the search.
pub trait Evaluator {
    /// How good `position` is **for White**, without looking ahead. *The AI's thread; must not block: it is called
    /// hundreds of thousands of times a second.*
    ///
    /// The position has a legal move and is no draw by material: mate, stalemate and draws are the host's.
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score;

    /// The parts whose sum [`evaluate`](Self::evaluate) is, for people to read; none by default. *As `evaluate`.*
    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<EvalTerm> {
        let _ = (position, host);
        Vec::new()
    }
}
