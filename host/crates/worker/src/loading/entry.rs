//! The functions that an AI's library exports, with safe Rust types.

use std::{
    mem::{MaybeUninit, offset_of},
    ptr::null_mut,
};

use ai_api::{
    AiError, AiErrorKind, Bound, EvalTerm, Host, Move, NodeKind, OptionSetting, Position, PvLine,
    Score, SearchRequest, SearchResult, TraceNode,
    c::{
        ABI, CAi, CCapabilities, CClocks, CError, CEvalTerm, CEvalTerms, CLimits, CManifest,
        CPvLine, CSearchRequest, CSearchResult, CSetting, InvalidSize, MAX_CHOICES, MAX_LINES,
        MAX_OPTIONS, MAX_PV, MAX_TERMS, MAX_TRACE_NODES, OK, PANICKED, SizedStruct, Texts,
        UnknownKind, list, read_sized, text,
    },
    note::API_VERSION,
};

use super::lent::{LentInput, LentOutput};
use crate::outgoing;
use protocol::Manifest;

pub(crate) const EVALUATE: &str = "evaluate";
pub(crate) const ERROR: &str = "rookery_error";

/// An AI's functions: the required ones, and the optional ones in `optional`.
#[derive(Clone, Copy)]
pub(crate) struct Functions {
    manifest:
        unsafe extern "C" fn(&Host<'_>, *const CSetting, usize, *mut CManifest, *mut CError) -> i32,
    create:
        unsafe extern "C" fn(&Host<'_>, *const CSetting, usize, *mut *mut (), *mut CError) -> i32,
    destroy: unsafe extern "C" fn(*mut ()),
    optional: CAi,
}

/// An AI's instance, on the thread that created it. Dropping it destroys it.
pub(crate) struct Instance {
    ai: *mut (),
    destroy: unsafe extern "C" fn(*mut ()),
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: `create` of the same library returned it, and nothing else destroys it.
        unsafe { (self.destroy)(self.ai) }
    }
}

/// Why an AI's functions can't be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum EntryError {
    #[error("{0}")]
    Size(#[from] InvalidSize),
    #[error(
        "the AI was built for ABI {0} of rookery_ai.h, but this host has ABI {ABI}; build it again \
         with the host's header"
    )]
    Abi(u32),
    #[error(
        "rookery_ai_entry lacks the function '{0}'; every AI needs manifest, create and destroy"
    )]
    Missing(&'static str),
    #[error(
        "the library neither searches nor evaluates positions; give rookery_ai_entry a 'search' or \
         an 'evaluate'"
    )]
    DoesNothing,
}

impl Functions {
    /// Reads the exported `rookery_ai_entry` of a library.
    ///
    /// # Safety
    /// `entry` belongs to a library that stays loaded.
    pub(super) unsafe fn read(entry: *const CAi) -> Result<Self, EntryError> {
        // SAFETY: every ABI starts with its number.
        let abi = unsafe { (*entry).abi };
        if abi != ABI {
            return Err(EntryError::Abi(abi));
        }
        // SAFETY: every ABI starts with the size.
        CAi::check_size(unsafe { (*entry).size })?;
        // SAFETY: the struct has as many bytes as its `size`.
        let ai = unsafe { read_sized(entry) };
        if ai.search.is_none() && ai.evaluate.is_none() {
            return Err(EntryError::DoesNothing);
        }
        Ok(Self {
            manifest: ai.manifest.ok_or(EntryError::Missing("manifest"))?,
            create: ai.create.ok_or(EntryError::Missing("create"))?,
            destroy: ai.destroy.ok_or(EntryError::Missing("destroy"))?,
            optional: ai,
        })
    }

    pub(crate) const fn is_searcher(&self) -> bool {
        self.optional.search.is_some()
    }

    pub(crate) const fn sets_options(&self) -> bool {
        self.optional.set_option.is_some()
    }

    pub(crate) const fn is_evaluator(&self) -> bool {
        self.optional.evaluate.is_some()
    }

