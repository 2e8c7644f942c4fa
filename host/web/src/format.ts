// Results, scores and errors as visible text.

import { Problem, rejectedOptions } from "./api"
import type { Color, Role, Score, Status } from "./api"
import { language } from "./language"
import { piecesOf } from "./small-board"
import { texts } from "./texts/board"
import { common } from "./texts/common"
import { reasons } from "./texts/en/common"

/** Returns the text for a code from the host; undefined if the table has none. */
export const textOf = (
    table: Readonly<Record<string, string>>,
    code: string,
): string | undefined => (Object.hasOwn(table, code) ? table[code] : undefined)

export const colorName = (color: Color): string => common.colors[color]

export interface GameResult {
    winner: Color | null
    reason: string
}

export const resultOf = (status: Status): GameResult | null =>
    status.state === "in_progress" ? null : { winner: status.winner, reason: status.reason ?? "" }

export const winners: Readonly<Record<string, Color | null>> = {
    "1-0": "white",
    "0-1": "black",
    "1/2-1/2": null,
}

/**
 * Returns the result of a game that the server played or imported. Its termination is a sentence
 * such as `White loses on time`, or a PGN term.
 */
export function resultOfTermination(result: string, termination: string): GameResult {
    const isFault = termination.includes(" loses: ")
    const reason = termination.includes("checkmate")
        ? "checkmate"
        : isFault
          ? "fault"
          : /\b(by|on) .+/.exec(termination)?.[0]
    const code = Object.entries(reasons).find(([, words]) => words === reason)?.[0]
    return {
        winner: winners[result] ?? null,
        reason: code ?? reason ?? (Object.hasOwn(reasons, termination) ? termination : ""),
    }
}

export const reasonText = (reason: string): string => textOf(common.reasons, reason) ?? reason

export const resultText = ({ winner, reason }: GameResult): string =>
    common.result(winner, reasonText(reason))

/** Capitalises a message, unless it begins with a move or another code. */
export const sentence = (message: string): string =>
    message.replace(/^[a-z]+(?![\w/-])/, (word) => word[0]?.toUpperCase() + word.slice(1))

const formats = new Map<string, Intl.NumberFormat>()

/** Formats a number with a fixed number of decimals. */
export function fixed(number: number, digits: number): string {
    const key = `${language.value}${digits}`
    const known =
        formats.get(key) ??
        new Intl.NumberFormat(language.value, {
            minimumFractionDigits: digits,
            maximumFractionDigits: digits,
            useGrouping: false,
        })
    formats.set(key, known)
    return known.format(number)
}

/** Formats a number with its sign: `+0.34`, `−12`. */
export const signed = (number: number, digits: number): string =>
    `${number < 0 ? "−" : "+"}${fixed(Math.abs(number), digits)}`

/** Returns a move in SAN with the piece letters of the language. */
export const sanText = (san: string): string =>
    san.replace(/[KQRBN]/g, (letter) => common.pieceLetters["KQRBN".indexOf(letter)] ?? letter)

/** Formats a score: `+0.34`, `#-3`. */
export function formatScore(score: Score | null | undefined): string {
    if (!score) return "–"
    if ("mate" in score) return `#${score.mate}`
    return signed(score.cp / 100, 2)
}

/**
 * Returns White's winning chance as a percentage, using the report's formula: 50 + 50·(2 / (1 +
 * e^(−0.00368208·cp)) − 1). A mate in 0 means that the side to move is mated.
 */
export function winningChance(score: Score, turn: Color): number {
    if ("mate" in score) {
        const isWhites = score.mate === 0 ? turn === "black" : score.mate > 0
        return isWhites ? 100 : 0
    }
    return 100 / (1 + Math.exp(-0.00368208 * score.cp))
}

export function formatCount(count: number): string {
    if (count >= 1e9) return `${fixed(count / 1e9, 1)} G`
    if (count >= 1e6) return `${fixed(count / 1e6, 1)} M`
    if (count >= 1e4) return `${Math.round(count / 1e3)} k`
    return String(count)
}

