//! Numbers sent to an engine. Many engines read them as 32-bit integers.

/// The bounds of an option.
pub(crate) const MOST: i64 = i32::MAX as i64;
pub(crate) const LEAST: i64 = i32::MIN as i64;

/// Returns a limit, or `None` for a limit that no search reaches.
pub(crate) fn limit(number: u64) -> Option<u64> {
    (number <= MOST as u64).then_some(number)
}

/// Returns a time on a clock.
pub(crate) fn clock_ms(ms: u64) -> u64 {
    ms.min(MOST as u64)
}

/// Returns the nearest value of an option.
pub(crate) fn option(number: i128) -> i64 {
    number.clamp(LEAST.into(), MOST.into()) as i64
}
