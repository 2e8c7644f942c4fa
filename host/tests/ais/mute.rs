//! A library that says it is an AI, and exports nothing.

ai_api::rookery_note!(id = "mute", version = "1.0.0");
