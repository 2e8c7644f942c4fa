//! Marks work whose panic fails only one request or one reload, not the server.

use std::cell::Cell;

use pool::RequestScope;

thread_local! {
    static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Runs work for one request or one reload. Its panic fails only that request or reload.
pub fn contained<T>(work: impl FnOnce() -> T) -> T {
    /// Ends the containment when dropped, because the thread may do other work afterwards.
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

/// Returns whether a panic on this thread fails only the current request or reload.
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
