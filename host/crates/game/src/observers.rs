//! The extras that receive answered requests.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use crate::{answered::AnsweredRequest, extra::Extra};

/// The extras that receive answered requests. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Observers(Arc<RwLock<Vec<Arc<dyn Extra>>>>);

impl Observers {
    pub(crate) fn add(&self, extra: Arc<dyn Extra>) {
        let mut observers = self.0.write().unwrap_or_else(PoisonError::into_inner);
        observers.push(extra);
    }

    pub(crate) fn tell(&self, answered: AnsweredRequest) {
        let answered = Arc::new(answered);
        let observers = self.0.read().unwrap_or_else(PoisonError::into_inner);
        for observer in &*observers {
            observer.answered(&answered);
        }
    }
}

impl fmt::Debug for Observers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observers")
    }
}
