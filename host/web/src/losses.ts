// What a bad move lost, in words: only what the scores and lines of the AI show.

import type { Color, MoveReport, Score } from "./api"
import { pieceOf } from "./format"
import { exchanges, exchangeText, onlyLoss } from "./material"
import type { Exchange } from "./material"
import { piecesOf } from "./small-board"
import { texts } from "./texts/board"

interface Line {
    pv: readonly string[]
    san: readonly string[]
}
export interface Loss {
    text: string
    /** The replies that show it; empty if the better move does. */
    reply: Line
}

/** How far a line is believed, in plies. */
const maxPlies = 9
/** The share of the material that the score must lose too. */
const leastShare = 0.6

/**
 * Returns the AI's line after a move: the opponent’s best replies, which may be the moves of the
 * game.
 */
export function replyTo(ply: number, reports: ReadonlyMap<number, MoveReport>): Line {
    const next = reports.get(ply + 1)
    if (!next) return { pv: [], san: [] }
    if (next.best && next.best.move.uci !== next.move.uci) return next.best
    const { pv, san } = replyTo(ply + 1, reports)
    return { pv: [next.move.uci, ...pv], san: [next.move.san, ...san] }
}

/** Returns a score from the view of a side. */
const seen = (score: Score, color: Color): Score => {
    const sign = color === "white" ? 1 : -1
    return "mate" in score ? { mate: sign * score.mate } : { cp: sign * score.cp }
}

/**
 * Returns the first exchange that a condition holds for, if it holds until the end of the line; the
 * least one of these.
 */
function lasting(found: Exchange[], sign: 1 | -1): Exchange | undefined {
    const from = found.findIndex(({ gain }) => gain * sign > 0)
    if (from < 0) return undefined
    const least = found.slice(from).reduce((a, b) => (b.gain * sign < a.gain * sign ? b : a))
    return least.gain * sign > 0 ? least : undefined
}

const hasPromotion = ({ san }: Line, from: number, to: number) =>
    san.slice(0, to).some((move, index) => index % 2 === from && move.includes("="))

/**
 * Returns what a bad move lost; null if nothing plain can be said. `placement` is the board before
 * it.
 */
export function lossOf(
    placement: string,
    color: Color,
    entry: MoveReport,
    reply: Line,
): Loss | null {
    const { score, score_after: scoreAfter, best, move } = entry
    if (!score || !scoreAfter) return null
    const [before, after] = [seen(score, color), seen(scoreAfter, color)]
    if ("mate" in before && before.mate < 0) return null
    const missed = "mate" in before && before.mate > 0 ? texts.losses.missesMate(before.mate) : null
    if ("mate" in after) {
        if (after.mate >= 0) return null
        const allowed = texts.losses.allowsMate(-after.mate)
        const plies = -2 * after.mate - 1
        return {
            text: missed ? texts.losses.both(missed, allowed) : allowed,
            reply: cut(reply, plies),
        }
    }
    if (missed) return { text: missed, reply: cut(reply, 0) }
    if ("mate" in before) return null
    const drop = before.cp - after.cp
    const isShown = (pawns: number) => drop >= 100 * leastShare * pawns
    const found = ({ pv, san }: Line) =>
        exchanges(placement, pv, san, color).filter(({ after }) => after <= maxPlies)
    const line: Line = { pv: [move.uci, ...reply.pv], san: [move.san, ...reply.san] }
    const [own, better] = [found(line), best ? found(best) : []]
    const lost = reply.pv.length > 0 ? lasting(own, -1) : undefined
    const won = lasting(better, 1)
    const isMissed =
        won && isShown(won.gain) && won.gain > -(lost?.gain ?? 0) && (own.at(-1)?.gain ?? 0) <= 0
    if (isMissed && best) {
        if (hasPromotion(best, 0, won.after))
            return { text: texts.losses.missesPromotion, reply: cut(reply, 0) }
        const prize = exchangeText({ own: won.other, other: won.own })
        return prize === null ? null : { text: texts.losses.misses(prize), reply: cut(reply, 0) }
    }
    // What the better move loses too is not the fault of this one.
    if (!lost || !isShown(-lost.gain) || (better.at(-1)?.gain ?? 0) < 0) return null
    const text = hasPromotion(line, 1, lost.after)
        ? texts.losses.allowsPromotion
        : lossText(placement, line, lost)
    return text === null ? null : { text, reply: cut(reply, lost.after - 1) }
}

/** Names a loss: a piece that was left where the first reply takes it, or what the line gives. */
function lossText(placement: string, { pv, san }: Line, lost: Exchange): string | null {
    const square = pv[1]?.slice(2, 4) ?? ""
    const taken = piecesOf(placement).get(square)?.[1]
    const isLeft =
        san[1]?.includes("x") && pv[0]?.slice(2, 4) !== square && pv[0]?.slice(0, 2) !== square
    if (taken && isLeft && onlyLoss(lost) === taken)
        return texts.losses.hangs(pieceOf(`w${taken}`)[1], square)
    const what = exchangeText(lost)
    return what && texts.losses.loses(what)
}

const cut = ({ pv, san }: Line, plies: number): Line => ({
    pv: pv.slice(0, plies),
    san: san.slice(0, plies),
})
