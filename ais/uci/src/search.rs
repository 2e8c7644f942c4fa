//! Searches with an engine.

use std::{
    fmt::Write,
    rc::Rc,
    time::{Duration, Instant},
};

use ai_api::{
    AiError, Bound, Host, Limits, Move, PvLine, Score, SearchInfo, SearchRequest, SearchResult,
};

use crate::{
    engine::Engine,
    fen::{STANDARD, fen},
    info::{Event, Info},
    notation, number,
    option::{CHESS960, LINES},
};

/// The interval at which the limits and the host's stop flag are checked.
const TICK: Duration = Duration::from_millis(2);
/// The shortest interval between two reports of the same depth.
const REPORT_PAUSE: Duration = Duration::from_millis(50);
/// The shortest interval between two reports of a line. A short search reports its lines at its
/// end.
const DEPTH_PAUSE: Duration = Duration::from_millis(5);
/// The delay before `stop` is sent again.
const STOP_AGAIN_AFTER: Duration = Duration::from_millis(60);
/// How long after `stop` an engine may reply before it counts as late.
const STOP_PATIENCE: Duration = Duration::from_millis(10);

/// Longer words from an engine are truncated in messages.
const MAX_WORD_CHARS: usize = 20;
/// Words that engines write if they have no move. Case is ignored.
const NO_MOVE: [&str; 6] = ["", "(none)", "none", "0000", "(null)", "null"];

pub(crate) fn search(
    engine: &mut Engine,
    request: &SearchRequest<'_>,
    host: &Host<'_>,
) -> Result<SearchResult, AiError> {
    prepare(engine, request)?;
    engine.state.is_fresh = false;
    if let Some(xboard) = &mut engine.xboard {
        xboard.go(&mut engine.process, request, host)?;
    } else {
        engine.go(
            &position(request, host),
            &go(request, engine.untimed_search_ms),
        )?;
    }
    let mut state = SearchState::new(request, host);
    let mut checked = Instant::now();
    loop {
        let line = engine.process.line_within(TICK)?;
        match line
            .as_deref()
            .map(|line| event(engine, line, request, host))
            .transpose()?
        {
            Some(Event::Info(info)) => state.update(info),
            Some(Event::BestMove(word)) => {
                state.report_lines();
                let Some(result) = state.result(&word) else {
                    let word: String = word
                        .chars()
                        .filter(|letter| !letter.is_control())
                        .take(MAX_WORD_CHARS)
                        .collect();
                    return Err(engine.process.failed(&format!(
                        "played '{word}', which is not a move; expected UCI notation, such as g1f3 \
                         or a7a8q"
                    )));
                };
                return match result.best_move {
                    Some(outside) if !is_allowed(request, outside) => {
                        Err(engine.process.failed(&format!(
                            "ignores searchmoves: it chose {outside}, which was not among them"
                        )))
                    }
                    _ => Ok(result),
                };
            }
            Some(Event::Other) => {}
            None => state.report_lines(),
        }
        // An engine that has reached a limit has this long to stop by itself.
        if line.is_none() || checked.elapsed() >= TICK {
            checked = Instant::now();
            state.report_late(engine);
            if state.must_stop() {
                engine.stop()?;
                state.stopped = Some(Instant::now());
            } else if state.must_stop_again() {
                engine.stop()?;
                state.is_stopped_again = true;
            }
        }
    }
}

fn event(
    engine: &mut Engine,
    line: &str,
    request: &SearchRequest<'_>,
    host: &Host<'_>,
) -> Result<Event, AiError> {
    if let Some(xboard) = &mut engine.xboard {
        return xboard.event(&mut engine.process, line, request, host);
    }
    Ok(match line.split_once(' ').unwrap_or((line, "")) {
        ("info", text) => Event::Info(Info::parse(text, request.position.turn())),
        ("bestmove", words) => Event::BestMove(
            words
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned(),
        ),
        _ => Event::Other,
    })
}

/// Sets the options that this request needs, if they differ from the previous request's.
fn prepare(engine: &mut Engine, request: &SearchRequest<'_>) -> Result<(), AiError> {
    let chess960 = request.position.is_chess960();
    if chess960 != engine.state.chess960 {
        if !engine.has_option(CHESS960) {
            return Err(engine
                .process
                .failed("does not play Chess960: it has no option UCI_Chess960"));
        }
        engine.set(CHESS960, chess960)?;
        engine.state.chess960 = chess960;
    }
    engine.set_analysis(request.analysis)?;
    let lines = request.lines.clamp(1, engine.max_lines());
    if lines != engine.state.lines {
        engine.set(LINES, lines)?;
        engine.state.lines = lines;
    }
    Ok(())
}

