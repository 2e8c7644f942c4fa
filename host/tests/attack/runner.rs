//! Runs the attacks, each with its own deadline, and reports their outcomes in a table.

use std::{
    cmp::Reverse,
    collections::VecDeque,
    fmt,
    os::fd::OwnedFd,
    panic::{AssertUnwindSafe, catch_unwind},
    process::Child,
    sync::{Arc, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The number of attacks that run concurrently. Attacks that measure times run alone.
const PARALLEL: usize = 4;

/// The observation: `Ok` if the promise holds, otherwise `Err`.
pub(crate) type Outcome = Result<String, String>;

/// Returns the observation as `Ok` if the promise holds, otherwise as `Err`.
pub(crate) fn judge(holds: bool, seen: String) -> Outcome {
    if holds { Ok(seen) } else { Err(seen) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    InLongForm,
}

/// A promise that the host makes, and an attack on it.
#[derive(Clone, Copy)]
pub(crate) struct Attack {
    promise: &'static str,
    method: &'static str,
    run: fn(&Attempt) -> Outcome,
    deadline: Duration,
    when: When,
    alone: bool,
    needs_root: bool,
}

impl Attack {
    pub(crate) const fn new(
        promise: &'static str,
        method: &'static str,
        run: fn(&Attempt) -> Outcome,
    ) -> Self {
        let deadline = Duration::from_mins(1);
        Self {
            promise,
            method,
            run,
            deadline,
            when: When::Always,
            alone: false,
            needs_root: false,
        }
    }

    /// Runs only in the long form.
    pub(crate) const fn long(self) -> Self {
        Self {
            when: When::InLongForm,
            ..self
        }
    }

    /// Runs alone, because it measures times.
    pub(crate) const fn alone(self) -> Self {
        Self {
            alone: true,
            ..self
        }
    }

    /// Requires root.
    pub(crate) const fn as_root(self) -> Self {
        Self {
            needs_root: true,
            ..self
        }
    }

    pub(crate) const fn within(self, seconds: u64) -> Self {
        Self {
            deadline: Duration::from_secs(seconds),
            ..self
        }
    }
}

/// A running attack. Its processes are killed at its deadline.
#[derive(Clone, Default)]
pub(crate) struct Attempt {
    processes: Arc<Mutex<Vec<OwnedFd>>>,
}

impl Attempt {
    /// Returns whether attacks run at full strength.
    pub(crate) fn is_long() -> bool {
        std::env::var_os("ATTACK_LONG").is_some_and(|value| value != "0")
    }

    pub(crate) fn adopt(&self, child: &Child) {
        let process = pidfd_open(Pid::from_child(child), PidfdFlags::empty()).unwrap();
        self.processes.lock().unwrap().push(process);
    }

    fn kill_all(&self) {
        for process in self.processes.lock().unwrap().iter() {
            // Most of the processes have already ended.
            let _ = pidfd_send_signal(process, Signal::KILL);
        }
    }
}

struct Row {
    attack: Attack,
    outcome: Outcome,
    time: Duration,
}

/// The outcomes of all attacks.
pub(crate) struct Report {
    rows: Vec<Row>,
}

/// Runs the attacks in the selected form. `ATTACK_ONLY` selects the attacks whose promise or method
/// contains its value.
pub(crate) fn run(attacks: Vec<Attack>) -> Report {
    let only = std::env::var("ATTACK_ONLY").unwrap_or_default();
    let is_root = rustix::process::geteuid().is_root();
    let selected = attacks.into_iter().filter(|attack| {
        (Attempt::is_long() || attack.when == When::Always)
            && (is_root || !attack.needs_root)
            && [attack.promise, attack.method]
                .iter()
                .any(|text| text.contains(&only))
    });
    let (alone, together): (Vec<_>, Vec<_>) =
        selected.enumerate().partition(|(_, attack)| attack.alone);
    let mut rows = run_queue(together, PARALLEL);
    rows.extend(run_queue(alone, 1));
    rows.sort_by_key(|(place, _)| *place);
    Report {
        rows: rows.into_iter().map(|(_, row)| row).collect(),
    }
}

fn run_queue(attacks: Vec<(usize, Attack)>, parallel: usize) -> Vec<(usize, Row)> {
    let (queue, rows) = (Mutex::new(VecDeque::from(attacks)), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..parallel {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap().pop_front();
                    let Some((place, attack)) = next else { break };
                    let row = run_one(attack);
                    eprintln!("{row}");
                    rows.lock().unwrap().push((place, row));
                }
            });
        }
    });
    rows.into_inner().unwrap()
}

fn run_one(attack: Attack) -> Row {
    let (attempt, started) = (Attempt::default(), Instant::now());
    let (sender, receiver) = mpsc::channel();
    let own = attempt.clone();
    thread::spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| (attack.run)(&own)));
        // After the deadline the receiver is gone.
        let _ = sender.send(outcome.unwrap_or_else(|panic| Err(panic_text(&*panic))));
    });
    let outcome = receiver.recv_timeout(attack.deadline).unwrap_or_else(|_| {
        attempt.kill_all();
        Err(format!(
            "did not end within {} s",
            attack.deadline.as_secs()
        ))
    });
    Row {
        attack,
        outcome,
        time: started.elapsed(),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no text");
    format!(
        "the attack failed: {}",
        text.lines().next().unwrap_or_default()
    )
}

impl Report {
    pub(crate) fn holds(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|row| row.outcome.is_ok())
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verdict, seen) = match &self.outcome {
            Ok(seen) => ("holds", seen),
            Err(seen) => ("**does not hold**", seen),
        };
        let seen: String = seen
            .chars()
            .take(600)
            .map(|c| if c == '|' || c == '\n' { ' ' } else { c })
            .collect();
        let seconds = self.time.as_secs_f64();
        let Attack {
            promise, method, ..
        } = &self.attack;
        write!(
            f,
            "| {promise} | {method} | {seconds:.1} s | {verdict}: {seen} |"
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| promise | attack | time | outcome |\n|---|---|---|---|"
        )?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))?;
        let failed = self.rows.iter().filter(|row| row.outcome.is_err()).count();
        let mut slowest: Vec<_> = self.rows.iter().collect();
        slowest.sort_by_key(|row| Reverse(row.time));
        let slowest: Vec<_> = slowest
            .iter()
            .take(5)
            .map(|row| format!("{} ({:.1} s)", row.attack.method, row.time.as_secs_f64()))
            .collect();
        writeln!(
            f,
            "\n{} attacks, {failed} failed; the slowest: {}",
            self.rows.len(),
            slowest.join("; ")
        )
    }
}
