//! The servers from which a node takes orders.

use std::{collections::HashMap, time::Duration};

use tokio::time::Instant;

use crate::wire::Id;

/// The maximum number of running server processes that a node listens to.
const MAX_ASKERS: usize = 1024;
/// The maximum for one server name. Replicas share a name, and so do a server and its predecessor
/// shortly after a restart.
const MAX_OF_SERVER: usize = 8;

/// A run of a server. NATS guarantees the name, so only that server's orders reach its jobs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Asker {
    pub(super) server: String,
    pub(super) gateway: Id,
}

/// When each run last sent a message.
#[derive(Debug, Default)]
pub(super) struct Askers(HashMap<Asker, Instant>);

impl Askers {
    /// Records a message from an asker. Returns false if too many askers are known.
    pub(super) fn hear(&mut self, asker: &Asker, now: Instant) -> bool {
        if let Some(heard) = self.0.get_mut(asker) {
            *heard = now;
            return true;
        }
        let of_server = self
            .0
            .keys()
            .filter(|known| known.server == asker.server)
            .count();
        let has_room = self.0.len() < MAX_ASKERS && of_server < MAX_OF_SERVER;
        has_room && self.0.insert(asker.clone(), now).is_none()
    }

    pub(super) fn contains(&self, asker: &Asker) -> bool {
        self.0.contains_key(asker)
    }

    pub(super) fn drop_silent(&mut self, lost_after: Duration) {
        self.0.retain(|_, heard| heard.elapsed() < lost_after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_cannot_take_the_places_of_other_servers() {
        let mut askers = Askers::default();
        let asker = |server: &str, number: usize| Asker {
            server: server.into(),
            gateway: Id::try_from(format!("{number:032x}")).unwrap(),
        };
        let now = Instant::now();
        let taken = (0..100)
            .filter(|&number| askers.hear(&asker("bad", number), now))
            .count();
        assert_eq!(taken, MAX_OF_SERVER);
        assert!(askers.hear(&asker("good", 0), now));
        assert!(askers.hear(&asker("bad", 0), now), "it is known");
        assert!(!askers.contains(&asker("bad", 99)));
        askers.drop_silent(Duration::ZERO);
        assert!(askers.hear(&asker("bad", 99), now));
    }
}
