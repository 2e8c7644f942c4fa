//! The functions of `rookery_ai.h` around an [`Ai`], and [`export_ai!`](crate::export_ai), which exports them.
//!
//! Authors need only the macro; the rest is for the macro itself.

use std::{
    any::Any,
    ffi::{CStr, CString, c_char},
    mem::offset_of,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr::{from_ref, null},
    slice,
    sync::{Mutex, PoisonError},
};

use crate::c::{
    ABI, CAbilities, CAi, CAnswer, CError, CLimit, CLine, CManifest, COption, CQuestion, CSetting, CTerm,
    CValue, FAILED, LIMIT_DEPTH, LIMIT_MOVETIME_MS, LIMIT_NODES, OK, OPTION_CHOICE, OPTION_FILE, OPTION_FLAG,
    OPTION_INTEGER, OPTION_TEXT, PANICKED, VALUE_FLAG, VALUE_INTEGER, VALUE_TEXT,
};
use crate::{
    Abilities, Ai, AiError, AiErrorKind, Answer, Evaluator, Host, Limit, Move, OptionKind, OptionSetting,
    OptionSpec, OptionValue, Options, Position, Question, Score, Searcher, Term,
};

/// The AI of a library, with its name, version and author.
#[doc(hidden)]
pub trait Exported {
    type Ai: Ai;
    const NAME: &'static str;
    const VERSION: &'static str;
    const AUTHOR: &'static str;
}

