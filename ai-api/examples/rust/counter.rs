//! A plain search that shows every part of the contract: options, a transposition table, several
//! lines, pondering and time management.

use std::time::Instant;

use ai_api::*;

/// The maximum depth if the request sets no lower limit.
const MAX_DEPTH: u32 = 64;

/// Prefers positions in which it has more moves than its opponent.
struct Counter {
    /// Centipawns for each extra legal move.
    move_value: i32,
    table: Vec<Known>,
    /// The current game, counted from 1.
    game: u32,
    /// The number of positions visited in this search.
    nodes: u64,
    max_nodes: u64,
}

/// The value of a position for the side to move.
#[derive(Clone, Copy, Default)]
struct Known {
    hash: u64,
    game: u32,
    depth: u32,
    value: i32,
}

impl Ai for Counter {
    fn options() -> Vec<OptionSpec> {
        vec![
            OptionSpec::integer(
                "hash_mb",
                16,
                1..=512,
                "megabytes of memory for the transposition table",
            ),
            OptionSpec::integer(
                "move_value",
                1,
                1..=100,
                "centipawns for each extra legal move",
            )
            .live(),
        ]
    }

    fn capabilities(_: &Options, _: &Host) -> Capabilities {
        Capabilities {
            max_lines: 8,
            root_moves: true,
            ponder: true,
            manages_time: true,
            ..Capabilities::SIMPLEST
        }
    }

    fn create(options: &Options, _: &Host) -> Result<Self, AiError> {
        let bytes = (options.integer("hash_mb")? as usize) << 20;
        Ok(Self {
            move_value: options.integer("move_value")? as i32,
            table: vec![Known::default(); bytes / size_of::<Known>()],
            game: 1,
            nodes: 0,
            max_nodes: u64::MAX,
        })
    }

    /// Changes a live option without creating a new instance.
    fn set_option(&mut self, setting: &OptionSetting, host: &Host) -> Result<(), AiError> {
        match (setting.name.as_str(), &setting.value) {
            ("move_value", OptionValue::Integer(value)) => {
                self.move_value = *value as i32;
                // The values in the table are on the old scale.
                self.new_game(host)
            }
            (name, _) => Err(AiError::new(format!("{name} is not live"))),
        }
    }

    /// Called often, so it does not clear the table: entries from earlier games no longer match.
    fn new_game(&mut self, _: &Host) -> Result<(), AiError> {
        self.game += 1;
        Ok(())
    }
}

impl Searcher for Counter {
    fn search(&mut self, request: &SearchRequest, host: &Host) -> Result<SearchResult, AiError> {
        let limits = &request.limits;
        self.nodes = 0;
        self.max_nodes = limits.nodes.unwrap_or(u64::MAX);

        let moves = allowed_moves(request, host);
        let mut result = SearchResult::play(moves[0]);
        let mut began = Instant::now();
        for depth in 1..=max_depth(limits) {
            let Some(mut lines) = self.lines(request, &moves, depth, host) else {
                // The search must stop. Keep the result of the previous depth.
                break;
            };
            let best = lines.remove(0);
            let best_move = best.moves[0];
            let has_changed = result.best_move != Some(best_move);
            result = SearchResult {
                depth,
                score: best.score,
                multipv: lines,
                ..SearchResult::play(best_move)
            };

            // The clock starts when the opponent has moved.
            if host.is_pondering() {
                began = Instant::now();
                continue;
            }
            // A new best move is worth more time. The host stops the search at `hard_ms`.
            let time_ms = if has_changed {
                limits.hard_ms
            } else {
                limits.soft_ms
            };
            let spent_ms = began.elapsed().as_millis() as u64;
            if time_ms.is_some_and(|time_ms| spent_ms > time_ms / 4) {
                break;
            }
        }
        result.nodes = self.nodes.max(1);
        Ok(result)
    }
}

impl Counter {
    /// Returns the best lines, the best one first, or `None` if the search must stop.
    fn lines(
        &mut self,
        request: &SearchRequest,
        moves: &MoveList,
        depth: u32,
        host: &Host,
    ) -> Option<Vec<PvLine>> {
        let position = &request.position;
        let wanted = moves.len().min(request.lines as usize);
        let mut lines = Vec::new();
        let mut remaining = moves.clone();
        while lines.len() < wanted {
            let (best, value) = self.best(position, &remaining, depth, 0, host)?;
            remaining.retain(|chosen| chosen != best);

            // Values are from the point of view of the side to move, scores from White's.
            let score = Score::from_value(value * position.turn().sign());
            let pv = [best];
            host.report(&SearchInfo {
                pv_number: lines.len() as u32 + 1,
                ..SearchInfo::new(depth, score, self.nodes, &pv)
            });
            lines.push(PvLine::new(depth, score, pv.to_vec()));
        }
        Some(lines)
    }

    /// Returns the best of these moves and its value, or `None` if the search must stop.
    fn best(
        &mut self,
        position: &Position,
        moves: &[Move],
        depth: u32,
        ply: u32,
        host: &Host,
    ) -> Option<(Move, i32)> {
        let mut best = None;
        for &chosen in moves {
            let next = host.play(position, chosen);
            let value = -self.value(&next, depth - 1, ply + 1, host)?;
            if best.is_none_or(|(_, highest)| value > highest) {
                best = Some((chosen, value));
            }
        }
        best
    }

    /// Returns the value of a position, or `None` if the search must stop.
    fn value(&mut self, position: &Position, depth: u32, ply: u32, host: &Host) -> Option<i32> {
        let asks_the_host = self.nodes % 256 == 0;
        if self.nodes >= self.max_nodes || asks_the_host && host.should_stop() {
            return None;
        }
        self.nodes += 1;

        let moves = host.legal_moves(position);
        if moves.is_empty() {
            let is_mate = position.in_check();
            return Some(if is_mate {
                Score::mated_in_plies(ply).value()
            } else {
                0
            });
        }

        let hash = position.hash();
        let place = hash as usize % self.table.len();
        let known = self.table[place];
        if known.hash == hash && known.game == self.game && known.depth == depth {
            return Some(known.value);
        }

        let value = if depth == 0 {
            let others = host.count_legal_moves(position, !position.turn());
            self.move_value * (moves.len() as i32 - others as i32)
        } else {
            self.best(position, &moves, depth, ply, host)?.1
        };
        // A mate value depends on the ply, so it is not stored.
        if Score::from_value(value).plies_to_mate().is_none() {
            self.table[place] = Known {
                hash,
                game: self.game,
                depth,
                value,
            };
        }
        Some(value)
    }
}

/// Returns the moves that the request lets the AI choose from.
fn allowed_moves(request: &SearchRequest, host: &Host) -> MoveList {
    let mut moves = host.legal_moves(&request.position);
    if !request.root_moves.is_empty() {
        moves.retain(|chosen| request.root_moves.contains(&chosen));
    }
    moves
}

/// Returns the maximum depth. Finding a mate within N plies never needs more than depth N.
fn max_depth(limits: &Limits) -> u32 {
    let depth = limits.depth.unwrap_or(MAX_DEPTH);
    let mate = limits.mate_plies.unwrap_or(MAX_DEPTH);
    depth.min(mate).min(MAX_DEPTH)
}

export_ai!(Counter: Searcher);
