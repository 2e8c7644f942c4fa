//! What is kept of the tree that a search goes through, for those who want to see it.

use ai_api::{Bound, Move, NodeKind, Position, Score, TraceNode};

use crate::window::Window;

/// Sees each position that the search enters, from the one who asks.
pub(crate) trait Observer {
    /// The search of the root begins, `depth` plies deep. What was seen of one that has not ended is forgotten.
    fn begin(&mut self, root: &Position, depth: u32);

    /// The search enters the position that a move leads to.
    fn enter(&mut self, chosen: Move, position: &Position, depth: u32, window: Window);

    /// Why the search goes no further from the position that was entered last. Unless it is said, all moves were looked
    /// at.
    fn ends(&mut self, kind: NodeKind);

    /// The same where the value is the true one, whatever was asked.
    fn ends_exactly(&mut self, kind: NodeKind);

    /// The search is done with the position that was entered last, and has found this value for the side to move.
    fn leave(&mut self, value: i32);

    /// The tree of the last search that has ended; only the root, of this score, where none has.
    fn trace(self, score: Score) -> Vec<TraceNode>;
}

/// Sees nothing, at no cost.
pub(crate) struct Blind;

impl Observer for Blind {
    #[inline]
    fn begin(&mut self, _: &Position, _: u32) {}

    #[inline]
    fn enter(&mut self, _: Move, _: &Position, _: u32, _: Window) {}

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

/// A position of the tree and how far it is from the root.
#[derive(Clone, Copy, Debug)]
struct Seen {
    ply: usize,
    node: TraceNode,
}

/// A position that the search is in, or below.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Its place in the list, if it is kept.
    place: Option<usize>,
    /// That of the move that was entered last from here, if it is kept.
    last_child: Option<usize>,
    window: Window,
    /// 1 where White is to move, else -1.
    sign: i32,
    is_exact: bool,
}

/// Keeps those positions of a tree that are next to the root: every one of a ply before any of the next, and of the last ply
/// those that were entered first. A move that is searched again, in another window, is kept as it was searched last.
#[derive(Debug)]
pub(crate) struct Recorder {
    most: usize,
    seen: Vec<Seen>,
    /// From the root to where the search is.
    open: Vec<Open>,
    /// Nothing beyond this ply will be kept.
    last_ply: usize,
    ended: Vec<TraceNode>,
}

impl Recorder {
    /// Keeps as many positions, one at least.
    pub(crate) fn new(most: u32) -> Self {
        let most = (most as usize).max(1);
        Self {
            most,
            seen: Vec::with_capacity(2 * most),
            open: Vec::new(),
            last_ply: usize::MAX,
            ended: Vec::new(),
        }
    }

    fn open(&mut self, chosen: Move, position: &Position, depth: u32, window: Window) {
        let ply = self.open.len();
        let sign = position.turn().sign();
        let of = self.open.last().copied();
        let is_kept = ply <= self.last_ply && of.is_none_or(|of| of.place.is_some());
        let mut opened = Open { place: None, last_child: None, window, sign, is_exact: false };
        if is_kept {
            let searched_before = of.and_then(|of| of.last_child);
            if let Some(place) = searched_before.filter(|&place| self.seen[place].node.chosen == chosen) {
                self.seen.truncate(place);
            }
            if self.seen.len() >= 2 * self.most {
                self.keep_the_nearest();
            }
        }
        // Both may have changed.
        let of = self.open.last().copied();
        if ply <= self.last_ply && of.is_none_or(|of| of.place.is_some()) {
            opened.place = Some(self.seen.len());
            let (alpha, beta) =
                if sign > 0 { (window.alpha, window.beta) } else { (-window.beta, -window.alpha) };
            self.seen.push(Seen {
                ply,
                node: TraceNode {
                    parent: of.and_then(|of| of.place).map_or(TraceNode::NO_PARENT, |place| place as u32),
                    depth,
                    alpha: Score::from_value(alpha),
                    beta: Score::from_value(beta),
                    score: Score::DRAW,
                    chosen,
                    bound: Bound::Exact,
                    kind: NodeKind::Complete,
                },
            });
        }
        if let Some(of) = self.open.last_mut() {
            of.last_child = opened.place;
        }
        self.open.push(opened);
    }

    /// Lets go of all but as many as are wanted.
    fn keep_the_nearest(&mut self) {
        let mut of_ply = Vec::new();
        for seen in &self.seen {
            of_ply.resize(of_ply.len().max(seen.ply + 1), 0);
            of_ply[seen.ply] += 1;
        }
        let mut room = self.most;
        let whole = of_ply.iter().take_while(|&&count| {
            let fits = count <= room;
            room -= if fits { count } else { 0 };
            fits
        });
        let first_cut = whole.count();
        self.last_ply = self.last_ply.min(first_cut);
        let mut places = vec![None; self.seen.len()];
        let mut kept = 0;
        for (old, seen) in self.seen.iter().enumerate() {
            if seen.ply > first_cut || seen.ply == first_cut && room == 0 {
                continue;
            }
            room -= usize::from(seen.ply == first_cut);
            places[old] = Some(kept);
            kept += 1;
        }
        let place_of = |old: usize| places.get(old).copied().flatten();
        for open in &mut self.open {
            open.place = open.place.and_then(place_of);
            open.last_child = open.last_child.and_then(place_of);
        }
        let old = std::mem::take(&mut self.seen);
        let kept = old.into_iter().zip(&places).filter(|(_, place)| place.is_some()).map(|(mut seen, _)| {
            if let Some(parent) = place_of(seen.node.parent as usize) {
                seen.node.parent = parent as u32;
            }
            seen
        });
        self.seen = kept.collect();
    }
}

impl Observer for Recorder {
    fn begin(&mut self, root: &Position, depth: u32) {
        self.seen.clear();
        self.open.clear();
        self.last_ply = usize::MAX;
        self.open(Move::from_bits(0), root, depth, Window::FULL);
    }

    fn enter(&mut self, chosen: Move, position: &Position, depth: u32, window: Window) {
        if !self.open.is_empty() {
            self.open(chosen, position, depth, window);
        }
    }

    fn ends(&mut self, kind: NodeKind) {
        if let Some(place) = self.open.last().and_then(|open| open.place) {
            self.seen[place].node.kind = kind;
        }
    }

    fn ends_exactly(&mut self, kind: NodeKind) {
        self.ends(kind);
        if let Some(open) = self.open.last_mut() {
            open.is_exact = true;
        }
    }

    fn leave(&mut self, value: i32) {
        let Some(Open { place, window, sign, is_exact, .. }) = self.open.pop() else { return };
        if let Some(place) = place {
            let node = &mut self.seen[place].node;
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
            if self.seen.len() > self.most {
                self.keep_the_nearest();
            }
            self.ended = self.seen.iter().map(|seen| seen.node).collect();
        }
    }

    fn trace(mut self, score: Score) -> Vec<TraceNode> {
        if let (true, Some(root)) = (self.ended.is_empty(), self.seen.first()) {
            self.ended.push(TraceNode { score, kind: NodeKind::Stopped, ..root.node });
        }
        self.ended
    }
}
