//! What the program adds to the host, such as AIs of other machines.

use std::{any::Any, fmt::Debug, sync::Arc};

use config::Config;
use pool::Ai;
use prometheus_client::registry::Registry;
use tokio::sync::watch;

use crate::answered::AnsweredRequest;

/// A part that a server can do without. It runs beside the service, which tells it what changes.
pub trait Extra: Any + Debug + Send + Sync {
    /// Returns its word among the features of `GET /v1/version`.
    fn feature(&self) -> &'static str;

    /// Takes over another configuration. Returns warnings for the operator. May block.
    fn reconfigure(&self, _config: &Config) -> Vec<String> {
        Vec::new()
    }

    /// Takes over the AIs of this machine. May block.
    fn set_local_ais(&self, _ais: Vec<Arc<Ai>>) {}

    /// Returns the AIs of other machines, if it has such.
    fn remote_ais(&self) -> Option<watch::Receiver<Vec<Arc<Ai>>>> {
        None
    }

    /// Learns of a request to an AI that has a candidate, once it is answered. The client may not
    /// have its reply yet, so this must not block.
    fn answered(&self, _request: &Arc<AnsweredRequest>) {}

    /// Answers a command of the operator, in JSON; none if it is not its own. May block.
    fn command(&self, _words: &[&str]) -> Option<String> {
        None
    }

    /// Adds its metrics.
    fn register_metrics(&self, _registry: &mut Registry) {}
}

/// The extras of a server, at most one of each type.
#[derive(Clone, Debug, Default)]
pub struct Extras(Vec<Arc<dyn Extra>>);

impl Extras {
    pub fn add(&mut self, extra: Arc<dyn Extra>) {
        self.0.push(extra);
    }

    pub fn iter(&self) -> impl Iterator<Item = &dyn Extra> {
        self.0.iter().map(|extra| &**extra)
    }

    /// Returns the extra of a type.
    pub fn get<T: Extra>(&self) -> Option<Arc<T>> {
        self.0.iter().find_map(|extra| {
            let extra: Arc<dyn Any + Send + Sync> = Arc::<dyn Extra>::clone(extra);
            extra.downcast().ok()
        })
    }

    /// Returns the AIs of other machines, if an extra has such.
    pub fn remote_ais(&self) -> Option<watch::Receiver<Vec<Arc<Ai>>>> {
        self.iter().find_map(Extra::remote_ais)
    }
}
