//! The root module that an AI's library exports, and [`export_ai!`](crate::export_ai), which writes it.
//!
//! Authors need only the macro. The rest is for the host's worker, which loads a library, and for the macro itself.
#![expect(clippy::expl_impl_clone_on_copy, reason = "the derive of the prefix type writes it")]

use std::{
    any::Any,
    ffi::c_char,
    panic::{AssertUnwindSafe, catch_unwind},
};

use abi_stable::{
    StableAbi,
    library::RootModule,
    package_version_strings,
    prefix_type::PrefixTypeTrait,
    sabi_types::VersionStrings,
    std_types::{RResult, RSlice, RString, RVec},
};

use crate::host::no_extension;
use crate::{
    Abilities, Ai, AiError, AiErrorKind, Answer, Evaluator, Extension, Host, OptionSetting, OptionSpec,
    Options, Position, Question, Score, Searcher, Term,
};

/// What an AI says of itself.
#[repr(C)]
#[derive(Clone, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Manifest {
    /// A name for people.
    pub name: RString,
    /// The AI's own version.
    pub version: RString,
    /// Who wrote it; may be empty.
    pub author: RString,
    /// The version of `ai-api` that it was built with.
    pub api_version: RString,
    /// The options that it takes.
    pub options: RVec<OptionSpec>,
    /// What it can do beyond the simplest, and what it needs.
    pub abilities: Abilities,
}

/// An instance of an AI, made by [`AiModule::create`] and destroyed when dropped. Only the library that made it knows
/// what is inside.
#[repr(C)]
#[derive(StableAbi)]
pub struct Instance {
    ai: *mut (),
    destroy: unsafe extern "C" fn(*mut ()),
}

impl Instance {
    /// An instance that `destroy` ends, for an AI that is not written in Rust.
    ///
    /// # Safety
    /// `destroy` may be called once with `ai`, on the thread that has the instance.
    pub const unsafe fn from_raw(ai: *mut (), destroy: unsafe extern "C" fn(*mut ())) -> Self {
        Self { ai, destroy }
    }

    /// What the library made.
    pub const fn as_ptr(&self) -> *mut () {
        self.ai
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: `ai` was made together with `destroy` by `create` below and is destroyed only here.
        unsafe { (self.destroy)(self.ai) }
    }
}

