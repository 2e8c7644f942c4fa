//! A gateway: its queue, and what it knows of the nodes.

use std::collections::VecDeque;

use crate::{
    fair_queue::FairQueue,
    random::Random,
    scenario::{Dispatch, Machine, Time},
};

#[derive(Debug)]
pub struct Gateway {
    pub queue: FairQueue,
    nodes: Vec<View>,
    /// The nodes with an announced free slot, in the order in which they were found free.
    turns: VecDeque<Turn>,
    /// The same nodes in no order, for gateways that pick at random.
    open: Vec<u32>,
    /// The slots that wait for a job.
    idle_slots: u64,
    /// How often slots were woken by announcements and own claims.
    pub wakes: u64,
    /// When its thread has worked off what has arrived.
    pub busy_until: Time,
}

/// What a gateway knows of a node.
#[derive(Clone, Debug)]
struct View {
    slots: u32,
    /// As last announced, less the own claims since.
    free: u32,
    /// The own jobs that are asked or run.
    own: u32,
    /// The own asks without an answer.
    asked: u32,
    /// Whether its free slots may be used; not while the gateway pauses.
    is_open: bool,
    /// Changes when the last free slot is gone.
    period: u32,
    number: u32,
    place: u32,
}

#[derive(Clone, Copy, Debug)]
struct Turn {
    node: u32,
    period: u32,
    slots: u32,
}

/// What a change of a node's free slots leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    None,
    /// The node can be used.
    Opened,
    /// The node was full. It can be used when `open` is called with this period.
    Found {
        period: u32,
    },
}

impl Gateway {
    pub fn new(queue: FairQueue, machines: &[Machine]) -> Self {
        let view = |machine: &Machine| View {
            slots: machine.slots,
            free: 0,
            own: 0,
            asked: 0,
            is_open: false,
            period: 0,
            number: 0,
            place: 0,
        };
        Self {
            queue,
            nodes: machines.iter().map(view).collect(),
            turns: VecDeque::new(),
            open: Vec::new(),
            idle_slots: 0,
            wakes: 0,
            busy_until: 0,
        }
    }

    pub fn idle_slots(&self) -> u64 {
        self.idle_slots
    }

    /// Takes in an announcement, unless it has heard a later one.
    pub fn hear(&mut self, node: usize, number: u32, free: u32, dispatch: Dispatch) -> Change {
        let view = &mut self.nodes[node];
        if number <= view.number {
            return Change::None;
        }
        view.number = number;
        let claimed = if dispatch.counts_asks() { view.asked } else { 0 };
        self.set_free(node, free.saturating_sub(claimed), dispatch)
    }

    /// Treats a node as full until its next announcement.
    pub fn close(&mut self, node: usize) {
        let view = &mut self.nodes[node];
        if view.free > 0 {
            self.wakes += u64::from(view.slots - view.own);
        }
        self.set_closed(node);
    }

    fn set_closed(&mut self, node: usize) {
        let view = &mut self.nodes[node];
        view.free = 0;
        view.period += 1;
        if view.is_open {
            view.is_open = false;
            self.idle_slots -= u64::from(view.slots - view.own);
            let place = view.place as usize;
            self.open.swap_remove(place);
            if let Some(&moved) = self.open.get(place) {
                self.nodes[moved as usize].place = place as u32;
            }
        }
    }

    fn set_free(&mut self, node: usize, free: u32, dispatch: Dispatch) -> Change {
        let view = &mut self.nodes[node];
        if view.free == free {
            return Change::None;
        }
        self.wakes += u64::from(view.slots - view.own);
        if free == 0 {
            self.set_closed(node);
            return Change::None;
        }
        let was_full = view.free == 0;
        view.free = free;
        let period = view.period;
        match was_full {
            false if view.is_open => Change::Opened,
            false => Change::None,
            true if dispatch.pause() > 0 => Change::Found { period },
            true => {
                self.open(node, period);
                Change::Opened
            }
        }
    }

    /// Uses a node that was found free, if it still is. Returns whether it is.
    pub fn open(&mut self, node: usize, period: u32) -> bool {
        let view = &mut self.nodes[node];
        if view.period != period || view.is_open || view.free == 0 {
            return false;
        }
        let slots = view.slots - view.own;
        view.is_open = true;
        view.place = self.open.len() as u32;
        self.open.push(node as u32);
        self.idle_slots += u64::from(slots);
        self.turns.push_back(Turn { node: node as u32, period, slots });
        true
    }

