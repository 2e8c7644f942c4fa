//! How long to wait for locks.

use std::{
    sync::{Mutex, MutexGuard, TryLockError},
    thread,
    time::{Duration, Instant},
};

/// How long a request, a command or startup waits for locks that other processes and threads hold.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// The interval between attempts to lock a mutex.
const POLL: Duration = Duration::from_millis(2);

/// Locks a mutex whose holders may wait for another process. Returns `None` after `limit`.
pub(crate) fn lock_within<T>(mutex: &Mutex<T>, limit: Duration) -> Option<MutexGuard<'_, T>> {
    retry(limit, POLL, || match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    })
}

/// Repeats `attempt` until it returns a value or `limit` has passed.
pub(super) fn retry<T>(
    limit: Duration,
    interval: Duration,
    mut attempt: impl FnMut() -> Option<T>,
) -> Option<T> {
    let started = Instant::now();
    loop {
        let found = attempt();
        if found.is_some() || started.elapsed() >= limit {
            return found;
        }
        thread::sleep(interval);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_for_a_mutex_no_longer_than_its_limit() {
        let mutex = Mutex::new(1);
        let held = mutex.lock().unwrap();
        assert!(lock_within(&mutex, Duration::ZERO).is_none());
        drop(held);
        assert_eq!(
            lock_within(&mutex, Duration::ZERO).map(|value| *value),
            Some(1)
        );
    }
}
