//! An AI built with a later release of the contract, which asks for what today's host does not have and offers what it does
//! not know.

use std::ffi::{CStr, c_char};

use ai_api_newer::{
    Abilities, Ai, AiError, Color, Evaluator, Extension, Host, OptionSetting, OptionSpec, Options, Position,
    Role, Score, Term,
    abi_stable::{
        library::{__call_root_module_loader, CheckTypeLayout, LibHeader, RootModuleResult},
        std_types::{RResult, RSlice},
    },
    module::{self, AiModule, AiModuleRef, Manifest},
};

/// Counts pawns; the host searches with it.
struct Newer {
    pawn: i32,
}

impl Ai for Newer {
    fn options() -> Vec<OptionSpec> {
        vec![OptionSpec::integer("pawn", 100, 1..=200, "what a pawn is worth")]
    }

    fn abilities(_: &Options) -> Abilities {
        Abilities { chess960: true, ..Abilities::SIMPLEST }
    }

    fn create(options: &Options) -> Result<Self, AiError> {
        Ok(Self { pawn: options.integer("pawn")? as i32 })
    }
}

impl Evaluator for Newer {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        // As an AI should that knows a later extension: it does without.
        assert!(host.extension(c"rookery.tablebases/1").is_none(), "nobody has written that extension yet");
        let [white, black] = Color::ALL.map(|color| position.pieces(color, Role::Pawn).count() as i32);
        Score::centipawns(self.pawn * (white - black))
    }

    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<Term> {
        vec![Term::new("pawns", self.evaluate(position, host))]
    }
}

/// An extension that a later host may know: a table behind the head that all have.
#[repr(C)]
struct Winners {
    head: Extension,
    has_won: extern "C" fn(&Position) -> bool,
}

static WINNERS: Winners = Winners { head: Extension { size: size_of::<Winners>() }, has_won };

extern "C" fn has_won(position: &Position) -> bool {
    position.pieces(!position.turn(), Role::King).is_empty()
}

/// What the AI offers to a host that asks for it by name.
unsafe extern "C" fn offered(name: *const c_char) -> Option<&'static Extension> {
    // SAFETY: the host hands over a text that ends with a NUL.
    let name = unsafe { CStr::from_ptr(name) };
    (name == c"newer.winners/1").then_some(&WINNERS.head)
}

ai_api_newer::rookery_note!(id = "newer", version = "1.1.0");

extern "C" fn manifest(settings: RSlice<'_, OptionSetting>) -> RResult<Manifest, AiError> {
    module::manifest::<Newer>("Newer", "1.1.0", "", &settings)
}

fn root_module() -> AiModuleRef {
    let mut root = AiModule::new::<Newer>(manifest).with_evaluator::<Newer>();
    root.extension = offered;
    root.leak()
}

extern "C" fn erased_module() -> RootModuleResult {
    __call_root_module_loader(root_module)
}

// What `export_ai!` writes for an AI that offers nothing beside the contract.
#[unsafe(export_name = "_1as_0lib_1header_0root_bmodule_bloader")]
static HEADER: LibHeader =
    // SAFETY: `erased_module` returns an erased `AiModuleRef`.
    unsafe { LibHeader::from_constructor::<AiModuleRef>(erased_module, CheckTypeLayout::Yes) };
