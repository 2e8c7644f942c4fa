//! A question, put to an engine.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use ai_api::{
    AiError, Bound, Host, Limits, Move, PvLine, Score, SearchInfo, SearchRequest, SearchResult, Wdl,
};

use crate::{
    engine::Engine,
    fen::fen,
    info::Info,
    notation,
    option::{CHESS960, EngineOption, LINES},
};

/// How long the engine may go unheard while the host may want a stop.
const TICK: Duration = Duration::from_millis(2);
/// How often at most a report repeats a depth.
const REPORT_PAUSE: Duration = Duration::from_millis(50);
/// After this, an engine that was told to stop is late.
const STOP_PATIENCE: Duration = Duration::from_millis(10);

/// Asks the engine.
pub(crate) fn search(
    engine: &mut Engine,
    question: &SearchRequest<'_>,
    host: &Host<'_>,
) -> Result<SearchResult, AiError> {
    prepare(engine, question)?;
    let moves = notation::game(&question.start, question.moves, host);
    let moves = if moves.is_empty() { moves } else { format!(" moves{moves}") };
    engine.say(&format!("position fen {}{moves}", fen(&question.start)))?;
    // Whatever it has said before this belongs to no question.
    engine.wait_until_ready()?;
    let go = go(question);
    engine.state.is_fresh = false;
    engine.say(&go)?;
    let mut thinking = Thinking::new(question, host);
    loop {
        if thinking.wants_stop() {
            engine.say("stop")?;
            thinking.stopped = Some(Instant::now());
        }
        let Some(line) = engine.line_within(TICK)? else {
            thinking.complain(engine);
            continue;
        };
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("info", text) => thinking.hear(Info::parse(text, question.position.turn())),
            ("bestmove", words) => {
                let word = words.split_whitespace().next().unwrap_or_default();
                return Ok(thinking.answer(word));
            }
            _ => {}
        }
    }
}

/// Sets what this question needs otherwise than the one before.
fn prepare(engine: &mut Engine, question: &SearchRequest<'_>) -> Result<(), AiError> {
    let chess960 = question.position.is_chess960();
    if chess960 != engine.state.chess960 {
        if !engine.options.iter().any(|option| option.name == CHESS960) {
            return Err(engine.failed("plays no Chess960: it has no option UCI_Chess960"));
        }
        engine.say(&format!("setoption name {CHESS960} value {chess960}"))?;
        engine.state.chess960 = chess960;
    }
    let most = engine.options.iter().find(|option| option.name == LINES).and_then(EngineOption::most);
    let lines = question.lines.clamp(1, most.map_or(1, |most| most.clamp(1, 256) as u32));
    if lines != engine.state.lines {
        engine.say(&format!("setoption name {LINES} value {lines}"))?;
        engine.state.lines = lines;
    }
    // What it remembers would make an answer depend on the questions before.
    if question.limits.depth.is_some() || question.limits.nodes.is_some() {
        engine.new_game()?;
    }
    Ok(())
}

/// The command with all the limits.
fn go(question: &SearchRequest<'_>) -> String {
    let mut go = "go".to_owned();
    let Limits { depth, nodes, mate_plies, soft_ms, .. } = question.limits;
    let clocks = question.clocks;
    // An engine with clocks divides the time itself; the host's hard limit is kept here.
    let movetime = soft_ms.filter(|_| clocks.is_none());
    let mate = mate_plies.map(|plies| u64::from(plies.div_ceil(2)));
    for (word, limit) in
        [("depth", depth.map(u64::from)), ("nodes", nodes), ("mate", mate), ("movetime", movetime)]
    {
        if let Some(limit) = limit {
            let _ = write!(go, " {word} {limit}");
        }
    }
    if go.len() == "go".len() && clocks.is_none() {
        go.push_str(" infinite");
    }
    if let Some(clocks) = clocks {
        let ([white, black], [winc, binc]) = (clocks.remaining_ms, clocks.increment_ms);
        let _ = write!(go, " wtime {white} btime {black} winc {winc} binc {binc}");
        if clocks.moves_to_go > 0 {
            let _ = write!(go, " movestogo {}", clocks.moves_to_go);
        }
    }
    // At the end, since nothing ends the list.
    if !question.root_moves.is_empty() {
        go.push_str(" searchmoves");
        for &chosen in question.root_moves {
            let _ = write!(go, " {}", notation::written(&question.position, chosen));
        }
    }
    go
}

/// What is known while an engine thinks.
struct Thinking<'a> {
    question: &'a SearchRequest<'a>,
    host: &'a Host<'a>,
    started: Instant,
    /// When it was told to stop.
    stopped: Option<Instant>,
    complained: bool,
    /// Beyond its limit, which it does not keep itself.
    is_beyond: bool,
    depth: u32,
    nodes: u64,
    /// The last that was heard of each line.
    heard: Vec<Option<Heard>>,
    /// The depth and time of each line's last report.
    reported: Vec<Option<(u32, Instant)>>,
}

