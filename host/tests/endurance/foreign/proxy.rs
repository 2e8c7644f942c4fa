//! A TCP proxy that delays or swallows data, or cuts connections.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// A proxy for one address. Its threads end with their connections.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// How long the proxy holds each part of the data.
    delay_ms: AtomicU64,
    /// Whether the proxy discards all data while connections stay open.
    swallows: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    pub(crate) fn start(to: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, state) = (listener.local_addr().unwrap(), Arc::<State>::default());
        let carrying = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(to) else {
                    continue;
                };
                carrying
                    .open
                    .lock()
                    .unwrap()
                    .extend([client.try_clone().unwrap(), server.try_clone().unwrap()]);
                for (from, to) in [
                    (client.try_clone().unwrap(), server.try_clone().unwrap()),
                    (server, client),
                ] {
                    let state = Arc::clone(&carrying);
                    thread::spawn(move || carry(from, to, &state));
                }
            }
        });
        Self { address, state }
    }

    pub(crate) fn delay(&self, delay: Duration) {
        self.state
            .delay_ms
            .store(delay.as_millis() as u64, Ordering::Relaxed);
    }

    /// Starts or stops discarding all data. Connections stay open.
    pub(crate) fn swallow(&self, swallows: bool) {
        self.state.swallows.store(swallows, Ordering::Relaxed);
    }

    /// Closes all connections.
    pub(crate) fn cut(&self) {
        for stream in self.state.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, state: &State) {
    let mut part = vec![0; 1 << 16];
    while let Ok(length) = from.read(&mut part)
        && length > 0
    {
        thread::sleep(Duration::from_millis(
            state.delay_ms.load(Ordering::Relaxed),
        ));
        if !state.swallows.load(Ordering::Relaxed) && to.write_all(&part[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
