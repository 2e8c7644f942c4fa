//! An AI that builds every struct that authors build, and matches every enumeration that grows. It
//! compiles with every later version.

use ai_api::{
    Ai, AiError, AiErrorKind, Bound, Capabilities, Clocks, Color, EvalTerm, Evaluator, Host,
    Limits, NodeKind, OptionKind, OptionSetting, OptionSpec, OptionValue, Options, Position,
    PvLine, Role, Score, SearchInfo, SearchRequest, SearchResult, Searcher, TraceNode, Wdl,
    export_ai,
    harness::{Found, Harness, Timing},
};

struct Author;

impl Ai for Author {
    fn options() -> Vec<OptionSpec> {
        let net = OptionSpec {
            advanced: true,
            ..OptionSpec::file("net", "the net")
        };
        vec![
            OptionSpec::integer("hash_mb", 16, 1..=64, "the table").live(),
            net,
        ]
    }

    fn capabilities(options: &Options, _: &Host<'_>) -> Capabilities {
        let threads = match options.get("hash_mb") {
            Some(&OptionValue::Integer(_)) => 0,
            _ => 1,
        };
        Capabilities {
            threads,
            max_lines: 2,
            max_trace_nodes: 4,
            root_moves: true,
            ..Capabilities::SIMPLEST
        }
    }

    fn create(_: &Options, host: &Host<'_>) -> Result<Self, AiError> {
        let grants = host.grants();
        if grants.threads > 1000 {
            Err(AiError::new("too many").panicked())
        } else {
            Ok(Self)
        }
    }
}

impl Evaluator for Author {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        Score::centipawns(position.pieces(Color::White, Role::Pawn).count() as i32)
    }

    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<EvalTerm> {
        let material = EvalTerm::new("material", self.evaluate(position, host));
        vec![EvalTerm {
            score: Score::DRAW,
            ..material
        }]
    }
}

impl Searcher for Author {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        let &SearchRequest {
            position,
            limits,
            lines,
            ..
        } = request;
        let Limits { depth, .. } = limits;
        let moves = host.legal_moves(&position);
        let line = [moves[0]];
        host.report(&SearchInfo {
            selective_depth: 2,
            ..SearchInfo::new(1, Score::DRAW, 1, &line)
        });
        host.report(&SearchInfo {
            text: Some("hello"),
            ..SearchInfo::news(1)
        });
        let root = TraceNode {
            kind: NodeKind::Complete,
            ..TraceNode::ROOT
        };
        let kind = match root.kind {
            NodeKind::StaticEval => NodeKind::Cutoff,
            _ => NodeKind::Other,
        };
        let second = PvLine {
            bound: Bound::Lower,
            ..PvLine::new(1, Score::DRAW, line.to_vec())
        };
        let wdl = Some(Wdl {
            win: 0,
            draw: 1000,
            loss: 0,
        });
        Ok(SearchResult {
            depth: depth.unwrap_or(lines),
            wdl,
            multipv: vec![second],
            trace: vec![
                root,
                TraceNode {
                    parent: 0,
                    kind,
                    ..TraceNode::ROOT
                },
            ],
            ..SearchResult::play(moves[0])
        })
    }
}

export_ai!(Author: Searcher + Evaluator, id = "author");

/// Makes the calls that an author's tests make.
pub fn play(harness: &mut Harness<Author>, position: Position) -> Result<Score, AiError> {
    let limits = Limits {
        nodes: Some(9),
        ..Limits::depth(2)
    };
    let clocks = Clocks {
        remaining_ms: [1, 2],
        ..Clocks::default()
    };
    let request = SearchRequest {
        clocks: Some(clocks),
        lines: 2,
        ..SearchRequest::new(position, limits)
    };
    let timing = Timing {
        stop_after: None,
        ..Timing::default()
    };
    let Found { result, .. } =
        harness
            .request(&request, timing)
            .inspect_err(|error| match error.kind {
                AiErrorKind::Panicked => panic!("{error}"),
                _ => {}
            })?;
    Ok(result.score)
}

/// Reads the parts of another AI's options that an author may read.
pub fn words(spec: &OptionSpec, setting: OptionSetting) -> (&'static str, OptionSetting) {
    let word = match spec.kind {
        OptionKind::Flag => "flag",
        OptionKind::Integer { min: 0, .. } => "count",
        _ => "other",
    };
    (
        word,
        OptionSetting {
            name: spec.name.clone(),
            value: setting.value,
        },
    )
}
