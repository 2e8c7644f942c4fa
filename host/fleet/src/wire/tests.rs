//! Tests of the messages.
