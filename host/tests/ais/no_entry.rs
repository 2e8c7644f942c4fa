//! A library with the note of an AI and without exports.

ai_api::rookery_note!(id = "no_entry", version = "1.0.0");