    /// Returns the AI's manifest with these options set.
    pub(crate) fn manifest(
        &self,
        settings: &[OptionSetting],
        host: &Host<'_>,
    ) -> Result<Manifest, AiError> {
        const NAME: &str = "manifest";
        let settings = CSettings::new(settings);
        let mut given = LentInput::new(&settings.list);
        let (mut capabilities, mut error) = (LentOutput::new(CCapabilities::empty()), no_error());
        let empty = CManifest {
            capabilities: capabilities.pointer(),
            ..CManifest::empty()
        };
        let mut output = LentOutput::new(empty);
        // SAFETY: as the header requires, all arguments live until the call returns.
        let status = unsafe {
            (self.manifest)(
                host,
                given.pointer(),
                given.len(),
                output.pointer(),
                error.pointer(),
            )
        };
        given.check(NAME, "rookery_setting")?;
        capabilities.check(NAME, "rookery_capabilities")?;
        output.check(NAME, "rookery_manifest")?;
        outcome(NAME, status, &error)?;
        let output = output.value;
        // SAFETY: the description stays valid until the next call to `manifest`.
        let (options, [name, version, author]) = unsafe {
            let options = elements(
                output.options,
                output.option_count,
                output.option_stride,
                "options",
                MAX_OPTIONS,
            )?;
            (
                options,
                [output.name, output.version, output.author].map(|pointer| text(pointer)),
            )
        };
        for option in &options {
            check_length(
                option.choice_count.max(option.value.list_length),
                "choices",
                MAX_CHOICES,
            )?;
        }
        // SAFETY: as above.
        let options = options.iter().map(|option| unsafe { option.read() });
        // An option of an unknown kind is not offered; the AI uses its default.
        let options = options.filter_map(|option| {
            option
                .map_err(|kind| outgoing::warn(&not_offered(&kind)))
                .ok()
        });
        let options = options.collect();
        let capabilities = capabilities.value.read();
        Ok(Manifest {
            name,
            version,
            author,
            options,
            capabilities,
        })
    }

    pub(crate) fn create(
        &self,
        settings: &[OptionSetting],
        host: &Host<'_>,
    ) -> Result<Instance, AiError> {
        const NAME: &str = "create";
        let settings = CSettings::new(settings);
        let mut given = LentInput::new(&settings.list);
        let (mut ai, mut error) = (LentOutput::new(null_mut()), no_error());
        // SAFETY: as in `manifest`.
        let status = unsafe {
            (self.create)(
                host,
                given.pointer(),
                given.len(),
                ai.pointer(),
                error.pointer(),
            )
        };
        given.check(NAME, "rookery_setting")?;
        ai.check(NAME, "pointer to the instance")?;
        outcome(NAME, status, &error)?;
        if ai.value.is_null() {
            return Err(AiError::new(
                "create returned ROOKERY_OK but wrote no instance",
            ));
        }
        Ok(Instance {
            ai: ai.value,
            destroy: self.destroy,
        })
    }

    pub(crate) fn set_option(
        &self,
        instance: &mut Instance,
        setting: &OptionSetting,
        host: &Host<'_>,
    ) -> Result<(), AiError> {
        const NAME: &str = "set_option";
        let set_option = self
            .optional
            .set_option
            .ok_or_else(|| AiError::new("the AI has no set_option"))?;
        let (settings, mut error) = (CSettings::new(std::slice::from_ref(setting)), no_error());
        let mut given = LentInput::new(&settings.list);
        // SAFETY: this process has only one library, so the instance belongs to it; all arguments
        // live until the call returns.
        let status = unsafe { set_option(instance.ai, given.pointer(), host, error.pointer()) };
        given.check(NAME, "rookery_setting")?;
        outcome(NAME, status, &error)
    }

    pub(crate) fn new_game(&self, instance: &mut Instance, host: &Host<'_>) -> Result<(), AiError> {
        let Some(new_game) = self.optional.new_game else {
            return Ok(());
        };
        let mut error = no_error();
        // SAFETY: this process has only one library, so the instance belongs to it.
        let status = unsafe { new_game(instance.ai, host, error.pointer()) };
        outcome("new_game", status, &error)
    }

