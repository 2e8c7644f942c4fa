// What the host says, in plain words.

import { Problem, refusedOptions } from "./api"
import type { Color, Score, Status } from "./api"

export const colorName = (color: Color) => (color === "white" ? "White" : "Black")

const reasons: Record<string, string> = {
    checkmate: "by checkmate",
    stalemate: "by stalemate",
    insufficient_material: "because nobody can mate any more",
    seventyfive_moves: "by the 75-move rule",
    fivefold_repetition: "by fivefold repetition",
    threefold_repetition: "by threefold repetition",
    fifty_moves: "by the 50-move rule",
    resignation: "by resignation",
}

export interface Ending {
    winner: Color | null
    reason: string
}

export const endingOf = (status: Status): Ending | null =>
    status.state === "in_progress" ? null : { winner: status.winner, reason: status.reason ?? "" }

export function endingInWords({ winner, reason }: Ending): string {
    const how = reasons[reason] ?? reason
    return winner ? `${colorName(winner)} wins ${how}` : `Draw ${how}`
}

export const claimInWords = (claim: string) => `Claim a draw ${reasons[claim] ?? claim}`

/** A score as it is written beside a line: `+0.34`, `#-3`. */
export function scoreInWords(score: Score | null | undefined): string {
    if (!score) return "–"
    if ("mate" in score) return `#${score.mate}`
    const pawns = (Math.abs(score.cp) / 100).toFixed(2)
    return `${score.cp < 0 ? "−" : "+"}${pawns}`
}

/** White's chance to win in percent: 50 + 50·(2 / (1 + e^(−0.00368208·cp)) − 1), as the report counts it. */
export function winningChance(score: Score): number {
    if ("mate" in score) return score.mate >= 0 ? 100 : 0
    return 100 / (1 + Math.exp(-0.00368208 * score.cp))
}

export function countInWords(count: number): string {
    if (count >= 1e9) return `${(count / 1e9).toFixed(1)} G`
    if (count >= 1e6) return `${(count / 1e6).toFixed(1)} M`
    if (count >= 1e4) return `${Math.round(count / 1e3)} k`
    return String(count)
}

export const timeInWords = (ms: number) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)

/** What has become of a question to an AI, for somebody who only wants to play. */
export function faultInWords(ai: string, error: unknown): string {
    if (!(error instanceof Problem)) return `${ai} could not be asked: ${String(error)}`
    const { code, detail } = error.body
    const wait = error.retryAfterSeconds
    if (refusedOptions(error).length > 0) return `${ai} was not asked: ${detail}. See its options.`
    const again = wait ? ` It can be asked again in ${wait} s.` : ""
    switch (code) {
        case "ai_crashed":
            return `${ai} crashed while it was thinking.${again || " The server has started it anew."}`
        case "ai_timeout":
            return `${ai} did not answer in time and was stopped.${again || " The server has started it anew."}`
        case "ai_out_of_memory":
            return `${ai} used more memory than it is allowed.${again}`
        case "ai_illegal_move":
            return `${ai} wanted to play a move that is not legal.${again}`
        case "ai_failed":
        case "ai_protocol_error":
            return `${ai} gave no proper answer.${again}`
        case "ai_unavailable":
            return `${ai} fails too often and rests for a while.${again}`
        case "queue_full":
            return `Too many are waiting for ${ai}.${again}`
        case "rate_limited":
            return `You have asked too much in a short time.${again}`
        case "unknown_client":
            return "The server does not know you. Give your name and key under “AIs”."
        case "ai_not_allowed":
            return `You may not ask ${ai}.`
        default:
            return `${error.body.title}: ${detail}`
    }
}

const pieceNames: Record<string, string> = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" }

/** `wn` as “white knight”. */
export const pieceInWords = (piece: string) =>
    `${piece.startsWith("w") ? "white" : "black"} ${pieceNames[piece[1] ?? ""] ?? "piece"}`
