//! The host's tables, offered as `rookery.tablebase/1`.

use std::{
    ffi::{CStr, c_char},
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
};

use ai_api::{
    Ai, Extension, Flag, Host, Limits, Options, Position, Score, SearchInfo, SearchRequest,
    SearchResult, Searcher, TableMove, Tablebase,
};
use ai_nnue1::Nnue1;
use ai_tablebase::Tablebases;

use crate::fen;

static TABLES: LazyLock<Tablebases> = LazyLock::new(|| {
    Tablebases::open(
        &[concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/syzygy")],
        u64::MAX,
    )
    .unwrap()
});

const HEAD: Extension = Extension {
    size: size_of::<Tablebase>(),
};

static WHOLE: Tablebase = Tablebase {
    head: HEAD,
    max_pieces,
    probe_wdl,
    probe_root,
};

/// Tables in which every probe fails.
static DAMAGED: Tablebase = Tablebase {
    head: HEAD,
    max_pieces,
    probe_wdl: fail,
    probe_root: fail_root,
};

static FAILED: AtomicU32 = AtomicU32::new(0);

extern "C" fn max_pieces() -> u32 {
    TABLES.max_pieces()
}

extern "C" fn probe_wdl(position: &Position) -> u32 {
    TABLES.probe_wdl(position).map_or(0, |result| result as u32)
}

extern "C" fn probe_root(
    position: &Position,
    dtz: &mut i32,
    moves: *mut TableMove,
    capacity: usize,
    count: &mut usize,
) -> u32 {
    let Some(found) = TABLES.probe_root(position) else {
        return 0;
    };
    assert!(found.moves.len() <= capacity);
    (*dtz, *count) = (found.dtz, found.moves.len());
    // SAFETY: the array has room for `count` moves.
    unsafe { moves.copy_from_nonoverlapping(found.moves.as_ptr(), *count) };
    found.result as u32
}

extern "C" fn fail(_: &Position) -> u32 {
    FAILED.fetch_add(1, Ordering::Relaxed);
    0
}

extern "C" fn fail_root(
    _: &Position,
    _: &mut i32,
    _: *mut TableMove,
    _: usize,
    _: &mut usize,
) -> u32 {
    FAILED.fetch_add(1, Ordering::Relaxed);
    0
}

fn is_tablebase(name: *const c_char) -> bool {
    // SAFETY: an AI requests an extension with a NUL-terminated string.
    unsafe { CStr::from_ptr(name) == Tablebase::NAME }
}

unsafe extern "C" fn whole(name: *const c_char) -> Option<&'static Extension> {
    is_tablebase(name).then_some(&WHOLE.head)
}

unsafe extern "C" fn damaged(name: *const c_char) -> Option<&'static Extension> {
    is_tablebase(name).then_some(&DAMAGED.head)
}

type Extensions = unsafe extern "C" fn(*const c_char) -> Option<&'static Extension>;

fn search(extensions: Option<Extensions>, text: &str, limits: Limits) -> SearchResult {
    let stop = Flag::new(false);
    let host = Host::new(&rules::RULES, &stop, &|_: &SearchInfo<'_>| ());
    let host = match extensions {
        Some(extensions) => host.with_extensions(extensions),
        None => host,
    };
    let mut ai = Nnue1::create(&Options::resolve(&Nnue1::options(), &[]), &host).unwrap();
    ai.search(&SearchRequest::new(fen(text), limits), &host)
        .unwrap()
}

const ROOT: &str = "8/8/8/8/8/2k5/8/K1B1N3 w - - 0 1";
const BEFORE: &str = "8/8/8/8/2k5/8/r5RP/6K1 w - - 0 1";

#[test]
fn uses_the_hosts_tables_at_the_root_and_below() {
    assert_eq!(
        search(Some(whole), ROOT, Limits::depth(2)).score,
        Score::centipawns(20_000)
    );
    assert!(search(Some(whole), BEFORE, Limits::depth(4)).score >= Score::centipawns(19_900));
    for text in [ROOT, BEFORE] {
        assert!(
            search(None, text, Limits::depth(4)).score < Score::centipawns(5_000),
            "{text}"
        );
    }
}

#[test]
fn the_search_continues_if_probes_fail() {
    for text in [ROOT, BEFORE] {
        let before = FAILED.load(Ordering::Relaxed);
        let found = search(Some(damaged), text, Limits::depth(4));
        assert!(FAILED.load(Ordering::Relaxed) > before);
        assert_eq!(found, search(None, text, Limits::depth(4)), "{text}");
    }
}
