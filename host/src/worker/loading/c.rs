//! An AI in C, seen as the root module of one in Rust, so that the rest of the worker knows one kind only. What it is asked
//! for each position of a search, its judgement, has no step between.

use std::{
    ffi::{CStr, CString, c_char},
    ptr::null,
    sync::OnceLock,
};

use abi_stable::std_types::{RResult, RSlice, RString, RVec};
use ai_api::{
    Abilities, AiError, Answer, Bound, Ending, Extension, Host, Limit, Line, Move, OptionKind, OptionSetting,
    OptionSpec, OptionValue, Position, Question, Score, Term, TraceNode,
    c::{
        ABI, CAbilities, CAi, CAnswer, CError, CLimit, CLine, CManifest, COption, CQuestion, CSetting, CTerm,
        CTraceNode, CValue, LIMIT_DEPTH, LIMIT_MOVETIME_MS, LIMIT_NODES, MAX_MESSAGE, OPTION_CHOICE,
        OPTION_FILE, OPTION_FLAG, OPTION_INTEGER, OPTION_TEXT, VALUE_FLAG, VALUE_INTEGER, VALUE_TEXT,
    },
    module::{AiModule, AiModuleRef, Instance, Manifest},
};

/// The most options that are read of an AI, choices of an option, moves of a line and nodes of a trace: what is longer is
/// taken for a mistake of its author and cut.
const MAX_LIST: usize = 4096;
const MAX_TERMS: usize = 64;

/// Judges a position; the instance is the first argument.
pub(super) type Evaluate = unsafe extern "C" fn(*mut (), &Position, &Host<'_>) -> Score;

/// The functions of the AI. A process loads one library.
static AI: OnceLock<Functions> = OnceLock::new();

struct Functions {
    manifest: unsafe extern "C" fn(*const CSetting, usize, *mut CManifest, *mut CError) -> u8,
    create: unsafe extern "C" fn(*const CSetting, usize, *mut CError) -> *mut (),
    destroy: unsafe extern "C" fn(*mut ()),
    rest: CAi,
}

/// Why the functions of an AI can't be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotInC {
    #[error(
        "the AI was built for ABI {0} of rookery_ai.h, this host has ABI {ABI}; build it again with the host's header"
    )]
    Abi(u32),
    #[error("rookery_ai_entry has no function '{0}'; every AI has manifest, create and destroy")]
    Lacks(&'static str),
}

/// The module of the AI that exports `entry`, all but its judgement, and that.
///
/// # Safety
/// `entry` is the `rookery_ai_entry` of a loaded library, of which the process loads no other.
pub(super) unsafe fn module(entry: *const CAi) -> Result<(AiModuleRef, Option<Evaluate>), NotInC> {
    // SAFETY: every ABI begins with these two.
    let (size, abi) = unsafe { ((*entry).size, (*entry).abi) };
    if abi != ABI {
        return Err(NotInC::Abi(abi));
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
    let functions = Functions {
        manifest: ai.manifest.ok_or(NotInC::Lacks("manifest"))?,
        create: ai.create.ok_or(NotInC::Lacks("create"))?,
        destroy: ai.destroy.ok_or(NotInC::Lacks("destroy"))?,
        rest: ai,
    };
    let module = AiModule {
        manifest,
        create,
        new_game,
        search: ai.search.is_some().then_some(search),
        evaluate: None,
        terms: ai.terms.is_some().then_some(terms),
        extension: ai.extension.unwrap_or(no_extension),
    };
    AI.get_or_init(|| functions);
    Ok((module.leak(), ai.evaluate))
}

fn ai() -> &'static Functions {
    AI.get().expect("the module of an AI is made after its functions are known")
}

extern "C" fn manifest(settings: RSlice<'_, OptionSetting>) -> RResult<Manifest, AiError> {
    let settings = Settings::new(&settings);
    let mut told = CManifest {
        size: size_of::<CManifest>(),
        name: null(),
        version: null(),
        author: null(),
        options: null(),
        option_count: 0,
        abilities: CAbilities {
            chess960: 0,
            root_moves: 0,
            ponder: 0,
            max_lines: 0,
            max_trace_nodes: 0,
            threads: 0,
            memory_mb: 0,
        },
    };
    let mut error = no_error();
    // SAFETY: as the header says: what is handed over stands until the call returns.
    let done = unsafe {
        (ai().manifest)(settings.list.as_ptr(), settings.list.len(), &raw mut told, &raw mut error)
    };
    if done == 0 {
        return RResult::RErr(error_of(&error));
    }
    // SAFETY: what the AI has told stands until the next call of its manifest.
    let (options, [name, version, author]) = unsafe {
        (
            list(told.options, told.option_count),
            [told.name, told.version, told.author].map(|words| text(words)),
        )
    };
    // SAFETY: as above.
    let options: Result<RVec<_>, _> = options.iter().map(|option| unsafe { option_spec(option) }).collect();
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
    let api_version = ai_api::module::API_VERSION.into();
    let manifest = |options| Manifest { name, version, author, api_version, options, abilities };
    options.map(manifest).into()
}

