//! The functions in `rookery_ai.h` for an [`Ai`], and [`export_ai!`](crate::export_ai), which
//! exports them.
//!
//! Authors use only the macro.

use std::{
    any::Any,
    ffi::{CStr, c_char},
    mem::offset_of,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
};

use crate::c::{
    ABI, CAi, CCapabilities, CError, CEvalTerm, CEvalTerms, CLimits, CManifest, COption, CPvLine,
    CSearchRequest, CSearchResult, CSetting, CWdl, FAILED, OK, PANICKED, Texts, list, pointer,
    read_sized, write_sized,
};
use crate::{
    Ai, AiError, AiErrorKind, EvalTerm, Evaluator, Extension, Host, Limits, Move, OptionSetting,
    Options, Position, Score, SearchRequest, SearchResult, Searcher, TraceNode, further::Further,
};

/// The AI in a library, with its name, version and author.
#[doc(hidden)]
pub trait Exported: Ai {
    const NAME: &'static str;
    const VERSION: &'static str;
    const AUTHOR: &'static str;
    const IDENTITY: fn() -> Option<[String; 3]> = || None;
}

impl CAi {
    /// Creates an AI's functions, except for search and evaluation, which the macro adds.
    #[doc(hidden)]
    pub const fn exporting<T: Exported>() -> Self {
        Self {
            size: size_of::<Self>(),
            abi: ABI,
            reserved: 0,
            manifest: Some(manifest::<T>),
            create: Some(create::<T>),
            destroy: Some(destroy::<T>),
            new_game: Some(new_game::<T>),
            search: None,
            evaluate: None,
            terms: None,
            extension: Some(extension::<T>),
            set_option: Some(set_option::<T>),
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

/// An instance of an AI, with the data that it returned to the host. The data is valid until the
/// next call.
struct Instance<T> {
    ai: T,
    result: KeptResult,
    terms: KeptTerms,
}

#[derive(Default)]
struct KeptResult {
    result: Option<SearchResult>,
    multipv: Vec<CPvLine>,
}

#[derive(Default)]
struct KeptTerms {
    names: Texts,
    terms: Vec<CEvalTerm>,
}

/// The data of the last manifest, valid until the next call to `manifest`.
struct KeptManifest {
    _texts: Texts,
    options: Vec<COption>,
}

// SAFETY: its pointers point to memory that it owns and never changes.
unsafe impl Send for KeptManifest {}

/// One is enough, because a library exports only one AI.
static MANIFEST: Mutex<Option<KeptManifest>> = Mutex::new(None);

unsafe extern "C" fn manifest<T: Exported>(
    host: &Host<'_>,
    settings: *const CSetting,
    setting_count: usize,
    to: *mut CManifest,
    error: *mut CError,
) -> i32 {
    guarded(error, || {
        // SAFETY: the host passes `setting_count` settings.
        let settings = unsafe { read_settings(settings, setting_count) };
        let specs = T::options_for(&settings, host)?;
        let capabilities = T::capabilities(&Options::resolve(&specs, &settings), host);
        let mut texts = Texts::default();
        let own = || [T::NAME, T::VERSION, T::AUTHOR].map(str::to_owned);
        let [name, version, author] = (T::IDENTITY)()
            .unwrap_or_else(own)
            .map(|words| texts.keep(&words));
        let options = specs
            .iter()
            .map(|spec| COption::of(spec, &mut texts))
            .collect();
        let kept = KeptManifest {
            _texts: texts,
            options,
        };
        // SAFETY: the host passes a manifest with the size that it states, and with capabilities.
        let place = unsafe { read_sized(to) }.capabilities;
        let manifest = CManifest {
            size: 0,
            capabilities: place,
            name,
            version,
            author,
            options: pointer(&kept.options),
            option_count: kept.options.len(),
            option_stride: size_of::<COption>(),
        };
        *MANIFEST.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        // SAFETY: the host passes a manifest with the size that it states.
        unsafe {
            write_sized(place, &CCapabilities::of(capabilities));
            write_sized(to, &manifest);
        }
        Ok(())
    })
}

unsafe extern "C" fn create<T: Ai>(
    host: &Host<'_>,
    settings: *const CSetting,
    setting_count: usize,
    to: *mut *mut (),
    error: *mut CError,
) -> i32 {
    guarded(error, || {
        // SAFETY: the host passes `setting_count` settings.
        let settings = unsafe { read_settings(settings, setting_count) };
        let ai = T::create(
            &Options::resolve(&T::options_for(&settings, host)?, &settings),
            host,
        )?;
        let instance = Instance {
            ai,
            result: KeptResult::default(),
            terms: KeptTerms::default(),
        };
        // SAFETY: the host passes a valid pointer for the instance.
        unsafe { *to = Box::into_raw(Box::new(instance)).cast() };
        Ok(())
    })
}

unsafe extern "C" fn extension<T: Ai>(name: *const c_char) -> Option<&'static Extension> {
    // SAFETY: the host passes a NUL-terminated string.
    let name = unsafe { CStr::from_ptr(name) };
    caught(|| T::extension(name)).unwrap_or(None)
}

unsafe extern "C" fn destroy<T: Ai>(ai: *mut ()) {
    // SAFETY: the host passes the result of `create::<T>`, once.
    let instance = unsafe { Box::from_raw(ai.cast::<Instance<T>>()) };
    let _ = caught(|| drop(instance));
}

/// # Safety
/// `ai` was made by `create::<T>`, and no other reference to it exists.
unsafe fn instance<'a, T: Ai>(ai: *mut ()) -> &'a mut Instance<T> {
    // SAFETY: guaranteed by the caller.
    unsafe { &mut *ai.cast() }
}

unsafe extern "C" fn new_game<T: Ai>(ai: *mut (), host: &Host<'_>, error: *mut CError) -> i32 {
    // SAFETY: the host passes an instance of this library.
    let instance = unsafe { instance::<T>(ai) };
    guarded(error, || instance.ai.new_game(host))
}

unsafe extern "C" fn set_option<T: Ai>(
    ai: *mut (),
    setting: *const CSetting,
    host: &Host<'_>,
    error: *mut CError,
) -> i32 {
    // SAFETY: the host passes an instance of this library.
    let instance = unsafe { instance::<T>(ai) };
    guarded(error, || {
        // SAFETY: the host passes a setting.
        let setting = unsafe { (*setting).read() };
        let setting = setting.ok_or_else(|| AiError::new("the value has an unknown kind"))?;
        instance.ai.set_option(&setting, host)
    })
}

unsafe extern "C" fn search<T: Ai + Searcher>(
    ai: *mut (),
    request: *const CSearchRequest,
    host: &Host<'_>,
    to: *mut CSearchResult,
    error: *mut CError,
) -> i32 {
    // SAFETY: the host passes an instance of this library.
    let instance = unsafe { instance::<T>(ai) };
    guarded(error, || {
        // SAFETY: the host passes a request with the size that it states.
        let request = unsafe { read_sized(request) };
        // SAFETY: everything it points to is valid until this call returns.
        let request = unsafe { read_request(&request) };
        let result = instance.ai.search(&request, host)?;
        let result = instance.result.keep(result);
        // SAFETY: the host passes a result with the size that it states.
        unsafe { write_sized(to, &result) };
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
    caught(|| instance.ai.evaluate(position, host)).unwrap_or_else(|failure| {
        // SAFETY: the host passes an error with the size that it states.
        unsafe { write_error(error, &failure) };
        Score::NONE
    })
}

unsafe extern "C" fn terms<T: Ai + Evaluator>(
    ai: *mut (),
    position: &Position,
    host: &Host<'_>,
    to: *mut CEvalTerms,
    error: *mut CError,
) -> i32 {
    // SAFETY: the host passes an instance of this library.
    let instance = unsafe { instance::<T>(ai) };
    guarded(error, || {
        let terms = instance.terms.keep(&instance.ai.terms(position, host));
        let terms = CEvalTerms {
            size: 0,
            terms: pointer(terms),
            count: terms.len(),
            stride: size_of::<CEvalTerm>(),
        };
        // SAFETY: the host passes terms with the size that it states.
        unsafe { write_sized(to, &terms) };
        Ok(())
    })
}

impl KeptResult {
    fn keep(&mut self, result: SearchResult) -> CSearchResult {
        let result = self.result.insert(result);
        let line = |line: &crate::PvLine| CPvLine {
            moves: pointer(&line.moves),
            move_count: line.moves.len(),
            depth: line.depth,
            score: line.score,
            wdl: CWdl::of(line.wdl),
            bound: line.bound as u8,
            reserved: 0,
        };
        self.multipv = result.multipv.iter().map(line).collect();
        CSearchResult {
            size: 0,
            nodes: result.nodes,
            pv: pointer(&result.pv),
            pv_length: result.pv.len(),
            multipv: pointer(&self.multipv),
            multipv_count: self.multipv.len(),
            multipv_stride: size_of::<CPvLine>(),
            trace: pointer(&result.trace),
            trace_length: result.trace.len(),
            trace_stride: size_of::<TraceNode>(),
            depth: result.depth,
            score: result.score,
            best_move: result.best_move.unwrap_or(Move::from_bits(0)),
            wdl: CWdl::of(result.wdl),
            bound: result.bound as u8,
            reserved: [0; 7],
        }
    }
}

impl KeptTerms {
    fn keep(&mut self, terms: &[EvalTerm]) -> &[CEvalTerm] {
        self.names = Texts::default();
        let term = |term: &EvalTerm| CEvalTerm {
            name: self.names.keep(&term.name),
            score: term.score,
            reserved: 0,
        };
        self.terms = terms.iter().map(term).collect();
        &self.terms
    }
}

/// # Safety
/// `settings` points to `count` settings.
unsafe fn read_settings(settings: *const CSetting, count: usize) -> Vec<OptionSetting> {
    // SAFETY: guaranteed by the caller. Only a later host can pass a setting of an unknown kind,
    // and this AI does not declare its option.
    unsafe {
        list(settings, count)
            .iter()
            .filter_map(|setting| setting.read())
            .collect()
    }
}

/// # Safety
/// Everything the request points to stays valid for as long as the result is in use.
unsafe fn read_request(request: &CSearchRequest) -> SearchRequest<'_> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        SearchRequest {
            position: *request.position,
            history: list(request.history, request.history_length),
            limits: request
                .limits
                .as_ref()
                .map_or(Limits::NONE, |limits| read_sized::<CLimits>(limits).read()),
            start: *request.start,
            moves: list(request.moves, request.move_count),
            clocks: request
                .clocks
                .as_ref()
                .map(|clocks| read_sized(clocks).read()),
            root_moves: list(request.root_moves, request.root_move_count),
            lines: request.lines,
            trace_nodes: request.trace_nodes,
            analysis: request.analysis != 0,
            further: Further::NONE,
        }
    }
}

/// Runs the author's code and returns its status.
fn guarded(error: *mut CError, work: impl FnOnce() -> Result<(), AiError>) -> i32 {
    let Err(failure) = caught(work).flatten() else {
        return OK;
    };
    // SAFETY: the host passes an error with the size that it states.
    unsafe { write_error(error, &failure) };
    match failure.kind {
        AiErrorKind::Failed => FAILED,
        AiErrorKind::Panicked => PANICKED,
    }
}

/// Runs the author's code. A panic, which must not cross the boundary, becomes an error.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, AiError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(panicked)
}

