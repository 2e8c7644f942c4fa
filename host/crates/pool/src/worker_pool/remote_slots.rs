//! The slots on other machines that serve a pool.

use std::{
    cell::Cell,
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::watch, time::timeout};

/// How long jobs wait for a slot when there is none.
const LONGEST_ABSENCE: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct RemoteSlots {
    by_node: Mutex<BTreeMap<String, SlotCount>>,
    /// The number of slots that take jobs.
    count: watch::Sender<usize>,
}

/// The slots of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotCount {
    pub slots: usize,
    pub busy: usize,
}

impl RemoteSlots {
    /// Adds a node's slot until the returned guard is dropped.
    pub(super) fn add(&self, node: &str) -> AddedSlot<'_> {
        self.by_node().entry(node.to_owned()).or_default().slots += 1;
        self.count.send_modify(|count| *count += 1);
        AddedSlot {
            slots: self,
            node: node.to_owned(),
            is_closed: Cell::new(false),
        }
    }

    pub(super) fn count(&self) -> usize {
        *self.count.borrow()
    }

    pub(super) fn counts(&self) -> BTreeMap<String, SlotCount> {
        self.by_node().clone()
    }

    /// Resolves once there has been no slot for some time.
    pub(super) async fn absent(&self) {
        let mut count = self.count.subscribe();
        loop {
            let _ = count.wait_for(|count| *count == 0).await;
            if timeout(LONGEST_ABSENCE, count.wait_for(|count| *count > 0))
                .await
                .is_err()
            {
                return;
            }
        }
    }

    fn by_node(&self) -> MutexGuard<'_, BTreeMap<String, SlotCount>> {
        self.by_node.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A slot of a node.
#[derive(Debug)]
pub(super) struct AddedSlot<'a> {
    slots: &'a RemoteSlots,
    node: String,
    is_closed: Cell<bool>,
}

impl<'a> AddedSlot<'a> {
    /// Counts the slot as no longer taking jobs.
    pub(super) fn close(&self) {
        if !self.is_closed.replace(true) {
            self.slots.count.send_modify(|count| *count -= 1);
        }
    }

    /// Counts the slot as busy until the returned guard is dropped.
    pub(super) fn busy(&self) -> BusySlot<'_, 'a> {
        self.change(|count| count.busy += 1);
        BusySlot(self)
    }

    fn change(&self, change: impl FnOnce(&mut SlotCount)) {
        if let Some(count) = self.slots.by_node().get_mut(&self.node) {
            change(count);
        }
    }
}

impl Drop for AddedSlot<'_> {
    fn drop(&mut self) {
        self.change(|count| count.slots -= 1);
        self.slots.by_node().retain(|_, count| count.slots > 0);
        self.close();
    }
}

pub(super) struct BusySlot<'a, 'b>(&'a AddedSlot<'b>);

impl Drop for BusySlot<'_, '_> {
    fn drop(&mut self) {
        self.0.change(|count| count.busy -= 1);
    }
}
