//! An AI that plays the first legal move, with the fault that its option `fault` names.

include!("injector.rs");

const DEFAULT_FAULT: &str = "none";

export_ai!(FaultInjector: Searcher + Evaluator, id = "fault_injector");
