//! The events of a fleet: gateways ask nodes over a message server.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{
    fair_queue::{FairQueue, JobNumber},
    gateway::{Change, Gateway},
    job::{Job, WARM_UP},
    measures::{Counts, Measures},
    node::Node,
    random::Random,
    scenario::{Arrivals, MICROSECOND, SECOND, Scenario, Thread, Time},
};

/// How long a gateway waits for the answer to an ask.
const ACCEPTANCE_TIME: Time = SECOND;
/// How long a node may be silent.
const SILENCE: Time = 3 * SECOND;
/// How often gateways look for silent nodes.
const SILENCE_CHECK: Time = SECOND / 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrival,
    /// A client of a gateway sends a request.
    Request {
        gateway: u32,
    },
    Ask {
        job: JobNumber,
        node: u32,
        has_more: bool,
    },
    /// A gateway does not need the slot that is reserved for it.
    NotNeeded {
        gateway: u32,
        node: u32,
    },
    Received {
        gateway: u32,
        message: Message,
    },
    Handled {
        gateway: u32,
        message: Message,
    },
    Finish {
        job: JobNumber,
        node: u32,
    },
    Heartbeat {
        node: u32,
    },
    Open {
        gateway: u32,
        node: u32,
        period: u32,
    },
    Death,
    /// A gateway notices that a node is silent.
    Silent {
        gateway: u32,
        node: u32,
    },
    Lost {
        job: JobNumber,
    },
    NotAccepted {
        job: JobNumber,
        node: u32,
    },
}

/// To a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Message {
    Announcement { node: u32, number: u32, free: u16, reserved: u16 },
    Accepted { node: u32 },
    Busy { job: JobNumber, node: u32 },
    Result { node: u32 },
}

struct Fleet<'s> {
    scenario: &'s Scenario,
    random: Random,
    /// Of arrivals and their work, so that these are the same with each dispatch.
    requests: Random,
    delays: Vec<Time>,
    now: Time,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    scheduled: u64,
    jobs: Vec<Job>,
    nodes: Vec<Node>,
    gateways: Vec<Gateway>,
    /// When the last message from each node to each gateway arrives, and the other way round: NATS keeps their order.
    to_gateways: Vec<Time>,
    to_nodes: Vec<Time>,
    /// The mean nanoseconds between arrivals.
    pace: f64,
    counts: Counts,
}

/// Runs a scenario to the end of its last job.
pub fn run(scenario: &Scenario) -> Measures {
    let mut fleet = Fleet::new(scenario);
    fleet.start();
    while fleet.has_open_jobs()
        && let Some(Reverse((time, _, event))) = fleet.events.pop()
    {
        fleet.now = time;
        fleet.on(event);
    }
    Measures::new(scenario, &fleet.jobs, fleet.counts)
}

impl<'s> Fleet<'s> {
    fn new(scenario: &'s Scenario) -> Self {
        let mut random = Random::new(scenario.seed);
        let machines = scenario.machines();
        let gateway =
            |_| Gateway::new(FairQueue::new(scenario.queue_capacity, scenario.requesters), &machines);
        let links = scenario.nodes * scenario.gateways;
        Self {
            delays: scenario.delay.table(&mut random),
            random,
            requests: Random::new(scenario.seed ^ 0x6a6f_6273),
            now: 0,
            events: BinaryHeap::new(),
            scheduled: 0,
            jobs: Vec::with_capacity(scenario.jobs),
            nodes: machines.iter().map(|&machine| Node::new(machine, scenario.gateways)).collect(),
            gateways: (0..scenario.gateways).map(gateway).collect(),
            to_gateways: vec![0; links],
            to_nodes: vec![0; links],
            pace: scenario.rate().map_or(0.0, |rate| 1e9 / rate),
            counts: Counts::default(),
            scenario,
        }
    }