/// What the library of an AI exports. It stays as it is: what AIs learn later comes as an [`Extension`].
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = AiModuleRef)))]
pub struct AiModule {
    /// What the AI says of itself once these options are set, which nobody has checked yet. *Any thread; within the
    /// host's time for a start.*
    pub manifest: extern "C" fn(RSlice<'_, OptionSetting>) -> RResult<Manifest, AiError>,
    /// Makes an instance. *The thread that will ask it.*
    pub create: extern "C" fn(RSlice<'_, OptionSetting>) -> RResult<Instance, AiError>,
    /// Tells an instance that another game begins. *The thread that made the instance, one call at a time; the
    /// instance is one that this module made.*
    pub new_game: unsafe extern "C" fn(&mut Instance) -> RResult<(), AiError>,
    /// Present if the AI is a [`Searcher`]. *As `new_game`.*
    pub search:
        Option<unsafe extern "C" fn(&mut Instance, &Question<'_>, &Host<'_>) -> RResult<Answer, AiError>>,
    /// Present if the AI is an [`Evaluator`]. *As `new_game`.*
    pub evaluate:
        Option<unsafe extern "C" fn(&mut Instance, &Position, &Host<'_>) -> RResult<Score, AiError>>,
    /// Present if the AI is an [`Evaluator`]. *As `new_game`.*
    pub terms:
        Option<unsafe extern "C" fn(&mut Instance, &Position, &Host<'_>) -> RResult<RVec<Term>, AiError>>,
    /// What the AI offers beside this under a name, a text that ends with a NUL. *Any thread; must not block.*
    #[sabi(last_prefix_field)]
    pub extension: unsafe extern "C" fn(*const c_char) -> Option<&'static Extension>,
}

impl RootModule for AiModuleRef {
    abi_stable::declare_root_module_statics! {AiModuleRef}

    const BASE_NAME: &'static str = "rookery_ai";
    const NAME: &'static str = "rookery_ai";
    const VERSION_STRINGS: VersionStrings = package_version_strings!();
}

/// The version of this crate, hence of the contract.
pub const API_VERSION: &str = env!("CARGO_PKG_VERSION");

impl AiModule {
    /// The module of an AI that is neither searcher nor evaluator yet; the macro adds what it is.
    #[doc(hidden)]
    pub const fn new<T: Ai>(
        manifest: extern "C" fn(RSlice<'_, OptionSetting>) -> RResult<Manifest, AiError>,
    ) -> Self {
        Self {
            manifest,
            create: create::<T>,
            new_game: new_game::<T>,
            search: None,
            evaluate: None,
            terms: None,
            extension: no_extension,
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

    #[doc(hidden)]
    pub fn leak(self) -> AiModuleRef {
        self.leak_into_prefix()
    }
}

#[doc(hidden)]
pub fn manifest<T: Ai>(
    name: &str,
    version: &str,
    author: &str,
    settings: &[OptionSetting],
) -> RResult<Manifest, AiError> {
    guarded(|| {
        let options = T::options_for(settings)?;
        let abilities = T::abilities(&Options::resolve(&options, settings));
        Ok(Manifest {
            name: name.into(),
            version: version.into(),
            author: author.into(),
            api_version: API_VERSION.into(),
            options: options.into(),
            abilities,
        })
    })
}

extern "C" fn create<T: Ai>(settings: RSlice<'_, OptionSetting>) -> RResult<Instance, AiError> {
    guarded(|| {
        let ai = T::create(&Options::resolve(&T::options_for(&settings)?, &settings))?;
        Ok(Instance { ai: Box::into_raw(Box::new(ai)).cast(), destroy: destroy::<T> })
    })
}

unsafe extern "C" fn destroy<T: Ai>(ai: *mut ()) {
    // SAFETY: `Instance` hands over the pointer that `create::<T>` made, once.
    let ai = unsafe { Box::from_raw(ai.cast::<T>()) };
    let _ = guarded(|| {
        drop(ai);
        Ok(())
    });
}

/// # Safety
/// `instance` was made by `create::<T>`.
unsafe fn ai_of<T: Ai>(instance: &mut Instance) -> &mut T {
    // SAFETY: `create::<T>` put a `T` there, and the unique borrow of the instance guards it.
    unsafe { &mut *instance.ai.cast::<T>() }
}

unsafe extern "C" fn new_game<T: Ai>(instance: &mut Instance) -> RResult<(), AiError> {
    // SAFETY: the caller passes an instance of this module.
    let ai = unsafe { ai_of::<T>(instance) };
    guarded(|| ai.new_game())
}

unsafe extern "C" fn search<T: Ai + Searcher>(
    instance: &mut Instance,
    question: &Question<'_>,
    host: &Host<'_>,
) -> RResult<Answer, AiError> {
    // SAFETY: the caller passes an instance of this module.
    let ai = unsafe { ai_of::<T>(instance) };
    guarded(|| ai.search(question, host))
}

unsafe extern "C" fn evaluate<T: Ai + Evaluator>(
    instance: &mut Instance,
    position: &Position,
    host: &Host<'_>,
) -> RResult<Score, AiError> {
    // SAFETY: the caller passes an instance of this module.
    let ai = unsafe { ai_of::<T>(instance) };
    guarded(|| Ok(ai.evaluate(position, host)))
}

unsafe extern "C" fn terms<T: Ai + Evaluator>(
    instance: &mut Instance,
    position: &Position,
    host: &Host<'_>,
) -> RResult<RVec<Term>, AiError> {
    // SAFETY: the caller passes an instance of this module.
    let ai = unsafe { ai_of::<T>(instance) };
    guarded(|| Ok(ai.terms(position, host).into()))
}

/// Runs the author's code; a panic becomes an error, for it must not cross the boundary.
fn guarded<T>(work: impl FnOnce() -> Result<T, AiError>) -> RResult<T, AiError> {
    let outcome = catch_unwind(AssertUnwindSafe(work));
    let result = outcome.unwrap_or_else(|payload| {
        let message = panic_message(payload.as_ref());
        // The payload's own destructor is the author's code too and might panic again.
        std::mem::forget(payload);
        Err(AiError { kind: AiErrorKind::Panicked, message })
    });
    result.into()
}

fn panic_message(payload: &(dyn Any + Send)) -> RString {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no message)").into()
}

/// Makes a library an AI: exports what the host looks for, and keeps panics on this side of the boundary.
///
/// Takes the type that implements [`Ai`](crate::Ai), and which of [`Searcher`](crate::Searcher) and
/// [`Evaluator`](crate::Evaluator) it is. `name`, `version` and `author` are those of the crate unless given, and `id`,
/// what clients call the AI where nobody configures another one, is the crate's name without `ai-` before it. The
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
            use $crate::abi_stable::library;

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

            extern "C" fn manifest(
                settings: $crate::abi_stable::std_types::RSlice<'_, $crate::OptionSetting>,
            ) -> $crate::abi_stable::std_types::RResult<$crate::module::Manifest, $crate::AiError> {
                $crate::module::manifest::<$ai>(ABOUT.name, ABOUT.version, ABOUT.author, &settings)
            }

            fn module() -> $crate::module::AiModuleRef {
                $crate::module::AiModule::new::<$ai>(manifest)$(.$kind::<$ai>())+.leak()
            }

            extern "C" fn erased_module() -> library::RootModuleResult {
                library::__call_root_module_loader(module)
            }

            // The name under which `abi_stable` looks for a library's header.
            #[unsafe(export_name = "_1as_0lib_1header_0root_bmodule_bloader")]
            static HEADER: library::LibHeader = {
                // SAFETY: `erased_module` returns an erased `AiModuleRef`.
                unsafe {
                    library::LibHeader::from_constructor::<$crate::module::AiModuleRef>(
                        erased_module,
                        library::CheckTypeLayout::Yes,
                    )
                }
            };
        };
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_macro_exports_the_name_that_the_loader_looks_for() {
        assert_eq!(abi_stable::library::ROOT_MODULE_LOADER_NAME, "_1as_0lib_1header_0root_bmodule_bloader");
    }

    #[test]
    fn a_panic_becomes_an_error_with_its_words() {
        let result: RResult<(), AiError> = guarded(|| panic!("no {}", "way"));
        let error = result.into_result().unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (AiErrorKind::Panicked, "no way"));
    }
}
