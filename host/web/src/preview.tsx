// A line in SAN. Hovering over a move previews its board, and a click shows it on the main board.

import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { addToGame, mayAdd } from "./analysis"
import { call } from "./api"
import type { Game } from "./api"
import { sanText } from "./format"
import { currentId, gameNumber, goToNode, nodeAfter, startFen } from "./game"
import type { Moves } from "./game"
import { moveNumber as numberOf } from "./move-number"
import { SmallBoard } from "./small-board"
import { texts } from "./texts/board"
import { imagined, orientation } from "./view"

const preview = signal<{
    placement: string
    move: string
    label: string
    x: number
    y: number
} | null>(null)
const boardCache = new Map<string, Promise<string>>()
const maxCachedBoards = 500

/** Returns the host's board after a line. */
function boardAfter(game: Moves): Promise<string> {
    const key = `${game.fen} ${game.moves.join(" ")}`
    let board = boardCache.get(key)
    if (!board) {
        if (boardCache.size >= maxCachedBoards) boardCache.clear()
        board = call<{ game: Game }>("/v1/validate", { game }).then(
            ({ game }) => game.fen.split(" ")[0] ?? "",
        )
        board.catch(() => boardCache.delete(key))
        boardCache.set(key, board)
    }
    return board
}

let latestRequest = 0
/** The line under the mouse or with the focus. */
let pointedLine: Element | null = null

function show(element: HTMLElement, game: Moves, pv: string[], label: string): void {
    latestRequest += 1
    const request = latestRequest
    pointedLine = element.parentElement
    const { left, top } = element.getBoundingClientRect()
    const move = pv[pv.length - 1] ?? ""
    boardAfter({ ...game, moves: [...game.moves, ...pv] }).then(
        (placement) => {
            if (request === latestRequest)
                preview.value = { placement, move, label, x: left, y: top }
        },
        () => undefined,
    )
}

function hide(): void {
    latestRequest += 1
    preview.value = null
}

/** The line's position disappears when the game moves to another position. */
const leave = () => (imagined.value = null)
currentId.subscribe(leave)
gameNumber.subscribe(leave)

/** Shows the position after a line on the main board. */
function imagine(game: Moves, pv: string[]): void {
    hide()
    const request = latestRequest
    const move = pv[pv.length - 1] ?? ""
    const marks = [move.slice(0, 2), move.slice(2, 4)].map((square) => ({
        square,
        kind: "last" as const,
    }))
    const add = () =>
        void addToGame(game, pv).then(() => {
            const node = nodeAfter({ ...game, moves: [...game.moves, ...pv] })
            if (node !== null) goToNode(node)
        })
    boardAfter({ ...game, moves: [...game.moves, ...pv] }).then(
        (placement) => {
            if (request === latestRequest)
                imagined.value = {
                    placement,
                    marks,
                    arrows: [],
                    leave,
                    ...(mayAdd(game) ? { add } : {}),
                }
        },
        () => undefined,
    )
}

/** Formats the number of a move in the game. */
export const moveNumber = (ply: number, first: boolean, fen = startFen.value): string =>
    numberOf(ply, first, fen)

interface PvLineProps {
    /** The game before the line. */
    game: Moves
    pv: readonly string[]
    san: readonly string[]
}

export function PvLine({ game, pv, san }: PvLineProps) {
    const line = useRef<HTMLSpanElement>(null)
    useEffect(() => {
        const own = line.current
        // No event reports that a line under the mouse has gone.
        return () => void (own === pointedLine && hide())
    }, [])
    const lineOf = ({ target }: Event): { element: HTMLElement; upTo: string[] } | null => {
        const element = (target as Element).closest<HTMLElement>(".san")
        return element && { element, upTo: pv.slice(0, Number(element.dataset.at) + 1) }
    }
    const showBoard = (event: Event) => {
        const now = lineOf(event)
        const word = san[(now?.upTo.length ?? 0) - 1]
        if (now && word !== undefined)
            show(now.element, game, now.upTo, texts.analysis.boardAfter(sanText(word)))
    }
    const onClick = (event: Event) => {
        const now = lineOf(event)
        if (now) imagine(game, now.upTo)
    }
    // One listener serves all moves, because they change with each depth of a search.
    return (
        <span
            class="line-of-play"
            ref={line}
            onMouseOver={showBoard}
            onMouseLeave={hide}
            onFocusIn={showBoard}
            onFocusOut={hide}
            onClick={onClick}
        >
            {san.map((word, index) => {
                const number = moveNumber(game.moves.length + index, index === 0, game.fen)
                return (
                    // Another line gets new elements, so that none of them moves.
                    <button
                        key={pv.slice(0, index + 1).join(" ")}
                        type="button"
                        class="san"
                        data-at={index}
                    >
                        {number && <span class="number">{number}</span>}
                        {sanText(word)}
                    </button>
                )
            })}
        </span>
    )
}

const sizePx = 208

export function Preview() {
    const now = preview.value
    if (!now) return null
    const above = now.y > sizePx + 24
    const left = Math.max(8, Math.min(now.x, innerWidth - sizePx - 16))
    const top = above ? now.y - sizePx - 14 : now.y + 30
    return (
        <div
            class="preview"
            style={{ left: `${left}px`, top: `${top}px`, width: `${sizePx}px` }}
            data-testid="preview"
        >
            <SmallBoard
                placement={now.placement}
                orientation={orientation.value}
                move={now.move}
                label={now.label}
            />
        </div>
    )
}
