//! A strict client: each request gets exactly one complete and well-formed reply.

use std::{
    fmt::Write as _,
    io,
    net::{IpAddr, SocketAddr},
    time::{Duration, Instant},
};

use serde_json::Value;
use test_kit::Reply;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

/// Longer than any reply may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A persistent connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

/// The reply to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    reply: Reply,
    pub(crate) body: Value,
    pub(crate) time: Duration,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            received: Vec::new(),
        })
    }

    /// Opens a connection from an address of this machine.
    pub(crate) async fn open_from(from: IpAddr, to: SocketAddr) -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(from, 0))?;
        Ok(Self {
            stream: socket.connect(to).await?,
            received: Vec::new(),
        })
    }

    pub(crate) async fn get(&mut self, path: &str) -> Result<Answer, String> {
        self.ask(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            .await
    }

    pub(crate) async fn post(
        &mut self,
        path: &str,
        client: &str,
        body: &Value,
    ) -> Result<Answer, String> {
        self.post_text(path, client, &body.to_string()).await
    }

    pub(crate) async fn post_text(
        &mut self,
        path: &str,
        client: &str,
        body: &str,
    ) -> Result<Answer, String> {
        self.ask(post(path, client, body)).await
    }

    /// Sends a request and reads exactly one reply.
    async fn ask(&mut self, request: impl AsRef<[u8]>) -> Result<Answer, String> {
        let started = Instant::now();
        let mut unexpected = [0; 64];
        match self.stream.try_read(&mut unexpected) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            other => {
                return Err(format!(
                    "before the request: {other:?} {:?}",
                    String::from_utf8_lossy(&unexpected)
                ));
            }
        }
        self.stream
            .write_all(request.as_ref())
            .await
            .map_err(|error| format!("sending: {error}"))?;
        let reply = timeout(PATIENCE, self.read())
            .await
            .map_err(|_| "no reply".to_owned())??;
        let body = serde_json::from_slice(&reply.body)
            .map_err(|error| format!("{error} in {:?}", reply.text()))?;
        let answer = Answer {
            status: reply.status,
            reply,
            body,
            time: started.elapsed(),
        };
        answer.check().map_err(|why| format!("{why}: {answer:?}"))?;
        Ok(answer)
    }

    async fn read(&mut self) -> Result<Reply, String> {
        let reply = loop {
            if let Some(reply) = Reply::take(&mut self.received, true, false)? {
                break reply;
            }
            self.receive().await?;
        };
        if reply.header("content-length").is_none() {
            return Err(format!("no length in {reply:?}"));
        }
        if !self.received.is_empty() {
            let more = String::from_utf8_lossy(&self.received);
            return Err(format!("more than one reply: {more:?}"));
        }
        Ok(reply)
    }

    async fn receive(&mut self) -> Result<(), String> {
        match self.stream.read_buf(&mut self.received).await {
            Ok(0) => Err(format!(
                "closed after {:?}",
                String::from_utf8_lossy(&self.received)
            )),
            Ok(_) => Ok(()),
            Err(error) => Err(format!("reading: {error}")),
        }
    }

    /// Sends a request and disconnects.
    pub(crate) async fn post_and_leave(mut self, path: &str, client: &str, body: &Value) {
        // A failure does not matter here.
        let _ = self
            .stream
            .write_all(&post(path, client, &body.to_string()))
            .await;
    }
}

/// Returns the key of a client. The default client has none.
pub(crate) fn key_of(client: &str) -> Option<String> {
    (client != "default").then(|| format!("key-of-{client}"))
}

fn post(path: &str, client: &str, body: &str) -> Vec<u8> {
    let mut headers = format!("X-Client-Id: {client}\r\n");
    if let Some(key) = key_of(client) {
        write!(headers, "Authorization: Bearer {key}\r\n").unwrap();
    }
    test_kit::post(path, &headers, body.as_bytes())
}

impl Answer {
    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or("answered")
    }

    /// Checks a problem, and its Retry-After if one is required.
    fn check(&self) -> Result<(), &'static str> {
        if self.status == 200 {
            return if self.body.get("code").is_none() {
                Ok(())
            } else {
                Err("an error code with status 200")
            };
        }
        if self.reply.header("content-type") != Some("application/problem+json") {
            return Err("an error without a problem document");
        }
        if ["type", "title", "detail", "code", "request_id"]
            .iter()
            .any(|field| !self.body[field].is_string())
            || self.body["status"] != self.status
        {
            return Err("an incomplete problem document");
        }
        let retry_after = self
            .reply
            .header("retry-after")
            .and_then(|seconds| seconds.parse::<u64>().ok());
        match self.status {
            429 | 503 if retry_after.is_none_or(|seconds| seconds == 0) => Err("no Retry-After"),
            400 | 422 | 429 | 502 | 503 | 504 => Ok(()),
            _ => Err("an unexpected status"),
        }
    }
}
