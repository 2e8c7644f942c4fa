// Why a move is illegal, from the host's `/v1/reachable` and `/v1/why`.

import { effect, signal } from "@preact/signals"
import { Problem, reachable, why } from "./api"
import type { IllegalReason, Reach } from "./api"
import { currentId, gameForm, legal, placement, turn } from "./game"
import type { Moves } from "./game"
import { isNullMove, typedSpellingsOf } from "./spellings"
import { piecesOf } from "./small-board"
import { texts } from "./texts/board"
import { pieceOf, sanText, textOf } from "./format"

function pieceOn(square: string | null): string {
    const piece = square ? piecesOf(placement.value).get(square) : undefined
    return piece && square
        ? texts.rules.pieceOn(...pieceOf(piece), square)
        : texts.rules.anotherPiece
}

/** Returns the host's reason in words. */
function reasonOf({ why, by, through, to }: Reach["squares"][number] | IllegalReason): string {
    const reasons = texts.rules.why
    return why !== null && Object.hasOwn(reasons, why)
        ? reasons[why as keyof typeof reasons](pieceOn(by), through ?? to, to)
        : (why ?? "")
}

/** The squares that a piece can reach. Illegal moves have a reason. */
export interface ExplainedReach {
    piece: Reach["piece"]
    squares: { to: string; movement: string; legal: boolean; why: string; reason: string }[]
}

/** Asks the host which squares a piece can reach. */
export async function explainedReach(game: Moves, from: string): Promise<ExplainedReach> {
    const { piece, squares } = await reachable(game, from)
    return {
        piece,
        squares: squares.map((square) => ({
            ...square,
            why: square.why ?? "",
            reason: reasonOf(square),
        })),
    }
}

export function movementLabel(movement: string): string {
    const name = textOf(texts.rules.movements, movement)
    return name ? ` (${name})` : ""
}

/** Why the last attempted move is illegal. */
export const notice = signal<string | null>(null)

/** The notice disappears once the position changes. */
effect(() => {
    void currentId.value
    notice.value = null
})

/** Returns the legal moves of a piece as text. */
function legalText({ piece, squares }: ExplainedReach): string {
    const targets = squares.filter((square) => square.legal).map(({ to }) => to)
    return targets.length > 0
        ? texts.rules.legalMoves(piece.role, [...new Set(targets)].join(", "))
        : texts.rules.noLegalMoves(piece.role)
}

/** Returns where a piece on the board can go; null if the position has changed since. */
async function currentReach(from: string): Promise<ExplainedReach | null> {
    const node = currentId.peek()
    if (!piecesOf(placement.peek()).has(from)) return null
    const reach = await explainedReach(gameForm(), from).catch((error: unknown) => {
        if (error instanceof Problem) return null
        throw error
    })
    return node === currentId.peek() ? reach : null
}

/** The least helpful reasons. */
const plainReasons = new Set(["own_piece", "blocked", "nothing_to_capture"])

/**
 * Explains why a pressed piece has no moves, or why the picked piece cannot go to the pressed
 * square.
 */
export async function explainPress(square: string, picked: string | null): Promise<void> {
    notice.value = null
    if (legal.peek().length === 0 || legal.peek().some((move) => move.from === square)) return
    const piece = piecesOf(placement.peek()).get(square)
    if (piece?.startsWith(turn.peek() === "white" ? "w" : "b")) return explainStuck(square)
    const reach = picked ? await currentReach(picked) : null
    const isReached = reach?.squares.some(({ to, why }) => to === square && !plainReasons.has(why))
    if (picked && isReached) return explain(picked, square)
    if (piece && !picked) await explainStuck(square)
}

async function explainStuck(square: string): Promise<void> {
    const reach = await currentReach(square)
    if (!reach) return
    const { color, role } = reach.piece
    const telling = reach.squares.find(({ why }) => !plainReasons.has(why)) ?? reach.squares[0]
    if (telling) notice.value = texts.rules.cannotMove(color, role, square, telling.reason)
}

/** Explains why a piece cannot go from one square to another. */
export async function explain(from: string, to: string): Promise<void> {
    const reach = await currentReach(from)
    const piece = piecesOf(placement.peek()).get(from)
    if (!reach || !piece) return
    const targets = reach.squares.filter((square) => square.to === to)
    const refused = targets.find((square) => !square.legal)
    // The host considers only the position. If it lists the move, only the end of the game forbids
    // it.
    const isOver = !refused && targets.length > 0
    const reason = isOver
        ? texts.rules.why.game_over("")
        : (refused?.reason ?? texts.rules.why.moves_differently(""))
    notice.value =
        `${texts.rules.cannotGo(...pieceOf(piece), from, to, reason)} ${isOver ? "" : legalText(reach)}`.trim()
}

/** Explains why a typed move is illegal, based on its most likely meaning. */
export async function explainTyped(text: string): Promise<void> {
    if (isNullMove(text)) {
        notice.value = texts.rules.nullMove(text)
        return
    }
    notice.value = texts.rules.illegal(text)
    const node = currentId.peek()
    const [move = text] = typedSpellingsOf(text)
    const found = await why(gameForm(), move).catch(() => null)
    if (!found || node !== currentId.peek()) return
    const { reasons: [nearest] = [], alternatives = [] } = found
    const first = legal.peek().find(({ san }) => san === alternatives[0])
    const moves = first
        ? texts.rules.legalMoves(roleOn(first.from), alternatives.map(sanText).join(", "))
        : ""
    notice.value = `${nearest ? refusal(text, nearest) : texts.rules.illegal(text)} ${moves}`.trim()
}

const roleOn = (square: string) => pieceOf(piecesOf(placement.peek()).get(square) ?? "")[1]

function refusal(text: string, nearest: IllegalReason): string {
    const { piece, from, to } = nearest
    return piece
        ? texts.rules.cannotGo(piece.color, piece.role, from, to, reasonOf(nearest))
        : texts.rules.noPiece(text, from)
}
