// How an AI answers a draw offer: according to its last score in the game.

import type { Color, Score } from "./api"
import { plies, startFen, turnAfter } from "./game"
import { scoreOf } from "./scores"

/** Positions up to this score in centipawns count as equal. */
const levelCp = 30
/** After this move an AI accepts a draw in an equal position. */
const earlyMoves = 20

export interface DrawAnswer {
    isAccepted: boolean
    reason: "worse" | "level" | "early" | "better" | "unknown"
    /** The AI's score, from White's point of view. */
    score: Score | null
}

/** Returns the last score that a side's AI gave in the game. */
function lastScore(color: Color): Score | null {
    const own = plies.peek().filter((_, ply) => turnAfter(ply) === color)
    return own.map(({ id }) => scoreOf(id)).findLast((score) => score !== undefined) ?? null
}

export function answerToDraw(color: Color): DrawAnswer {
    const score = lastScore(color)
    if (!score) return { isAccepted: false, reason: "unknown", score }
    const sign = color === "white" ? 1 : -1
    const own = sign * ("mate" in score ? score.mate * 1e6 : score.cp)
    if (own < -levelCp) return { isAccepted: true, reason: "worse", score }
    if (own > levelCp) return { isAccepted: false, reason: "better", score }
    const first = Number(startFen.peek().split(" ")[5])
    const moves = first + Math.floor(plies.peek().length / 2) - 1
    const isLate = moves > earlyMoves
    return { isAccepted: isLate, reason: isLate ? "level" : "early", score }
}
