//! The connections of each address.

use crate::connection::progress::RequestProgress;
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// The open connections of every address. Shared by all threads; the lock is held only to update
/// the table.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionTable(Arc<OpenConnections>);

#[derive(Debug, Default)]
struct OpenConnections {
    by_address: Mutex<HashMap<IpAddr, Vec<Arc<RequestProgress>>>>,
    closed: AtomicU64,
}

/// The slot of a connection. Dropping it releases the slot.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    table: ConnectionTable,
    /// `None` if the address has no limit.
    address: Option<IpAddr>,
    progress: Arc<RequestProgress>,
}

impl ConnectionTable {
    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Vec<Arc<RequestProgress>>>> {
        self.0
            .by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Acquires a slot for a connection from an address that may have up to `most` slots. If
    /// all are used, evicts the connection that has been idle longest, or else the connection whose
    /// request started first. Returns `None` if every connection has a running request.
    pub(crate) fn acquire(&self, address: IpAddr, most: usize) -> Option<ConnectionSlot> {
        let mut connections = self.lock();
        let of_address = connections.entry(address).or_default();
        while of_address.len() >= most {
            let order = |(index, progress): (usize, &Arc<RequestProgress>)| {
                progress.eviction_order().map(|order| (order, index))
            };
            let (_, first) = of_address.iter().enumerate().filter_map(order).min()?;
            if of_address[first].evict() {
                of_address.swap_remove(first);
            }
        }
        let progress = Arc::new(RequestProgress::new());
        of_address.push(Arc::clone(&progress));
        Some(ConnectionSlot {
            table: self.clone(),
            address: Some(address),
            progress,
        })
    }

    /// Acquires a slot without a limit.
    pub(crate) fn acquire_unlimited(&self) -> ConnectionSlot {
        ConnectionSlot {
            table: self.clone(),
            address: None,
            progress: Arc::new(RequestProgress::new()),
        }
    }

    /// Returns the number of closed connections.
    pub(crate) fn closed(&self) -> u64 {
        self.0.closed.load(Ordering::Relaxed)
    }
}

impl ConnectionSlot {
    pub(crate) const fn progress(&self) -> &Arc<RequestProgress> {
        &self.progress
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.table.0.closed.fetch_add(1, Ordering::Relaxed);
        let Some(address) = self.address else { return };
        let mut connections = self.table.lock();
        let Some(of_address) = connections.get_mut(&address) else {
            return;
        };
        // An evicted connection is no longer in the table.
        of_address.retain(|progress| !Arc::ptr_eq(progress, &self.progress));
        if of_address.is_empty() {
            connections.remove(&address);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        task::{Context, Waker},
        time::Duration,
    };

    use super::*;

    fn is_open(slot: &ConnectionSlot) -> bool {
        slot.progress()
            .deadline(&Context::from_waker(Waker::noop()))
            .is_ok()
    }

    const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn evicts_the_oldest_idle_connection_of_the_address() {
        let table = ConnectionTable::default();
        let [first, second, third] = [(); 3].map(|()| table.acquire(ADDRESS, 3).unwrap());
        let other = table.acquire("127.0.0.2".parse().unwrap(), 3).unwrap();
        for idle in [&other, &second, &third] {
            idle.progress().head_read(false, Duration::ZERO);
            idle.progress().replied();
        }
        let fourth = table.acquire(ADDRESS, 3).unwrap();
        assert_eq!(
            [&first, &second, &third, &fourth, &other].map(is_open),
            [true, false, true, true, true]
        );
        drop((first, third));
        let _fifth = table.acquire(ADDRESS, 3).unwrap();
        assert!(is_open(&fourth), "two slots were free");
    }

    #[test]
    fn evicts_the_slowest_request_if_no_connection_is_idle() {
        let table = ConnectionTable::default();
        let slots = [(); 2].map(|()| table.acquire(ADDRESS, 2).unwrap());
        for slot in &slots {
            slot.progress().bytes_arrived();
        }
        slots[0].progress().head_read(true, Duration::from_secs(10));
        let _third = table.acquire(ADDRESS, 2).unwrap();
        assert_eq!([&slots[0], &slots[1]].map(is_open), [false, true]);
    }

    #[test]
    fn rejects_a_connection_if_all_are_busy() {
        let table = ConnectionTable::default();
        let slots = [(); 2].map(|()| table.acquire(ADDRESS, 2).unwrap());
        slots[0].progress().head_read(false, Duration::ZERO);
        slots[1].progress().head_read(true, Duration::from_secs(10));
        slots[1].progress().body_read();
        assert!(table.acquire(ADDRESS, 2).is_none());
        assert!(slots.iter().all(is_open));
        slots[1].progress().replied();
        assert!(table.acquire(ADDRESS, 2).is_some());
    }

    #[test]
    fn removes_addresses_without_connections() {
        let table = ConnectionTable::default();
        drop(table.acquire(ADDRESS, 1));
        drop(table.acquire("2001:db8::1".parse().unwrap(), 1));
        assert!(table.lock().is_empty());
    }
}
