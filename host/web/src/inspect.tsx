// Square inspection: the legal moves of the square's piece, and why other moves are illegal.

import { signal } from "@preact/signals"
import { Problem } from "./api"
import { cursor, gameForm, placement } from "./game"
import { explainedReach, movementLabel } from "./reasons"
import type { ExplainedReach } from "./reasons"
import { piecesOf } from "./small-board"
import { texts } from "./texts/board"
import { inspected, overlay } from "./view"

const inspection = signal<{ square: string; reach: ExplainedReach } | null>(null)

/** Closes the inspection when the position changes. */
cursor.subscribe(closeInspection)
placement.subscribe(closeInspection)
/** An overlay such as the editor shows another position. */
overlay.subscribe((now) => {
    if (now?.placement) closeInspection()
})

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
        const reach = await explainedReach(gameForm(), square)
        if (placement.peek() !== before) return
        inspection.value = { square, reach }
        inspected.value = [
            { square, kind: "inspected" },
            ...reach.squares.map(({ to, legal }) => ({
                square: to,
                kind: legal ? ("reachable" as const) : ("illegal" as const),
            })),
        ]
    } catch (error) {
        if (!(error instanceof Problem)) throw error
    }
}

export function Inspection() {
    const now = inspection.value
    if (!now) return null
    const { square, reach } = now
    const { color, role } = reach.piece
    const legal = reach.squares.filter(({ legal }) => legal)
    const illegal = reach.squares.filter(({ legal }) => !legal)
    return (
        <section class="card inspection" aria-live="polite" data-testid="inspection">
            <header>
                <strong>{texts.rules.pieceTitle(color, role, square)}</strong>
                <button
                    type="button"
                    class="icon close"
                    aria-label={texts.page.close}
                    onClick={closeInspection}
                >
                    ×
                </button>
            </header>
            <p>
                {legal.length > 0
                    ? texts.rules.inspected(
                          legal.map(({ to, movement }) => to + movementLabel(movement)).join(", "),
                      )
                    : texts.rules.noneLegal}
            </p>
            {illegal.length > 0 && (
                <ul tabIndex={0} aria-label={texts.rules.illegalSquares}>
                    {illegal.map(({ to, reason, movement }, index) => (
                        <li key={index}>
                            <b>{to}</b>
                            {movementLabel(movement)}: {reason}
                        </li>
                    ))}
                </ul>
            )}
        </section>
    )
}