    pub(crate) fn search(
        &self,
        instance: &mut Instance,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        const NAME: &str = "search";
        let search = self
            .optional
            .search
            .ok_or_else(|| AiError::new("the AI does not search"))?;
        let positions = [request.position, request.start];
        let (limits, clocks) = (
            [CLimits::of(&request.limits)],
            request.clocks.as_ref().map(CClocks::of),
        );
        let mut positions = LentInput::new(&positions);
        let mut history = LentInput::new(request.history);
        let [mut moves, mut root_moves] = [request.moves, request.root_moves].map(LentInput::new);
        let (mut limits, mut clocks) = (LentInput::new(&limits), LentInput::new(clocks.as_slice()));
        let input = [CSearchRequest {
            size: size_of::<CSearchRequest>(),
            position: positions.pointer(),
            history: history.pointer(),
            history_length: history.len(),
            start: positions.pointer().wrapping_add(1),
            moves: moves.pointer(),
            move_count: moves.len(),
            limits: limits.pointer(),
            clocks: clocks.pointer(),
            root_moves: root_moves.pointer(),
            root_move_count: root_moves.len(),
            lines: request.lines,
            trace_nodes: request.trace_nodes,
            analysis: request.analysis.into(),
            reserved: [0; 7],
        }];
        let mut input = LentInput::new(&input);
        let (mut output, mut error) = (LentOutput::new(CSearchResult::empty()), no_error());
        // SAFETY: this process has only one library, so the instance belongs to it; all arguments
        // live until the call returns.
        let status = unsafe {
            search(
                instance.ai,
                input.pointer(),
                host,
                output.pointer(),
                error.pointer(),
            )
        };
        input.check(NAME, "rookery_search_request")?;
        positions.check(NAME, "rookery_position")?;
        history.check(NAME, "history")?;
        moves.check(NAME, "moves")?;
        root_moves.check(NAME, "root_moves")?;
        limits.check(NAME, "rookery_limits")?;
        clocks.check(NAME, "rookery_clocks")?;
        output.check(NAME, "rookery_search_result")?;
        outcome(NAME, status, &error)?;
        let output = output.value;
        // SAFETY: the result stays valid until the next call with this instance.
        let (pv, multipv, trace) = unsafe {
            (
                line(output.pv, output.pv_length)?,
                elements(
                    output.multipv,
                    output.multipv_count,
                    output.multipv_stride,
                    "lines",
                    MAX_LINES,
                )?,
                // An AI can write any number for an enumeration.
                elements(
                    output.trace.cast::<MaybeUninit<TraceNode>>(),
                    output.trace_length,
                    output.trace_stride,
                    "nodes of a trace",
                    MAX_TRACE_NODES,
                )?,
            )
        };
        // SAFETY: as above.
        let pv_line = |found: &CPvLine| unsafe {
            let line_moves = line(found.moves, found.move_count)?.to_vec();
            let bound = Bound::from_number(found.bound);
            Ok(PvLine {
                bound,
                wdl: found.wdl.read(),
                ..PvLine::new(found.depth, found.score, line_moves)
            })
        };
        Ok(SearchResult {
            best_move: (output.best_move != Move::from_bits(0)).then_some(output.best_move),
            score: output.score,
            bound: Bound::from_number(output.bound),
            wdl: output.wdl.read(),
            depth: output.depth,
            nodes: output.nodes,
            pv: pv.to_vec(),
            multipv: multipv
                .iter()
                .map(pv_line)
                .collect::<Result<_, AiError>>()?,
            trace: trace.into_iter().map(trace_node).collect(),
            ..SearchResult::NONE
        })
    }

    /// Evaluates a position with an instance of this AI and checks what the AI has written.
    pub(crate) fn evaluate_checked(
        &self,
        instance: &mut Instance,
        position: &Position,
        host: &Host<'_>,
    ) -> Result<Score, AiError> {
        let (mut given, mut error) = (LentInput::new(std::slice::from_ref(position)), no_error());
        // SAFETY: it points to a copy of the position.
        let score = self.evaluate(instance, unsafe { &*given.pointer() }, host, &mut error);
        given.check(EVALUATE, "rookery_position")?;
        error.check(EVALUATE, ERROR)?;
        score
    }

    /// Evaluates a position with an instance of this AI. `error` is a buffer for the reason if it
    /// fails.
    #[inline]
    pub(crate) fn evaluate(
        &self,
        instance: &mut Instance,
        position: &Position,
        host: &Host<'_>,
        error: &mut LentOutput<CError>,
    ) -> Result<Score, AiError> {
        let evaluate = self
            .optional
            .evaluate
            .ok_or_else(|| AiError::new("the AI does not evaluate positions"))?;
        // SAFETY: this process has only one library, so the instance belongs to it.
        let score = unsafe { evaluate(instance.ai, position, host, error.pointer()) };
        if score.is_none() {
            Err(failure(AiErrorKind::Panicked, &error.value))
        } else {
            Ok(score)
        }
    }

    pub(crate) fn terms(
        &self,
        instance: &mut Instance,
        position: &Position,
        host: &Host<'_>,
    ) -> Result<Vec<EvalTerm>, AiError> {
        const NAME: &str = "terms";
        let Some(terms) = self.optional.terms else {
            return Ok(Vec::new());
        };
        let mut given = LentInput::new(std::slice::from_ref(position));
        let (mut output, mut error) = (LentOutput::new(CEvalTerms::empty()), no_error());
        // SAFETY: this process has only one library, so the instance belongs to it.
        let status = unsafe {
            terms(
                instance.ai,
                &*given.pointer(),
                host,
                output.pointer(),
                error.pointer(),
            )
        };
        given.check(NAME, "rookery_position")?;
        output.check(NAME, "rookery_eval_terms")?;
        outcome(NAME, status, &error)?;
        let output = output.value;
        // SAFETY: the terms stay valid until the next call with this instance.
        let output = unsafe {
            elements(
                output.terms,
                output.count,
                output.stride,
                "terms",
                MAX_TERMS,
            )
        }?;
        // SAFETY: as above.
        let term = |term: &CEvalTerm| EvalTerm::new(&unsafe { text(term.name) }, term.score);
        Ok(output.iter().map(term).collect())
    }
}

