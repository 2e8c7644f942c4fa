//! Records the search tree.

use ai_api::{Bound, Move, NodeKind, Position, Score, TraceNode};

use crate::window::Window;

/// Observes the search. Windows are from the point of view of the side to move.
pub trait Observer {
    /// Whether it records a tree.
    const RECORDS: bool;

    /// Called when the search of the root starts, `depth` plies deep. Drops an unfinished tree.
    fn begin(&mut self, root: &Position, depth: u32);

    /// Called when the search enters the position after a move.
    fn enter(&mut self, chosen: Move, position: &Position, depth: u32, window: Window);

    /// Called when the search enters the position after a null move. Nothing is recorded until the
    /// search leaves it.
    fn enter_unrecorded(&mut self);

    /// Sets why the search of the last entered position ended. If this is not called, all its moves
    /// were searched.
    fn ends(&mut self, kind: NodeKind);

    /// Like [`ends`](Self::ends), for a value that is also exact outside the window.
    fn ends_exactly(&mut self, kind: NodeKind);

    /// Called when the search leaves the last entered position, with its value for the side to
    /// move.
    fn leave(&mut self, value: i32);

    /// Returns the tree of the last finished search. If none has finished, returns only the root,
    /// with this score.
    fn trace(self, score: Score) -> Vec<TraceNode>;
}

/// Records nothing, at no cost.
pub struct NoTrace;

impl Observer for NoTrace {
    const RECORDS: bool = false;

    #[inline]
    fn begin(&mut self, _: &Position, _: u32) {}

    #[inline]
    fn enter(&mut self, _: Move, _: &Position, _: u32, _: Window) {}

    #[inline]
    fn enter_unrecorded(&mut self) {}

    #[inline]
    fn ends(&mut self, _: NodeKind) {}

    #[inline]
    fn ends_exactly(&mut self, _: NodeKind) {}

    #[inline]
    fn leave(&mut self, _: i32) {}

    #[inline]
    fn trace(self, _: Score) -> Vec<TraceNode> {
        Vec::new()
    }
}

/// A position of the tree.
#[derive(Clone, Copy, Debug)]
struct Recorded {
    ply: usize,
    node: TraceNode,
}

/// A position on the path of the search.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Its index in the list, if it is recorded.
    place: Option<usize>,
    /// The index of the last entered child, if it is recorded.
    last_child: Option<usize>,
    window: Window,
    /// 1 if White is to move, otherwise -1.
    sign: i32,
    is_exact: bool,
}

/// Records the positions closest to the root: complete plies, then the positions of one more ply
/// that were entered first. A move that is searched again in another window replaces its earlier
/// record.
#[derive(Debug)]
pub struct Recorder {
    limit: usize,
    recorded: Vec<Recorded>,
    /// The path from the root to the current position.
    open: Vec<Open>,
    /// Positions beyond this ply are not recorded.
    last_ply: usize,
    finished: Vec<TraceNode>,
}

impl Recorder {
    /// Creates a recorder of at most `limit` positions. A limit of 0 counts as 1.
    pub fn new(limit: u32) -> Self {
        let limit = (limit as usize).max(1);
        Self {
            limit,
            recorded: Vec::with_capacity(2 * limit),
            open: Vec::new(),
            last_ply: usize::MAX,
            finished: Vec::new(),
        }
    }

    fn open(&mut self, chosen: Move, position: &Position, depth: u32, window: Window) {
        let ply = self.open.len();
        let sign = position.turn().sign();
        let parent_before = self.open.last().copied();
        let is_recorded =
            ply <= self.last_ply && parent_before.is_none_or(|parent| parent.place.is_some());
        let mut opened = Open {
            place: None,
            last_child: None,
            window,
            sign,
            is_exact: false,
        };
        if is_recorded {
            let searched_before = parent_before.and_then(|parent| parent.last_child);
            if let Some(place) =
                searched_before.filter(|&place| self.recorded[place].node.chosen == chosen)
            {
                self.recorded.truncate(place);
            }
            if self.recorded.len() >= 2 * self.limit {
                self.drop_distant();
            }
        }
        // The lines above may have changed both the parent and the last ply.
        let parent = self.open.last().copied();
        if ply <= self.last_ply && parent.is_none_or(|parent| parent.place.is_some()) {
            opened.place = Some(self.recorded.len());
            let (alpha, beta) = if sign > 0 {
                (window.alpha, window.beta)
            } else {
                (-window.beta, -window.alpha)
            };
            self.recorded.push(Recorded {
                ply,
                node: TraceNode {
                    parent: parent
                        .and_then(|parent| parent.place)
                        .map_or(TraceNode::NO_PARENT, |place| place as u32),
                    depth,
                    alpha: Score::from_value(alpha),
                    beta: Score::from_value(beta),
                    score: Score::DRAW,
                    chosen,
                    bound: Bound::Exact,
                    kind: NodeKind::Complete,
                    ..TraceNode::ROOT
                },
            });
        }
        if let Some(last) = self.open.last_mut() {
            last.last_child = opened.place;
        }
        self.open.push(opened);
    }

