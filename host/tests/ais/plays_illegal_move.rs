//! `fault_injector` for plugin directories, where no configuration sets an option: plays an illegal
//! move.

include!("injector.rs");

const DEFAULT_FAULT: &str = "illegal_move";

export_ai!(FaultInjector: Searcher + Evaluator, id = "plays_illegal_move");
