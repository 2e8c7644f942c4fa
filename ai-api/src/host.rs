//! The host as an AI sees it.

use std::{
    ffi::{CStr, CString, c_char},
    marker::PhantomData,
    path::Path,
    ptr::null,
    sync::atomic::{AtomicU32, Ordering},
};

use crate::{
    Bitboard, Color, Extension, Move, MoveList, Position, SearchInfo, Square,
    c::{CGrants, CSearchInfo, MINOR, SizedStruct as _},
    extension::{Log, LogLevel},
    tablebase::Tablebase,
};

/// The rules of chess as plain functions, which the host provides. Each may be called on any
/// thread, never blocks and takes nanoseconds. AIs use them through [`Host`].
#[cfg_attr(not(any(feature = "host", feature = "rules")), non_exhaustive)]
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
pub struct RulesVtable {
    /// The size of the table.
    pub size: usize,
    /// Replaces the list with the legal moves, in an order that never changes for a position.
    pub legal_moves: extern "C" fn(&Position, &mut MoveList),
    /// Replaces the list with the legal moves that capture or promote.
    pub legal_captures: extern "C" fn(&Position, &mut MoveList),
    /// Returns whether there is a legal move.
    pub has_legal_move: extern "C" fn(&Position) -> bool,
    /// Returns the number of legal moves that a side has, as if it were its turn.
    pub count_legal_moves: extern "C" fn(&Position, Color) -> u32,
    /// Returns whether neither side can ever mate with the material on the board.
    pub is_insufficient_material: extern "C" fn(&Position) -> bool,
    /// Writes the position after a legal move.
    pub play: extern "C" fn(&Position, Move, &mut Position),
    /// Writes the position after a null move, unless the side to move is in check.
    pub pass: extern "C" fn(&Position, &mut Position) -> bool,
    /// Returns whether a move is legal.
    pub is_legal: extern "C" fn(&Position, Move) -> bool,
    /// Returns the pieces of a side that attack a square.
    pub attackers: extern "C" fn(&Position, Square, Color) -> Bitboard,
    /// Returns whether a legal move gives check.
    pub gives_check: extern "C" fn(&Position, Move) -> bool,
}

impl RulesVtable {
    /// Returns the position after a legal move, or a meaningless one after any other move.
    #[inline]
    pub fn play(&self, position: &Position, chosen: Move) -> Position {
        let mut next = *position;
        (self.play)(position, chosen, &mut next);
        next
    }

    /// Returns the position after a null move, which passes the turn, or `None` if the side to move
    /// is in check.
    #[inline]
    pub fn pass(&self, position: &Position) -> Option<Position> {
        let mut next = *position;
        (self.pass)(position, &mut next).then_some(next)
    }
}

/// A flag that one thread sets and others read, such as the one behind [`Host::should_stop`].
#[repr(transparent)]
#[derive(Debug, Default)]
#[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
pub struct Flag(AtomicU32);

impl Flag {
    /// Creates a flag.
    pub const fn new(is_set: bool) -> Self {
        Self(AtomicU32::new(is_set as u32))
    }

    /// Returns whether the flag is set.
    #[inline]
    pub fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Sets or clears the flag.
    #[inline]
    pub fn set(&self, is_set: bool) {
        self.0.store(is_set.into(), Ordering::Relaxed);
    }
}

/// What the operator grants to an AI.
#[cfg_attr(not(feature = "host"), non_exhaustive)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants<'a> {
    /// How many threads the AI may start in addition to the one that the host calls it on.
    pub threads: u32,
    /// How many megabytes of memory it may use, including its library. `None` if there is no limit.
    pub memory_mb: Option<u64>,
    /// The absolute paths of files and folders that the AI may read.
    pub paths: Vec<&'a Path>,
}

/// The memory that backs the grants of a [`Host`].
#[derive(Debug)]
pub struct GrantTable {
    c: CGrants,
    _paths: Vec<*const c_char>,
    _texts: Vec<CString>,
}

// SAFETY: its pointers point to memory that it owns and never changes.
unsafe impl Send for GrantTable {}
// SAFETY: as above.
unsafe impl Sync for GrantTable {}

impl GrantTable {
    const EMPTY: Self = Self {
        c: CGrants {
            size: size_of::<CGrants>(),
            memory_mb: 0,
            paths: null(),
            path_count: 0,
            threads: 0,
            reserved: 0,
        },
        _paths: Vec::new(),
        _texts: Vec::new(),
    };

    /// Creates the table for these grants. Omits paths that contain a NUL.
    pub fn new(grants: &Grants<'_>) -> Self {
        let in_c = |path: &&Path| CString::new(path.as_os_str().as_encoded_bytes()).ok();
        let texts: Vec<_> = grants.paths.iter().filter_map(in_c).collect();
        let paths: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
        let c = CGrants {
            memory_mb: grants.memory_mb.unwrap_or(0),
            paths: crate::c::pointer(&paths),
            path_count: paths.len(),
            threads: grants.threads,
            ..Self::EMPTY.c
        };
        Self {
            c,
            _paths: paths,
            _texts: texts,
        }
    }
}

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no NUL"),
    };
