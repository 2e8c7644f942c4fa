//! An AI that searches one ply, with the fault that its option `fault` names.

use std::{
    sync::LazyLock,
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use ai_api::{
    Ai, AiError, Bound, Capabilities, Color, EvalTerm, Evaluator, Host, Limits, Move, NodeKind,
    OptionSetting, OptionSpec, OptionValue, Options, Position, PvLine, Role, Score, SearchInfo,
    SearchRequest, SearchResult, Searcher, Square, TraceNode, export_ai,
};

/// The first value is not a fault.
const FAULTS: &[&str] = &[
    "none",
    "does_not_start",
    "starts_slowly",
    "varies_its_options",
    "computes_while_idle",
    "omits_help",
    "default_out_of_range",
    "rejects_the_minimum",
    "rejects_the_maximum",
    "crashes_on_wrong_types",
    "crashes_on_values_out_of_range",
    "crashes_on_unknown_options",
    "ignores_live_options",
    "plays_illegal_moves",
    "plays_some_illegal_moves",
    "ignores_root_moves",
    "exceeds_depth",
    "exceeds_nodes",
    "checks_nodes_rarely",
    "needs_two_nodes",
    "exceeds_movetime",
    "needs_two_milliseconds",
    "crashes_at_extremes",
    "slow_at_depth_1",
    "ignores_stop",
    "no_result_after_stop",
    "stays_stopped",
    "varies_its_result",
    "depends_on_earlier_requests",
    "forgets_slowly",
    "scores_for_the_side_to_move",
    "prefers_white",
    "draws_at_the_second_occurrence",
    "returns_false_mates",
    "wrong_sum_of_terms",
    "evaluates_mates",
    "plays_from_its_book_in_analysis",
    "returns_illegal_lines",
    "returns_line_of_another_move",
    "repeats_one_line",
    "traces_illegal_moves",
    "traces_another_score",
    "traces_false_mates",
    "trace_changes_the_result",
    "does_not_ponder",
    "ignores_ponderhit",
    "reports_illegal_lines",
    "reports_decreasing_nodes",
    "floods_reports",
    "leaks",
    "leaks_much",
    "exceeds_memory",
    "leaves_threads",
    "computes_after_its_result",
    "aborts_without_limits",
];

struct Faulty {
    fault: String,
    requests: u32,
    stopped: bool,
    kept: Vec<Vec<u8>>,
    pawn: i32,
}

/// Returns the setting of an option.
fn set<'s>(settings: &'s [OptionSetting], name: &str) -> Option<&'s OptionValue> {
    settings
        .iter()
        .find(|setting| setting.name == name)
        .map(|setting| &setting.value)
}

/// Returns a number that differs between workers, whose processes all have the same id.
fn process_number() -> u32 {
    static NUMBER: LazyLock<u32> = LazyLock::new(|| {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        now.subsec_micros() % 1000
    });
    *NUMBER
}

/// Waits until the host asks for a stop, or for 5 s.
fn await_stop(host: &Host<'_>) {
    let start = Instant::now();
    while !host.should_stop() && start.elapsed() < Duration::from_secs(5) {
        thread::yield_now();
    }
}

fn compute_for_ever() {
    thread::spawn(|| {
        let mut number = 0_u64;
        loop {
            number = std::hint::black_box(number.wrapping_add(1));
        }
    });
}

impl Ai for Faulty {
    fn options_for(settings: &[OptionSetting], _: &Host<'_>) -> Result<Vec<OptionSpec>, AiError> {
        let is = |fault: &str| set(settings, "fault") == Some(&OptionValue::Text(fault.into()));
        let strength = set(settings, "strength");
        if is("crashes_on_wrong_types") && matches!(strength, Some(OptionValue::Flag(_)))
            || is("crashes_on_values_out_of_range") && strength == Some(&OptionValue::Integer(10))
            || is("crashes_on_unknown_options") && settings.len() > 1
        {
            std::process::abort();
        }
        let help = if is("varies_its_options") {
            format!("playing strength ({})", process_number())
        } else {
            "playing strength".into()
        };
        let help = if is("omits_help") { "" } else { &help };
        let default = if is("default_out_of_range") { 10 } else { 3 };
        Ok(vec![
            OptionSpec::choice("fault", "none", FAULTS, "the fault"),
            OptionSpec::integer("strength", default, 1..=9, help),
            OptionSpec::integer("pawn", 100, 50..=150, "the value of a pawn").live(),
        ])
    }

