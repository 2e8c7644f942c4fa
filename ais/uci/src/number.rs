//! Numbers sent to an engine. Many engines read them as 32-bit integers.

/// The bounds of a 32-bit integer.
pub(crate) const MOST: i64 = i32::MAX as i64;
pub(crate) const LEAST: i64 = i32::MIN as i64;

/// Returns a search limit, or `None` if it is too large for an engine.
pub(crate) fn limit(number: u64) -> Option<u64> {
    (number <= MOST as u64).then_some(number)
}

/// Limits the time on a clock to 32 bits.
pub(crate) fn clock_ms(ms: u64) -> u64 {
    ms.min(MOST as u64)
}

/// Limits an option's value to 32 bits.
pub(crate) fn option(number: i128) -> i64 {
    number.clamp(LEAST.into(), MOST.into()) as i64
}
