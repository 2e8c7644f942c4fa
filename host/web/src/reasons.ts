// Why a piece cannot go to a square, from the host's `/v1/reachable`.

import { effect, signal } from "@preact/signals"
import { Problem, reachable } from "./api"
import type { Reach } from "./api"
import { currentId, gameForm, legal, placement, turn } from "./game"
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
    castling_through_check: (by) => `the king would pass through a square attacked by ${pieceOn(by)}`,
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

export const reasonText = (why: string | null, by: string | null): string => texts[why ?? ""]?.(by) ?? why ?? ""

export const movementLabel = (movement: string): string => (movementLabels[movement] ? ` (${movementLabels[movement]})` : "")

/** Why the last attempted move is illegal. */
export const notice = signal<string | null>(null)

/** Something else was done. */
effect(() => {
    void currentId.value
    notice.value = null
})

/** Returns the legal moves of the piece in a reach, as text. */
function legalText({ piece, squares }: Reach): string {
    const targets = squares.filter((square) => square.legal).map(({ to }) => to)
    return targets.length > 0 ? `Legal ${piece.role} moves: ${[...new Set(targets)].join(", ")}.` : `This ${piece.role} has no legal moves.`
}

/** Shows why a piece cannot go from one square to another. */
export async function explain(from: string, to: string): Promise<void> {
    const node = currentId.peek()
    const piece = piecesOf(placement.peek()).get(from)
    if (!piece) return
    const name = pieceName(piece)
    const reach = await reachable(gameForm(), from).catch((error: unknown) => {
        if (error instanceof Problem) return null
        throw error
    })
    if (!reach || node !== currentId.peek()) return
    const target = reach.squares.find((square) => square.to === to && !square.legal)
    const reason = target ? reasonText(target.why, target.by) : "it does not move like that"
    notice.value = `The ${name} on ${from} can’t go to ${to}: ${reason}. ${legalText(reach)}`
}

const roles: Record<string, string> = { n: "n", b: "b", r: "r", q: "q", k: "k" }

/** Shows why a typed move is illegal: the reason of the piece that would get closest to it. */
export async function explainTyped(text: string, from: string | null, to: string | null): Promise<void> {
    if (from && to && piecesOf(placement.peek()).has(from)) return explain(from, to)
    notice.value = `${text} isn’t legal here.`
    if (!to) return
    const letter = /^[NBRQK]/.test(text) ? (text[0] ?? "").toLowerCase() : (roles[text[0] ?? ""] ?? "p")
    const code = (turn.peek() === "white" ? "w" : "b") + (/^[a-h]/.test(text) && letter === "b" && /^b[1-8x]/.test(text) ? "p" : letter)
    const node = currentId.peek()
    const game = gameForm()
    const own = [...piecesOf(placement.peek())].filter(([, piece]) => piece === code).map(([square]) => square)
    const reaches = await Promise.all(own.map((square) => reachable(game, square).catch(() => null)))
    if (node !== currentId.peek()) return
    const blocked = reaches.flatMap((reach, index) => {
        const target = reach?.squares.find((square) => square.to === to && !square.legal)
        return target ? [`the piece on ${own[index]} is stopped: ${reasonText(target.why, target.by)}`] : []
    })
    const moves = legal.peek().filter((move) => own.includes(move.from)).map((move) => move.san)
    const role = pieceName(code).split(" ")[1]
    const hint = moves.length > 0 ? ` Legal ${role} moves: ${moves.join(", ")}.` : ""
    const reason = blocked[0] ? `: ${blocked[0]}.` : "."
    notice.value = `${text} isn’t legal here${reason}${hint}`
}
