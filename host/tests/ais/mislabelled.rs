//! An AI whose manifest differs from its note and contains an unprintable name.

include!("exported.rs");

const LABELS: [&str; 3] = ["\u{1b}[2J", "", "nobody\n"];

ai_api::rookery_note!(id = "mislabelled", version = "2.0.0");