    fn start(&mut self) {
        // All nodes have announced themselves.
        for node in 0..self.nodes.len() {
            self.nodes[node].announcements = 1;
            let free = self.nodes[node].machine.slots;
            for gateway in 0..self.gateways.len() {
                let change = self.gateways[gateway].hear(node, 1, free, self.scenario.dispatch);
                self.on_change(gateway, node, change);
            }
            let phase = (self.random.unit() * SECOND as f64) as Time;
            self.schedule(phase, Event::Heartbeat { node: node as u32 });
        }
        match self.scenario.arrivals {
            Arrivals::Open { .. } => self.schedule(0, Event::Arrival),
            Arrivals::Closed { clients_per_slot, .. } => {
                let slots: u32 = self.nodes.iter().map(|node| node.machine.slots).sum();
                for client in 0..slots * clients_per_slot {
                    let gateway = client % self.scenario.gateways as u32;
                    self.schedule(0, Event::Request { gateway });
                }
            }
        }
        if let Some(death) = self.scenario.death {
            self.schedule(death.at, Event::Death);
        }
    }

    /// Returns whether jobs arrive or are not finished.
    fn has_open_jobs(&self) -> bool {
        self.jobs.len() < self.scenario.jobs || self.counts.ended < self.scenario.jobs
    }

    /// Returns whether the jobs that arrive now are measured.
    fn is_measured(&self) -> bool {
        let arrived = self.jobs.len();
        arrived > self.scenario.jobs / WARM_UP && arrived < self.scenario.jobs
    }

    fn schedule(&mut self, at: Time, event: Event) {
        self.scheduled += 1;
        self.events.push(Reverse((at, self.scheduled, event)));
    }

    fn delay(&mut self) -> Time {
        self.delays[self.random.below(self.delays.len())]
    }

    fn link(&self, gateway: usize, node: usize) -> usize {
        node * self.gateways.len() + gateway
    }

    fn send_to_gateway(&mut self, gateway: usize, node: usize, message: Message) {
        let (delay, link) = (self.delay(), self.link(gateway, node));
        let at = (self.now + delay).max(self.to_gateways[link]);
        self.to_gateways[link] = at;
        self.schedule(at, Event::Received { gateway: gateway as u32, message });
    }

    fn send_to_node(&mut self, gateway: usize, node: usize, event: Event) {
        let (delay, link) = (self.delay(), self.link(gateway, node));
        let at = (self.now + delay).max(self.to_nodes[link]);
        self.to_nodes[link] = at;
        self.schedule(at, event);
    }

    fn on(&mut self, event: Event) {
        match event {
            Event::Arrival => self.on_arrival(),
            Event::Request { gateway } => {
                if self.jobs.len() < self.scenario.jobs {
                    self.enter(gateway as usize);
                }
            }
            Event::Ask { job, node, has_more } => self.on_ask(job, node as usize, has_more),
            Event::NotNeeded { gateway, node } => {
                let node = node as usize;
                self.nodes[node].unreserve(gateway as usize);
                self.nodes[node].reserve();
                self.announce(node);
            }
            Event::Received { gateway, message } => self.on_received(gateway as usize, message),
            Event::Handled { gateway, message } => self.on_message(gateway as usize, message),
            Event::Finish { job, node } => self.on_finish(job, node as usize),
            Event::Heartbeat { node } => {
                if self.nodes[node as usize].is_alive {
                    self.announce(node as usize);
                    self.schedule(self.now + SECOND, Event::Heartbeat { node });
                }
            }
            Event::Open { gateway, node, period } => {
                if self.gateways[gateway as usize].open(node as usize, period) {
                    self.dispatch(gateway as usize);
                }
            }
            Event::Death => self.on_death(),
            Event::Silent { gateway, node } => self.gateways[gateway as usize].close(node as usize),
            Event::Lost { job } => {
                let node = self.jobs[job as usize].node as usize;
                self.give_back(job, node);
            }
            Event::NotAccepted { job, node } => {
                let gateway = self.jobs[job as usize].gateway as usize;
                self.gateways[gateway].answered(node as usize);
                self.gateways[gateway].close(node as usize);
                self.give_back(job, node as usize);
            }
        }
    }

    fn on_arrival(&mut self) {
        let gateway = self.requests.below(self.gateways.len());
        self.enter(gateway);
        if self.jobs.len() < self.scenario.jobs {
            let pause = self.requests.exponential() * self.pace;
            self.schedule(self.now + pause as Time, Event::Arrival);
        }
    }

