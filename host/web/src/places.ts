// The places of the page: to play, to analyse, to watch AIs. Another place prepares a new game for
// itself; a game that has moves stays.

import { batch, signal } from "@preact/signals"
import { plies } from "./game"
import { defaultLevel, levels, setLevel } from "./levels"
import { isPlace } from "./place-names"
import { setPlayer, setUserForBoth, startMatch } from "./play"
import { isAiMatch, userPlaysBoth } from "./players"
import { openEditor } from "./setup"
import { local } from "./storage"
import { switches } from "./switches"
import type { Place, Tool } from "./switches"
import { isEmpty, work } from "./work"

const { place, tool } = switches

const storageKey = "place"
const chosen = local.get(storageKey)
if (isPlace(chosen)) place.value = chosen
/** Whether this browser has not chosen a place yet. */
export const isFirstVisit = signal(!isPlace(chosen))

function remember(next: Place): void {
    isFirstVisit.value = false
    local.set(storageKey, next)
}
/** A first move without a choice is one. */
plies.subscribe((moves) => {
    if (moves.length > 0 && isFirstVisit.peek()) remember(place.peek())
})

export function openPlace(next: Place): void {
    const isOther = next !== place.peek()
    batch(() => {
        remember(next)
        place.value = next
        tool.value = null
    })
    if (isOther && isEmpty(work())) prepare()
}

export function openTool(next: Tool | null): void {
    tool.value = next
}

export function setUpPosition(): void {
    openEditor()
    openTool("position")
}

/** Whether the game of this visit is restored, loaded or prepared. */
export const hasBegun = signal(false)

/** Gives the sides of a new game to those that the place is for. */
export function prepare(): void {
    if (place.peek() === "analyse") return setUserForBoth()
    whenLevelsAreKnown(() => {
        if (plies.peek().length > 0) return
        if (place.peek() === "play" && (isAiMatch.peek() || userPlaysBoth.peek())) {
            batch(() => {
                setPlayer("white", "you")
                setLevel("black", defaultLevel.peek())
            })
        }
        if (place.peek() === "watch" && !isAiMatch.peek()) setMatch()
    })
}

/** Gives the sides to two levels beside each other. */
function setMatch(): void {
    const white = defaultLevel.peek()
    batch(() => {
        setLevel("white", white)
        setLevel("black", white + 1 < levels.peek().length ? white + 1 : Math.max(0, white - 1))
    })
}

/** Opens the place of AIs, and lets them play. */
export function watchNewMatch(): void {
    openPlace("watch")
    whenLevelsAreKnown(() => {
        if (isAiMatch.peek()) startMatch()
    })
}

function whenLevelsAreKnown(act: () => void): void {
    let isDone = false
    const stop = levels.subscribe((known) => {
        if (known.length === 0 || isDone) return
        isDone = true
        queueMicrotask(() => {
            stop()
            act()
        })
    })
}
