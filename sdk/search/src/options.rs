//! The options of a search, and its limits.

use ai_api::{AiError, OptionSpec, Options};

/// The depth of the deepest iteration, in plies.
pub const MAX_DEPTH: u32 = 128;
/// The maximum number of lines that a search reports.
pub const MAX_LINES: u32 = 64;
/// The maximum number of nodes in a trace.
pub const MAX_TRACE_NODES: u32 = 4000;
/// The maximum length of a path from the root in plies, including quiescence.
pub const MAX_PLY: usize = MAX_DEPTH as usize + 32;
/// The half-move clock from which a position is drawn.
pub(crate) const FIFTY_MOVES: u8 = 100;

/// The options of a [`Search`](crate::Search).
///
/// Principal variation search, aspiration, killers and history change only the size of the tree.
/// The null move and late move reductions skip work that rarely matters, so scores may differ from
/// plain negamax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct SearchOptions {
    /// The size of the transposition table in mebibytes. The system allocates its memory on first
    /// use.
    pub hash_mb: u32,
    /// Whether captures, promotions and check evasions are searched below the last ply.
    pub quiescence: bool,
    /// Whether moves after the first are tested with a null window before they get a full one.
    pub pvs: bool,
    /// Whether an iteration starts with a narrow window around the previous score.
    pub aspiration: bool,
    /// Whether quiet moves that refuted a sibling are tried early.
    pub killers: bool,
    /// Whether quiet moves are ordered by how often they refuted other moves.
    pub history: bool,
    /// Whether a position is pruned if even a pass exceeds the window.
    pub null_move: bool,
    /// Whether quiet moves late in the order are searched less deeply until they prove better.
    pub late_move_reductions: bool,
}

impl SearchOptions {
    /// The default options without the ones that may change a score.
    pub const EXACT: Self = Self::DEFAULT.exact();

    const DEFAULT: Self = Self {
        // Enough for a search of a few seconds.
        hash_mb: 16,
        quiescence: true,
        pvs: true,
        aspiration: true,
        // If history is on, killers save no nodes and cost strength.
        killers: false,
        history: true,
        null_move: true,
        late_move_reductions: true,
    };

    /// Returns the specifications of these options, for [`Ai::options`](ai_api::Ai::options).
    #[must_use]
    pub fn specs() -> Vec<OptionSpec> {
        let mut defaults = Self::DEFAULT;
        let mut specs = vec![
            OptionSpec::integer(
                "hash_mb",
                defaults.hash_mb.into(),
                1..=1024,
                "megabytes of memory for positions already searched",
            ),
            OptionSpec::flag(
                "quiescence",
                defaults.quiescence,
                "follow captures beyond the last ply",
            ),
        ];
        specs.extend(
            defaults
                .techniques()
                .map(|(name, help, value)| OptionSpec::flag(name, *value, help).advanced()),
        );
        specs
    }

    /// Reads the options in [`specs`](Self::specs).
    ///
    /// # Errors
    /// An option is missing or has a different type.
    pub fn from_options(options: &Options) -> Result<Self, AiError> {
        let hash_mb = u32::try_from(options.integer("hash_mb")?)
            .map_err(|error| AiError::new(format!("hash_mb: {error}; expected 1 to 1024")))?;
        let mut read = Self {
            hash_mb,
            quiescence: options.flag("quiescence")?,
            ..Self::DEFAULT
        };
        for (name, _, value) in read.techniques() {
            *value = options.flag(name)?;
        }
        Ok(read)
    }

    /// Returns the name, the help text and the value of each switch for experts.
    fn techniques(&mut self) -> [(&'static str, &'static str, &mut bool); 6] {
        [
            (
                "pvs",
                "test moves after the first with a null window",
                &mut self.pvs,
            ),
            (
                "aspiration",
                "start with a narrow window around the last score",
                &mut self.aspiration,
            ),
            ("killers", "try killer moves early", &mut self.killers),
            ("history", "order quiet moves by history", &mut self.history),
            (
                "null_move",
                "prune where even a pass is good enough",
                &mut self.null_move,
            ),
            (
                "late_move_reductions",
                "search late quiet moves less deeply at first",
                &mut self.late_move_reductions,
            ),
        ]
    }

    /// Returns these options without the ones that may change a score.
    pub(crate) const fn exact(self) -> Self {
        Self {
            null_move: false,
            late_move_reductions: false,
            ..self
        }
    }

    /// Returns whether scores may differ from plain negamax.
    pub(crate) const fn is_selective(&self) -> bool {
        self.null_move || self.late_move_reductions
    }
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}