/// A line of play, as the engine writes it.
struct Heard {
    score: Score,
    bound: Bound,
    wdl: Option<Wdl>,
    depth: u32,
    line: Vec<String>,
}

impl<'a> Thinking<'a> {
    fn new(question: &'a SearchRequest<'a>, host: &'a Host<'a>) -> Self {
        Self {
            question,
            host,
            started: Instant::now(),
            stopped: None,
            complained: false,
            is_beyond: false,
            depth: 0,
            nodes: 0,
            heard: Vec::new(),
            reported: Vec::new(),
        }
    }

    /// Whether the engine is to be told to stop now.
    fn wants_stop(&self) -> bool {
        let Limits { soft_ms, hard_ms, .. } = self.question.limits;
        let is_late =
            hard_ms.or(soft_ms).is_some_and(|ms| self.started.elapsed() >= Duration::from_millis(ms));
        self.stopped.is_none() && (is_late || self.is_beyond || self.host.should_stop())
    }

    /// Tells once, where the host keeps an AI's last words, that the engine does not stop.
    fn complain(&mut self, engine: &Engine) {
        if self.stopped.is_some_and(|stopped| stopped.elapsed() > STOP_PATIENCE) && !self.complained {
            self.complained = true;
            eprintln!("{}", engine.failed("does not stop"));
        }
    }

    fn hear(&mut self, info: Info) {
        self.nodes = info.nodes.unwrap_or(self.nodes).max(self.nodes);
        let depth = info.depth.unwrap_or(0);
        let Limits { depth: max_depth, nodes: max_nodes, .. } = self.question.limits;
        let is_too_deep = max_depth.is_some_and(|most| depth > most);
        self.is_beyond |= is_too_deep || max_nodes.is_some_and(|most| self.nodes >= most);
        let number = info.line_number.wrapping_sub(1) as usize;
        let (Some(score), false) = (info.score, info.line.is_empty()) else { return };
        if is_too_deep || number >= self.question.lines.max(1) as usize {
            return;
        }
        self.depth = self.depth.max(depth);
        if self.heard.len() <= number {
            self.heard.resize_with(number + 1, || None);
            self.reported.resize(number + 1, None);
        }
        // Each new depth at once, what else is new now and then.
        let now = Instant::now();
        if self.reported[number].is_none_or(|(before, at)| depth > before || now - at >= REPORT_PAUSE) {
            self.reported[number] = Some((depth, now));
            let moves = self.moves(&info.line);
            let selective_depth = info.selective_depth.unwrap_or(0);
            let (bound, wdl, pv_number) = (info.bound, info.wdl, info.line_number);
            let report = SearchInfo::new(depth, score, self.nodes, &moves);
            self.host.report(&SearchInfo { bound, wdl, pv_number, selective_depth, ..report });
        }
        // An exact score of an earlier depth says more than a bound.
        if info.bound == Bound::Exact || self.heard[number].is_none() {
            self.heard[number] =
                Some(Heard { score, bound: info.bound, wdl: info.wdl, depth, line: info.line });
        }
    }

    fn moves(&self, line: &[String]) -> Vec<Move> {
        notation::line(&self.question.position, line.iter().map(String::as_str), self.host)
    }

    /// What the engine found, with its last line of play if that begins with the move that it plays.
    fn answer(self, word: &str) -> SearchResult {
        let position = &self.question.position;
        let legal = self.host.legal_moves(position);
        let Some(chosen) = notation::read(position, &legal, word) else {
            // What is no legal move is told by the host as what it is.
            let named = notation::squares(word);
            let answer = SearchResult::play(named.unwrap_or(Move::from_bits(0)));
            return SearchResult { best_move: named, ..answer };
        };
        let as_line = |heard: &Heard| {
            let line = PvLine::new(heard.depth, heard.score, self.moves(&heard.line));
            PvLine { bound: heard.bound, wdl: heard.wdl, ..line }
        };
        let mut lines = self.heard.iter().flatten().map(as_line);
        let best = lines.next().unwrap_or_else(|| PvLine::new(0, Score::DRAW, vec![chosen]));
        let pv = if best.moves.first() == Some(&chosen) { best.moves } else { vec![chosen] };
        SearchResult {
            best_move: Some(chosen),
            score: best.score,
            bound: best.bound,
            wdl: best.wdl,
            depth: self.depth,
            nodes: self.nodes.max(1),
            pv,
            multipv: lines.collect(),
            ..SearchResult::play(chosen)
        }
    }
}
