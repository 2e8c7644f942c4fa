//! The functions that an AI's library exports, called with and answered in the types of Rust.

use std::{
    ffi::{CStr, CString, c_char},
    mem::offset_of,
    ptr::{null, null_mut},
};

use ai_api::{
    Abilities, AiError, AiErrorKind, Answer, Bound, Ending, Host, Limit, Line, Move, OptionKind,
    OptionSetting, OptionSpec, OptionValue, Position, Question, Score, Term, TraceNode,
    c::{
        ABI, CAbilities, CAi, CAnswer, CError, CLimit, CLine, CManifest, COption, CQuestion, CSetting, CTerm,
        CValue, LIMIT_DEPTH, LIMIT_MOVETIME_MS, LIMIT_NODES, OK, OPTION_CHOICE, OPTION_FILE, OPTION_FLAG,
        OPTION_INTEGER, OPTION_TEXT, PANICKED, VALUE_FLAG, VALUE_INTEGER, VALUE_TEXT,
    },
};

use crate::ai::protocol::Manifest;

/// The most options that are read of an AI, choices of an option, moves of a line and nodes of a trace: what is longer is
/// taken for a mistake of its author and cut.
const MAX_LIST: usize = 4096;
const MAX_TERMS: usize = 64;

/// The functions of an AI. Those that every AI has are here; of the others some may be absent.
#[derive(Clone, Copy)]
pub(in crate::worker) struct Functions {
    manifest: unsafe extern "C" fn(*const CSetting, usize, *mut CManifest, *mut CError) -> i32,
    create: unsafe extern "C" fn(*const CSetting, usize, *mut *mut (), *mut CError) -> i32,
    destroy: unsafe extern "C" fn(*mut ()),
    optional: CAi,
}

/// An instance of an AI, on the thread that made it. Dropping it destroys it.
pub(in crate::worker) struct Instance {
    ai: *mut (),
    destroy: unsafe extern "C" fn(*mut ()),
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: `create` of the same library made it, and it is destroyed only here.
        unsafe { (self.destroy)(self.ai) }
    }
}

/// Why the functions of an AI can't be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum EntryError {
    #[error(
        "the AI was built for ABI {0} of rookery_ai.h, this host has ABI {ABI}; build it again with the host's header"
    )]
    Abi(u32),
    #[error("rookery_ai_entry has no function '{0}'; every AI has manifest, create and destroy")]
    Missing(&'static str),
    #[error(
        "the library neither searches nor judges positions; give rookery_ai_entry a 'search' or an 'evaluate'"
    )]
    DoesNothing,
}

impl Functions {
    /// Reads what a library exports as `rookery_ai_entry`.
    ///
    /// # Safety
    /// `entry` belongs to a library that stays loaded.
    pub(super) unsafe fn read(entry: *const CAi) -> Result<Self, EntryError> {
        // SAFETY: every ABI begins with these two.
        let (size, abi) = unsafe { ((*entry).size, (*entry).abi) };
        if abi != ABI {
            return Err(EntryError::Abi(abi));
        }
        let mut ai = CAi {
            size,
            abi,
            manifest: None,
            create: None,
            destroy: None,
            new_game: None,
            search: None,
            evaluate: None,
            terms: None,
            extension: None,
        };
        let known = size.min(size_of::<CAi>());
        // SAFETY: the AI says that so many bytes are there; what it does not have stays absent.
        unsafe { std::ptr::copy_nonoverlapping(entry.cast::<u8>(), (&raw mut ai).cast::<u8>(), known) };
        if ai.search.is_none() && ai.evaluate.is_none() {
            return Err(EntryError::DoesNothing);
        }
        Ok(Self {
            manifest: ai.manifest.ok_or(EntryError::Missing("manifest"))?,
            create: ai.create.ok_or(EntryError::Missing("create"))?,
            destroy: ai.destroy.ok_or(EntryError::Missing("destroy"))?,
            optional: ai,
        })
    }

    pub(in crate::worker) const fn is_searcher(&self) -> bool {
        self.optional.search.is_some()
    }

    pub(in crate::worker) const fn is_evaluator(&self) -> bool {
        self.optional.evaluate.is_some()
    }

    /// Asks what the AI says of itself with these options.
    pub(in crate::worker) fn manifest(&self, settings: &[OptionSetting]) -> Result<Manifest, AiError> {
        let settings = Settings::new(settings);
        let (mut told, mut error) = (CManifest::EMPTY, CError::EMPTY);
        // SAFETY: as the header says: what is handed over stands until the call returns.
        let status = unsafe {
            (self.manifest)(settings.list.as_ptr(), settings.list.len(), &raw mut told, &raw mut error)
        };
        outcome(status, &error)?;
        // SAFETY: what the AI has told stands until the next call of its manifest.
        let (options, [name, version, author]) = unsafe {
            (
                list(told.options, told.option_count),
                [told.name, told.version, told.author].map(|words| text(words)),
            )
        };
        // SAFETY: as above.
        let options =
            options.iter().map(|option| unsafe { option_spec(option) }).collect::<Result<_, _>>()?;
        let CAbilities { chess960, root_moves, ponder, max_lines, max_trace_nodes, threads, memory_mb } =
            told.abilities;
        let abilities = Abilities {
            chess960: chess960 != 0,
            root_moves: root_moves != 0,
            ponder: ponder != 0,
            max_lines: max_lines.max(1),
            max_trace_nodes,
            threads,
            memory_mb,
        };
        Ok(Manifest { name, version, author, options, abilities })
    }

