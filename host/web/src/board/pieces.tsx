// The pieces on the board. A moving piece keeps its element, so it can glide.

import type { Signal } from "@preact/signals"
import { useLayoutEffect, useRef } from "preact/hooks"
import type { Color } from "../api"
import { piecesOf } from "../small-board"
import { cornerOf, tile } from "./geometry"

interface PlacedPiece {
    key: number
    square: string
    piece: string
}

/** A piece that follows the pointer. Its coordinates are in units of the board. */
export interface Drag {
    from: string
    x: number
    y: number
}

const glideMs = 180
let nextKey = 0

const distance = (a: string, b: string) =>
    Math.hypot(a.charCodeAt(0) - b.charCodeAt(0), a.charCodeAt(1) - b.charCodeAt(1))

/** Returns the pieces of a placement. Pieces that stayed or moved keep their keys. */
export function matched(before: readonly PlacedPiece[], placement: string): PlacedPiece[] {
    const left = new Map(before.map((piece) => [piece.square, piece]))
    const arrived: PlacedPiece[] = []
    const all: PlacedPiece[] = []
    for (const [square, piece] of piecesOf(placement)) {
        const same = left.get(square)
        if (same?.piece === piece) {
            left.delete(square)
            all.push(same)
        } else {
            arrived.push({ key: -1, square, piece })
        }
    }
    for (const { square, piece } of arrived) {
        const [nearest] = [...left.values()]
            .filter((old) => old.piece === piece)
            .sort((a, b) => distance(a.square, square) - distance(b.square, square))
        if (nearest) left.delete(nearest.square)
        all.push({ key: nearest?.key ?? nextKey++, square, piece })
    }
    return all.sort((a, b) => a.key - b.key)
}

interface PiecesProps {
    placement: Signal<string>
    orientation: Signal<Color>
    drag: Signal<Drag | null>
    /** The square of a dropped piece, which is already in place and does not glide. */
    dropped: { current: string | null }
}

export function Pieces({ placement, orientation, drag, dropped }: PiecesProps) {
    const layer = useRef<SVGGElement>(null)
    const shown = useRef<PlacedPiece[]>([])
    const before = shown.current
    shown.current = matched(before, placement.value)
    const dragged = drag.value
    const view = orientation.value
    useLayoutEffect(() => {
        if (matchMedia("(prefers-reduced-motion: reduce)").matches) return
        const squares = new Map(before.map(({ key, square }) => [key, square]))
        for (const { key, square } of shown.current) {
            const old = squares.get(key)
            if (!old || old === square || dropped.current === square) continue
            const [start, end] = [cornerOf(old, view), cornerOf(square, view)]
            const translate = ({ x, y }: { x: number; y: number }) => ({
                transform: `translate(${x}px, ${y}px)`,
            })
            layer.current
                ?.querySelector(`[data-key="${key}"]`)
                ?.animate([translate(start), translate(end)], {
                    duration: glideMs,
                    easing: "ease-out",
                })
        }
        dropped.current = null
    }, [placement.value])
    return (
        <g class="pieces" ref={layer}>
            {shown.current.map(({ key, square, piece }) => {
                const { x, y } = cornerOf(square, view)
                const ghost = dragged?.from === square ? "ghost" : ""
                return (
                    <g
                        key={key}
                        class={ghost}
                        data-key={key}
                        data-square={square}
                        data-piece={piece}
                        transform={`translate(${x} ${y})`}
                    >
                        <use href={`#${piece}`} />
                    </g>
                )
            })}
            {dragged && <DraggedPiece drag={dragged} pieces={shown.current} />}
        </g>
    )
}

function DraggedPiece({ drag, pieces }: { drag: Drag; pieces: PlacedPiece[] }) {
    const piece = pieces.find(({ square }) => square === drag.from)?.piece
    return piece ? <use href={`#${piece}`} x={drag.x - tile / 2} y={drag.y - tile / 2} /> : null
}