static NO_GRANTS: GrantTable = GrantTable::EMPTY;
static NOT_PONDERING: Flag = Flag::new(false);

/// The host, valid during one call. It belongs to the thread of this call, but its [`RulesVtable`]
/// and its two flags may be used on any thread.
///
/// ```
/// # use ai_api::{Flag, Host, Limits, SearchRequest};
/// fn count_on_two_threads(request: &SearchRequest<'_>, host: &Host<'_>) -> usize {
///     let (rules, stop, position) = (host.rules(), host.stop_flag(), request.position);
///     let count = move || {
///         let mut moves = ai_api::MoveList::new();
///         (rules.legal_moves)(&position, &mut moves);
///         if stop.get() { 0 } else { moves.len() }
///     };
///     std::thread::scope(|scope| {
///         let helper = scope.spawn(count);
///         count() + helper.join().unwrap_or(0)
///     })
/// }
/// # let stop = Flag::new(false);
/// # let request = SearchRequest::new(rules::start_position(), Limits::depth(1));
/// # assert_eq!(count_on_two_threads(&request, &Host::new(&rules::RULES, &stop, &|_| ())), 40);
/// ```
#[repr(C)]
#[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
pub struct Host<'a> {
    pub(crate) size: usize,
    pub(crate) rules: &'a RulesVtable,
    pub(crate) grants: *const CGrants,
    pub(crate) stop: &'a Flag,
    pub(crate) pondering: &'a Flag,
    pub(crate) context: *const (),
    pub(crate) report: unsafe extern "C" fn(*const (), &CSearchInfo),
    pub(crate) extension: unsafe extern "C" fn(*const c_char) -> Option<&'static Extension>,
    pub(crate) minor: u32,
    pub(crate) reserved: u32,
    pub(crate) version: *const c_char,
    lifetime: PhantomData<&'a mut ()>,
}

impl<'a> Host<'a> {
    /// Creates a host with these rules that requests a stop once `stop` is set, and passes reports
    /// to `reporter`. Meant for the worker and for authors' tests.
    pub fn new<F: Fn(&SearchInfo<'_>)>(
        rules: &'a RulesVtable,
        stop: &'a Flag,
        reporter: &'a F,
    ) -> Self {
        unsafe extern "C" fn call<F: Fn(&SearchInfo<'_>)>(
            reporter: *const (),
            report: &CSearchInfo,
        ) {
            // SAFETY: `new` pairs this function with a pointer made from a `&'a F`, which outlives
            // the host.
            let reporter = unsafe { &*reporter.cast::<F>() };
            if let Err(error) = CSearchInfo::check_size(report.size) {
                // A report cannot be rejected in any other way. The panic ends the process with
                // this message.
                panic!("{error}");
            }
            // SAFETY: the info is as long as its size says, and its line is valid until this call
            // returns.
            let info = unsafe { crate::c::read_sized(report) };
            // SAFETY: as above.
            reporter(&unsafe { info.read() });
        }
        Self {
            size: size_of::<Self>(),
            rules,
            grants: &raw const NO_GRANTS.c,
            stop,
            pondering: &NOT_PONDERING,
            context: std::ptr::from_ref(reporter).cast(),
            report: call::<F>,
            extension: no_extension,
            minor: MINOR,
            reserved: 0,
            version: VERSION.as_ptr(),
            lifetime: PhantomData,
        }
    }

    /// Adds an opponent who is thinking while `pondering` is set.
    #[must_use]
    pub const fn with_pondering(mut self, pondering: &'a Flag) -> Self {
        self.pondering = pondering;
        self
    }

    /// Adds these grants.
    #[must_use]
    pub const fn with_grants(mut self, grants: &'a GrantTable) -> Self {
        self.grants = &raw const grants.c;
        self
    }

    /// Adds extensions.
    #[must_use]
    pub const fn with_extensions(
        mut self,
        extension: unsafe extern "C" fn(*const c_char) -> Option<&'static Extension>,
    ) -> Self {
        self.extension = extension;
        self
    }

