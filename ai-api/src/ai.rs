//! The traits that an author implements.

use std::ffi::CStr;

use crate::{
    AiError, Capabilities, EvalTerm, Extension, Host, OptionSetting, OptionSpec, Options, Position,
    Score, SearchRequest, SearchResult,
};

/// An AI: its options, capabilities and instances. It also implements [`Searcher`], [`Evaluator`]
/// or both.
///
/// The host creates one instance in each worker process and calls it with one request at a time,
/// always on the same thread. After a panic the host replaces the instance.
pub trait Ai: Sized + 'static {
    /// Returns the options that a configuration may set. *Any thread, never during another call;
    /// must not block.*
    ///
    /// [`create`](Self::create) receives a value for each: the configuration's, which the host has
    /// checked, or the default.
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
    ///         Ok(Self {
    ///             risk: options.integer("risk")?,
    ///             style: options.text("style")?.to_owned(),
    ///         })
    ///     }
    /// }
    /// # let setting = OptionSetting { name: "risk".into(), value: OptionValue::Integer(40) };
    /// # let stop = Flag::new(false);
    /// # let options = Options::resolve(&Gambler::options(), &[setting]);
    /// # let gambler = Gambler::create(&options, &Host::new(&rules::RULES, &stop, &|_| ()))?;
    /// # assert_eq!((gambler.risk, gambler.style.as_str()), (40, "calm"));
    /// # Ok::<(), AiError>(())
    /// ```
    fn options() -> Vec<OptionSpec> {
        Vec::new()
    }

    /// Returns the options for these settings, for an AI whose options depend on others. An AI that
    /// drives an engine adds the engine's options. By default the same as
    /// [`options`](Self::options). *Any thread, never during another call; within the host's time
    /// limit for a start.*
    ///
    /// `settings` come unchecked from the configuration. The host checks them against the returned
    /// options.
    ///
    /// # Errors
    /// The reason, for the operator. The host then does not serve this AI.
    fn options_for(
        settings: &[OptionSetting],
        host: &Host<'_>,
    ) -> Result<Vec<OptionSpec>, AiError> {
        let _ = (settings, host);
        Ok(Self::options())
    }

    /// Returns what the AI can do beyond the minimum and what it needs, with these options. By
    /// default the minimum. *Like [`options_for`](Self::options_for).*
    fn capabilities(options: &Options, host: &Host<'_>) -> Capabilities {
        let _ = (options, host);
        Capabilities::SIMPLEST
    }

    /// Creates an instance, ready for a game, with the value of every declared option. *The AI's
    /// thread; may block, within the host's time limit for a start.*
    ///
    /// # Errors
    /// The reason, for the operator. The host then does not serve this AI.
    fn create(options: &Options, host: &Host<'_>) -> Result<Self, AiError>;

    /// Returns an extension of the AI, such as `org.example.tables/1`, or `None` for an unknown
    /// name. *Any thread.*
    fn extension(name: &CStr) -> Option<&'static Extension> {
        let _ = name;
        None
    }

    /// Changes the value of a [live](OptionSpec::live) option. The host calls it before a request
    /// that sets the option, and restores the value before the next request that does not. A call
    /// of [`new_game`](Self::new_game) follows the last change. *The AI's thread.*
    ///
    /// # Errors
    /// The option cannot be changed now. The host creates a new instance.
    fn set_option(&mut self, setting: &OptionSetting, host: &Host<'_>) -> Result<(), AiError> {
        let _ = host;
        Err(AiError::new(format!(
            "the AI declares its option '{}' as live, but does not implement set_option",
            setting.name
        )))
    }

    /// Called before another game, and before each request that must not depend on earlier ones.
    /// This is often, so it should be cheap. Afterwards the instance must give the same results as
    /// a new one with the same options. By default does nothing. *The AI's thread; may block,
    /// within the host's time limit for a new game.*
    ///
    /// # Errors
    /// The reason why the AI cannot start another game.
    fn new_game(&mut self, host: &Host<'_>) -> Result<(), AiError> {
        let _ = host;
        Ok(())
    }
}

/// An AI with its own search.
pub trait Searcher {
    /// Finds a move within `request.limits`. *The AI's thread; blocks during the search, checks
    /// [`Host::should_stop`] every few hundred nodes and then returns its best result.*
    ///
    /// With only depth or node limits, the same requests in the same order since [`Ai::create`] or
    /// [`Ai::new_game`] must have the same results, unless the AI [varies](Capabilities::varies).
    ///
    /// # Errors
    /// The reason for the failure.
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError>;
}

/// An AI that evaluates positions. The host searches with it.
///
/// Unless the AI is also a [`Searcher`], the host uses the search in the crate `rookery-ai-search`
/// with default options. For other options, an AI implements both traits and owns the search.
pub trait Evaluator {
    /// Evaluates `position` **for White**, without a search. *The AI's thread; must not block: it
    /// is called hundreds of thousands of times a second.*
    ///
    /// The position has a legal move and sufficient material: the host handles mate, stalemate and
    /// draws.
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score;

    /// Returns the parts that add up to [`evaluate`](Self::evaluate), for people to read. None by
    /// default. *Like `evaluate`.*
    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<EvalTerm> {
        let _ = (position, host);
        Vec::new()
    }
}
