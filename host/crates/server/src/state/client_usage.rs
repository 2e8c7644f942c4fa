//! The usage of each client, for metrics and operators.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// The statuses of rejected requests. Other errors are failures.
const REJECTED: [u16; 4] = [401, 403, 429, 503];

/// The counts of one client since it was configured.
#[derive(Debug, Default)]
pub(crate) struct ClientUsage {
    /// Empty for requests without a configured client.
    pub(crate) id: String,
    requests: AtomicU64,
    rejections: AtomicU64,
    ai_us: AtomicU64,
}

impl ClientUsage {
    pub(crate) fn add(&self, status: u16, ai_time: Duration) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        if REJECTED.contains(&status) {
            self.rejections.fetch_add(1, Ordering::Relaxed);
        }
        if !ai_time.is_zero() {
            self.ai_us
                .fetch_add(ai_time.as_micros() as u64, Ordering::Relaxed);
        }
    }

    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    pub(crate) fn rejections(&self) -> u64 {
        self.rejections.load(Ordering::Relaxed)
    }

    pub(crate) fn ai_seconds(&self) -> f64 {
        Duration::from_micros(self.ai_us.load(Ordering::Relaxed)).as_secs_f64()
    }
}

/// The usage of each configured client.
#[derive(Debug, Default)]
pub(crate) struct ClientUsages(BTreeMap<String, Arc<ClientUsage>>);

impl ClientUsages {
    /// Returns the usage of these clients. The counts of known clients carry over.
    pub(crate) fn continued<'a>(&self, clients: impl Iterator<Item = &'a String>) -> Self {
        let usage = |id: &String| {
            let new = || {
                Arc::new(ClientUsage {
                    id: id.clone(),
                    ..ClientUsage::default()
                })
            };
            self.get(id).unwrap_or_else(new)
        };
        Self(clients.map(|id| (id.clone(), usage(id))).collect())
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<ClientUsage>> {
        self.0.get(id).cloned()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<ClientUsage>> {
        self.0.values()
    }
}
