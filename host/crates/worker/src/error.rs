//! Why a process can't run as a worker.

#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    #[error(
        "'rookery worker' is started by the server, with a socket and a library; run 'rookery \
         serve' instead"
    )]
    NotStartedByHost,
    #[error("the socket to the server failed")]
    Socket(#[from] protocol::FrameError),
    #[error("the operating system refused to {0}")]
    System(&'static str, #[source] std::io::Error),
}