    fn capabilities(_: &Options, _: &Host<'_>) -> Capabilities {
        Capabilities {
            chess960: true,
            root_moves: true,
            ponder: true,
            manages_time: true,
            max_lines: 4,
            max_trace_nodes: 300,
            memory_mb: 128,
            ..Capabilities::SIMPLEST
        }
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let fault = options.text("fault")?.to_owned();
        let strength = options.integer("strength")?;
        match fault.as_str() {
            "does_not_start" => return Err(AiError::new("the fault is does_not_start")),
            "rejects_the_minimum" if strength == 1 => return Err(AiError::new("too weak")),
            "rejects_the_maximum" if strength == 9 => return Err(AiError::new("too strong")),
            "starts_slowly" => thread::sleep(Duration::from_millis(2200)),
            "computes_while_idle" => compute_for_ever(),
            _ => {}
        }
        let pawn = options.integer("pawn")? as i32;
        Ok(Self {
            fault,
            requests: 0,
            stopped: false,
            kept: Vec::new(),
            pawn,
        })
    }

    fn new_game(&mut self, _: &Host<'_>) -> Result<(), AiError> {
        if self.is("forgets_slowly") {
            thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    fn set_option(&mut self, setting: &OptionSetting, _: &Host<'_>) -> Result<(), AiError> {
        if let OptionValue::Integer(pawn) = setting.value
            && !self.is("ignores_live_options")
        {
            self.pawn = pawn as i32;
        }
        Ok(())
    }
}

/// Returns a move that is illegal everywhere.
fn illegal() -> Move {
    Move::new(Square::from_index(0), Square::from_index(15))
}

impl Faulty {
    fn material(&self, position: &Position) -> i32 {
        let values = [
            (Role::Pawn, self.pawn),
            (Role::Knight, 300),
            (Role::Bishop, 310),
            (Role::Rook, 500),
            (Role::Queen, 900),
        ];
        let count = |color, role| position.pieces(color, role).count() as i32;
        values
            .into_iter()
            .map(|(role, value)| value * (count(Color::White, role) - count(Color::Black, role)))
            .sum()
    }

    fn is(&self, fault: &str) -> bool {
        self.fault == fault
    }

    /// Applies the fault to a score.
    fn distort(&self, score: Score, position: &Position) -> Score {
        match self.fault.as_str() {
            "scores_for_the_side_to_move" if position.turn() == Color::Black => -score,
            "prefers_white" => Score::centipawns(score.value() + 50),
            "depends_on_earlier_requests" => {
                Score::centipawns(score.value() + self.requests as i32)
            }
            "evaluates_mates" => Score::mate_in_plies(1),
            _ => score,
        }
    }

    /// Applies the faults that precede the search.
    fn begin(&mut self, request: &SearchRequest<'_>, host: &Host<'_>) -> Result<(), AiError> {
        let limits = request.limits;
        let Limits {
            depth,
            nodes,
            soft_ms,
            ..
        } = limits;
        let is_extreme = depth.is_some_and(|plies| plies >= 1000)
            || nodes.is_some_and(|nodes| nodes >= 1_000_000_000_000)
            || soft_ms.is_some_and(|ms| ms >= 60_000);
        match self.fault.as_str() {
            "needs_two_nodes" if limits == Limits::nodes(1) => {
                return Err(AiError::new("one node is not enough"));
            }
            "needs_two_milliseconds" if limits == Limits::movetime_ms(1) => {
                return Err(AiError::new("too short"));
            }
            "crashes_at_extremes" if is_extreme => std::process::abort(),
            "aborts_without_limits" if limits == Limits::NONE => std::process::abort(),
            "exceeds_movetime" => thread::sleep(Duration::from_millis(1400)),
            "slow_at_depth_1" if limits == Limits::depth(1) => {
                thread::sleep(Duration::from_millis(1200));
            }
            "ignores_stop" if is_extreme => {
                await_stop(host);
                // The delay is the fault: checks measure how late the result is.
                thread::sleep(Duration::from_millis(1500));
            }
            "no_result_after_stop" | "stays_stopped" if is_extreme => {
                await_stop(host);
                self.stopped = true;
                if self.is("no_result_after_stop") {
                    return Err(AiError::new("no result yet"));
                }
            }
            "leaks" => self.kept.push(vec![1; 64 << 10]),
            "leaks_much" => self.kept.push(vec![1; 1 << 20]),
            "exceeds_memory" if self.kept.is_empty() => self.kept.push(vec![1; 200 << 20]),
            "leaves_threads" if self.requests < 5 => _ = thread::spawn(thread::park),
            "computes_after_its_result" if self.requests == 1 => compute_for_ever(),
            _ => {}
        }
        Ok(())
    }

    /// Applies the faults to the result.
    fn end(&self, mut result: SearchResult, request: &SearchRequest<'_>) -> SearchResult {
        let position = &request.position;
        result.score = self.distort(result.score, position);
        match self.fault.as_str() {
            "plays_illegal_moves" => result.best_move = Some(illegal()),
            "plays_some_illegal_moves" if position.hash().is_multiple_of(8) => {
                result.best_move = Some(illegal());
            }
            "trace_changes_the_result" if request.trace_nodes > 0 => result.nodes += 1,
            "traces_another_score" => result.score = Score::centipawns(result.score.value() + 1),
            "exceeds_depth" => {
                if let Some(depth) = request.limits.depth {
                    result.depth = depth.saturating_add(1);
                }
            }
            "exceeds_nodes" | "checks_nodes_rarely" => {
                if let Some(nodes) = request.limits.nodes {
                    let beyond = if self.is("exceeds_nodes") { 1025 } else { 1024 };
                    result.nodes = nodes.saturating_add(beyond);
                }
            }
            "stays_stopped" if self.stopped => result.nodes = 0,
            "varies_its_result" => result.nodes += u64::from(process_number()),
            "depends_on_earlier_requests" => result.nodes += u64::from(self.requests),
            "returns_false_mates" => {
                let mate = Score::mate_in_plies(1);
                result.score = if position.turn() == Color::White {
                    mate
                } else {
                    -mate
                };
            }
            "plays_from_its_book_in_analysis" if position.fullmove_number() < 5 => {
                let best = result.best_move.expect("the search has found one");
                result = SearchResult {
                    score: result.score,
                    ..SearchResult::play(best)
                };
            }
            "returns_illegal_lines" => result.pv.push(illegal()),
            "returns_line_of_another_move" => result.pv = vec![illegal()],
            "repeats_one_line" => {
                let line = PvLine::new(1, result.score, result.pv.clone());
                result.multipv = result.multipv.iter().map(|_| line.clone()).collect();
            }
            _ => {}
        }
        result
    }

    /// Returns the root and a leaf for each move.
    fn trace(
        &self,
        scored: &[(Score, Move)],
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Vec<TraceNode> {
        let node = |parent, depth, score, chosen, kind| {
            let (alpha, beta) = (Score::MIN, Score::MAX);
            TraceNode {
                parent,
                depth,
                alpha,
                beta,
                score,
                chosen,
                bound: Bound::Exact,
                kind,
                ..TraceNode::ROOT
            }
        };
        let (score, best) = scored[0];
        let root = node(TraceNode::NO_PARENT, 1, score, best, NodeKind::Complete);
        let leaves = scored.iter().map(|&(score, chosen)| {
            let next = host.play(&request.position, chosen);
            let kind = match (host.has_legal_move(&next), next.in_check()) {
                (false, true) => NodeKind::Checkmate,
                (false, false) => NodeKind::Stalemate,
                _ if self.is("traces_false_mates") => NodeKind::Checkmate,
                _ => NodeKind::StaticEval,
            };
            node(
                0,
                0,
                score,
                if self.is("traces_illegal_moves") {
                    illegal()
                } else {
                    chosen
                },
                kind,
            )
        });
        std::iter::once(root)
            .chain(leaves)
            .take(request.trace_nodes as usize)
            .collect()
    }

    fn report(&self, result: &SearchResult, host: &Host<'_>) {
        let send = |depth, nodes, line: &[Move]| {
            host.report(&SearchInfo::new(depth, result.score, nodes, line));
        };
        match self.fault.as_str() {
            "reports_illegal_lines" => send(1, result.nodes, &[illegal()]),
            "reports_decreasing_nodes" => {
                send(1, result.nodes, &result.pv);
                send(1, result.nodes.saturating_sub(1), &result.pv);
            }
            "floods_reports" => (0..500).for_each(|_| send(1, result.nodes, &result.pv)),
            _ => send(1, result.nodes, &result.pv),
        }
    }
}

impl Searcher for Faulty {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        self.requests += 1;
        self.begin(request, host)?;
        let position = &request.position;
        let mut moves = host.legal_moves(position).to_vec();
        if !request.root_moves.is_empty() && !self.is("ignores_root_moves") {
            moves.retain(|chosen| request.root_moves.contains(chosen));
        } else if self.is("ignores_root_moves") {
            moves.retain(|chosen| {
                request.root_moves.is_empty() || !request.root_moves.contains(chosen)
            });
        }
        if let Some(most) = request.limits.nodes {
            moves.truncate(usize::try_from(most).unwrap_or(usize::MAX).max(1));
        }
        let sign = if position.turn() == Color::White {
            1
        } else {
            -1
        };
        let score_of = |chosen: Move| {
            let next = host.play(position, chosen);
            match (host.has_legal_move(&next), next.in_check()) {
                (false, true) if sign > 0 => Score::mate_in_plies(1),
                (false, true) => Score::mated_in_plies(1),
                (false, false) => Score::DRAW,
                _ if self.is("draws_at_the_second_occurrence")
                    && request.history.contains(&next.hash()) =>
                {
                    Score::DRAW
                }
                _ => Score::centipawns(self.material(&next)),
            }
        };
        let mut scored: Vec<_> = moves
            .iter()
            .map(|&chosen| (score_of(chosen), chosen))
            .collect();
        scored.sort_by_key(|(score, _)| -sign * score.value());
        let (score, best) = *scored
            .first()
            .ok_or_else(|| AiError::new("there is no legal move"))?;
        let mut result = SearchResult {
            score,
            depth: 1,
            nodes: scored.len() as u64,
            ..SearchResult::play(best)
        };
        let further = scored
            .iter()
            .skip(1)
            .take((request.lines as usize).saturating_sub(1));
        result.multipv = further
            .map(|&(score, chosen)| PvLine::new(1, score, vec![chosen]))
            .collect();
        if request.trace_nodes > 0 {
            result.trace = self.trace(&scored, request, host);
        }
        self.report(&result, host);
        let ponders = host.is_pondering();
        while host.is_pondering() && !host.should_stop() && !self.is("does_not_ponder") {
            thread::yield_now();
        }
        if ponders && self.is("ignores_ponderhit") {
            thread::sleep(Duration::from_millis(1400));
        }
        Ok(self.end(result, request))
    }
}

impl Evaluator for Faulty {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        self.requests += 1;
        self.distort(Score::centipawns(self.material(position)), position)
    }

    fn terms(&mut self, position: &Position, _: &Host<'_>) -> Vec<EvalTerm> {
        let wrong = i32::from(self.is("wrong_sum_of_terms"));
        let material = self.distort(Score::centipawns(self.material(position)), position);
        vec![EvalTerm::new(
            "material",
            Score::from_value(material.value() + wrong),
        )]
    }
}

export_ai!(Faulty: Searcher + Evaluator, id = "faulty", name = "Faulty");
