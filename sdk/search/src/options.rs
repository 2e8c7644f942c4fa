//! The options and bounds of a search.

use ai_api::{AiError, OptionSpec, Options};

/// The deepest iteration.
pub const MAX_DEPTH: u32 = 128;
/// The greatest number of lines that a search reports.
pub const MAX_LINES: u32 = 64;
/// The most nodes of a trace.
pub const MAX_TRACE_NODES: u32 = 4000;
/// The longest path from the root, quiescence included.
pub const MAX_PLY: usize = MAX_DEPTH as usize + 32;
/// The half-move clock from which a position counts as drawn.
pub(crate) const FIFTY_MOVES: u8 = 100;

/// The options of a [`Search`](crate::Search).
///
/// Principal variation search, aspiration, killers and history change the size of the tree only.
/// The null move and late move reductions skip work that seldom matters: scores may differ from
/// those of plain negamax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct SearchOptions {
    /// Size of the transposition table in mebibytes. The system allocates its memory on first use.
    pub hash_mb: u32,
    /// Whether captures, promotions and evasions of checks are searched below the last ply.
    pub quiescence: bool,
    /// Whether moves after the first are tested with a null window before they get a full one.
    pub pvs: bool,
    /// Whether an iteration starts with a narrow window around the score of the one before.
    pub aspiration: bool,
    /// Whether quiet moves that refuted a sibling are tried early.
    pub killers: bool,
    /// Whether quiet moves are ordered by how often they refuted other moves.
    pub history: bool,
    /// Whether a position in which even a pass exceeds the window is pruned.
    pub null_move: bool,
    /// Whether quiet moves late in the order are searched less deeply until they prove better.
    pub late_move_reductions: bool,
}

impl SearchOptions {
    /// The default options without those that may change a score.
    pub const EXACT: Self = Self::DEFAULT.exact();

    const DEFAULT: Self = Self {
        // Holds the positions of a search of some seconds.
        hash_mb: 16,
        quiescence: true,
        pvs: true,
        aspiration: true,
        // Beside history they save no nodes and cost strength.
        killers: false,
        history: true,
        null_move: true,
        late_move_reductions: true,
    };

    /// The specifications of these options, for [`Ai::options`](ai_api::Ai::options).
    #[must_use]
    pub fn specs() -> Vec<OptionSpec> {
        let mut defaults = Self::DEFAULT;
        let mut specs = vec![
            OptionSpec::integer(
                "hash_mb",
                defaults.hash_mb.into(),
                1..=1024,
                "megabytes of memory for positions met before",
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

    /// Reads the options that [`specs`](Self::specs) specifies.
    ///
    /// # Errors
    /// An option is missing or has another type.
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

    /// The name, the help and the value of each switch for experts.
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
            (
                "killers",
                "try moves early that refuted a sibling",
                &mut self.killers,
            ),
            (
                "history",
                "order quiet moves by their refutations",
                &mut self.history,
            ),
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

    /// These options without those that may change a score.
    pub(crate) const fn exact(self) -> Self {
        Self {
            null_move: false,
            late_move_reductions: false,
            ..self
        }
    }

    /// Returns whether scores may differ from those of plain negamax.
    pub(crate) const fn is_selective(&self) -> bool {
        self.null_move || self.late_move_reductions
    }
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}
