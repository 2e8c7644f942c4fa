//! Running programs.

use std::{
    io::{BufRead as _, BufReader},
    net::{SocketAddr, TcpStream},
    ops::{Deref, DerefMut},
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    sync::{
        Mutex,
        mpsc::{self, Receiver},
    },
    thread,
    time::Duration,
};

use rustix::process::Signal;

use crate::{
    client::Connection,
    processes::{self, children, descendants, kill, poll, status_kb, wait_until},
};

/// The longest wait for a line, enough for a program that starts on a loaded machine.
const START: Duration = Duration::from_secs(50);

/// A process that prints a line when it is ready. Dropping it kills the process.
pub struct Process {
    child: Child,
    /// Empty if the process ended or was silent for too long.
    first_line: String,
    lines: Mutex<Receiver<String>>,
}

impl Process {
    /// Starts a process and waits for its first line.
    pub fn start(command: &mut Command) -> Self {
        Self::start_adopted(command, |_| ())
    }

    /// Starts a process and passes it to `adopt` before its first line.
    pub fn start_adopted(command: &mut Command, adopt: impl FnOnce(&Child)) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        adopt(&child);
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                // Nobody receives lines after the end of the test.
                let _ = sender.send(line);
            }
        });
        let mut process = Self {
            child,
            first_line: String::new(),
            lines: Mutex::new(lines),
        };
        process.first_line = process.next_line();
        process
    }

    /// Waits for the next line of standard output. The line is empty if the output has ended or
    /// nothing arrives for too long.
    pub fn next_line(&self) -> String {
        let lines = self.lines.lock().unwrap();
        lines.recv_timeout(START).unwrap_or_default()
    }

    pub fn first_line(&self) -> &str {
        &self.first_line
    }

    /// Waits for the end of standard output. Returns the lines that no other call has returned.
    pub fn rest_of_stdout(&self) -> String {
        let lines = self.lines.lock().unwrap();
        lines.iter().collect::<Vec<_>>().join("\n")
    }

    pub fn take_stderr(&mut self) -> ChildStderr {
        self.child.stderr.take().unwrap()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    #[track_caller]
    pub fn signal(&self, signal: Signal) {
        kill(self.id(), signal);
    }

    /// Returns the children that have not been reaped.
    pub fn children(&self) -> Vec<u32> {
        children(self.id())
    }

    /// Returns the descendants that have not been reaped.
    pub fn descendants(&self) -> Vec<u32> {
        descendants(self.id())
    }

    /// Returns the resident memory in MiB.
    pub fn resident_mb(&self) -> u64 {
        status_kb(self.id(), "VmRSS") >> 10
    }

    /// Returns the peak memory in MiB.
    pub fn peak_mb(&self) -> u64 {
        status_kb(self.id(), "VmHWM") >> 10
    }

    pub fn open_files(&self) -> usize {
        processes::open_files(self.id())
    }

    /// Waits for the process to exit. Returns its exit status if it exits in time.
    pub fn ended(&mut self, within: Duration) -> Option<ExitStatus> {
        poll(within, || self.child.try_wait().unwrap())
    }

    /// Waits for the exit.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the process exits", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    /// Kills the process.
    pub fn kill(&mut self) {
        // The process may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A `rookery serve`.
pub struct Server {
    process: Process,
    pub address: SocketAddr,
}

impl Server {
    /// Starts a server and waits until it listens.
    #[track_caller]
    pub fn start(command: &mut Command) -> Self {
        let started = Self::of(Process::start(command));
        started.unwrap_or_else(|process| panic!("{command:?}: {:?}", process.first_line()))
    }

    /// Adopts a process whose first line is the address of a server.
    ///
    /// # Errors
    /// The process did not start listening.
    pub fn of(process: Process) -> Result<Self, Process> {
        let address = process.first_line().strip_prefix("listening on ");
        let address = address.and_then(|url| url.split_once("://")?.1.parse().ok());
        match address {
            Some(address) => Ok(Self { process, address }),
            None => Err(process),
        }
    }

    pub fn socket(&self) -> TcpStream {
        self.connect().stream
    }

    pub fn connect(&self) -> Connection {
        Connection::open(self.address).unwrap()
    }
}

impl Deref for Server {
    type Target = Process;

    fn deref(&self) -> &Process {
        &self.process
    }
}

impl DerefMut for Server {
    fn deref_mut(&mut self) -> &mut Process {
        &mut self.process
    }
}
