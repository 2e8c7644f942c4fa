// Inspection of a square: the legal moves of its piece, and the reasons why other moves are illegal.

import { signal } from "@preact/signals"
import { Problem, reachable } from "./api"
import type { Reach } from "./api"
import { cursor, gameForm, placement } from "./game"
import { piecesOf } from "./small-board"
import { inspected, overlay } from "./view"
import { pieceName } from "./format"

const inspection = signal<{ square: string; reach: Reach } | null>(null)

/** Closes the inspection when the position changes. */
cursor.subscribe(closeInspection)
placement.subscribe(closeInspection)

export function closeInspection(): void {
    inspection.value = null
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
        inspection.value = { square, reach }
        inspected.value = [
            { square, kind: "inspected" },
            ...reach.squares.map(({ to, legal }) => ({ square: to, kind: legal ? ("reachable" as const) : ("illegal" as const) })),
        ]
    } catch (error) {
        if (!(error instanceof Problem)) throw error
    }
}

const reasonTexts: Record<string, (by: string) => string> = {
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

export function Inspection() {
    const now = inspection.value
    if (!now) return null
    const { square, reach } = now
    const { color, role } = reach.piece
    const legal = reach.squares.filter(({ legal }) => legal)
    const illegal = reach.squares.filter(({ legal }) => !legal)
    const movementLabel = (movement: string) => (movementLabels[movement] ? ` (${movementLabels[movement]})` : "")
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
                {legal.length > 0
                    ? `Legal moves: ${legal.map(({ to, movement }) => to + movementLabel(movement)).join(", ")}.`
                    : "No legal moves."}
            </p>
            {illegal.length > 0 && (
                <ul>
                    {illegal.map(({ to, why, by, movement }, index) => (
                        <li key={index}>
                            <b>{to}</b>
                            {movementLabel(movement)}: {reasonTexts[why ?? ""]?.(pieceOn(by)) ?? why}
                        </li>
                    ))}
                </ul>
            )}
        </section>
    )
}