export function formatTime(ms: number): string {
    if (ms < 1000) return `${ms} ms`
    return ms < 120_000 ? `${fixed(ms / 1000, 1)} s` : `${Math.round(ms / 60_000)} min`
}

/** Formats a clock: `1:05:00`, `4:59`, `0:07.3`. */
export function clockText(ms: number): string {
    // Tenths are rounded up: 0:00.0 means that the flag has fallen.
    const tenths = ms < 20_000 ? Math.ceil(ms / 100) : Math.ceil(ms / 1000) * 10
    const [hours, minutes, seconds] = [
        Math.floor(tenths / 36_000),
        Math.floor(tenths / 600) % 60,
        Math.floor(tenths / 10) % 60,
    ]
    const [mm, ss] = [minutes, seconds].map((part) => String(part).padStart(2, "0"))
    if (hours > 0) return `${hours}:${mm}:${ss}`
    return `${minutes}:${ss}${ms < 20_000 ? `.${tenths % 10}` : ""}`
}

/** Returns the message for a failed request: what failed and what to do. */
export function errorMessage(ai: string, error: unknown): string {
    if (!(error instanceof Problem)) return common.requestFailed(ai, String(error))
    const { code, detail, title } = error.body
    if (rejectedOptions(error).length > 0) return common.requestRejected(detail, ai)
    if (!Object.hasOwn(common.problems, code)) {
        // Some details begin with the title.
        const [start, reason] = [`${title}: `.toLowerCase(), detail.toLowerCase()]
        const rest = reason.startsWith(start) ? detail.slice(start.length) : detail
        return `${textOf(common.problemTitles, code) ?? title}: ${rest}`
    }
    const message = common.problems[code as keyof typeof common.problems](ai)
    if (code === "unknown_client" || code === "ai_not_allowed") return message
    const isRestarted = code === "ai_crashed" || code === "ai_timeout"
    const hint = error.retryAfterSeconds
        ? common.tryAgain(error.retryAfterSeconds)
        : isRestarted
          ? common.restarting
          : ""
    return `${message} ${hint}`.trim()
}

/** Matches the parts of a SAN move, unless it is castling. */
const sanParts = /^([KQRBN]?)([a-h]?[1-8]?)(x?)([a-h][1-8])(?:=([QRBN]))?/

/**
 * Returns a SAN move as a screen reader says it: “Bishop takes f6”. The placement before the move
 * reveals en passant.
 */
export function spokenMove(san: string, before?: string): string {
    const words = texts.rules.spoken
    const end = san.includes("#") ? words.mate : san.includes("+") ? words.check : ""
    if (san.startsWith("O-O")) return words.castles(!san.startsWith("O-O-O")) + end
    const [, piece, from = "", takes, to = "", promoted] = sanParts.exec(san) ?? []
    if (!to) return sanText(san)
    const role = roleOf(piece)
    const isEnPassant =
        role === "pawn" && takes && before !== undefined && !piecesOf(before).has(to)
    return [
        words.move(role, from, takes === "x", to),
        isEnPassant ? words.enPassant : "",
        promoted ? words.promotes(roleOf(promoted)) : "",
        end,
    ].join("")
}

const roleOf = (letter = ""): Role => roles[letter.toLowerCase()] ?? "pawn"

const roles: Readonly<Record<string, Role>> = {
    p: "pawn",
    n: "knight",
    b: "bishop",
    r: "rook",
    q: "queen",
    k: "king",
}

/** Returns the color and role of a piece code such as `wn`. */
export const pieceOf = (piece: string): [Color, Role] => [
    piece.startsWith("w") ? "white" : "black",
    roleOf(piece[1]),
]

/** Returns the name of a piece code: “white knight” for `wn`. */
export const pieceName = (piece: string): string => texts.rules.pieceName(...pieceOf(piece))
