// Inspection of a square: the legal moves of its piece, and the reasons why other moves are illegal.

import { signal } from "@preact/signals"
import { Problem, reachable } from "./api"
import type { Reach } from "./api"
import { cursor, gameForm, placement } from "./game"
import { piecesOf } from "./small-board"
import { inspected, overlay } from "./view"
import { pieceInWords } from "./words"

const found = signal<{ square: string; reach: Reach } | null>(null)

/** Closes the inspection when the position changes. */
cursor.subscribe(closeInspection)
placement.subscribe(closeInspection)

export function closeInspection(): void {
    found.value = null
    inspected.value = []
}

export async function inspect(square: string): Promise<void> {
    if (overlay.peek()?.placement) return
    closeInspection()
    if (!piecesOf(placement.peek()).has(square)) return
    const before = placement.peek()
    try {
        const reach = await reachable(gameForm(), square)
        if (placement.peek() !== before) return
        found.value = { square, reach }
        inspected.value = [
            { square, kind: "asked" },
            ...reach.squares.map(({ to, legal }) => ({ square: to, kind: legal ? ("reach" as const) : ("barred" as const) })),
        ]
    } catch (error) {
        if (!(error instanceof Problem)) throw error
    }
}

const whys: Record<string, (by: string) => string> = {
    own_piece: () => "occupied by its own side",
    blocked: (by) => `blocked by ${by}`,
    pinned: (by) => `pinned by ${by}`,
    leaves_king_in_check: (by) => `its king would be in check from ${by}`,
    nothing_to_capture: () => "no piece to capture",
    no_en_passant: () => "en passant is not possible",
    rights_lost: () => "castling rights lost",
    castling_out_of_check: (by) => `its king is in check from ${by}`,
    castling_through_check: (by) => `its king would pass through check from ${by}`,
    not_your_turn: () => "the other side is to move",
    game_over: () => "the game is over",
}

const movements: Record<string, string> = {
    pawn_push: "pawn push",
    double_push: "double push",
    capture: "capture",
    en_passant: "en passant",
    castling: "castling",
    promotion: "promotion",
}

function pieceOn(square: string | null): string {
    const piece = square ? piecesOf(placement.value).get(square) : undefined
    return piece ? `the ${pieceInWords(piece)} on ${square}` : "another piece"
}

export function Inspection() {
    const now = found.value
    if (!now) return null
    const { square, reach } = now
    const { color, role } = reach.piece
    const open = reach.squares.filter(({ legal }) => legal)
    const barred = reach.squares.filter(({ legal }) => !legal)
    const special = (movement: string) => (movements[movement] ? ` (${movements[movement]})` : "")
    return (
        <section class="card inspection" aria-live="polite" data-testid="inspection">
            <header>
                <strong>
                    The {color} {role} on {square}
                </strong>
                <button type="button" class="icon close" aria-label="Close" onClick={closeInspection}>
                    ×
                </button>
            </header>
            <p>
                {open.length > 0
                    ? `Legal moves: ${open.map(({ to, movement }) => to + special(movement)).join(", ")}.`
                    : "No legal moves."}
            </p>
            {barred.length > 0 && (
                <ul>
                    {barred.map(({ to, why, by, movement }, index) => (
                        <li key={index}>
                            <b>{to}</b>
                            {special(movement)}: {whys[why ?? ""]?.(pieceOn(by)) ?? why}
                        </li>
                    ))}
                </ul>
            )}
        </section>
    )
}