/// Returns the `position` command.
fn position(request: &SearchRequest<'_>, host: &Host<'_>) -> String {
    let start = match fen(&request.start) {
        standard if standard == STANDARD => "startpos".to_owned(),
        other => format!("fen {other}"),
    };
    let moves = notation::game(&request.start, request.moves, host);
    let moves = if moves.is_empty() {
        moves
    } else {
        format!(" moves{moves}")
    };
    format!("position {start}{moves}")
}

/// Returns the `go` command with all limits, except for limits that are too large for an engine.
/// [`SearchState`] enforces those.
fn go(request: &SearchRequest<'_>, untimed_search_ms: Option<u64>) -> String {
    let mut go = "go".to_owned();
    let Limits {
        depth,
        nodes,
        mate_plies,
        soft_ms,
        ..
    } = request.limits;
    let clocks = request.clocks;
    // An engine with clocks manages the time; this library enforces the host's hard limit.
    let movetime = soft_ms.or(untimed_search_ms).filter(|_| clocks.is_none());
    let mate = mate_plies.map(|plies| u64::from(plies.div_ceil(2)));
    for (word, limit) in [
        ("depth", depth.map(u64::from)),
        ("nodes", nodes),
        ("mate", mate),
        ("movetime", movetime),
    ] {
        if let Some(limit) = limit.and_then(number::limit) {
            let _ = write!(go, " {word} {limit}");
        }
    }
    if go.len() == "go".len() && clocks.is_none() {
        go.push_str(" infinite");
    }
    if let Some(clocks) = clocks {
        let [white, black] = clocks.remaining_ms.map(number::clock_ms);
        let [winc, binc] = clocks.increment_ms.map(number::clock_ms);
        let _ = write!(go, " wtime {white} btime {black} winc {winc} binc {binc}");
        if let Some(moves) = number::limit(clocks.moves_to_go.into()).filter(|&moves| moves > 0) {
            let _ = write!(go, " movestogo {moves}");
        }
    }
    // Last, because nothing terminates the list.
    if !request.root_moves.is_empty() {
        go.push_str(" searchmoves");
        for &chosen in request.root_moves {
            let _ = write!(go, " {}", notation::written(&request.position, chosen));
        }
    }
    go
}

/// Returns whether the request allows a move.
fn is_allowed(request: &SearchRequest<'_>, chosen: Move) -> bool {
    request.root_moves.is_empty() || request.root_moves.contains(&chosen)
}

struct SearchState<'a> {
    request: &'a SearchRequest<'a>,
    host: &'a Host<'a>,
    started: Instant,
    /// When `stop` was sent.
    stopped: Option<Instant>,
    is_late_reported: bool,
    is_stopped_again: bool,
    /// Whether the engine exceeds a limit that only this library enforces.
    is_beyond: bool,
    /// The last depth reported for any line.
    depth: u32,
    nodes: u64,
    lines: Vec<Line>,
    tablebase_hits: u64,
    hashfull: u16,
    /// When the last current move was reported.
    news_at: Option<Instant>,
}

/// One of several lines. Values that an `info` omits stay as they were.
struct Line {
    /// The last exact result, or a bound if there is none.
    best: Option<Rc<Info>>,
    /// The last score, depth and moves.
    latest: Option<Rc<Info>>,
    /// The depth and time of the last report.
    reported: (u32, Instant),
}

impl<'a> SearchState<'a> {
    fn new(request: &'a SearchRequest<'a>, host: &'a Host<'a>) -> Self {
        Self {
            request,
            host,
            started: Instant::now(),
            stopped: None,
            is_late_reported: false,
            is_stopped_again: false,
            is_beyond: false,
            depth: 0,
            nodes: 0,
            lines: Vec::new(),
            tablebase_hits: 0,
            hashfull: 0,
            news_at: None,
        }
    }

