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

    /// Returns the options for these settings, for an AI whose options depend on the values of
    /// others. For example, an AI that drives an engine adds the engine's options. By default,
    /// returns [`options`](Self::options). *Any thread, never during another call; must finish
    /// within the host's start timeout.*
    ///
    /// `settings` come from the configuration and are not checked yet. The host checks them against
    /// the returned options.
    ///
    /// # Errors
    /// The AI cannot be used. The error tells the operator why, and the host does not serve the AI.
    fn options_for(
        settings: &[OptionSetting],
        host: &Host<'_>,
    ) -> Result<Vec<OptionSpec>, AiError> {
        let _ = (settings, host);
        Ok(Self::options())
    }

    /// Returns what the AI can do beyond the minimum and what it needs, with these options. By
    /// default, returns the minimum. *Like [`options_for`](Self::options_for).*
    fn capabilities(options: &Options, host: &Host<'_>) -> Capabilities {
        let _ = (options, host);
        Capabilities::SIMPLEST
    }

    /// Creates an instance, ready for a game, with the value of every declared option. *The AI's
    /// thread; may block, but must finish within the host's start timeout.*
    ///
    /// # Errors
    /// The AI cannot be used. The error tells the operator why, and the host does not serve the AI.
    fn create(options: &Options, host: &Host<'_>) -> Result<Self, AiError>;

    /// Returns an extension of the AI, such as `org.example.tables/1`, or `None` for an unknown
    /// name. *Any thread.*
    fn extension(name: &CStr) -> Option<&'static Extension> {
        let _ = name;
        None
    }

    /// Changes the value of a [live](OptionSpec::live) option. The host calls it before a request
    /// that sets the option, and restores the value before the next request that does not. After
    /// the last change, it calls [`new_game`](Self::new_game). *The AI's thread.*
    ///
    /// # Errors
    /// The option cannot be changed now. The host creates a new instance instead.
    fn set_option(&mut self, setting: &OptionSetting, host: &Host<'_>) -> Result<(), AiError> {
        let _ = host;
        Err(AiError::new(format!(
            "the AI declares its option '{}' as live, but does not implement set_option",
            setting.name
        )))
    }

    /// Called before another game, and before each request that must not depend on earlier ones.
    /// This happens often, so it should be cheap. Afterwards the instance must give the same
    /// results as a new one with the same options. By default, does nothing. *The AI's thread; may
    /// block, but must finish within the host's timeout for a new game.*
    ///
    /// # Errors
    /// The AI cannot start another game.
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
    /// [`Ai::new_game`] must give the same results, unless the AI [varies](Capabilities::varies).
    ///
    /// # Errors
    /// The search failed.
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError>;
}

/// An AI that evaluates positions. The host searches with it.
///
/// Unless the AI is also a [`Searcher`], the host uses the search in the crate `rookery-ai-search`
/// with default options. To set other options, implement both traits and run the search in the
/// [`Searcher`].
pub trait Evaluator {
    /// Evaluates `position` **from White's point of view**, without a search. *The AI's thread;
    /// must not block: it is called hundreds of thousands of times a second.*
    ///
    /// The position has a legal move and sufficient material: the host handles mate, stalemate and
    /// draws.
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score;

    /// Returns the parts that add up to [`evaluate`](Self::evaluate), for human readers. By
    /// default, returns none. *Like `evaluate`.*
    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<EvalTerm> {
        let _ = (position, host);
        Vec::new()
    }
}
