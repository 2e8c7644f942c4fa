// A hint: the strongest AI's move, shown once.

import { computed, signal } from "@preact/signals"
import { strongestAi } from "./ais"
import { bestMove } from "./api"
import { currentId, gameForm, gameNumber, isOver } from "./game"
import type { Moves } from "./game"

const limit = { movetime_ms: 500 }

const hint = signal<{ game: number; node: number; move: string } | null>(null)
/** The move of the hint's arrow; null if no hint is shown. */
export const hintedMove = computed(() =>
    !isOver.value && hint.value?.game === gameNumber.value && hint.value.node === currentId.value
        ? hint.value.move
        : null,
)

/** Requests a move for the position on the board. Returns it in SAN. */
export async function askForHint(): Promise<string | undefined> {
    const [game, node, ai] = [gameNumber.peek(), currentId.peek(), strongestAi.peek()]
    if (!ai) return undefined
    const moves: Moves = gameForm()
    const { move } = await bestMove({ game: moves, ai, limit, analysis: true }, () => undefined)
    if (move) hint.value = { game, node, move: move.uci }
    return move?.san
}
