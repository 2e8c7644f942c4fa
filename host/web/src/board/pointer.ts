// Pointer events of the board. Squares are found by coordinates, since gliding pieces would catch
// the events.

import { boardSize, squareIn, tile } from "./geometry"
import type { ShapeColor } from "../tree"
import type { BoardInput, BoardProps } from "./input"

const longPressMs = 500
const slackPx = 6

/** Returns the drawing colour for the held keys. */
function colorOf({ shiftKey, ctrlKey, altKey }: PointerEvent): ShapeColor {
    const [isRed, isBlue] = [shiftKey || ctrlKey, altKey]
    return isRed ? (isBlue ? "yellow" : "red") : isBlue ? "blue" : "green"
}

/** Listens to the pointer. Returns a function that stops listening. */
export function listenToPointer(
    board: SVGSVGElement,
    input: BoardInput,
    props: BoardProps,
): () => void {
    const pointAt = (event: { clientX: number; clientY: number }) => {
        const { left, top, width } = board.getBoundingClientRect()
        const scale = boardSize / width
        return { x: (event.clientX - left) * scale, y: (event.clientY - top) * scale }
    }
    const squareAt = (event: { clientX: number; clientY: number }) => {
        const { x, y } = pointAt(event)
        return squareIn(Math.floor(x / tile), Math.floor(y / tile), props.orientation.peek())
    }

    /** The press in progress. */
    let press: {
        square: string
        x: number
        y: number
        wasPicked: boolean
        canDrag: boolean
        pointer: number
    } | null = null
    let drawingFrom: string | null = null
    let timer: ReturnType<typeof setTimeout> | undefined

    const end = () => {
        clearTimeout(timer)
        press = null
        input.drag.value = null
    }

    const onDown = (event: PointerEvent) => {
        const square = squareAt(event)
        if (!square || !event.isPrimary) return
        blur()
        if (event.button === 2) {
            drawingFrom = square
            end()
            input.cancel()
            return
        }
        if (event.button !== 0) return
        const wasPicked = input.picked.peek() === square
        const isEdited = props.isEdited.peek()
        if (props.premove.peek()) props.premove.value = null
        const wasAnyPicked = input.picked.peek() !== null
        if (!isEdited && !wasPicked) input.press(square)
        // The click was not on a piece that can move.
        if (!isEdited && !wasAnyPicked && input.picked.peek() === null) props.onClearDrawings()
        const canDrag = input.canPick(square) && (isEdited || input.picked.peek() === square)
        press = {
            square,
            x: event.clientX,
            y: event.clientY,
            wasPicked,
            canDrag,
            pointer: event.pointerId,
        }
        clearTimeout(timer)
        timer = setTimeout(() => {
            if (isEdited) return
            // With a mouse, the user may pause before dragging.
            if (event.pointerType !== "mouse") {
                end()
                input.cancel()
            }
            props.inspect(square)
        }, longPressMs)
    }

    const onMove = (event: PointerEvent) => {
        if (!press || event.pointerId !== press.pointer) return
        if (
            !input.drag.peek() &&
            Math.hypot(event.clientX - press.x, event.clientY - press.y) < slackPx
        )
            return
        clearTimeout(timer)
        if (press.canDrag) input.drag.value = { from: press.square, ...pointAt(event) }
    }

    const onUp = (event: PointerEvent) => {
        if (event.button === 2) {
            const to = squareAt(event)
            if (drawingFrom && to) {
                props.onDraw({
                    from: drawingFrom,
                    color: colorOf(event),
                    ...(to === drawingFrom ? {} : { to }),
                })
            }
            drawingFrom = null
            return
        }
        if (!press || event.pointerId !== press.pointer) return
        const { square, wasPicked } = press
        const wasDragged = input.drag.peek() !== null
        const to = squareAt(event)
        end()
        if (wasDragged) drop(square, to)
        else if (to === square && props.isEdited.peek()) props.onPlace(square)
        else if (wasPicked && to === square) input.press(square)
    }

    const drop = (from: string, to: string | null) => {
        if (props.isEdited.peek()) {
            if (to !== from) props.onShift(from, to)
            return
        }
        if (to === null || to === from) return
        input.dropped.current = to
        if (input.move(from, to)) return
        input.dropped.current = null
        props.explain(from, to)
    }

    /**
     * Puts the piece back when another button or Escape is pressed. While one button is held,
     * pressing another sends no `pointerdown` event.
     */
    const putBack = () => {
        const wasHeld = press !== null || input.picked.peek() !== null
        end()
        drawingFrom = null
        input.cancel()
        return wasHeld
    }
    const onMouseDown = (event: MouseEvent) => {
        if (event.button === 2 && press !== null) putBack()
    }
    const onEscape = (event: KeyboardEvent) => {
        if (event.key === "Escape" && putBack()) event.preventDefault()
    }

    const onCancel = () => {
        end()
        drawingFrom = null
    }
    // A click must not focus the board: the arrow keys should still step through the game. Tab
    // focuses it.
    const preventFocus = (event: MouseEvent) => event.preventDefault()
    const blur = () => {
        if (
            document.activeElement instanceof HTMLElement ||
            document.activeElement instanceof SVGElement
        )
            document.activeElement.blur()
    }
    const preventMenu = (event: Event) => event.preventDefault()
    // A finger on a movable piece does not scroll the page.
    const preventScroll = (event: TouchEvent) => {
        const [touch] = event.touches
        const square = touch && squareAt(touch)
        if (square && (props.isEdited.peek() || input.canPick(square) || input.picked.peek()))
            event.preventDefault()
    }

    const stops: (() => void)[] = []
    const on = <E extends Event>(
        target: EventTarget,
        name: string,
        listener: (event: E) => void,
        options?: AddEventListenerOptions,
    ) => {
        target.addEventListener(name, listener as EventListener, options)
        stops.push(() => target.removeEventListener(name, listener as EventListener))
    }
    on(board, "pointerdown", onDown)
    on(board, "mousedown", preventFocus)
    on(board, "contextmenu", preventMenu)
    on(board, "touchstart", preventScroll, { passive: false })
    on(window, "mousedown", onMouseDown)
    on(window, "keydown", onEscape)
    on(window, "pointermove", onMove)
    on(window, "pointerup", onUp)
    on(window, "pointercancel", onCancel)
    return () => {
        clearTimeout(timer)
        for (const stop of stops) stop()
    }
}