    /// Returns the operator's grants to the AI.
    pub fn grants(&self) -> Grants<'a> {
        // SAFETY: the host's grants are as long as their size says, and the paths are
        // NUL-terminated strings.
        unsafe {
            let c = crate::c::read_sized(self.grants);
            let paths = crate::c::list(c.paths, c.path_count)
                .iter()
                .map(|&path| path_of(CStr::from_ptr(path)));
            Grants {
                threads: c.threads,
                memory_mb: (c.memory_mb > 0).then_some(c.memory_mb),
                paths: paths.collect(),
            }
        }
    }

    /// Logs a message with the request's id. Drops it if the host has no log.
    pub fn log(&self, level: LogLevel, message: &str) {
        if let Some(log) = self.extension(Log::NAME) {
            // SAFETY: the table with this name is a `Log`.
            unsafe { Log::write(log, level, message) };
        }
    }

    /// Returns the host's tablebases, which any thread may use, or `None` if the host does not
    /// offer them. The result never changes.
    pub fn tablebase(&self) -> Option<&'static Tablebase> {
        // SAFETY: the table with this name is a `Tablebase`.
        self.extension(Tablebase::NAME)
            .map(|extension| unsafe { Tablebase::of(extension) })
    }

    /// Returns the minor version of the host's contract. An AI may rely on everything in it.
    pub const fn minor(&self) -> u32 {
        self.minor
    }

    /// Returns the version of the host's contract, such as `1.0.0`.
    pub fn version(&self) -> &'static str {
        // SAFETY: the host passes a NUL-terminated text that lives as long as the process.
        unsafe { CStr::from_ptr(self.version) }
            .to_str()
            .unwrap_or_default()
    }

    /// Returns only the rules, for other threads.
    #[inline]
    pub const fn rules(&self) -> &'a RulesVtable {
        self.rules
    }

    /// Returns every legal move, in an order that never changes for a position.
    #[inline]
    pub fn legal_moves(&self, position: &Position) -> MoveList {
        let mut list = MoveList::new();
        (self.rules.legal_moves)(position, &mut list);
        list
    }

    /// Returns the legal moves that capture or promote.
    #[inline]
    pub fn legal_captures(&self, position: &Position) -> MoveList {
        let mut list = MoveList::new();
        (self.rules.legal_captures)(position, &mut list);
        list
    }

    /// Returns whether the side to move has a legal move. If not, it is mated or stalemated. Much
    /// cheaper than the list.
    #[inline]
    pub fn has_legal_move(&self, position: &Position) -> bool {
        (self.rules.has_legal_move)(position)
    }

    /// Counts the legal moves of `color`, for mobility. Much cheaper than the list.
    ///
    /// For the side that is not to move, counts moves as if it were its turn, without en passant
    /// and without captures of the king.
    #[inline]
    pub fn count_legal_moves(&self, position: &Position, color: Color) -> u32 {
        (self.rules.count_legal_moves)(position, color)
    }

    /// Returns whether the game is drawn because neither side can mate with the material on the
    /// board.
    #[inline]
    pub fn is_insufficient_material(&self, position: &Position) -> bool {
        (self.rules.is_insufficient_material)(position)
    }

    /// Returns whether the side to move is in check.
    #[inline]
    pub fn in_check(&self, position: &Position) -> bool {
        position.in_check()
    }

    /// Returns the position after a legal move, or a meaningless one after any other move.
    #[inline]
    pub fn play(&self, position: &Position, chosen: Move) -> Position {
        self.rules.play(position, chosen)
    }

    /// Returns the position after a null move, which passes the turn, or `None` if the side to move
    /// is in check.
    #[inline]
    pub fn pass(&self, position: &Position) -> Option<Position> {
        self.rules.pass(position)
    }

    /// Returns whether a move is legal.
    #[inline]
    pub fn is_legal(&self, position: &Position, chosen: Move) -> bool {
        (self.rules.is_legal)(position, chosen)
    }

    /// Returns the pieces of `color` that attack `square`.
    #[inline]
    pub fn attackers(&self, position: &Position, square: Square, color: Color) -> Bitboard {
        (self.rules.attackers)(position, square, color)
    }

    /// Returns whether `chosen`, a legal move, gives check.
    #[inline]
    pub fn gives_check(&self, position: &Position, chosen: Move) -> bool {
        (self.rules.gives_check)(position, chosen)
    }

    /// Returns whether the AI must return its best result now. The check is a single load. Call it
    /// every few hundred nodes.
    #[inline]
    pub fn should_stop(&self) -> bool {
        self.stop.get()
    }

    /// Returns the flag behind [`should_stop`](Self::should_stop), for other threads.
    #[inline]
    pub const fn stop_flag(&self) -> &'a Flag {
        self.stop
    }

    /// Returns whether the opponent is still thinking. When this becomes false, the time
    /// [limits](crate::Limits) start. The host holds back results until then.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.get()
    }

    /// Returns the flag behind [`is_pondering`](Self::is_pondering), for other threads.
    #[inline]
    pub const fn pondering_flag(&self) -> &'a Flag {
        self.pondering
    }

    /// Returns an extension of the host, such as `rookery.log/1`, or `None` for an unknown name.
    pub fn extension(&self, name: &CStr) -> Option<&'static Extension> {
        // SAFETY: the function reads a NUL-terminated string.
        unsafe { (self.extension)(name.as_ptr()) }
    }

    /// Reports a finished iteration. Costs microseconds, so call it once per iteration.
    #[inline]
    pub fn report(&self, info: &SearchInfo<'_>) {
        let text = info.text.and_then(|text| CString::new(text).ok());
        // SAFETY: `context` belongs to this function pointer, because `new` paired them, and lives
        // for 'a.
        unsafe { (self.report)(self.context, &CSearchInfo::of(info, text.as_deref())) }
    }
}

fn path_of(text: &CStr) -> &Path {
    // SAFETY: the host made the text from a path.
    Path::new(unsafe { std::ffi::OsStr::from_encoded_bytes_unchecked(text.to_bytes()) })
}

pub(crate) unsafe extern "C" fn no_extension(_: *const c_char) -> Option<&'static Extension> {
    None
}
