// Typed moves: SAN and UCI in their common spellings.

import type { Move } from "./api"
import { typedSpellingsOf } from "./spellings"

/** The legal moves that a typed move can mean. */
export type TypedMove =
    | { kind: "move"; move: Move }
    | { kind: "promotion"; moves: Move[] }
    | { kind: "ambiguous"; moves: Move[] }
    | { kind: "illegal" }

/** Removes differences in spelling: `e2-e4`, `Pe4`, `exd5+`, `e8=Q`, `0-0`. */
const plain = (text: string) =>
    text
        .replace(/e\.?p\.?$/i, "")
        .replace(/^P(?=[a-h])/, "")
        .replace(/[+#=x×:!?()\s–-]/g, "")
        .replace(/0/g, "O")

const withoutPromotion = (move: Move) => plain(move.san).replace(/[QRBN]$/, "")

/** Returns the legal moves that the text can mean. The exact case wins: `bc4` is a pawn move. */
export function typedMove(text: string, legal: readonly Move[]): TypedMove {
    const meanings = typedSpellingsOf(text).map((spelling) => meaningOf(spelling, legal))
    return meanings.find(({ kind }) => kind !== "illegal") ?? { kind: "illegal" }
}

function meaningOf(text: string, legal: readonly Move[]): TypedMove {
    const wanted = plain(text)
    const lower = wanted.toLowerCase()
    const spellings: ((move: Move) => boolean)[] = [
        (move) => move.san === text,
        (move) => plain(move.san) === wanted,
        (move) => move.uci === lower,
        (move) => plain(move.san).toLowerCase() === lower,
        (move) =>
            move.promotion !== null &&
            (withoutPromotion(move) === wanted || move.uci.slice(0, 4) === lower),
        (move) => `${move.san[0]}${move.from}${move.to}`.toLowerCase() === lower,
    ]
    for (const spelling of spellings) {
        const found = legal.filter(spelling)
        const [first] = found
        if (!first) continue
        if (found.length === 1) return { kind: "move", move: first }
        return found.every(({ from, to }) => from === first.from && to === first.to)
            ? { kind: "promotion", moves: found }
            : { kind: "ambiguous", moves: found }
    }
    // If several pieces of a kind can reach a square, the text may name one of them.
    const partial = legal.filter(
        (move) =>
            lower.endsWith(move.to) &&
            move.san[0]?.toLowerCase() === lower[0] &&
            /^[nbrqk]/i.test(wanted),
    )
    const [only] = partial
    if (only && partial.length === 1 && only.from.includes(lower.slice(1, -2)))
        return { kind: "move", move: only }
    return partial.length > 1 ? { kind: "ambiguous", moves: partial } : { kind: "illegal" }
}
