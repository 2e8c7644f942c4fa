//! Writes the tables of the attacks of bishops and rooks.
//!
//! For each square the possible blockers of a slider are multiplied by a factor that maps every set of them to an index of its
//! own, or to one shared with a set of the same effect. A second table holds the same attacks in the order of the blockers
//! themselves, for processors that gather bits (`pext`).

mod magics;

use std::{env, fmt::Write as _, fs, path::Path};

const BISHOP_STEPS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const ROOK_STEPS: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

/// The squares a slider attacks from `square` among `occupied` ones.
fn attacks(square: u8, occupied: u64, steps: [(i8, i8); 4]) -> u64 {
    steps.into_iter().fold(0, |set, step| set | ray(square, occupied, step))
}

fn ray(square: u8, occupied: u64, (file_step, rank_step): (i8, i8)) -> u64 {
    let mut set = 0;
    let (mut file, mut rank) = ((square % 8) as i8 + file_step, (square / 8) as i8 + rank_step);
    while (0..8).contains(&file) && (0..8).contains(&rank) {
        let reached = 1 << (rank * 8 + file);
        set |= reached;
        if occupied & reached != 0 {
            break;
        }
        file += file_step;
        rank += rank_step;
    }
    set
}

/// The squares whose occupation matters: those that hide others.
fn relevant(square: u8, steps: [(i8, i8); 4]) -> u64 {
    let hides = |blocker: &u64| attacks(square, *blocker, steps) != attacks(square, 0, steps);
    (0..64).map(|index| 1 << index).filter(hides).sum()
}

struct Magic {
    mask: u64,
    shift: u32,
    attacks: Vec<u64>,
    /// The attacks of every set of blockers, in the order of the sets.
    in_order: Vec<u64>,
}

/// Fills in the tables of one square.
fn magic(square: u8, steps: [(i8, i8); 4], factor: u64) -> Magic {
    let mask = relevant(square, steps);
    let shift = 64 - mask.count_ones();
    // No slider attacks nothing, so 0 marks an index that is still free.
    let mut table = vec![0; 1 << mask.count_ones()];
    let mut in_order = Vec::with_capacity(table.len());
    let mut blockers = 0_u64;
    loop {
        let reached = attacks(square, blockers, steps);
        let entry = &mut table[(blockers.wrapping_mul(factor) >> shift) as usize];
        assert!(*entry == 0 || *entry == reached, "{factor:#x} maps different attacks to one index");
        *entry = reached;
        in_order.push(reached);
        blockers = blockers.wrapping_sub(mask) & mask;
        if blockers == 0 {
            return Magic { mask, shift, attacks: table, in_order };
        }
    }
}

/// A number as Rust writes it, in groups of four digits.
fn hex(number: u64) -> String {
    let part = |shift: u32| number >> shift & 0xffff;
    format!("0x{:04x}_{:04x}_{:04x}_{:04x}", part(48), part(32), part(16), part(0))
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=magics.rs");
    let mut source = String::new();
    let (mut slides, mut slides_in_order) = (Vec::new(), Vec::new());
    for (name, steps, factors) in [
        ("BISHOP_MAGICS", BISHOP_STEPS, magics::BISHOP_FACTORS),
        ("ROOK_MAGICS", ROOK_STEPS, magics::ROOK_FACTORS),
    ] {
        let _ = writeln!(source, "static {name}: [Magic; 64] = [");
        for (square, factor) in (0..).zip(factors) {
            let magic = magic(square, steps, factor);
            let (mask, factor) = (hex(magic.mask), hex(factor));
            let (offset, shift) =
                (format!("0x{:x}_{:04x}", slides.len() >> 16, slides.len() & 0xffff), magic.shift);
            let _ = writeln!(
                source,
                "Magic {{ mask: {mask}, factor: {factor}, offset: {offset}, shift: {shift} }},"
            );
            slides.extend(magic.attacks);
            slides_in_order.extend(magic.in_order);
        }
        let _ = writeln!(source, "];");
    }
    for (name, slides) in [("SLIDES", slides), ("SLIDES_IN_ORDER", slides_in_order)] {
        let _ = writeln!(source, "static {name}: [u64; {}] = [", hex(slides.len() as u64));
        for row in slides.chunks(4) {
            let row: Vec<String> = row.iter().copied().map(hex).collect();
            let _ = writeln!(source, "{},", row.join(", "));
        }
        let _ = writeln!(source, "];");
    }
    let directory = env::var_os("OUT_DIR").expect("cargo names a directory for what build scripts write");
    fs::write(Path::new(&directory).join("magics.rs"), source)
        .expect("cargo's own directory can be written to");
}
