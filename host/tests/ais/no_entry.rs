//! A library with an AI's note but without exports.

ai_api::rookery_note!(id = "no_entry", version = "1.0.0");
