//! An AI that looks one ply ahead, and does the one thing wrong that its option `fault` names.

use std::{
    thread,
    time::{Duration, Instant},
};

use ai_api::{
    Ai, AiError, Bound, Capabilities, Color, EvalTerm, Evaluator, Host, Limits, Move, NodeKind,
    OptionSetting, OptionSpec, OptionValue, Options, Position, PvLine, Role, Score, SearchInfo,
    SearchRequest, SearchResult, Searcher, Square, TraceNode, export_ai,
};

/// The first is no fault.
const FAULTS: &[&str] = &[
    "none",
    "does_not_start",
    "starts_slowly",
    "is_described_by_chance",
    "never_rests",
    "gives_no_help",
    "contradicts_itself",
    "does_not_start_with_least",
    "does_not_start_with_greatest",
    "crashes_when_told_wrong_types",
    "crashes_when_told_too_much",
    "crashes_when_told_unknown_options",
    "ignores_live_options",
    "plays_illegal_moves",
    "plays_illegal_moves_at_times",
    "chooses_among_all",
    "searches_too_deep",
    "looks_at_too_much",
    "counts_now_and_then",
    "needs_two_nodes",
    "is_late",
    "needs_two_milliseconds",
    "crashes_at_extremes",
    "begins_slowly",
    "does_not_listen",
    "has_nothing_at_once",
    "stays_stopped",
    "decides_by_chance",
    "counts_questions",
    "scores_for_the_mover",
    "prefers_white",
    "tells_false_mates",
    "adds_up_wrong",
    "judges_mates",
    "tells_illegal_lines",
    "tells_another_line",
    "tells_one_line_twice",
    "traces_illegal_moves",
    "traces_another_score",
    "traces_false_mates",
    "is_changed_by_a_trace",
    "does_not_ponder",
    "thinks_on_after_the_hit",
    "reports_illegal_lines",
    "reports_backwards",
    "reports_without_end",
    "leaks",
    "hoards",
    "leaves_threads",
    "goes_on_after_its_answer",
    "aborts_without_limits",
];

struct Faulty {
    fault: String,
    asked: u32,
    stopped: bool,
    kept: Vec<Vec<u8>>,
    pawn: i32,
}

/// What is set as the option of this name.
fn set<'s>(settings: &'s [OptionSetting], name: &str) -> Option<&'s OptionValue> {
    settings.iter().find(|setting| setting.name == name).map(|setting| &setting.value)
}

