// Where the piece on a square can go, and why not there: what a long press asks.

import { signal } from "@preact/signals"
import { Problem, reachable } from "./api"
import type { Reach } from "./api"
import { cursor, gameForm, placement } from "./game"
import { piecesOf } from "./small-board"
import { inspected, overlay } from "./view"
import { pieceInWords } from "./words"

const found = signal<{ square: string; reach: Reach } | null>(null)

/** What was asked belongs to one position. */
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
    own_piece: () => "its own side stands there",
    blocked: (by) => `${by} is in the way`,
    pinned: (by) => `it is pinned by ${by}`,
    leaves_king_in_check: (by) => `its king would be in check from ${by}`,
    nothing_to_capture: () => "there is nothing to capture",
    no_en_passant: () => "nothing can be captured in passing",
    rights_lost: () => "the right to castle is lost",
    castling_out_of_check: (by) => `its king is in check from ${by}`,
    castling_through_check: (by) => `its king would pass ${by}’s attack`,
    not_your_turn: () => "it is not its side’s turn",
    game_over: () => "the game is over",
}

const movements: Record<string, string> = {
    pawn_push: "a step",
    double_push: "two steps",
    capture: "a capture",
    en_passant: "a capture in passing",
    castling: "castling",
    promotion: "a promotion",
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
                    ? `Can go to ${open.map(({ to, movement }) => to + special(movement)).join(", ")}.`
                    : "Can go nowhere."}
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
