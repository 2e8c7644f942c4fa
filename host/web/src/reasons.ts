// Why a piece cannot go to a square, from the host's `/v1/reachable`.

import { effect, signal } from "@preact/signals"
import { Problem, reachable } from "./api"
import type { Reach } from "./api"
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

/** Returns why a move is illegal, from the code of the host. */
function reasonOf(why: string | null, by: string | null): string {
    const reasons = texts.rules.why
    return why !== null && Object.hasOwn(reasons, why)
        ? reasons[why as keyof typeof reasons](pieceOn(by))
        : (why ?? "")
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
        const reason = isAttacked ? await attackedPath(game, from, to, by) : reasonOf(why, by)
        return { to, movement, legal, reason }
    })
    return { piece, squares: await Promise.all(explained) }
}

/**
 * Why a king cannot castle through an attacked square: the first one of its way that the attacker
 * reaches.
 */
async function attackedPath(game: Moves, king: string, to: string, by: string): Promise<string> {
    const { piece, squares } = await reachable(game, by)
    const attacked = squares
        .filter(({ to }) => piece.role !== "pawn" || to[0] !== by[0])
        .map(({ to }) => to)
    const [from, target] = [files.indexOf(king[0] ?? ""), files.indexOf(to[0] ?? "")]
    const step = Math.sign(target - from)
    const way = Array.from(
        { length: Math.abs(target - from) },
        (_, index) => `${files[from + step * (index + 1)]}${king[1]}`,
    )
    const square = way.find((square) => attacked.includes(square))
    if (!square) return texts.rules.throughAttack(piece.role, by)
    return (square === to ? texts.rules.isAttacked : texts.rules.throughAttacked)(
        square,
        piece.role,
        by,
    )
}

const files = "abcdefgh"

export function movementLabel(movement: string): string {
    const name = textOf(texts.rules.movements, movement)
    return name ? ` (${name})` : ""
}

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
    return targets.length > 0
        ? texts.rules.legalMoves(piece.role, [...new Set(targets)].join(", "))
        : texts.rules.noLegalMoves(piece.role)
}

/** Shows why a piece cannot go from one square to another. */
export async function explain(from: string, to: string): Promise<void> {
    const node = currentId.peek()
    const piece = piecesOf(placement.peek()).get(from)
    if (!piece) return
    const reach = await explainedReach(gameForm(), from).catch((error: unknown) => {
        if (error instanceof Problem) return null
        throw error
    })
    if (!reach || node !== currentId.peek()) return
    const targets = reach.squares.filter((square) => square.to === to)
    const refused = targets.find((square) => !square.legal)
    // The host lists the moves of the position; only the end of the game forbids one of them.
    const isOver = !refused && targets.length > 0
    const reason = isOver
        ? texts.rules.why.game_over("")
        : (refused?.reason ?? texts.rules.movesDifferently)
    notice.value =
        `${texts.rules.cannotGo(...pieceOf(piece), from, to, reason)} ${isOver ? "" : legalText(reach)}`.trim()
}

async function explainCastling(text: string, isLong: boolean): Promise<void> {
    const node = currentId.peek()
    const king =
        [...piecesOf(placement.peek())].find(
            ([, piece]) => piece === (turn.peek() === "white" ? "wk" : "bk"),
        )?.[0] ?? ""
    const reach = await explainedReach(gameForm(), king).catch(() => null)
    const isWanted = ({ to, movement }: { to: string; movement: string }) =>
        movement === "castling" && to < king === isLong
    const reason = reach?.squares.find(isWanted)?.reason ?? texts.rules.kingHasMoved
    if (node === currentId.peek()) notice.value = texts.rules.illegalBecause(text, reason)
}

const roles: Record<string, string> = { n: "n", b: "b", r: "r", q: "q", k: "k" }

/** Shows why a typed move is illegal: the reason of the piece that would get closest to it. */
export async function explainTyped(
    text: string,
    from: string | null,
    to: string | null,
): Promise<void> {
    if (from && to && piecesOf(placement.peek()).has(from)) return explain(from, to)
    if (isNullMove(text)) {
        notice.value = texts.rules.nullMove(text)
        return
    }
    notice.value = texts.rules.illegal(text)
    const castling = /^[oO0]-?[oO0](-?[oO0])?$/.exec(text)
    if (castling) return explainCastling(text, castling[1] !== undefined)
    if (!to) return
    const [san = text] = typedSpellingsOf(text)
    const letter = /^[NBRQK]/.test(san)
        ? (san[0] ?? "").toLowerCase()
        : (roles[san[0] ?? ""] ?? "p")
    const code =
        (turn.peek() === "white" ? "w" : "b") +
        (/^[a-h]/.test(san) && letter === "b" && /^b[1-8x]/.test(san) ? "p" : letter)
    const node = currentId.peek()
    const game = gameForm()
    const own = [...piecesOf(placement.peek())]
        .filter(([, piece]) => piece === code)
        .map(([square]) => square)
    const reaches = await Promise.all(
        own.map((square) => explainedReach(game, square).catch(() => null)),
    )
    if (node !== currentId.peek()) return
    const blocked = reaches.flatMap((reach, index) => {
        const target = reach?.squares.find((square) => square.to === to && !square.legal)
        return target ? [texts.rules.stopped(own[index] ?? "", target.reason)] : []
    })
    const moves = legal
        .peek()
        .filter((move) => own.includes(move.from))
        .map((move) => sanText(move.san))
    const hint = moves.length > 0 ? texts.rules.legalMoves(pieceOf(code)[1], moves.join(", ")) : ""
    const refusal = blocked[0]
        ? texts.rules.illegalBecause(text, blocked[0])
        : texts.rules.illegal(text)
    notice.value = `${refusal} ${hint}`.trim()
}