impl CAi {
    /// The functions of an AI that is neither searcher nor evaluator yet; the macro adds what it is.
    #[doc(hidden)]
    pub const fn exporting<E: Exported>() -> Self {
        Self {
            size: size_of::<Self>(),
            abi: ABI,
            manifest: Some(manifest::<E>),
            create: Some(create::<E::Ai>),
            destroy: Some(destroy::<E::Ai>),
            new_game: Some(new_game::<E::Ai>),
            search: None,
            evaluate: None,
            terms: None,
            extension: None,
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn with_searcher<T: Ai + Searcher>(mut self) -> Self {
        self.search = Some(search::<T>);
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn with_evaluator<T: Ai + Evaluator>(mut self) -> Self {
        self.evaluate = Some(evaluate::<T>);
        self.terms = Some(terms::<T>);
        self
    }
}

/// An instance of an AI, with the data that it returned to the host, which stays valid until the next call.
struct Instance<T> {
    ai: T,
    answer: KeptAnswer,
    terms: KeptTerms,
}

#[derive(Default)]
struct KeptAnswer {
    answer: Option<Answer>,
    further_lines: Vec<CLine>,
}

#[derive(Default)]
struct KeptTerms {
    names: Vec<CString>,
    terms: Vec<CTerm>,
}

/// The data behind the last manifest, which stays valid until the next call of `manifest`.
struct KeptManifest {
    _texts: Vec<CString>,
    _choices: Vec<Vec<*const c_char>>,
    options: Vec<COption>,
}

// SAFETY: its pointers point into memory that it owns and never changes.
unsafe impl Send for KeptManifest {}

/// A library exports one AI.
static MANIFEST: Mutex<Option<KeptManifest>> = Mutex::new(None);

unsafe extern "C" fn manifest<E: Exported>(
    settings: *const CSetting,
    setting_count: usize,
    told: *mut CManifest,
    error: *mut CError,
) -> i32 {
    guarded(error, || {
        // SAFETY: the host hands over as many settings.
        let settings = unsafe { read_settings(settings, setting_count) };
        let specs = E::Ai::options_for(&settings)?;
        let abilities = E::Ai::abilities(&Options::resolve(&specs, &settings));
        let mut texts = Texts::default();
        let [name, version, author] = [E::NAME, E::VERSION, E::AUTHOR].map(|words| texts.keep(words));
        let mut choices = Vec::new();
        let options: Vec<_> = specs.iter().map(|spec| c_option(spec, &mut texts, &mut choices)).collect();
        let manifest = CManifest {
            size: 0,
            name,
            version,
            author,
            options: options.as_ptr(),
            option_count: options.len(),
            abilities: c_abilities(abilities),
        };
        let kept = KeptManifest { _texts: texts.0, _choices: choices, options };
        debug_assert_eq!(kept.options.as_ptr(), manifest.options);
        *MANIFEST.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        // SAFETY: the host hands over a manifest of the size that it names.
        unsafe { write_sized(told, &manifest) };
        Ok(())
    })
}

unsafe extern "C" fn create<T: Ai>(
    settings: *const CSetting,
    setting_count: usize,
    made: *mut *mut (),
    error: *mut CError,
) -> i32 {
    guarded(error, || {
        // SAFETY: the host hands over as many settings.
        let settings = unsafe { read_settings(settings, setting_count) };
        let ai = T::create(&Options::resolve(&T::options_for(&settings)?, &settings))?;
        let instance = Instance { ai, answer: KeptAnswer::default(), terms: KeptTerms::default() };
        // SAFETY: the host hands over a place for the instance.
        unsafe { *made = Box::into_raw(Box::new(instance)).cast() };
        Ok(())
    })
}

unsafe extern "C" fn destroy<T: Ai>(ai: *mut ()) {
    // SAFETY: the host hands over what `create::<T>` made, once.
    let instance = unsafe { Box::from_raw(ai.cast::<Instance<T>>()) };
    let _ = caught(|| {
        drop(instance);
        Ok(())
    });
}

/// # Safety
/// `ai` was made by `create::<T>`, and no other reference to it exists.
unsafe fn instance<'a, T: Ai>(ai: *mut ()) -> &'a mut Instance<T> {
    // SAFETY: the caller's promise.
    unsafe { &mut *ai.cast() }
}

unsafe extern "C" fn new_game<T: Ai>(ai: *mut (), error: *mut CError) -> i32 {
    // SAFETY: the host passes an instance of this library.
    let instance = unsafe { instance::<T>(ai) };
    guarded(error, || instance.ai.new_game())
}

unsafe extern "C" fn search<T: Ai + Searcher>(
    ai: *mut (),
    question: *const CQuestion,
    host: &Host<'_>,
    told: *mut CAnswer,
    error: *mut CError,
) -> i32 {
    // SAFETY: the host passes an instance of this library.
    let instance = unsafe { instance::<T>(ai) };
    guarded(error, || {
        // SAFETY: the host hands over a question of the size that it names.
        let question = unsafe { read_sized(question) };
        // SAFETY: what it points to stands until this call returns.
        let question = unsafe { read_question(&question) }?;
        let answer = instance.ai.search(&question, host)?;
        let answer = instance.answer.keep(answer);
        // SAFETY: the host hands over an answer of the size that it names.
        unsafe { write_sized(told, &answer) };
        Ok(())
    })
}

unsafe extern "C" fn evaluate<T: Ai + Evaluator>(
    ai: *mut (),
    position: &Position,
    host: &Host<'_>,
    error: *mut CError,
) -> Score {
    // SAFETY: the host passes an instance of this library.
    let instance = unsafe { instance::<T>(ai) };
    match catch_unwind(AssertUnwindSafe(|| instance.ai.evaluate(position, host))) {
        Ok(score) => score,
        Err(payload) => {
            // SAFETY: the host hands over an error of the size that it names.
            unsafe { write_error(error, &panicked(payload)) };
            Score::NONE
        }
    }
}

unsafe extern "C" fn terms<T: Ai + Evaluator>(
    ai: *mut (),
    position: &Position,
    host: &Host<'_>,
    told: *mut *const CTerm,
    count: *mut usize,
    error: *mut CError,
) -> i32 {
    // SAFETY: the host passes an instance of this library.
    let instance = unsafe { instance::<T>(ai) };
    guarded(error, || {
        let terms = instance.terms.keep(&instance.ai.terms(position, host));
        // SAFETY: the host hands over places for both.
        unsafe { (*told, *count) = (terms.as_ptr(), terms.len()) };
        Ok(())
    })
}

impl KeptAnswer {
    fn keep(&mut self, answer: Answer) -> CAnswer {
        let answer = self.answer.insert(answer);
        let line = |line: &crate::Line| CLine {
            score: line.score,
            depth: line.depth,
            moves: line.moves.as_ptr(),
            move_count: line.moves.len(),
        };
        self.further_lines = answer.further_lines.iter().map(line).collect();
        CAnswer {
            size: 0,
            best_move: answer.best_move.unwrap_or(Move::from_bits(0)),
            score: answer.score,
            depth: answer.depth,
            nodes: answer.nodes,
            line: answer.line.as_ptr(),
            line_length: answer.line.len(),
            further_lines: self.further_lines.as_ptr(),
            further_line_count: self.further_lines.len(),
            trace: answer.trace.as_ptr(),
            trace_length: answer.trace.len(),
        }
    }
}

impl KeptTerms {
    fn keep(&mut self, terms: &[Term]) -> &[CTerm] {
        let mut names = Texts::default();
        self.terms =
            terms.iter().map(|term| CTerm { name: names.keep(&term.name), score: term.score }).collect();
        self.names = names.0;
        &self.terms
    }
}

/// Texts that are handed over, each ended by a NUL.
#[derive(Default)]
struct Texts(Vec<CString>);

impl Texts {
    fn keep(&mut self, words: &str) -> *const c_char {
        let bytes: Vec<_> = words.bytes().filter(|&byte| byte != 0).collect();
        let text = CString::new(bytes).unwrap_or_default();
        let begin = text.as_ptr();
        self.0.push(text);
        begin
    }
}

fn c_option(spec: &OptionSpec, texts: &mut Texts, choices: &mut Vec<Vec<*const c_char>>) -> COption {
    let (kind, min, max) = match &spec.kind {
        OptionKind::Flag => (OPTION_FLAG, 0, 0),
        &OptionKind::Integer { min, max } => (OPTION_INTEGER, min, max),
        OptionKind::Choice(_) => (OPTION_CHOICE, 0, 0),
        OptionKind::Text => (OPTION_TEXT, 0, 0),
        OptionKind::File => (OPTION_FILE, 0, 0),
    };
    let allowed: Vec<_> = match &spec.kind {
        OptionKind::Choice(allowed) => allowed.iter().map(|choice| texts.keep(choice)).collect(),
        _ => Vec::new(),
    };
    let option = COption {
        name: texts.keep(&spec.name),
        help: texts.keep(&spec.help),
        kind,
        min,
        max,
        choices: allowed.as_ptr(),
        choice_count: allowed.len(),
        value: c_value(&spec.default, texts),
    };
    choices.push(allowed);
    option
}

fn c_value(value: &OptionValue, texts: &mut Texts) -> CValue {
    let nothing = CValue { kind: VALUE_FLAG, flag: 0, integer: 0, text: null() };
    match value {
        &OptionValue::Flag(flag) => CValue { flag: flag.into(), ..nothing },
        &OptionValue::Integer(integer) => CValue { kind: VALUE_INTEGER, integer, ..nothing },
        OptionValue::Text(words) => CValue { kind: VALUE_TEXT, text: texts.keep(words), ..nothing },
    }
}

fn c_abilities(abilities: Abilities) -> CAbilities {
    let Abilities { chess960, root_moves, ponder, max_lines, max_trace_nodes, threads, memory_mb } =
        abilities;
    CAbilities {
        chess960: chess960.into(),
        root_moves: root_moves.into(),
        ponder: ponder.into(),
        max_lines,
        max_trace_nodes,
        threads,
        memory_mb,
    }
}

/// # Safety
/// There are `count` settings.
unsafe fn read_settings(settings: *const CSetting, count: usize) -> Vec<OptionSetting> {
    // SAFETY: the caller's promise.
    let settings = unsafe { list(settings, count) };
    let read = |&CSetting { name, value }: &CSetting| {
        // SAFETY: names and values of the host's are texts.
        let (name, text) = unsafe { (text(name), text(value.text)) };
        let value = match value.kind {
            VALUE_FLAG => OptionValue::Flag(value.flag != 0),
            VALUE_INTEGER => OptionValue::Integer(value.integer),
            VALUE_TEXT => OptionValue::Text(text),
            // Of a later host, for an option that this AI does not declare.
            _ => return None,
        };
        Some(OptionSetting { name, value })
    };
    settings.iter().filter_map(read).collect()
}

/// # Safety
/// What the question points to stands as long as the result is used.
unsafe fn read_question(question: &CQuestion) -> Result<Question<'_>, AiError> {
    let &CLimit { kind, value } = &question.limit;
    let limit = match kind {
        LIMIT_DEPTH => Limit::Depth(u32::try_from(value).unwrap_or(u32::MAX)),
        LIMIT_NODES => Limit::Nodes(value),
        LIMIT_MOVETIME_MS => Limit::MovetimeMs(value),
        other => {
            return Err(AiError::new(format!(
                "the host limits the search in a way that is not known here: {other}"
            )));
        }
    };
    // SAFETY: the caller's promise.
    unsafe {
        Ok(Question {
            position: *question.position,
            history: list(question.history, question.history_length),
            limit,
            start: *question.start,
            moves: list(question.moves, question.move_count),
            clocks: question.clocks.as_ref(),
            root_moves: list(question.root_moves, question.root_move_count),
            lines: question.lines,
            trace_nodes: question.trace_nodes,
        })
    }
}

/// # Safety
/// There are `length` values, which stand as long as the result is used.
pub(crate) unsafe fn list<'a, T>(begin: *const T, length: usize) -> &'a [T] {
    if begin.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(begin, length) }
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

/// A struct of the contract that begins with the size that its maker knows.
///
/// # Safety
/// The first field is that size, a `usize`, and zeros are a value of every other one.
#[doc(hidden)]
pub unsafe trait SizedStruct: Copy {}

// SAFETY: so they are declared; numbers and pointers may be zero.
unsafe impl SizedStruct for CQuestion {}
// SAFETY: as above.
unsafe impl SizedStruct for CAnswer {}
// SAFETY: as above.
unsafe impl SizedStruct for CManifest {}

/// Reads what both sides know; what the maker does not know is absent, hence zero.
///
/// # Safety
/// `from` points to as many bytes as its size says.
unsafe fn read_sized<T: SizedStruct>(from: *const T) -> T {
    // SAFETY: zeros are a value of a `T`.
    let mut value: T = unsafe { std::mem::zeroed() };
    // SAFETY: the size comes first, and so many bytes are there.
    unsafe {
        let size = (*from.cast::<usize>()).min(size_of::<T>());
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), (&raw mut value).cast(), size);
    }
    value
}

