//! Records waiting to be streamed.

use std::{cell::RefCell, collections::VecDeque, rc::Rc};

use serde::Serialize;
use tokio::sync::Notify;

use crate::progress::Progress;

/// Records that the stream has not sent yet. Clones share them.
pub struct RecordQueue<R>(Rc<Unsent<R>>);

struct Unsent<R> {
    records: RefCell<VecDeque<R>>,
    changed: Notify,
}

impl<R> RecordQueue<R> {
    pub fn send(&self, record: R) {
        self.0.records.borrow_mut().push_back(record);
        self.0.changed.notify_one();
    }
}

impl<R> Clone for RecordQueue<R> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<R> Default for RecordQueue<R> {
    fn default() -> Self {
        Self(Rc::new(Unsent {
            records: RefCell::default(),
            changed: Notify::default(),
        }))
    }
}

impl<R: Serialize + AsRef<str> + 'static> Progress for RecordQueue<R> {
    type Record = R;

    fn next_record(&self) -> Option<R> {
        self.0.records.borrow_mut().pop_front()
    }

    async fn changed(&self) {
        self.0.changed.notified().await;
    }
}
