// The numeric annotation glyphs (NAGs) of PGN: their symbols and valid combinations.

import { texts } from "./texts/board"

const moveSigns = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□" }
const positionSigns = {
    10: "=",
    13: "∞",
    14: "⩲",
    15: "⩱",
    16: "±",
    17: "∓",
    18: "+−",
    19: "−+",
}
const remarkSigns = {
    22: "⨀",
    32: "⟳",
    36: "↑",
    40: "→",
    132: "⇆",
    44: "=∞",
    138: "⊕",
    140: "∆",
    146: "N",
}
/** Black's glyphs that share a symbol with White's. */
const sameSign: Record<number, number> = {
    8: 7,
    11: 10,
    23: 22,
    33: 32,
    37: 36,
    41: 40,
    45: 44,
    133: 132,
    139: 138,
}

type Sign = keyof typeof moveSigns | keyof typeof positionSigns | keyof typeof remarkSigns
const signs: Readonly<Record<number, string>> = { ...moveSigns, ...positionSigns, ...remarkSigns }
const listed = (table: object) => Object.keys(table).map(Number) as Sign[]

/** The selectable glyphs: for the move, for the position, and remarks. */
export const palette: readonly (readonly Sign[])[] = [
    listed(moveSigns),
    listed(positionSigns),
    listed(remarkSigns),
]

const plainNag = (nag: number) => sameSign[nag] ?? nag

export const signOf = (nag: number): string => signs[plainNag(nag)] ?? `$${nag}`
export const nameOf = (nag: Sign): string => texts.glyphs.names[nag]

/** Returns a glyph as written after its move: move glyphs directly, others after a space. */
export const nagText = (nag: number): string => (nag <= 6 ? signOf(nag) : ` ${signOf(nag)}`)

/** Drawings of symbols that few fonts have. */
const drawn: Readonly<Record<number, string>> = {
    14: "M8 1v8M4 5h8M4 12h8M4 15.5h8",
    15: "M4 1h8M4 4.5h8M8 7.5v8M4 11.5h8",
}

/** A glyph's symbol. */
export function Sign({ nag }: { nag: number }) {
    const path = drawn[plainNag(nag)]
    if (!path) return <>{signOf(nag)}</>
    return (
        <svg class="sign" viewBox="0 0 16 17" role="img" aria-label={signOf(nag)}>
            <path d={path} />
        </svg>
    )
}

export const hasGlyph = (nags: readonly number[], nag: number): boolean =>
    nags.some((known) => plainNag(known) === nag)

/** Sets or removes a glyph. A move has at most one move glyph and one position glyph. */
export function toggled(nags: readonly number[], nag: Sign): number[] {
    const group = palette.findIndex((group) => group.includes(nag))
    const replaces = (known: number) =>
        plainNag(known) === nag || (group < 2 && palette[group]?.includes(plainNag(known) as Sign))
    const others = nags.filter((known) => !replaces(known))
    return hasGlyph(nags, nag) ? others : [...others, nag].sort((a, b) => a - b)
}