/// Writes what both sides know, and leaves the size as it is.
///
/// # Safety
/// `to` points to as many bytes as its size says.
unsafe fn write_sized<T: SizedStruct>(to: *mut T, value: &T) {
    const HEAD: usize = size_of::<usize>();
    // SAFETY: the size comes first, and so many bytes are there.
    unsafe {
        let size = (*to.cast::<usize>()).clamp(HEAD, size_of::<T>());
        std::ptr::copy_nonoverlapping(
            from_ref(value).cast::<u8>().add(HEAD),
            to.cast::<u8>().add(HEAD),
            size - HEAD,
        );
    }
}

/// Runs the author's code and says how it went.
fn guarded(error: *mut CError, work: impl FnOnce() -> Result<(), AiError>) -> i32 {
    let Err(failure) = caught(work) else { return OK };
    // SAFETY: the host hands over an error of the size that it names.
    unsafe { write_error(error, &failure) };
    match failure.kind {
        AiErrorKind::Failed => FAILED,
        AiErrorKind::Panicked => PANICKED,
    }
}

/// Runs the author's code; a panic becomes an error, for it must not cross the boundary.
fn caught<T>(work: impl FnOnce() -> Result<T, AiError>) -> Result<T, AiError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(panicked(payload)))
}

fn panicked(payload: Box<dyn Any + Send>) -> AiError {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = text.unwrap_or("(no message)").to_owned();
    // The payload's own destructor is the author's code too and might panic again.
    std::mem::forget(payload);
    AiError { kind: AiErrorKind::Panicked, message }
}

