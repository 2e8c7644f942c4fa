//! The progress of a match: a table on a terminal, otherwise lines.

use std::{
    cell::{Cell, RefCell},
    fmt::Write as _,
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use crate::cli::output::print_message;
use fleet_match::{MatchObserver, NodeProgress};
use text::counted;
use tournament::{EloEstimate, FinishedMatchGame, Sprt, Standings, Tally, Tournament, reason};

/// The number of lines printed without a terminal, not counting games lost by a fault.
const LINES: usize = 100;
/// The maximum time between two of these lines, unless a game takes longer.
const MAX_SILENCE: Duration = Duration::from_secs(15);
/// The maximum number of rows in the table.
const MAX_ROWS: usize = 10;

pub(super) struct MatchDisplay {
    /// `None` without a terminal.
    bar: Option<ProgressBar>,
    players: Vec<String>,
    sprt: Option<Sprt>,
    /// The maximum number of games.
    games: usize,
    /// The number of games from earlier runs.
    recorded: usize,
    started: Instant,
    /// When the last line with the standings was printed.
    last_line: Cell<Instant>,
    /// The nodes that play.
    nodes: RefCell<Vec<NodeProgress>>,
    standings: RefCell<String>,
}

impl MatchDisplay {
    pub(super) fn new(tournament: &Tournament, recorded: usize) -> Self {
        let games = tournament.schedule().len();
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{msg}{bar:30} {pos}/{len} games  {elapsed}");
            let bar = ProgressBar::new(games as u64).with_position(recorded as u64);
            bar.enable_steady_tick(Duration::from_millis(500));
            bar.with_style(style.expect("the template is well-formed"))
        });
        let players = tournament
            .players
            .iter()
            .map(|player| player.name.clone())
            .collect();
        Self {
            bar,
            players,
            sprt: tournament.sprt,
            games,
            recorded,
            started: Instant::now(),
            last_line: Instant::now().into(),
            nodes: RefCell::default(),
            standings: RefCell::default(),
        }
    }

    pub(super) fn show(&self, finished: &FinishedMatchGame<'_>) {
        let FinishedMatchGame {
            scheduled,
            pgn,
            standings,
            ..
        } = finished;
        let name = |tag| pgn.tag(tag).unwrap_or_default();
        let mut line = format!(
            "game {}: {} - {} {} ({})",
            scheduled.number,
            name("White"),
            name("Black"),
            pgn.result,
            reason(pgn)
        );
        let is_fault = !matches!(name("Termination"), "normal" | "adjudication");
        if let Some(bar) = &self.bar {
            bar.inc(1);
            *self.standings.borrow_mut() = self.table(standings);
            self.show_message(bar);
            if is_fault {
                bar.suspend(|| print_message(&line));
            }
            return;
        }
        let count = standings.games() as usize;
        let is_due = count.is_multiple_of(self.games.div_ceil(LINES))
            || count == self.games
            || self.last_line.get().elapsed() >= MAX_SILENCE;
        if is_due {
            self.last_line.set(Instant::now());
            let (first, second) = scheduled.pairing;
            let row = standings
                .pairings
                .get(&scheduled.pairing)
                .map(Row::of)
                .unwrap_or_default();
            let [first, second] = [first, second].map(|player| &self.players[player]);
            let Row {
                score,
                elo,
                superiority,
                ..
            } = row;
            let _ = write!(
                line,
                "; {first} - {second}: {score}, {elo}, LOS {superiority}"
            );
            for part in self.test(standings).into_iter().chain([self.speed(count)]) {
                let _ = write!(line, "; {part}");
            }
        }
        if is_due || is_fault {
            print_message(&line);
        }
    }

    fn show_message(&self, bar: &ProgressBar) {
        let nodes = node_table(&self.nodes.borrow());
        bar.set_message(format!("{}{nodes}", self.standings.borrow()));
    }

    pub(super) fn clear(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }

    /// Returns the table with its line endings.
    fn table(&self, standings: &Standings) -> String {
        let names_of = |&(first, second): &(usize, usize)| {
            format!("{} - {}", self.players[first], self.players[second])
        };
        let rows: Vec<_> = standings
            .pairings
            .iter()
            .map(|(pairing, tally)| (names_of(pairing), Row::of(tally)))
            .collect();
        let width = rows
            .iter()
            .take(MAX_ROWS)
            .map(|(names, _)| names.chars().count())
            .max()
            .unwrap_or_default();
        let mut text = format!(
            "{:width$}  {:>6}  {:>16}  {:>7}  {:<16}  {:>7}\n",
            "players", "games", "won drawn lost", "score", "Elo (95 %)", "LOS"
        );
        for (
            names,
            Row {
                games,
                results,
                percent,
                elo,
                superiority,
                ..
            },
        ) in rows.iter().take(MAX_ROWS)
        {
            let elo = elo.split(" Elo").next().unwrap_or_default();
            let _ = writeln!(
                text,
                "{names:width$}  {games:>6}  {results:>16}  {percent:>7}  {elo:<16}  \
                 {superiority:>7}"
            );
        }
        if rows.len() > MAX_ROWS {
            let _ = writeln!(text, "and {} more", rows.len() - MAX_ROWS);
        }
        for part in self
            .test(standings)
            .into_iter()
            .chain([self.speed(standings.games() as usize)])
        {
            let _ = writeln!(text, "{part}");
        }
        text
    }

    /// Returns the state of the test, if there is one.
    fn test(&self, standings: &Standings) -> Option<String> {
        let (sprt, tally) = self.sprt.zip(standings.pairings.values().next())?;
        let state = sprt.state(tally);
        let (low, high) = state.bounds;
        Some(format!(
            "LLR {:.2} of {low:.2} to {high:.2} ({} to {} Elo)",
            state.llr, sprt.elo0, sprt.elo1
        ))
    }

    /// Returns the games per minute and the remaining time.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a match has fewer than 2^52 games"
    )]
    fn speed(&self, count: usize) -> String {
        let (played, elapsed) = (
            (count - self.recorded) as f64,
            self.started.elapsed().as_secs_f64(),
        );
        let left = elapsed / played.max(1.0) * (self.games - count) as f64;
        let most = if self.sprt.is_some() { "at most " } else { "" };
        let left = HumanDuration(Duration::from_secs_f64(left));
        format!(
            "{:.1} games/min, {most}{left:#} left",
            60.0 * played / elapsed.max(1e-3)
        )
    }
}