    /// Returns whether to send `stop` now.
    fn must_stop(&self) -> bool {
        let Limits {
            soft_ms, hard_ms, ..
        } = self.request.limits;
        let is_late = hard_ms
            .or(soft_ms)
            .is_some_and(|ms| self.started.elapsed() >= Duration::from_millis(ms));
        self.stopped.is_none() && (is_late || self.is_beyond || self.host.should_stop())
    }

    /// Returns whether to send `stop` again now. Some engines overlook a `stop` right after `go`,
    /// but obey the next one.
    fn must_stop_again(&self) -> bool {
        let is_due = self
            .stopped
            .is_some_and(|stopped| stopped.elapsed() >= STOP_AGAIN_AFTER);
        is_due && !self.is_stopped_again
    }

    /// Logs once, to standard error, that the engine does not stop.
    fn report_late(&mut self, engine: &Engine) {
        if self
            .stopped
            .is_some_and(|stopped| stopped.elapsed() > STOP_PATIENCE)
            && !self.is_late_reported
        {
            self.is_late_reported = true;
            eprintln!("{}", engine.process.failed("does not stop"));
        }
    }

    fn update(&mut self, mut info: Info) {
        self.nodes = info.nodes.unwrap_or(self.nodes).max(self.nodes);
        let Limits {
            depth: max_depth,
            nodes: max_nodes,
            ..
        } = self.request.limits;
        let is_too_deep = info
            .depth
            .zip(max_depth)
            .is_some_and(|(depth, most)| depth > most);
        self.is_beyond |= is_too_deep || max_nodes.is_some_and(|most| self.nodes >= most);
        let number = info.line_number.wrapping_sub(1) as usize;
        self.tablebase_hits = info.tablebase_hits.unwrap_or(self.tablebase_hits);
        self.hashfull = info.hashfull.unwrap_or(self.hashfull);
        if info.score.is_none() && info.line.is_empty() {
            // With `currmove`, `depth` means an iteration that has only begun.
            let is_reached = !is_too_deep && info.current.is_none();
            self.depth = info.depth.filter(|_| is_reached).unwrap_or(self.depth);
            return self.report_news(&info);
        }
        // Some engines begin with a depth beyond the limit.
        let is_needless = is_too_deep && !self.lines.is_empty();
        if is_needless || number >= self.request.lines.max(1) as usize {
            return;
        }
        let depth = *info.depth.get_or_insert(self.depth);
        self.depth = depth;
        while self.lines.len() <= number {
            self.lines.push(Line {
                best: None,
                latest: None,
                reported: (0, self.started),
            });
        }
        let line = &mut self.lines[number];
        if let Some(before) = &line.latest {
            info.add_to(before);
        }
        let info = Rc::new(info);
        // An exact score from an earlier depth takes precedence over a bound.
        if info.score.is_some() && (info.bound == Bound::Exact || line.best.is_none()) {
            line.best = Some(Rc::clone(&info));
        }
        line.latest = Some(info);
        let (reported, at) = line.reported;
        let pause = if depth > reported {
            DEPTH_PAUSE
        } else {
            REPORT_PAUSE
        };
        if at.elapsed() >= pause {
            self.report_line(number);
        }
    }

    /// Reports each line with a new depth.
    fn report_lines(&mut self) {
        for number in 0..self.lines.len() {
            let line = &self.lines[number];
            if line
                .latest
                .as_ref()
                .and_then(|info| info.depth)
                .unwrap_or(0)
                > line.reported.0
            {
                self.report_line(number);
            }
        }
    }

    fn report_line(&mut self, number: usize) {
        let line = &mut self.lines[number];
        let Some(info) = line.latest.clone() else {
            return;
        };
        let Some(score) = info.score else { return };
        let depth = info.depth.unwrap_or(0);
        line.reported = (depth, Instant::now());
        let moves = self.moves(&info.line);
        if moves
            .first()
            .is_none_or(|&outside| !is_allowed(self.request, outside))
        {
            return;
        }
        self.host.report(&SearchInfo {
            bound: info.bound,
            wdl: info.wdl,
            pv_number: info.line_number,
            selective_depth: info.selective_depth.unwrap_or(0),
            hashfull: self.hashfull,
            tablebase_hits: self.tablebase_hits,
            ..SearchInfo::new(depth, score, self.nodes, &moves)
        });
    }

