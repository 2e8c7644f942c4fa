//! The host from the outside: its calls through the real application, its command as a real process.

mod faults;
mod seed;
mod support;
