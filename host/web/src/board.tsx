// The board: connects cm-chessboard to the state of the game.

import { effect, signal } from "@preact/signals"
import type { Signal } from "@preact/signals"
import { Chessboard, INPUT_EVENT_TYPE } from "cm-chessboard/src/Chessboard.js"
import type { MarkerType, MoveInputEvent } from "cm-chessboard/src/Chessboard.js"
import { Accessibility } from "cm-chessboard/src/extensions/accessibility/Accessibility.js"
import { Arrows } from "cm-chessboard/src/extensions/arrows/Arrows.js"
import { Markers } from "cm-chessboard/src/extensions/markers/Markers.js"
import { PromotionDialog } from "cm-chessboard/src/extensions/promotion-dialog/PromotionDialog.js"
import { useEffect, useRef } from "preact/hooks"
import type { Color, Move } from "./api"
import { insertSprite } from "./sprite"

/** A mark on a square. */
export interface Mark {
    square: string
    kind: "last" | "check" | "issue" | "reachable" | "illegal" | "inspected"
}

/** An arrow; `best` is the first line. */
export interface Arrow {
    from: string
    to: string
    kind: "best" | "second" | "other"
}

interface BoardProps {
    placement: Signal<string>
    orientation: Signal<Color>
    moves: Signal<Move[]>
    /** The side that can be moved; null for none. */
    input: Signal<Color | null>
    marks: Signal<Mark[]>
    arrows: Signal<Arrow[]>
    submitMove: (move: Move) => Promise<void>
    /** Called on a long press, a right click or the key `i`. */
    inspect: (square: string) => void
    /** Called on Escape, to close the inspection. */
    onEscape: () => void
    /** Called when a square is clicked while moves are disabled. */
    onPress?: (square: string) => void
}

const marker = (kind: string, slice: string): MarkerType => ({ class: `mark-${kind}`, slice })
const squares: Record<Mark["kind"], MarkerType> = {
    last: marker("last", "markerSquare"),
    check: marker("check", "markerSquare"),
    issue: marker("issue", "markerSquare"),
    inspected: marker("inspected", "markerSquare"),
    reachable: { ...marker("reachable", "markerDot"), position: "above" },
    illegal: { ...marker("illegal", "markerCross"), position: "above" },
}
const from = marker("from", "markerSquare")
const target: MarkerType = { ...marker("target", "markerDot"), position: "above" }
const capture: MarkerType = { ...marker("capture", "markerRing"), position: "above" }
const arrowTypes = { best: { class: "arrow-best" }, second: { class: "arrow-second" }, other: { class: "arrow-other" } }

const letterOf = (color: Color) => (color === "white" ? "w" : "b")
const promotions: Record<string, string> = { q: "queen", r: "rook", b: "bishop", n: "knight" }
const keysId = "keys-of-the-board"
const longPressMs = 500
const longPressSlackPx = 8

/** The square of the picked-up piece, whose targets are shown. */
const picked = signal<string | null>(null)

export function Board(props: BoardProps) {
    const holder = useRef<HTMLDivElement>(null)
    useEffect(() => {
        if (!holder.current) return undefined
        insertSprite()
        const board = new Chessboard(holder.current, {
            position: props.placement.peek(),
            orientation: letterOf(props.orientation.peek()),
            style: {
                cssClass: "rookery",
                pieces: { file: "/none.svg", tileSize: 40 },
                animationDuration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 180,
            },
            extensions: [
                { class: Markers, props: { autoMarkers: null, sprite: "/none.svg" } },
                { class: Arrows, props: { sprite: "/none.svg", slice: "arrowHead", headSize: 3.2, offsetTo: 0.55 } },
                { class: PromotionDialog, props: { language: "en" } },
                {
                    class: Accessibility,
                    props: { language: "en", keyboardMoveInput: true, movePieceForm: false, piecesAsList: false },
                },
            ],
        })
        ignoreClicksDuringAnimation(board)
        holder.current.querySelector("svg.cm-chessboard")?.setAttribute("aria-describedby", keysId)
        const stops = [
            effect(() => void board.setPosition(props.placement.value, true)),
            effect(() => updateOrientation(board, props.orientation)),
            effect(() => drawMarks(board, props.marks.value, picked.value, props.moves.value)),
            effect(() => drawArrows(board, props.arrows.value)),
            effect(() => updateInput(board, props)),
            listenToPointer(holder.current, board, props),
            listenToKeys(holder.current, board, props),
        ]
        return () => {
            for (const stop of stops) stop()
            picked.value = null
            board.destroy()
        }
    }, [])
    return (
        <>
            <div class="board" ref={holder} data-testid="board" />
            <p class="visually-hidden" id={keysId}>
                Arrow keys select a square, Enter picks up or drops a piece, i shows its legal moves.
            </p>
        </>
    )
}

/** Works around cm-chessboard, which treats a click during the animation of a move as the end of the same move. */
function ignoreClicksDuringAnimation({ view: { visualMoveInput: input } }: Chessboard): void {
    for (const name of ["onPointerUp", "onContextMenu"] as const) {
        const ended = input[name]
        input[name] = function (event) {
            if (this.moveInputState !== "moveDone") ended.call(this, event)
        }
    }
}

const turning = new WeakSet<Chessboard>()

/** Sets the orientation. cm-chessboard accepts one change at a time, so the latest one is applied afterwards. */
function updateOrientation(board: Chessboard, orientation: Signal<Color>): void {
    const color = letterOf(orientation.value)
    if (turning.has(board) || board.getOrientation() === color) return
    turning.add(board)
    void board.setOrientation(color, false).then(() => {
        turning.delete(board)
        updateOrientation(board, orientation)
    })
}

