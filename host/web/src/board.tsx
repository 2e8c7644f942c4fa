// The board: squares, marks, pieces and arrows, with pointer and keyboard input.

import { useSignal } from "@preact/signals"
import { useEffect, useMemo, useRef } from "preact/hooks"
import { boardSize, cornerOf, neighbour, tile } from "./board/geometry"
import { boardInput } from "./board/input"
import type { BoardProps } from "./board/input"
import { Arrows, Coordinates, Marks, Squares } from "./board/layers"
import { Pieces } from "./board/pieces"
import { listenToPointer } from "./board/pointer"
import { Promotion } from "./board/promotion"
import { pieceName } from "./format"
import { piecesOf } from "./small-board"
import { texts } from "./texts/board"

export function Board(props: BoardProps) {
    const holder = useRef<SVGSVGElement>(null)
    const input = useMemo(() => boardInput(props), [])
    /** The square selected by the arrow keys. */
    const selected = useSignal("a1")
    useEffect(() => {
        const stop = holder.current ? listenToPointer(holder.current, input, props) : undefined
        return () => {
            stop?.()
            input.stop()
        }
    }, [])

    const onKeyDown = (event: KeyboardEvent) => {
        const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
            event.key
        ]
        const square = selected.value
        if (event.ctrlKey || event.metaKey || event.altKey) return
        if (by) selected.value = neighbour(square, by[0] ?? 0, by[1] ?? 0, props.orientation.value)
        else if (event.key === "Enter" || event.key === " ") press(square)
        else if (event.key === "i") props.inspect(square)
        else if (event.key === "Escape") {
            if (input.picked.peek() === null && props.premove.peek() === null) props.onEscape()
            input.cancel()
        } else return
        event.preventDefault()
    }
    const press = (square: string) => {
        const from = input.picked.peek()
        if (props.isEdited.value) props.onPlace(square)
        else if (
            from &&
            from !== square &&
            !input.canPick(square) &&
            props.input.value &&
            !props.moves.value.some((move) => move.from === from && move.to === square)
        ) {
            input.cancel()
            props.explain(from, square)
        } else input.press(square)
    }

    const orientation = props.orientation.value
    const pieces = piecesOf(input.placement.value)
    const named = (square: string) => {
        const piece = pieces.get(square)
        return piece ? `${square}, ${pieceName(piece)}` : square
    }
    const promotion = props.promotion.value
    return (
        <div class="board" data-testid="board">
            <svg
                ref={holder}
                class={`chessboard${props.input.value || props.premoves.value ? " movable" : ""}${props.input.value ? " input-enabled" : ""}`}
                viewBox={`0 0 ${boardSize} ${boardSize}`}
                role="application"
                aria-roledescription={texts.game.boardRole}
                aria-label={texts.game.board}
                aria-describedby="board-keys"
                tabindex={0}
                onKeyDown={onKeyDown}
            >
                <Squares orientation={orientation} />
                <Marks layer="below" marks={input.marks.value} orientation={orientation} />
                <Coordinates orientation={orientation} />
                <Pieces
                    placement={input.placement}
                    orientation={props.orientation}
                    drag={input.drag}
                    dropped={input.dropped}
                />
                <Marks layer="above" marks={input.marks.value} orientation={orientation} />
                <Arrows arrows={input.arrows.value} orientation={orientation} />
                <rect
                    class="keyboard-focus"
                    width={tile}
                    height={tile}
                    {...cornerOf(selected.value, orientation)}
                />
            </svg>
            {promotion && (
                <Promotion
                    moves={promotion}
                    color={props.input.value ?? "white"}
                    orientation={orientation}
                    choose={input.choosePromotion}
                />
            )}
            <p class="visually-hidden" id="board-keys">
                {texts.game.boardKeys}
            </p>
            <p class="visually-hidden" aria-live="polite">
                {input.picked.value === selected.value
                    ? texts.game.pickedUp(named(selected.value))
                    : named(selected.value)}
            </p>
            <p class="visually-hidden">{[...pieces.keys()].map(named).join("; ")}</p>
        </div>
    )
}
