//! `fault_injector` for plugin directories, where no configuration sets an option: crashes.

include!("injector.rs");

const DEFAULT_FAULT: &str = "segfault";

export_ai!(FaultInjector: Searcher + Evaluator, id = "segfaults");