    /// Reports a message, or the current move at intervals.
    fn report_news(&mut self, info: &Info) {
        let news = SearchInfo {
            depth: info.depth.unwrap_or(0),
            ..SearchInfo::news(self.nodes)
        };
        if let Some(text) = info.text.as_deref() {
            self.host.report(&SearchInfo {
                text: Some(text),
                ..news
            });
        }
        let Some((word, number)) = &info.current else {
            return;
        };
        if self.news_at.is_some_and(|at| at.elapsed() < REPORT_PAUSE) {
            return;
        }
        if let Some(&chosen) = self.moves(word).first() {
            self.news_at = Some(Instant::now());
            self.host.report(&SearchInfo {
                current: Some((chosen, *number)),
                ..news
            });
        }
    }

    fn moves(&self, line: &str) -> Vec<Move> {
        notation::line(&self.request.position, line.split_whitespace(), self.host)
    }

    /// Returns the result, with the engine's last line if it starts with the move played. Returns
    /// `None` if the word is not a move.
    fn result(self, word: &str) -> Option<SearchResult> {
        let position = &self.request.position;
        let legal = self.host.legal_moves(position);
        let Some(chosen) = notation::parse(position, &legal, word) else {
            let word = word.to_ascii_lowercase();
            // An illegal move is returned, and the host reports it.
            let illegal = notation::squares(&word).filter(|named| named.from() != named.to());
            let illegal = illegal.map(SearchResult::play);
            return illegal.or(NO_MOVE
                .contains(&word.as_str())
                .then_some(SearchResult::NONE));
        };
        let as_line = |found: &Rc<Info>| {
            let (depth, score) = (found.depth.unwrap_or(0), found.score.unwrap_or(Score::DRAW));
            let line = PvLine::new(depth, score, self.moves(&found.line));
            PvLine {
                bound: found.bound,
                wdl: found.wdl,
                ..line
            }
        };
        let mut lines = self
            .lines
            .iter()
            .filter_map(|line| line.best.as_ref())
            .map(as_line);
        let best = lines
            .next()
            .unwrap_or_else(|| PvLine::new(self.depth, Score::DRAW, vec![chosen]));
        let pv = if best.moves.first() == Some(&chosen) {
            best.moves
        } else {
            vec![chosen]
        };
        Some(SearchResult {
            score: best.score,
            bound: best.bound,
            wdl: best.wdl,
            depth: if best.depth == 0 {
                self.depth
            } else {
                best.depth
            },
            nodes: self.nodes.max(1),
            pv,
            multipv: lines.collect(),
            ..SearchResult::play(chosen)
        })
    }
}

#[cfg(test)]
mod tests {
    use ai_api::Clocks;

    use super::*;

    #[test]
    fn no_number_exceeds_32_bits() {
        let most = u64::from(i32::MAX as u32);
        let of = |limits| SearchRequest::new(rules::start_position(), limits);
        let nodes = |nodes| Limits {
            nodes: Some(nodes),
            ..Limits::NONE
        };
        for (request, expected) in [
            (of(nodes(most)), "go nodes 2147483647"),
            (of(nodes(most + 1)), "go infinite"),
            (
                of(Limits {
                    depth: Some(u32::MAX),
                    ..nodes(u64::MAX)
                }),
                "go infinite",
            ),
            (
                of(Limits {
                    mate_plies: Some(u32::MAX),
                    ..Limits::NONE
                }),
                "go infinite",
            ),
            (
                of(Limits {
                    depth: Some(9),
                    ..nodes(u64::MAX)
                }),
                "go depth 9",
            ),
            (of(Limits::movetime_ms(most + 1)), "go infinite"),
            (
                SearchRequest {
                    clocks: Some(Clocks {
                        remaining_ms: [u64::MAX, 5],
                        increment_ms: [0, u64::MAX],
                        moves_to_go: u32::MAX,
                        ..Clocks::default()
                    }),
                    ..of(Limits::NONE)
                },
                "go wtime 2147483647 btime 5 winc 0 binc 2147483647",
            ),
        ] {
            assert_eq!(go(&request, None), expected);
        }
    }

    #[test]
    fn a_limit_beyond_32_bits_stops_the_search() {
        let (limit, flag) = (1 << 40, ai_api::Flag::new(false));
        let host = Host::new(&rules::RULES, &flag, &|_| ());
        let limits = Limits {
            nodes: Some(limit),
            ..Limits::NONE
        };
        let request = SearchRequest::new(rules::start_position(), limits);
        let mut state = SearchState::new(&request, &host);
        for (nodes, stops) in [(limit - 1, false), (limit, true)] {
            state.update(Info::parse(
                &format!("depth 9 nodes {nodes}"),
                ai_api::Color::White,
            ));
            assert_eq!(state.must_stop(), stops, "{nodes}");
        }
    }