/// # Safety
/// `error` points to as many bytes as its size says.
unsafe fn write_error(error: *mut CError, failure: &AiError) {
    const HEAD: usize = offset_of!(CError, message);
    // SAFETY: the caller's promise.
    let capacity = unsafe { (*error).size }.saturating_sub(HEAD);
    let words = failure.message.bytes().filter(|&byte| byte != 0).take(capacity.saturating_sub(1));
    // SAFETY: there is room for as many bytes.
    unsafe {
        let message = (&raw mut (*error).message).cast::<u8>();
        let mut end = 0;
        for byte in words {
            message.add(end).write(byte);
            end += 1;
        }
        if end < capacity {
            message.add(end).write(0);
        }
    }
}

/// Makes a library an AI: exports what the host looks for, and keeps panics on this side of the boundary.
///
/// Takes the type that implements [`Ai`](crate::Ai), and which of [`Searcher`](crate::Searcher) and
/// [`Evaluator`](crate::Evaluator) it is. `name`, `version` and `author` are those of the crate unless given, and `id`,
/// what clients call the AI unless the configuration says otherwise, is the crate's name without `ai-` before it. The
/// crate is a `cdylib`, and exports one AI.
///
/// ```
/// use ai_api::{Ai, AiError, Color, Evaluator, Host, Options, Position, Role, Score};
///
/// struct PawnCounter;
///
/// impl Ai for PawnCounter {
///     fn create(_: &Options) -> Result<Self, AiError> {
///         Ok(Self)
///     }
/// }
///
/// impl Evaluator for PawnCounter {
///     fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
///         let count = |color| position.pieces(color, Role::Pawn).count() as i32;
///         Score::centipawns(100 * (count(Color::White) - count(Color::Black)))
///     }
/// }
///
/// ai_api::export_ai!(PawnCounter: Evaluator, name = "Pawn counter", id = "pawns");
/// ```
#[macro_export]
macro_rules! export_ai {
    ($ai:ty: Searcher + Evaluator $(, $key:ident = $value:expr)* $(,)?) => {
        $crate::export_ai!(@module $ai, [with_searcher, with_evaluator] $(, $key = $value)*);
    };
    ($ai:ty: Evaluator + Searcher $(, $key:ident = $value:expr)* $(,)?) => {
        $crate::export_ai!(@module $ai, [with_searcher, with_evaluator] $(, $key = $value)*);
    };
    ($ai:ty: Searcher $(, $key:ident = $value:expr)* $(,)?) => {
        $crate::export_ai!(@module $ai, [with_searcher] $(, $key = $value)*);
    };
    ($ai:ty: Evaluator $(, $key:ident = $value:expr)* $(,)?) => {
        $crate::export_ai!(@module $ai, [with_evaluator] $(, $key = $value)*);
    };
    (@module $ai:ty, [$($kind:ident),+] $(, $key:ident = $value:expr)*) => {
        const _: () = {
            struct About {
                id: &'static str,
                name: &'static str,
                version: &'static str,
                author: &'static str,
            }
            const DEFAULT_ID: $crate::note::DefaultId = $crate::note::DefaultId::of_crate(env!("CARGO_PKG_NAME"));
            #[allow(clippy::needless_update, reason = "every key may be given")]
            const ABOUT: About = About {
                $($key: $value,)*
                ..About {
                    id: DEFAULT_ID.as_str(),
                    name: env!("CARGO_PKG_NAME"),
                    version: env!("CARGO_PKG_VERSION"),
                    author: env!("CARGO_PKG_AUTHORS"),
                }
            };

            $crate::rookery_note!(id = ABOUT.id, version = ABOUT.version);

            impl $crate::export::Exported for $ai {
                type Ai = $ai;
                const NAME: &'static str = ABOUT.name;
                const VERSION: &'static str = ABOUT.version;
                const AUTHOR: &'static str = ABOUT.author;
            }

            $crate::export_layout!();

            #[unsafe(export_name = "rookery_ai_entry")]
            static ENTRY: $crate::c::CAi = $crate::c::CAi::exporting::<$ai>()$(.$kind::<$ai>())+;
        };
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_words() {
        let mut error = CError::EMPTY;
        assert_eq!(guarded(&raw mut error, || panic!("no {}", "way")), PANICKED);
        // SAFETY: the message has just been written.
        assert_eq!(unsafe { text(error.message.as_ptr()) }, "no way");
        assert_eq!(guarded(&raw mut error, || Err(AiError::new("no"))), FAILED);
        assert_eq!(guarded(&raw mut error, || Ok(())), OK);
    }

    #[test]
    fn writes_no_more_of_an_error_than_there_is_room_for() {
        for (room, expected) in [(0, "????"), (1, "\0???"), (3, "no\0?"), (4, "no \0")] {
            let mut error =
                CError { size: offset_of!(CError, message) + room, message: [b'?' as c_char; 1000] };
            assert_eq!(guarded(&raw mut error, || Err(AiError::new("no way"))), FAILED);
            let written: String = error.message[..4].iter().map(|&byte| byte as u8 as char).collect();
            assert_eq!(written, expected, "{room}");
        }
    }
}
