// Whether the game has started: by its first move, or by the user.

import { computed, effect, signal } from "@preact/signals"
import { gameNumber, plies } from "./game"

const startedGame = signal(-1)

/** Before the start, players, clocks and starting position can be chosen, and no AI moves. */
export const hasStarted = computed(
    () => plies.value.length > 0 || startedGame.value === gameNumber.value,
)

export function markStarted(isStarted: boolean): void {
    startedGame.value = isStarted ? gameNumber.peek() : -1
}

/** A game whose moves are all taken back has still started. */
effect(() => {
    if (plies.value.length > 0) startedGame.value = gameNumber.value
})