    /// Claims a free slot. Returns its node.
    pub fn claim(&mut self, dispatch: Dispatch, random: &mut Random) -> Option<usize> {
        let node = if dispatch.has_own_order() { self.any(random)? } else { self.longest_free()? };
        let view = &mut self.nodes[node];
        view.own += 1;
        view.asked += 1;
        self.idle_slots -= 1;
        self.wakes += u64::from(view.slots - view.own);
        if view.free == 1 {
            self.set_closed(node);
        } else {
            view.free -= 1;
        }
        Some(node)
    }

    fn longest_free(&mut self) -> Option<usize> {
        while let Some(turn) = self.turns.front_mut() {
            let view = &self.nodes[turn.node as usize];
            if view.is_open && view.period == turn.period && turn.slots > 0 {
                turn.slots -= 1;
                return Some(turn.node as usize);
            }
            self.turns.pop_front();
        }
        None
    }

    fn any(&mut self, random: &mut Random) -> Option<usize> {
        self.turns.clear();
        if self.idle_slots == 0 {
            return None;
        }
        let start = random.below(self.open.len());
        let from_there = self.open[start..].iter().chain(&self.open[..start]).map(|&node| node as usize);
        from_there.into_iter().find(|&node| self.nodes[node].own < self.nodes[node].slots)
    }

    /// A node has answered an ask: it runs the job, or is busy.
    pub fn answered(&mut self, node: usize) {
        self.nodes[node].asked -= 1;
    }

    /// A job on a node has ended for this gateway.
    pub fn release(&mut self, node: usize) {
        let view = &mut self.nodes[node];
        view.own -= 1;
        if view.is_open {
            self.idle_slots += 1;
            self.turns.push_back(Turn { node: node as u32, period: view.period, slots: 1 });
        }
    }

    /// Returns how many slots of a node are reserved for asks that this gateway has not sent yet.
    pub fn unasked(&self, node: usize, offered: u32) -> u32 {
        offered.saturating_sub(self.nodes[node].asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gateway(slots: &[u32]) -> Gateway {
        let machines: Vec<_> = slots.iter().map(|&slots| Machine { slots, speed: 1.0 }).collect();
        Gateway::new(FairQueue::new(8, 1), &machines)
    }

    fn claims(gateway: &mut Gateway) -> Vec<usize> {
        std::iter::from_fn(|| gateway.claim(Dispatch::Longest, &mut Random::new(1))).collect()
    }

    #[test]
    fn claims_the_announced_slots_once() {
        let mut gateway = gateway(&[2, 4]);
        gateway.hear(1, 1, 2, Dispatch::Longest);
        gateway.hear(0, 1, 1, Dispatch::Longest);
        assert_eq!(gateway.idle_slots(), 6);
        assert_eq!(claims(&mut gateway), [1, 1, 0]);
        assert_eq!(gateway.idle_slots(), 0);
    }

    #[test]
    fn an_announcement_forgets_own_claims_unless_they_are_counted() {
        for (dispatch, expected) in [(Dispatch::Longest, 1), (Dispatch::Counted, 0)] {
            let mut gateway = gateway(&[2]);
            gateway.hear(0, 1, 1, dispatch);
            assert_eq!(claims(&mut gateway).len(), 1);
            gateway.hear(0, 2, 1, dispatch);
            assert_eq!(claims(&mut gateway).len(), expected, "{dispatch}");
        }
    }

    #[test]
    fn ignores_older_announcements() {
        let mut gateway = gateway(&[1]);
        gateway.hear(0, 2, 0, Dispatch::Longest);
        gateway.hear(0, 1, 1, Dispatch::Longest);
        assert!(claims(&mut gateway).is_empty());
    }

    #[test]
    fn a_busy_node_is_left_out_until_it_announces() {
        let mut gateway = gateway(&[4]);
        gateway.hear(0, 1, 4, Dispatch::Longest);
        gateway.close(0);
        assert!(claims(&mut gateway).is_empty());
        gateway.hear(0, 2, 4, Dispatch::Longest);
        assert_eq!(claims(&mut gateway).len(), 4);
    }
}
