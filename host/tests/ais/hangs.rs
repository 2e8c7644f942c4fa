//! `fault_injector` for plugin directories, where no configuration sets an option: hangs.

include!("injector.rs");

const DEFAULT_FAULT: &str = "hang";

export_ai!(FaultInjector: Searcher + Evaluator, id = "hangs");