impl MatchObserver for MatchDisplay {
    fn note(&self, note: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print_message(note)),
            None => print_message(note),
        }
    }

    fn nodes(&self, nodes: &[NodeProgress]) {
        let before = self.nodes.replace(nodes.to_vec());
        if let Some(bar) = &self.bar {
            return self.show_message(bar);
        }
        for node in nodes {
            let earlier = before.iter().find(|earlier| earlier.name == node.name);
            if earlier.is_none_or(|earlier| earlier.standing != node.standing) {
                let slots = counted(node.slots, "slot");
                let standing = node.standing.into_str();
                print_message(&format!("node {}: {standing}, {slots}", node.name));
            }
        }
    }
}

/// Returns the table of nodes with its line ends; empty without nodes.
pub(super) fn node_table(nodes: &[NodeProgress]) -> String {
    let Some(width) = nodes.iter().map(|node| node.name.len().max(4)).max() else {
        return String::new();
    };
    let mut text = format!(
        "{:width$}  {:>6}  {:>7}  {:>10}  {:>6}  {:>4}  {:>7}  state\n",
        "node", "pairs", "playing", "speed", "faults", "void", "refused"
    );
    for NodeProgress {
        name,
        standing,
        slots,
        playing,
        speed,
        pairs,
        faults,
        void,
        refused,
        reason,
    } in nodes
    {
        let playing = format!("{playing} of {slots}");
        let speed = format!("{:.1} M/s", f64::from(*speed) / 1e3);
        let _ = write!(
            text,
            "{name:width$}  {pairs:>6}  {playing:>7}  {speed:>10}  {faults:>6}  {void:>4}  \
             {refused:>7}  {}",
            standing.into_str()
        );
        if let Some(reason) = reason {
            let _ = write!(text, ": {reason}");
        }
        text.push('\n');
    }
    text
}

/// The results of two players as text.
#[derive(Default)]
struct Row {
    games: u32,
    results: String,
    percent: String,
    /// The results and the points.
    score: String,
    elo: String,
    superiority: String,
}

impl Row {
    fn of(tally: &Tally) -> Self {
        let Tally {
            wins,
            draws,
            losses,
            ..
        } = tally;
        let estimate = EloEstimate::of(tally);
        let results = format!("+{wins} ={draws} -{losses}");
        let percent = format!(
            "{:.1} %",
            100.0 * tally.points() / f64::from(tally.games().max(1))
        );
        Self {
            games: tally.games(),
            score: format!("{results}, {percent}"),
            results,
            percent,
            elo: estimate
                .map(|estimate| estimate.to_string())
                .unwrap_or_default(),
            superiority: estimate
                .map(|it| format!("{:.1} %", 100.0 * it.superiority))
                .unwrap_or_default(),
        }
    }
}
