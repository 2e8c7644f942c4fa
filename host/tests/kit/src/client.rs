//! A client that can misbehave: the test writes every byte.

use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
use serde_json::Value;

/// Longer than any reply may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A persistent connection.
pub struct Connection<S = TcpStream> {
    pub stream: S,
    received: Vec<u8>,
}

/// A complete reply.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    head: String,
    pub body: Vec<u8>,
    /// The time until the reply was received, from sending the request or, with `read`, from
    /// starting to read.
    pub time: Duration,
}

impl Connection {
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self::over(stream))
    }
}

impl<S: Read + Write> Connection<S> {
    pub fn over(stream: S) -> Self {
        Self {
            stream,
            received: Vec::new(),
        }
    }

    pub fn get(&mut self, path: &str) -> Result<Reply, String> {
        self.exchange(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    }

    /// Posts JSON with further header lines, each ending in CRLF.
    pub fn post(&mut self, path: &str, headers: &str, body: &[u8]) -> Result<Reply, String> {
        self.exchange(post(path, headers, body))
    }

    /// Sends bytes and reads one reply.
    pub fn exchange(&mut self, request: impl AsRef<[u8]>) -> Result<Reply, String> {
        let (started, request) = (Instant::now(), request.as_ref());
        // The server may reply and close before it has read everything.
        let sent = self.stream.write_all(request);
        let reply = self.read_for(request);
        match (reply, sent) {
            (Ok(mut reply), _) => {
                reply.time = started.elapsed();
                Ok(reply)
            }
            (Err(error), Ok(())) => Err(error),
            (Err(error), Err(sending)) => Err(format!("{error}; sending: {sending}")),
        }
    }

    /// Reads one reply.
    pub fn read(&mut self) -> Result<Reply, String> {
        self.read_for(b"")
    }

    fn read_for(&mut self, request: &[u8]) -> Result<Reply, String> {
        let (started, has_body) = (Instant::now(), !request.starts_with(b"HEAD "));
        let mut is_closed = false;
        loop {
            if let Some(mut reply) = Reply::take(&mut self.received, has_body, is_closed)? {
                reply.time = started.elapsed();
                return Ok(reply);
            }
            is_closed = !self.receive()?;
        }
    }

    /// Receives bytes. Returns `false` if the connection is closed.
    fn receive(&mut self) -> Result<bool, String> {
        let mut buffer = [0; 1 << 14];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(count) => {
                    self.received.extend(&buffer[..count]);
                    return Ok(count > 0);
                }
                // Other tests' SIGCHLD interrupts a read that has a timeout.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("reading: {error}")),
            }
        }
    }

    /// Reads what follows the replies, until the server closes the connection.
    pub fn rest(mut self) -> Vec<u8> {
        while self.receive().unwrap_or(false) {}
        self.received
    }
}

impl Reply {
    /// Takes the first reply from the received bytes of a connection, if it is complete. The reply
    /// to a HEAD request has no body.
    ///
    /// # Errors
    /// The bytes are not a reply, or the connection closes before the reply ends.
    pub fn take(
        received: &mut Vec<u8>,
        has_body: bool,
        is_closed: bool,
    ) -> Result<Option<Self>, String> {
        let cut = |place: &str| {
            if is_closed {
                return Err(format!("closed after {} bytes{place}", received.len()));
            }
            Ok(None)
        };
        let Some(head_end) = find(received, b"\r\n\r\n") else {
            return cut("");
        };
        let head = String::from_utf8_lossy(&received[..head_end]).into_owned();
        let status = head.split(' ').nth(1);
        let status = status.and_then(|status| status.parse::<u16>().ok());
        let status = status.ok_or_else(|| format!("no status in {head:?}"))?;
        let start = head_end + 4;
        let (body, end) = if !has_body || status < 200 || status == 204 || status == 304 {
            (Vec::new(), start)
        } else if let Some(length) = header(&head, "content-length") {
            let length: usize = length.parse().map_err(|_| format!("length {length:?}"))?;
            let Some(body) = received.get(start..start + length) else {
                return cut(" in a body");
            };
            (body.to_vec(), start + length)
        } else if header(&head, "transfer-encoding") == Some("chunked") {
            let Some(read) = read_chunks(received, start)? else {
                return cut(" in a chunk");
            };
            read
        } else if is_closed {
            (received[start..].to_vec(), received.len())
        } else {
            return Ok(None);
        };
        received.drain(..end);
        let time = Duration::ZERO;
        Ok(Some(Self {
            status,
            head,
            body,
            time,
        }))
    }

    /// Returns the beginning of the body.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body)
            .chars()
            .take(500)
            .collect()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    /// Returns the names and values of all headers.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        headers(&self.head)
    }
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// Reads a chunked body from its start. Returns the body and its end, if it is complete.
fn read_chunks(received: &[u8], start: usize) -> Result<Option<(Vec<u8>, usize)>, String> {
    let (mut body, mut next) = (Vec::new(), start);
    while let Some(length) = find(&received[next..], b"\r\n") {
        let line = String::from_utf8_lossy(&received[next..next + length]);
        let size = usize::from_str_radix(line.trim(), 16);
        let size = size.map_err(|_| format!("chunk size {line:?}"))?;
        let chunk = next + length + 2;
        next = chunk + size + 2;
        if next > received.len() {
            break;
        }
        if size == 0 {
            return Ok(Some((body, next)));
        }
        body.extend(&received[chunk..chunk + size]);
    }
    Ok(None)
}

fn headers(head: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = head.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(name, value)| (name, value.trim()))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = headers(head).find(|(found, _)| found.eq_ignore_ascii_case(name))?;
    Some(value)
}

/// Returns a complete request with a JSON body and further header lines, each ending in CRLF.
pub fn post(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let host = if headers.to_ascii_lowercase().contains("host:") {
        ""
    } else {
        "Host: localhost\r\n"
    };
    let head = format!(
        "POST {path} HTTP/1.1\r\n{host}{headers}Content-Type: application/json\r\nContent-Length: \
         {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Returns the head of a request with a JSON body and further header lines.
pub fn json_head(line: &str, headers: &str) -> String {
    format!(
        "{line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}\r\n\r\n"
    )
}

/// Opens a connection from another address of this machine.
pub fn connect_from(source: Ipv4Addr, server: SocketAddr) -> io::Result<TcpStream> {
    let own = socket(AddressFamily::INET, SocketType::STREAM, None)?;
    bind(&own, &SocketAddr::from((source, 0)))?;
    connect(&own, &server)?;
    let stream = TcpStream::from(own);
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Returns whether the peer has closed a non-blocking socket.
pub fn is_closed(stream: &mut TcpStream) -> bool {
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != io::ErrorKind::WouldBlock,
        }
    }
}
