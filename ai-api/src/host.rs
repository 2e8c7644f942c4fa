//! What the host lends an AI.

use std::{
    ffi::{CStr, c_char},
    marker::PhantomData,
    sync::atomic::{AtomicBool, Ordering},
};

use abi_stable::StableAbi;

use crate::{Color, Extension, Move, MoveList, Position, Report, c::CReport};

/// The rules of chess as plain functions; the host fills the table. Every function may be called on any thread,
/// never blocks and costs nanoseconds. AIs use them through [`Host`].
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct Services {
    /// Replaces the list by the legal moves, in an order that never changes for a position.
    pub legal_moves: extern "C" fn(&Position, &mut MoveList),
    /// Replaces the list by the legal moves that capture or promote.
    pub legal_captures: extern "C" fn(&Position, &mut MoveList),
    /// Whether there is a legal move.
    pub has_legal_move: extern "C" fn(&Position) -> bool,
    /// How many legal moves a side has, as if it were its turn.
    pub count_legal_moves: extern "C" fn(&Position, Color) -> u32,
    /// Whether no sequence of legal moves can mate, as told by material alone.
    pub is_insufficient_material: extern "C" fn(&Position) -> bool,
    /// The position after a legal move.
    pub play: extern "C" fn(&Position, Move) -> Position,
}

/// Nobody ponders unless it is said.
static NOT_PONDERING: AtomicBool = AtomicBool::new(false);

/// The host, as an AI sees it during one call. It belongs to the thread that was called; what its table of
/// [`Services`] offers and its two flags may be used on every thread.
///
/// ```
/// # use ai_api::{Host, Limit, Question};
/// # use std::sync::atomic::Ordering;
/// fn think_on_two_threads(question: &Question<'_>, host: &Host<'_>) -> usize {
///     let (services, stop, position) = (host.services(), host.stop_flag(), question.position);
///     let count = move || {
///         let mut moves = ai_api::MoveList::new();
///         (services.legal_moves)(&position, &mut moves);
///         if stop.load(Ordering::Relaxed) { 0 } else { moves.len() }
///     };
///     std::thread::scope(|scope| {
///         let helper = scope.spawn(count);
///         count() + helper.join().unwrap_or(0)
///     })
/// }
/// # let stop = std::sync::atomic::AtomicBool::new(false);
/// # let question = Question::new(rules::start_position(), Limit::Depth(1));
/// # assert_eq!(think_on_two_threads(&question, &Host::new(&rules::SERVICES, &stop, &|_| ())), 40);
/// ```
#[repr(C)]
#[derive(StableAbi)]
pub struct Host<'a> {
    pub(crate) size: usize,
    pub(crate) services: &'a Services,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) pondering: &'a AtomicBool,
    pub(crate) context: *const (),
    pub(crate) report: unsafe extern "C" fn(*const (), &CReport),
    pub(crate) extension: unsafe extern "C" fn(*const c_char) -> Option<&'static Extension>,
    lifetime: PhantomData<&'a mut ()>,
}

impl<'a> Host<'a> {
    /// A host that lends `services`, wants a stop once `stop` is true, and hands reports to `reporter`. For the worker,
    /// and for an author's tests.
    pub fn new<F: Fn(&Report<'_>)>(services: &'a Services, stop: &'a AtomicBool, reporter: &'a F) -> Self {
        unsafe extern "C" fn call<F: Fn(&Report<'_>)>(reporter: *const (), report: &CReport) {
            // SAFETY: `new` pairs this function with a pointer made from a `&'a F`, and the host lives no longer.
            let reporter = unsafe { &*reporter.cast::<F>() };
            // SAFETY: the AI names a line that stands until this call returns.
            reporter(&unsafe { report.read() });
        }
        Self {
            size: size_of::<Self>(),
            services,
            stop,
            pondering: &NOT_PONDERING,
            context: std::ptr::from_ref(reporter).cast(),
            report: call::<F>,
            extension: no_extension,
            lifetime: PhantomData,
        }
    }

    /// The same host, with an opponent who is thinking as long as `pondering` is true.
    #[must_use]
    pub const fn with_pondering(mut self, pondering: &'a AtomicBool) -> Self {
        self.pondering = pondering;
        self
    }

    /// The rules alone, to be handed to other threads.
    #[inline]
    pub const fn services(&self) -> &'a Services {
        self.services
    }

    /// Every legal move, in an order that never changes for a position.
    #[inline]
    pub fn legal_moves(&self, position: &Position) -> MoveList {
        let mut list = MoveList::new();
        (self.services.legal_moves)(position, &mut list);
        list
    }

    /// The legal moves that capture or promote.
    #[inline]
    pub fn legal_captures(&self, position: &Position) -> MoveList {
        let mut list = MoveList::new();
        (self.services.legal_captures)(position, &mut list);
        list
    }

    /// Whether the side to move has a legal move; if not, it is mated or stalemated. Far cheaper than the list.
    #[inline]
    pub fn has_legal_move(&self, position: &Position) -> bool {
        (self.services.has_legal_move)(position)
    }

    /// How many legal moves `color` has: mobility. Far cheaper than the list.
    ///
    /// For the side that is not to move it is the count as if it were its turn, without en passant; taking the king is
    /// no move.
    #[inline]
    pub fn count_legal_moves(&self, position: &Position, color: Color) -> u32 {
        (self.services.count_legal_moves)(position, color)
    }

    /// Whether the game is drawn because no side could ever mate with what is left.
    #[inline]
    pub fn is_insufficient_material(&self, position: &Position) -> bool {
        (self.services.is_insufficient_material)(position)
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self, position: &Position) -> bool {
        position.in_check()
    }

    /// The position after `chosen`, which must be a legal move of `position`; after any other move the result
    /// is some position without meaning.
    #[inline]
    pub fn play(&self, position: &Position, chosen: Move) -> Position {
        (self.services.play)(position, chosen)
    }

    /// Whether the AI must answer now with what it has. Costs one read of memory: ask every few hundred nodes.
    #[inline]
    pub fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag behind [`should_stop`](Self::should_stop), to be handed to other threads.
    #[inline]
    pub const fn stop_flag(&self) -> &'a AtomicBool {
        self.stop
    }

    /// Whether the opponent is still thinking: the AI ponders on the move that it expects. The time of a
    /// [`Limit`](crate::Limit) begins when this turns false; an answer before that waits until then.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }

    /// The flag behind [`is_pondering`](Self::is_pondering), to be handed to other threads.
    #[inline]
    pub const fn pondering_flag(&self) -> &'a AtomicBool {
        self.pondering
    }

    /// What the host offers beside this contract under a name such as `rookery.tablebases/1`; none of a name that it
    /// does not know.
    pub fn extension(&self, name: &CStr) -> Option<&'static Extension> {
        // SAFETY: the function reads a text that ends with a NUL.
        unsafe { (self.extension)(name.as_ptr()) }
    }

    /// Tells the host about a finished iteration. Cheap, but not free: once an iteration.
    #[inline]
    pub fn report(&self, report: &Report<'_>) {
        // SAFETY: `context` belongs to this function pointer, as `new` made them, and lives for 'a.
        unsafe { (self.report)(self.context, &CReport::of(report)) }
    }
}

/// Knows no extension of any name.
pub(crate) unsafe extern "C" fn no_extension(_: *const c_char) -> Option<&'static Extension> {
    None
}
