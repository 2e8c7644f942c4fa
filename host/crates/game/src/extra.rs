//! Optional parts that the program adds to the host, such as AIs on other machines.

use std::{any::Any, fmt::Debug, sync::Arc};

use config::Config;
use pool::Ai;
use prometheus_client::registry::Registry;
use tokio::sync::watch;

use crate::answered::AnsweredRequest;

/// An optional part of a server. It runs next to the service, which notifies it of changes.
pub trait Extra: Any + Debug + Send + Sync {
    /// Returns its name among the features of `GET /v1/version`.
    fn feature(&self) -> &'static str;

    /// Switches to another configuration. Returns warnings for the operator. May block.
    fn reconfigure(&self, _config: &Config) -> Vec<String> {
        Vec::new()
    }

    /// Receives the AIs on this machine. May block.
    fn set_local_ais(&self, _ais: Vec<Arc<Ai>>) {}

    /// Returns the AIs on other machines, if it provides any.
    fn remote_ais(&self) -> Option<watch::Receiver<Vec<Arc<Ai>>>> {
        None
    }

    /// Receives a request to an AI with a candidate once it is answered. The client may not have
    /// its reply yet, so this must not block.
    fn answered(&self, _request: &Arc<AnsweredRequest>) {}

    /// Answers an operator's command in JSON. Returns `None` if the command does not belong to
    /// this extra. May block.
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

    /// Returns the extra of this type.
    pub fn get<T: Extra>(&self) -> Option<Arc<T>> {
        self.0.iter().find_map(|extra| {
            let extra: Arc<dyn Any + Send + Sync> = Arc::<dyn Extra>::clone(extra);
            extra.downcast().ok()
        })
    }

    /// Returns the AIs on other machines, if an extra provides any.
    pub fn remote_ais(&self) -> Option<watch::Receiver<Vec<Arc<Ai>>>> {
        self.iter().find_map(Extra::remote_ais)
    }
}
