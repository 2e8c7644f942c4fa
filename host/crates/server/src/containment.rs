//! Which panics fail only a part of the server's work.

use std::cell::Cell;

use pool::RequestScope;

thread_local! {
    static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Runs work for one request or one reload, which learn of its panic.
pub fn contained<T>(work: impl FnOnce() -> T) -> T {
    /// Threads may do other work afterwards.
    struct ContainmentEnd;
    impl Drop for ContainmentEnd {
        fn drop(&mut self) {
            IS_CONTAINED.set(false);
        }
    }
    IS_CONTAINED.set(true);
    let _end = ContainmentEnd;
    work()
}

/// Returns whether a panic of this thread fails only the request or the reload that it works for.
pub fn is_contained() -> bool {
    RequestScope::current().is_some() || IS_CONTAINED.get()
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn only_work_for_a_request_is_contained() {
        assert!(!is_contained());
        assert!(contained(is_contained));
        catch_unwind(|| contained(|| panic!("of one request"))).unwrap_err();
        assert!(!is_contained());
    }
}
