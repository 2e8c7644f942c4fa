//! The memory budget of request bodies.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// One address's budget is the total divided by this.
const ADDRESS_DIVISOR: usize = 8;

/// The bytes of request bodies in memory, of all clients and of each address. Shared by all
/// threads; the lock is held only to update the counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyBudget(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// The limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BudgetError {
    /// The limit of all clients together.
    Total,
    /// The limit of the client's address.
    Address,
}

/// The bytes of one body. Dropping it returns them to the budget.
#[derive(Debug)]
pub(crate) struct Share {
    budget: BodyBudget,
    address: Option<IpAddr>,
    most: usize,
    bytes: usize,
}

impl BodyBudget {
    /// Creates an empty share. All bodies together may use `most` bytes. Without an address, only
    /// the total applies.
    pub(crate) fn share(&self, address: Option<IpAddr>, most: usize) -> Share {
        Share {
            budget: self.clone(),
            address,
            most,
            bytes: 0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Reserves more bytes.
    ///
    /// # Errors
    /// A limit would be exceeded. Nothing is reserved.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), BudgetError> {
        let mut held = self.budget.lock();
        if held.total.saturating_add(bytes) > self.most {
            return Err(BudgetError::Total);
        }
        if let Some(address) = self.address {
            let of_address = held.by_address.entry(address).or_default();
            if of_address.saturating_add(bytes) > self.most / ADDRESS_DIVISOR {
                return Err(BudgetError::Address);
            }
            *of_address += bytes;
        }
        held.total += bytes;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut held = self.budget.lock();
        held.total -= self.bytes;
        let Some(address) = self.address else { return };
        if let Some(of_address) = held.by_address.get_mut(&address) {
            *of_address -= self.bytes;
            if *of_address == 0 {
                held.by_address.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

    #[test]
    fn bounds_all_bodies_together() {
        let budget = BodyBudget::default();
        let mut first = budget.share(None, 1000);
        let mut second = budget.share(None, 1000);
        assert_eq!(first.grow(600), Ok(()));
        assert_eq!(second.grow(401), Err(BudgetError::Total));
        assert_eq!(second.grow(400), Ok(()));
        drop(first);
        assert_eq!(second.grow(600), Ok(()));
        assert_eq!(second.grow(1), Err(BudgetError::Total));
    }

    #[test]
    fn limits_the_bodies_of_an_address_to_an_eighth() {
        let budget = BodyBudget::default();
        let mut first = budget.share(ADDRESS, 800);
        let mut second = budget.share(ADDRESS, 800);
        assert_eq!(first.grow(60), Ok(()));
        assert_eq!(second.grow(41), Err(BudgetError::Address));
        let mut other = budget.share(Some("127.0.0.2".parse().unwrap()), 800);
        assert_eq!(other.grow(100), Ok(()));
        drop(first);
        assert_eq!(second.grow(100), Ok(()));
    }

    #[test]
    fn removes_idle_addresses() {
        let budget = BodyBudget::default();
        let mut share = budget.share(ADDRESS, 800);
        share.grow(10).unwrap();
        assert_eq!(share.grow(1000), Err(BudgetError::Total));
        drop(share);
        assert!(budget.lock().by_address.is_empty());
        let mut rejected = budget.share(ADDRESS, 800);
        assert_eq!(rejected.grow(101), Err(BudgetError::Address));
        drop(rejected);
        assert!(budget.lock().by_address.is_empty());
    }
}
