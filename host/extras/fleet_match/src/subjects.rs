//! Names in NATS (subjects, streams and object stores), and the permissions to use them.
//!
//! As elsewhere in a fleet, the subject names the publisher, and NATS guarantees that the name is
//! right.

use fleet::{Permissions, permissions_of_node, permissions_of_server};

/// The subject for the states of all nodes that play matches.
pub(crate) const STATES: &str = "rookery.v1.node.*.matches";

/// Returns the subject for the state of a node that plays matches.
pub(crate) fn state(node: &str) -> String {
    format!("rookery.v1.node.{node}.matches")
}

/// Returns the subject for the matches of an organizer.
pub(crate) fn matches(organizer: &str) -> String {
    format!("rookery.v1.match.{organizer}")
}

/// Returns the subject for the pairs of a match, or of all the organizer's matches if `id` is `*`.
pub(crate) fn pairs(organizer: &str, id: &str) -> String {
    format!("rookery.v1.pairs.{organizer}.{id}")
}

/// Returns the subject for the pairs that a node has played for an organizer.
pub(crate) fn reports(node: &str, organizer: &str) -> String {
    format!("rookery.v1.node.{node}.pair.{organizer}")
}

/// Returns whether the reply to a message goes to this node. If not, the node did not send it: any
/// user of `JetStream` can choose the subject to which NATS replies.
pub(crate) fn is_request_of(node: &str, reply: Option<&str>) -> bool {
    let inbox = reply.and_then(|reply| reply.strip_prefix("_INBOX_"));
    let inbox = inbox.and_then(|inbox| inbox.strip_prefix(node));
    inbox.is_some_and(|inbox| inbox.starts_with('.'))
}

/// Returns the name of the stream with an organizer's pairs.
pub(crate) fn stream(organizer: &str) -> String {
    format!("ROOKERY_PAIRS_{organizer}")
}

/// Returns the name of the object store with an organizer's files.
pub(crate) fn bucket(organizer: &str) -> String {
    format!("rookery_files_{organizer}")
}

/// Returns the permissions that let a user act only as this node, and play matches of these
/// organizers.
pub fn permissions_of_playing_node(name: &str, organizers: &[String]) -> Permissions {
    let mut permissions = permissions_of_node(name);
    for organizer in organizers {
        let (stream, bucket) = (stream(organizer), bucket(organizer));
        let files = format!("OBJ_{bucket}");
        permissions = permissions.with(Permissions {
            publish: vec![
                format!("$JS.API.CONSUMER.INFO.{stream}.*"),
                format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.*"),
                format!("$JS.ACK.{stream}.>"),
                format!("$JS.API.STREAM.INFO.{files}"),
                format!("$JS.API.DIRECT.GET.{files}.$O.{bucket}.M.*"),
                format!("$JS.API.CONSUMER.CREATE.{files}"),
                format!("$JS.API.CONSUMER.DELETE.{files}.*"),
                format!("$JS.FC.{files}.>"),
            ],
            subscribe: vec![matches(organizer)],
            responds: false,
        });
    }
    if !organizers.is_empty() {
        permissions.subscribe.push(format!("_INBOX_{name}.>"));
    }
    permissions
}

/// Returns the permissions that let a user act only as the server or command with this name, and
/// organize matches.
pub fn permissions_of_organizer(name: &str) -> Permissions {
    let (stream, bucket) = (stream(name), bucket(name));
    let files = format!("OBJ_{bucket}");
    let mut publish = vec![matches(name), pairs(name, "*"), format!("$O.{bucket}.>")];
    for kept in [&stream, &files] {
        for call in ["CREATE", "INFO", "PURGE"] {
            publish.push(format!("$JS.API.STREAM.{call}.{kept}"));
        }
    }
    // NATS lets the creator of a stream choose what the stream keeps, but only these streams are
    // read here.
    let own = pairs(name, "*");
    publish.extend([
        format!("$JS.API.DIRECT.GET.{files}.$O.{bucket}.M.*"),
        format!("$JS.API.CONSUMER.CREATE.{stream}.*.{own}"),
        format!("$JS.API.CONSUMER.INFO.{stream}.*"),
        format!("$JS.API.CONSUMER.DELETE.{stream}.*"),
    ]);
    permissions_of_server(name).with(Permissions {
        publish,
        subscribe: vec![
            STATES.to_owned(),
            reports("*", name),
            format!("_INBOX_{name}.>"),
        ],
        responds: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reply_address_identifies_the_node() {
        assert!(is_request_of("n0", Some("_INBOX_n0.abc.1")));
        for reply in [
            None,
            Some("_INBOX_n0"),
            Some("_INBOX_n01.abc"),
            Some("_INBOX.n0.abc"),
            Some("$JS.ACK.n0"),
            Some(""),
        ] {
            assert!(!is_request_of("n0", reply), "{reply:?}");
        }
    }
}
