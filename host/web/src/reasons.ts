// Why a piece cannot go to a square, from the host's `/v1/reachable`.

import { effect, signal } from "@preact/signals"
import { Problem, reachable } from "./api"
import type { Reach } from "./api"
import { currentId, gameForm, legal, placement, turn } from "./game"
import type { Moves } from "./game"
import { isNullMove } from "./spellings"
import { piecesOf } from "./small-board"
import { pieceName } from "./format"

const texts: Record<string, (by: string | null) => string> = {
    own_piece: () => "blocked by its own piece",
    blocked: (by) => `blocked by ${pieceOn(by)}`,
    pinned: (by) => `pinned by ${pieceOn(by)}`,
    leaves_king_in_check: (by) => `its king would be in check from ${pieceOn(by)}`,
    nothing_to_capture: () => "no piece to capture",
    no_en_passant: () => "en passant is not possible",
    rights_lost: () => "castling rights lost",
    castling_out_of_check: (by) => `the king is in check from ${pieceOn(by)}`,
    not_your_turn: () => "the other side is to move",
    game_over: () => "the game is over",
}

const movementLabels: Record<string, string> = {
    pawn_push: "pawn push",
    double_push: "double push",
    capture: "capture",
    en_passant: "en passant",
    castling: "castling",
    promotion: "promotion",
}

function pieceOn(square: string | null): string {
    const piece = square ? piecesOf(placement.value).get(square) : undefined
    return piece ? `the ${pieceName(piece)} on ${square}` : "another piece"
}

/** The squares that a piece reaches; those of illegal moves with the reason. */
export interface ExplainedReach {
    piece: Reach["piece"]
    squares: { to: string; movement: string; legal: boolean; reason: string }[]
}

/** Asks the host for the squares that a piece reaches. */
export async function explainedReach(game: Moves, from: string): Promise<ExplainedReach> {
    const { piece, squares } = await reachable(game, from)
    const explained = squares.map(async ({ to, movement, legal, why, by }) => {
        const isAttacked = why === "castling_through_check" && by !== null
        const reason = isAttacked ? await attackedPath(game, from, to, by) : (texts[why ?? ""]?.(by) ?? why ?? "")
        return { to, movement, legal, reason }
    })
    return { piece, squares: await Promise.all(explained) }
}

/** Why a king cannot castle through an attacked square: the first one of its way that the attacker reaches. */
async function attackedPath(game: Moves, king: string, to: string, by: string): Promise<string> {
    const { piece, squares } = await reachable(game, by)
    const attacked = squares.filter(({ to }) => piece.role !== "pawn" || to[0] !== by[0]).map(({ to }) => to)
    const [from, target] = [files.indexOf(king[0] ?? ""), files.indexOf(to[0] ?? "")]
    const step = Math.sign(target - from)
    const way = Array.from({ length: Math.abs(target - from) }, (_, index) => `${files[from + step * (index + 1)]}${king[1]}`)
    const square = way.find((square) => attacked.includes(square))
    const attacker = `attacked by the ${piece.role} on ${by}`
    if (!square) return `the king would pass through a square ${attacker}`
    return square === to ? `${to} is ${attacker}` : `the king would pass through ${square}, ${attacker}`
}

const files = "abcdefgh"

export const movementLabel = (movement: string): string => (movementLabels[movement] ? ` (${movementLabels[movement]})` : "")

/** Why the last attempted move is illegal. */
export const notice = signal<string | null>(null)

/** Something else was done. */
effect(() => {
    void currentId.value
    notice.value = null
})

/** Returns the legal moves of the piece in a reach, as text. */
function legalText({ piece, squares }: ExplainedReach): string {
    const targets = squares.filter((square) => square.legal).map(({ to }) => to)
    return targets.length > 0 ? `Legal ${piece.role} moves: ${[...new Set(targets)].join(", ")}.` : `This ${piece.role} has no legal moves.`
}

/** Shows why a piece cannot go from one square to another. */
export async function explain(from: string, to: string): Promise<void> {
    const node = currentId.peek()
    const piece = piecesOf(placement.peek()).get(from)
    if (!piece) return
    const name = pieceName(piece)
    const reach = await explainedReach(gameForm(), from).catch((error: unknown) => {
        if (error instanceof Problem) return null
        throw error
    })
    if (!reach || node !== currentId.peek()) return
    const target = reach.squares.find((square) => square.to === to && !square.legal)
    const reason = target?.reason ?? "it does not move like that"
    notice.value = `The ${name} on ${from} can’t go to ${to}: ${reason}. ${legalText(reach)}`
}

async function explainCastling(text: string, isLong: boolean): Promise<void> {
    const node = currentId.peek()
    const king = [...piecesOf(placement.peek())].find(([, piece]) => piece === (turn.peek() === "white" ? "wk" : "bk"))?.[0] ?? ""
    const reach = await explainedReach(gameForm(), king).catch(() => null)
    const isWanted = ({ to, movement }: { to: string; movement: string }) => movement === "castling" && to < king === isLong
    const reason = reach?.squares.find(isWanted)?.reason ?? "the king is not on its square"
    if (node === currentId.peek()) notice.value = `${text} isn’t legal here: ${reason}.`
}

const roles: Record<string, string> = { n: "n", b: "b", r: "r", q: "q", k: "k" }

/** Shows why a typed move is illegal: the reason of the piece that would get closest to it. */
export async function explainTyped(text: string, from: string | null, to: string | null): Promise<void> {
    if (from && to && piecesOf(placement.peek()).has(from)) return explain(from, to)
    if (isNullMove(text)) {
        notice.value = `${text} passes the turn, which chess does not allow; play a move for each side.`
        return
    }
    notice.value = `${text} isn’t legal here.`
    const castling = /^[oO0]-?[oO0](-?[oO0])?$/.exec(text)
    if (castling) return explainCastling(text, castling[1] !== undefined)
    if (!to) return
    const letter = /^[NBRQK]/.test(text) ? (text[0] ?? "").toLowerCase() : (roles[text[0] ?? ""] ?? "p")
    const code = (turn.peek() === "white" ? "w" : "b") + (/^[a-h]/.test(text) && letter === "b" && /^b[1-8x]/.test(text) ? "p" : letter)
    const node = currentId.peek()
    const game = gameForm()
    const own = [...piecesOf(placement.peek())].filter(([, piece]) => piece === code).map(([square]) => square)
    const reaches = await Promise.all(own.map((square) => explainedReach(game, square).catch(() => null)))
    if (node !== currentId.peek()) return
    const blocked = reaches.flatMap((reach, index) => {
        const target = reach?.squares.find((square) => square.to === to && !square.legal)
        return target ? [`the piece on ${own[index]} is stopped: ${target.reason}`] : []
    })
    const moves = legal.peek().filter((move) => own.includes(move.from)).map((move) => move.san)
    const role = pieceName(code).split(" ")[1]
    const hint = moves.length > 0 ? ` Legal ${role} moves: ${moves.join(", ")}.` : ""
    const reason = blocked[0] ? `: ${blocked[0]}.` : "."
    notice.value = `${text} isn’t legal here${reason}${hint}`
}