pub(crate) const fn no_error() -> LentOutput<CError> {
    LentOutput::new(CError::EMPTY)
}

/// Returns the error for a function that returned this status.
fn outcome(function: &str, status: i32, error: &LentOutput<CError>) -> Result<(), AiError> {
    error.check(function, ERROR)?;
    match status {
        OK => Ok(()),
        PANICKED => Err(failure(AiErrorKind::Panicked, &error.value)),
        _ => Err(failure(AiErrorKind::Failed, &error.value)),
    }
}

/// Settings in C's form, with the strings that they point to.
struct CSettings {
    list: Vec<CSetting>,
    _texts: Texts,
}

impl CSettings {
    fn new(settings: &[OptionSetting]) -> Self {
        let mut texts = Texts::default();
        Self {
            list: settings
                .iter()
                .map(|setting| CSetting::of(setting, &mut texts))
                .collect(),
            _texts: texts,
        }
    }
}

fn not_offered(
    UnknownKind {
        option,
        kind,
        is_of_default,
    }: &UnknownKind,
) -> String {
    let of = if *is_of_default {
        " of its default"
    } else {
        ""
    };
    format!(
        "the option '{option}' is not offered: this host does not know the kind {kind}{of} (ai-api \
         {API_VERSION}); update the host, or declare another kind"
    )
}

/// Reads a node. An unknown kind becomes `Other`, and an unknown bound is dropped.
fn trace_node(node: MaybeUninit<TraceNode>) -> TraceNode {
    // SAFETY: the AI has written the bytes, and all bit patterns are valid for this type.
    let mut node: [u8; size_of::<TraceNode>()] = unsafe { std::mem::transmute(node) };
    let (bound, kind) = (offset_of!(TraceNode, bound), offset_of!(TraceNode, kind));
    node[bound] = Bound::from_number(node[bound]) as u8;
    if usize::from(node[kind]) >= NodeKind::ALL.len() {
        node[kind] = NodeKind::Other as u8;
    }
    // SAFETY: both enumerations hold a valid value, and all bit patterns are valid for the other
    // fields.
    unsafe { node.as_ptr().cast::<TraceNode>().read_unaligned() }
}

/// Copies an array whose elements may be larger than in this host's contract.
///
/// # Errors
/// The elements are smaller than in ABI 1, or misaligned.
///
/// # Safety
/// `begin` points to `length` elements of `stride` bytes.
unsafe fn elements<T: Copy>(
    begin: *const T,
    length: usize,
    stride: usize,
    what: &str,
    most: usize,
) -> Result<Vec<T>, AiError> {
    if begin.is_null() || length == 0 {
        return Ok(Vec::new());
    }
    if stride < size_of::<T>() || !stride.is_multiple_of(align_of::<T>()) || !begin.is_aligned() {
        return Err(AiError::new(format!(
            "the AI returned {what} of {stride} bytes each; an element must be aligned and have at \
             least {} bytes; set the stride to its sizeof",
            size_of::<T>()
        )));
    }
    // SAFETY: guaranteed by the caller.
    let element = |index| unsafe { begin.byte_add(index * stride).read() };
    check_length(length, what, most)?;
    Ok((0..length).map(element).collect())
}

/// Returns the moves of a line.
///
/// # Safety
/// `begin` points to `length` moves, which live as long as the result is used.
unsafe fn line<'a>(begin: *const Move, length: usize) -> Result<&'a [Move], AiError> {
    check_length(length, "moves of a line", MAX_PV)?;
    // SAFETY: guaranteed by the caller.
    Ok(unsafe { list(begin, length) })
}

fn check_length(length: usize, what: &str, most: usize) -> Result<(), AiError> {
    if length <= most {
        return Ok(());
    }
    Err(AiError::new(format!(
        "the AI returned {length} {what}; at most {most} are allowed (rookery_ai.h)"
    )))
}

fn failure(kind: AiErrorKind, reported: &CError) -> AiError {
    let bytes: Vec<_> = reported
        .message
        .iter()
        .map(|&byte| byte as u8)
        .take_while(|&byte| byte != 0)
        .collect();
    let message = String::from_utf8_lossy(&bytes).into_owned();
    let message = if message.is_empty() {
        "the AI failed without a message".to_owned()
    } else {
        message
    };
    let error = AiError::new(message);
    if kind == AiErrorKind::Panicked {
        error.panicked()
    } else {
        error
    }
}