fn panicked(payload: Box<dyn Any + Send>) -> AiError {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = text.unwrap_or("(no message)").to_owned();
    // The payload's destructor is also the author's code, and can panic again.
    std::mem::forget(payload);
    AiError::new(message).panicked()
}

/// # Safety
/// `error` is valid for as many bytes as its size says.
unsafe fn write_error(error: *mut CError, failure: &AiError) {
    const HEAD: usize = offset_of!(CError, message);
    // SAFETY: guaranteed by the caller.
    let capacity = unsafe { (*error).size }.saturating_sub(HEAD);
    let text = failure
        .message
        .bytes()
        .filter(|&byte| byte != 0)
        .take(capacity.saturating_sub(1));
    for (place, byte) in text.chain([0]).take(capacity).enumerate() {
        // SAFETY: the buffer has `capacity` bytes.
        unsafe { error.byte_add(HEAD + place).cast::<u8>().write(byte) };
    }
}

/// Exports a type as a library's AI. Panics do not cross the boundary.
///
/// Takes the type that implements [`Ai`](crate::Ai), and whether it is a
/// [`Searcher`](crate::Searcher), an [`Evaluator`](crate::Evaluator) or both. `name`, `version` and
/// `author` default to the crate's. `id` is the AI's id unless the configuration gives another. It
/// defaults to the crate's name without the prefix `ai-`. The crate must be a `cdylib` and export
/// only one AI.
///
/// An AI that drives another program can take that program's name: `identity` is a function that
/// returns name, version and author, or `None` to keep the library's. It is called for each
/// manifest, after [`Ai::options_for`](crate::Ai::options_for) and
/// [`Ai::capabilities`](crate::Ai::capabilities).
///
/// ```
/// use ai_api::{Ai, AiError, Color, Evaluator, Host, Options, Position, Role, Score};
///
/// struct PawnCounter;
///
/// impl Ai for PawnCounter {
///     fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
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
                identity: fn() -> ::core::option::Option<[::std::string::String; 3]>,
            }
            const DEFAULT_ID: $crate::note::DefaultId =
                $crate::note::DefaultId::of_crate(env!("CARGO_PKG_NAME"));
            #[allow(clippy::needless_update, reason = "every key may be given")]
            const ABOUT: About = About {
                $($key: $value,)*
                ..About {
                    id: DEFAULT_ID.as_str(),
                    name: env!("CARGO_PKG_NAME"),
                    version: env!("CARGO_PKG_VERSION"),
                    author: env!("CARGO_PKG_AUTHORS"),
                    identity: || ::core::option::Option::None,
                }
            };

            $crate::rookery_note!(id = ABOUT.id, version = ABOUT.version);

            impl $crate::export::Exported for $ai {
                const NAME: &'static str = ABOUT.name;
                const VERSION: &'static str = ABOUT.version;
                const AUTHOR: &'static str = ABOUT.author;
                const IDENTITY: fn() -> ::core::option::Option<[::std::string::String; 3]> =
                    ABOUT.identity;
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
    use crate::c::text;

    #[test]
    fn a_panic_becomes_an_error_with_its_message() {
        let mut error = CError::EMPTY;
        assert_eq!(guarded(&raw mut error, || panic!("no {}", "way")), PANICKED);
        // SAFETY: the message has just been written.
        assert_eq!(unsafe { text(error.message.as_ptr()) }, "no way");
        assert_eq!(guarded(&raw mut error, || Err(AiError::new("no"))), FAILED);
        assert_eq!(guarded(&raw mut error, || Ok(())), OK);
    }

    /// A panic payload that panics again when it is dropped.
    struct Payload;

    impl Drop for Payload {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }

    struct Panics;

    impl Ai for Panics {
        fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
            std::panic::panic_any(Payload)
        }

        fn extension(_: &CStr) -> Option<&'static Extension> {
            std::panic::panic_any(Payload)
        }
    }

    #[test]
    fn a_payload_that_panics_again_does_not_abort() {
        let mut error = CError::EMPTY;
        assert_eq!(
            guarded(&raw mut error, || std::panic::panic_any(Payload)),
            PANICKED
        );
        // SAFETY: the name ends with a NUL.
        assert!(unsafe { extension::<Panics>(c"rookery.log/1".as_ptr()) }.is_none());
    }

    #[test]
    fn truncates_an_error_to_the_buffer() {
        for (room, expected) in [(0, "????"), (1, "\0???"), (3, "no\0?"), (4, "no \0")] {
            let mut error = CError {
                size: offset_of!(CError, message) + room,
                message: [b'?' as c_char; 1000],
            };
            assert_eq!(
                guarded(&raw mut error, || Err(AiError::new("no way"))),
                FAILED
            );
            let written: String = error.message[..4]
                .iter()
                .map(|&byte| byte as u8 as char)
                .collect();
            assert_eq!(written, expected, "{room}");
        }
    }
}