    #[test]
    fn uses_every_field_of_every_info() {
        let flag = ai_api::Flag::new(false);
        let host = Host::new(&rules::RULES, &flag, &|_| ());
        let request = SearchRequest::new(rules::start_position(), Limits::NONE);
        let pv = "info depth 3 score cp 7 nodes 5 pv e2e4 e7e5";
        for (infos, depth, score, nodes, moves) in [
            (&["depth 9 score cp 123 nodes 1000"][..], 9, 123, 1000, 1),
            (&["depth 9", "score cp 123", "nodes 1000"], 9, 123, 1000, 1),
            (&["score cp 123", "depth 9", "nodes 1000"], 9, 123, 1000, 1),
            (&["depth 9 pv e2e4 e7e5", "score cp 123"], 9, 123, 1, 2),
            (&["score cp 123", "depth 9 pv e2e4 e7e5"], 9, 123, 1, 2),
            (&[pv, "depth 4 score cp 8"], 4, 8, 5, 2),
            (&[pv, "depth 2 score cp 8 pv d2d4"], 2, 8, 5, 1),
            (&[pv, "depth 4 currmove d2d4 currmovenumber 1"], 3, 7, 5, 2),
            (&[pv, "depth 4 score cp 90 lowerbound nodes 6"], 3, 7, 6, 2),
            (&["depth 9"], 9, 0, 1, 1),
            (&[], 0, 0, 1, 1),
        ] {
            let mut state = SearchState::new(&request, &host);
            for info in infos {
                let text = info.strip_prefix("info ").unwrap_or(info);
                state.update(Info::parse(text, ai_api::Color::White));
            }
            let result = state.result("e2e4").unwrap();
            let found = (
                result.depth,
                result.score.value(),
                result.nodes,
                result.pv.len(),
            );
            assert_eq!(found, (depth, score, nodes, moves), "{infos:?}");
        }
    }

    #[test]
    fn accepts_only_moves_in_uci_notation() {
        let flag = ai_api::Flag::new(false);
        let host = Host::new(&rules::RULES, &flag, &|_| ());
        let position = rules::parse_fen("4k3/P7/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        let request = SearchRequest::new(position, Limits::NONE);
        for (word, played) in [
            ("a7a8q", Some("a7a8q")),
            ("a7a8Q", Some("a7a8q")),
            ("E1E2", Some("e1e2")),
            ("E1E8", Some("e1e8")),
            ("(none)", Some("none")),
            ("NULL", Some("none")),
            ("", Some("none")),
            ("Ke2", None),
            ("a8=Q", None),
            ("resign", None),
            ("a1a1", None),
        ] {
            let result = SearchState::new(&request, &host).result(word);
            let chosen = result.map(|result| {
                result
                    .best_move
                    .map_or("none".into(), |best| best.to_string())
            });
            assert_eq!(chosen.as_deref(), played, "{word}");
        }
    }

    #[test]
    fn writes_the_standard_start_as_startpos() {
        let flag = ai_api::Flag::new(false);
        let host = Host::new(&rules::RULES, &flag, &|_| ());
        for (fen, moves, expected) in [
            (
                STANDARD,
                &["e2e4", "e7e5"][..],
                "position startpos moves e2e4 e7e5",
            ),
            (STANDARD, &[], "position startpos"),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
                &[],
                "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
            ),
            (
                "4k3/8/8/8/8/8/8/R3K3 w Q - 3 9",
                &["e1c1"],
                "position fen 4k3/8/8/8/8/8/8/R3K3 w Q - 3 9 moves e1c1",
            ),
        ] {
            let start = rules::parse_fen(fen).unwrap();
            let mut game = rules::Game::new(start);
            for text in moves {
                game.play(rules::parse_uci(game.position(), text).unwrap())
                    .unwrap();
            }
            let request = SearchRequest {
                start,
                moves: game.moves(),
                ..SearchRequest::new(*game.position(), Limits::NONE)
            };
            assert_eq!(position(&request, &host), expected);
        }
    }
}