/// A number that is another one in each process.
fn chance() -> u32 {
    std::process::id() % 1000
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
        if is("crashes_when_told_wrong_types") && matches!(strength, Some(OptionValue::Flag(_)))
            || is("crashes_when_told_too_much") && strength == Some(&OptionValue::Integer(10))
            || is("crashes_when_told_unknown_options") && settings.len() > 1
        {
            std::process::abort();
        }
        let help = if is("is_described_by_chance") {
            format!("how hard it tries ({})", chance())
        } else {
            "how hard it tries".into()
        };
        let help = if is("gives_no_help") { "" } else { &help };
        let default = if is("contradicts_itself") { 10 } else { 3 };
        Ok(vec![
            OptionSpec::choice("fault", "none", FAULTS, "what it does wrong"),
            OptionSpec::integer("strength", default, 1..=9, help),
            OptionSpec::integer("pawn", 100, 50..=150, "what a pawn is worth").live(),
        ])
    }

    fn capabilities(_: &Options, _: &Host<'_>) -> Capabilities {
        Capabilities {
            chess960: true,
            root_moves: true,
            ponder: true,
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
            "does_not_start" => return Err(AiError::new("it never does")),
            "does_not_start_with_least" if strength == 1 => return Err(AiError::new("too weak")),
            "does_not_start_with_greatest" if strength == 9 => return Err(AiError::new("too strong")),
            "starts_slowly" => thread::sleep(Duration::from_millis(2200)),
            "never_rests" => compute_for_ever(),
            _ => {}
        }
        let pawn = options.integer("pawn")? as i32;
        Ok(Self { fault, asked: 0, stopped: false, kept: Vec::new(), pawn })
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

/// What can't be played anywhere.
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

    /// What the fault makes of a score.
    fn bent(&self, score: Score, position: &Position) -> Score {
        match self.fault.as_str() {
            "scores_for_the_mover" if position.turn() == Color::Black => -score,
            "prefers_white" => Score::centipawns(score.value() + 50),
            "counts_questions" => Score::centipawns(score.value() + self.asked as i32),
            "judges_mates" => Score::mate_in_plies(1),
            _ => score,
        }
    }

    /// What is wrong before it looks at a move.
    fn begin(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<(), AiError> {
        let limits = question.limits;
        let Limits { depth, nodes, soft_ms, .. } = limits;
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
            "is_late" => thread::sleep(Duration::from_millis(1400)),
            "begins_slowly" if limits == Limits::depth(1) => thread::sleep(Duration::from_millis(1200)),
            "does_not_listen" if is_extreme => thread::sleep(Duration::from_millis(1500)),
            "has_nothing_at_once" | "stays_stopped" if is_extreme => {
                let start = Instant::now();
                while !host.should_stop() && start.elapsed() < Duration::from_secs(5) {
                    thread::yield_now();
                }
                self.stopped = true;
                if self.is("has_nothing_at_once") {
                    return Err(AiError::new("it has nothing yet"));
                }
            }
            "leaks" => self.kept.push(vec![1; 64 << 10]),
            "hoards" if self.kept.is_empty() => self.kept.push(vec![1; 200 << 20]),
            "leaves_threads" if self.asked < 5 => _ = thread::spawn(thread::park),
            "goes_on_after_its_answer" if self.asked == 1 => compute_for_ever(),
            _ => {}
        }
        Ok(())
    }

    /// What is wrong with what it has found.
    fn end(&self, mut answer: SearchResult, question: &SearchRequest<'_>) -> SearchResult {
        let position = &question.position;
        answer.score = self.bent(answer.score, position);
        match self.fault.as_str() {
            "plays_illegal_moves" => answer.best_move = Some(illegal()),
            "plays_illegal_moves_at_times" if position.hash().is_multiple_of(8) => {
                answer.best_move = Some(illegal());
            }
            "is_changed_by_a_trace" if question.trace_nodes > 0 => answer.nodes += 1,
            "traces_another_score" => answer.score = Score::centipawns(answer.score.value() + 1),
            "searches_too_deep" => {
                if let Some(depth) = question.limits.depth {
                    answer.depth = depth.saturating_add(1);
                }
            }
            "looks_at_too_much" | "counts_now_and_then" => {
                if let Some(nodes) = question.limits.nodes {
                    let beyond = if self.is("looks_at_too_much") { 1025 } else { 1024 };
                    answer.nodes = nodes.saturating_add(beyond);
                }
            }
            "stays_stopped" if self.stopped => answer.nodes = 0,
            "decides_by_chance" => answer.nodes += u64::from(chance()),
            "counts_questions" => answer.nodes += u64::from(self.asked),
            "tells_false_mates" => {
                let mate = Score::mate_in_plies(1);
                answer.score = if position.turn() == Color::White { mate } else { -mate };
            }
            "tells_illegal_lines" => answer.pv.push(illegal()),
            "tells_another_line" => answer.pv = vec![illegal()],
            "tells_one_line_twice" => {
                let line = PvLine::new(1, answer.score, answer.pv.clone());
                answer.multipv = answer.multipv.iter().map(|_| line.clone()).collect();
            }
            _ => {}
        }
        answer
    }

    /// The position and what each move leads to.
    fn trace(
        &self,
        scored: &[(Score, Move)],
        question: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Vec<TraceNode> {
        let node = |parent, depth, score, chosen, kind| {
            let (alpha, beta) = (Score::MIN, Score::MAX);
            TraceNode { parent, depth, alpha, beta, score, chosen, bound: Bound::Exact, kind }
        };
        let (score, best) = scored[0];
        let root = node(TraceNode::NO_PARENT, 1, score, best, NodeKind::Complete);
        let leaves = scored.iter().map(|&(score, chosen)| {
            let next = host.play(&question.position, chosen);
            let kind = match (host.has_legal_move(&next), next.in_check()) {
                (false, true) => NodeKind::Checkmate,
                (false, false) => NodeKind::Stalemate,
                _ if self.is("traces_false_mates") => NodeKind::Checkmate,
                _ => NodeKind::StaticEval,
            };
            node(0, 0, score, if self.is("traces_illegal_moves") { illegal() } else { chosen }, kind)
        });
        std::iter::once(root).chain(leaves).take(question.trace_nodes as usize).collect()
    }

    fn report(&self, answer: &SearchResult, host: &Host<'_>) {
        let tell = |depth, nodes, line: &[Move]| {
            host.report(&SearchInfo::new(depth, answer.score, nodes, line));
        };
        match self.fault.as_str() {
            "reports_illegal_lines" => tell(1, answer.nodes, &[illegal()]),
            "reports_backwards" => {
                tell(1, answer.nodes, &answer.pv);
                tell(1, answer.nodes.saturating_sub(1), &answer.pv);
            }
            "reports_without_end" => (0..500).for_each(|_| tell(1, answer.nodes, &answer.pv)),
            _ => tell(1, answer.nodes, &answer.pv),
        }
    }
}

impl Searcher for Faulty {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        self.asked += 1;
        self.begin(question, host)?;
        let position = &question.position;
        let mut moves = host.legal_moves(position).to_vec();
        if !question.root_moves.is_empty() && !self.is("chooses_among_all") {
            moves.retain(|chosen| question.root_moves.contains(chosen));
        } else if self.is("chooses_among_all") {
            moves.retain(|chosen| question.root_moves.is_empty() || !question.root_moves.contains(chosen));
        }
        if let Some(most) = question.limits.nodes {
            moves.truncate(usize::try_from(most).unwrap_or(usize::MAX).max(1));
        }
        let sign = if position.turn() == Color::White { 1 } else { -1 };
        let score_of = |chosen: Move| {
            let next = host.play(position, chosen);
            match (host.has_legal_move(&next), next.in_check()) {
                (false, true) if sign > 0 => Score::mate_in_plies(1),
                (false, true) => Score::mated_in_plies(1),
                (false, false) => Score::DRAW,
                _ => Score::centipawns(self.material(&next)),
            }
        };
        let mut scored: Vec<_> = moves.iter().map(|&chosen| (score_of(chosen), chosen)).collect();
        scored.sort_by_key(|(score, _)| -sign * score.value());
        let (score, best) = *scored.first().ok_or_else(|| AiError::new("there is no legal move"))?;
        let mut answer =
            SearchResult { score, depth: 1, nodes: scored.len() as u64, ..SearchResult::play(best) };
        let further = scored.iter().skip(1).take((question.lines as usize).saturating_sub(1));
        answer.multipv = further.map(|&(score, chosen)| PvLine::new(1, score, vec![chosen])).collect();
        if question.trace_nodes > 0 {
            answer.trace = self.trace(&scored, question, host);
        }
        self.report(&answer, host);
        let ponders = host.is_pondering();
        while host.is_pondering() && !host.should_stop() && !self.is("does_not_ponder") {
            thread::yield_now();
        }
        if ponders && self.is("thinks_on_after_the_hit") {
            thread::sleep(Duration::from_millis(1400));
        }
        Ok(self.end(answer, question))
    }
}

impl Evaluator for Faulty {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        self.asked += 1;
        self.bent(Score::centipawns(self.material(position)), position)
    }

    fn terms(&mut self, position: &Position, _: &Host<'_>) -> Vec<EvalTerm> {
        let wrong = i32::from(self.is("adds_up_wrong"));
        let material = self.bent(Score::centipawns(self.material(position)), position);
        vec![EvalTerm::new("material", Score::from_value(material.value() + wrong))]
    }
}

export_ai!(Faulty: Searcher + Evaluator, id = "faulty", name = "Faulty");