    fn enter(&mut self, gateway: usize) {
        let requester = self.requests.below(self.scenario.requesters);
        let number = self.jobs.len() as JobNumber;
        self.jobs.push(Job {
            arrived: self.now,
            started: 0,
            work: self.scenario.service.draw(&mut self.requests),
            gateway: gateway as u32,
            node: 0,
            asks: 0,
            ends: 0,
            is_rejected: false,
            is_lost: false,
            is_delayed: false,
        });
        if self.is_measured() {
            self.counts.measured_from.get_or_insert(self.now);
            self.counts.measured_until = self.now;
        }
        self.wake_one(gateway);
        let rejected = self.gateways[gateway].queue.enter(requester, number);
        if let Some(rejected) = rejected {
            self.jobs[rejected as usize].is_rejected = true;
            self.counts.ended += 1;
        }
        self.dispatch(gateway);
    }

    /// A queued job wakes one idle slot of its gateway.
    fn wake_one(&mut self, gateway: usize) {
        let slots = self.gateways[gateway].idle_slots().min(1);
        if self.is_measured() {
            self.counts.arrival_wakes += slots;
        }
        let thread = &mut self.gateways[gateway].busy_until;
        *thread = (*thread).max(self.now) + slots * self.scenario.thread.wake_ns;
    }

    /// Asks nodes, while jobs wait and slots seem free.
    fn dispatch(&mut self, gateway: usize) {
        while !self.gateways[gateway].queue.is_empty()
            && let Some(node) = self.gateways[gateway].claim(self.scenario.dispatch, &mut self.random)
            && let Some(number) = self.gateways[gateway].queue.take()
        {
            let job = &mut self.jobs[number as usize];
            job.asks += 1;
            job.node = node as u32;
            if self.is_measured() {
                self.counts.asks += 1;
            }
            let has_more = !self.gateways[gateway].queue.is_empty();
            self.send_to_node(gateway, node, Event::Ask { job: number, node: node as u32, has_more });
        }
    }

    fn on_ask(&mut self, number: JobNumber, node: usize, has_more: bool) {
        let gateway = self.jobs[number as usize].gateway as usize;
        if !self.nodes[node].is_alive {
            self.jobs[number as usize].is_delayed = true;
            return self
                .schedule(self.now + ACCEPTANCE_TIME, Event::NotAccepted { job: number, node: node as u32 });
        }
        let is_accepted = self.nodes[node].accept(gateway);
        if self.scenario.dispatch.is_reserved() && (has_more || !is_accepted) {
            self.nodes[node].add_waiting(gateway);
        }
        if !is_accepted {
            return self.reply(gateway, node, Message::Busy { job: number, node: node as u32 });
        }
        let time = (self.jobs[number as usize].work / self.nodes[node].machine.speed).max(1.0) as Time;
        self.jobs[number as usize].started = self.now;
        self.schedule(self.now + time, Event::Finish { job: number, node: node as u32 });
        self.reply(gateway, node, Message::Accepted { node: node as u32 });
        self.announce(node);
    }

    fn on_finish(&mut self, number: JobNumber, node: usize) {
        if !self.nodes[node].is_alive {
            return;
        }
        let job = &mut self.jobs[number as usize];
        job.ends += 1;
        let (gateway, took) = (job.gateway as usize, self.now - job.started);
        self.nodes[node].busy -= 1;
        if self.is_measured() {
            self.counts.finished += 1;
            self.counts.busy_time += took;
        }
        if self.scenario.dispatch.is_reserved() {
            self.nodes[node].reserve();
        }
        self.reply(gateway, node, Message::Result { node: node as u32 });
        self.announce(node);
    }

    fn reply(&mut self, gateway: usize, node: usize, message: Message) {
        if self.is_measured() {
            self.counts.replies += 1;
        }
        self.send_to_gateway(gateway, node, message);
    }

