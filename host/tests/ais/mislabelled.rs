//! An AI that says one thing in its note and another once it runs, and nothing that can be shown.

use ai_api::{
    Ai, AiError, Answer, Host, OptionSetting, Options, Question, Searcher,
    abi_stable::{
        library,
        std_types::{RResult, RSlice},
    },
    module::{AiModule, AiModuleRef, Manifest},
};

struct Mislabelled;

impl Ai for Mislabelled {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Mislabelled {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        Ok(Answer::play(host.legal_moves(&question.position)[0]))
    }
}

ai_api::rookery_note!(id = "mislabelled", version = "2.0.0");

extern "C" fn manifest(settings: RSlice<'_, OptionSetting>) -> RResult<Manifest, AiError> {
    ai_api::module::manifest::<Mislabelled>("\u{1b}[2J", "", "nobody\n", &settings)
}

fn module() -> AiModuleRef {
    AiModule::new::<Mislabelled>(manifest).with_searcher::<Mislabelled>().leak()
}

extern "C" fn erased_module() -> library::RootModuleResult {
    library::__call_root_module_loader(module)
}

#[unsafe(export_name = "_1as_0lib_1header_0root_bmodule_bloader")]
static HEADER: library::LibHeader = {
    // SAFETY: `erased_module` returns an erased `AiModuleRef`.
    unsafe {
        library::LibHeader::from_constructor::<AiModuleRef>(erased_module, library::CheckTypeLayout::Yes)
    }
};