    /// Makes an instance with these options.
    pub(in crate::worker) fn create(&self, settings: &[OptionSetting]) -> Result<Instance, AiError> {
        let settings = Settings::new(settings);
        let (mut ai, mut error) = (null_mut(), CError::EMPTY);
        // SAFETY: as in `manifest`.
        let status = unsafe {
            (self.create)(settings.list.as_ptr(), settings.list.len(), &raw mut ai, &raw mut error)
        };
        outcome(status, &error)?;
        if ai.is_null() {
            return Err(AiError::new("create returned ROOKERY_OK and wrote no instance"));
        }
        Ok(Instance { ai, destroy: self.destroy })
    }

    /// Tells an instance of this AI that another game begins.
    pub(in crate::worker) fn new_game(&self, instance: &mut Instance) -> Result<(), AiError> {
        let Some(new_game) = self.optional.new_game else { return Ok(()) };
        let mut error = CError::EMPTY;
        // SAFETY: this process has one library, so the instance is of this one.
        let status = unsafe { new_game(instance.ai, &raw mut error) };
        outcome(status, &error)
    }

    /// Asks an instance of this AI for a move.
    pub(in crate::worker) fn search(
        &self,
        instance: &mut Instance,
        question: &Question<'_>,
        host: &Host<'_>,
    ) -> Result<Answer, AiError> {
        let search = self.optional.search.ok_or_else(|| AiError::new("the AI does not search"))?;
        let (kind, value) = match question.limit {
            Limit::Depth(depth) => (LIMIT_DEPTH, depth.into()),
            Limit::Nodes(nodes) => (LIMIT_NODES, nodes),
            Limit::MovetimeMs(ms) => (LIMIT_MOVETIME_MS, ms),
        };
        let asked = CQuestion {
            size: size_of::<CQuestion>(),
            position: &raw const question.position,
            history: question.history.as_ptr(),
            history_length: question.history.len(),
            start: &raw const question.start,
            moves: question.moves.as_ptr(),
            move_count: question.moves.len(),
            limit: CLimit { kind, value },
            clocks: question.clocks.map_or(null(), std::ptr::from_ref),
            root_moves: question.root_moves.as_ptr(),
            root_move_count: question.root_moves.len(),
            lines: question.lines,
            trace_nodes: question.trace_nodes,
        };
        let (mut told, mut error) = (CAnswer::EMPTY, CError::EMPTY);
        // SAFETY: this process has one library, so the instance is of this one; what is handed over stands until the call
        // returns.
        let status = unsafe { search(instance.ai, &raw const asked, host, &raw mut told, &raw mut error) };
        outcome(status, &error)?;
        // SAFETY: what the AI has told stands until the next call with this instance.
        let (line, further_lines, trace) = unsafe {
            (
                list(told.line, told.line_length),
                list(told.further_lines, told.further_line_count),
                // As bytes: what an AI writes for an enumeration may be none of its values.
                list(told.trace.cast::<[u8; size_of::<TraceNode>()]>(), told.trace_length),
            )
        };
        // SAFETY: as above.
        let further_line = |&CLine { score, depth, moves, move_count }: &CLine| unsafe {
            Line { score, depth, moves: list(moves, move_count).to_vec() }
        };
        Ok(Answer {
            best_move: (told.best_move != Move::from_bits(0)).then_some(told.best_move),
            score: told.score,
            depth: told.depth,
            nodes: told.nodes,
            line: line.to_vec(),
            further_lines: further_lines.iter().map(further_line).collect(),
            trace: trace.iter().map_while(trace_node).collect(),
        })
    }

    /// Asks an instance of this AI how good a position is.
    #[inline]
    pub(in crate::worker) fn evaluate(
        &self,
        instance: &mut Instance,
        position: &Position,
        host: &Host<'_>,
        error: &mut EvaluationError,
    ) -> Result<Score, AiError> {
        let evaluate =
            self.optional.evaluate.ok_or_else(|| AiError::new("the AI does not judge positions"))?;
        // SAFETY: this process has one library, so the instance is of this one.
        let score = unsafe { evaluate(instance.ai, position, host, &raw mut error.0) };
        if score.is_none() { Err(failure(AiErrorKind::Panicked, &error.0)) } else { Ok(score) }
    }

