// The pieces that a line wins and loses. The moves come from the host, so they are only followed,
// not checked.

import type { Color } from "./api"
import { piecesOf } from "./small-board"
import { texts } from "./texts/board"

type Pieces = ReadonlyMap<string, string>
/** Numbers of pieces by letter: `p`, `n`, `b`, `r`, `q`. */
export type Counts = Readonly<Record<string, number>>

const kinds = ["q", "r", "b", "n", "p"]
const worth: Record<string, number> = { q: 9, r: 5, b: 3, n: 3, p: 1 }
const home = { g: "f", c: "d" } as const

/** Returns the pieces after a move in UCI. */
function played(pieces: Pieces, uci: string): Pieces {
    const [from, to, promotion] = [uci.slice(0, 2), uci.slice(2, 4), uci[4]]
    const [next, piece = ""] = [new Map(pieces), pieces.get(from)]
    const [color, rank] = [piece[0] ?? "", to[1] ?? ""]
    const steps = Math.abs(from.charCodeAt(0) - to.charCodeAt(0))
    next.delete(from)
    const isOntoRook = pieces.get(to) === `${color}r`
    if (piece[1] === "k" && (isOntoRook || steps === 2)) {
        const side = to > from ? "g" : "c"
        next.delete(isOntoRook ? to : `${side === "g" ? "h" : "a"}${rank}`)
        return next.set(`${side}${rank}`, piece).set(`${home[side]}${rank}`, `${color}r`)
    }
    // A pawn that changes its file without a piece to take takes en passant.
    if (piece[1] === "p" && steps === 1 && !pieces.has(to)) next.delete(`${to[0]}${from[1]}`)
    return next.set(to, promotion ? color + promotion : piece)
}

const countsOf = (pieces: Pieces, color: Color): Counts => {
    const own = [...pieces.values()].filter((piece) => piece[0] === color[0])
    return Object.fromEntries(
        kinds.map((kind) => [kind, own.filter((piece) => piece[1] === kind).length]),
    )
}

/** What both sides have lost after some moves of a line. */
export interface Exchange {
    /** The number of moves. */
    after: number
    own: Counts
    other: Counts
    /** The gain of the side in pawns. */
    gain: number
}

const isForced = (san: string | undefined) => san !== undefined && /[x=]/.test(san)
const less = (before: Counts, after: Counts): Counts =>
    Object.fromEntries(kinds.map((kind) => [kind, (before[kind] ?? 0) - (after[kind] ?? 0)]))
const pointsOf = (counts: Counts) =>
    kinds.reduce((sum, kind) => sum + (worth[kind] ?? 0) * (counts[kind] ?? 0), 0)

/**
 * Returns the exchanges of a line at its quiet points, where no capture or promotion follows, for a
 * side.
 */
export function exchanges(
    placement: string,
    pv: readonly string[],
    san: readonly string[],
    color: Color,
): Exchange[] {
    const start = piecesOf(placement)
    const opponent = color === "white" ? "black" : "white"
    const [ownBefore, otherBefore] = [countsOf(start, color), countsOf(start, opponent)]
    let pieces: Pieces = start
    return pv.flatMap((uci, index) => {
        pieces = played(pieces, uci)
        if (isForced(san[index + 1])) return []
        const [own, other] = [
            less(ownBefore, countsOf(pieces, color)),
            less(otherBefore, countsOf(pieces, opponent)),
        ]
        return [{ after: index + 1, own, other, gain: pointsOf(other) - pointsOf(own) }]
    })
}

/** Names at most two pieces; null if there are more. */
function listOf(counts: Record<string, number>): string | null {
    const total = kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0)
    if (total > 2) return null
    const pieces: Readonly<Record<string, readonly [string, string]>> = texts.losses.pieces
    const [first = "", second] = kinds.flatMap(
        (kind) => pieces[kind]?.[(counts[kind] ?? 0) - 1] ?? [],
    )
    return second ? texts.losses.both(first, second) : first
}

/** Whether there is a single piece, of one of these kinds. */
const isOne = (counts: Counts, of: string) =>
    kinds.every((kind) => (counts[kind] ?? 0) <= (of.includes(kind) ? 1 : 0)) &&
    kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0) === 1

/**
 * Returns the single piece that an exchange costs a side without any return; null if it is another
 * one.
 */
export function onlyLoss({ own, other }: { own: Counts; other: Counts }): string | null {
    const lost = kinds.filter((kind) => own[kind] !== other[kind])
    const [kind] = lost
    return kind && lost.length === 1 && (own[kind] ?? 0) - (other[kind] ?? 0) === 1 ? kind : null
}

/**
 * Names what a side gives and gets: “a knight”, “the queen for a rook”; null if few words do not
 * do.
 */
export function exchangeText({ own, other }: { own: Counts; other: Counts }): string | null {
    // A promotion is no loss of a piece.
    if (kinds.some((kind) => (own[kind] ?? 0) < 0 || (other[kind] ?? 0) < 0)) return null
    const [given, got]: Record<string, number>[] = [{ ...own }, { ...other }]
    const cancel = (kind: string, against: string) => {
        const both = Math.min(given?.[kind] ?? 0, got?.[against] ?? 0)
        if (given) given[kind] = (given[kind] ?? 0) - both
        if (got) got[against] = (got[against] ?? 0) - both
    }
    for (const kind of kinds) cancel(kind, kind)
    cancel("n", "b")
    cancel("b", "n")
    const [lost, won] = [listOf(given ?? {}), listOf(got ?? {})]
    if (!lost || won === null || pointsOf(given ?? {}) <= pointsOf(got ?? {})) return null
    if (isOne(given ?? {}, "r") && isOne(got ?? {}, "bn")) return texts.losses.exchange
    return won ? texts.losses.traded(lost, won) : lost
}