    fn announce(&mut self, node: usize) {
        if self.is_measured() {
            self.counts.announcements += 1;
        }
        self.nodes[node].announcements += 1;
        self.nodes[node].announced_at = self.now;
        let number = self.nodes[node].announcements;
        for gateway in 0..self.gateways.len() {
            let state = &self.nodes[node];
            let (free, reserved) = (state.free_for(gateway) as u16, state.reserved_for(gateway) as u16);
            let message = Message::Announcement { node: node as u32, number, free, reserved };
            self.send_to_gateway(gateway, node, message);
        }
    }

    /// Queues a message for the thread of a gateway.
    fn on_received(&mut self, gateway: usize, message: Message) {
        let Thread { announcement_ns, reply_ns, .. } = self.scenario.thread;
        let time = if matches!(message, Message::Announcement { .. }) { announcement_ns } else { reply_ns };
        if time == 0 {
            return self.on_message(gateway, message);
        }
        let thread = &mut self.gateways[gateway].busy_until;
        *thread = (*thread).max(self.now) + time;
        let at = *thread;
        self.schedule(at, Event::Handled { gateway: gateway as u32, message });
    }

    fn on_message(&mut self, gateway: usize, message: Message) {
        match message {
            Message::Announcement { node, number, free, reserved } => {
                let node = node as usize;
                let dispatch = self.scenario.dispatch;
                let change = self.gateways[gateway].hear(node, number, u32::from(free), dispatch);
                self.on_change(gateway, node, change);
                for _ in 0..self.gateways[gateway].unasked(node, u32::from(reserved)) {
                    let not_needed = Event::NotNeeded { gateway: gateway as u32, node: node as u32 };
                    self.send_to_node(gateway, node, not_needed);
                    if self.is_measured() {
                        self.counts.not_needed += 1;
                    }
                }
            }
            Message::Accepted { node } => self.gateways[gateway].answered(node as usize),
            Message::Busy { job, node } => {
                self.gateways[gateway].answered(node as usize);
                self.gateways[gateway].close(node as usize);
                self.give_back(job, node as usize);
            }
            Message::Result { node } => {
                self.counts.ended += 1;
                self.gateways[gateway].release(node as usize);
                self.dispatch(gateway);
                if let Arrivals::Closed { pause_us, .. } = self.scenario.arrivals {
                    let at = self.now + pause_us * MICROSECOND;
                    self.schedule(at, Event::Request { gateway: gateway as u32 });
                }
            }
        }
    }

    fn on_change(&mut self, gateway: usize, node: usize, change: Change) {
        match change {
            Change::None => {}
            Change::Opened => self.dispatch(gateway),
            Change::Found { period } => {
                let pause = (self.random.unit() * self.scenario.dispatch.pause() as f64) as Time;
                let open = Event::Open { gateway: gateway as u32, node: node as u32, period };
                self.schedule(self.now + pause, open);
            }
        }
    }

    fn give_back(&mut self, number: JobNumber, node: usize) {
        let gateway = self.jobs[number as usize].gateway as usize;
        self.gateways[gateway].release(node);
        self.gateways[gateway].queue.give_back(number);
        self.wake_one(gateway);
        self.dispatch(gateway);
    }

    fn on_death(&mut self) {
        let Some(death) = self.scenario.death else { return };
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        for place in 0..order.len() {
            let other = place + self.requests.below(order.len() - place);
            order.swap(place, other);
        }
        order.truncate((death.share * self.nodes.len() as f64).round() as usize);
        let noticed = |announced_at: Time| (announced_at + SILENCE).next_multiple_of(SILENCE_CHECK);
        for &node in &order {
            self.nodes[node].is_alive = false;
            let at = noticed(self.nodes[node].announced_at);
            for gateway in 0..self.gateways.len() as u32 {
                self.schedule(at, Event::Silent { gateway, node: node as u32 });
            }
        }
        for number in 0..self.jobs.len() {
            let job = &self.jobs[number];
            let node = job.node as usize;
            let runs = job.started > 0 && job.ends == 0;
            if runs && !self.nodes[node].is_alive {
                let at = noticed(self.nodes[node].announced_at);
                self.jobs[number].is_lost = true;
                self.schedule(at, Event::Lost { job: number as JobNumber });
            }
        }
        self.counts.died = order.len();
    }
}
