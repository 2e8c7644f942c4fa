//! A client that can misbehave: the attack writes every byte.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use serde_json::Value;

/// Longer than any reply may take.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    received: Vec<u8>,
}

/// A reply of the server.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    pub(crate) time: Duration,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream,
            received: Vec::new(),
        })
    }

    pub(crate) fn get(&mut self, path: &str) -> Result<Reply, String> {
        self.exchange(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes())
    }

    pub(crate) fn post(&mut self, path: &str, headers: &str, body: &[u8]) -> Result<Reply, String> {
        self.exchange(&post(path, headers, body))
    }

    /// Sends bytes and reads one reply.
    pub(crate) fn exchange(&mut self, request: &[u8]) -> Result<Reply, String> {
        let started = Instant::now();
        // The server may reply and close before it has read everything.
        let sent = self.stream.write_all(request);
        let reply = self.read();
        match (reply, sent) {
            (Ok(reply), _) => Ok(Reply {
                time: started.elapsed(),
                ..reply
            }),
            (Err(error), Ok(())) => Err(error),
            (Err(error), Err(sending)) => Err(format!("{error}; sending: {sending}")),
        }
    }

    /// Reads one reply.
    pub(crate) fn read(&mut self) -> Result<Reply, String> {
        let started = Instant::now();
        let end = loop {
            if let Some(end) = self
                .received
                .windows(4)
                .position(|window| window == b"\r\n\r\n")
            {
                break end + 4;
            }
            if !self.receive()? {
                return Err(format!("closed after {} bytes", self.received.len()));
            }
        };
        let head = String::from_utf8_lossy(&self.received[..end]).into_owned();
        self.received.drain(..end);
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| format!("no status in {head:?}"))?;
        let body = if let Some(length) = header(&head, "content-length") {
            let length = length.parse().map_err(|_| format!("length {length:?}"))?;
            self.take(length)?
        } else if header(&head, "transfer-encoding") == Some("chunked") {
            self.read_chunks()?
        } else if status < 200 || status == 204 || status == 304 {
            Vec::new()
        } else {
            while self.receive()? {}
            std::mem::take(&mut self.received)
        };
        Ok(Reply {
            status,
            body,
            time: started.elapsed(),
        })
    }

    fn read_chunks(&mut self) -> Result<Vec<u8>, String> {
        let mut body = Vec::new();
        loop {
            let end = loop {
                if let Some(end) = self
                    .received
                    .windows(2)
                    .position(|window| window == b"\r\n")
                {
                    break end;
                }
                if !self.receive()? {
                    return Err("closed in a chunk".into());
                }
            };
            let line = String::from_utf8_lossy(&self.take(end + 2)?).into_owned();
            let size = usize::from_str_radix(line.trim(), 16)
                .map_err(|_| format!("chunk size {line:?}"))?;
            let chunk = self.take(size + 2)?;
            if size == 0 {
                return Ok(body);
            }
            body.extend(&chunk[..size]);
        }
    }

    fn take(&mut self, length: usize) -> Result<Vec<u8>, String> {
        while self.received.len() < length {
            if !self.receive()? {
                return Err(format!(
                    "closed after {} of {length} bytes",
                    self.received.len()
                ));
            }
        }
        let rest = self.received.split_off(length);
        Ok(std::mem::replace(&mut self.received, rest))
    }

    /// Returns whether any byte arrived before the end.
    fn receive(&mut self) -> Result<bool, String> {
        let mut buffer = [0; 1 << 14];
        let count = self
            .stream
            .read(&mut buffer)
            .map_err(|error| format!("reading: {error}"))?;
        self.received.extend(&buffer[..count]);
        Ok(count > 0)
    }
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body)
            .chars()
            .take(500)
            .collect()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let lines = head.lines().filter_map(|line| line.split_once(':'));
    lines
        .filter(|(found, _)| found.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim())
        .next()
}

/// A whole request with a body of JSON and further header lines, each ended by CRLF.
pub(crate) fn post(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
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

/// The head of a request with a body of JSON and a further header line.
pub(crate) fn json_head(line: &str, header: &str) -> String {
    format!(
        "{line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{header}\r\n\r\n"
    )
}

/// Returns whether the peer has closed a non-blocking socket.
pub(crate) fn is_closed(stream: &mut TcpStream) -> bool {
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != io::ErrorKind::WouldBlock,
        }
    }
}
