// Runs the clock of the player to move, and ends the game when its time is up.

import { computed, effect, signal, untracked } from "@preact/signals"
import { connected } from "./api"
import type { Color } from "./api"
import { isPaused, leftMs, runningSince, startClock, stopClock, timeControl } from "./clocks"
import {
    atEnd,
    cursor,
    endId,
    gameNumber,
    isOver,
    opposite,
    placementAfter,
    plies,
    turnAfter,
} from "./game"
import { isPending } from "./pending"
import { aiError, endGame, searchedNode } from "./play"
import { aiToMoveAtEnd } from "./players"
import { piecesOf } from "./small-board"

const tickMs = 100

/**
 * An AI's clock runs while the AI searches. All clocks stop during an outage, and a user's first
 * move takes no time.
 */
const isDue = computed(() => {
    if (
        !timeControl.value ||
        isPaused.value ||
        isOver.value ||
        isPending.value ||
        !connected.value ||
        aiError.value
    )
        return false
    return aiToMoveAtEnd.value === null
        ? plies.value.length > 0
        : searchedNode.value === endId.value
})

let turn = { game: gameNumber.peek(), node: endId.peek() }

effect(() => {
    const [game, node, due] = [gameNumber.value, endId.value, isDue.value]
    untracked(() => {
        stopClock()
        if (turn.game !== game || turn.node !== node) isPaused.value = false
        turn = { game, node }
        if (due) startClock()
    })
})

/** The player whose clock is running. */
export const runningColor = computed<Color | null>(() =>
    runningSince() === null ? null : turnAfter(plies.value.length),
)

const ticks = signal(0)

effect(() => {
    const color = runningColor.value
    if (color === null) return undefined
    void runningSince()
    const ticking = setInterval(() => (ticks.value += 1), tickMs)
    const flag = setTimeout(() => fallFlag(color), leftMs(color, plies.peek().length) ?? 0)
    return () => {
        clearInterval(ticking)
        clearTimeout(flag)
    }
})

/**
 * Returns a player's remaining time in the game while a clock runs, otherwise in the shown
 * position.
 */
export function shownMs(color: Color): number | null {
    const isLive = atEnd.value || runningColor.value !== null
    if (runningColor.value === color) void ticks.value
    return leftMs(color, isLive ? plies.value.length : cursor.value)
}

/** Ends the game when a player's time is up. It is a draw if the opponent cannot mate. */
function fallFlag(color: Color): void {
    const winner = opposite(color)
    endGame(
        canMate(winner)
            ? { winner, reason: "time" }
            : { winner: null, reason: "time_without_mate" },
    )
}

/** Whether a side has more than a single bishop or knight at the end of the line. */
function canMate(color: Color): boolean {
    const own = [...piecesOf(placementAfter(plies.peek().length)).values()].filter((piece) =>
        piece.startsWith(color[0] ?? ""),
    )
    return own.length > 2 || own.some((piece) => /[prq]$/.test(piece))
}
