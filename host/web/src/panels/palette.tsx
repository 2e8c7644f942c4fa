// The pieces that the board editor places, by click or by dragging.

import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { standardStart } from "../game"
import * as setup from "../setup"
import { pieceName } from "../format"
import { texts } from "../texts/board"

const pieceCodes = ["w", "b"].map((color) => [..."kqrbnp"].map((letter) => color + letter))

/** The dragged piece, and where it is. */
const held = signal<{ piece: string; x: number; y: number } | null>(null)

function drag(event: PointerEvent, piece: string): void {
    const button = event.currentTarget as HTMLElement
    if (button.hasPointerCapture(event.pointerId))
        held.value = { piece, x: event.clientX, y: event.clientY }
}

function drop({ clientX, clientY }: PointerEvent): void {
    const now = held.peek()
    held.value = null
    if (!now) return
    const square = document
        .elementsFromPoint(clientX, clientY)
        .map((element) => element.closest("[data-testid=board] [data-square]"))
        .find((element) => element !== null)
        ?.getAttribute("data-square")
    if (square) setup.putPiece(square, now.piece)
}

const select = (piece: string | null) => (setup.selectedPiece.value = piece)

const Piece = ({ piece }: { piece: string }) => (
    <svg viewBox="0 0 40 40" aria-hidden="true">
        <use href={`#${piece}`} />
    </svg>
)

function PieceButton({ piece }: { piece: string }) {
    return (
        <button
            type="button"
            aria-pressed={setup.selectedPiece.value === piece}
            aria-label={pieceName(piece)}
            onClick={() => select(piece)}
            onPointerDown={({ button, currentTarget, pointerId }) => {
                if (button === 0) currentTarget.setPointerCapture(pointerId)
            }}
            onPointerMove={(event) => drag(event, piece)}
            onPointerUp={drop}
            onPointerCancel={() => (held.value = null)}
        >
            <Piece piece={piece} />
        </button>
    )
}

function HeldPiece() {
    const now = held.value
    if (!now) return null
    return (
        <div class="held-piece" style={{ left: `${now.x}px`, top: `${now.y}px` }}>
            <Piece piece={now.piece} />
        </div>
    )
}

export function Palette() {
    const palette = useRef<HTMLDivElement>(null)
    // On a phone the board stays above the palette.
    useEffect(() => palette.current?.scrollIntoView({ block: "nearest" }), [])
    return (
        <div class="palette" role="group" aria-label={texts.positions.palette} ref={palette}>
            {pieceCodes.map((row, index) => (
                <div key={index} class="palette-row">
                    {row.map((piece) => (
                        <PieceButton key={piece} piece={piece} />
                    ))}
                </div>
            ))}
            <div class="buttons">
                <button
                    type="button"
                    class="wide"
                    aria-pressed={setup.selectedPiece.value === null}
                    onClick={() => select(null)}
                >
                    {texts.positions.erase}
                </button>
                <button type="button" class="wide" onClick={setup.clearBoard}>
                    {texts.positions.clear}
                </button>
                <button type="button" class="wide" onClick={() => setup.openEditor(standardStart)}>
                    {texts.positions.start}
                </button>
            </div>
            <HeldPiece />
        </div>
    )
}
