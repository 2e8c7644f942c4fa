// What the tablebases of the host hold about the current position: its exact result and the best moves.

import { effect, signal } from "@preact/signals"
import { call, Problem } from "./api"
import type { Color, Tablebase, TableMove, TableResult } from "./api"
import { gameForm, opposite, positionInfo } from "./game"
import { colorName } from "./format"

/** Best moves that are shown. */
const maxMoves = 4
/** The most pieces of a position that the host is asked about; less once it has had no table. */
let maxPieces = 7

const found = signal<{ turn: Color; tablebase: Tablebase } | null>(null)
let activeRequest: AbortController | null = null

/** Asks the host about each position that a table may have: few pieces, and no castling rights. */
effect(() => {
    activeRequest?.abort()
    activeRequest = null
    found.value = null
    const game = positionInfo.value?.game
    const [placement = "", , castling] = game?.fen.split(" ") ?? []
    const pieces = placement.replace(/[^a-z]/gi, "").length
    if (!game || game.status.state !== "in_progress" || castling !== "-" || pieces > maxPieces) return
    const controller = new AbortController()
    activeRequest = controller
    const { turn } = game.status
    call<Tablebase>("/v1/tablebase", { game: gameForm() }, controller.signal).then(
        (tablebase) => {
            if (activeRequest === controller) found.value = { turn, tablebase }
        },
        (error: unknown) => {
            if (error instanceof Problem && error.body.code === "tablebase_missing") maxPieces = pieces - 1
        },
    )
})

function resultText(turn: Color, result: TableResult): string {
    switch (result) {
        case "win":
            return `${colorName(turn)} wins`
        case "loss":
            return `${colorName(opposite(turn))} wins`
        case "draw":
            return "Draw"
        case "cursed_win":
            return `Draw by the 50-move rule, which saves ${colorName(opposite(turn))}`
        case "blessed_loss":
            return `Draw by the 50-move rule, which saves ${colorName(turn)}`
    }
}

/** Returns the moves that are as good as the best one, as text. */
function bestMoves([best, ...others]: TableMove[]): string {
    if (!best) return ""
    const equal = [best, ...others.filter(({ wdl, dtz }) => wdl === best.wdl && dtz === best.dtz)].map(({ san }) => san)
    return equal.slice(0, maxMoves).join(", ") + (equal.length > maxMoves ? ", …" : "")
}

export function TablebaseLine() {
    if (!found.value) return null
    const { turn, tablebase } = found.value
    const { wdl, dtz, moves } = tablebase
    return (
        <p class="tablebase" aria-live="polite" data-testid="tablebase">
            <strong>{resultText(turn, wdl)}</strong>{" "}
            <span class="muted" title="From the tablebase: half-moves until a capture, a pawn move or mate">
                {dtz === 0 ? "" : `DTZ ${Math.abs(dtz)} · `}
                best {bestMoves(moves)}
            </span>
        </p>
    )
}
