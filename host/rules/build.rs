//! Finds magic factors for bishops and rooks and writes the tables of their attacks.
//!
//! For each square the possible blockers of a slider are multiplied by a factor that maps every set of them to an index of its
//! own, or to one shared with a set of the same effect. The factors are found by trying numbers with few bits, from a fixed seed,
//! so that every build creates the same tables. A second table holds the same attacks in the order of the blockers themselves,
//! for processors that gather bits (`pext`).

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

/// A small generator of random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn with_few_bits(&mut self) -> u64 {
        self.next() & self.next() & self.next()
    }
}

struct Magic {
    mask: u64,
    factor: u64,
    shift: u32,
    attacks: Vec<u64>,
    /// The attacks of every set of blockers, in the order of the sets.
    in_order: Vec<u64>,
}

fn find_magic(square: u8, steps: [(i8, i8); 4], random: &mut Random) -> Magic {
    let mask = relevant(square, steps);
    let shift = 64 - mask.count_ones();
    let mut blockades = Vec::new();
    let mut subset = 0_u64;
    loop {
        blockades.push((subset, attacks(square, subset, steps)));
        subset = subset.wrapping_sub(mask) & mask;
        if subset == 0 {
            break;
        }
    }
    // No slider attacks nothing, so 0 marks an index that is still free.
    let mut table = vec![0; blockades.len()];
    loop {
        let factor = random.with_few_bits();
        if (mask.wrapping_mul(factor) >> 56).count_ones() < 6 {
            continue;
        }
        table.fill(0);
        let fits = blockades.iter().all(|&(occupied, reached)| {
            let entry = &mut table[(occupied.wrapping_mul(factor) >> shift) as usize];
            let free = *entry == 0 || *entry == reached;
            *entry = reached;
            free
        });
        if fits {
            let in_order = blockades.into_iter().map(|(_, reached)| reached).collect();
            return Magic { mask, factor, shift, attacks: table, in_order };
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
    let mut random = Random(2_014);
    let mut source = String::new();
    let (mut slides, mut slides_in_order) = (Vec::new(), Vec::new());
    for (name, steps) in [("BISHOP_MAGICS", BISHOP_STEPS), ("ROOK_MAGICS", ROOK_STEPS)] {
        let _ = writeln!(source, "static {name}: [Magic; 64] = [");
        for square in 0..64 {
            let magic = find_magic(square, steps, &mut random);
            let (mask, factor) = (hex(magic.mask), hex(magic.factor));
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
