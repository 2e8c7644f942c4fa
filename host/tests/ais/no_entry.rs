//! A library that says it is an AI, and exports nothing.

ai_api::rookery_note!(id = "no_entry", version = "1.0.0");