extern "C" fn create(settings: RSlice<'_, OptionSetting>) -> RResult<Instance, AiError> {
    let settings = Settings::new(&settings);
    let mut error = no_error();
    // SAFETY: as in `manifest`.
    let made = unsafe { (ai().create)(settings.list.as_ptr(), settings.list.len(), &raw mut error) };
    if made.is_null() {
        return RResult::RErr(error_of(&error));
    }
    // SAFETY: `destroy` ends what `create` has made.
    RResult::ROk(unsafe { Instance::from_raw(made, ai().destroy) })
}

unsafe extern "C" fn new_game(instance: &mut Instance) -> RResult<(), AiError> {
    let Some(new_game) = ai().rest.new_game else { return RResult::ROk(()) };
    let mut error = no_error();
    // SAFETY: the caller passes an instance of this library.
    let done = unsafe { new_game(instance.as_ptr(), &raw mut error) };
    if done == 0 { RResult::RErr(error_of(&error)) } else { RResult::ROk(()) }
}

unsafe extern "C" fn search(
    instance: &mut Instance,
    question: &Question<'_>,
    host: &Host<'_>,
) -> RResult<Answer, AiError> {
    let Some(search) = ai().rest.search else { return RResult::RErr(AiError::new("the AI does not search")) };
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
    let mut told = CAnswer {
        size: size_of::<CAnswer>(),
        best_move: Move::from_bits(0),
        score: Score::DRAW,
        depth: 0,
        nodes: 0,
        line: null(),
        line_length: 0,
        further_lines: null(),
        further_line_count: 0,
        trace: null(),
        trace_length: 0,
    };
    let mut error = no_error();
    // SAFETY: the caller passes an instance of this library; what is handed over stands until the call returns.
    let done = unsafe { search(instance.as_ptr(), &raw const asked, host, &raw mut told, &raw mut error) };
    if done == 0 {
        return RResult::RErr(error_of(&error));
    }
    // SAFETY: what the AI has told stands until the next call with this instance.
    let (line, further_lines, trace) = unsafe {
        (
            list(told.line, told.line_length),
            list(told.further_lines, told.further_line_count),
            list(told.trace, told.trace_length),
        )
    };
    // SAFETY: as above.
    let further_line = |&CLine { score, depth, moves, move_count }: &CLine| unsafe {
        Line { score, depth, moves: list(moves, move_count).to_vec().into() }
    };
    RResult::ROk(Answer {
        best_move: (told.best_move != Move::from_bits(0)).then_some(told.best_move).into(),
        score: told.score,
        depth: told.depth,
        nodes: told.nodes,
        line: line.to_vec().into(),
        further_lines: further_lines.iter().map(further_line).collect(),
        trace: trace.iter().map_while(trace_node).collect(),
    })
}

unsafe extern "C" fn terms(
    instance: &mut Instance,
    position: &Position,
    host: &Host<'_>,
) -> RResult<RVec<Term>, AiError> {
    let mut told = [CTerm { name: null(), score: Score::DRAW }; MAX_TERMS];
    let Some(terms) = ai().rest.terms else { return RResult::ROk(RVec::new()) };
    // SAFETY: the caller passes an instance of this library, and there is room for as many terms.
    let count = unsafe { terms(instance.as_ptr(), position, host, told.as_mut_ptr(), MAX_TERMS) };
    // SAFETY: what the AI has told stands until the next call with this instance.
    let term = |term: &CTerm| Term { name: unsafe { text(term.name) }, score: term.score };
    RResult::ROk(told[..count.min(MAX_TERMS)].iter().map(term).collect())
}

unsafe extern "C" fn no_extension(_: *const c_char) -> Option<&'static Extension> {
    None
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
fn trace_node(node: &CTraceNode) -> Option<TraceNode> {
    let &CTraceNode { parent, depth, low, high, score, chosen, bound, ending } = node;
    let bound = *Bound::ALL.get(usize::from(bound))?;
    let ending = *Ending::ALL.get(usize::from(ending))?;
    Some(TraceNode { parent, depth, low, high, score, chosen, bound, ending })
}

/// What an AI points to; nothing where it points nowhere.
///
/// # Safety
/// There are `length` values, which stand as long as the result is used.
unsafe fn list<'a, T>(begin: *const T, length: usize) -> &'a [T] {
    if begin.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(begin, length.min(MAX_LIST)) }
}

/// # Safety
/// There is a text with a NUL at its end, or nothing.
unsafe fn text(begin: *const c_char) -> RString {
    if begin.is_null() {
        return RString::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(begin) }.to_string_lossy().into_owned().into()
}

fn no_error() -> CError {
    CError { size: size_of::<CError>(), message: [0; MAX_MESSAGE] }
}

fn error_of(error: &CError) -> AiError {
    let bytes: Vec<_> = error.message.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0).collect();
    let message = String::from_utf8_lossy(&bytes).into_owned();
    AiError::new(if message.is_empty() { "the AI failed and did not say why".to_owned() } else { message })
}
