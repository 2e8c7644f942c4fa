// User input on the board, by pointer or keys: picking up, moving, premoves, editing and drawing.

import { batch, computed, effect, signal } from "@preact/signals"
import type { Signal } from "@preact/signals"
import type { Color, Move } from "../api"
import { piecesOf, placementOf } from "../small-board"
import type { Arrow, Mark } from "./layers"
import type { Drag } from "./pieces"
import type { Shape } from "../tree"

export interface BoardProps {
    placement: Signal<string>
    orientation: Signal<Color>
    moves: Signal<Move[]>
    /** The side whose pieces can be moved; null if neither. */
    input: Signal<Color | null>
    /** The side that can enter premoves; null if neither. */
    premoves: Signal<Color | null>
    premove: Signal<Premove | null>
    /** The moves of an open promotion dialog. */
    promotion: Signal<Move[] | null>
    /** Whether pieces are placed and moved freely. */
    isEdited: Signal<boolean>
    marks: Signal<Mark[]>
    arrows: Signal<Arrow[]>
    /** The user's arrows and circles. */
    drawings: Signal<readonly Shape[]>
    onDraw: (shape: Shape) => void
    onClearDrawings: () => void
    submitMove: (move: Move) => Promise<void>
    /** Called after an illegal drop. */
    explain: (from: string, to: string) => void
    /** Called when pressing a square does not play a move. `picked` is the square picked before. */
    onPress: (square: string, picked: string | null) => void
    /** Called on a long press or the key `i`. */
    inspect: (square: string) => void
    /** Called on Escape if no piece is picked. */
    onEscape: () => void
    /** Called when a square is clicked in the editor. */
    onPlace: (square: string) => void
    /** Called when a piece is dropped in the editor. `to` is null outside the board. */
    onShift: (from: string, to: string | null) => void
}

export interface Premove {
    from: string
    to: string
}

/** The input state of one board. */
export function boardInput(props: BoardProps) {
    /** The square of the picked piece. */
    const picked = signal<string | null>(null)
    const drag = signal<Drag | null>(null)
    /** A move that was sent to the host, shown until the host answers. */
    const sent = signal<Premove | null>(null)
    const { promotion } = props
    const dropped: { current: string | null } = { current: null }

    /** The placement, including moves that the host has not confirmed. */
    const placement = computed(() => {
        const moves = promotion.value?.[0] ?? sent.value
        if (!moves) return props.placement.value
        const pieces = piecesOf(props.placement.value)
        const piece = pieces.get(moves.from)
        if (piece) pieces.set(moves.to, piece)
        pieces.delete(moves.from)
        return placementOf(pieces)
    })

    const colorAt = (square: string): Color | null => {
        const piece = piecesOf(props.placement.peek()).get(square)
        return piece ? (piece.startsWith("w") ? "white" : "black") : null
    }
    const canPick = (square: string): boolean => {
        if (props.isEdited.peek()) return colorAt(square) !== null
        const color = props.input.peek() ?? props.premoves.peek()
        return color !== null && colorAt(square) === color
    }
    const candidates = (from: string, to: string) =>
        props.moves.peek().filter((move) => move.from === from && move.to === to)

    async function submit(move: Move): Promise<void> {
        sent.value = { from: move.from, to: move.to }
        await props.submitMove(move)
        sent.value = null
    }

    /** Moves the picked piece. Returns whether the move is possible. */
    function move(from: string, to: string): boolean {
        picked.value = null
        if (from === to) return false
        if (props.input.peek() === null) {
            if (props.premoves.peek() === null) return false
            props.premove.value = { from, to }
            return true
        }
        const [first, ...others] = candidates(from, to)
        if (!first) return false
        if (others.length > 0) promotion.value = [first, ...others]
        else void submit(first)
        return true
    }

    function choosePromotion(move: Move | null): void {
        batch(() => {
            promotion.value = null
            if (move) void submit(move)
        })
    }

    /** Handles a click on a square: picks up a piece, moves the picked one, or drops it. */
    function press(square: string): void {
        const from = picked.peek()
        if (from !== null && from !== square) {
            const isOwn = canPick(square)
            // A premove may go to a square with a piece of its own side, to recapture there.
            if (props.input.peek() !== null ? candidates(from, square).length > 0 : !isOwn)
                return void move(from, square)
        }
        picked.value = from !== square && canPick(square) ? square : null
        if (props.input.peek() !== null && from !== square) props.onPress(square, from)
    }

    function cancel(): void {
        batch(() => {
            picked.value = null
            drag.value = null
            props.premove.value = null
        })
    }

    const marks = computed<Mark[]>(() => {
        const mark = (kind: Mark["kind"]) => (square: string) => ({ square, kind })
        const from = picked.value
        const targets = new Map(
            props.moves.value.filter((move) => move.from === from).map((move) => [move.to, move]),
        )
        const premove = props.premove.value
        return [
            ...props.marks.value,
            ...(premove ? [premove.from, premove.to] : []).map(mark("premove")),
            ...(from ? [from] : []).map(mark("from")),
            ...(props.input.value ? [...targets] : []).map(([square, move]) =>
                mark(move.capture ? "capture" : "target")(square),
            ),
            ...props.drawings.value.flatMap(({ from, to, color }): Mark[] =>
                to ? [] : [{ square: from, kind: "circle", color }],
            ),
        ]
    })
    const arrows = computed<Arrow[]>(() => {
        const drawn = props.drawings.value.flatMap(({ from, to, color }): Arrow[] =>
            to ? [{ from, to, kind: "drawn", color }] : [],
        )
        return [...props.arrows.value, ...drawn]
    })

    let before = piecesOf(props.placement.peek())
    /**
     * Drops the state of the previous position. A picked piece that is still there stays picked.
     */
    const stopPosition = effect(() => {
        const now = piecesOf(props.placement.value)
        batch(() => {
            const square = picked.peek() ?? drag.peek()?.from
            if (square && before.get(square) !== now.get(square)) {
                picked.value = null
                drag.value = null
            }
            promotion.value = null
            sent.value = null
        })
        before = now
    })

    /** Puts down a piece that can no longer move, for example after the game has ended. */
    const stopPicking = effect(() => {
        if (props.input.value !== null || props.premoves.value !== null || props.isEdited.value)
            return
        batch(() => {
            picked.value = null
            drag.value = null
        })
    })
    const stop = () => {
        stopPosition()
        stopPicking()
    }

    return {
        picked,
        drag,
        dropped,
        placement,
        marks,
        arrows,
        canPick,
        move,
        press,
        cancel,
        choosePromotion,
        stop,
    }
}

export type BoardInput = ReturnType<typeof boardInput>
