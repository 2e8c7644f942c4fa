// The tablebases' verdict on the current position: its exact result and the best moves.

import { computed, effect, signal } from "@preact/signals"
import { call } from "./api"
import type { Color, Tablebase, TableMove, TableResult } from "./api"
import { gameForm, opposite, positionInfo } from "./game"
import { isContest } from "./view"
import { sanText } from "./format"
import { texts } from "./texts/board"

/** The number of best moves shown. */
const maxMoves = 4
/** The largest existing tablebases cover this many pieces. */
const mostPieces = 7

const found = signal<{ turn: Color; tablebase: Tablebase } | null>(null)
let activeRequest: AbortController | null = null
let largestTable: Promise<number> | null = null

/** Returns the maximum number of pieces in the host's tables. The page asks only once. */
function largestTablePieces(): Promise<number> {
    largestTable ??= call<{ max_pieces: number }>("/v1/tablebases").then(
        ({ max_pieces }) => max_pieces,
    )
    largestTable.catch(() => (largestTable = null))
    return largestTable
}

/**
 * Looks up each position that a table may contain: few pieces and no castling rights. Looks nothing
 * up while a person plays.
 */
effect(() => {
    activeRequest?.abort()
    activeRequest = null
    found.value = null
    const game = positionInfo.value?.game
    const [placement = "", , castling] = game?.fen.split(" ") ?? []
    const pieces = placement.replace(/[^a-z]/gi, "").length
    if (
        !game ||
        isContest.value ||
        game.status.state !== "in_progress" ||
        castling !== "-" ||
        pieces > mostPieces
    )
        return
    const controller = new AbortController()
    activeRequest = controller
    const { turn } = game.status
    const form = gameForm()
    const lookUp = async () => {
        if (pieces > (await largestTablePieces()) || activeRequest !== controller) return
        const tablebase = await call<Tablebase>("/v1/tablebase", { game: form }, controller.signal)
        if (activeRequest === controller) found.value = { turn, tablebase }
    }
    // If the request fails, the line stays empty.
    lookUp().catch(() => undefined)
})

function resultText(turn: Color, result: TableResult): string {
    switch (result) {
        case "win":
            return texts.analysis.wins(turn)
        case "loss":
            return texts.analysis.wins(opposite(turn))
        case "draw":
            return texts.analysis.draw
        case "cursed_win":
            return texts.analysis.savedByRule(opposite(turn))
        case "blessed_loss":
            return texts.analysis.savedByRule(turn)
    }
}

/** All moves that are as good as the best one. */
export const bestTableMoves = computed<TableMove[]>(() => {
    const moves = found.value?.tablebase.moves ?? []
    return moves.filter(({ wdl, dtz }) => wdl === moves[0]?.wdl && dtz === moves[0].dtz)
})

export const hasTablebase = computed(() => found.value !== null)

export function TablebaseLine() {
    if (!found.value) return null
    const { turn, tablebase } = found.value
    const { wdl, dtz } = tablebase
    return (
        <p class="about-position" aria-live="polite" data-testid="tablebase">
            <strong>{resultText(turn, wdl)}</strong>{" "}
            <span class="muted" title={texts.analysis.fromTablebase}>
                {dtz === 0 ? "" : `DTZ ${Math.abs(dtz)} · `}
                {texts.analysis.best(
                    bestTableMoves.value
                        .slice(0, maxMoves)
                        .map(({ san }) => sanText(san))
                        .join(", "),
                )}
                {bestTableMoves.value.length > maxMoves && ", …"}
            </span>
        </p>
    )
}