    /// Drops all positions except those closest to the root.
    fn drop_distant(&mut self) {
        let mut of_ply = Vec::new();
        for recorded in &self.recorded {
            of_ply.resize(of_ply.len().max(recorded.ply + 1), 0);
            of_ply[recorded.ply] += 1;
        }
        let mut room = self.limit;
        let whole = of_ply.iter().take_while(|&&count| {
            let fits = count <= room;
            room -= if fits { count } else { 0 };
            fits
        });
        let first_cut = whole.count();
        self.last_ply = self.last_ply.min(first_cut);
        let mut places = vec![None; self.recorded.len()];
        let mut kept = 0;
        for (old, recorded) in self.recorded.iter().enumerate() {
            if recorded.ply > first_cut || recorded.ply == first_cut && room == 0 {
                continue;
            }
            room -= usize::from(recorded.ply == first_cut);
            places[old] = Some(kept);
            kept += 1;
        }
        let place_of = |old: usize| places.get(old).copied().flatten();
        for open in &mut self.open {
            open.place = open.place.and_then(place_of);
            open.last_child = open.last_child.and_then(place_of);
        }
        let old = std::mem::take(&mut self.recorded);
        let remaining = old
            .into_iter()
            .zip(&places)
            .filter(|(_, place)| place.is_some())
            .map(|(mut recorded, _)| {
                if let Some(parent) = place_of(recorded.node.parent as usize) {
                    recorded.node.parent = parent as u32;
                }
                recorded
            });
        self.recorded = remaining.collect();
    }
}

impl Observer for Recorder {
    const RECORDS: bool = true;

    fn begin(&mut self, root: &Position, depth: u32) {
        self.recorded.clear();
        self.open.clear();
        self.last_ply = usize::MAX;
        self.open(Move::from_bits(0), root, depth, Window::FULL);
    }

    fn enter(&mut self, chosen: Move, position: &Position, depth: u32, window: Window) {
        if !self.open.is_empty() {
            self.open(chosen, position, depth, window);
        }
    }

    fn enter_unrecorded(&mut self) {
        if !self.open.is_empty() {
            self.open.push(Open {
                place: None,
                last_child: None,
                window: Window::FULL,
                sign: 1,
                is_exact: false,
            });
        }
    }

    fn ends(&mut self, kind: NodeKind) {
        if let Some(place) = self.open.last().and_then(|open| open.place) {
            self.recorded[place].node.kind = kind;
        }
    }

    fn ends_exactly(&mut self, kind: NodeKind) {
        self.ends(kind);
        if let Some(open) = self.open.last_mut() {
            open.is_exact = true;
        }
    }

    fn leave(&mut self, value: i32) {
        let Some(Open {
            place,
            window,
            sign,
            is_exact,
            ..
        }) = self.open.pop()
        else {
            return;
        };
        if let Some(place) = place {
            let node = &mut self.recorded[place].node;
            node.score = Score::from_value(value * sign);
            node.bound = match (is_exact, sign > 0) {
                (false, true) if value >= window.beta => Bound::Lower,
                (false, false) if value >= window.beta => Bound::Upper,
                (false, true) if value <= window.alpha => Bound::Upper,
                (false, false) if value <= window.alpha => Bound::Lower,
                _ => Bound::Exact,
            };
        }
        if self.open.is_empty() {
            if self.recorded.len() > self.limit {
                self.drop_distant();
            }
            self.finished = self.recorded.iter().map(|recorded| recorded.node).collect();
        }
    }

    fn trace(mut self, score: Score) -> Vec<TraceNode> {
        if let (true, Some(root)) = (self.finished.is_empty(), self.recorded.first()) {
            self.finished.push(TraceNode {
                score,
                kind: NodeKind::Stopped,
                ..root.node
            });
        }
        self.finished
    }
}
