// Whether the game has started: with its first move, or before it by the user.

import { computed, effect, signal } from "@preact/signals"
import { gameNumber, plies } from "./game"

const startedGame = signal(-1)

/** Until then its players, clocks and starting position can be chosen, and no AI moves. */
export const hasStarted = computed(
    () => plies.value.length > 0 || startedGame.value === gameNumber.value,
)

export function markStarted(isStarted: boolean): void {
    startedGame.value = isStarted ? gameNumber.peek() : -1
}

/** A game whose moves are all taken back goes on. */
effect(() => {
    if (plies.value.length > 0) startedGame.value = gameNumber.value
})
