//! An AI without a description of the contract's types, like an AI in C.

include!("exported.rs");

const LABELS: [&str; 3] = ["NoLayout", "1.0.0", ""];

ai_api::rookery_note!(id = "no_layout", version = "1.0.0");
