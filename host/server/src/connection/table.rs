//! The connections of each address.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::RequestProgress;

/// The open connections of every address. One for all threads of the server.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionTable(Arc<Table>);

#[derive(Debug, Default)]
struct Table {
    by_address: Mutex<HashMap<IpAddr, Vec<Arc<RequestProgress>>>>,
    closed: AtomicU64,
}

/// The place of a connection in the table; free again when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    table: ConnectionTable,
    /// None where the address has no bound.
    address: Option<IpAddr>,
    progress: Arc<RequestProgress>,
}

impl ConnectionTable {
    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Vec<Arc<RequestProgress>>>> {
        self.0.by_address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection from an address that may have `most` of them. Where it has as many, one gives way: the one
    /// that has been idle the longest, else the one whose request has been arriving the longest. None where each is being
    /// answered.
    pub(super) fn enter(&self, address: IpAddr, most: usize) -> Option<Place> {
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
        Some(Place { table: self.clone(), address: Some(address), progress })
    }

    /// A place that no bound holds for.
    pub(super) fn enter_unbounded(&self) -> Place {
        Place { table: self.clone(), address: None, progress: Arc::new(RequestProgress::new()) }
    }

    /// How many connections have been closed.
    pub(crate) fn closed(&self) -> u64 {
        self.0.closed.load(Ordering::Relaxed)
    }
}

impl Place {
    pub(super) const fn progress(&self) -> &Arc<RequestProgress> {
        &self.progress
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.table.0.closed.fetch_add(1, Ordering::Relaxed);
        let Some(address) = self.address else { return };
        let mut connections = self.table.lock();
        let Some(of_address) = connections.get_mut(&address) else { return };
        // One that gave way is not there any more.
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

    fn is_open(place: &Place) -> bool {
        place.progress().deadline(&Context::from_waker(Waker::noop())).is_ok()
    }

    const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn evicts_the_oldest_idle_connection_of_the_address() {
        let table = ConnectionTable::default();
        let [first, second, third] = [(); 3].map(|()| table.enter(ADDRESS, 3).unwrap());
        let other = table.enter("127.0.0.2".parse().unwrap(), 3).unwrap();
        for idle in [&other, &second, &third] {
            idle.progress().head_read(false, Duration::ZERO);
            idle.progress().answered();
        }
        let fourth = table.enter(ADDRESS, 3).unwrap();
        assert_eq!([&first, &second, &third, &fourth, &other].map(is_open), [true, false, true, true, true]);
        drop((first, third));
        let _fifth = table.enter(ADDRESS, 3).unwrap();
        assert!(is_open(&fourth), "two places were free");
    }

    #[test]
    fn evicts_the_slowest_request_without_idle_connections() {
        let table = ConnectionTable::default();
        let places = [(); 2].map(|()| table.enter(ADDRESS, 2).unwrap());
        for place in &places {
            place.progress().bytes_arrived();
        }
        places[0].progress().head_read(true, Duration::from_secs(10));
        let _third = table.enter(ADDRESS, 2).unwrap();
        assert_eq!([&places[0], &places[1]].map(is_open), [false, true]);
    }

    #[test]
    fn rejects_a_connection_if_all_are_busy() {
        let table = ConnectionTable::default();
        let places = [(); 2].map(|()| table.enter(ADDRESS, 2).unwrap());
        places[0].progress().head_read(false, Duration::ZERO);
        places[1].progress().head_read(true, Duration::from_secs(10));
        places[1].progress().body_read();
        assert!(table.enter(ADDRESS, 2).is_none());
        assert!(places.iter().all(is_open));
        places[1].progress().answered();
        assert!(table.enter(ADDRESS, 2).is_some());
    }

    #[test]
    fn removes_addresses_without_connections() {
        let table = ConnectionTable::default();
        drop(table.enter(ADDRESS, 1));
        drop(table.enter("2001:db8::1".parse().unwrap(), 1));
        assert!(table.lock().is_empty());
    }
}