function drawMarks(board: Chessboard, marks: Mark[], picked: string | null, moves: Move[]): void {
    const layer = board.getExtension(Markers)
    layer.batchUpdate = true
    board.removeMarkers()
    for (const { kind, square } of marks) board.addMarker(squares[kind], square)
    if (picked) {
        board.addMarker(from, picked)
        const targets = new Map(moves.filter((move) => move.from === picked).map((move) => [move.to, move]))
        for (const [square, move] of targets) board.addMarker(move.capture ? capture : target, square)
    }
    layer.batchUpdate = false
    layer.onRedrawBoard()
}

function drawArrows(board: Chessboard, arrows: Arrow[]): void {
    board.removeArrows()
    for (const { from, to, kind } of arrows) board.addArrow(arrowTypes[kind], from, to)
}

function updateInput(board: Chessboard, { input, moves, placement, submitMove }: BoardProps): void {
    const color = input.value
    const legal = moves.value
    if (picked.peek()) board.cancelMoveInput()
    // Closes the promotion dialog of the previous position; cm-chessboard has no method for that.
    if (board.isPromotionDialogShown()) document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }))
    if (board.isMoveInputEnabled()) board.disableMoveInput()
    picked.value = null
    if (!color) return
    const revert = () => void board.setPosition(placement.peek(), true)
    board.enableMoveInput((event: MoveInputEvent) => {
        if (event.type === INPUT_EVENT_TYPE.moveInputStarted) {
            const movable = legal.some((move) => move.from === event.squareFrom)
            picked.value = movable ? event.squareFrom : null
            return movable
        }
        if (event.type !== INPUT_EVENT_TYPE.validateMoveInput) {
            if (event.type === INPUT_EVENT_TYPE.moveInputCanceled) picked.value = null
            return true
        }
        picked.value = null
        const candidates = legal.filter((move) => move.from === event.squareFrom && move.to === event.squareTo)
        const [first] = candidates
        if (!first) return false
        if (first.promotion === null) {
            submitMove(first).catch(revert)
            return true
        }
        board.showPromotionDialog(event.squareTo, letterOf(color), ({ piece }) => {
            const move = candidates.find((move) => move.promotion === promotions[piece?.[1] ?? ""])
            if (move) submitMove(move).catch(revert)
            else revert()
        })
        return true
    }, letterOf(color))
}

/** Handles pointers: a long press or right click inspects a square; a click while moves are disabled presses it. */
function listenToPointer(holder: HTMLElement, board: Chessboard, { inspect, onPress, input }: BoardProps): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined
    let pressedAt = { x: 0, y: 0 }
    let isHandled = false
    const squareOf = (event: Event) => (event.target as Element).closest("[data-square]")?.getAttribute("data-square")
    const down = (event: PointerEvent) => {
        const square = squareOf(event)
        isHandled = false
        if (!square || event.button !== 0) return
        pressedAt = { x: event.clientX, y: event.clientY }
        clearTimeout(timer)
        if (!input.peek()) onPress?.(square)
        timer = setTimeout(() => {
            isHandled = true
            // A mouse may pause before a drag; a long touch is a right click.
            if (event.pointerType !== "mouse") board.cancelMoveInput()
            inspect(square)
        }, longPressMs)
    }
    const moved = (event: PointerEvent) => {
        if (Math.hypot(event.clientX - pressedAt.x, event.clientY - pressedAt.y) > longPressSlackPx) clearTimeout(timer)
    }
    const up = () => clearTimeout(timer)
    const other = (event: Event) => {
        const square = squareOf(event)
        clearTimeout(timer)
        if (!square) return
        event.preventDefault()
        // A long touch also sends `contextmenu`.
        if (!isHandled) inspect(square)
        isHandled = false
    }
    // A click must not focus the board, so that the arrow keys still step through the game; Tab focuses it.
    const preventFocus = (event: MouseEvent) => {
        event.preventDefault()
        if (document.activeElement instanceof HTMLElement || document.activeElement instanceof SVGElement) document.activeElement.blur()
    }
    holder.addEventListener("pointerdown", down)
    holder.addEventListener("mousedown", preventFocus)
    holder.addEventListener("contextmenu", other)
    addEventListener("pointermove", moved)
    addEventListener("pointerup", up)
    addEventListener("pointercancel", up)
    return () => {
        clearTimeout(timer)
        holder.removeEventListener("pointerdown", down)
        holder.removeEventListener("mousedown", preventFocus)
        holder.removeEventListener("contextmenu", other)
        removeEventListener("pointermove", moved)
        removeEventListener("pointerup", up)
        removeEventListener("pointercancel", up)
    }
}

/** Handles keys on the square selected by the arrow keys. */
function listenToKeys(holder: HTMLElement, board: Chessboard, { inspect, onEscape, onPress, input }: BoardProps): () => void {
    const squareOf = () => {
        const keys = board.getExtension(Accessibility).components.find((component) => component.getCurrentSquare)
        return keys?.getCurrentSquare?.()
    }
    let before: string | null = null
    const remember = () => (before = picked.peek())
    const pressed = (event: KeyboardEvent) => {
        const square = squareOf()
        if (!square) return
        const chosen = event.key === "Enter" || event.key === " "
        if (event.key === "i") inspect(square)
        if (event.key === "Escape" || (chosen && before === square)) picked.value = null
        if (event.key === "Escape" && before === null) onEscape()
        if (chosen && !input.peek()) onPress?.(square)
    }
    holder.addEventListener("keydown", remember, true)
    holder.addEventListener("keydown", pressed)
    return () => {
        holder.removeEventListener("keydown", remember, true)
        holder.removeEventListener("keydown", pressed)
    }
}
