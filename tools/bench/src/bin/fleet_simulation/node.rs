//! A node: its slots, and the gateways that wait for one.

use std::collections::VecDeque;

use crate::scenario::Machine;

#[derive(Debug)]
pub struct Node {
    pub machine: Machine,
    pub busy: u32,
    pub is_alive: bool,
    /// The number of its last announcement.
    pub announcements: u32,
    pub announced_at: u64,
    /// The slots that are reserved, by gateway.
    reserved: Vec<u32>,
    total_reserved: u32,
    /// The gateways with jobs that wait for a slot of any node.
    waiting: VecDeque<usize>,
}

impl Node {
    pub fn new(machine: Machine, gateways: usize) -> Self {
        Self {
            machine,
            busy: 0,
            is_alive: true,
            announcements: 0,
            announced_at: 0,
            reserved: vec![0; gateways],
            total_reserved: 0,
            waiting: VecDeque::new(),
        }
    }

    fn open_slots(&self) -> u32 {
        self.machine.slots - self.busy - self.total_reserved
    }

    pub fn reserved_for(&self, gateway: usize) -> u32 {
        self.reserved[gateway]
    }

    /// Returns the slots that a gateway may use.
    pub fn free_for(&self, gateway: usize) -> u32 {
        self.open_slots() + self.reserved[gateway]
    }

    /// Takes a slot. Returns whether one was free for this gateway.
    pub fn accept(&mut self, gateway: usize) -> bool {
        if self.free_for(gateway) == 0 {
            return false;
        }
        self.unreserve(gateway);
        self.busy += 1;
        true
    }

    /// Remembers that a gateway waits for a slot.
    pub fn add_waiting(&mut self, gateway: usize) {
        if !self.waiting.contains(&gateway) {
            self.waiting.push_back(gateway);
        }
    }

    /// Forgets one reservation, if there is any.
    pub fn unreserve(&mut self, gateway: usize) {
        if self.reserved[gateway] > 0 {
            self.reserved[gateway] -= 1;
            self.total_reserved -= 1;
        }
    }

    /// Reserves the free slots for the gateways that wait.
    pub fn reserve(&mut self) {
        while self.open_slots() > 0
            && let Some(gateway) = self.waiting.pop_front()
        {
            self.reserved[gateway] += 1;
            self.total_reserved += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserves_a_slot_for_the_gateway_that_waits() {
        let mut node = Node::new(Machine { slots: 1, speed: 1.0 }, 2);
        assert!(node.accept(0));
        assert!(!node.accept(1));
        node.add_waiting(1);
        node.busy -= 1;
        node.reserve();
        assert_eq!((node.free_for(0), node.free_for(1)), (0, 1));
        assert!(!node.accept(0));
        assert!(node.accept(1));
    }
}