    /// Asks an instance of this AI for the parts of its judgement.
    pub(in crate::worker) fn terms(
        &self,
        instance: &mut Instance,
        position: &Position,
        host: &Host<'_>,
    ) -> Result<Vec<Term>, AiError> {
        let Some(terms) = self.optional.terms else { return Ok(Vec::new()) };
        let (mut told, mut count, mut error) = (null(), 0, CError::EMPTY);
        // SAFETY: this process has one library, so the instance is of this one.
        let status =
            unsafe { terms(instance.ai, position, host, &raw mut told, &raw mut count, &raw mut error) };
        outcome(status, &error)?;
        // SAFETY: what the AI has told stands until the next call with this instance.
        let told = unsafe { list(told, count.min(MAX_TERMS)) };
        // SAFETY: as above.
        let term = |term: &CTerm| Term { name: unsafe { text(term.name) }, score: term.score };
        Ok(told.iter().map(term).collect())
    }
}

/// Room for the reason of a failed evaluation, made once for a whole search.
pub(in crate::worker) struct EvaluationError(CError);

impl EvaluationError {
    pub(in crate::worker) const fn new() -> Self {
        Self(CError::EMPTY)
    }
}

fn outcome(status: i32, error: &CError) -> Result<(), AiError> {
    match status {
        OK => Ok(()),
        PANICKED => Err(failure(AiErrorKind::Panicked, error)),
        _ => Err(failure(AiErrorKind::Failed, error)),
    }
}

/// Settings as C reads them, and the texts that they point to.
struct Settings {
    list: Vec<CSetting>,
    _texts: Vec<CString>,
}

impl Settings {
    fn new(settings: &[OptionSetting]) -> Self {
        let mut texts = Vec::new();
        let mut keep = |words: &str| {
            let without_nul = words.bytes().filter(|&byte| byte != 0).collect::<Vec<_>>();
            let text = CString::new(without_nul).expect("there is no NUL left in it");
            let begin = text.as_ptr();
            texts.push(text);
            begin
        };
        let nothing = CValue { kind: VALUE_FLAG, flag: 0, integer: 0, text: null() };
        let list = settings.iter().map(|OptionSetting { name, value }| {
            let name = keep(name);
            let value = match value {
                OptionValue::Flag(flag) => CValue { flag: (*flag).into(), ..nothing },
                OptionValue::Integer(integer) => CValue { kind: VALUE_INTEGER, integer: *integer, ..nothing },
                OptionValue::Text(words) => CValue { kind: VALUE_TEXT, text: keep(words), ..nothing },
            };
            CSetting { name, value }
        });
        Self { list: list.collect(), _texts: texts }
    }
}

/// # Safety
/// What the option points to is there.
unsafe fn option_spec(option: &COption) -> Result<OptionSpec, AiError> {
    // SAFETY: the caller's promise.
    let (name, help, default) = unsafe { (text(option.name), text(option.help), text(option.value.text)) };
    let kind = match option.kind {
        OPTION_FLAG => OptionKind::Flag,
        OPTION_INTEGER => OptionKind::Integer { min: option.min, max: option.max },
        OPTION_CHOICE => {
            // SAFETY: the caller's promise.
            let choices = unsafe { list(option.choices, option.choice_count) };
            // SAFETY: the caller's promise.
            OptionKind::Choice(choices.iter().map(|&choice| unsafe { text(choice) }).collect())
        }
        OPTION_TEXT => OptionKind::Text,
        OPTION_FILE => OptionKind::File,
        other => {
            return Err(AiError::new(format!("the option '{name}' is of the kind {other}, which is none")));
        }
    };
    let default = match option.value.kind {
        VALUE_FLAG => OptionValue::Flag(option.value.flag != 0),
        VALUE_INTEGER => OptionValue::Integer(option.value.integer),
        VALUE_TEXT => OptionValue::Text(default),
        other => {
            return Err(AiError::new(format!(
                "the default of '{name}' is of the kind {other}, which is none"
            )));
        }
    };
    Ok(OptionSpec { name, help, kind, default })
}

/// None where bound or ending is none of the header's.
fn trace_node(node: &[u8; size_of::<TraceNode>()]) -> Option<TraceNode> {
    let is_known = usize::from(node[offset_of!(TraceNode, bound)]) < Bound::ALL.len()
        && usize::from(node[offset_of!(TraceNode, ending)]) < Ending::ALL.len();
    // SAFETY: both enumerations have one of their values, and any number is one of the other fields'.
    is_known.then(|| unsafe { node.as_ptr().cast::<TraceNode>().read_unaligned() })
}

/// What an AI points to; nothing where it points nowhere.
///
/// # Safety
/// There are `length` values, which stand as long as the result is used.
unsafe fn list<'a, T>(begin: *const T, length: usize) -> &'a [T] {
    if begin.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(begin, length.min(MAX_LIST)) }
}

/// # Safety
/// There is a text with a NUL at its end, or nothing.
unsafe fn text(begin: *const c_char) -> String {
    if begin.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(begin) }.to_string_lossy().into_owned()
}

fn failure(kind: AiErrorKind, error: &CError) -> AiError {
    let bytes: Vec<_> = error.message.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0).collect();
    let message = String::from_utf8_lossy(&bytes).into_owned();
    let message = if message.is_empty() { "the AI failed and did not say why".to_owned() } else { message };
    AiError { kind, message }
}
