//! A library that is not an AI.

/// Something else.
#[unsafe(no_mangle)]
pub extern "C" fn something_else() -> u32 {
    7
}
