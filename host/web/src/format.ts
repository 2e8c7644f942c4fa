// Results, scores and errors as visible text.

import { Problem, rejectedOptions } from "./api"
import type { Color, ResultText, Score, Status } from "./api"

export const colorName = (color: Color) => (color === "white" ? "White" : "Black")

const reasonTexts: Record<string, string> = {
    checkmate: "by checkmate",
    stalemate: "by stalemate",
    insufficient_material: "by insufficient material",
    seventyfive_moves: "by the 75-move rule",
    fivefold_repetition: "by fivefold repetition",
    threefold_repetition: "by threefold repetition",
    fifty_moves: "by the 50-move rule",
    resignation: "by resignation",
    time: "on time",
    time_without_mate: "on time: the opponent has no pieces to mate with",
}

export interface GameResult {
    winner: Color | null
    reason: string
}

export const resultOf = (status: Status): GameResult | null =>
    status.state === "in_progress" ? null : { winner: status.winner, reason: status.reason ?? "" }

export const winners: Readonly<Record<ResultText, Color | null>> = { "1-0": "white", "0-1": "black", "1/2-1/2": null }

/**
 * Returns the result of a game that the server played or imported. Its termination is a sentence, such as `White loses on time`, or the
 * words of a PGN.
 */
export function resultOfTermination(result: ResultText, termination: string): GameResult {
    const isFault = termination.includes(" loses: ")
    const reason = termination.includes("checkmate") ? "checkmate" : isFault ? "by a fault of the opponent" : /\b(by|on) .+/.exec(termination)?.[0]
    return { winner: winners[result], reason: reason ?? (Object.hasOwn(reasonTexts, termination) ? termination : "") }
}

export const reasonText = (reason: string): string => reasonTexts[reason] ?? reason

export const resultText = ({ winner, reason }: GameResult): string =>
    `${winner ? `${colorName(winner)} wins` : "Draw"} ${reasonText(reason)}`.trim()

const nagTexts: Record<number, string> = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" }

/** The annotation glyphs of moves, by their numbers in a PGN. */
export const moveGlyphs = Object.entries(nagTexts).map(([nag, text]) => ({ nag: Number(nag), text }))

const positionNags: Record<number, string> = { 7: "□", 10: "=", 13: "∞", 14: "⩲", 15: "⩱", 16: "±", 17: "∓", 18: "+−", 19: "−+" }

/** Returns the sign of a numeric annotation glyph. */
export const nagText = (nag: number): string => nagTexts[nag] ?? (positionNags[nag] ? ` ${positionNags[nag]}` : ` $${nag}`)

/** Begins a message with a capital letter, unless it begins with a move or another code. */
export const sentence = (message: string): string => message.replace(/^[a-z]+(?![\w/-])/, (word) => word[0]?.toUpperCase() + word.slice(1))

export const claimLabel = (claim: string) => `Claim a draw ${reasonText(claim)}`

/** Formats a number with its sign: `+0.34`, `−12`. */
export const signed = (number: number, digits: number): string => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(digits)}`

/** Formats a score: `+0.34`, `#-3`. */
export function formatScore(score: Score | null | undefined): string {
    if (!score) return "–"
    if ("mate" in score) return `#${score.mate}`
    return signed(score.cp / 100, 2)
}

/** Returns White's winning chance in percent: 50 + 50·(2 / (1 + e^(−0.00368208·cp)) − 1), the formula of the report. */
export function winningChance(score: Score): number {
    if ("mate" in score) return score.mate >= 0 ? 100 : 0
    return 100 / (1 + Math.exp(-0.00368208 * score.cp))
}

export function formatCount(count: number): string {
    if (count >= 1e9) return `${(count / 1e9).toFixed(1)} G`
    if (count >= 1e6) return `${(count / 1e6).toFixed(1)} M`
    if (count >= 1e4) return `${Math.round(count / 1e3)} k`
    return String(count)
}

export function formatTime(ms: number): string {
    if (ms < 1000) return `${ms} ms`
    return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`
}

/** Formats a clock: `1:05:00`, `4:59`, `0:07.3`. */
export function clockText(ms: number): string {
    // Tenths are rounded up, so that 0:00.0 is the fall of the flag.
    const tenths = ms < 20_000 ? Math.ceil(ms / 100) : Math.ceil(ms / 1000) * 10
    const [hours, minutes, seconds] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60, Math.floor(tenths / 10) % 60]
    const [mm, ss] = [minutes, seconds].map((part) => String(part).padStart(2, "0"))
    if (hours > 0) return `${hours}:${mm}:${ss}`
    return `${minutes}:${ss}${ms < 20_000 ? `.${tenths % 10}` : ""}`
}

/** Returns the message for a failed request: what failed and what to do. */
export function errorMessage(ai: string, error: unknown): string {
    if (!(error instanceof Problem)) return `Request to ${ai} failed: ${String(error)}`
    const { code, detail } = error.body
    const wait = error.retryAfterSeconds
    if (rejectedOptions(error).length > 0) return `Request rejected: ${detail}. Check the options of ${ai}.`
    const retryHint = wait ? ` Try again in ${wait < 120 ? `${wait} seconds` : `${Math.ceil(wait / 60)} minutes`}.` : ""
    switch (code) {
        case "ai_crashed":
            return `${ai} crashed during its search.${retryHint || " The server is restarting it."}`
        case "ai_timeout":
            return `${ai} timed out and was stopped.${retryHint || " The server is restarting it."}`
        case "ai_out_of_memory":
            return `${ai} exceeded its memory limit.${retryHint}`
        case "ai_illegal_move":
            return `${ai} returned an illegal move.${retryHint}`
        case "ai_failed":
            return `${ai} returned an error.${retryHint}`
        case "ai_protocol_error":
            return `${ai} returned an invalid response.${retryHint}`
        case "ai_unavailable":
            return `${ai} is unavailable after repeated failures.${retryHint}`
        case "queue_full":
            return `Too many requests are waiting for ${ai}.${retryHint}`
        case "rate_limited":
            return `Too many requests.${retryHint}`
        case "unknown_client":
            return "Unknown client. Enter your client id and API key under ⋯, AIs."
        case "ai_not_allowed":
            return `You are not allowed to use ${ai}.`
        default:
            return `${error.body.title}: ${detail}`
    }
}

const pieceNames: Record<string, string> = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" }

/** Returns the name of a piece code: “white knight” for `wn`. */
export const pieceName = (piece: string) =>
    `${piece.startsWith("w") ? "white" : "black"} ${pieceNames[piece[1] ?? ""] ?? "piece"}`
